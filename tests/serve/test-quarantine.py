#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Cameras that make y10 serve crash: which one it was, and what becomes of it. A library that is
preloaded makes the threads crash; this program is the supervisor."""
import glob
import json
import os
import resource
import signal
import stat
import time
import unittest

from server import PATIENCE, Server, until

CRASHER = os.environ["Y10_TEST_CRASHER"]
CONFIG = "[camera good]\nname=Good\nsource=test:ball\n\n[camera bad]\nname=Bad\nsource=test:snow\n"


def crashing(config=CONFIG, where="cam:bad", how="fault", **more):
    """A server whose thread of that name crashes when it has sent some frames."""
    server = Server(config=config)
    server.env.update(LD_PRELOAD=CRASHER, CRASH_IN=where, CRASH_BY=how, **more)
    server.crashes = server.config + ".crashes"
    return server


def run(server, status):
    """Starts it and waits until it has died of that signal."""
    server.start()
    code = server.wait()
    assert code == -status, (code, server.errors())


def lines(server):
    with open(server.crashes, encoding="ascii") as file:
        return file.read().splitlines()


class Quarantine(unittest.TestCase):
    def test_three_crashes(self):
        """The third crash of a camera is its last, until a person releases it; the other one stays."""
        with crashing() as server:
            server.wait()
            self.assertEqual(server.process.returncode, -signal.SIGSEGV)
            self.assertRegex(lines(server)[-1], f"^crash [0-9]+ {signal.SIGSEGV} bad/[0-9a-f]+$")
            self.assertAlmostEqual(int(lines(server)[-1].split()[1]), time.time(), delta=PATIENCE)
            self.assertEqual(stat.S_IMODE(os.stat(server.crashes).st_mode), 0o600)
            run(server, signal.SIGSEGV)
            run(server, signal.SIGSEGV)
            for _ in range(2):      # It stays so.
                server.start()
                server.live("good")
                bad = server.cameras()["bad"]
                self.assertEqual((bad["state"], bad["frames"]), ("quarantined", 0))
                self.assertIn("crashed 3 times within 10 minutes", bad["reason"])
                self.assertIn("SIGSEGV", bad["reason"])
                self.assertIn("camera bad is quarantined", server.errors())
                self.assertEqual(server.ask("GET", "/snapshot/bad.jpg")[0], 503)
                self.assertEqual(server.stop(), 0)
            server.env.pop("CRASH_IN")
            server.start()
            for method, path, status in (("POST", "good", 409), ("POST", "none", 404), ("GET", "bad", 405)):
                self.assertEqual(server.ask(method, f"/api/cameras/{path}/release", b"")[0], status, path)
            self.assertEqual(server.ask("POST", "/api/cameras/bad/release", b"", token=False)[0], 401)
            self.assertEqual(server.ask("POST", "/api/cameras/bad/release", b"")[0], 204)
            server.live("bad")
            self.assertEqual(lines(server), [])

    def test_every_way(self):
        """However GLib, the C library or the kernel ends the process, it was the camera; the log tells so."""
        ways = [("memory", signal.SIGTRAP), ("exit", 0), *((str(int(number)), number) for number in (
            signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGTRAP, signal.SIGSYS, signal.SIGXCPU))]
        with crashing(where="nobody") as server:
            server.stop()
            for how, number in ways:
                server.env.update(CRASH_IN="cam:bad", CRASH_BY=how)
                server.start()
                status = server.wait()
                self.assertEqual(status, -number or 3, how)
                self.assertRegex(lines(server)[-1], f"^crash [0-9]+ {int(number)} bad/[0-9a-f]+$")
                server.env["CRASH_IN"] = "nobody"
                server.start()
                name = signal.Signals(number).name if number else "a call of exit\\(\\)"
                self.assertRegex(server.errors(), f"the last run crashed at .* by {name}, in a thread of the camera bad")
                server.stop()
                os.unlink(server.crashes)

    def test_ignored(self):
        """A file or a pipe that takes no more is an error, and ends nothing."""
        with crashing(where="nobody") as server:
            for number in (signal.SIGPIPE, signal.SIGXFSZ):
                server.process.send_signal(number)
            server.live("good")
            self.assertEqual(server.stop(), 0)

    def test_other_source(self):
        """Another source is another camera."""
        with crashing(how="abort") as server:
            server.wait()
            run(server, signal.SIGABRT)
            run(server, signal.SIGABRT)
            server.start()
            self.assertIn("SIGABRT", server.cameras()["bad"]["reason"])
            server.stop()
            server.env.pop("CRASH_IN")
            server.start()
            status, _, reply = server.ask("PATCH", "/api/cameras/bad", {"name": "Other", "confidence": 0.5})
            self.assertEqual((status, json.loads(reply)["state"]), (200, "quarantined"))
            status, _, reply = server.ask("PATCH", "/api/cameras/bad", {"source": "test:blink"})
            self.assertEqual((status, json.loads(reply)["state"]), (200, "connecting"))
            server.live("bad")
            server.stop()
            server.start()
            server.live("bad")

    def test_far_apart(self):
        """Three crashes within more than ten minutes are borne, and what is no line of ours, too."""
        with crashing() as server:
            server.wait()
            who = lines(server)[-1].split()[3]
            now = int(time.time())
            with open(server.crashes, "w", encoding="ascii") as file:
                file.write(f"crash {now - 700} 11 {who}\ncrash {now - 20} 11 {who}\nnonsense\n\0\n"
                           f"crash -1 99 {who}\ncrash {now} 11 {who}\ncrash {now} 11 {who}")
            server.env.pop("CRASH_IN")
            server.start()
            server.live("bad")
            server.stop()
            with open(server.crashes, "a", encoding="ascii") as file:
                file.write(f"crash {now} 11 {who}\n")
            server.start()
            self.assertEqual(server.cameras()["bad"]["state"], "quarantined")

    def test_from_outside(self):
        """Signals of other processes are nobody's fault."""
        with crashing(where="nobody") as server:
            for _ in range(4):
                if server.process.poll() is not None:
                    server.start()
                server.live("bad")
                self.assertEqual(server.stop(signal.SIGSEGV), -signal.SIGSEGV)
                self.assertEqual(lines(server), [])
            server.start()
            server.live("bad")
            server.live("good")

    def test_full_stack(self):
        """A thread without a stack left can tell, too."""
        with crashing(how="stack") as server:
            self.assertEqual(server.wait(), -signal.SIGSEGV)
            self.assertRegex(lines(server)[-1], "^crash [0-9]+ 11 bad/")

    def test_nobody_known(self):
        """After a crash in a thread of nobody, cameras start one by one; the latest is suspected."""
        with crashing(CRASH_AS="nobody") as server:
            server.wait()
            self.assertRegex(lines(server)[-1], "^crash [0-9]+ 11 -$")
            for _ in range(3):
                server.start()
                self.assertEqual(server.cameras()["bad"]["state"], "waiting")
                self.assertIn("one by one", server.cameras()["bad"]["reason"])
                self.assertEqual(server.wait(), -signal.SIGSEGV)
                self.assertRegex(lines(server)[-1], "^suspect [0-9]+ 11 bad/")
            server.start()
            self.assertEqual(server.cameras()["bad"]["state"], "quarantined")
            server.live("good")
            until(lambda: server.cameras()["good"]["frames"] > 50, "it goes on")
            server.stop()
            # What was nobody's fault counts for one start.
            self.assertEqual([line.split()[0] for line in lines(server)], ["quarantine"] * 3)

    def test_while_it_stops(self):
        """A crash of the main thread's in the end, while cameras start one by one, is no camera's fault."""
        server = crashing(where="nobody", CRASH_AT_STOP="1")
        with open(server.crashes, "w", encoding="ascii") as file:
            file.write(f"crash {int(time.time())} 11 -\n")
        with server:
            self.assertEqual(server.cameras()["bad"]["state"], "waiting")
            self.assertEqual(server.stop(), -signal.SIGABRT)
            self.assertRegex(lines(server)[-1], "^crash [0-9]+ 6 -$")

    def test_names(self):
        """Threads bear their camera's name, as top shows it; a long one is cut, and other than others."""
        long = ("garden-behind-the-house", "garden-behind-the-barn")
        config = "".join(f"[camera {name}]\nsource=test:ball\n" for name in (*long, "one"))
        with Server(config=config) as server:
            for name in (*long, "one"):
                server.live(name)
            names = set()
            for path in glob.glob(f"/proc/{server.process.pid}/task/*/comm"):
                with open(path, encoding="ascii") as file:
                    names.add(file.read().strip())
            ours = {name for name in names if name.startswith("cam:")}
            self.assertEqual(len(ours), 3, names)
            self.assertIn("cam:one", ours)
            self.assertEqual(len({name for name in ours if name.startswith("cam:garden~")}), 2, names)

    def test_no_file(self):
        """Where crashes cannot be recorded, cameras run all the same, and it says so."""
        server = Server(config=CONFIG)
        os.mkdir(server.config + ".crashes")
        with server:
            server.live("good")
            self.assertRegex(server.errors(), "crashes of cameras are not recorded: .*serve.ini.crashes")


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    unittest.main()
