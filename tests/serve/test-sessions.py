#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Sessions of y10 serve: browsers stay logged in over restarts, and not longer than they should. curl keeps the
cookies, as a browser does."""
import json
import os
import shutil
import stat
import subprocess
import time
import unittest

from server import Server, Stream, WebSocket, until

CONFIG = "[camera one]\nsource=test:ball\n"
DAY = 86400


class Sessions(unittest.TestCase):
    def setUp(self):
        if not shutil.which("curl"):
            self.skipTest("curl is missing")
        self.server = Server(config=CONFIG).start()
        self.addCleanup(self.server.__exit__)
        # The cookie is that of the port.
        self.server.options = ("--listen", f"127.0.0.1:{self.server.port}")
        self.file = self.server.config + ".sessions"

    def curl(self, path, *more, jar="jar"):
        """The status."""
        jar = os.path.join(self.server.directory.name, jar)
        url = f"http://127.0.0.1:{self.server.port}"
        done = subprocess.run(["curl", "-s", "-o", os.devnull, "-w", "%{http_code}", "-b", jar, "-c", jar, "-H",
                               "Origin: " + url, *more, url + path], text=True, capture_output=True, check=True)
        return int(done.stdout)

    def log_in(self, jar="jar"):
        self.assertEqual(self.curl("/api/session", "-d", json.dumps({"token": self.server.token}), jar=jar), 204)
        self.assertEqual(self.curl("/api/cameras", jar=jar), 200)

    def restart(self, how="stop"):
        if how == "stop":
            self.server.stop()
        else:
            self.server.process.kill()
            self.server.process.wait()
            self.server.process.stdout.close()
        self.server.start()

    def lines(self):
        with open(self.file, encoding="ascii") as file:
            return [line.split() for line in file.read().splitlines()]

    def rewrite(self, end=0, left=0):
        """As if that many seconds had been added."""
        changed = [f"{key} {int(until_then) + end} {int(seconds) + left}\n" for key, until_then, seconds in self.lines()]
        with open(self.file, "w", encoding="ascii") as file:
            file.writelines(changed)

    def number(self, jar="jar"):
        with open(os.path.join(self.server.directory.name, jar), encoding="utf-8") as file:
            return file.read().split()[-1]

    def test_restart(self):
        """Also after a crash. The file opens nothing by itself."""
        self.log_in()
        for how in ("stop", "kill", "stop"):
            self.restart(how)
            self.assertEqual(self.curl("/api/cameras"), 200)
        self.assertEqual(stat.S_IMODE(os.stat(self.file).st_mode), 0o600)
        self.assertRegex(self.number(), "^[0-9a-f]{32}$")
        (key, end, left), = self.lines()
        self.assertNotIn(self.number(), " ".join((key, end, left)))
        self.assertAlmostEqual(int(end), time.time() + 30 * DAY, delta=600)
        self.assertAlmostEqual(int(left), 30 * DAY, delta=600)
        for forged in (key, key[:32], key[32:]):
            status, _, _ = self.server.ask("GET", "/api/cameras", token=False,
                                           Cookie=f"y10-{self.server.port}={forged}")
            self.assertEqual(status, 401)

    def test_ends(self):
        """One that was ended stays so, and others go on; all can be ended at once, with what they look at."""
        for jar in ("a", "b", "c"):
            self.log_in(jar)
        self.assertEqual(self.curl("/api/session", "-X", "DELETE", jar="a"), 204)
        for _ in range(2):
            self.assertEqual([self.curl("/api/cameras", "-H", f"Cookie: y10-{self.server.port}={number}", jar="none")
                              for number in (self.number("b"), self.number("c"))], [200, 200])
            self.assertEqual(self.curl("/api/cameras", jar="a"), 401)
            self.restart("kill")
        cookie = {"Cookie": f"y10-{self.server.port}={self.number('b')}"}
        page = WebSocket(self.server, Origin=f"http://127.0.0.1:{self.server.port}", **cookie)
        self.server.live("one")
        view = Stream(self.server, "one", **cookie)
        for method, status in (("GET", 405), ("POST", 405), ("DELETE", 204)):
            self.assertEqual(self.server.ask(method, "/api/sessions", b"" if method == "POST" else None)[0], status)
        while page.message() is not None:
            pass
        with self.assertRaises((EOFError, ConnectionError)):
            while True:
                view.picture()
        page.close()
        view.close()
        for _ in range(2):
            self.assertEqual([self.curl("/api/cameras", jar=jar) for jar in ("b", "c")], [401, 401])
            self.restart("kill")
        self.assertEqual(self.lines(), [])

    def test_new_token(self):
        """Another token ends all sessions."""
        self.log_in()
        self.server.stop()
        os.unlink(self.server.config + ".token")
        self.server.start()
        self.assertEqual(self.curl("/api/cameras"), 401)

    def test_time(self):
        """It ends at a time by the clock, and after so much time where the clock is wrong."""
        self.log_in()
        self.server.stop()
        self.rewrite(end=2000 * DAY, left=-29 * DAY)    # the clock was set back, over and over
        self.server.start()
        self.assertEqual(self.curl("/api/cameras"), 200)
        self.server.stop()
        self.rewrite(left=5 - DAY)
        self.server.start()
        until(lambda: self.curl("/api/cameras") == 401, "its time is over")
        self.log_in()
        self.server.stop()
        self.rewrite(end=-31 * DAY)
        self.server.start()
        self.assertEqual(self.curl("/api/cameras"), 401)
        self.assertNotIn("warning", self.server.errors())
        # What has expired is not kept.
        self.log_in()
        self.assertEqual(len(self.lines()), 1)

    def test_time_runs(self):
        """The time that is left is what is left of it after a stop."""
        self.log_in()
        before = int(self.lines()[0][2])
        time.sleep(2)       # that long at least
        self.server.stop()
        self.assertLess(int(self.lines()[0][2]), before)

    def test_most(self):
        """Of more than 64 the oldest ends."""
        self.log_in()
        first = self.number()

        def is_open(number):
            return self.server.ask("GET", "/api/model", token=False,
                                   Cookie=f"y10-{self.server.port}={number}")[0] == 200
        numbers = [first]
        for _ in range(64):
            self.assertTrue(is_open(first))
            head = self.server.ask("POST", "/api/session", {"token": self.server.token}, token=False)[1]
            numbers.append(head["Set-Cookie"].partition(";")[0].partition("=")[2])
        self.assertEqual([is_open(number) for number in numbers], [False] + [True] * 64)
        self.assertEqual(len(self.lines()), 64)
        self.restart()
        self.assertEqual([is_open(number) for number in numbers], [False] + [True] * 64)

    def test_not_ours(self):
        """A file that is damaged, or that others can write, is one warning, and opens nothing."""
        self.log_in()
        line = " ".join(self.lines()[0]) + "\n"
        self.server.stop()

        def write(text, mode=0o600):
            with open(self.file, "wb") as file:
                file.write(text)
            os.chmod(self.file, mode)
        good = line.encode()
        for text, mode in ((good, 0o644), (good, 0o620), (good[:-1], 0o600), (good + b"x\n", 0o600),
                           (good + good[:70] + b"\n", 0o600), (good.replace(b" ", b"\0"), 0o600),
                           (good * 500, 0o600), (b"\xff\xfe" + good, 0o600), (good + b"\n", 0o600),
                           (good.replace(line.split()[2].encode(), b"99999999999"), 0o600), ("fifo", None),
                           ("folder", None), ("link", None)):
            with self.subTest(text=text[:100], mode=mode):
                if os.path.isdir(self.file):
                    os.rmdir(self.file)
                elif os.path.lexists(self.file):
                    os.unlink(self.file)
                if text == "fifo":
                    os.mkfifo(self.file, 0o600)
                elif text == "folder":
                    os.mkdir(self.file)
                elif text == "link":
                    other = self.file + ".other"
                    with open(other, "wb") as file:
                        file.write(good)
                    os.chmod(other, 0o600)
                    os.symlink(other, self.file)
                else:
                    write(text, mode)
                os.truncate(self.server.log, 0)
                self.server.start()
                self.assertEqual(self.curl("/api/cameras"), 401)
                warnings = [line for line in self.server.errors().splitlines() if " warning " in line]
                self.assertEqual(len(warnings), 1, warnings)
                self.assertIn(self.file, warnings[0])
                self.server.stop()

    def test_cannot_write(self):
        """Where the file cannot be written, sessions open all the same, and what is said of their end is true."""
        self.log_in()
        self.server.stop()
        os.unlink(self.file)
        os.mkdir(self.file)
        os.mkdir(os.path.join(self.file, "x"))
        self.server.start()
        self.log_in()
        self.log_in("other")
        self.assertEqual(self.server.errors().count("sessions end with this process"), 1)
        status, _, data = self.server.ask("DELETE", "/api/sessions")
        self.assertEqual(status, 500)
        self.assertIn("until y10 serve starts again", json.loads(data)["error"])
        self.assertEqual(self.curl("/api/cameras"), 401)


if __name__ == "__main__":
    unittest.main()
