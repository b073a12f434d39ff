#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""examples/zones.py on a code that moves through zones at known frames: what it prints, and what
it draws.

usage: test-zones.py BUILD
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
BUILD = None
WIDTH, HEIGHT, FRAMES, RATE = 640, 360, 60, 25
# Of the Aztec code in pipelines/codes.png: left, top, width, height.
CODE = 454, 64, 134, 134
FIRST, STEP, ROW = 20, 7, 100       # where its left edge starts, pixels a frame, its top
DOOR = 0.4, 0.1, 0.6, 0.95
# It takes 3 frames of the latest 5 to count, and the model may be off by a few pixels.
LATE, NEAR = 2, 2


def pull(description, form):
    """The frames of a pipeline, each as bytes."""
    pipeline = Gst.parse_launch(f"{description} ! videoconvert ! video/x-raw,format={form} "
                                "! appsink name=out sync=false max-buffers=4")
    sink = pipeline.get_by_name("out")
    pipeline.set_state(Gst.State.PLAYING)
    frames = []
    while True:
        sample = sink.emit("pull-sample")
        if not sample:
            break
        buffer = sample.get_buffer()
        frames.append(buffer.extract_dup(0, buffer.get_size()))
    pipeline.set_state(Gst.State.NULL)
    return frames


def draw_frames():
    """A gray code on white that moves to the right."""
    left, top, width, height = CODE
    picture = pull(f"filesrc location={ROOT}/pipelines/codes.png ! gdkpixbufdec", "GRAY8")[0]
    rows = [picture[y * 640 + left:y * 640 + left + width] for y in range(top, top + height)]
    for n in range(FRAMES):
        frame = bytearray(b"\xff" * (WIDTH * HEIGHT))
        for y, row in enumerate(rows):
            start = (ROW + y) * WIDTH + FIRST + STEP * n
            frame[start:start + width] = row
        yield bytes(frame)


class Zones(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.video = os.path.join(cls.folder.name, "moving.mkv")
        cls.output = os.path.join(cls.folder.name, "counted.mkv")
        subprocess.run(
            ["gst-launch-1.0", "-q", "fdsrc", "!", "rawvideoparse", "format=gray8",
             f"width={WIDTH}", f"height={HEIGHT}", f"framerate={RATE}/1", "!", "videoconvert", "!",
             "video/x-raw,format=I420", "!", "avenc_ffv1", "!",
             "matroskamux", "!", "filesink", f"location={cls.video}"],
            input=b"".join(draw_frames()), check=True, timeout=120)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def zones(self, *arguments):
        return subprocess.run(
            [sys.executable, os.path.join(ROOT, "examples/zones.py"), *arguments], text=True,
            env={**os.environ, "GST_PLUGIN_PATH": os.path.join(BUILD, "gst"),
                 # What autovideosink takes: no window.
                 "GST_PLUGIN_FEATURE_RANK": "fakevideosink:MAX"},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=240,
            check=False)

    def is_drawn(self, picture, x, y, rgb):
        pixel = picture[(y * WIDTH + x) * 3:][:3]
        self.assertLess(max(abs(a - b) for a, b in zip(pixel, rgb)), 48,
                        f"{tuple(pixel)} at {x},{y}, expected {rgb}")

    def test_moving_code(self):
        done = self.zones("--zone", "door=" + ",".join(map(str, DOOR)), "--zone", "floor=0,0.8,1,1",
                          "--zone", "room=0,0,1,1", self.video, self.output)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        told = [(round(line["time"] * RATE), *line["zones"].values()) for line in lines]
        centre = FIRST + CODE[2] / 2
        enters, leaves = ((edge * WIDTH - centre) / STEP + LATE for edge in (DOOR[0], DOOR[2]))
        self.assertEqual([counts[1:] for counts in told], [(0, 0, 1), (1, 0, 1), (0, 0, 1)], told)
        self.assertLessEqual(told[0][0], LATE)
        self.assertAlmostEqual(told[1][0], enters, delta=NEAR)
        self.assertAlmostEqual(told[2][0], leaves, delta=NEAR)

        pictures = pull(f"filesrc location={self.output} ! decodebin", "RGB")
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
        """Codes on paper, of which the middles are on either side."""
        done = self.zones()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout.splitlines()[-1])["zones"], {"left": 3, "right": 4})

    def test_refusals(self):
        for zone in ("door", "=0,0,1,1", "door=0,0,1", "door=0.5,0,0.5,1", "door=0,0,1,1.1",
                     "door=a,b,c,d", "door=nan,0,1,1"):
            done = self.zones("--zone", zone, self.video)
            self.assertEqual(done.returncode, 2, zone)
            self.assertIn("is not NAME=X0,Y0,X1,Y1", done.stderr)
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
