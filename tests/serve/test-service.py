#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""y10 serve as a service: what it tells the service manager, that it is back after a crash, and what the
unit allows it. systemd-analyze judges the unit."""
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

from server import PATIENCE, SOURCE, Y10, Server, until

CONFIG = "[camera one]\nname=One\nsource=test:ball\n\n[camera two]\nname=Two\nsource=rtsp://127.0.0.1:1/none\n"
UNIT = os.path.join(SOURCE, "packaging", "systemd", "y10-serve.service")


class Manager:
    """Reads what a service tells; the service gets the socket's address as systemd gives it."""

    def __init__(self, server, abstract, **env):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        name = os.path.join(server.directory.name, "notify")
        self.socket.bind("\0" + name if abstract else name)
        self.socket.settimeout(PATIENCE)
        server.env.update(NOTIFY_SOCKET="@" + name if abstract else name, **env)

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self.socket.close()

    def next(self, kind):
        """The rest of the next line that begins like that."""
        while True:
            for line in self.socket.recv(4096).decode().splitlines():
                if line.startswith(kind + "="):
                    return line.partition("=")[2]

    def forget(self):
        self.socket.setblocking(False)
        try:
            while self.socket.recv(4096):
                pass
        except BlockingIOError:
            pass
        self.socket.settimeout(PATIENCE)

    def count(self, kind, seconds):
        """The number of those within that time; a test that expects none may miss one that comes later."""
        end, n = time.monotonic() + seconds, 0
        while (left := end - time.monotonic()) > 0:
            self.socket.settimeout(left)
            try:
                n += self.socket.recv(4096).decode().startswith(kind + "=")
            except TimeoutError:
                break
        self.socket.settimeout(PATIENCE)
        return n


class Notify(unittest.TestCase):
    def test_ready_watchdog_stopping(self):
        for abstract in (False, True):
            server = Server(config=CONFIG)
            with Manager(server, abstract, WATCHDOG_USEC="1000000") as manager, server:
                self.assertEqual(manager.next("READY"), "1")
                self.assertEqual(server.ask("GET", "/healthz", token=False)[0], 200)
                for _ in range(4):
                    self.assertEqual(manager.next("WATCHDOG"), "1")
                # A process that hangs tells nothing.
                server.process.send_signal(signal.SIGSTOP)
                os.waitpid(server.process.pid, os.WUNTRACED)    # all of its threads have stopped
                manager.forget()
                self.assertEqual(manager.count("WATCHDOG", 3), 0)
                server.process.send_signal(signal.SIGCONT)
                self.assertEqual(manager.next("WATCHDOG"), "1")
                server.process.send_signal(signal.SIGTERM)
                self.assertEqual(manager.next("STOPPING"), "1")
                self.assertEqual(server.process.wait(PATIENCE), 0)
                server.process.stdout.close()

    def test_status(self):
        server = Server(config=CONFIG)
        with Manager(server, False) as manager, server:
            until(lambda: manager.next("STATUS") == "1 of 2 cameras live, 0 quarantined", "one is live")
            # No watchdog was asked for.
            manager.forget()
            self.assertEqual(manager.count("WATCHDOG", 3), 0)

    def test_others_watchdog(self):
        """The watchdog of another process is not ours; what is no address is left alone."""
        server = Server(config=CONFIG)
        with Manager(server, False, WATCHDOG_USEC="1000000", WATCHDOG_PID="1") as manager, server:
            self.assertEqual(manager.next("READY"), "1")
            self.assertEqual(manager.count("WATCHDOG", 3), 0)
        for name in ("/none/such", "nonsense", "@", ""):
            server = Server(config=CONFIG)
            server.env["NOTIFY_SOCKET"] = name
            with server:
                server.live("one")
                self.assertEqual([line for line in server.warnings() if "camera two: " not in line], [])

    def test_back_after_a_crash(self):
        """A supervisor starts it again on the same port, and the page is back."""
        with Server(config=CONFIG) as server:
            server.live("one")
            port = server.port
            server.options = (*server.options, "--listen", f"127.0.0.1:{port}")
            server.process.send_signal(signal.SIGSEGV)
            # Sanitizers exit in their own way.
            self.assertNotEqual(server.process.wait(PATIENCE), 0)
            server.process.stdout.close()
            server.start()
            self.assertEqual(server.port, port)
            server.live("one")


class Unit(unittest.TestCase):
    """The file that packages install."""

    def setUp(self):
        if not shutil.which("systemd-analyze"):
            self.skipTest("systemd-analyze is missing")
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        with open(UNIT, encoding="utf-8") as file:
            self.text = file.read()
        self.path = os.path.join(self.directory.name, "y10-serve.service")
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(self.text.replace("ExecStart=y10 ", f"ExecStart={Y10} "))

    def analyze(self, *arguments):
        return subprocess.run(["systemd-analyze", *arguments], text=True, capture_output=True, check=False,
                              env=dict(os.environ, LC_ALL="C.UTF-8"))

    def test_verify(self):
        done = self.analyze("verify", "--man=no", self.path)
        ours = [line for line in done.stderr.splitlines() if "y10-serve" in line]
        self.assertEqual((done.returncode, ours), (0, []), done.stderr)

    def test_security(self):
        """As safe as systemd finds its own services, 3 of 10, where 10 is worst."""
        done = self.analyze("security", "--offline=true", "--threshold=30", "--no-pager", self.path)
        if "unrecognized option" in done.stderr:
            self.skipTest("systemd-analyze cannot judge files")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        print("#", re.search(r"Overall exposure level.*", done.stdout).group())

    def test_command(self):
        """Its options are those of y10 serve, and its times are what the tests rely on."""
        words = re.search(r"^ExecStart=(.*)$", self.text, re.MULTILINE).group(1).split()
        self.assertEqual(words[:2], ["y10", "serve"])
        text = subprocess.run([Y10, "serve", "--help"], text=True, capture_output=True, check=True).stdout
        for word in words[2:]:
            if word.startswith("--"):
                self.assertIn(word + "=", text)
        for line in ("Type=notify", "Restart=always", "RestartSec=1", "StartLimitIntervalSec=0", "NoNewPrivileges=yes",
                     "ProtectSystem=strict"):
            self.assertIn(line + "\n", self.text)


if __name__ == "__main__":
    unittest.main()
