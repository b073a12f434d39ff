#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""y10 serve: cameras as people have them. GStreamer's RTSP server, Python's web server and FFmpeg are the
cameras; openssl knows their certificates."""
import base64
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import time
import unittest

from PIL import Image

from server import Rtsp, Y10, Server, lacking, no_rtsp, servers, until

NO_RTSP = no_rtsp()
USER, PASSWORD = "operator", "zq7xj"


class Web(servers.Quiet):
    """Pictures one after the other, as the server's mode says. All that it is asked is kept."""

    def may(self):
        """By RFC 7617, or RFC 7616 with MD5."""
        given = self.headers.get("Authorization", "")
        if self.server.mode == "basic":
            return given == "Basic " + base64.b64encode(f"{USER}:{self.server.password}".encode()).decode()
        if self.server.mode != "digest":
            return True
        said = dict(re.findall(r'(\w+)="?([^",]*)"?', given))
        if not said:
            return False

        def md5(text):
            return hashlib.md5(text.encode()).hexdigest()
        return said.get("response") == md5(":".join((md5(f"{USER}:there:{self.server.password}"), "n0nce",
                                                     said["nc"], said["cnonce"], "auth",
                                                     md5("GET:" + said["uri"]))))

    def do_GET(self):
        self.server.asked.append((self.path, self.headers.get("Authorization")))
        if self.server.mode == "moved":
            self.reply(302, ("Location", self.server.elsewhere))
            return
        if not self.may():
            self.reply(401, ("WWW-Authenticate", 'Basic realm="there"' if self.server.mode == "basic" else
                                  'Digest realm="there", nonce="n0nce", qop="auth", algorithm=MD5'))
            return
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace;boundary=" + self.server.boundary)
        self.send_header("Connection", "close")
        self.end_headers()
        with io.BytesIO() as file:
            Image.new("RGB", (320, 240), (200, 80, 40)).save(file, "JPEG")
            picture = file.getvalue()
        mark = b"--" + self.server.boundary.strip('"').removeprefix("--").encode() + b"\r\n"
        head = b"Content-Type: image/jpeg\r\n\r\n"
        begin = {"no boundary": head, "bare": b""}.get(self.server.mode, mark + head)
        try:
            while True:
                self.wfile.write(begin + picture + b"\r\n")
                begin = mark + head
                time.sleep(0.1)     # ten a second
        except OSError:
            pass


class WebCamera(servers.Server):
    def __init__(self, mode="", boundary="frame", password=PASSWORD, certificate=None):
        super().__init__(Web, certificate=certificate)
        self.mode, self.boundary, self.password = mode, boundary, password
        self.asked, self.elsewhere = [], ""
        self.place = f"127.0.0.1:{self.port}/hidden"


class Sources(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(config="")
        cls.media = cls.server.directory.name
        cls.server.options = ("--media", cls.media)
        cls.server.start()
        cls.certificate = [os.path.join(cls.media, name) for name in ("cert.pem", "key.pem")]
        cls.fingerprint = None
        if shutil.which("openssl"):
            subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                            "/CN=camera", "-keyout", cls.certificate[1], "-out", cls.certificate[0]],
                           capture_output=True, check=True)
            said = subprocess.run(["openssl", "x509", "-in", cls.certificate[0], "-noout", "-fingerprint", "-sha256"],
                                  capture_output=True, check=True, text=True).stdout
            cls.fingerprint = said.strip().rpartition("=")[2]

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def add(self, source, **more):
        """The id of a camera."""
        status, _, data = self.server.ask("POST", "/api/cameras", {"name": "Gate", "source": source, **more})
        self.assertEqual(status, 201, data)
        key = json.loads(data)["id"]
        self.addCleanup(lambda: self.server.ask("DELETE", "/api/cameras/" + key))
        return key

    def change(self, key, **more):
        status, _, data = self.server.ask("PATCH", "/api/cameras/" + key, more)
        self.assertEqual(status, 200, data)

    def says(self, key, words):
        return until(lambda: words in (self.server.cameras()[key]["reason"] or ""),
                     f"{words}; {self.server.cameras()[key]}")

    def rtsp(self, *options):
        """The place of a camera that is run as another program."""
        camera = Rtsp("tests/tools/rtspcamera.py", *options)
        self.addCleanup(camera.kill)
        return camera.uri.partition("://")[2]

    def web(self, *args, **more):
        camera = WebCamera(*args, **more)
        self.addCleanup(camera.close)
        return camera

    @unittest.skipIf(NO_RTSP, NO_RTSP)
    def test_transport(self):
        """A camera that refuses TCP (461) is asked for UDP next, by itself."""
        key = self.add("  RTSP://" + self.rtsp("--transport", "UDP") + " \n")
        self.server.live(key)
        self.assertEqual(self.server.snapshot(key).size, (320, 240))
        self.change(key, transport="tcp")
        self.says(key, "does not send by tcp")
        self.assertNotIn("plug", self.server.cameras()[key]["reason"])
        self.change(key, transport="udp")
        self.server.live(key)
        place = self.rtsp()
        for scheme in ("rtspt://", "rtsp://"):
            key = self.add(scheme + place, transport=None)
            self.server.live(key)
        self.change(key, transport="udp")
        self.says(key, "does not send by udp")

    @unittest.skipIf(NO_RTSP, NO_RTSP)
    def test_streams(self):
        """Of two videos it is the first one that the camera describes, each time; a setting chooses another."""
        key = self.add("rtsp://" + self.rtsp("160x120", "320x240"))
        for stream, size in ((None, (160, 120)), (2, (320, 240)), (1, (160, 120))):
            self.change(key, stream=stream)
            self.server.live(key)
            self.assertEqual(self.server.snapshot(key).size, size)
        self.change(key, stream=3)
        self.says(key, "describes 2 videos; expected a stream from 1 to 2, found 3")

    @unittest.skipIf(NO_RTSP, NO_RTSP)
    def test_certificate(self):
        """A camera's own is told by its fingerprint, and taken by it alone."""
        if not self.fingerprint:
            self.skipTest("openssl is missing")
        plain = self.fingerprint.replace(":", "").lower()
        cameras = ["rtsps://" + self.rtsp("--cert", self.certificate[0], "--key", self.certificate[1])]
        if not lacking("souphttpsrc"):
            cameras.append("https://" + self.web(certificate=self.certificate).place)
        for source in cameras:
            with self.subTest(source):
                key = self.add(source)
                self.says(key, "certificate; if its fingerprint (SHA-256) is " + plain)
                self.change(key, fingerprint="0" * 64)
                self.says(key, f"another one: its fingerprint is {plain}; expected {'0' * 64}")
                self.assertEqual(self.server.cameras()[key]["frames"], 0)
                self.change(key, fingerprint=self.fingerprint)
                self.server.live(key)
                self.assertEqual(self.server.cameras()[key]["fingerprint"], plain)

    def test_passwords(self):
        """With characters that URIs need: what a camera is told is what was typed, or nothing is."""
        camera = servers.Refusing(b"401 Unauthorized", 'WWW-Authenticate: Basic realm="x"')
        self.addCleanup(camera.close)
        place = f"127.0.0.1:{camera.port}"

        def told():
            return {line.split(" ", 2)[2] for requests in list(camera.requests) for lines in list(requests)
                    for line in lines if line.startswith("Authorization: Basic ")}
        added, wanted = [], set()
        for character in "#/?@:%\\[]&\"<' ":
            for user, password in ((USER, f"zq{character}xj"), (f"oper{character}tor", PASSWORD)):
                status, reply = self.server.add("Gate", f"rtsp://{user}:{password}@{place}/hidden")
                if status != 201:
                    self.assertEqual(status, 400)
                    self.assertIn(character, "/?%")
                    for secret in ("oper", "zq", "xj"):
                        self.assertNotIn(secret, reply["error"], character)
                    continue
                added.append(reply["id"])
                if character != ":" or user == USER:
                    wanted.add(base64.b64encode(f"{user}:{password}".encode()).decode())
        self.assertEqual(len(added), 2 * (14 - 3))
        until(lambda: wanted <= told(), "all is told")
        said = self.server.ask("GET", "/api/cameras")[2] + self.server.ask("GET", "/metrics")[2]
        for secret in (b"oper", b"zq", b"xj", b"hidden"):
            self.assertNotIn(secret, said)
        for key in added:
            self.assertEqual(self.server.cameras()[key]["source"], "rtsp://" + place)
            self.server.ask("DELETE", "/api/cameras/" + key)
        self.assertNotIn("oper", self.server.errors())
        self.assertNotIn("zq", self.server.errors())

    @unittest.skipIf(lacking("souphttpsrc", "multipartdemux"), "GStreamer lacks souphttpsrc or multipartdemux")
    def test_pictures(self):
        """MJPEG, also by servers that leave out what should be in front, and with passwords."""
        for mode, boundary in (("", "frame"), ("", '"a b"'), ("no boundary", "frame"), ("no boundary", "--frame"),
                               ("bare", "frame"), ("basic", "frame"), ("digest", "frame")):
            with self.subTest(mode=mode, boundary=boundary):
                camera = self.web(mode, boundary, password="p@#s:w%d")
                who = f"{USER}:p@#s:w%25d@" if mode in ("basic", "digest") else ""
                key = self.add(f"http://{who}{camera.place}")
                self.server.live(key)
                self.assertEqual(self.server.snapshot(key).size, (320, 240))
        camera.password = "other"
        self.says(self.add(f"http://{who}{camera.place}"), "401: wrong user or password")

    @unittest.skipIf(lacking("souphttpsrc"), "GStreamer lacks souphttpsrc")
    def test_moved(self):
        """A password goes to the server that it is for, and to no other."""
        other, camera = self.web("basic"), self.web("moved")
        camera.elsewhere = f"http://{other.place}"
        key = self.add(f"http://{USER}:{PASSWORD}@{camera.place}")
        self.says(key, "302: it is elsewhere")
        self.assertEqual(other.asked, [])
        other.mode = ""
        self.server.live(self.add(f"http://{camera.place}"))
        self.assertEqual({said for _, said in other.asked}, {None})

    @unittest.skipIf(lacking("souphttpsrc", "hlsdemux", "avdec_h264") or not shutil.which("ffmpeg"),
                     "GStreamer lacks hlsdemux, or there is no ffmpeg")
    def test_hls(self):
        folder = os.path.join(self.media, "hls")
        os.mkdir(folder)
        subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=s=320x240:r=10:d=20", "-c:v", "libx264",
                        "-g", "10", "-pix_fmt", "yuv420p", "-f", "hls", "-hls_time", "1", "-hls_list_size", "0",
                        os.path.join(folder, "x.m3u8")], check=True)
        web = servers.files(folder)
        self.addCleanup(web.close)
        place = f"http://127.0.0.1:{web.port}"
        key = self.add(place + "/x.m3u8")
        self.server.live(key)
        self.assertEqual(self.server.snapshot(key).size, (320, 240))
        # A playlist that leads to files of this machine, at once and by another one.
        with open(os.path.join(folder, "x.m3u8"), encoding="ascii") as file:
            lines = file.read().splitlines()
        keys = []
        for name, text in (("segments", "\n".join(line if line.startswith("#") else f"file://{folder}/{line}"
                                                  for line in lines)),
                           ("variants", f"#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nfile://{folder}/x.m3u8\n")):
            with open(os.path.join(folder, name + ".m3u8"), "w", encoding="ascii") as file:
                file.write(text)
            keys.append(self.add(f"{place}/{name}.m3u8"))
        for key in keys:
            until(lambda: self.server.cameras()[key]["reconnects"] >= 2, f"{key} fails twice")
            self.assertEqual(self.server.cameras()[key]["frames"], 0)
            self.assertNotIn(folder, self.server.cameras()[key]["reason"])
        self.assertIn("its playlist leads to a file: address", self.server.cameras()[keys[0]]["reason"])

    @unittest.skipUnless(shutil.which("ffmpeg"), "ffmpeg is missing")
    def test_upright(self):
        """A file looks as a player shows it: turned, and with pixels of its shape; y10 detect sees the same."""
        def make(name, *options):
            path = os.path.join(self.media, name)
            subprocess.run(["ffmpeg", "-v", "error", *options, path], check=True)
            return path
        plain = make("plain.mp4", "-f", "lavfi", "-i", "testsrc=s=320x180:r=10:d=6", "-pix_fmt", "yuv420p", "-c:v",
                     "libx264", "-g", "10")
        wide = make("wide.mp4", "-i", plain, "-vf", "setsar=2/1", "-c:v", "libx264", "-g", "10")
        videos = [(plain, (320, 180)), (wide, (640, 180))]
        for turn, size in ((90, (180, 320)), (180, (320, 180)), (270, (180, 320))):
            videos.append((make(f"{turn}.mp4", "-i", plain, "-c", "copy", "-metadata:s:v", f"rotate={turn}"), size))
        both = make("both.mkv", "-f", "lavfi", "-i", "testsrc=s=64x48:r=10:d=6", "-i", plain, "-map", "0", "-map", "1",
                    "-c:v", "mjpeg")
        videos.append((both, (64, 48)))
        for path, size in videos:
            with self.subTest(path):
                key = self.add("file:" + os.path.basename(path))
                self.server.live(key)
                self.assertEqual(self.server.snapshot(key).size, size)
                if path == wide:    # its pixels are as they are stored
                    continue
                done = subprocess.run([Y10, "detect", "-s", "64", "-t", "1", "--interval", "1000", path], text=True,
                                      capture_output=True, check=True, env=self.server.env)
                seen = json.loads(done.stdout.splitlines()[0])["resolution"]
                self.assertEqual((seen["width"], seen["height"]), size)
        self.change(key, stream=2)
        self.server.live(key)
        self.assertEqual(self.server.snapshot(key).size, (320, 180))
        self.change(key, stream=3)
        self.says(key, "it has 2 videos; expected a stream from 1 to 2, found 3")

    def test_names(self):
        """What is a source, and what a refusal says."""
        for source, status in (("/dev/v4l/by-id/usb-046d_C920-video-index0", 201), ("/dev/v4l/by-path/pci-0:1.0", 201),
                               ("/dev/v4l/by-id/../../sda", 400), ("/dev/v4l/by-id/", 400), ("/dev/v4l/x/y", 400),
                               ("/dev/videoX", 400), ("rtmp://camera/x", 400), ("rtsp:camera/x", 400),
                               ("rtsp://", 400), ("rtsp://camera:99999/x", 400), ("rtsp://camera/live@main", 400)):
            found, reply = self.server.add("Gate", source)
            self.assertEqual(found, status, (source, reply))
            if found == 201:
                self.server.ask("DELETE", "/api/cameras/" + reply["id"])
            else:
                self.assertIn("expected", reply["error"])


if __name__ == "__main__":
    unittest.main()
