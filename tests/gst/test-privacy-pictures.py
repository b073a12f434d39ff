#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Photographs of people through yolov10overlay privacy=blur and fill: afterwards y10 detect must
detect nobody, for any element between detector and overlay and any state of the detector. In a
recorded video with few inferred frames, it must detect none of the moving objects. Uses the real
weights, photographs and video of ../shared if they are present."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

Y10, PLUGINS = sys.argv[1:3]
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHARED = os.path.join(ROOT, "../shared")
MODEL = os.path.join(SHARED, "models/yolov10n-coco.safetensors")
LABELS = os.path.join(SHARED, "models/coco.names")
PHOTOS = {"zidane": ("media/zidane.jpg", 2), "bus": ("media/bus.jpg", 3)}
DETECT = (f"yolov10detect name=d model-file={MODEL} label-file={LABELS} classes=person "
          "confidence=0.1")
# The elements between photograph and overlay, and whether the whole picture is
# covered.
ROWS = {
    "nothing": (f"{DETECT} !", False),
    "queue": (f"{DETECT} ! queue !", False),
    "tee": (f"{DETECT} ! tee name=t ! queue ! fakesink t. ! queue !", False),
    "tracker": (f"{DETECT} ! yolov10track !", False),
    "convert": (f"{DETECT} ! videoconvert ! video/x-raw,format=NV12 !", False),
    "scale": (f"{DETECT} ! videoscale ! video/x-raw,width=HALF_WIDTH,height=HALF_HEIGHT,"
              "pixel-aspect-ratio=1/1 !", False),
    "crop": (f"{DETECT} ! videocrop left=40 top=20 !", True),
    "crop and rescale": (f"{DETECT} ! videocrop left=60 right=60 top=60 bottom=60 ! videoscale ! "
                         "video/x-raw,width=WIDTH,height=HEIGHT !", True),
    "flip by 180": (f"{DETECT} ! videoflip video-direction=180 !", True),
    "videobox": (f"{DETECT} ! videobox left=-100 right=100 !", True),
    "compositor": (f"{DETECT} ! compositor ! video/x-raw,width=WIDTH,height=HEIGHT !", True),
    "no detector": ("", True),
    "inactive": (f"{DETECT} active=false !", True),
    "attach=none": (f"{DETECT} attach=0 !", True),
}


VIDEO = os.path.join(SHARED, "media/bottle-detection.mp4")


def launch(line):
    """Runs a pipeline and returns its output, including warnings."""
    env = dict(os.environ, GST_PLUGIN_PATH=PLUGINS)
    return subprocess.run(["gst-launch-1.0", *line.split()], check=True, env=env, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout


def find(path, classes="person", confidence="0.25"):
    """The detections of the command with the same weights: a list for each
    picture or frame."""
    found = subprocess.run([Y10, "detect", "--model", MODEL, path, "--labels", LABELS,
                            "--classes", classes, "--confidence", confidence],
                           check=True, capture_output=True, text=True)
    return [json.loads(line)["objects"] for line in found.stdout.splitlines()]


@unittest.skipUnless(os.path.exists(MODEL), "there are no weights in ../shared")
class Pictures(unittest.TestCase):
    """Tests each way to the overlay with each photograph."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.dir = temporary.name

    def size_of(self, path):
        """Of the picture, in pixels."""
        line = subprocess.run([Y10, "detect", "--model", MODEL, path, "--labels", LABELS],
                              check=True, capture_output=True, text=True).stdout.splitlines()[0]
        size = json.loads(line)["resolution"]
        return size["width"], size["height"]

    def test_photographs(self):
        """y10 detect finds people in the photograph, and none in the output."""
        for name, (path, n_people) in PHOTOS.items():
            path = os.path.join(SHARED, path)
            width, height = self.size_of(path)
            self.assertGreaterEqual(len(find(path)[0]), n_people)
            for privacy in "blur", "fill":
                for row, (elements, covers_all) in ROWS.items():
                    elements = elements.replace("HALF_WIDTH", str(width // 2))
                    elements = elements.replace("HALF_HEIGHT", str(height // 2))
                    elements = elements.replace("WIDTH", str(width)).replace("HEIGHT", str(height))
                    out = os.path.join(self.dir, f"{name}-{privacy}-{row.replace(' ', '-')}.png")
                    with self.subTest(photo=name, privacy=privacy, row=row):
                        warned = launch(
                            f"filesrc location={path} ! jpegdec ! videoconvert ! "
                            f"video/x-raw,format=I420 ! {elements} yolov10overlay "
                            f"privacy={privacy} show-label=false show-confidence=false ! "
                            f"videoconvert ! pngenc snapshot=true ! filesink location={out}")
                        self.assertEqual(find(out), [[]])
                        self.assertEqual("Privacy covers the whole picture" in warned, covers_all,
                                         warned)
                        keep = os.environ.get("Y10_KEEP_PICTURES")
                        if keep:
                            os.replace(out, os.path.join(keep, os.path.basename(out)))

    def test_still(self):
        """One frame of a thousand is inferred: nobody is found in any of the first 60."""
        path = os.path.join(SHARED, PHOTOS["zidane"][0])
        launch(f"filesrc location={path} ! jpegdec ! videoconvert ! imagefreeze num-buffers=60 ! "
               f"video/x-raw,format=I420,framerate=30/1 ! {DETECT} inference-interval=1000 "
               "max-hold=100000000 ! yolov10overlay privacy=blur show-label=false "
               "show-confidence=false ! videorate ! video/x-raw,framerate=5/1 ! videoconvert ! "
               f"pngenc ! multifilesink location={self.dir}/%02d.png")
        frames = find(self.dir)
        self.assertGreaterEqual(len(frames), 10)
        self.assertFalse(any(frames))

    def test_moving(self):
        """Moving bottles and a person who reaches into the picture, with two inferences a
        second."""
        classes = "bottle,person"
        line = (f"filesrc location={VIDEO} ! qtdemux ! h264parse ! avdec_h264 ! identity "
                "eos-after=400 ! {} videorate ! video/x-raw,framerate=10/1 ! videoconvert ! "
                "pngenc compression-level=1 ! multifilesink location={}/%04d.png")
        detect = DETECT.replace("classes=person", f"classes={classes}")
        hidden = (f"{detect} inference-interval=15 ! yolov10overlay privacy=fill show-label=false "
                  "show-confidence=false line-width=1 !")
        for name, elements in (("shown", ""), ("hidden", hidden)):
            folder = os.path.join(self.dir, name)
            os.mkdir(folder)
            launch(line.format(elements, folder))
            frames = find(folder, classes, "0.4")
            self.assertGreater(len(frames), 100)
            self.assertEqual(any(frames), name == "shown")


if __name__ == "__main__":
    program = unittest.main(argv=sys.argv[:1], exit=False)
    if program.result.wasSuccessful() and program.result.skipped:
        print(f"SKIP: {program.result.skipped[0][1]}")
        sys.exit(77)
    sys.exit(not program.result.wasSuccessful())
