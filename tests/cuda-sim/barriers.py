#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Takes each barrier of the CUDA kernels out, one after the other, and runs the
kernel's own test on the simulated GPU: it has to fail. A barrier whose absence
nobody notices protects nothing, or is not tested. One that has "// spares" behind
it is there for speed only, as its comment says.

usage: barriers.py KERNELS NAME=PROGRAM[:CASE]...

NAME is how a file of kernels begins; its test is PROGRAM, or one case of it. No
PROGRAM: the file is another call's. A file with barriers that none names is an
error.
"""
import os
import re
import subprocess
import sys


def barriers(folder):
    for name in sorted(os.listdir(folder)):
        if not name.endswith((".cu", ".cuh")):
            continue
        with open(os.path.join(folder, name), encoding="utf-8") as f:
            for number, line in enumerate(f, 1):
                if re.search(r"__syncthreads(_\w+)? \(", line) and "// spares" not in line:
                    yield f"{name}:{number}"


def run(where, test):
    program, _, case = test.partition(":")
    command = [program] + (["-p", case] if case else [])
    for seed in range(3):
        env = dict(os.environ, Y10_SIM_BREAK="barrier:" + where, Y10_SIM_SEED=str(seed))
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        text = done.stdout + done.stderr
        if done.returncode:
            found = re.search(r"(cuda-sim: .*|ERROR:.*|not ok .*)", text)
            return True, found.group(1) if found else f"exit status {done.returncode}"
        reached = re.search(r"cuda-sim: (\d+) threads went on without", text)
        if not reached or reached.group(1) == "0":
            return False, "is not reached"
    return False, "is not noticed"


def main():
    tests = dict(argument.split("=", 1) for argument in sys.argv[2:])
    looked_at = missed = 0
    for where in barriers(sys.argv[1]):
        names = [name for name in tests if where.startswith(name)]
        if names and not tests[names[0]]:
            continue
        caught, text = run(where, tests[names[0]]) if names else (False, "is in no test")
        print(f"{'ok  ' if caught else 'MISS'} {where}: {text}", flush=True)
        looked_at += 1
        missed += not caught
    print(f"{missed} of {looked_at} barriers can be left out unnoticed")
    return 1 if missed or not looked_at else 0


if __name__ == "__main__":
    sys.exit(main())
