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

    def module(self, name, script):
        """A promise, for the browser, of what @script says of a module of the page, which is m there."""
        return f"import('/{name}.js').then((m) => {script})"

    def told(self, form, field):
        """Waits until a form says what is wrong with a field: next to it, on the screen, to whoever only hears the
        page, and with the focus there; and nowhere else."""
        browser = self.browser
        browser.until(f"document.getElementById('{form}-problem').innerText")
        at = browser.until("""(() => { const at = document.activeElement, box = (one) => {
              const { top, bottom } = one.getBoundingClientRect(); return top >= 0 && bottom <= innerHeight; };
            const ids = (at.getAttribute("aria-describedby") || "").split(" ");
            const line = ids.map((id) => document.getElementById(id)).find((one) => one?.getAttribute("role") === "alert");
            return line && { name: at.name, invalid: at.getAttribute("aria-invalid"), id: line.id, seen: box(line) && box(at) };
            })()""")
        self.assertEqual(at, {"name": field, "invalid": "true", "id": form + "-problem", "seen": True})
        others = browser.run("[...document.querySelectorAll('[role=alert], #notice')].filter((one) => one.innerText)"
                             ".map((one) => one.id)")
        self.assertEqual(others, [form + "-problem"])

    def show(self, name):
        """What is on the screen, which SCREENSHOTS keeps."""
        return self.browser.screen(SCREENSHOTS and os.path.join(SCREENSHOTS, name + ".png"))
