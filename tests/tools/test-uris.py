#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""The same input by name, by file: and http: URI, from standard input and from a pipe gives the same
lines. Python serves the files."""
import contextlib
import json
import os
import subprocess
import threading
import unittest
import urllib.parse

from common import (Case, FEATURES, PLUGIN_DIR, Y10, add_exif, lacking, main, need, picture, servers, write_gif,
                    write_png, write_tiff)

need("gst", "pixbuf", "ffmpeg")


class Handler(servers.Quiet):
    stop = threading.Event()

    def do_GET(self):
        case, _, name = self.path.lstrip("/").partition("/")
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.answer(case, os.path.join(self.server.folder, urllib.parse.unquote(name)))

    def answer(self, case, path):
        if case in ("404", "500"):
            self.send_error(int(case))
            return
        with open(path, "rb") as f:
            data = f.read()
        self.send_response(302 if case in ("moved", "circle") else 200)
        if case in ("moved", "circle"):
            self.send_header("Location", self.path.replace("/moved/", "/plain/"))
            data = b""
        self.send_header("Content-Type", "text/html" if case == "wrong" else "application/octet-stream")
        if case == "chunked":
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for at in range(0, len(data), 1000):
                part = data[at:at + 1000]
                self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            self.wfile.write(b"0\r\n\r\n")
            return
        if case in ("close", "short"):
            self.close_connection = True
            self.send_header("Connection", "close")
        if case != "close":
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if case == "slow":
            for at in range(0, len(data), len(data) // 4 + 1):
                self.wfile.write(data[at:at + len(data) // 4 + 1])
                self.stop.wait(0.1)
        else:
            self.wfile.write(data[:len(data) // 2] if case == "short" else data)


@unittest.skipIf(lacking("souphttpsrc"), "GStreamer lacks souphttpsrc")
class Uris(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = cls.path("my files %41")
        os.mkdir(cls.folder)
        rows = picture(150, 110)
        cls.png = write_png(os.path.join(cls.folder, "a b#c.png"), rows)
        cls.jpeg = os.path.join(cls.folder, "cmyk.jpg")
        cls.make(cls.jpeg)
        cls.inputs = [cls.png, cls.jpeg,
                      write_tiff(os.path.join(cls.folder, "turned.tif"), rows, 6),
                      write_gif(os.path.join(cls.folder, "moving.gif"),
                                [[bytes([n * 40 + x for x in range(60)])] * 40 for n in range(3)], [10, 20, 5])]
        for n in range(1, 9):
            cls.inputs.append(add_exif(cls.jpeg, os.path.join(cls.folder, f"exif{n}.jpg"), n))
        deep = os.path.join(cls.folder, "deep.png")
        cls.make(deep, "-pix_fmt", "rgb48be")
        cls.inputs.append(deep)
        cls.video = os.path.join(cls.folder, "v.mkv")
        subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=64x48:duration=0.4",
                        "-c:v", "mjpeg", cls.video], check=True)
        cls.server = servers.Server(Handler)
        cls.server.folder = cls.folder

    @classmethod
    def tearDownClass(cls):
        cls.server.close()
        super().tearDownClass()

    @classmethod
    def make(cls, path, *options):
        subprocess.run(["ffmpeg", "-v", "error", "-i", cls.png, *options, "-frames:v", "1", path], check=True)

    def url(self, case, path):
        return (f"http://127.0.0.1:{self.server.port}/{case}/"
                + urllib.parse.quote(os.path.basename(path)))

    def lines(self, *args, **options):
        lines, errors = self.detect("--confidence", "0.02", *args, **options)
        self.assertEqual(errors, "")
        return [{k: v for k, v in line.items() if k != "source"} for line in lines]

    def test_every_way(self):
        fifo = self.path("fifo")
        os.mkfifo(fifo)
        for path in [*self.inputs, self.video]:
            quoted = urllib.parse.quote(path)
            expected = self.lines(path)
            self.assertGreater(len(expected), 0)
            for uri in ("file://" + quoted, "file://localhost" + quoted, "FILE://" + quoted,
                        self.url("plain", path)):
                with self.subTest(uri):
                    lines = self.lines(uri)
                    if path != self.video:
                        self.assertEqual(lines, expected)
                    self.assertEqual(len(lines), len(expected))
            if path == self.video:
                continue
            with self.subTest(path), open(path, "rb") as f:
                self.assertEqual(self.lines("-", stdin=f), expected)
                f.seek(0)
                with subprocess.Popen(["cat"], stdin=f, stdout=subprocess.PIPE) as cat:
                    self.assertEqual(self.lines("/dev/fd/0", stdin=cat.stdout), expected)
                with subprocess.Popen(["cp", path, fifo]):
                    self.assertEqual(self.lines(fifo), expected)

    def test_upright(self):
        """EXIF 5 to 8 swap the sides."""
        for n in range(1, 9):
            for uri in (self.url("plain", f"exif{n}.jpg"),
                        "file://" + urllib.parse.quote(os.path.join(self.folder, f"exif{n}.jpg"))):
                line, = self.lines(uri)
                self.assertEqual(line["resolution"]["width"], 110 if n > 4 else 150)
                self.assertIsNone(line["timestamp"])

    def test_servers(self):
        expected = self.lines(self.png)
        for case in ("moved", "chunked", "close", "wrong", "slow"):
            with self.subTest(case):
                self.assertEqual(self.lines(self.url(case, self.png)), expected)
        for case, says in (("404", "the server did not send it"), ("500", ""), ("circle", ""),
                           ("short", "the connection ended after")):
            with self.subTest(case):
                url = self.url(case, self.png)
                lines, errors = self.detect(url, self.png, status=1)
                self.assertEqual([line["source"] for line in lines], [self.png])
                self.assertEqual(len(errors.splitlines()), 1, errors)
                self.assertIn(f"y10: {url}: {says}", errors)

    def test_passwords(self):
        """Neither results, messages nor names of files have those of an address."""
        secret = "oper:zq#x:j@"
        url = self.url("plain", self.png).replace("//", "//" + secret)
        crops = self.path("secret crops")
        done = self.y10("detect", "--model", self.model, "--size", "96", "--confidence", "0.02", "--save-crops", crops,
                        "--format", "jsonl", url)
        self.assertEqual(json.loads(done.stdout)["source"], self.url("plain", self.png))
        said = done.stdout + done.stderr + str(list(os.walk(crops)))
        for source in (self.url("404", self.png).replace("//", "//" + secret), f"rtsp://{secret}127.0.0.1:1/x",
                       f"rtsp://{secret}127.0.0.1:1", "rtsp://oper:12/zq@host/x", "http://oper:12?zq@host/x",
                       "rtsp://oper:zq%zz@host/x"):
            done = self.y10("detect", "--model", self.model, source, status=1)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            said += done.stdout + done.stderr
        for word in ("segments", "bench"):
            options = ["--cameras", "1", "--source"] if word == "bench" else []
            done = subprocess.run([Y10, word, *options, f"rtsp://{secret}127.0.0.1:1/x"], env=self.env, text=True,
                                  capture_output=True, check=False)
            self.assertNotEqual(done.returncode, 0)
            said += done.stdout + done.stderr
        for part in ("oper", "zq", "x:j"):
            self.assertNotIn(part, said)

    def test_bad_files(self):
        quoted = urllib.parse.quote(self.png)
        for uri, says in (("file://elsewhere" + quoted, "'elsewhere'"), ("file:///none%zz", "%NN"),
                          ("file:///none", "no such file")):
            lines, errors = self.detect(uri, self.png, status=1)
            self.assertEqual(len(lines), 1)
            self.assertEqual(len(errors.splitlines()), 1, errors)
            self.assertIn(uri, errors)
            self.assertIn(says, errors)

    def test_folder(self):
        by_name = [line["source"] for line in self.detect(self.folder)[0]]
        by_uri = [line["source"] for line in self.detect("file://" + urllib.parse.quote(self.folder))[0]]
        self.assertEqual(by_uri, by_name)

    def test_crops(self):
        """A crop is called like the file, with what is decoded from the URI."""
        for uri in ("file://" + urllib.parse.quote(self.png), self.url("plain", self.png)):
            out = self.path("crops" + uri[:4])
            lines, _ = self.detect("--confidence", "0.02", "--save-crops", out, uri)
            names = {f for _, _, files in os.walk(out) for f in files}
            self.assertEqual(len([f for _, _, fs in os.walk(out) for f in fs]), len(lines[0]["objects"]))
            self.assertIn("a b#c-1.jpg", names)

    def test_store(self):
        """A file by its URI has the key of the file."""
        store = self.path("store")
        keys = []
        for source in (self.png, "file://" + urllib.parse.quote(self.png)):
            done = self.y10("detect", "--model", self.model, "--size", "96", "--store", store, source)
            keys.append(json.loads(done.stdout)["file"])
        self.assertEqual(keys[0], keys[1])

    @unittest.skipUnless("overlay" in FEATURES, "built without yolov10overlay")
    def test_draw(self):
        """The name of the copy is decoded; a file is not overwritten through its URI."""
        env = {"GST_PLUGIN_PATH": PLUGIN_DIR, "GST_PLUGIN_PATH_1_0": PLUGIN_DIR,
               "GST_REGISTRY": self.path("registry-draw.bin")}
        out, uri = self.path("drawn"), "file://" + urllib.parse.quote(self.png)
        self.detect("--draw", out, uri, env=env)
        self.assertEqual(os.listdir(out), ["a b#c.png"])
        before = os.stat(self.png).st_mtime_ns
        _, errors = self.detect("--draw", self.folder, uri, status=1, env=env)
        self.assertIn("overwrite", errors)
        self.assertEqual(os.stat(self.png).st_mtime_ns, before)


if __name__ == "__main__":
    main()
