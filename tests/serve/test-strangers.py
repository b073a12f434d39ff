#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""What clients can do to y10 serve that only send: it answers others, stops when it is told, and stays small."""
import json
import os
import re
import shutil
import socket
import subprocess
import threading
import unittest

from server import PATIENCE, Server, WebSocket, until

MIB = 1 << 20
MOST_GROWTH = 150 * MIB
PAGE = "/app.js"


def drain(sock):
    """What still comes, until the connection ends."""
    data = b""
    try:
        while (more := sock.recv(65536)):
            data += more
    except ConnectionError:
        pass
    return data


def pour(sock, data, most):
    """Sends the data again and again, until the connection ends. Returns how much, or fails after so much."""
    sent = 0
    try:
        while sent < most:
            sock.sendall(data)
            sent += len(data)
    except ConnectionError:
        return sent
    raise AssertionError(f"{sent} bytes were taken")


class Guarded(unittest.TestCase):
    """With a server that must be as well after each test as before it."""

    def setUp(self):
        self.sockets = []
        self.server = self.prepare().start()
        self.began = self.size()

    def prepare(self):
        return Server(config="[serve]\nspool=\n")

    def tearDown(self):
        for sock in self.sockets:
            sock.close()
        self.assertLess(self.size("VmHWM") - self.began, MOST_GROWTH)
        self.assertEqual(self.server.ask("GET", "/healthz", token=False)[0], 200)
        self.assertEqual(self.server.ask("GET", "/api/cameras")[0], 200)
        self.assertEqual(self.server.stop(), 0)
        # GLib's warnings, and a line for each of thousands.
        self.assertNotRegex(self.server.errors(), "GLib|GObject|Gio|libsoup")
        self.assertLess(self.server.errors().count("\n"), 100)
        self.server.__exit__()

    def size(self, what="VmRSS"):
        with open(f"/proc/{self.server.process.pid}/status", encoding="ascii") as file:
            return int(re.search(rf"^{what}:\s+(\d+) kB", file.read(), re.MULTILINE).group(1)) * 1024

    def connect(self, receive_buffer=None, address=None):
        sock = socket.socket()
        self.sockets.append(sock)
        sock.settimeout(PATIENCE)
        if receive_buffer:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        if address:
            sock.bind((address, 0))
        sock.connect(("127.0.0.1", self.server.port))
        return sock

    def request(self, start, *headers, host=True, end="\r\n", **where):
        sock = self.connect(**where)
        lines = [start + " HTTP/1.1", *([f"Host: 127.0.0.1:{self.server.port}"] if host else []), *headers]
        sock.sendall(("\r\n".join(lines) + "\r\n" + end).encode())
        return sock

    def status(self, sock):
        return int((drain(sock).split(b" ", 2) + [b"0"])[1])

    def bearer(self):
        return "Authorization: Bearer " + self.server.token

    def websocket(self, **more):
        live = WebSocket(self.server, Authorization="Bearer " + self.server.token, **more)
        self.sockets.append(live)
        return live


class Strangers(Guarded):
    def test_parts(self):
        """Nobody gets parts of a page, nor what else libsoup does for a header: the answer is the whole."""
        page = self.server.ask("GET", PAGE, token=False)[2]
        for header in ("Range: bytes=5-9", "Range: bytes=-1", "Range: bytes=0-1,4-5,7-", "Range: bytes=9-2",
                       "Range: bytes=99999999-", f"Range: bytes={2 ** 64 - 1}-{2 ** 64 - 1}", "range:bytes=1-2",
                       "Range: bytes=7-\r\nIf-Range: x", "Accept-Encoding: gzip", "TE: trailers", "Upgrade: h2c",
                       "If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT", "If-None-Match: *"):
            head, _, body = drain(self.request("GET " + PAGE, header)).partition(b"\r\n\r\n")
            self.assertRegex(head, rb"^HTTP/1.1 200 ", header)
            self.assertEqual(body, page, header)
            self.assertNotRegex(head, rb"(?i)content-range|multipart|content-encoding")
        if (curl := shutil.which("curl")):
            for ranges in ("0-4", "1-2,5-6"):
                url = f"http://127.0.0.1:{self.server.port}{PAGE}"
                done = subprocess.run([curl, "-s", "-r", ranges, url], capture_output=True, check=True)
                self.assertEqual(done.stdout, page)

    def test_many_parts(self):
        """Those who ask for a thousand parts of the page, and read nothing."""
        for _ in range(30):
            self.request("GET " + PAGE, "Range: bytes=" + ",".join(["1-"] * 4000), receive_buffer=4096)
        until(lambda: self.server.ask("GET", "/healthz", token=False)[0] == 200, "it answers")

    def test_continue(self):
        """Who asks first whether to send a body gets the same headers as others."""
        sock = self.request("POST /api/session", "Expect: 100-continue", "Content-Length: 2")
        self.assertRegex(sock.recv(65536), rb"^HTTP/1.1 100 ")
        sock.sendall(b"{}")
        answer = drain(sock)
        self.assertIn(b"HTTP/1.1 401 ", answer)
        self.assertIn(b"Content-Security-Policy: ", answer.rpartition(b"HTTP/1.1 ")[2])

    def test_repeated(self):
        """Two headers, of which a proxy may read the other one."""
        host = f"127.0.0.1:{self.server.port}"
        for path in ("/", "/healthz", "/api/cameras"):
            for headers in ((f"Host: {host}",), ("Host: evil.example",), (f"Origin: http://{host}",) * 2,
                            ("Origin: http://evil.example", f"Origin: http://{host}"),
                            (f"origin: http://{host}", "Origin: http://evil.example"), (self.bearer(),) * 2,
                            ("Authorization: Basic x", self.bearer()), ("Content-Length: 0",) * 2,
                            ("Content-Length: 1", "Content-Length: 0")):
                self.assertEqual(self.status(self.request("GET " + path, self.bearer(), *headers)
                                             if "horization" not in "".join(headers)
                                             else self.request("GET " + path, *headers)), 400, headers)

    def test_lengths(self):
        """A body's length that is no number."""
        for length in ("-1", "+1", "0x1", "1 1", "1,1", "9" * 30, "1e3", "one"):
            for start in ("GET /", "POST /api/session", "OPTIONS *"):
                self.assertEqual(self.status(self.request(start, "Content-Length: " + length)), 400, length)

    def test_heads(self):
        """Of a head, so much is read, in so many lines; more than browsers send."""
        answer = drain(self.request("GET /healthz", "Cookie: " + "a=b; " * 2400,
                                    *(f"X-Forwarded-{i}: 127.0.0.1" for i in range(80))))
        self.assertRegex(answer, rb"^HTTP/1.1 200 ")
        start = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        for begin, more in ((start, b"A: b\r\n"), (start, b"a:\n"), (start + b"A: b", b"\r\n c"), (b"", b"\r\n"),
                            (b"\r\n\r\n" + start, b"A:\r\n"), (start + b"A: ", b"a" * 4096), (b"GET /", b"a" * 4096)):
            sock = self.connect()
            sock.sendall(begin)
            pour(sock, more, 8 * MIB)
        for target in ("/" + "a" * 5000, "/?" + "a=b&" * 1300):
            self.assertEqual(self.status(self.request("GET " + target)), 414)

    def test_bodies(self):
        """A body without an end ends, whatever it belongs to."""
        authority = f"127.0.0.1:{self.server.port}"
        for start in ("POST /api/session", "POST /api/cameras", "GET /", "OPTIONS *", f"GET https://{authority}/",
                      f"GET ftp://{authority}/", "GET /a/%2e%2e/b", "GET /%zz", f"CONNECT {authority}", "PUT /none"):
            for header in (f"Content-Length: {1 << 40}", "Transfer-Encoding: chunked"):
                sock = self.request(start, header)
                pour(sock, b"10000\r\n" + bytes(65536) + b"\r\n", 16 * MIB)

    def test_full(self):
        """Those who keep all connections keep nobody out, neither of their own address nor of others."""
        other = self.request("GET /healthz", end="", address="127.0.0.2")
        for end, headers in (("", ()), ("\r\n{", ("Content-Length: 60",)), ("\r\n", ())):
            path = "POST /api/session" if headers else "GET " + PAGE
            for _ in range(150):
                try:
                    self.request(path, *headers, end=end, receive_buffer=4096)
                except ConnectionError:
                    pass
            for _ in range(20):
                self.assertEqual(self.server.ask("GET", "/healthz", token=False)[0], 200)
                self.assertEqual(self.server.ask("GET", "/api/cameras")[0], 200)
            if not headers and not end:
                other.sendall(b"\r\n")
                self.assertEqual(self.status(other), 200)

    def test_websockets(self):
        """By a websocket, pings are answered, and nothing else is taken."""
        deflate = ["Authorization: Bearer " + self.server.token, "Upgrade: websocket", "Connection: Upgrade",
                   "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==",
                   "Sec-WebSocket-Protocol: x", "Sec-WebSocket-Extensions: permessage-deflate"]
        answer = self.request("GET /api/live", *deflate).recv(65536)
        self.assertRegex(answer, rb"^HTTP/1.1 101 ")
        self.assertNotRegex(answer, rb"(?i)extensions|protocol:")
        polite = self.websocket()
        polite.message()
        for _ in range(20):
            polite.socket.sendall(b"\x89\x84\0\0\0\0ping")
        for _ in range(20):
            self.assertEqual(polite.file.read(6), b"\x8a\x04ping")
        for first, more in ((b"\x01\x84\0\0\0\0abcd", b"\x00\xfe\x03\xe8\0\0\0\0" + b"a" * 1000),
                            (b"", b"\x89\x80\0\0\0\0" * 500), (b"", b"\x8a\x80\0\0\0\0" * 500),
                            (b"", b"\x82\x84\0\0\0\0abcd" * 500), (b"\x82\xfe\x03\xe8", b"a" * 999)):
            live = self.websocket(receive_buffer=4096)
            live.socket.sendall(first)
            pour(live.socket, more, 16 * MIB)
        status = self.server.add("New", "rtsp://127.0.0.1:1/x")[0]
        self.assertEqual(status, 201)
        polite.until(lambda m: any(camera["name"] == "New" for camera in m.get("cameras", ())))

    def test_letters(self):
        """What an error shows of a name is UTF-8, wherever it is cut."""
        key = self.server.add("One", "rtsp://127.0.0.1:1/x")[1]["id"]
        for letter in ("ä", "€", "𝄞"):
            for shift in range(4):
                name = "x" * shift + letter * 80
                for path, body in (("cameras/" + key, {name: 1}), ("cameras/" + key, {"classes": name}),
                                   ("cameras/" + key, {"zones": {"version": 1, "zones": [{name: {name: 1}}]}}),
                                   ("cameras/" + key, {"privacy": name}), ("model", {"model": name})):
                    status, _, data = self.server.ask("PATCH", "/api/" + path, body)
                    self.assertIn(status, (400, 409))
                    self.assertEqual(list(json.loads(data.decode())), ["error"])


class Readers(Guarded):
    """Those who have the token, ask for much and do not read it."""
    NAME = "20260301T000000.000Z-c1-1.jpg"
    PICTURE = b"\xff\xd8\xff" + bytes(12 * MIB)

    def prepare(self):
        server = Server(config="[serve]\nkeep-days=0\n")
        self.spool = server.config + ".events"
        os.makedirs(os.path.join(self.spool, "snapshots"), 0o700)
        with open(os.path.join(self.spool, "snapshots", self.NAME), "wb") as file:
            file.write(self.PICTURE)
        self.append(1, snapshot=self.NAME)
        return server

    def append(self, *numbers, **more):
        with open(os.path.join(self.spool, "00000001.jsonl"), "a", encoding="ascii") as file:
            for number in numbers:
                event = {"event": "enter", "zone": "z", "source": "zones", "timestamp": 0, "id": number, "label": "car",
                         "confidence": 0.5, "x": 0.5, "y": 0.5, "count": 1, "stream": "c1",
                         "utc": "2026-03-01T00:00:00.000Z", **more}
                file.write(json.dumps(event, separators=(",", ":")) + "\n")

    def test_pictures(self):
        path = "/api/events/1:0/snapshot.jpg"
        until(lambda: self.server.ask("GET", path)[0] == 200, "the event is there")
        waiting = [self.request("GET " + path, self.bearer(), receive_buffer=4096) for _ in range(24)]
        answers = {sock.recv(12) for sock in waiting}
        self.assertEqual(answers, {b"HTTP/1.1 200", b"HTTP/1.1 503"})
        for sock in waiting:
            sock.close()
        until(lambda: self.server.ask("GET", path)[2] == self.PICTURE, "there is room again")

    def test_slow(self):
        """Websockets that read less than they are sent are left; others hear all."""
        slow = [self.websocket(receive_buffer=4096).socket for _ in range(8)]
        for sock in slow:
            sock.setblocking(False)
        n = 1

        def have_ended():
            nonlocal n
            self.append(*range(n + 1, n + 51), note="a" * 7000)
            n += 50
            for sock in slow[:]:
                try:
                    if not sock.recv(100000):
                        slow.remove(sock)
                except ConnectionError:
                    slow.remove(sock)
                except BlockingIOError:
                    pass
            return not slow
        until(have_ended, "they are left")
        # Of many at once, not all are pushed.
        until(lambda: json.loads(self.server.ask("GET", "/api/events?limit=1")[2])["events"][0]["id"] == n,
              "they are listed")
        reader = self.websocket()
        reader.message()
        self.append(0)
        reader.until(lambda m: m.get("event", {}).get("id") == 0)


class Crowd(threading.Thread):
    """So many clients that begin to speak TLS and say no more; who is sent away comes again."""

    def __init__(self, port, n):
        super().__init__()
        self.port, self.sockets, self.ends = port, [None] * n, threading.Event()

    def run(self):
        while not self.ends.wait(0.05):
            for i, sock in enumerate(self.sockets):
                try:
                    if sock and sock.recv(1):
                        continue
                except BlockingIOError:
                    continue
                except OSError:
                    pass
                try:
                    sock = socket.create_connection(("127.0.0.1", self.port), PATIENCE)
                    sock.sendall(b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03"[:i % 12])
                    sock.setblocking(False)
                    self.sockets[i] = sock
                except OSError:
                    self.sockets[i] = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *args):
        self.ends.set()
        self.join()
        for sock in self.sockets:
            if sock:
                sock.close()


class Handshakes(unittest.TestCase):
    def setUp(self):
        self.server = Server(config="[serve]\nspool=\n")
        self.cert, key = (os.path.join(self.server.directory.name, name) for name in ("cert.pem", "key.pem"))
        made = subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                               "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out",
                               self.cert], capture_output=True, check=False)
        if made.returncode:
            self.skipTest("openssl makes no certificate")
        self.server.options = ("--cert", self.cert, "--key", key)
        try:
            self.server.start()
        except AssertionError as error:
            self.skipTest(f"no TLS here (glib-networking): {error}")

    def tearDown(self):
        if self.server.process:
            self.server.__exit__()

    def test_unfinished(self):
        """Clients that begin to speak TLS, and say no more, keep nobody out, and the server ends."""
        with Crowd(self.server.port, 160):
            for _ in range(3):
                done = subprocess.run(["curl", "-s", "-m", str(PATIENCE), "-o", os.devnull, "-w", "%{http_code}",
                                       "--cacert", self.cert, "--interface", "127.0.0.2",
                                       f"https://127.0.0.1:{self.server.port}/healthz"], capture_output=True, text=True,
                                      check=False)
                self.assertEqual(done.stdout, "200")
            self.assertEqual(self.server.stop(), 0)

    def test_again(self):
        """Nobody makes the server shake hands again, which costs it more than the client."""
        request = "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        for version in ("-tls1_2", "-tls1_3"):
            for again in (False, True):
                client = subprocess.Popen(["openssl", "s_client", version, "-connect", f"127.0.0.1:{self.server.port}"],
                                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                          text=True)
                while "Verify return code" not in (line := client.stdout.readline()):
                    self.assertTrue(line, version)
                if again and version == "-tls1_2":
                    client.stdin.write("R\n")
                    client.stdin.flush()
                    while "RENEGOTIATING" not in (line := client.stdout.readline()):
                        self.assertTrue(line)
                try:
                    client.stdin.write(request)
                    client.stdin.flush()
                except BrokenPipeError:
                    pass
                said = client.stdout.read()
                client.kill()
                client.communicate()
                self.assertEqual("HTTP/1.1 200" in said, not again or version == "-tls1_3", said)


if __name__ == "__main__":
    unittest.main()
