# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Shared by the tests of models/: a local server that imitates servers and networks with their
faults, and checks of weights files. The test's arguments are BUILD SEEDED DATA."""
import hashlib
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
import servers      # noqa: E402

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
FETCH = os.path.join(ROOT, "models/fetch.sh")
NAME_CLASSES = os.path.join(ROOT, "models/name_classes.py")
NAME_HEAD = os.path.join(ROOT, "models/name_head.py")
COCO_NAMES = os.path.join(ROOT, "models/coco.names")
if len(sys.argv) < 4:
    sys.exit(f"usage: {os.path.basename(sys.argv[0])} BUILD SEEDED DATA [TEST...]")
BUILD, SEEDED, DATA = [os.path.abspath(path) for path in sys.argv[1:4]]

# COCO's published order at places that are easily wrong: its ids have gaps, these have none.
KNOWN = {0: "person", 7: "truck", 11: "stop sign", 12: "parking meter", 24: "backpack",
         26: "handbag", 39: "bottle", 45: "bowl", 60: "dining table", 61: "toilet",
         67: "cell phone", 79: "toothbrush"}

REFUSAL = b"<!DOCTYPE html><html>no</html>"


class Handler(servers.Quiet):
    """Sends server.body according to the server's settings."""

    def do_GET(self):                                # pylint: disable=invalid-name
        server, asked = self.server, self.headers.get("Range")
        entry = {"path": self.path, "range": asked, "sent": 0}
        server.requests.append(entry)
        if server.on_request:
            server.on_request(len(server.requests))
        self.close_connection = True
        if self.path != server.path and not self.path.startswith("/cdn/"):
            return self.reply(404, body=REFUSAL)
        if server.errors:
            return self.reply(server.errors.pop(0), body=REFUSAL)
        if server.redirect and not self.path.startswith("/cdn/"):
            linked = [("X-Linked-ETag", f'"{server.linked}"')] if server.linked else []
            return self.reply(302, ("Location", "/cdn/a?b=c"), ("ETag", '"of the redirection"'), *linked, body=b"moved")
        start, size = 0, len(server.body)
        if asked and server.ranges:
            start = int(re.fullmatch(r"bytes=(\d+)-", asked)[1])
            if start >= size:
                return self.reply(416, ("Content-Range", f"bytes */{size}"))
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{size - 1}/{size}")
        else:
            self.send_response(200)
        body = server.body[start:] + server.extra
        if server.etag:
            self.send_header("ETag", server.etag)
        if server.chunked:
            self.send_header("Transfer-Encoding", "chunked")
            body = b"%x\r\n" % len(body) + body + b"\r\n0\r\n\r\n"
        else:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if server.cuts:
            body = body[:server.cuts.pop(0)]
        stop = server.stalls.pop(0) if server.stalls else None
        for at in range(0, len(body), 1 << 16):
            if stop is not None and at >= stop:
                server.free.wait(60)
            piece = body[at:at + (1 << 16)]
            entry["sent"] += len(piece)
            try:
                self.wfile.write(piece)
            except OSError:                          # the client is gone
                break
        return None


class Server(servers.Server):
    def __init__(self, body, variant="n"):
        self.body, self.extra = body, b""
        self.path = f"/yolov10{variant}/resolve/main/model.safetensors"
        self.etag, self.ranges, self.chunked, self.redirect = '"first"', True, False, False
        self.linked = None
        self.cuts, self.stalls, self.errors = [], [], []
        self.free = threading.Event()
        self.on_request = None
        self.requests = []
        super().__init__(Handler)
        self.url = f"http://127.0.0.1:{self.port}"

    def close(self):
        self.free.set()
        super().close()

    @property
    def sent(self):
        return sum(entry["sent"] for entry in self.requests)


def seeded(shapes, *options):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model")
        subprocess.run([SEEDED, os.path.join(DATA, shapes + ".shapes.json"), path, *options],
                       check=True)
        with open(path, "rb") as file:
            return file.read()


def split(data):
    """The header of a weights file, parsed, and its data."""
    length = struct.unpack("<Q", data[:8])[0]
    return json.loads(data[8:8 + length]), data[8 + length:]


def join(header, data):
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def read(path, mode="rb"):
    with open(path, mode) as file:
        return file.read()


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = folder.name
        self.file = self.path("yolov10n.safetensors")
        self.part = self.file + ".part"

    def path(self, name):
        return os.path.join(self.dir, name)

    def names(self, *options, file=None):
        done = subprocess.run([os.path.join(BUILD, "tools/y10"), "info", "--json", "--backend",
                               "ref", "--size", "64", *options, file or self.file], check=True,
                              text=True, stdout=subprocess.PIPE)
        return json.loads(done.stdout)["classes"]


class FetchCase(Case):
    @classmethod
    def setUpClass(cls):
        cls.body = seeded("yolov10n-nc80")

    def serve(self, body=None, variant="n"):
        server = Server(self.body if body is None else body, variant)
        self.addCleanup(server.close)
        return server

    def environment(self, url, **extra):
        env = {key: value for key, value in os.environ.items()
               if not key.lower().endswith("_proxy")}
        return {**env, "LC_ALL": "C.UTF-8", "Y10_BUILD": BUILD, "Y10_FETCH_URL": url,
                "Y10_FETCH_WAIT": "0", "HOME": self.dir, **extra}

    def fetch(self, url, *arguments, status=0, **env):
        """Runs the script; returns (stdout, the lines of its error)."""
        done = subprocess.run([FETCH, *(arguments or ["n"])], cwd=self.dir, text=True, timeout=120,
                              env=self.environment(url, **env), stdin=subprocess.DEVNULL,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done.stdout, done.stderr

    def fails(self, url, *arguments, says=(), **env):
        """Asserts exit status 1 and one line that contains the words."""
        out, error = self.fetch(url, *arguments, status=1, **env)
        self.assertEqual(len(error.splitlines()), 1, error)
        self.assertTrue(error.startswith("fetch.sh: "), error)
        for words in says:
            self.assertIn(words, error)
        return out, error

    def assert_good(self, body=None, file=None):
        """Asserts the server's weights with names, and no other files."""
        body, file = body or self.body, file or self.file
        old, data = split(body)
        header, kept = split(read(file))
        self.assertEqual(hashlib.sha256(kept).digest(), hashlib.sha256(data).digest())
        names = header.pop("__metadata__").pop("names")
        old.pop("__metadata__", None)
        self.assertEqual(list(header.items()), list(old.items()))
        self.assertEqual(self.names(file=file), list(json.loads(names).values()))
        self.assertEqual(self.names(file=file)[67], KNOWN[67])
        recorded = read(file + ".sha256", "r")
        self.assertIn(hashlib.sha256(body).hexdigest(), recorded)
        self.assert_only(file, file + ".sha256")

    def assert_only(self, *paths):
        """Asserts that the folder contains exactly these files beside the test's own."""
        found = {os.path.join(self.dir, name) for name in os.listdir(self.dir)
                 if name.startswith("yolov10")}
        self.assertEqual(found, {path for path in paths
                                 if os.path.basename(path).startswith("yolov10")})
