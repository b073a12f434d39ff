# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Debian's Chromium without a window, as a person uses it: what is on the screen, mouse and keyboard.

It is driven by the DevTools protocol over two pipes: a JSON object with a zero byte behind it. So
no port is open, and no package besides the browser is needed."""
import base64
import io
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
from programs import PATIENCE, skip, until  # noqa: E402

try:
    from PIL import Image
except ImportError:
    skip("Pillow is missing")

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
KEYS = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39,
        "ArrowDown": 40, "Delete": 46}
SHIFT = 8

if not CHROMIUM:
    skip("Debian's package chromium is missing")


class Browser:
    """One tab. Whatever the page's scripts throw, and what its policy refuses, is in complaints."""

    def __init__(self, width=1280, height=800):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_read, self.pipe = os.pipe()
        self.answers, to_write = os.pipe()
        # bash, since other shells know descriptors of one digit only.
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{to_read} 4>&{to_write}', "bash", CHROMIUM, "--headless=new",
             "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--disable-background-networking", "--disable-component-update",
             "--force-device-scale-factor=1", "--hide-scrollbars", f"--user-data-dir={self.profile.name}",
             "about:blank"],
            pass_fds=(to_read, to_write), start_new_session=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.number, self.left, self.session = 0, b"", None
        self.complaints, self.questions = [], []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.ask(domain + ".enable")
        self.resize(width, height)

    def __enter__(self):
        return self

    def __exit__(self, *args):
        os.close(self.pipe)
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        os.close(self.answers)
        self.profile.cleanup()

    # The protocol.

    def message(self):
        """The next one from the browser."""
        while b"\0" not in self.left:
            if not select.select([self.answers], [], [], PATIENCE)[0]:
                raise AssertionError("the browser does not answer")
            more = os.read(self.answers, 1 << 20)
            if not more:
                raise AssertionError("the browser has ended")
            self.left += more
        line, _, self.left = self.left.partition(b"\0")
        return json.loads(line)

    def take(self, event):
        """Notes what happened in the page."""
        what, of = event.get("method"), event.get("params", {})
        if what == "Runtime.exceptionThrown":
            details = of["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description") or details["text"])
        elif what == "Log.entryAdded" and of["entry"]["level"] == "error" and of["entry"]["source"] != "network":
            self.complaints.append(of["entry"]["text"])
        elif what == "Page.javascriptDialogOpening":
            self.questions.append(of["message"])
            self.tell("Page.handleJavaScriptDialog", accept=True)

    def tell(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.pipe, data):]
        return self.number

    def ask(self, method, **params):
        number = self.tell(method, **params)
        while (message := self.message()).get("id") != number:
            self.take(message)
        if "error" in message:
            raise AssertionError(f"{method}: {message['error']['message']}")
        return message["result"]

    # The page.

    def open(self, url):
        self.ask("Page.navigate", url=url)
        self.until("document.readyState === 'complete'")

    def resize(self, width, height, phone=False, scale=1):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale,
                 mobile=phone)

    def prefer(self, scheme):
        """light or dark."""
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def run(self, script):
        """The value of an expression in the page, which is no element."""
        done = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in done:
            raise AssertionError(f"{script}: {done['exceptionDetails']}")
        return done["result"].get("value")

    def until(self, script):
        """Waits for a value that is true, and returns it; for an element, true."""
        # The page may still be loading: what is missing counts as false.
        try:
            return until(lambda: self.run(
                f"(async () => {{ try {{ const value = await {script}; return value instanceof Node || value; }} "
                "catch { return null; } })()"), script)
        except AssertionError as error:
            raise AssertionError(f"{error}; the page says {self.text()!r}") from error

    def text(self, selector="body"):
        """What a person can read there."""
        return self.run(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''")

    def place(self, selector):
        """Left, top, width and height in the window, after scrolling there."""
        return self.until(f"""(() => {{ const found = document.querySelector({json.dumps(selector)});
            if (!found) return null;
            found.scrollIntoView({{ block: "nearest", behavior: "instant" }});
            const at = found.getBoundingClientRect();
            return at.width ? [at.left, at.top, at.width, at.height] : null; }})()""")

    # A person.

    def mouse(self, what, x, y, held=False):
        self.ask("Input.dispatchMouseEvent", type="mouse" + what, x=x, y=y, clickCount=int(what != "Moved"),
                 button="none" if what == "Moved" and not held else "left",
                 buttons=int(held or what == "Pressed"))

    def click(self, selector, across=0.5, down=0.5):
        """At a place of an element, by its size."""
        left, top, width, height = self.place(selector)
        x, y = left + across * width, top + down * height
        self.mouse("Moved", x, y)
        self.mouse("Pressed", x, y)
        self.mouse("Released", x, y)

    def drag(self, selector, begin, end):
        """Between two places of an element, by its size."""
        left, top, width, height = self.place(selector)
        places = [(left + across * width, top + down * height) for across, down in (
            begin, ((begin[0] + end[0]) / 2, (begin[1] + end[1]) / 2), end)]
        self.mouse("Moved", *places[0])
        self.mouse("Pressed", *places[0])
        for at in places[1:]:
            self.mouse("Moved", *at, held=True)
        self.mouse("Released", *places[-1])

    def write(self, text):
        """Into what has the focus."""
        self.ask("Input.insertText", text=text)

    def fill(self, selector, text):
        self.click(selector)
        self.write(text)

    def key(self, key, modifiers=0):
        for what in ("rawKeyDown", "char", "keyUp"):
            if what == "char" and key not in ("Enter", " "):
                continue
            self.ask("Input.dispatchKeyEvent", type=what, key=key, code="Space" if key == " " else key,
                     windowsVirtualKeyCode=KEYS[key], modifiers=modifiers,
                     text="\r" if key == "Enter" else key if key == " " else "")

    def screen(self, path=None, selector=None, form="png"):
        """What is on the screen, of an element or of all; also as a file."""
        options = {"format": form}
        if form == "jpeg":
            options["quality"] = 70
        if selector:
            left, top, width, height = self.place(selector)
            options["clip"] = {"x": left, "y": top, "width": width, "height": height, "scale": 1}
        data = base64.b64decode(self.ask("Page.captureScreenshot", **options)["data"])
        if path:
            with open(path, "wb") as file:
                file.write(data)
        return Image.open(io.BytesIO(data)).convert("RGB")
