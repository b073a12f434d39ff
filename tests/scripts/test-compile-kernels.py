#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""cuda/kernels/compile.py with a fake nvcc that prints CUDA 13's output."""
import os
import subprocess
import tempfile
import unittest

COMPILE = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                       "../../cuda/kernels/compile.py")
SAID = """\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'y10_a' for 'sm_90'
ptxas info    : Function properties for y10_a
    {stack} bytes stack frame, {spill} bytes spill stores, {spill} bytes spill loads
ptxas info    : Used {registers} registers, used 1 barriers, {shared} bytes smem
ptxas info    : Compile time = 10 ms
"""


class Compile(unittest.TestCase):

    def compile(self, budget, status=0, release="13.0", **found):
        found = {"stack": 0, "spill": 0, "registers": 40, "shared": 128, **found}
        with tempfile.TemporaryDirectory() as folder:
            nvcc = os.path.join(folder, "nvcc")
            with open(nvcc, "w", encoding="utf-8") as f:
                f.write('#!/bin/sh\nif [ "$1" = --version ]; then\n'
                        f'  echo "Cuda compilation tools, release {release}, V"\n  exit\nfi\n'
                        f"cat >&2 <<'END'\n{SAID.format(**found)}END\nexit {status}\n")
            os.chmod(nvcc, 0o755)
            path = os.path.join(folder, "budget.txt")
            with open(path, "w", encoding="utf-8") as f:
                f.write(f"# kernels\nnvcc 13.0\n{budget}\n")
            done = subprocess.run([COMPILE, path, os.path.join(folder, "o"), nvcc, "-x"],
                                  capture_output=True, text=True, timeout=60, check=False)
        return done.returncode, done.stderr

    def test_within(self):
        self.assertEqual(self.compile("y10_a 40 128"), (0, ""))

    def test_over(self):
        for budget, found, problem in (
                ("y10_a 32 128", {}, "y10_a takes 40 registers for sm_90; expected at most 32"),
                ("y10_a 40 64", {}, "takes 128 bytes of shared memory for sm_90; expected at most"),
                ("y10_a 40 128", {"spill": 8}, "takes 16 bytes of spilled registers"),
                ("y10_b 40 128", {}, "y10_a has no line in")):
            with self.subTest(problem):
                status, said = self.compile(budget, **found)
                self.assertEqual(status, 1)
                self.assertIn("error: ", said)
                self.assertIn(problem, said)

    def test_other_release(self):
        status, said = self.compile("y10_a 32 128", release="12.9")
        self.assertEqual(status, 0)
        self.assertIn("warning: y10_a takes 40 registers", said)

    def test_nvcc_fails(self):
        self.assertEqual(self.compile("y10_a 40 128", status=3)[0], 3)


if __name__ == "__main__":
    unittest.main()
