#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""The page of y10 serve in Chromium: what a person sees of it, with the mouse, the keyboard and on a
phone. Y10_SCREENSHOTS=DIR keeps pictures of it, among them those of docs/serve.md."""
import json
import os
import re
import unittest

from browser import SHIFT
from page import SCREENSHOTS, Page
from scene import CODE, SIZE, STEP, TOP, place, read, read_box
from server import SOURCE, scene, until

FPS = 5
# The contrast that WCAG 2.2 wants of text, and the smallest target of a finger (AA).
CONTRAST, TARGET = 4.5, 24
# Where the code goes to and fro, its right half: corners by the picture's size.
ZONE = 0.45, 0.1, 0.95, 0.9
MODELS = f"[serve]\nmodels={SOURCE}/models\n\n"
DEMO = "[camera demo]\nname=Demo\nsource=demo\nzones=table=0,0 1,1\n\n[camera away]\nname=Away\nsource=rtsp://127.0.0.1:1/none\n"
LOOKS = {"light": ("light", 1280, 900, False), "dark": ("dark", 1280, 900, False),
         "phone": ("light", 390, 844, True), "phone-dark": ("dark", 390, 844, True),
         "4k": ("light", 3840, 2160, False)}
# What is shown, and where to click for it.
VIEWS = {"live": (), "settings": (".camera .settings",), "zones": (".camera .zones", "#zones-add-zone"),
         "events": ("#to-events",)}
SHOWN = {"live": "document.querySelector('.camera img').naturalWidth", "events": "document.querySelector('.event img')",
         "settings": "document.querySelector('#settings-classes input')",
         "zones": "document.querySelector('#zones-picture').naturalWidth"}
# Texts that are hard to read against what is behind them.
FAINT = """(() => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const linear = (part) => part <= 10.3 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const behind = (element) => {
    for (; element; element = element.parentElement) {
      const colour = numbers(getComputedStyle(element).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const element of document.body.querySelectorAll("*")) {
    const texts = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!(texts || element.placeholder) || !element.checkVisibility() || element.disabled) continue;
    const style = getComputedStyle(element, element.placeholder ? "::placeholder" : null);
    const pair = [light(numbers(style.color)), light(behind(element))];
    const contrast = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
    if (contrast < %f) found.push(`${element.id || element.textContent.trim()}: ${contrast.toFixed(2)}`);
  }
  return found;
})()""" % CONTRAST
# Controls that a finger misses; a link within a sentence is as high as its line.
SMALL = """[...document.querySelectorAll("a, button, input, select, textarea, summary")].filter((element) => {
  const at = element.getBoundingClientRect();
  return element.checkVisibility() && at.width && Math.min(at.width, at.height) < %d
    && !element.closest("p, label");
}).map((element) => `${element.outerHTML.slice(0, 80)} ${element.getBoundingClientRect().height}`)""" % TARGET
WIDER = """document.documentElement.scrollWidth > innerWidth
  ? [...document.body.querySelectorAll("*")].filter((element) =>
      element.getBoundingClientRect().right > innerWidth + 1).map((element) => element.outerHTML.slice(0, 80)) : []"""
FOCUS = """(() => { const at = document.activeElement;
  if (!at || at === document.body) return null;
  const style = getComputedStyle(at), box = at.getBoundingClientRect();
  return { what: at.id || at.className || at.tagName, ring: style.outlineStyle !== "none"
    && parseFloat(style.outlineWidth) >= 2, seen: box.bottom > 0 && box.top < innerHeight }; })()"""


class Entering(Page):
    def test_token(self):
        """The address with the token opens the page, and loses it. No script can read the session."""
        server, url = self.start("")
        self.assertTrue(url.endswith("/#t=" + server.token))
        browser = self.browser
        browser.open(url)
        browser.until("document.querySelector('#add').checkVisibility()")
        self.assertEqual(browser.run("location.href"), f"http://127.0.0.1:{server.port}/")
        self.assertEqual(browser.run("document.cookie"), "")
        page = "document.documentElement.outerHTML + JSON.stringify([localStorage, sessionStorage, history.state])"
        self.assertNotIn(server.token, browser.run(page))
        for entry in browser.ask("Page.getNavigationHistory")["entries"]:
            self.assertNotIn(server.token, entry["url"])
        browser.ask("Page.reload")
        browser.until("document.querySelector('#add').checkVisibility()")

    def test_form(self):
        """Without it, the page asks for it, and says when it is a wrong one."""
        server, url = self.start("")
        browser = self.browser
        browser.ask("Network.clearBrowserCookies")
        browser.open(url.partition("#")[0])
        browser.until("document.querySelector('#login').checkVisibility()")
        self.assertFalse(browser.run("document.querySelector('#add').checkVisibility()"))
        browser.fill("#token", "0" * 32)
        browser.key("Enter")
        self.told("login", "token")
        browser.fill("#token", server.token)
        browser.key("Enter")
        browser.until("document.querySelector('#add').checkVisibility()")
        self.assertNotIn("token", browser.text())

    def test_session_ends(self):
        """Whoever looks at the page when its session ends sees no more of the cameras."""
        browser = self.browser
        self.enter("[camera one]\nname=One\nsource=test:ball\n")
        browser.until("document.querySelector('.camera img')?.naturalWidth")
        browser.run("fetch('/api/session', { method: 'DELETE' }), 0")
        browser.until("document.querySelector('#login').checkVisibility()")
        self.assertFalse(browser.run("document.querySelector('.camera') !== null"))


class Cameras(Page):
    def picture(self):
        """The camera's picture as it is on the screen."""
        return self.browser.screen(selector=".camera .view img")

    def seen(self):
        return read(self.picture())

    def camera(self, port=0):
        camera = scene(fps=FPS, port=port)
        self.addCleanup(camera.kill)
        if not camera.uri:
            self.skipTest("GstRtspServer or x264enc is missing")
        return camera

    def test_rtsp(self):
        """A camera that is added in the page is seen with its box, goes away, and comes again."""
        camera = self.camera()
        browser = self.browser
        server = self.enter("")
        browser.fill("#name", "Gate")
        browser.fill("#source", f"rtsp://admin:s3cret@127.0.0.1:{camera.port}/camera")
        browser.key("Enter")
        browser.until("document.querySelector('.camera .state')?.innerText === 'live'")
        self.assertIn("Gate", browser.text(".camera"))
        page = browser.run("document.documentElement.outerHTML + document.querySelector('#source').value")
        for secret in ("s3cret", "admin", "/camera\""):
            self.assertNotIn(secret, page)
        self.moves()
        self.boxes(server)
        self.show("camera")
        camera.kill()
        browser.until("!['live', ''].includes(document.querySelector('.camera .state').innerText)")
        reason = browser.until("document.querySelector('.camera .reason').innerText")
        self.assertGreater(len(reason), 5)
        self.show("camera-lost")
        self.camera(camera.port)
        browser.until("document.querySelector('.camera .state').innerText === 'live'")
        self.assertEqual(browser.text(".camera .reason"), "")
        self.moves()

    def test_zone(self):
        """A zone that is drawn with the mouse, and what happens in it, with the picture of that moment."""
        camera = self.camera()
        browser = self.browser
        server = self.enter(f"[camera one]\nname=Gate\nsource=rtsp://127.0.0.1:{camera.port}/camera\n")
        browser.until("document.querySelector('.camera .state')?.innerText === 'live'")
        browser.click(".camera .zones")
        browser.until("document.querySelector('#zones-picture').naturalWidth > 0")
        browser.click("#zones-add-zone")
        browser.drag("#zones-stage", ZONE[:2], ZONE[2:])
        browser.until("document.activeElement.id === 'zones-name'")
        browser.write("yard")
        self.show("zones")
        browser.click("#zones-form button:not([type])")
        browser.until("!document.querySelector('#zones').open")
        zone, = server.cameras()["one"]["zones"]["zones"]
        self.assertEqual(zone["name"], "yard")
        for at, corner in zip(zone["points"], (ZONE[:2], (ZONE[2], ZONE[1]), ZONE[2:], (ZONE[0], ZONE[3]))):
            self.assertLess(max(abs(at[0] - corner[0]), abs(at[1] - corner[1])), 0.01, zone)
        self.happens()

    def happens(self):
        """The code enters the zone, which the page for events tells and shows."""
        browser = self.browser
        browser.click("#to-events")
        told = "document.querySelector('.event[data-kind=enter]')"
        browser.until(told)
        self.assertRegex(browser.text(".event[data-kind=enter]"), "Gate\\s+qr-code enters yard")
        browser.until(told + ".querySelector('img').naturalWidth === 320")
        self.show("events")
        browser.click(".event[data-kind=enter] button")
        browser.until(f"document.querySelector('#events-dialog img').naturalWidth === {SIZE[0]}")
        number = read(browser.screen(SCREENSHOTS and os.path.join(SCREENSHOTS, "event.png"), "#events-dialog img"))[0]
        wide = CODE[2] - CODE[0]
        self.assertGreater(place(number) + wide / 2, ZONE[0] * SIZE[0] - STEP)
        # The box in the picture is around the code in that picture.
        marked = [SIZE[0] * float(at) for at in re.findall(
            r"[MH]([\d.]+)", browser.run("document.querySelector('#events-dialog path').getAttribute('d')"))]
        for at, expected in zip(marked[:2], (place(number), place(number) + wide), strict=True):
            self.assertLess(abs(at - expected), STEP + STEP / 2, (number, marked))
        browser.key("Escape")
        browser.until("!document.querySelector('#events-dialog').open")

    def moves(self):
        """The numbers in the pictures rise."""
        first = until(self.seen, "a picture with a number")
        until(lambda: (now := self.seen()) and now[0] >= first[0] + 3 * FPS, "moving pictures")

    def boxes(self, server):
        """Each picture's box is where the code is in that picture: at most one frame off. Where other
        processes leave no time to infer each frame, that is most of them."""
        seen, off = set(), []
        before, = server.cameras().values()
        while len(seen) < 10:
            picture = self.picture()
            number, box = read(picture), read_box(picture)
            if number and box and number[0] not in seen:
                seen.add(number[0])
                left = place(number[0])
                off.append(max(abs(box[0] - left), abs(box[1] - left - CODE[2] + CODE[0])))
                self.assertLess(abs(box[2] - TOP - CODE[3] + CODE[1]), STEP / 2, (number, box))
        # How well the box fits the code, and the lines' width.
        after, = server.cameras().values()
        if after["frames"] - before["frames"] <= after["inferred"] - before["inferred"] + 1:
            self.assertLess(max(off), STEP + STEP / 2, off)
        self.assertLess(sorted(off)[len(off) // 2], STEP / 2, off)

    def test_name_is_text(self):
        name = "<img src=x onerror=document.title='run'><b>&amp;"
        browser = self.browser
        server = self.enter("")
        self.assertEqual(server.add(name, "test:ball")[0], 201)
        browser.until("document.querySelector('.camera .name')")
        self.assertEqual(browser.run("document.querySelector('.camera .name').textContent"), name)
        self.assertEqual(browser.run("document.querySelectorAll('.camera b, img[src=x]').length"), 0)
        self.assertNotEqual(browser.run("document.title"), "run")

    def test_remove(self):
        """It asks first; what has the focus then is no part of what is gone."""
        browser = self.browser
        self.enter("[camera one]\nname=One\nsource=test:ball\n")
        browser.until("document.querySelector('.camera .name')")
        browser.click(".camera .remove")
        browser.until("!document.querySelector('.camera')")
        self.assertEqual(len(browser.questions), 1)
        self.assertIn("One", browser.questions[0])
        browser.until("document.activeElement.id === 'title'")

    def test_refused(self):
        """The page says what is wrong with an address, and leaves it to be changed."""
        browser = self.browser
        self.enter("")
        browser.fill("#name", "Gate")
        browser.fill("#source", "gopher://camera/")
        browser.key("Enter")
        self.told("add", "source")
        self.assertIn("rtsp://", browser.text("#add-problem"))
        self.assertEqual(browser.run("document.querySelector('#source').value"), "gopher://camera/")
        # What is right is no longer complained of.
        browser.run("document.querySelector('#source').value = 'test:ball', 0")
        browser.key("Enter")
        browser.until("document.querySelector('.camera')")
        browser.until("!document.querySelector('#add-problem').innerText")
        self.assertFalse(browser.run("document.querySelector('[aria-invalid]') !== null"))

    def test_camera_refuses(self):
        """What goes wrong with a camera stands on its card."""
        browser = self.browser
        server = self.enter("[camera one]\nname=One\nsource=test:ball\n[camera two]\nname=Two\nsource=test:ball\n")
        browser.until("document.querySelectorAll('.camera').length === 2")
        # Another page was faster, and the websocket does not say so yet.
        browser.run(self.module("server", "m.disconnect()"))
        browser.run(self.module("cameras", "{ m.cameras.set = m.cameras.delete = () => null; }"))
        self.assertEqual(server.ask("DELETE", "/api/cameras/two")[0], 204)
        browser.click(".camera:nth-child(2) .remove")
        browser.until("document.querySelector('.camera:nth-child(2) .problem').innerText")
        self.assertEqual(browser.text(".camera:nth-child(1) .problem") + browser.text("#notice"), "")

    def test_starved(self):
        """A camera whose frames come and are not looked at says so, in text and in another colour."""
        browser = self.browser
        self.enter("[camera one]\nname=One\nsource=test:ball\n")
        browser.until("document.querySelector('.camera .figures')?.innerText.match(/ inferences\\/s/)")

        def card(**figures):
            return browser.run(self.module("cameras", f"""{{
                m.takeCameras([{{ ...m.cameras.get('one'), ...{json.dumps(figures)} }}], false, []);
                const state = document.querySelector('.camera .state');
                return [getComputedStyle(state).color, document.querySelector('.camera .warning').innerText]; }}"""))
        colour = card(fps=10, inferences_per_second=5)[0]
        for fps, rate, starved in ((10, 0.8, True), (10, 0, True), (10, 1, False), (1, 0.9, False), (0.2, 0.2, False),
                                   (10, None, False)):
            found = card(fps=fps, inferences_per_second=rate)
            self.assertEqual((found[0] != colour, "inferences" in found[1]), (starved, starved), (fps, rate))

    def test_server_gone(self):
        """Its cameras stay, and say that it is gone; what it said of the machine does not."""
        browser = self.browser
        server = self.enter("[camera one]\nname=One\nsource=test:ball\n[camera off]\nname=Off\nsource=rtsp://127.0.0.1:1/\n")
        browser.until("document.querySelector('.camera .state')?.innerText === 'live'")
        browser.until("document.querySelector('#capacity').innerText")
        server.kill()
        browser.until("document.querySelector('#notice').innerText.includes('does not answer')")
        states = "[...document.querySelectorAll('.camera')].map((card) => ['name', 'state', 'reason'].map((name) => " \
                 "card.querySelector('.' + name).innerText))"
        self.assertEqual(sorted(browser.run(states)), [[name, "no connection to y10 serve", ""] for name in ("Off", "One")])
        self.assertFalse(browser.run("document.querySelector('#capacity').checkVisibility()"))
        self.assertFalse(browser.run("document.querySelector('.camera img[src]') !== null"))

    def test_server_ends(self):
        """The page says so, keeps the cards, and goes on by itself when the server is there again."""
        browser = self.browser
        server = self.enter("[camera one]\nname=One\nsource=test:ball\n")
        browser.until("document.querySelector('.camera .state')?.innerText === 'live'")
        server.stop()
        browser.until("document.querySelector('#notice').innerText.includes('does not answer')")
        self.assertEqual([browser.text(".camera " + part) for part in (".name", ".state")], ["One", "no connection to y10 serve"])
        server.options += "--listen", f"127.0.0.1:{server.port}"
        server.start()
        browser.until("document.querySelector('.camera .state')?.innerText === 'live'")
        browser.until("document.querySelector('.camera img').naturalWidth")
        self.assertEqual(browser.text("#notice"), "")
        self.assertFalse(browser.run("document.querySelector('#login').checkVisibility()"))
        # It hears of changes, too.
        self.assertEqual(server.ask("PATCH", "/api/cameras/one", {"name": "Other"})[0], 200)
        browser.until("document.querySelector('.camera .name').innerText === 'Other'")


class Looks(Page):
    def test_sizes(self):
        """In every size and scheme all texts can be read, fingers hit the controls, and nothing is
        wider than the window."""
        browser = self.browser
        server = self.enter(MODELS + DEMO)
        server.live("demo")
        browser.until("document.querySelector('.camera .state').innerText === 'live'")
        browser.until("document.querySelector('[data-state=retry]')")
        browser.until("document.getElementById('model-use').checkVisibility()")
        browser.until("document.getElementById('capacity').innerText.includes('y10 bench --cameras measures it')")
        for view, opening in VIEWS.items():
            for selector in opening:
                browser.click(selector)
            browser.until(SHOWN[view])
            for name, (scheme, width, height, phone) in LOOKS.items():
                with self.subTest(view=view, name=name):
                    browser.prefer(scheme)
                    browser.resize(width, height, phone)
                    self.look(f"{view}-{name}", scheme, width, height)
            browser.resize(1280, 900)
            # The first one ends the drawing of a zone.
            until(lambda: not browser.run("document.querySelector('dialog[open]') !== null")
                  or browser.key("Escape"), "Escape closes it")

    def look(self, name, scheme, width, height):
        browser = self.browser
        browser.until(f"innerWidth === {width}")
        screen = self.show(name)
        self.assertEqual(screen.size, (width, height))
        if name.startswith("live"):
            corner = sum(screen.getpixel((2, height - 2))) / 3
            self.assertTrue(corner < 64 if scheme == "dark" else corner > 192, corner)
        self.assertEqual(browser.run(FAINT), [])
        self.assertEqual(browser.run(SMALL), [])
        self.assertEqual(browser.run(WIDER), [])

    def test_pictures(self):
        """Those of docs/serve.md: only the demo's scene, which nobody has rights to."""
        browser = self.browser
        server = self.enter("[camera demo]\nname=Demo\nsource=demo\nzones=table=0,0 1,1\n\n"
                            "[camera ball]\nname=Ball\nsource=test:ball\n")
        for camera in ("demo", "ball"):
            server.live(camera)
        browser.until("[...document.querySelectorAll('.camera img')].filter((img) => img.naturalWidth).length === 2")
        browser.until("[...document.querySelectorAll('.figures')].every((of) => of.innerText.includes('inferences'))")
        self.keep("serve", "light", 1100, 432)
        self.keep("serve-phone", "dark", 390, 630, True)
        browser.click("#to-events")
        browser.until("document.querySelectorAll('.event img').length > 5")
        browser.until("[...document.querySelectorAll('.event img')].every((img) => img.naturalWidth)")
        self.keep("serve-events", "light", 1100, 560)

    def keep(self, name, scheme, width, height, phone=False):
        """As a small file."""
        browser = self.browser
        browser.prefer(scheme)
        browser.resize(width, height, phone)
        browser.until(f"innerWidth === {width}")
        path = SCREENSHOTS and os.path.join(SCREENSHOTS, name + ".jpg")
        self.assertEqual(browser.screen(path, form="jpeg").size, (width, height))
        if path:
            self.assertLess(os.path.getsize(path), 60000)

    def test_keyboard(self):
        """Tab reaches every control, what has the focus can be seen, and Enter leads into full screen
        and out of it."""
        browser = self.browser
        self.enter(MODELS + "[camera one]\nname=One\nsource=test:ball\n")
        browser.until("document.querySelector('.camera .state')?.innerText === 'live'")
        browser.until("document.getElementById('model-use').checkVisibility()")
        order = []
        while (at := (browser.key("Tab"), browser.run(FOCUS))[1]) and len(order) < 50:
            self.assertTrue(at["ring"] and at["seen"], at)
            order.append(at["what"])
        controls = browser.run("""[...document.querySelectorAll("a[href], button, input, select, textarea, summary")]
            .filter((element) => element.checkVisibility() && !element.disabled && element.tabIndex >= 0)
            .map((element) => element.id || element.className || element.tagName)""")
        self.assertEqual(order, controls)
        browser.key("Tab", SHIFT)
        self.assertTrue(browser.run(FOCUS))
        browser.run("document.querySelector('.camera .view').focus()")
        browser.key("Enter")
        browser.until("document.fullscreenElement")
        self.show("full")
        # Escape is the browser's own; the page sees what it does.
        browser.key("Enter")
        browser.until("!document.fullscreenElement")

    def test_names(self):
        """Whoever only hears the page is told the name of each control and picture."""
        self.enter("[camera one]\nname=One\nsource=test:ball\n")
        self.browser.until("document.querySelector('.camera .state')?.innerText === 'live'")
        nodes = self.browser.ask("Accessibility.getFullAXTree")["nodes"]
        controls = [(node["role"]["value"], node.get("name", {}).get("value", "").strip()) for node in nodes
                    if not node["ignored"] and node["role"]["value"] in ("button", "link", "textbox", "image", "combobox",
                                                                         "slider", "checkbox")]
        self.assertIn(("button", "Add"), controls)
        self.assertEqual([role for role, name in controls if not name], [])


if __name__ == "__main__":
    unittest.main()
