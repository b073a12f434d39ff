#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Checks the events and the drawing of examples/zones.py for a code that moves through zones at
known frames.

usage: test-zones.py BUILD
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
import scenes  # noqa: E402
from scenes import Gst, ROOT  # noqa: E402

BUILD = None
WIDTH, HEIGHT, FRAMES, RATE = 640, 360, 60, 25
FIRST, STEP, ROW = 20, 7, 100       # initial left edge, pixels a frame, top edge
DOOR = 0.4, 0.1, 0.6, 0.95
NEAR = 2                            # frames; the model may be off by a few pixels


class Zones(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.video = os.path.join(cls.folder.name, "moving.mkv")
        cls.output = os.path.join(cls.folder.name, "counted.mkv")
        scenes.write_moving(cls.video, (WIDTH, HEIGHT), RATE, FRAMES, [("aztec", FIRST, ROW, STEP)])

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def zones(self, *arguments):
        return subprocess.run(
            [sys.executable, os.path.join(ROOT, "examples/zones.py"), *arguments], text=True,
            env={**os.environ, "GST_PLUGIN_PATH": os.path.join(BUILD, "gst"),
                 # Makes autovideosink use fakevideosink: no window.
                 "GST_PLUGIN_FEATURE_RANK": "fakevideosink:MAX"},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=240,
            check=False)

    def events(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertTrue(all(line.startswith('{"event":"') for line in done.stdout.splitlines()[:-1]))
        return lines[:-1], lines[-1]["visitors"]

    def test_moving_code(self):
        done = self.zones("--zone", "door={},{} {},{}".format(*DOOR), "--zone", "floor=0,0.9 1,1",
                          "--zone", "room=0,0 1,1", "--zone", "gate=0.5,0 -> 0.5,1", self.video, self.output)
        events, visitors = self.events(done)
        told = [(event["event"], event.get("zone") or event["line"], event.get("reason"), event.get("direction"))
                for event in events]
        self.assertEqual(told, [("enter", "room", None, None), ("enter", "door", None, None),
                                ("cross", "gate", None, "out"), ("leave", "door", "left", None),
                                ("leave", "room", "ended", None)])
        self.assertEqual(visitors, {"room": 1, "door": 1})
        self.assertEqual(len({event["id"] for event in events}), 1)
        place = scenes.PLACES["aztec"]
        centre = FIRST + (place[2] - place[0]) / 2
        for event, edge in ((events[1], DOOR[0]), (events[2], 0.5), (events[3], DOOR[2])):
            self.assertAlmostEqual(event["timestamp"] * RATE / 1e9, (edge * WIDTH - centre) / STEP, delta=NEAR)
            self.assertAlmostEqual(event["x"], edge, delta=0.1)

        # The overlay draws the zone's left and right edge, in every frame and nothing inside.
        pictures = [data for _, data in
                    scenes.pull(f"filesrc location={self.output} ! decodebin", "RGB")]
        self.assertEqual(len(pictures), FRAMES)
        for n in (10, FRAMES - 3):
            for edge in DOOR[::2]:
                self.assertGreater(self.distance(pictures[n], round(edge * WIDTH), 300), 60)
            self.assertLess(self.distance(pictures[n], round(0.45 * WIDTH), 300), 30)

    def test_command(self):
        """y10 detect tells the same of the same video."""
        path = os.path.join(self.folder.name, "zones.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"version": 1, "zones": [{"name": "door", "points": [DOOR[:2], DOOR[2:]]}],
                       "lines": [{"name": "gate", "points": [[0.5, 0], [0.5, 1]]}]}, file)
        done = self.zones("--file", path, self.video, os.path.join(self.folder.name, "same.mkv"))
        events, _ = self.events(done)
        command = [os.path.join(BUILD, "tools/y10"), "detect", "--confidence", "0.4", "--zones", path, self.video]
        lines = subprocess.run(command, text=True, stdout=subprocess.PIPE, timeout=240, check=True).stdout.splitlines()
        told = [json.loads(line) for line in lines if line.startswith('{"event"')]
        self.assertEqual(len(lines), FRAMES + len(told))
        self.assertEqual([(event["event"], event["id"], round(event["timestamp"] * RATE / 1e9)) for event in told],
                         [(event["event"], event["id"], round(event["timestamp"] * RATE / 1e9)) for event in events])
        self.assertEqual({event["source"] for event in told}, {self.video})
        frames = [json.loads(line) for line in lines if line.startswith('{"source"')]
        self.assertTrue(all(event["id"] in {found["id"] for found in frame["objects"]}
                            for event in told for frame in frames if frame["timestamp"] == event["timestamp"]))
        for more, part in ((["--store", self.folder.name], "does not go with --store"),
                           (["--format", "coco"], "does not go with --format coco")):
            done = subprocess.run(command + more, text=True, stderr=subprocess.PIPE, timeout=60, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn(part, done.stderr)

    def test_time_back(self):
        """A video whose time begins again has other ids from there on, and a stay ends."""
        path, zones = (os.path.join(self.folder.name, name) for name in ("back.mkv", "room"))
        subprocess.run(["gst-launch-1.0", "-q", "filesrc", f"location={self.video}", "!", "decodebin", "!",
                        "videoconvert", "!", "jpegenc", "quality=98", "!", "matroskamux", "!", "filesink",
                        f"location={path}"], check=True, timeout=120)
        with open(path, "rb") as file:
            data = bytearray(file.read())
        # Clusters with the length of their time in bytes; each has half a second or more.
        clusters = [(match.end(), match[1][0] & 0x7f) for match in
                    re.finditer(rb"\x1f\x43\xb6\x75.{1,8}?\xe7([\x81-\x88])", data, re.DOTALL)]
        self.assertGreater(len(clusters), 2)
        middle = len(clusters) // 2
        at, length = clusters[middle]
        time = int.from_bytes(data[at:at + length], "big")
        for i, (at, length) in enumerate(clusters):
            # What comes before the video's first time, no decoder puts in order.
            here = int.from_bytes(data[at:at + length], "big") + (100 if i < middle else -time)
            data[at:at + length] = here.to_bytes(length, "big")
        with open(path, "wb") as file:
            file.write(data)
        with open(zones, "w", encoding="utf-8") as file:
            file.write("room=0,0 1,1")
        lines = subprocess.run([os.path.join(BUILD, "tools/y10"), "detect", "--confidence", "0.4", "--zones", zones, path],
                               text=True, stdout=subprocess.PIPE, timeout=240, check=False).stdout.splitlines()
        lines = [json.loads(line) for line in lines]
        frames = [line for line in lines if "objects" in line]
        self.assertEqual(len(frames), FRAMES)
        jump = next((i for i in range(1, FRAMES) if frames[i]["timestamp"] < frames[i - 1]["timestamp"]), None)
        if not jump:
            self.skipTest("this GStreamer lets no time run back")
        ids = [{found["id"] for found in frame["objects"]} - {0} for frame in frames]
        self.assertEqual((set.union(*ids[:jump]), set.union(*ids[jump:])), ({1}, {2}))
        self.assertEqual([(line["event"], line["id"], line.get("reason")) for line in lines if "event" in line],
                         [("enter", 1, None), ("leave", 1, "ended"), ("enter", 2, None), ("leave", 2, "ended")])

    def distance(self, picture, x, y):
        """How far a pixel, or one beside it, is from white."""
        return max(255 - value for dx in range(-1, 2)
                   for value in picture[(y * WIDTH + x + dx) * 3:][:3])

    def test_without_arguments(self):
        """Codes on paper, with their centres in the left or the right half."""
        events, visitors = self.events(self.zones())
        self.assertEqual(visitors, {"left": 3, "right": 4})
        self.assertEqual({event.get("reason") for event in events}, {None, "ended"})

    def test_refusals(self):
        for zone, part in (("door", "has no name"), ("=0,0 1,1", "has no name"), ("door=0,0", "corners"),
                           ("door=0.5,0 0.5,1", "empty"), ("door=0,0 1,1.1", "1,1.1"), ("door=nan,0 1,1", "nan,0"),
                           ("door=0,0 -> 0,0", "two different points")):
            done = self.zones("--zone", zone, self.video)
            self.assertEqual(done.returncode, 1, zone)
            self.assertIn(part, done.stderr)
            self.assertNotIn("Traceback", done.stderr)
        done = self.zones("none.mp4")
        self.assertEqual(done.returncode, 1)
        self.assertIn("none.mp4", done.stderr)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    BUILD = os.path.abspath(sys.argv.pop(1))
    Gst.init(None)
    unittest.main()
