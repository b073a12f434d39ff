#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Removes each __syncthreads (), with or without a vote, and each __syncwarp () of
CUDA kernels, one at a time, and runs the kernel's test on the simulated GPU with the
race detector: one run must report a race, a read of unwritten shared memory or, where
the barrier has a vote, that threads went different ways. A barrier whose removal goes
unnoticed protects nothing, or is not tested.

usage: barriers.py KERNELS NAME=PROGRAM[:CASE]...

NAME is the beginning of the names of the files that PROGRAM, or one case of it, tests.
No PROGRAM: another call tests the file. A file with barriers that has no NAME is an
error.
"""
import os
import re
import subprocess
import sys

BARRIER = re.compile(r"\b(__syncthreads(_\w+)?|__syncwarp) \(")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)


def barriers(folder):
    for name in sorted(os.listdir(folder)):
        if not name.endswith((".cu", ".cuh")):
            continue
        with open(os.path.join(folder, name), encoding="utf-8") as f:
            text = COMMENT.sub(lambda m: "\n" * m[0].count("\n"), f.read())
        for number, line in enumerate(text.splitlines(), 1):
            if BARRIER.search(line):
                yield f"{name}:{number}"


def run(where, test, seed):
    program, _, case = test.partition(":")
    command = [program] + (["-p", case] if case else [])
    env = dict(os.environ, Y10_SIM_BREAK="barrier:" + where, Y10_SIM_SEED=str(seed))
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    text = done.stdout + done.stderr
    race = re.search(r"cuda-sim: kernel .*(shared memory|divergent barrier).*", text)
    if race and done.returncode:
        return True, race[0]
    reached = re.search(r"cuda-sim: (\d+) threads went on without", text)
    if reached and reached[1] == "0":
        return False, "is not reached"
    other = re.search(r"(cuda-sim: kernel .*|ERROR:.*|not ok .*)", text)
    return False, f"no race is reported, exit status {done.returncode}: {other[0] if other else ''}"


def main():
    tests = dict(argument.split("=", 1) for argument in sys.argv[2:])
    removed = missed = 0
    for where in barriers(sys.argv[1]):
        names = [name for name in tests if where.startswith(name)]
        if names and not tests[names[0]]:
            continue
        # Any order of threads will do; each removal runs with another seed.
        caught, text = run(where, tests[names[0]], removed) if names else (False, "is in no test")
        print(f"{'ok  ' if caught else 'MISS'} {where}: {text}", flush=True)
        removed += 1
        missed += not caught
    print(f"{missed} of {removed} barriers can be removed unnoticed")
    return 1 if missed or not removed else 0


if __name__ == "__main__":
    sys.exit(main())
