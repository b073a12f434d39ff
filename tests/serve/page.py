# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Tests of the page of y10 serve in a browser. One that finds fault with the page fails."""
import os
import subprocess
import unittest

from browser import Browser
from server import Server

SCREENSHOTS = os.environ.get("Y10_SCREENSHOTS")


class Page(unittest.TestCase):
    """One browser, since each takes seconds to start, and one server a test."""
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()

    def setUp(self):
        self.browser.complaints.clear()
        self.browser.questions.clear()
        self.browser.resize(1280, 800)
        self.browser.prefer("light")

    def tearDown(self):
        self.browser.open("about:blank")
        self.assertEqual(self.browser.complaints, [])

    def start(self, config):
        """@config: text, or a server."""
        server = Server(config=config) if isinstance(config, str) else config
        self.addCleanup(server.__exit__)
        server.start()
        url = subprocess.run([*server.command("--url"), "--listen", f"127.0.0.1:{server.port}"],
                             env=server.env, text=True, capture_output=True, check=True).stdout.strip()
        return server, url

    def enter(self, config):
        server, url = self.start(config)
        self.browser.open(url)
        self.browser.until("document.querySelector('#add').checkVisibility()")
        return server

    def show(self, name):
        """What is on the screen, which SCREENSHOTS keeps."""
        return self.browser.screen(SCREENSHOTS and os.path.join(SCREENSHOTS, name + ".png"))
