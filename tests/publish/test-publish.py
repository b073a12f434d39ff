#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""What yolov10publish writes is what y10 detect prints and what yolov10zones posts; a spool has it,
too, after kill -9; and files that cannot be written cost lines and no pipeline.

usage: test-publish.py Y10 BUILD-GST"""
import glob
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import unittest

from launch import Launching, PATIENCE, until

Y10, PLUGINS = sys.argv[1:3]
LACKING = [e for e in ("videotestsrc", "pngenc", "filesink", "y4menc")
           if subprocess.run(["gst-inspect-1.0", "--exists", e], check=False).returncode]
SIZE = "video/x-raw,format=I420,width=320,height=240,framerate=10/1"


def ignore_file_size_signal():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


class Publish(Launching):
    plugins = PLUGINS

    def lines(self, *paths):
        found = []
        for path in paths:
            with open(path, encoding="utf-8") as file:
                found += [line.rstrip("\n") for line in file]
        return found

    def spooled(self, folder):
        return self.lines(*sorted(glob.glob(os.path.join(folder, "0*.jsonl"))))

    @unittest.skipIf(LACKING, f"no {LACKING}")
    def test_frames(self):
        """Frames of a video, byte for byte but for the source's name."""
        video, out = self.path("in.y4m"), self.path("out.jsonl")
        self.launch(f"videotestsrc pattern=ball num-buffers=20 ! {SIZE} ! y4menc ! filesink location={video}", "-q")
        self.launch(f"filesrc location={video} ! y4mdec ! yolov10detect name={video} "
                    f"! yolov10publish location={out} ! fakesink", "-q")
        tool = subprocess.run([Y10, "detect", "--format", "jsonl", video], env=self.env, check=True,
                              capture_output=True, text=True, timeout=PATIENCE).stdout.splitlines()
        self.assertEqual(len(tool), 20)
        self.assertIn("ball", tool[5])
        self.assertEqual(self.lines(out), tool)

    def events(self, more, *options):
        """Runs a ball through a zone, and returns what the bus had."""
        done = self.launch(f"videotestsrc pattern=ball num-buffers=40 ! {SIZE} ! yolov10detect "
                           "! yolov10track ! yolov10zones name=z hysteresis=0 grace=9000000000 zones='a=0,0 0.6,1; l=0,0.6 -> 1,0.6; all=0,0 1,1' "
                           f"! {more} ! fakesink", "-m", *options)
        found = re.findall(r'json=\(string\)"((?:[^"\\]|\\.)*)"', done.stdout)
        return [re.sub(r"\\(.)", r"\1", text) for text in found]

    def test_events(self):
        """Events as posted, those at the end, too; and behind the elements that come between."""
        out, all_out = self.path("events"), self.path("all")
        posted = self.events(f"queue ! videoconvert ! tee ! yolov10publish location={out} content=events "
                             f"! yolov10publish location={all_out}")
        self.assertGreaterEqual(len(posted), 3)
        self.assertIn('"reason":"ended"', posted[-1])
        self.assertEqual(self.lines(out), posted)
        lines = [json.loads(line) for line in self.lines(all_out)]
        self.assertEqual(sum("objects" in line for line in lines), 40)
        self.assertEqual([line for line in lines if "event" in line], [json.loads(line) for line in posted])
        # An event stands with the frame that shows it, but a crossing of a line, which is known later: behind its own.
        last = -1
        for line in lines:
            if line.get("event") == "cross":
                self.assertLessEqual(line["timestamp"], last)
                continue
            self.assertGreaterEqual(line["timestamp"], last)
            last = line["timestamp"] - 100000000 * ("event" in line)
        # With a tracker, ids are those of the objects, as of y10 detect --track.
        ids = [o["id"] for line in lines if "objects" in line for o in line["objects"]]
        self.assertEqual(set(ids), {e["id"] for e in lines if "event" in e})

    def test_content(self):
        for content, frames, events in (("frames", True, False), ("events", False, True), ("all", True, True)):
            spool = self.path(content)
            self.events(f"yolov10publish spool={spool} content={content} stream=gate")
            lines = [json.loads(line) for line in self.spooled(spool)]
            self.assertEqual(any("objects" in line for line in lines), frames)
            self.assertEqual(any("event" in line for line in lines), events)
            self.assertEqual({line["stream"] for line in lines}, {"gate"})
            for line in lines:
                self.assertRegex(line["utc"], r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
                self.assertLess(abs(time.time() - time.mktime(time.strptime(
                    line["utc"][:19] + " UTC", "%Y-%m-%dT%H:%M:%S %Z")) + time.timezone), 120)

    def test_last(self):
        """As the last element it is a sink: in a line, live, beside another sink, and inside of a bin."""
        source = f"videotestsrc num-buffers=10 {{}} ! {SIZE} ! yolov10detect"
        for n, line in enumerate((
                f"{source.format('')} ! {{}}", f"{source.format('is-live=true')} ! {{}}",
                f"{source.format('')} ! tee name=t ! queue ! {{}} t. ! queue ! fakesink",
                f"{source.format('')} ! tee name=t ! queue ! {{}} t. ! queue ! fakesink sync=true",
                f"{source.format('')} ! ( queue ! {{}} )", f"{source.format('')} ! ( queue ! ( {{}} ) )",
                f"{source.format('')} ! {{}} {source.format('')} ! {{}}")):
            with self.subTest(line=line):
                publish = f"yolov10publish location={self.path(n)}"
                done = self.launch(line.replace("{}", publish))
                self.assertIn("Got EOS", done.stdout)
                self.assertEqual(len(self.lines(self.path(n))), 10 * line.count("{}"))

    def test_same_spool(self):
        """Two streams of one process share it; of another process neither gets it."""
        spool = self.path("s")
        source = f"videotestsrc num-buffers=10 ! {SIZE} ! yolov10detect ! yolov10publish spool={spool}"
        self.launch(f"{source} stream=one ! fakesink {source} stream=two ! fakesink")
        streams = [json.loads(line)["stream"] for line in self.spooled(spool)]
        self.assertEqual((streams.count("one"), streams.count("two")), (10, 10))
        self.assertEqual(len(glob.glob(spool + "/0*")), 1)
        first = subprocess.Popen(["gst-launch-1.0", "-q", "videotestsrc", "is-live=true", "!", "yolov10publish",
                                  f"spool={spool}", "!", "fakesink"], env=self.env)
        try:
            until(lambda: self.lines(spool + "/lock") == [str(first.pid)], "it has the spool")
            done = self.launch(f"{source} ! fakesink", fails=True)
            self.assertIn(f"{spool} is in use by process {first.pid} ({spool}/lock)", done.stderr)
        finally:
            first.terminate()
            first.wait()

    def test_killed(self):
        """After kill -9 at random, no line is torn or missing between the first and the last of a
        process, and each process has a segment of its own."""
        spool = self.path("s")
        rand = random.Random(1)
        for _ in range(5):
            process = subprocess.Popen(
                ["gst-launch-1.0", "-q", *f"videotestsrc ! {SIZE} ! yolov10detect ! yolov10publish "
                 f"sync-interval=1 spool={spool} ! fakesink".split()], env=self.env)
            before = len(self.spooled(spool))
            until(lambda before=before: len(self.spooled(spool)) >= before + 5, "five lines")
            time.sleep(rand.random() / 5)       # at any time
            process.kill()
            process.wait()
        paths = sorted(glob.glob(spool + "/0*"))
        self.assertEqual([os.path.basename(path) for path in paths], [f"{i:08}.jsonl" for i in range(1, 6)])
        for path in paths:
            times = [json.loads(line)["timestamp"] for line in self.lines(path)]
            self.assertEqual(times, [i * 100000000 for i in range(len(times))])
            self.assertGreaterEqual(len(times), 5)
        self.assertEqual(os.readlink(spool + "/current.jsonl"), "00000005.jsonl")

    def test_full(self):
        """One warning, and the pipeline goes on to its end."""
        done = self.launch(f"videotestsrc num-buffers=30 ! {SIZE} ! yolov10detect "
                           "! yolov10publish location=/dev/full ! fakesink")
        self.assertEqual(done.stderr.count("WARNING") + done.stdout.count("WARNING"), 1, done.stdout + done.stderr)
        self.assertIn("/dev/full: No space left on device", done.stdout + done.stderr)
        self.assertIn("Got EOS", done.stdout)

    def test_file_size(self):
        """A limit of the file's size ends segments; other lines follow in others, none torn."""
        spool = self.path("s")

        def limit():
            ignore_file_size_signal()
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        # The registry is larger.
        self.launch("fakesrc num-buffers=1 ! fakesink")
        # A live source: lines that come together are lost together, and none is left for a second segment.
        done = self.launch(f"videotestsrc is-live=true num-buffers=30 ! {SIZE} ! yolov10detect ! yolov10publish "
                           f"sync-interval=0 spool={spool} ! fakesink", preexec_fn=limit)
        lines = self.spooled(spool)
        self.assertGreater(len(lines), 0)
        times = [json.loads(line)["timestamp"] for line in lines]
        self.assertEqual(times, sorted(set(times)))
        self.assertGreater(len(glob.glob(spool + "/0*")), 1)
        self.assertIn("Got EOS", done.stdout)

    def test_ended_line(self):
        """A line that someone has left without an end gets one."""
        out = self.path("out")
        with open(out, "w", encoding="ascii") as file:
            file.write('{"torn')
        self.launch(f"videotestsrc num-buffers=2 ! {SIZE} ! yolov10detect ! yolov10publish location={out} ! fakesink")
        lines = self.lines(out)
        self.assertEqual((lines[0], len(lines)), ('{"torn', 3))
        self.assertEqual(json.loads(lines[1])["timestamp"], 0)

    def test_stdout(self):
        done = self.launch(f"videotestsrc num-buffers=3 ! {SIZE} ! yolov10detect ! yolov10publish location=- "
                           "stream='a\\\"b' ! fakesink", "-q")
        self.assertEqual([json.loads(line)["stream"] for line in done.stdout.splitlines()], ['a"b'] * 3)

    def test_refused(self):
        source = f"videotestsrc num-buffers=1 ! {SIZE} ! yolov10publish"
        for properties, says in (("", "location and spool are empty"),
                                 ("location=/nonexistent/a", "/nonexistent/a: No such file"),
                                 ("spool=/nonexistent/a/b", "/nonexistent/a/b: No such file"),
                                 (f"spool={sys.argv[0]}", f"{sys.argv[0]}: Not a directory")):
            done = self.launch(f"{source} {properties} ! fakesink", fails=True)
            self.assertEqual(done.stderr.count("ERROR: from element"), 1, done.stderr)
            self.assertIn(says, done.stderr)


if __name__ == "__main__":
    if not shutil.which("gst-launch-1.0"):
        print("gst-launch-1.0 is missing")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
