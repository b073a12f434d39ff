#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Checks the output and the drawing of examples/zones.py for a code that moves through zones at
known frames.

usage: test-zones.py BUILD
"""
import json
import os
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
# A count changes after 3 of the latest 5 frames, and the model may be off by a few pixels.
LATE, NEAR = 2, 2


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

    def is_drawn(self, picture, x, y, rgb):
        pixel = picture[(y * WIDTH + x) * 3:][:3]
        self.assertLess(max(abs(a - b) for a, b in zip(pixel, rgb)), 48,
                        f"{tuple(pixel)} at {x},{y}, expected {rgb}")

    def test_moving_code(self):
        done = self.zones("--zone", "door={},{} {},{}".format(*DOOR), "--zone", "floor=0,0.8 1,1",
                          "--zone", "room=0,0 1,1", self.video, self.output)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        told = [(round(line["time"] * RATE), *line["zones"].values()) for line in lines]
        place = scenes.PLACES["aztec"]
        centre = FIRST + (place[2] - place[0]) / 2
        enters, leaves = ((edge * WIDTH - centre) / STEP + LATE for edge in (DOOR[0], DOOR[2]))
        self.assertEqual([counts[1:] for counts in told], [(0, 0, 1), (1, 0, 1), (0, 0, 1)], told)
        self.assertLessEqual(told[0][0], LATE)
        self.assertAlmostEqual(told[1][0], enters, delta=NEAR)
        self.assertAlmostEqual(told[2][0], leaves, delta=NEAR)

        pictures = [data for _, data in
                    scenes.pull(f"filesrc location={self.output} ! decodebin", "RGB")]
        self.assertEqual(len(pictures), FRAMES)
        left, top, right, bottom = (round(part * size) for part, size in
                                    zip(DOOR, (WIDTH, HEIGHT) * 2))
        red, green, white = (0xE0, 0x40, 0x40), (0x30, 0xC0, 0x50), (255, 255, 255)
        for n, colour, square in ((10, red, white), ((told[1][0] + told[2][0]) // 2, green, green),
                                  (FRAMES - 3, red, white)):
            for x, y in ((left + 2, top + 20), (right - 2, bottom - 20), (left + 40, top + 2),
                         (right - 40, bottom - 2)):
                self.is_drawn(pictures[n], x, y, colour)
            self.is_drawn(pictures[n], left + 16, top + 16, square)
            self.is_drawn(pictures[n], left - 6, top + 20, white)

    def test_without_arguments(self):
        """Codes on paper, with their centres in the left or the right half."""
        done = self.zones()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout.splitlines()[-1])["zones"], {"left": 3, "right": 4})

    def test_refusals(self):
        for zone in ("door", "=0,0,1,1", "door=0,0,1", "door=0.5,0,0.5,1", "door=0,0,1,1.1",
                     "door=a,b,c,d", "door=nan,0,1,1"):
            done = self.zones("--zone", zone, self.video)
            self.assertEqual(done.returncode, 2, zone)
            self.assertIn("is not \"NAME=X0,Y0 X1,Y1\"", done.stderr)
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
