#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Who may do what with y10 serve: tokens, sessions, hosts, origins, limits and secrets."""
import json
import os
import pty
import re
import socket
import stat
import subprocess
import unittest

from server import PATIENCE, PUBLIC, SOURCE, Server, Stream, until

CONFIG = "[camera one]\nname=One\nsource=test:ball\n"
PRIVATE = (("GET", "/api/cameras"), ("POST", "/api/cameras"), ("DELETE", "/api/cameras/one"),
           ("GET", "/api/cameras/one"), ("PATCH", "/api/cameras/one"), ("GET", "/api/model"), ("GET", "/api/live"),
           ("GET", "/metrics"),
           ("GET", "/live/one"), ("GET", "/snapshot/one.jpg"), ("GET", "/api/none"), ("GET", "/none"),
           ("GET", "/api/events"), ("GET", "/api/events.csv"), ("GET", "/api/events/1:0/snapshot.jpg"),
           ("DELETE", "/api/session"), ("DELETE", "/api/sessions"), ("PUT", "/"), ("GET", "/../etc/passwd"), ("GET", "//app.js"))
NEEDS_NOBODY = {("POST", "/api/session"), ("GET", "/healthz"), ("GET", "/readyz")}


def documented():
    """The requests that docs/serve.md lists, as (method, path), of the camera one."""
    with open(os.path.join(SOURCE, "docs", "serve.md"), encoding="utf-8") as file:
        rows = re.findall(r"^\| (`.*?) \|", file.read(), re.MULTILINE)
    for row in rows:
        method = None
        for word in re.findall(r"(?:(GET|POST|PATCH|PUT|DELETE) |`)(/[\w/.-]*)", row):
            method = word[0] or method
            if method:
                yield method, word[1].replace("ID", "one")


class Safety(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(config=CONFIG).start()
        cls.server.live("one")

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def raw(self, data, timeout=PATIENCE):
        """What the server answers to these bytes until it closes the connection."""
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=timeout) as sock:
            sock.sendall(data)
            answer = b""
            while True:
                try:
                    more = sock.recv(65536)
                except ConnectionResetError:
                    more = b""
                if not more:
                    return answer
                answer += more

    def test_token_needed(self):
        for method, path in PRIVATE:
            body = {"name": "x", "source": "demo"} if method == "POST" else None
            for headers in ({}, {"Authorization": "Basic " + self.server.token}, {"Cookie": "y10-1=x"},
                            {"Cookie": f"y10-{self.server.port}={self.server.token}"}):
                status, head, data = self.server.ask(method, path, body, token=False, **headers)
                self.assertEqual(status, 401, (method, path, headers))
                self.assertEqual(list(json.loads(data)), ["error"])
                self.assertIsNone(head["Set-Cookie"])
        self.assertEqual(list(self.server.cameras()), ["one"])
        for path in PUBLIC:
            status, head, data = self.server.ask("GET", path, token=False)
            self.assertEqual(status, 200, path)
            self.assertNotIn(self.server.token.encode(), data)
            policy = head["Content-Security-Policy"]
            self.assertIn("default-src 'none'", policy)
            self.assertNotIn("unsafe", policy)
            self.assertEqual(head["X-Content-Type-Options"], "nosniff")

    def test_documented_routes(self):
        """Each of them needs a token, but for the way to a session and the probes."""
        routes = set(documented())
        self.assertLessEqual({("GET", "/api/cameras"), ("GET", "/live/one"), ("DELETE", "/api/cameras/one"),
                              ("POST", "/api/cameras/one/release"), ("GET", "/api/capacity"), ("GET", "/metrics"),
                              *NEEDS_NOBODY}, routes)
        for method, path in routes - NEEDS_NOBODY:
            body = "{}" if method in ("POST", "PATCH", "PUT") else None
            self.assertEqual(self.server.ask(method, path, body, token=False)[0], 401, (method, path))
            for more in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}):
                for token in (False, True):
                    self.assertEqual(self.server.ask(method, path, body, token=token, **more)[0], 403,
                                     (method, path, more, token))

    def test_traversal(self):
        """Ways out of what there is lead nowhere, and to no file."""
        for path in ("/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc/passwd", "/snapshot/..%2fone.jpg",
                     "/snapshot/..%2f..%2fetc%2fpasswd.jpg", "/snapshot/one%00.jpg", "/live/one%2f..",
                     "/api/cameras/one%2frelease%00", "/page/index.html", "/y10/page/index.html",
                     "/api/events/..%2f..%2fserve.ini/snapshot.jpg",
                     "/api/events/1:0%2f..%2f..%2f..%2fserve.ini.token", "//etc/passwd", "/app.js/",
                     "http://127.0.0.1/etc/passwd", "file:///etc/passwd"):
            head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {self.server.token}\r\n"
            answer = self.raw((head + "Connection: close\r\n\r\n").encode())
            self.assertNotIn(b"root:", answer)
            self.assertNotIn(b"test:ball", answer)
            # libsoup closes the connection over what is no path.
            self.assertRegex(answer, rb"^(HTTP/1.[01] (400|403|404|405) |$)", path)

    def test_flood(self):
        """A large body that is sent whatever the answer is, is not kept."""
        def resident():
            with open(f"/proc/{self.server.process.pid}/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")
        before = resident()
        for path in ("/api/session", "/api/cameras", "/none"):
            with socket.create_connection(("127.0.0.1", self.server.port), timeout=PATIENCE) as sock:
                sock.sendall(f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {1 << 30}\r\n\r\n".encode())
                try:
                    for _ in range(64):
                        sock.sendall(bytes(1 << 20))
                except OSError:
                    pass
        self.assertLess(resident() - before, 24 << 20)
        self.assertEqual(self.server.ask("GET", "/api/cameras")[0], 200)

    def test_slow_bodies(self):
        """Requests whose body does not come are ended, too, and make room."""
        head = "POST /api/session HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 60\r\n\r\n{"
        slow = []
        for _ in range(120):
            sock = socket.create_connection(("127.0.0.1", self.server.port), timeout=PATIENCE)
            sock.sendall(head.encode())
            slow.append(sock)
        for sock in slow:
            try:
                while sock.recv(4096):
                    pass
            except ConnectionResetError:
                pass
            sock.close()
        self.assertEqual(self.server.ask("GET", "/api/cameras")[0], 200)

    def test_page_has_nothing_inline(self):
        page = self.server.ask("GET", "/", token=False)[2].decode()
        self.assertEqual(re.findall(r"<script(?! type=.module. src=)|<style|\son\w+=|\sstyle=|javascript:|[=(]\s*.?https?://", page), [])
        for path in PUBLIC:
            script = self.server.ask("GET", path, token=False)[2].decode()
            self.assertEqual(re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|srcdoc", script),
                             [], path)

    def test_session(self):
        """The cookie is that of a session, HttpOnly and for this site; it ends when told."""
        status, head, data = self.server.ask("POST", "/api/session", {"token": self.server.token}, token=False)
        self.assertEqual((status, data), (204, b""))
        cookie, *attributes = re.split(r"\s*;\s*", head["Set-Cookie"])
        self.assertEqual(cookie.partition("=")[0], f"y10-{self.server.port}")
        self.assertNotIn(self.server.token, cookie)
        self.assertTrue({"HttpOnly", "SameSite=Strict", "Path=/"} <= set(attributes), attributes)
        ask, origin = self.server.ask, f"http://127.0.0.1:{self.server.port}"
        host = f"127.0.0.1:{self.server.port}"
        self.assertEqual(ask("GET", "/api/cameras", token=False, Cookie="a=b; " + cookie)[0], 200)
        # A form of another page has no Origin, or another one.
        body = {"name": "y", "source": "demo"}
        self.assertEqual(ask("POST", "/api/cameras", body, token=False, Cookie=cookie)[0], 403)
        for other in ("null", "http://evil.example", origin + "0", "http://localhost:80", "https://127.0.0.1"):
            self.assertEqual(ask("POST", "/api/cameras", body, token=False, Cookie=cookie, Origin=other,
                                 Host=host)[0], 403, other)
            self.assertEqual(ask("GET", "/api/cameras", token=False, Cookie=cookie, Origin=other, Host=host)[0],
                             403, other)
        status, _, data = ask("POST", "/api/cameras", body, token=False, Cookie=cookie, Origin=origin, Host=host)
        self.assertEqual(status, 201, data)
        key = json.loads(data)["id"]
        self.assertEqual(ask("DELETE", "/api/cameras/" + key, token=False, Cookie=cookie, Origin=origin)[0], 204)
        self.assertEqual(ask("DELETE", "/api/session", token=False, Cookie=cookie, Origin=origin)[0], 204)
        self.assertEqual(ask("GET", "/api/cameras", token=False, Cookie=cookie)[0], 401)

    def test_host(self):
        """A name that leads here is refused, on every page; addresses and localhost are not."""
        port = self.server.port
        for host in ("evil.example", f"evil.example:{port}", "127.0.0.1.evil.example", "192.0.2.7", "localhost@evil",
                     "evil/127.0.0.1", ""):
            for path in ("/", "/app.js", "/api/cameras", "/metrics"):
                # libsoup itself refuses what is no host.
                self.assertIn(self.server.ask("GET", path, Host=host)[0], (400, 403) if "/" in host else (403,),
                              (host, path))
        for host in (f"127.0.0.1:{port}", f"localhost:{port}", "LOCALHOST", f"[::1]:{port}", "127.0.0.2"):
            self.assertEqual(self.server.ask("GET", "/api/cameras", Host=host)[0], 200, host)

    def test_bodies(self):
        """One that is too large is refused at its head; one without an end is, too."""
        for path in ("/api/cameras", "/api/session"):
            head = (f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {self.server.token}\r\n")
            answer = self.raw((head + "Content-Length: 5000\r\n\r\n" + "x" * 5000).encode())
            self.assertRegex(answer, rb"^HTTP/1.1 413 ")
            answer = self.raw((head + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n").encode())
            self.assertRegex(answer, rb"^HTTP/1.1 411 ")
        self.assertRegex(self.raw(b"nonsense\r\n\r\n"), rb"^(HTTP/1.[01] 400 |$)")

    def test_slow_heads(self):
        """Many that never finish their request are ended; a viewer stays, and others get in again."""
        stream = Stream(self.server, "one")
        stream.picture()
        slow = []
        for _ in range(200):
            sock = socket.create_connection(("127.0.0.1", self.server.port), timeout=PATIENCE)
            sock.sendall(b"GET /api/cameras HTTP/1.1\r\nHost: ")
            slow.append(sock)
        for sock in slow:
            try:
                while sock.recv(4096):
                    pass
            except ConnectionResetError:
                pass
            sock.close()
        for _ in slow:
            stream.picture()
        stream.close()
        self.assertEqual(self.server.ask("GET", "/api/cameras")[0], 200)

    def test_files(self):
        self.assertEqual(stat.S_IMODE(os.stat(self.server.config + ".token").st_mode), 0o600)
        self.assertRegex(self.server.token, "^[0-9a-f]{32}$")
        # Not on a terminal: no token.
        self.assertEqual(self.server.printed, f"http://127.0.0.1:{self.server.port}/")
        self.assertNotIn(self.server.token, self.server.errors())


class Others(unittest.TestCase):
    def test_wrong_tokens(self):
        """After ten wrong ones, an address gets 429; who has the token, behind the same proxy, is not kept out."""
        with Server(config=CONFIG) as server:
            statuses = [server.ask("POST", "/api/session", {"token": "0" * 32}, token=False)[0] for _ in range(12)]
            self.assertEqual(statuses, [401] * 10 + [429] * 2)
            self.assertEqual(server.ask("GET", "/api/cameras", token=False, Authorization="Bearer " + "1" * 32)[0], 429)
            self.assertEqual(server.ask("POST", "/api/session", {"token": server.token}, token=False)[0], 204)
            self.assertEqual(server.ask("GET", "/api/cameras")[0], 200)

    def test_secrets(self):
        """A camera's password, path and query come out nowhere."""
        secrets = ("s3cret-word", "hidden-path", "key-in-query")
        server = Server(config="")
        server.env["GST_DEBUG"] = "yolov10*:5"
        with server:
            status, camera = server.add("Gate", f"rtsp://admin:{secrets[0]}@127.0.0.1:1/{secrets[1]}?k={secrets[2]}")
            self.assertEqual((status, camera["source"]), (201, "rtsp://127.0.0.1:1"))
            until(lambda: server.cameras()[camera["id"]]["reason"], "the camera fails")
            said = server.errors() + server.printed
            self.assertIn("yolov10", server.errors(), "the project's own messages are there")
            routes = [path.replace("one", camera["id"]) for method, path in documented() if method == "GET"]
            for path in (*(path for path in routes if not path.startswith("/live")), "/"):
                said += server.ask("GET", path)[2].decode(errors="replace")
            for name in ("cmdline", "environ", "comm"):
                with open(f"/proc/{server.process.pid}/{name}", encoding="utf-8", errors="replace") as file:
                    said += file.read()
            for folder, _, names in os.walk(server.directory.name):
                for name in names:
                    if os.path.join(folder, name) not in (server.config, server.log):
                        with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                            said += file.read()
            said += json.dumps(server.add("x", f"rtsp://admin:{secrets[0]}@[bad/{secrets[1]}?k={secrets[2]}")[1])
            for secret in (*secrets, "admin"):
                self.assertNotIn(secret, said)
            with open(server.config, encoding="utf-8") as file:
                self.assertIn(secrets[0], file.read())
            self.assertEqual(stat.S_IMODE(os.stat(server.config).st_mode), 0o600)

    def test_terminal(self):
        """On a terminal, the address has the token; --url prints it later."""
        server = Server(config=CONFIG)
        master, slave = pty.openpty()
        process = subprocess.Popen(server.command(), env=server.env, stdout=slave, stderr=subprocess.DEVNULL)
        os.close(slave)
        line = os.read(master, 1000).decode().strip()
        process.terminate()
        self.assertEqual(process.wait(60), 0)
        os.close(master)
        with open(server.config + ".token", encoding="ascii") as file:
            token = file.read().strip()
        self.assertRegex(line, rf"^http://127\.0\.0\.1:[0-9]+/#t={token}$")
        done = subprocess.run([*server.command("--url"), "--listen", "[::1]:8123"], env=server.env, text=True,
                              capture_output=True, check=True)
        self.assertEqual(done.stdout, f"http://[::1]:8123/#t={token}\n")
        server.directory.cleanup()

    def test_all_addresses(self):
        """Where it listens on all, the address that it prints is one that a browser opens."""
        with Server("--listen", "0.0.0.0:0", "--insecure", config=CONFIG) as server:
            self.assertEqual(server.printed, f"http://127.0.0.1:{server.port}/")
            self.assertEqual(server.ask("GET", "/healthz", token=False)[0], 200)
            self.assertEqual(server.ask("GET", "/api/cameras", Host=f"192.0.2.7:{server.port}")[0], 200)

    def test_refuses_to_start(self):
        """Where others could read along, and where others can read the files."""
        server = Server(config=CONFIG)

        def refused(*options, status, says):
            done = subprocess.run(server.command(*options), env=server.env, capture_output=True, text=True,
                                  timeout=PATIENCE, check=False)
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertIn(says, done.stderr)

        refused("--listen", "0.0.0.0:0", status=2, says="--insecure")
        refused("--listen", "[::]:0", status=2, says="--cert")
        refused("--listen", "example.com", status=2, says="ADDRESS:PORT")
        refused("--cert", "x.pem", status=2, says="--key")
        refused("--cert", "x.pem", "--key", "y.pem", status=2, says="x.pem")
        refused("--model", "none.safetensors", status=1, says="none.safetensors")
        os.chmod(server.config, 0o644)
        refused(status=1, says="chmod 600")
        os.chmod(server.config, 0o600)
        for text, mode, says in (("0" * 32, 0o640, "chmod 600"), ("short", 0o600, "hexadecimal")):
            with open(server.config + ".token", "w", encoding="ascii") as file:
                file.write(text)
            os.chmod(server.config + ".token", mode)
            refused(status=1, says=says)
        server.directory.cleanup()

    def test_tls(self):
        """With a certificate the page is https, and its cookie says so."""
        server = Server(config=CONFIG)
        cert, key = (os.path.join(server.directory.name, name) for name in ("cert.pem", "key.pem"))
        made = subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                               "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout",
                               key, "-out", cert], capture_output=True, check=False)
        if made.returncode:
            self.skipTest("openssl makes no certificate")
        server.options = ("--cert", cert, "--key", key)
        try:
            server.start()
        except AssertionError as error:
            self.skipTest(f"no TLS here (glib-networking): {error}")
        with server:
            url = f"https://127.0.0.1:{server.port}/"
            self.assertEqual(server.printed, url)
            answer = subprocess.run(["curl", "-s", "-i", "--cacert", cert, url + "api/session", "-d",
                                     json.dumps({"token": server.token})], text=True, capture_output=True,
                                    check=True).stdout
            self.assertRegex(answer, r"^HTTP/1.1 204 ")
            self.assertRegex(answer, r"Set-Cookie: y10-.*; Secure")


if __name__ == "__main__":
    unittest.main()
