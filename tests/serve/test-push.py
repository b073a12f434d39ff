#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""y10 serve: the websocket by which a page hears of its cameras, who gets one, and who does not read."""
import json
import time
import unittest

from server import Server, Stream, WebSocket, until

CONFIG = "[camera one]\nname=One\nsource=test:ball\n\n[camera two]\nname=Two\nsource=rtsp://u:s3cret@127.0.0.1:1/p\n"


class Push(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(config=CONFIG).start()
        cls.bearer = {"Authorization": "Bearer " + cls.server.token}
        cls.server.live("one")
        cls.other = Server(config="[camera one]\nname=One\nsource=test:ball\n").start()
        cls.began = time.monotonic()
        cls.idle = WebSocket(cls.other, Authorization="Bearer " + cls.other.token)
        cls.idle.socket.sendall(b"\x81\x85\0\0\0\0hello")  # ignored

    @classmethod
    def tearDownClass(cls):
        cls.idle.close()
        cls.other.__exit__()
        cls.server.__exit__()

    def ask(self, *args, **more):
        return self.server.ask(*args, **more)

    def cookie(self):
        head = self.ask("POST", "/api/session", {"token": self.server.token}, token=False)[1]
        return head["Set-Cookie"].split(";")[0]

    def refused(self, **headers):
        with self.assertRaises(ConnectionRefusedError) as refused:
            WebSocket(self.server, **headers)
        return refused.exception.args[0]

    def enter(self):
        """Once the server has seen that those of another test are gone, and there is room."""
        def attempt():
            try:
                return WebSocket(self.server, **self.bearer)
            except ConnectionRefusedError:
                return None
        return until(attempt, "there is room")

    def test_all_and_changes(self):
        """All cameras at first, as the API has them; then those that change, added or removed."""
        live = WebSocket(self.server, **self.bearer)
        first = live.message()
        self.assertEqual((first["type"], first["all"]), ("cameras", True))
        known = self.server.cameras()
        self.assertEqual([camera["id"] for camera in first["cameras"]], list(known))
        for camera in first["cameras"]:
            self.assertEqual(set(known[camera["id"]]) - set(camera), {"frames", "inferred"})
            self.assertEqual(camera["source"], known[camera["id"]]["source"])
        self.assertNotIn("s3cret", json.dumps(first))
        key = self.server.add("New", "test:ball")[1]["id"]
        added = live.until(lambda m: any(c["id"] == key for c in m.get("cameras", ())))
        self.assertFalse(added["all"])
        live.until(lambda m: any(c["id"] == key and c["state"] == "live" for c in m.get("cameras", ())))
        self.assertEqual(self.ask("PATCH", "/api/cameras/" + key, {"confidence": 0.5})[0], 200)
        live.until(lambda m: any(c["id"] == key and c["confidence"] == 0.5 for c in m.get("cameras", ())))
        self.assertEqual(self.ask("DELETE", "/api/cameras/" + key)[0], 204)
        live.until(lambda m: key in m.get("removed", ()))
        live.close()

    def test_rate(self):
        """At most two messages a second, and none that says nothing."""
        # Whoever hears late what was told before counts the time from then, too.
        began, n, last = time.monotonic(), 0, {}
        live = self.enter()
        live.message()
        while time.monotonic() - began < 5:
            for camera in live.until(lambda m: "cameras" in m)["cameras"]:
                self.assertNotEqual(last.get(camera["id"]), camera)
                last[camera["id"]] = camera
            n += 1
        self.assertLessEqual(n, 2 * (time.monotonic() - began) + 2)
        live.close()

    def test_who_gets_one(self):
        origin = f"http://127.0.0.1:{self.server.port}"
        cookie = self.cookie()
        WebSocket(self.server, Cookie=cookie, Origin=origin).close()
        self.assertEqual(self.refused(), 401)
        self.assertEqual(self.refused(Origin=origin), 401)
        self.assertEqual(self.refused(Cookie="y10-1=x", Origin=origin), 401)
        self.assertEqual(self.refused(Cookie=cookie), 403)      # a browser says from where
        for other in ("http://evil.example", "null", origin + "1"):
            self.assertEqual(self.refused(Cookie=cookie, Origin=other), 403)
            self.assertEqual(self.refused(Origin=other, **self.bearer), 403)
        self.assertEqual(self.refused(Host="evil.example", **self.bearer), 403)
        self.assertEqual(self.refused(path="/api/live/x", **self.bearer), 404)
        self.assertEqual(self.ask("GET", "/api/live", token=False)[0], 401)
        self.assertEqual(self.ask("GET", "/api/live")[0], 426)
        self.assertEqual(self.ask("POST", "/api/live", {})[0], 426)

    def test_session_ends(self):
        """With a session end its websockets and live views, also of a camera that sends nothing, and no
        others; so do the views of a session that has to make room."""
        origin = f"http://127.0.0.1:{self.server.port}"
        cookie, other = self.cookie(), self.cookie()
        views = {}
        for who, headers in (("ends", {"Cookie": cookie}), ("stays", {"Cookie": other}), ("token", self.bearer)):
            views[who] = (WebSocket(self.server, Origin=origin, **headers), Stream(self.server, "one", **headers),
                          Stream(self.server, "two", **headers))
            views[who][1].picture()
        self.assertEqual(self.ask("DELETE", "/api/session", token=False, Cookie=cookie, Origin=origin)[0], 204)
        self.ended(*views.pop("ends"))
        until(lambda: [camera["viewers"] for camera in self.server.cameras().values()] == [2, 2], "there are two others")
        for confidence, (live, one, _) in zip((0.31, 0.32), views.values()):
            self.assertEqual(self.ask("PATCH", "/api/cameras/one", {"confidence": confidence})[0], 200)
            live.until(lambda m: any(c["confidence"] == confidence for c in m.get("cameras", ())))
            for _ in range(5):
                one.picture()
        for _ in range(64):
            self.cookie()
        self.ended(*views.pop("stays"))
        views["token"][1].picture()
        for view in views["token"]:
            view.close()

    def ended(self, live, *streams):
        while live.message() is not None:
            pass
        for stream in streams:
            self.assertLess(len(stream.reply.read()), 1 << 20)
        for view in (live, *streams):
            view.close()

    def test_limits(self):
        """They count as viewers; those who leave make room."""
        for _ in range(2):
            many = [self.enter() for _ in range(32)]
            self.assertEqual(self.refused(**self.bearer), 503)
            self.assertEqual(self.ask("GET", "/live/one")[0], 503)
            for live in many:
                live.close()

    def test_zz_idle(self):
        """One that sends nothing stays longer than any other request may take."""
        time.sleep(max(self.began + 32 - time.monotonic(), 0))
        self.assertEqual(self.other.ask("PATCH", "/api/cameras/one", {"confidence": 0.123})[0], 200)
        self.idle.until(lambda m: any(c["confidence"] == 0.123 for c in m.get("cameras", ())))

    def test_who_does_not_read(self):
        """Is left when too much waits, and others go on."""
        points = [[i / 250, (i % 2) / 2] for i in range(249)]
        zones = {"version": 1, "zones": [{"name": f"z{i}", "points": points} for i in range(18)]}
        deaf = WebSocket(self.server, receive_buffer=4096, **self.bearer)
        live = WebSocket(self.server, **self.bearer)
        began = self.server.cameras()["one"]["frames"]
        for i in range(25):
            zones["zones"][0]["name"] = f"first{i}"
            self.assertEqual(self.ask("PATCH", "/api/cameras/one", {"zones": zones})[0], 200)
            live.until(lambda m: any(c["zones"] == zones for c in m.get("cameras", ())))
        n = 0
        while (message := deaf.message()) is not None:
            n += any(camera["zones"] for camera in message.get("cameras", ()))
        self.assertLess(n, 20)
        self.assertGreater(self.server.cameras()["one"]["frames"], began)
        self.assertEqual(self.ask("PATCH", "/api/cameras/one", {"zones": None})[0], 200)
        deaf.close()
        live.close()


if __name__ == "__main__":
    unittest.main()
