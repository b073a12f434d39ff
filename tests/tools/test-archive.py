#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""python -m y10.archive: the merged results have the bytes of one y10 detect."""
import json
import os
import subprocess
import unittest

from common import Case, Y10, main, need

need("gst", "ffmpeg", "/usr/bin/python3")
SOURCE = os.environ["Y10_TEST_SOURCE"]
LIBRARY = os.path.join(os.path.dirname(os.path.dirname(Y10)), "engine", "liby10.so.1")


class Archive(Case):
    @unittest.skipIf(subprocess.run(["/usr/bin/python3", "-c", "import numpy"], check=False,
                                    capture_output=True).returncode, "NumPy is missing")
    def test_local(self):
        """Two videos and a broken one between them; a second run computes nothing."""
        clips = [self.path("a b.mp4"), self.path("ü.mp4")]
        for i, clip in enumerate(clips):
            subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i",
                            f"testsrc2=size=96x64:duration={3 + i}", "-c:v", "libx264",
                            "-x264-params", "keyint=25:scenecut=0:log-level=none", clip], check=True)
        bad, out = self.path("bad.mp4"), self.path("out")
        with open(bad, "w", encoding="ascii") as f:
            f.write("junk" * 1000)
        options = ["--model", self.model, "--size", "64", "--threads", "1", "--confidence", "0.02",
                   "--max-detections", "5"]
        env = dict(self.env, PYTHONPATH=os.path.join(SOURCE, "python"), Y10_LIBRARY=LIBRARY,
                   PYTHONDONTWRITEBYTECODE="1")
        expected = self.y10("detect", *options, *clips).stdout
        for _ in range(2):
            done = subprocess.run(
                ["/usr/bin/python3", "-m", "y10.archive", out, clips[0], bad, clips[1], "--local", "2",
                 "--seconds", "1", "--y10", Y10, "--", *options], env=env, check=False,
                capture_output=True, text=True)
            self.assertEqual(done.returncode, 1, done.stderr)
            with open(os.path.join(out, "results.jsonl"), encoding="utf-8") as f:
                self.assertEqual(f.read(), expected)
            with open(os.path.join(out, "failed.jsonl"), encoding="utf-8") as f:
                self.assertEqual([json.loads(line)["source"] for line in f], [bad])


if __name__ == "__main__":
    main()
