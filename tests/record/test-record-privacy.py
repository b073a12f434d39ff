#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""yolov10record behind yolov10overlay with privacy: in no recorded picture, decoded by FFmpeg, does y10
detect find what the overlay covers, and it does in each of the camera's own. Moves over the picture of
codes with the bundled model (Codes), and over photographs of people with the weights of ../shared
(People).

usage: test-record-privacy.py Y10 PLUGINS [UNITTEST ARGUMENT...]
"""
import glob
import json
import os
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../publish"))
from launch import Launching  # noqa: E402

Y10, PLUGINS = sys.argv.pop(1), sys.argv.pop(1)
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
SHARED = os.path.join(ROOT, "../shared")
MODEL = os.path.join(SHARED, "models/yolov10n-coco.safetensors")
LABELS = os.path.join(SHARED, "models/coco.names")
N_FRAMES = 50

if not shutil.which("ffmpeg"):
    print("ffmpeg is not installed")
    sys.exit(77)


def ffmpeg(*args):
    subprocess.run(["ffmpeg", "-v", "error", "-y", *args], check=True, stdin=subprocess.DEVNULL)


class Recordings(Launching):
    plugins = PLUGINS

    def check(self, picture, move, detect, *options):
        """Records what a camera that moves over the picture sends, and what the overlay covers of that."""
        film = self.path("film.mp4")
        ffmpeg("-loop", "1", "-framerate", "25", "-i", picture, "-vf", move, "-frames:v", str(N_FRAMES),
               "-c:v", "libx264", "-g", "10", "-pix_fmt", "yuv420p", film)
        done = self.launch(
            f"filesrc location={film} ! qtdemux ! h264parse ! tee name=t "
            f"t. ! queue ! yolov10record location={self.path('sent')} stream=sent "
            f"t. ! queue ! avdec_h264 ! {detect} ! yolov10overlay privacy=fill stream=yard show-label=false "
            "show-confidence=false line-width=1 ! queue ! x264enc key-int-max=10 ! h264parse ! "
            f"yolov10record location={self.path('covered')} stream=yard")
        self.assertNotIn("WARNING", done.stdout + done.stderr)
        found = {name: self.detect(name, *options) for name in ("sent", "covered")}
        self.assertEqual([len(frames) for frames in found.values()], [N_FRAMES, N_FRAMES])
        self.assertTrue(all(found["sent"]))
        self.assertFalse(any(found["covered"]), found["covered"])

    def detect(self, name, *options):
        """What is found in each frame of a folder of recordings."""
        (path,) = glob.glob(self.path(name) + "/*.mp4")
        os.mkdir(self.path(name + "-frames"))
        ffmpeg("-i", path, "-vsync", "0", self.path(name + "-frames") + "/%04d.png")
        done = subprocess.run([Y10, "detect", "--format", "jsonl", *options, self.path(name + "-frames")],
                              check=True, capture_output=True, text=True)
        return [json.loads(line)["objects"] for line in done.stdout.splitlines()]


class Codes(Recordings):
    def test_codes(self):
        """What is filled looks like other kinds of codes."""
        self.check(os.path.join(ROOT, "pipelines/codes.png"), "pad=iw+200:ih+200:100:100:white,crop=640:480:n*2:n",
                   "yolov10detect input-size=640 confidence=0.1", "--size", "640", "--classes", "qr-code")

    def test_elements(self):
        """yolov10record finds the overlay through what stands between them, and none where it is not."""
        scene = "videotestsrc num-buffers=30 ! video/x-raw,width=160,height=120,framerate=25/1 ! "
        cover, out = "yolov10overlay name=cover privacy=fill stream=yard", self.path("out")
        record = f"yolov10record name=rec location={out} stream=yard"
        for elements in ("x264enc ! h264parse",
                         "x265enc ! h265parse",
                         "queue ! videoconvert ! videoscale ! videorate ! x264enc ! identity ! valve ! h264parse",
                         "x264enc ! tee ! queue ! h264parse ! capsfilter caps=video/x-h264 ! h264timestamper ! queue2",
                         "x264enc ! rtph264pay ! rtph264depay ! h264parse",
                         "x264enc ! mpegtsmux ! tsdemux ! h264parse",
                         "x264enc ! avdec_h264 ! x264enc ! h264parse"):
            with self.subTest(elements):
                self.launch(f"{scene} {cover} ! {elements} ! {record}")
                self.assertGreater(os.path.getsize(*glob.glob(out + "/*.mp4")), 1000)
                shutil.rmtree(out)
        for elements in (f"x264enc ! h264parse ! tee name=t t. ! queue ! {record} t. ! queue ! avdec_h264 ! {cover} ! fakesink",
                         f"compositor name=c ! x264enc ! h264parse ! {record} {scene} {cover} ! c."):
            with self.subTest(elements):
                done = self.launch(scene + elements, fails=True)
                self.assertIn('stream "yard": rec gets frames that cover', done.stderr)
                self.assertEqual(os.listdir(out), [])


@unittest.skipUnless(os.path.exists(MODEL), "there are no weights in ../shared")
class People(Recordings):
    def check_people(self, name, move):
        self.check(os.path.join(SHARED, "media", name), move,
                   f"yolov10detect model-file={MODEL} label-file={LABELS} classes=person confidence=0.1",
                   "--model", MODEL, "--labels", LABELS, "--classes", "person", "--confidence", "0.25")

    def test_zidane(self):
        self.check_people("zidane.jpg", "crop=960:640:n*4:n")

    def test_bus(self):
        self.check_people("bus.jpg", "crop=720:720:n:200+n*2")


if __name__ == "__main__":
    program = unittest.main(exit=False)
    if program.result.wasSuccessful() and program.result.skipped:
        print(f"SKIP: {program.result.skipped[0][1]}")
        sys.exit(77)
    sys.exit(not program.result.wasSuccessful())
