#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""y10 serve: pictures of cameras, cameras that come and go, the settings that remain. Pillow decodes
the pictures."""
import configparser
import os
import shutil
import stat
import subprocess
import unittest

from PIL import Image

from server import SOURCE, Server, Stream, decode, filmed, until

CODES = os.path.join(SOURCE, "pipelines", "codes.png")
TEST = "[camera one]\nname=One\nsource=test:ball\n\n[camera two]\nname=Two\nsource=test:snow\n"


def coloured(picture, box):
    """The number of pixels that are no grey."""
    return sum(max(pixel) - min(pixel) > 80 for pixel in picture.crop(box).getdata())


class Pictures(unittest.TestCase):
    def test_demo(self):
        """Without settings: the scene of the demo, with boxes around the codes, which are black on
        white."""
        with Server() as server:
            camera = server.cameras()["demo"]
            self.assertEqual((camera["name"], camera["source"]), ("Demo", "demo"))
            server.live("demo")
            left = (0, 0, 640, 540)
            self.assertEqual(coloured(Image.open(CODES).convert("RGB"), left), 0)
            until(lambda: coloured(server.snapshot("demo"), left) > 1000, "boxes in the picture")
            self.assertEqual(server.snapshot("demo").size, (960, 540))

    def test_stream(self):
        """A stream's pictures are whole and change."""
        with Server(config=TEST) as server:
            server.live("one")
            stream = Stream(server, "one")
            pictures = [stream.picture() for _ in range(10)]
            self.assertEqual({decode(picture).size for picture in pictures}, {(640, 360)})
            self.assertGreater(len(set(pictures)), 5)
            stream.close()
            until(lambda: server.cameras()["one"]["viewers"] == 0, "the viewer is gone")

    def test_slow_viewers(self):
        """Four that do not read, of snow, which makes large pictures; others get all the same. One of the
        four reads later: it missed pictures, and gets new ones."""
        with Server(config=TEST) as server:
            server.live("two")
            idle = [Stream(server, "two") for _ in range(4)]
            before = server.cameras()["two"]["frames"]
            stream = Stream(server, "two")
            pictures = set()
            while len(pictures) < 60:       # a busy server may send one twice
                pictures.add(stream.picture())
            after = server.cameras()["two"]["frames"]
            # 60 pictures, and the ones in the buffers.
            self.assertGreaterEqual(after - before, 55)
            self.assertEqual(server.cameras()["two"]["viewers"], 5)
            # What the kernel's buffers have, and then what is new.
            kept = next((n for n in range(40) if idle[0].picture() not in pictures), None)
            self.assertIsNotNone(kept, "it gets all that was sent meanwhile")
            for viewer in (stream, *idle):
                viewer.close()
            until(lambda: server.cameras()["two"]["viewers"] == 0, "all viewers are gone")

    def test_no_picture(self):
        with Server(config="[camera x]\nname=X\nsource=rtsp://127.0.0.1:1/none\n") as server:
            self.assertEqual(server.ask("GET", "/snapshot/x.jpg")[0], 503)
            camera = until(lambda: server.cameras()["x"]["state"] == "retry" and server.cameras()["x"],
                           "the camera fails")
            self.assertRegex(camera["reason"], "(?i)connect")
            until(lambda: server.cameras()["x"]["reconnects"] >= 2, "it is tried again")
            # Viewers who leave meanwhile make room for others.
            for _ in range(2):
                streams = [Stream(server, "x") for _ in range(32)]
                self.assertEqual(server.ask("GET", "/live/x")[0], 503)
                for stream in streams:
                    stream.close()
                until(lambda: server.cameras()["x"]["viewers"] == 0, "they are gone")
            self.assertEqual(server.ask("GET", "/readyz", token=False)[0::2], (503, b""))
            self.assertEqual(server.ask("GET", "/healthz", token=False)[0::2], (200, b""))


class Cameras(unittest.TestCase):
    def test_add_and_remove(self):
        """A camera that is added is there, also after the next start; the file is for its owner."""
        name = "<script>alert(1)</script> \"quoted\" \\ ü"
        with Server(config="# mine\n[serve]\nconfidence=0.5\n") as server:
            self.assertEqual(server.cameras(), {})
            self.assertEqual(server.ask("GET", "/readyz", token=False)[0], 200)
            status, camera = server.add(name, "test:ball")
            self.assertEqual((status, camera["name"], camera["source"]), (201, name, "test:ball"))
            server.live(camera["id"])
            self.assertEqual(stat.S_IMODE(os.stat(server.config).st_mode), 0o600)
            self.assertEqual(server.stop(), 0)
            with open(server.config, encoding="utf-8") as file:
                self.assertIn("# mine", file.read())
            server.start()
            self.assertEqual(server.cameras()[camera["id"]]["name"], name)
            server.live(camera["id"])
            metrics = server.ask("GET", "/metrics")[2].decode()
            label = name.replace("\\", "\\\\").replace('"', '\\"')
            self.assertIn(f'y10_camera_up{{camera="{camera["id"]}",name="{label}"}} 1\n', metrics)
            self.assertEqual(server.ask("DELETE", f"/api/cameras/{camera['id']}")[0], 204)
            self.assertEqual(server.cameras(), {})
            self.assertEqual(server.ask("GET", f"/live/{camera['id']}")[0], 404)
            parser = configparser.ConfigParser(interpolation=None)
            parser.read(server.config, encoding="utf-8")
            self.assertEqual(parser.sections(), ["serve"])

    def test_removed_while_viewed(self):
        with Server(config=TEST) as server:
            server.live("one")
            stream = Stream(server, "one")
            stream.picture()
            self.assertEqual(server.ask("DELETE", "/api/cameras/one")[0], 204)
            # The stream ends, behind a picture or in front of one.
            self.assertLess(len(stream.reply.read()), 1 << 20)
            stream.close()
            self.assertEqual(list(server.cameras()), ["two"])

    def test_refused(self):
        with Server(config=TEST) as server:
            for name, source, says in (("", "demo", "name"), ("x", "", "source"), ("x" * 65, "demo", "name"),
                                       ("x", "ftp://localhost/", "expected rtsp://"),
                                       ("x", "test:ball ! fakesink", "source is unknown"),
                                       ("x", "/dev/video0/../mem", "source is unknown"),
                                       ("x", "/etc/passwd", "source is unknown"), ("x", "rtsp://", "no valid host"),
                                       ("x", "file:a.mp4", "--media"), ("a\nb", "demo", "name")):
                status, reply = server.add(name, source)
                self.assertEqual(status, 400, (name, source))
                self.assertIn(says, reply["error"])
            for body in ("", "[]", "{", "[" * 4000, '{"name": 3, "source": {}}', b"\xff"):
                self.assertEqual(server.ask("POST", "/api/cameras", body)[0], 400, body)
            self.assertEqual(sorted(server.cameras()), ["one", "two"])

    def test_rtsp(self):
        """An RTSP camera that ends and comes back."""
        camera = filmed("blue", 10)
        self.addCleanup(camera.kill)
        if not camera.uri:
            self.skipTest("GstRtspServer or x264enc is missing")
        with Server(config="") as server:
            status, added = server.add("Gate", camera.uri)
            self.assertEqual(status, 201)
            self.assertNotIn("/camera", added["source"])
            key = added["id"]
            server.live(key)
            red, green, blue = server.snapshot(key).getpixel((5, 235))
            self.assertGreater(blue, 200)
            self.assertLess(max(red, green), 60)
            camera.kill()
            lost = until(lambda: server.cameras()[key]["state"] == "retry" and server.cameras()[key],
                         "the page says so")
            self.assertTrue(lost["reason"])
            camera = filmed("blue", 10, camera.port)
            self.addCleanup(camera.kill)
            server.live(key)
            self.assertIsNone(server.cameras()[key]["reason"])
            self.assertGreater(server.cameras()[key]["reconnects"], 0)

    def test_media(self):
        """A video below the folder of media; nothing outside, and no playlist."""
        if not shutil.which("ffmpeg"):
            self.skipTest("ffmpeg is missing")
        with Server(config="") as server:
            media = os.path.join(server.directory.name, "media")
            os.makedirs(os.path.join(media, "in"))
            inside, outside = os.path.join(media, "in", "a.mkv"), os.path.join(server.directory.name, "b.mkv")
            subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=red:s=320x240:d=2:r=10", "-c:v",
                            "mjpeg", inside], check=True)
            shutil.copy(inside, outside)
            os.symlink(outside, os.path.join(media, "link.mkv"))
            os.symlink(server.directory.name, os.path.join(media, "up"))
            with open(os.path.join(media, "list.m3u8"), "w", encoding="ascii") as file:
                file.write(f"#EXTM3U\n#EXTINF:2,\nfile://{outside}\n")
            os.mkfifo(os.path.join(media, "fifo.mkv"))
            server.stop()
            server.options = ("--media", media)
            server.start()
            for name, says in (("../b.mkv", "outside"), (outside, "outside"), ("link.mkv", "outside"),
                               ("up/b.mkv", "outside"), ("in/../../b.mkv", "outside"), ("list.m3u8", "no video"),
                               ("fifo.mkv", "no video"), ("in", "no video"), ("none.mkv", "No such file")):
                status, reply = server.add("x", "file:" + name)
                self.assertEqual(status, 400, name)
                self.assertIn(says, reply["error"])
            status, camera = server.add("x", "file:in/a.mkv")
            self.assertEqual(status, 201)
            server.live(camera["id"])
            red, green, blue = server.snapshot(camera["id"]).getpixel((5, 235))
            self.assertGreater(red, 200)
            self.assertLess(max(green, blue), 60)
            # It begins again and again; that is no failure.
            states = set()

            def shown():
                now = server.cameras()[camera["id"]]
                states.add(now["state"])
                return now["frames"]
            until(lambda: shown() > 50, "more frames than it has")
            self.assertEqual(states, {"live"})
            self.assertEqual(server.cameras()[camera["id"]]["reconnects"], 0)


class Program(unittest.TestCase):
    def test_stops(self):
        """With cameras that work, one that does not, and viewers."""
        with Server(config=TEST + "[camera x]\nsource=rtsp://192.0.2.1/none\n") as server:
            server.live("one")
            stream = Stream(server, "one")
            stream.picture()
            self.assertEqual(server.stop(), 0)
            stream.close()

    def test_wrong_settings(self):
        for config, says in (("[camera one]\nname=x\n", "[camera one]"), ("[camera A!]\nsource=demo\n", "A!"),
                             ("[other]\n", "[other]"), ("[serve]\nconfidence=2\n", "confidence"),
                             ("nonsense\n", "serve.ini")):
            server = Server(config=config)
            done = subprocess.run(server.command(), env=server.env, capture_output=True, text=True, timeout=60,
                                  check=False)
            self.assertEqual(done.returncode, 1, config)
            self.assertIn(says, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            server.directory.cleanup()


if __name__ == "__main__":
    unittest.main()
