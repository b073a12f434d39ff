#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""python -m y10.archive: the merged results have the bytes of one y10 detect."""
import fcntl
import json
import os
import shutil
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
    --output=*) printf '%s\n' "${1#--output=}" >>"$SPOOL/outputs" ;;
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
        out, spool = self.path("slurm %j"), self.path("spool")
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
        with open(os.path.join(spool, "outputs"), encoding="utf-8") as f:
            self.assertEqual(set(f.read().splitlines()),
                             {self.path("slurm %%j") + "/logs/%x-%A_%a.log"})

    def archive(self, *args, status=0, cwd=None, y10=Y10):
        done = subprocess.run(
            ["/usr/bin/python3", "-m", "y10.archive", *args, "--y10", y10, "--", *self.options],
            env=self.env, check=False, capture_output=True, text=True, cwd=cwd)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done.stderr

    def rows(self, out):
        with open(os.path.join(out, "results.jsonl"), encoding="utf-8") as f:
            return f.read()

    def fake(self, name, text):
        """A y10 that does something else in between."""
        path = self.path(name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(f"#!/bin/bash\nset -o pipefail\n{text}\n")
        os.chmod(path, 0o755)
        return path

    def test_other_folder(self):
        """The same relative name in another folder is another input."""
        out = self.path("moved")
        for i, name in enumerate("ab"):
            os.mkdir(self.path(name))
            shutil.copy(self.inputs[2 * i], self.path(f"{name}/x.mp4"))
            self.archive(out, "x.mp4", cwd=self.path(name))
            expected = subprocess.run([Y10, "detect", *self.options, "x.mp4"], env=self.env, check=True,
                                      capture_output=True, text=True, cwd=self.path(name)).stdout
            self.assertEqual(self.rows(out), expected)

    def test_line_ends(self):
        """Names with the characters that end a line for Python, and not for JSON Lines."""
        os.mkdir(self.path("odd"))
        for c in "\u2028\u2029\x85\v\f\x1c\r":
            shutil.copy(self.inputs[0], self.path(f"odd/a{c}b.mp4"))
        self.archive(self.path("odd-out"), self.path("odd"))
        self.assertEqual(self.rows(self.path("odd-out")), subprocess.run(
            [Y10, "detect", *self.options, self.path("odd")], env=self.env, check=True,
            capture_output=True).stdout.decode())

    def test_noise(self):
        """Output that is not y10's fails the input that it came with, and names the line."""
        for n, (command, says) in enumerate((
                ("segments", "noise"), ("detect", "noise"), ("segments", "did not finish"))):
            y10 = self.fake(f"noisy{n}", f'[ "$1" = {command} ] || exec "{Y10}" "$@"\n' + (
                f'echo noise; exec "{Y10}" "$@"' if says == "noise"
                else f'"{Y10}" "$@" | head -n 1'))
            errors = self.archive(self.path(f"noise{n}"), self.inputs[0], y10=y10,
                                  status=2 if command == "segments" else 1)
            self.assertIn(says, errors)

    def test_unreadable(self):
        """docs/scale.md, "Anything else": an input without segments leaves the others whole."""
        out = self.path("else")
        os.makedirs(os.path.join(out, "receipts"))
        manifest = os.path.join(out, "manifest.jsonl")
        with open(manifest, "wb") as f:
            subprocess.run([Y10, "segments", *self.inputs], env=self.env, check=False, stdout=f,
                           stderr=subprocess.DEVNULL)
        with open(os.path.join(out, "receipts", "0.jsonl"), "wb") as f:
            f.write(b"[]\nnull\n7\nnoise\n")
            f.flush()
            subprocess.run([Y10, "detect", *self.options, "--store", os.path.join(out, "store"),
                            "--manifest", manifest], env=self.env, check=False, stdout=f,
                           stderr=subprocess.DEVNULL)

        def merge():
            return subprocess.run(["/usr/bin/python3", "-m", "y10.archive.merge", out,
                                   os.path.join(out, "receipts")], env=self.env, check=False,
                                  capture_output=True, text=True)
        self.check(merge(), out)
        with open(manifest, encoding="utf-8") as f:
            lines = f.readlines()
        with open(manifest, "w", encoding="utf-8") as f:
            f.writelines(lines[:-1])
        done = merge()
        self.assertEqual((done.returncode, '"inputs":3' in done.stderr), (2, True), done.stderr)
        # The receipts of another manifest, whose segments have the same numbers.
        with open(manifest, "w", encoding="utf-8") as f:
            f.writelines([lines[0], lines[3], lines[2], lines[1]])
        done = merge()
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stderr.count("those of another file"), 2, done.stderr)
        self.assertEqual(self.rows(out), "")

    def test_two_drivers(self):
        """A second one on the same folder is refused."""
        out = self.path("shared")
        self.archive(out, self.inputs[0])
        before = self.rows(out)
        with open(os.path.join(out, "lock"), "r+", encoding="utf-8") as f:
            fcntl.flock(f, fcntl.LOCK_EX)
            f.truncate(0)
            f.write("somebody")
            f.flush()
            self.assertIn("is in use by somebody", self.archive(out, self.inputs[2], status=2))
        self.assertEqual(self.rows(out), before)
        self.archive(out, self.inputs[2])
        self.assertNotEqual(self.rows(out), before)

    def test_slurm_manifest(self):
        """A manifest that could not be written whole does not replace one that was."""
        out = self.path("full")
        os.mkdir(out)
        path = os.path.join(out, "manifest.jsonl")
        step = [os.path.join(SOURCE, "tools/slurm/archive.sh"), "--step-manifest", out]
        subprocess.run([*step, Y10, "60", self.inputs[0]], env=self.env, check=True)
        with open(path, "rb") as f:
            good = f.read()
        # /dev/full is how a full disk looks to y10; head, how its file looks afterwards.
        cut = self.fake("cut", f'"{Y10}" "$@" | head -c 400; "{Y10}" "$@" >/dev/full')
        done = subprocess.run([*step, cut, "60", *self.inputs], env=self.env, check=False,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("expected 4", done.stderr)
        self.assertEqual(os.listdir(out), ["manifest.jsonl"])
        with open(path, "rb") as f:
            self.assertEqual(f.read(), good)

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
