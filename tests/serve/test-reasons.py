#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""y10 serve: why a network camera is not live, without its secrets."""
import json
import re
import socket
import unittest

from server import Server, servers, until

class Reasons(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(config="").start()

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def camera(self, *args, **more):
        camera = servers.Refusing(*args, **more)
        self.addCleanup(camera.close)
        return camera

    def add(self, source):
        """The id of a camera."""
        status, camera = self.server.add("Gate", source)
        self.assertEqual(status, 201)
        self.addCleanup(lambda: self.server.ask("DELETE", "/api/cameras/" + camera["id"]))
        return camera["id"]

    def reason(self, key, pattern):
        """Waits until a camera's reason matches."""
        seen = set()

        def matches():
            reason = self.server.cameras()[key]["reason"] or ""
            seen.add(reason)
            return reason if re.search(pattern, reason) else None
        try:
            return until(matches, pattern)
        except AssertionError as error:
            raise AssertionError(f"{error}; it said {seen}") from error

    def test_refused(self):
        """Nothing listens; it stays said while the camera is tried again and again."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        key = self.add(f"rtsp://admin:s3cret@127.0.0.1:{port}/hidden/path")
        self.assertEqual(self.reason(key, "refused"), "connection refused")
        tried = self.server.cameras()[key]["reconnects"]
        seen = set()

        def again():
            camera = self.server.cameras()[key]
            seen.add(camera["reason"])
            return camera["reconnects"] >= tried + 2
        until(again, "it is tried twice more")
        self.assertEqual(seen, {"connection refused"})

    def test_unknown_host(self):
        """RFC 6761: there is no name in .invalid."""
        key = self.add("rtsp://admin:s3cret@camera.invalid/hidden/path")
        self.assertRegex(self.reason(key, "unknown"), r"^unknown host camera\.invalid")

    def test_no_answer(self):
        """A machine that takes no connection, as behind a firewall that drops packets. The camera can be
        removed while it is asked."""
        with socket.socket() as full:
            full.bind(("127.0.0.1", 0))
            full.listen(0)
            fillers = [socket.socket() for _ in range(4)]
            for filler in fillers:
                filler.setblocking(False)
                filler.connect_ex(full.getsockname())
            source = "rtsp://127.0.0.1:%d/hidden/path" % full.getsockname()[1]
            key = self.add(source)
            self.assertEqual(self.reason(key, "no answer"), "no answer from 127.0.0.1 within 3 s")
            self.add(source)
            self.assertEqual(self.server.ask("DELETE", "/api/cameras/" + key)[0], 204)
            for filler in fillers:
                filler.close()
        self.assertEqual(self.server.ask("GET", "/healthz")[0], 200)

    def test_authentication(self):
        """Which of RFC 7616's ways a camera offers; it is asked without the password."""
        sha, md5 = (f'WWW-Authenticate: Digest realm="x", nonce="y", algorithm={name}' for name in ("SHA-256", "MD5"))
        for headers, says in (((sha,), "wants Digest authentication with SHA-256 only"),
                              ((sha.upper().replace("SHA-256", '"SHA-512-256"'),), "SHA-256 only"),
                              ((sha, md5), "wrong user or password"), ((md5,), "wrong user or password"),
                              (('WWW-Authenticate: Basic realm="sha-256"',), "wrong user or password")):
            with self.subTest(headers=headers):
                camera = self.camera(b"401 Unauthorized", *headers)
                self.reason(self.add(f"rtsp://admin:s3cret@127.0.0.1:{camera.port}/hidden/path"), f"^401: .*{says}")
        key = self.add(f"rtsp://127.0.0.1:{self.camera(b'401 Unauthorized', sha).port}/hidden/path")
        self.reason(key, "expected a user and a password")

    def test_status(self):
        """What the camera answers, in words that say what to do."""
        for status, who, says in ((b"401 Unauthorized", "admin:s3cret@", "401: wrong user or password"),
                                  (b"401 Unauthorized", "", "401: expected a user and a password"),
                                  (b"404 Not Found", "admin:s3cret@", "404: no such path"),
                                  (b"404 Stream Not Found", "", "404: no such path"),
                                  (b"403 Forbidden", "admin:s3cret@", "403: Forbidden"),
                                  (b"453 Not Enough Bandwidth", "", "453: Not Enough Bandwidth"),
                                  (b"500 of /hidden/path for s3cret", "admin:s3cret@", "500: of \u2026 for \u2026"),
                                  (b"500 \xff\xfe", "", "500: "),
                                  (b"500 " + b"x" * 5000, "", "500: xxx")):
            with self.subTest(status=status, who=who):
                camera = self.camera(status, 'WWW-Authenticate: Basic realm="s3cret realm"')
                key = self.add(f"rtsp://{who}127.0.0.1:{camera.port}/hidden/path")
                reason = self.reason(key, ".")
                self.assertTrue(reason.startswith(says), reason)
                self.assertLess(len(reason), 120)
                told = json.dumps(self.server.cameras())
                for secret in ("s3cret", "admin", "hidden"):
                    self.assertNotIn(secret, told)

    def test_closed(self):
        """Something that takes connections and ends them is not called closed; the connection by which it
        is asked sends nothing."""
        camera = self.camera()
        key = self.add(f"rtsp://admin:s3cret@127.0.0.1:{camera.port}/hidden/path")
        until(lambda: self.server.cameras()[key]["reconnects"] >= 2, "it is tried again")
        reason = self.server.cameras()[key]["reason"]
        self.assertNotRegex(reason, "refused|unknown|no answer|route|s3cret|hidden")
        self.assertGreater(len(reason), 5)

    def test_other(self):
        """Another failure of the same address is told: first nothing listens, then the password is wrong."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        key = self.add(f"rtsp://admin:s3cret@127.0.0.1:{port}/x")
        self.reason(key, "refused")
        camera = self.camera(b"401 Unauthorized", port=port)
        self.reason(key, "^401")
        camera.status = None    # it ends connections
        self.reason(key, "^(?!401)")


if __name__ == "__main__":
    unittest.main()
