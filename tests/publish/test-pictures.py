#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Pictures of events show what the frame shows, by GStreamer's jpegdec; with privacy, what is covered
or none; and a disk that fails, or a restart, costs pictures and neither lines nor names.

usage: test-pictures.py Y10 BUILD-GST [TEST...]"""
import base64
import glob
import json
import os
import re
import resource
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import unittest

from launch import Launching, PATIENCE, until

Y10, PLUGINS = sys.argv.pop(1), sys.argv.pop(1)
LACKING = [e for e in ("videotestsrc", "jpegenc", "jpegdec", "videoconvert", "pngdec", "imagefreeze")
           if subprocess.run(["gst-inspect-1.0", "--exists", e], check=False).returncode]
CODES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../pipelines/codes.png")
WIDTH, HEIGHT = 320, 240
# The ball of videotestsrc, which is white on black.
BALL = (f"videotestsrc pattern=ball num-buffers=40 ! video/x-raw,format=I420,width={WIDTH},height={HEIGHT},"
        "framerate=10/1 ! yolov10detect name=d ! yolov10track ! "
        "yolov10zones hysteresis=0 grace=9000000000 dwell=500000000 "
        "zones='a=0,0 0.6,1; l=0,0.6 -> 1,0.6; all=0,0 1,1'")
# Codes that stand still.
STILL = (f"filesrc location={CODES} ! pngdec ! imagefreeze num-buffers=8 ! video/x-raw,framerate=10/1 ! "
         "videoconvert ! yolov10detect name=d input-size=640 ! yolov10track ! "
         "yolov10zones 'zones=yard=0,0 1,1' dwell=500000000")
PICTURED = {"enter", "cross", "dwell"}


class Pictures(Launching):
    plugins = PLUGINS

    def events(self, more, scene=BALL, out="lines", options="", **arguments):
        """Runs the scene; returns the lines of events and the folder of pictures."""
        pictures, lines = self.path("pictures"), self.path(out)
        self.launch(f"{scene} ! {more.format(publish=self.publish(options, lines))}", **arguments)
        with open(lines, encoding="utf-8") as file:
            return [json.loads(line) for line in file], pictures

    def publish(self, options="", lines=None):
        return (f"yolov10publish name=p location={lines or self.path('lines')} content=events "
                f"snapshots={self.path('pictures')} {options}")

    def decode(self, path):
        """Width, height and the pixels, as RGB."""
        raw = self.path("raw")
        done = self.launch(f"filesrc location={path} ! jpegdec ! videoconvert ! video/x-raw,format=RGB ! "
                           f"filesink location={raw}", "-v")
        caps = re.search(r"caps = (video/x-raw,.*format=\(string\)RGB.*)", done.stdout)[1]
        width, height = (int(re.search(rf"{name}=\(int\)(\d+)", caps)[1]) for name in ("width", "height"))
        with open(raw, "rb") as file:
            data = file.read()
        stride = (3 * width + 3) & ~3
        self.assertEqual(len(data), stride * height)
        return width, height, [data[y * stride:y * stride + 3 * width] for y in range(height)]

    def check_files(self, lines, pictures):
        """The names in lines are those of all files, which only their owner can read."""
        names = {line["snapshot"] for line in lines if "snapshot" in line}
        self.assertEqual(names, set(os.listdir(pictures)))
        for name in names:
            self.assertRegex(name, r"^20\d{6}T\d{6}\.\d{3}Z-\w+-\d+\.jpg$")
            self.assertEqual(stat.S_IMODE(os.stat(os.path.join(pictures, name)).st_mode), 0o600)
        return names

    def test_ball(self):
        """Each picture has the ball where its event has it."""
        lines, pictures = self.events("{publish} ! fakesink")
        self.assertGreaterEqual({line["event"] for line in lines}, PICTURED | {"leave"})
        for line in lines:
            self.assertEqual("snapshot" in line, line["event"] in PICTURED, line)
        for line in lines:
            if "snapshot" not in line:
                continue
            width, height, rows = self.decode(os.path.join(pictures, line["snapshot"]))
            self.assertEqual((width, height), (WIDTH, HEIGHT))
            white = [(x, y) for y, row in enumerate(rows) for x in range(width) if row[3 * x] > 128]
            # The place is the middle of the box's lower edge.
            self.assertAlmostEqual(sum(x for x, _ in white) / len(white), line["x"] * WIDTH, delta=4)
            self.assertAlmostEqual(max(y for _, y in white), line["y"] * HEIGHT, delta=6)
            self.assertLess(len(white), WIDTH * HEIGHT / 10)
            for at, size in ((0, WIDTH), (1, HEIGHT)):
                self.assertAlmostEqual(min(place[at] for place in white), line["box"][at] * size, delta=6)
                self.assertAlmostEqual(max(place[at] for place in white) + 1, line["box"][at + 2] * size, delta=6)
        self.check_files(lines, pictures)

    def test_crop(self):
        """A crop has the whole ball, and little else."""
        lines, pictures = self.events("{publish} ! fakesink", options="snapshot-crop=true")
        names = self.check_files(lines, pictures)
        self.assertFalse(any("box" in line for line in lines))
        self.assertEqual(len(names), sum("snapshot" in line for line in lines))
        for name in names:
            width, height, rows = self.decode(os.path.join(pictures, name))
            white = sum(row[3 * x] > 128 for row in rows for x in range(width))
            self.assertLess(width, 80)
            # A disk fills 79 % of its box, less what the margin adds to that.
            self.assertGreater(white, width * height * 0.3)
            self.assertLess(white, width * height * 0.79)

    def test_boxes(self):
        """With the boxes behind the overlay, without them in front of it."""
        def colours(place):
            lines, pictures = self.events(place)
            _, _, rows = self.decode(os.path.join(pictures, next(x["snapshot"] for x in lines if "snapshot" in x)))
            found = sum(max(row[3 * x:3 * x + 3]) - min(row[3 * x:3 * x + 3]) > 60
                        for row in rows for x in range(WIDTH))
            shutil.rmtree(pictures)
            os.remove(self.path("lines"))
            return found
        self.assertEqual(colours("{publish} ! yolov10overlay show-zones=false ! fakesink"), 0)
        self.assertGreater(colours("yolov10overlay show-zones=false ! {publish} ! fakesink"), 50)

    def test_inline(self):
        lines, pictures = self.events("{publish} ! fakesink", options="snapshot-inline=true")
        pictured = [line for line in lines if "snapshot" in line]
        self.assertGreater(len(pictured), 3)
        for line in pictured:
            with open(os.path.join(pictures, line["snapshot"]), "rb") as file:
                self.assertEqual(base64.b64decode(line["snapshot-jpeg"], validate=True), file.read())

    def test_shared(self):
        """Events of one frame have one picture; two elements of one name never the same."""
        publish = "yolov10publish location={} content=events stream=a/b snapshots={} ! "
        self.launch(f"{STILL} ! " + publish.format(self.path("1"), self.path("pictures"))
                    + publish.format(self.path("2"), self.path("pictures")) + "fakesink")
        found = []
        for i in "12":
            with open(self.path(i), encoding="utf-8") as file:
                lines = [json.loads(line) for line in file]
            frames = {line["timestamp"] for line in lines if line["event"] in PICTURED}
            names = {line["snapshot"] for line in lines if "snapshot" in line}
            self.assertEqual(len(names), len(frames))
            self.assertGreater(sum("snapshot" in line for line in lines), len(names))
            self.assertTrue(all("-a_b-" in name for name in names))
            found += names
        self.assertEqual(sorted(found), sorted(os.listdir(self.path("pictures"))))

    def test_restart(self):
        """Names of another start are others, and older pictures stay."""
        for _ in range(3):
            lines, pictures = self.events("{publish} ! fakesink")
        names = self.check_files(lines, pictures)
        self.assertEqual(len(names), len({line["snapshot"] for line in lines if "snapshot" in line}))
        self.assertEqual(len(names) % 3, 0)

    def test_killed(self):
        """After kill -9, each name in a line is a picture."""
        spool, pictures = self.path("spool"), self.path("pictures")
        source = BALL.replace("num-buffers=40", "is-live=true")
        for _ in range(3):
            process = subprocess.Popen(["gst-launch-1.0", "-q", *shlex.split(
                f"{source} ! yolov10publish content=events sync-interval=1 spool={spool} snapshots={pictures} "
                "! fakesink")], env=self.env)
            count = len(glob.glob(pictures + "/*"))
            until(lambda count=count: len(glob.glob(pictures + "/*")) >= count + 2, "two pictures")
            process.kill()
            process.wait()
        names = set()
        for path in glob.glob(spool + "/0*.jsonl"):
            with open(path, encoding="utf-8") as file:
                names |= {json.loads(line).get("snapshot") for line in file}
        names -= {None}
        self.assertGreaterEqual(len(names), 3)
        for name in names:
            self.assertEqual(self.decode(os.path.join(pictures, name))[:2], (WIDTH, HEIGHT))

    def test_full(self):
        """Where pictures cannot be written, all events go without them, after one warning."""
        self.launch("fakesrc num-buffers=1 ! fakesink")

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        out = self.path("spool")
        done = self.launch(f"{BALL} ! yolov10publish content=events spool={out} sync-interval=0 "
                           f"snapshots={self.path('pictures')} ! fakesink", preexec_fn=limit)
        self.assertEqual((done.stdout + done.stderr).count("write a picture to"), 1, done.stdout + done.stderr)
        self.assertIn("Got EOS", done.stdout)
        self.assertEqual(os.listdir(self.path("pictures")), [])
        found = []
        for path in sorted(glob.glob(out + "/0*.jsonl")):
            with open(path, encoding="utf-8") as file:
                found += [json.loads(line) for line in file]
        whole, _ = self.events("{publish} ! fakesink")
        self.assertEqual([line["event"] for line in found], [line["event"] for line in whole])
        self.assertFalse(any("snapshot" in line for line in found))

    def test_limits(self):
        """Old pictures go for their age and for their size; nothing else in the folder does."""
        pictures = self.path("pictures")
        os.mkdir(pictures)
        old = {"20200101T000000.000Z-p-1.jpg": True, "20200101T000000.000Z-p-1.png": False,
               "holiday.jpg": False, ".snapshot-00000001.new": True}
        for name in old:
            with open(os.path.join(pictures, name), "wb") as file:
                file.write(b"x" * 5000)
            os.utime(os.path.join(pictures, name), (1.6e9, 1.6e9))
        self.events("{publish} ! fakesink", options="max-bytes=0")
        self.assertLess(set(old), set(os.listdir(pictures)))
        self.events("{publish} ! fakesink", options="max-bytes=0 max-age=3600000000000")
        left = set(os.listdir(pictures))
        self.assertEqual(left & set(old), {name for name, goes in old.items() if not goes})
        before = left - set(old)
        self.assertGreater(len(before), 5)
        lines, _ = self.events("{publish} ! fakesink", options="max-bytes=30000", out="limited")
        sizes = [os.path.getsize(path) for path in glob.glob(pictures + "/20*Z-p-*.jpg")]
        self.assertLessEqual(sum(sizes), 30000)
        newest = max(line["snapshot"] for line in lines if "snapshot" in line)
        self.assertIn(newest, os.listdir(pictures))
        self.assertIn("holiday.jpg", os.listdir(pictures))

    def refuse(self, pipeline, overlay="o"):
        done = self.launch(pipeline, fails=True)
        errors = re.findall(r"^ERROR: from element (.*)$", done.stderr, re.M)
        self.assertEqual([e for e in errors if "snapshots:" in e],
                         [e for e in errors if f"before {overlay} covers them" in e and "/GstYolov10Publish:p:" in e],
                         done.stderr)
        self.assertEqual(sum("snapshots:" in e for e in errors), 1, done.stderr)
        self.assertEqual(glob.glob(self.path("pictures") + "/*"), [])

    def test_privacy_refused(self):
        """Where an overlay covers frames later, or in another branch, no picture is written."""
        publish = self.publish()
        cover = "yolov10overlay name=o privacy=fill ! fakesink sync=false"
        self.refuse(f"{BALL} ! {publish} ! {cover}")
        self.refuse(f"{BALL} ! {publish} ! queue ! videoconvert ! tee ! queue ! {cover}")
        self.refuse(f"{BALL} ! {publish} ! videoscale ! video/x-raw,width=160,height=120 ! {cover}")
        self.refuse(f"{BALL} ! tee name=t ! queue ! {publish} ! fakesink  t. ! queue ! {cover}")
        self.refuse(f"{BALL} ! yolov10overlay privacy=blur labels=face ! {publish} ! {cover}")

    def test_privacy_off(self):
        """An overlay that covers nothing is none; nor is one of another detector."""
        lines, pictures = self.events("{publish} ! yolov10overlay ! fakesink")
        self.check_files(lines, pictures)
        self.assertTrue(any("snapshot" in line for line in lines))
        other = f"videotestsrc num-buffers=1 ! video/x-raw,width={WIDTH},height={HEIGHT} ! yolov10detect ! "
        self.launch(f"{BALL} ! {self.publish()} ! fakesink  {other} yolov10overlay privacy=blur ! fakesink")

    def test_privacy(self):
        """Behind the overlay, no picture and no crop has what is covered: here the ball, and the codes
        that the detector finds."""
        for options in "", "snapshot-crop=true":
            lines, pictures = self.events("yolov10overlay privacy=fill show-zones=false show-label=false "
                                          "line-width=1 show-confidence=false ! {publish} ! fakesink",
                                          options=options)
            self.assertGreater(len(self.check_files(lines, pictures)), 2)
            for name in os.listdir(pictures):
                _, _, rows = self.decode(os.path.join(pictures, name))
                # What is filled is dark, and the ball is white; the frame of the box has a colour.
                self.assertFalse(any(min(row[x:x + 3]) > 160 for row in rows for x in range(0, len(row), 3)))
            shutil.rmtree(pictures)
            os.remove(self.path("lines"))
            lines, pictures = self.events("yolov10overlay privacy=fill show-zones=false show-label=false "
                                          "show-confidence=false line-width=1 ! {publish} ! fakesink",
                                          scene=STILL, options=options)
            names = self.check_files(lines, pictures)
            self.assertGreater(len(names), 0)
            bare, free = self.path("bare.jsonl"), self.path("free")
            self.launch(f"{STILL} ! yolov10publish location={bare} content=events snapshots={free} {options} "
                        "! fakesink")
            self.assertEqual(self.find_codes(pictures), 0)
            self.assertGreater(self.find_codes(free), 2)
            shutil.rmtree(pictures)
            shutil.rmtree(free)
            os.remove(self.path("lines"))

    def find_codes(self, folder):
        """How many codes the detector finds in the pictures. A marker is a dark square, as what is filled."""
        done = subprocess.run([Y10, "detect", "--format", "jsonl", "--size", "640", "--classes",
                               "barcode,qr-code,data-matrix,aztec,pdf417", *glob.glob(folder + "/*.jpg")],
                              env=self.env, check=True, capture_output=True, text=True, timeout=PATIENCE)
        return sum(len(json.loads(line)["objects"]) for line in done.stdout.splitlines())

    def test_refused(self):
        source = "videotestsrc num-buffers=1 ! yolov10publish location=/dev/null"
        for properties, says in (("snapshots=/nonexistent/a/b", "snapshots: cannot make the folder /nonexistent/a/b"),
                                 (f"snapshots={sys.argv[0]}", "Not a directory"),
                                 ("snapshots=x content=frames", "content is frames; expected events or all")):
            done = self.launch(f"{source} {properties} ! fakesink", fails=True)
            self.assertEqual(done.stderr.count("ERROR: from element"), 1, done.stderr)
            self.assertIn(says, done.stderr)


if __name__ == "__main__":
    if not shutil.which("gst-launch-1.0") or LACKING:
        print(f"gst-launch-1.0 or {LACKING} is missing")
        sys.exit(77)
    unittest.main()
