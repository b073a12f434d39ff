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


# Runs the steps of a job at once, each task of an array twice, as if it had been requeued.
SBATCH = r"""#!/bin/bash
set -e
requeue=0 n=1
while [[ $1 = --* ]]; do
  case $1 in
    --requeue) requeue=1 ;;
    --array=0-*) n=$((${1#--array=0-} + 1)); export SLURM_ARRAY_TASK_COUNT=$n SLURM_ARRAY_TASK_MIN=0 ;;
  esac
  shift
done
[ $requeue = 1 ]
export SLURM_ARRAY_JOB_ID=7
cp "$1" "$SPOOL/script"
shift
for ((SLURM_ARRAY_TASK_ID = 0; SLURM_ARRAY_TASK_ID < n; SLURM_ARRAY_TASK_ID++)); do
  export SLURM_ARRAY_TASK_ID SLURM_RESTART_COUNT=
  if [ "$1" = --step-detect ]; then
    "$SPOOL/script" "$@" || true
    export SLURM_RESTART_COUNT=1
  fi
  status=0
  "$SPOOL/script" "$@" || status=$?
  [ "$1" = --step-detect ] || [ $status = 0 ] || { echo 8; exit $status; }
done
echo "7;cluster"
"""


@unittest.skipIf(subprocess.run(["/usr/bin/python3", "-c", "import numpy"], check=False,
                                capture_output=True).returncode, "NumPy is missing")
class Archive(Case):
    """Two videos and a broken one between them."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        clips = [cls.path("a b.mp4"), cls.path("ü.mp4")]
        for i, clip in enumerate(clips):
            subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i",
                            f"testsrc2=size=96x64:duration={3 + i}", "-c:v", "libx264",
                            "-x264-params", "keyint=25:scenecut=0:log-level=none", clip], check=True)
        cls.bad = cls.path("bad.mp4")
        with open(cls.bad, "w", encoding="ascii") as f:
            f.write("junk" * 1000)
        cls.inputs = [clips[0], cls.bad, clips[1]]
        cls.options = ["--model", cls.model, "--size", "64", "--threads", "1", "--confidence", "0.02",
                       "--max-detections", "5"]
        cls.env.update(PYTHONPATH=os.path.join(SOURCE, "python"), Y10_LIBRARY=LIBRARY,
                       PYTHONDONTWRITEBYTECODE="1")
        cls.expected = subprocess.run([Y10, "detect", *cls.options, *clips], env=cls.env, check=True,
                                      capture_output=True, text=True).stdout

    def check(self, done, out):
        self.assertEqual(done.returncode, 1, done.stderr)
        with open(os.path.join(out, "results.jsonl"), encoding="utf-8") as f:
            self.assertEqual(f.read(), self.expected)
        with open(os.path.join(out, "failed.jsonl"), encoding="utf-8") as f:
            self.assertEqual([json.loads(line)["source"] for line in f], [self.bad])

    def test_local(self):
        """A second run computes nothing."""
        out = self.path("out")
        for _ in range(2):
            self.check(subprocess.run(
                ["/usr/bin/python3", "-m", "y10.archive", out, *self.inputs, "--local", "2", "--seconds",
                 "1", "--y10", Y10, "--", *self.options], env=self.env, check=False, capture_output=True,
                text=True), out)

    def test_slurm(self):
        """The job script, without Slurm: more tasks than segments, and each of them twice."""
        out, spool = self.path("slurm"), self.path("spool")
        os.mkdir(spool)
        with open(os.path.join(spool, "sbatch"), "w", encoding="ascii") as f:
            f.write(SBATCH)
        os.chmod(f.name, 0o755)
        env = dict(self.env, SPOOL=spool, PATH=f"{spool}:{os.environ['PATH']}")
        command = [os.path.join(SOURCE, "tools/slurm/archive.sh"), "--seconds", "1", "--y10", Y10,
                   "--python", "/usr/bin/python3", "--wait"]
        for tasks in ("2", "9"):
            self.check(subprocess.run(
                [*command, "--tasks", tasks, out, *self.inputs, "--", *self.options], env=env, check=False,
                capture_output=True, text=True), out)
        receipts = os.listdir(os.path.join(out, "receipts", "7"))
        self.assertIn("0.0.jsonl", receipts)
        self.assertIn("0.1.jsonl", receipts)

    def test_slurm_usage(self):
        """What is wrong with the command line is found before anything is submitted."""
        for args, says in ((["--tasks", "0", "o", "i"], "--tasks is '0'"), (["o"], "INPUT"),
                           (["--at-once"], "needs a value"), (["--what", "o", "i"], "--what")):
            done = subprocess.run([os.path.join(SOURCE, "tools/slurm/archive.sh"), *args], env=self.env,
                                  check=False, capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn(says, done.stderr)


if __name__ == "__main__":
    main()
