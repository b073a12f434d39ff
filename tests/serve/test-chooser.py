#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""The choice of a model in Chromium: what a person chooses is what cameras detect with, and what is wrong is
said. Y10_SCREENSHOTS=DIR keeps pictures of it."""
import unittest

from models import TOYS, Folder
from page import Page
from server import Server

STATE = "document.getElementById('model-state').textContent"
PROBLEM = "document.getElementById('model-problem').textContent"


class Chooser(Page):
    def open(self, config):
        server, url = self.start(config)
        self.browser.open(url)
        self.browser.until("document.getElementById('model').checkVisibility()")
        return server

    def choose(self, name):
        self.browser.run(f"document.getElementById('model-file').value = '{name}'")
        self.browser.click("#model-use")

    def test_choice(self):
        browser = self.browser
        server = self.open(Folder())
        server.live("one")
        browser.until("document.getElementById('model-file').value === 'codes.safetensors'")
        self.assertEqual(browser.run("[...document.getElementById('model-file').options].map((o) => o.value)"),
                         ["", *server.model()["models"]])
        browser.place("#model")
        self.show("model")
        # What is said meanwhile is collected; each state is there for a moment only.
        browser.run("""window.said = [], new MutationObserver(() => said.push([
            document.getElementById('model-state').textContent,
            document.getElementById('model').getAttribute('aria-busy'),
            document.getElementById('model-use').disabled,
            document.getElementById('model-progress').checkVisibility()])).observe(
                document.getElementById('model'), { subtree: true, childList: true, attributes: true }), 0""")
        self.choose("toys.safetensors")
        browser.until(STATE + ".startsWith('toys.safetensors knows 7 classes')")
        self.assertIn(True, [state.startswith("Loading toys.safetensors") and busy == "true" and disabled and visible
                             for state, busy, disabled, visible in browser.run("said")])
        self.assertEqual(browser.run("document.getElementById('model').getAttribute('aria-busy')"), "false")
        self.assertFalse(browser.run("document.getElementById('model-progress').checkVisibility()"))
        self.assertEqual(server.model()["file"], "toys.safetensors")
        self.assertEqual(browser.run("document.getElementById('model-file').value"), "toys.safetensors")
        # Settings of a camera have its classes.
        browser.click(".camera .settings")
        browser.until("document.querySelector('#settings-classes input')")
        self.assertEqual(browser.run("[...document.querySelectorAll('#settings-classes input')].map((b) => b.value)"),
                         TOYS)
        browser.key("Escape")

    def test_problem(self):
        """What the server refuses is said, and the choice is that which is in use."""
        browser = self.browser
        server = self.open(Folder())
        server.live("one")
        server.patch("one", classes="ball")
        browser.until("document.getElementById('model-file').value === 'codes.safetensors'")
        for name, says in (("text.pt", "text.pt"), ("toys.safetensors", '"ball"')):
            self.choose(name)
            browser.until(PROBLEM + f".includes('{says}')")
            browser.until("document.getElementById('model').getAttribute('aria-busy') === 'false'")
            browser.until("document.getElementById('model-file').value === 'codes.safetensors'")
            self.assertTrue(browser.run(STATE).startswith("codes.safetensors knows 7 classes"))
        self.show("model-problem")
        self.assertEqual(browser.run("document.getElementById('model-problem').getAttribute('role')"), "alert")

    def test_keyboard_and_phone(self):
        """Tab leads there, Enter chooses; nothing is wider than the screen of a phone."""
        browser = self.browser
        server = self.open(Folder(cameras=""))
        browser.until("document.getElementById('model-file').value === 'codes.safetensors'")
        browser.resize(390, 844, phone=True)
        browser.prefer("dark")
        browser.place("#model")
        self.show("model-phone-dark")
        self.assertLessEqual(browser.run("document.documentElement.scrollWidth"), 390)
        browser.run("document.querySelector('#add button').focus()")
        browser.key("Tab")
        self.assertEqual(browser.run("document.activeElement.id"), "model-file")
        for _ in range(len(server.model()["models"])):
            browser.key("ArrowDown")
        browser.key("Tab")
        browser.key("Enter")
        browser.until(STATE + ".startsWith('toys.safetensors knows')")
        browser.until("document.activeElement.id === 'model-use'")

    def test_others_choose(self):
        """A page that is open hears of it."""
        browser = self.browser
        server = self.open(Folder(cameras=""))
        browser.until(self.module("server", "m.isConnected()"))
        self.assertEqual(server.change("toys.safetensors")[0], 200)
        browser.until("document.getElementById('model-file').value === 'toys.safetensors'")

    def test_nothing_to_choose(self):
        """The page says how that is changed."""
        for server, says in ((Server(config=""), "--models DIR"), (Folder(cameras=""), "--model")):
            if isinstance(server, Folder):
                server.options = ("--model", server.path("toys.safetensors"))
            self.open(server)
            self.browser.until(f"document.getElementById('model-why').textContent.includes('{says}')")
            self.assertFalse(self.browser.run("document.getElementById('model-choice').checkVisibility()"))
            self.browser.open("about:blank")


if __name__ == "__main__":
    unittest.main()
