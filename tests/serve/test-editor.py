#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Settings and zones of a camera in Chromium: what a person draws and chooses there is what the server has
afterwards. Y10_SCREENSHOTS=DIR keeps pictures of it."""
import os
import unittest

from browser import SHIFT
from page import SCREENSHOTS, Page

CONFIG = "[camera one]\nname=Gate\nsource=demo\n"
STAGE = "#zones-stage"


class Editor(Page):
    def setUp(self):
        super().setUp()
        self.browser.resize(1280, 1100)
        self.server, url = self.start(CONFIG)
        self.browser.open(url)
        self.browser.until("document.querySelector('.camera .state')?.textContent === 'live'")

    def camera(self):
        return self.server.cameras()["one"]

    def keep(self, name):
        if SCREENSHOTS:
            self.browser.screen(os.path.join(SCREENSHOTS, name + ".png"))

    def open_zones(self):
        self.browser.click(".camera .zones")
        self.browser.until("document.getElementById('zones').open")
        self.browser.until("document.getElementById('zones-picture').naturalWidth > 0")

    def save(self, dialog="zones"):
        self.browser.click(f"#{dialog}-form > .row:last-child button:first-child")
        self.browser.until(f"!document.getElementById('{dialog}').open")

    def press(self, x, y, to=None):
        """At a place of the picture, by its size; drags if there is another one."""
        left, top, width, height = self.browser.place(STAGE)
        self.browser.mouse("Moved", left + x * width, top + y * height)
        self.browser.mouse("Pressed", left + x * width, top + y * height)
        x, y = to or (x, y)
        if to:
            self.browser.ask("Input.dispatchMouseEvent", type="mouseMoved", x=left + x * width, y=top + y * height,
                             button="left", buttons=1)
        self.browser.mouse("Released", left + x * width, top + y * height)

    def close_to(self, points, expected):
        self.assertEqual(len(points), len(expected), points)
        for point, other in zip(points, expected):
            for a, b in zip(point, other):
                self.assertAlmostEqual(a, b, delta=0.005)

    def test_zone_by_mouse(self):
        """A triangle by clicks, a rectangle and a line by dragging; a name, classes and a time."""
        browser = self.browser
        self.open_zones()
        browser.click("#zones-add-zone")
        for x, y in ((0.2, 0.2), (0.6, 0.2), (0.4, 0.7), (0.2, 0.2)):
            self.press(x, y)
        browser.until("!document.getElementById('zones-fields').hidden")
        browser.write("yard <b>")      # the name has the focus, and is selected
        browser.click("#zones-classes input[value='qr-code']")
        browser.fill("#zones-dwell", "2.5, 30")
        self.keep("zones")
        browser.click("#zones-add-zone")
        self.press(0.7, 0.1, to=(0.9, 0.3))
        browser.click("#zones-add-line")
        self.press(0.1, 0.9, to=(0.8, 0.8))
        self.save()
        zones = self.camera()["zones"]
        yard, rectangle = zones["zones"]
        self.assertEqual((yard["name"], yard["classes"], yard["dwell"]), ("yard <b>", ["qr-code"], [2.5, 30]))
        self.close_to(yard["points"], ((0.2, 0.2), (0.6, 0.2), (0.4, 0.7)))
        self.close_to(rectangle["points"], ((0.7, 0.1), (0.9, 0.1), (0.9, 0.3), (0.7, 0.3)))
        self.close_to(zones["lines"][0]["points"], ((0.1, 0.9), (0.8, 0.8)))
        # They are there when it is opened again; one is removed, a corner of another one moved.
        self.open_zones()
        self.assertEqual(browser.run("document.querySelectorAll('#zones-stage polygon').length"), 2)
        self.assertIn("yard <b>", browser.text("#zones-list"))
        browser.click("#zones-list li:nth-child(2) button")
        browser.click("#zones-remove")
        browser.click("#zones-list li:nth-child(1) button")
        self.press(0.4, 0.7, to=(0.5, 0.9))
        self.save()
        zones = self.camera()["zones"]
        self.assertEqual([len(zones["zones"]), len(zones["lines"])], [1, 1])
        self.close_to(zones["zones"][0]["points"], ((0.2, 0.2), (0.6, 0.2), (0.5, 0.9)))
        self.assertEqual(zones["zones"][0]["dwell"], [2.5, 30])

    def test_zone_by_keyboard(self):
        """Corners by the arrow keys and Space; then one is moved. Escape ends a drawing, then the dialog."""
        browser = self.browser
        browser.run("document.querySelector('.camera .zones').focus()")
        browser.key("Enter")
        browser.until("document.getElementById('zones').open")
        browser.run("document.getElementById('zones-add-zone').focus()")
        browser.key("Enter")
        browser.key(" ")
        for key, n in (("ArrowRight", 4), ("ArrowDown", 4)):
            for _ in range(n):
                browser.key(key, SHIFT)
            browser.key(" ")
        browser.key("Enter")
        browser.until("document.activeElement.id === 'zones-name'")
        browser.run("document.querySelector('.corner').focus()")
        browser.key("ArrowLeft")
        self.assertRegex(browser.run("document.activeElement.getAttribute('aria-label')"), "Corner 1 of zone 1")
        browser.run("document.getElementById('zones-add-line').focus()")
        browser.key("Enter")
        browser.key("Escape")
        self.assertTrue(browser.run("document.getElementById('zones').open"))
        self.save()
        zones = self.camera()["zones"]
        self.close_to(zones["zones"][0]["points"], ((0.49, 0.5), (0.7, 0.5), (0.7, 0.7)))
        self.assertEqual(zones["lines"], [])
        self.open_zones()
        browser.key("Escape")
        browser.until("!document.getElementById('zones').open")

    def test_refused(self):
        """An error about a zone selects it and leads to its field, whatever else is selected."""
        browser = self.browser
        text = "a=0.1,0.1 0.3,0.3; b=0.5,0.5 0.9,0.9; gate=0.1,0.5 -> 0.9,0.5"
        self.assertEqual(self.server.ask("PATCH", "/api/cameras/one", {"zones": text})[0], 200)
        self.browser.until(self.module("cameras", "typeof m.cameras.get('one').zones === 'string'"))
        for width, height, phone in ((1280, 900, False), (390, 844, True)):
            browser.resize(width, height, phone)
            self.open_zones()
            browser.click("#zones-list li:nth-child(2) button")
            browser.fill("#zones-dwell", "7, 3")
            browser.click("#zones-list li:nth-child(3) button")
            browser.click("#zones-form > .row:last-child button:first-child")
            self.told("zones", "dwell")
            self.assertEqual(browser.run("document.getElementById('zones-name').value"), "b")
            self.assertIn("[1].dwell[1] is 3", browser.text("#zones-problem"))
            browser.key("Escape")
            browser.until("!document.getElementById('zones').open")

    def test_text_and_unknown_members(self):
        """Zones of a file are shown, and what the page has no field for stays."""
        zones = {"version": 1, "zones": [{"name": "a", "points": [[0.1, 0.1], [0.5, 0.5]], "limit": 5, "grace": 3}]}
        self.assertEqual(self.server.ask("PATCH", "/api/cameras/one", {"zones": zones})[0], 200)
        self.browser.until(self.module("cameras", "m.cameras.get('one').zones?.zones"))
        self.open_zones()
        self.save()
        kept = self.camera()["zones"]["zones"][0]
        self.assertEqual((kept["limit"], kept["grace"], len(kept["points"])), (5, 3, 4))
        text = "yard=0,0.5 1,1; gate=0.1,0.5 -> 0.9,0.5"
        self.assertEqual(self.server.ask("PATCH", "/api/cameras/one", {"zones": text})[0], 200)
        self.browser.until(self.module("cameras", "typeof m.cameras.get('one').zones === 'string'"))
        self.open_zones()
        self.save()
        zones = self.camera()["zones"]
        self.close_to(zones["zones"][0]["points"], ((0, 0.5), (1, 0.5), (1, 1), (0, 1)))
        self.close_to(zones["lines"][0]["points"], ((0.1, 0.5), (0.9, 0.5)))

    def test_settings(self):
        """Only what was changed is sent; what the server refuses is said."""
        browser = self.browser
        browser.click(".camera .settings")
        browser.until("document.querySelector('#settings-classes input')")
        self.keep("settings")
        browser.click("#settings-classes input[value='qr-code']")
        browser.fill("#settings-confidence", "0.5")
        browser.run("document.getElementById('settings-tiles').value = '2x1'")
        self.save("settings")
        camera = self.camera()
        self.assertEqual([camera[name] for name in ("classes", "confidence", "tiles", "privacy", "source")],
                         ["qr-code", 0.5, "2x1", False, "demo"])
        browser.click(".camera .settings")
        browser.until("document.querySelector('#settings-classes input:checked')")
        browser.fill("#settings-source", "nonsense")
        browser.click("#settings-form > .row:last-child button:first-child")
        self.told("settings", "source")
        self.assertIn("source is unknown", browser.run("document.getElementById('settings-problem').textContent"))
        browser.run("document.getElementById('settings-source').value = ''")
        browser.click("#settings-privacy")
        self.save("settings")
        self.assertEqual([self.camera()[name] for name in ("privacy", "confidence")], [True, 0.5])

    def test_websocket(self):
        """States come without questions; where there is no server, the page says so and comes back."""
        browser = self.browser
        browser.until(self.module("server", "m.isConnected()"))
        browser.run("""window.asked = [], window.fetch = ((old) => (...args) => {
            asked.push(args[0]); return old(...args); })(fetch)""")
        self.server.ask("PATCH", "/api/cameras/one", {"name": "Other"})
        browser.until("document.querySelector('.camera .name').textContent === 'Other'")
        self.server.add("New", "test:ball")
        browser.until("document.querySelectorAll('.camera').length === 2")
        self.assertNotIn("/api/cameras", browser.run("asked"))
        self.server.stop()
        browser.until("document.getElementById('notice').textContent.includes('does not answer')")

    def test_phone(self):
        """On a phone nothing is wider than the screen."""
        browser = self.browser
        browser.resize(390, 844, phone=True)
        self.open_zones()
        browser.click("#zones-add-zone")
        self.press(0.2, 0.2, to=(0.8, 0.8))
        browser.until("!document.getElementById('zones-fields').hidden")
        self.keep("zones-phone")
        for dialog in ("zones", "settings"):
            self.assertLessEqual(browser.run(f"document.getElementById('{dialog}').scrollWidth"), 390)
        browser.prefer("dark")
        self.keep("zones-phone-dark")
        browser.prefer("light")


if __name__ == "__main__":
    unittest.main()
