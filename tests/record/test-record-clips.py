#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Clips of events, with the seconds before them, and what the index says of boxes and times.

usage: test-record-clips.py PLUGINS Y10 [UNITTEST ARGUMENT...]
"""
import base64
import collections
import datetime
import glob
import json
import os
import random
import re
import signal
import struct
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from recordings import PATIENCE, Recordings, index_of, packets, read_lines, tell, until  # noqa: E402

FPS = 25
Clip = collections.namedtuple("Clip", "file of began ended")


def seconds(text):
    """Of a time that a message or a line has."""
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def floats(text):
    """What the boxes of a line are."""
    data = base64.b64decode(text)
    n = len(data) // 4
    return [struct.unpack("<f", bytes(data[i::n]))[0] for i in range(n)]


class Clips(Recordings):
    plugins = None

    def camera(self, record, more="", pattern="ball", coder="x264enc speed-preset=ultrafast bframes=2 b-adapt=false key-int-max=25 "
               "! h264parse"):
        """A camera that is recorded in the background."""
        process = subprocess.Popen(
            ["gst-launch-1.0", "-e", "-m", *(
                f"videotestsrc is-live=true pattern={pattern} ! video/x-raw,width=320,height=240,framerate={FPS}/1 ! {coder} ! "
                f"tee name=coded coded. ! queue ! yolov10record location={self.path('out')} {record} {more}").split()],
            env=self.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def stop(self, process):
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=PATIENCE)
        return output

    def clips(self):
        return [path for path in self.recordings() if path.endswith("_clip.mp4")]

    def tell(self, name="enter", **more):
        """In the spool of the camera. Returns when."""
        return tell(self.path("spool"), name, **more)

    def told(self, output):
        """Clips by the messages."""
        return [Clip(*found[:2], seconds(found[2]), seconds(found[3])) for found in re.findall(
            r"yolov10record, clip=\(string\)(\S+?), of=\(string\)(\S+?), reason=\S+ from=\(string\)(\S+?), to=\(string\)(\S+?);",
            output)]

    def jitter(self):
        """How regularly frames arrived: when they did, less when they are shown; seconds."""
        lines = [line for path in self.recordings() for line in read_lines(index_of(path)) if "offset" in line]
        delays = [seconds(line["utc"]) - line["pts"] / 1e9 for line in lines]
        return max(delays) - min(delays)

    def check_clips(self, output, times, before, after):
        """Each event has its clip, from a key frame on, and no frame of it is missing."""
        clips = self.told(output)
        self.assertEqual(len(clips), len(times), output)
        whole = [p[2:] for path in self.recordings() if path not in self.clips() for p in packets(path)]
        slack = 0.002 + self.jitter()
        for clip, at in zip(sorted(clips, key=lambda clip: int(clip.of.split("-")[1])), times):
            path = os.path.join(self.path("out"), clip.file)
            self.assertLessEqual(clip.began, at - before + slack)
            self.assertGreaterEqual(clip.ended, at + after - slack)
            part = [p[2:] for p in packets(path)]
            self.assertTrue(part[0][1])
            self.assertGreaterEqual(len(part), (before + after) * FPS)
            self.assertTrue(any(whole[i:i + len(part)] == part for i in range(len(whole) - len(part) + 1)), path)

    def test_events(self):
        """Of another process, at any time, also overlapping."""
        chance = random.Random(7)
        process = self.camera(f"mode=both events={self.path('spool')}#yard before=1000000000 after=500000000 "
                              "file-duration=3000000000")
        until(self.recordings, "no recording")
        time.sleep(2.5)
        times = []
        for pause in (0, 0.2, chance.uniform(0.3, 1.4), 3.1, chance.uniform(0.3, 1.4)):
            time.sleep(pause)
            times.append(self.tell())
        self.tell(stream="street")
        time.sleep(2)
        self.check_clips(self.stop(process), times, 1, 0.5)
        # The first ones share a clip; between the others are two seconds.
        self.assertIn(len(self.clips()), (2, 3), self.clips())

    def test_events_alone(self):
        """Without an event, nothing is written."""
        process = self.camera(f"mode=events events={self.path('spool')}#yard before=1000000000 after=500000000")
        until(lambda: os.path.isdir(self.path("out")))
        time.sleep(3)
        self.assertEqual(os.listdir(self.path("out")), [])
        at = self.tell()
        output = ""
        until(self.clips)
        time.sleep(2)
        output = self.stop(process)
        (clip,) = self.told(output)
        self.assertLessEqual(clip.began, at - 1 + 0.002 + self.jitter())
        self.assertEqual([os.path.join(self.path("out"), clip.file)], self.recordings())

    def test_killed(self):
        """Whoever waits for a clip when the program is killed is told after the next start."""
        spool = self.path("spool")
        rest = ("coded. ! queue ! avdec_h264 ! videoconvert ! yolov10detect ! yolov10track ! "
                f"yolov10zones zones=gate=0,0.6->1,0.6 ! yolov10publish spool={spool} stream=yard content=events ! fakesink")
        record = f"mode=events events={spool}#yard after=60000000000"

        def lines(kind):
            found = []
            for path in sorted(glob.glob(spool + "/0*.jsonl")):
                with open(path, encoding="utf-8") as f:
                    found += [line for line in map(json.loads, f) if line["event"] == kind]
            return found
        process = self.camera(record, rest)
        pending = os.path.join(self.path("out"), "clips.pending")
        until(lambda: os.path.exists(pending) and lines("cross"), "nobody waits for a clip")
        process.kill()
        process.wait()
        with open(pending, encoding="utf-8") as f:
            waiting = list(map(json.loads, f))
        process = self.camera(record, rest)
        until(lambda: len(lines("clip")) >= len(waiting), "nobody was told")
        self.stop(process)
        told = {line["of"]: line for line in lines("clip")}
        for wish in waiting:
            self.assertEqual(told[wish["of"]]["file"], wish["file"])
            self.assertTrue(packets(os.path.join(self.path("out"), wish["file"])))
        self.assertFalse(os.path.exists(pending))

    def test_long_gop(self):
        """Where memory does not reach back to a key frame, the clip begins with the next one, and that is said once."""
        process = self.camera(f"mode=events events={self.path('spool')}#yard before=2000000000 ring-bytes=1048576",
                              pattern="snow", coder="x264enc speed-preset=ultrafast bitrate=8000 key-int-max=150 ! h264parse")
        until(lambda: os.path.isdir(self.path("out")))
        time.sleep(4)
        for _ in range(2):
            self.tell()
            time.sleep(0.1)
        until(self.clips, "no clip")
        output = self.stop(process)
        self.assertEqual(output.count("ring-bytes is too small"), 1, output)
        for path in self.clips():
            self.assertTrue(packets(path)[0][3])

    def test_spool(self):
        """Of this process: each event has a line of its clip in the spool, and the boxes of each frame are beside it,
        bit for bit."""
        spool = self.path("spool")
        process = self.camera(
            f"mode=both events={spool}#yard before=1000000000 after=500000000 file-duration=4000000000",
            "coded. ! queue ! avdec_h264 ! videoconvert ! yolov10detect ! yolov10track ! "
            f"yolov10zones zones=gate=0,0.6->1,0.6 ! yolov10publish spool={spool} stream=yard ! fakesink")

        def lines(kind):
            path = os.path.join(spool, "00000001.jsonl")
            if not os.path.exists(path):
                return []
            with open(path, encoding="utf-8") as f:
                return [line for line in map(json.loads, f) if line.get("event") == kind]
        until(lambda: len(lines("clip")) >= 3 and len(self.recordings()) >= 4)
        output = self.stop(process)
        self.assertNotIn("ring-bytes", output)
        events = {f"1-{at}" for at in self.offsets(spool)}
        told = lines("clip")
        self.assertEqual(len({line["of"] for line in told}), len(told))
        # Also those of the last frames.
        self.assertEqual({line["of"] for line in told}, events)
        for line in told:
            self.assertEqual(line["stream"], "yard")
            self.assertTrue(os.path.exists(os.path.join(self.path("out"), line["file"])))
        frames = {line["timestamp"]: line["objects"] for line in lines(None)}
        for path in self.recordings():
            self.check_boxes(path, frames)
        self.check_tool()

    def check_tool(self):
        """y10 record finds the recordings sound, tells clips from the rest, and exports the latter whole."""
        def run(*args):
            return subprocess.run([Y10, "record", *args], check=True, capture_output=True, text=True,
                                  env=self.env).stdout
        self.assertEqual(run("check", self.path("out")), "")
        listed = [json.loads(line) for line in run("index", self.path("out"), "--json").splitlines()]
        self.assertEqual([line["recording"] for line in listed if line["clip"]], list(map(os.path.basename, self.clips())))
        self.assertEqual({line["state"] for line in listed}, {"complete"})
        run("export", self.path("out"), "--from", "0", "--to", "9999999999", "-o", self.path("all.mp4"))
        whole = [p[2:] for path in self.recordings() if path not in self.clips() for p in packets(path)]
        self.assertEqual([p[2:] for p in packets(self.path("all.mp4"))], whole)

    def offsets(self, spool):
        at = 0
        with open(os.path.join(spool, "00000001.jsonl"), "rb") as f:
            for line in f:
                if line.startswith(b'{"event":"cross"'):
                    yield at
                at += len(line)

    def check_boxes(self, path, frames):
        found = read_lines(index_of(path))
        boxes = {line["pts"]: line for line in found if "boxes" in line}
        gops = [line for line in found if "offset" in line]
        (end,) = [line for line in found if "end" in line]
        self.assertEqual(end["bytes"], os.path.getsize(path))
        shown = packets(path)
        self.assertEqual([line["time"] for line in gops], [round(p[1] * 1e9) for p in shown if p[3]])
        with open(path, "rb") as f:
            data = f.read()
        for line in gops:
            self.assertEqual(data[line["offset"] + 4:line["offset"] + 8], b"moof")
        # Each frame of the file, by its time, has what was published of it.
        origin = gops[0]["pts"] - gops[0]["time"]
        known = 0
        for _, at, *_ in shown:
            pts = origin + round(at * FPS) * 10**9 // FPS
            if pts in frames:
                self.assertIn(pts, boxes.keys(), path)
                known += 1
                found, expected = boxes[pts], frames[pts]
                self.assertEqual(found["ids"], [o["id"] for o in expected])
                for name in ("label_id", "label"):
                    self.assertEqual(found[name + "s"], [o["detection"][name] for o in expected])
                self.assertEqual(floats(found["boxes"]), [
                    struct.unpack("<f", struct.pack("<f", value))[0] for o in expected for value in (
                        o["detection"]["confidence"], *(o["detection"]["bounding_box"][corner]
                                                        for corner in ("x_min", "y_min", "x_max", "y_max")))])
        self.assertGreater(known, len(shown) * 0.8)


Clips.plugins = sys.argv.pop(1)
Y10 = sys.argv.pop(1)
unittest.main()
