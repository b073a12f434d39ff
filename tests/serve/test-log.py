#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""What y10 serve logs: one line each, with nobody's secrets, and not more than a client may cause."""
import http.client
import json
import re
import socket
import threading
import unittest

from server import Server, until

LINE = re.compile(r"^[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9]Z (notice|warning) [^\x00-\x1f\x7f-\x9f]+$")
SECRETS = ("s3cret-word", "hidden-path", "key-in-query")


class Log(unittest.TestCase):
    def start(self, config):
        server = Server(config=config)
        self.addCleanup(server.__exit__)
        return server.start()

    def lines(self, server, text=""):
        """Those with that text, as level and message; all are well-formed."""
        found = []
        for line in server.errors().splitlines():
            self.assertRegex(line, LINE)
            if text in line:
                found.append(tuple(line.split(" ", 2)[1:]))
        return found

    def test_day(self):
        """The start, states, changes and who made them, the end."""
        server = self.start("[camera one]\nsource=test:ball\n")
        server.live("one")
        address = f"http://127.0.0.1:{server.port}/"
        first, way_in = self.lines(server)[:2]
        self.assertEqual((first[0], first[1].startswith("y10 "), first[1].endswith(f"serves 1 camera at {address}")),
                         ("notice", True, True), first)
        self.assertIn(f"y10 serve --url --config '{server.config}' --listen 127.0.0.1:{server.port}", way_in[1])
        until(lambda: ("notice", "camera one: live") in self.lines(server), "it is live")
        server.ask("PATCH", "/api/cameras/one", {"name": "Gate", "confidence": 0.5, "classes": "ball"})
        server.ask("PATCH", "/api/cameras/one", {"name": "Gate"})    # nothing changes
        cookie = server.ask("POST", "/api/session", {"token": server.token}, token=False)[1]["Set-Cookie"].split(";")[0]
        by_page = {"Cookie": cookie, "Origin": f"http://127.0.0.1:{server.port}"}
        source = f"rtsp://admin:{SECRETS[0]}@127.0.0.1:1/{SECRETS[1]}?k={SECRETS[2]}"
        status, _, data = server.ask("POST", "/api/cameras", {"name": "Yard", "source": source}, token=False, **by_page)
        camera = json.loads(data)["id"]
        self.assertEqual(status, 201)
        until(lambda: self.lines(server, f"camera {camera}: retry: "), "it fails")
        until(lambda: server.cameras()[camera]["reconnects"] > 3, "it is tried again")
        self.assertEqual(self.lines(server, f"camera {camera}: retry: connection refused")[0][0], "warning")
        self.assertLessEqual(len(self.lines(server, f"camera {camera}: retry: ")), 2)
        server.ask("DELETE", "/api/cameras/" + camera, token=False, **by_page)
        server.ask("DELETE", "/api/session", token=False, **by_page)
        self.assertEqual(server.stop(), 0)
        said = [message for _, message in self.lines(server, "127.0.0.1")]
        for message in ("camera one: changed name, classes, confidence, by the token from 127.0.0.1",
                        "a session began, from 127.0.0.1", f"camera {camera}: added, by a session from 127.0.0.1",
                        f"camera {camera}: removed, by a session from 127.0.0.1",
                        "a session ended, by a session from 127.0.0.1"):
            self.assertEqual(said.count(message), 1, (message, said))
        self.assertEqual(len(self.lines(server, "camera one: changed")), 1)
        self.assertEqual(self.lines(server)[-1], ("notice", "y10 serve stops"))
        for secret in (*SECRETS, "admin", server.token, cookie.partition("=")[2]):
            self.assertNotIn(secret, server.errors())

    def test_refusals(self):
        """Each kind is told at once, with the address; what follows is counted."""
        server = self.start("")
        hosts = ["evil.example", "a\x1b[31mred", "x\u202ey", "z" * 3000, "Z 2026-01-31T08:00:00Z notice it is fine"]
        by_host = 0
        for n in range(40):
            server.ask("GET", "/api/cameras", token=False, Authorization="Bearer wrong\t" + server.token[:n % 31])
            # libsoup itself refuses some.
            by_host += server.ask("GET", "/", Host=hosts[n % len(hosts)].encode().decode("latin-1"))[0] == 403
        self.assertEqual(server.stop(), 0)
        refused = self.lines(server, "refused")
        self.assertEqual({level for level, _ in refused}, {"warning"})
        self.assertEqual([message for _, message in refused if "more" not in message], [
            "refused 127.0.0.1: wrong token",
            "refused 127.0.0.1: unknown host or origin, Host 'evil.example', Origin ''",
            "refused 127.0.0.1: too many wrong tokens"])
        counts = sorted(int(re.search(r"(\d+) more within a minute", message).group(1)) for _, message in refused
                        if "more" in message)
        self.assertEqual(counts, sorted([9, 29, by_host - 1]))

    def test_many_addresses(self):
        """Who has many addresses does not fill the log."""
        server = self.start("")
        for n in range(200):
            connection = http.client.HTTPConnection("127.0.0.1", server.port, source_address=(f"127.1.{n}.1", 0))
            connection.request("GET", "/api/cameras", headers={"Authorization": "Bearer x"})
            self.assertEqual(connection.getresponse().status, 401)
            connection.close()
        self.assertEqual(server.stop(), 0)
        refused = [message for _, message in self.lines(server, "refused")]
        self.assertLess(len(refused), 50)
        self.assertIn(f"{200 - len(refused) + 1} more within a minute, from other addresses", refused[-1])

    def test_camera_says(self):
        """What a camera says is on one line, escaped."""
        def answer(listening):
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection:
                    request = connection.recv(4096).decode(errors="replace")
                    number = re.search(r"CSeq: *(\d+)", request)
                    connection.sendall(b"RTSP/1.0 418 Teapot\x1b[2J\xe2\x80\xaex\r\nCSeq: %s\r\n\r\n"
                                       % (number.group(1).encode() if number else b"1"))
        with socket.create_server(("127.0.0.1", 0)) as listening:
            threading.Thread(target=answer, args=(listening,), daemon=True).start()
            server = self.start(f"[camera one]\nsource=rtsp://127.0.0.1:{listening.getsockname()[1]}/\n")
            message, = until(lambda: self.lines(server, "camera one: retry"), "it fails")
            listening.shutdown(socket.SHUT_RDWR)
        self.assertIn("418", message[1])
        self.assertIn("\\x1b[2J", message[1])
        self.assertNotIn("\u202e", message[1])


if __name__ == "__main__":
    unittest.main()
