#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Takes each barrier of the CUDA kernels out, one after the other, and runs the
kernel's own test on the simulated GPU: it has to fail. A barrier whose absence
nobody notices protects nothing, or is not tested. One that has "// spares" behind
it is there for speed only, as its comment says.

usage: barriers.py KERNELS TEST-OPS TEST-HEAD [FILE:LINE...]
"""
import os
import re
import subprocess
import sys

# What a kernel's test is, and where in it to begin: the cases that are short.
TESTS = {
    "attention.cu": ("ops", ["/ops/attention"]),
    "maxpool5.cu": ("ops", ["/ops/maxpool5"]),
    "head": ("head", []),
}


def barriers(folder):
    for name in sorted(os.listdir(folder)):
        if not name.endswith((".cu", ".cuh")):
            continue
        with open(os.path.join(folder, name), encoding="utf-8") as f:
            for number, line in enumerate(f, 1):
                if re.search(r"__syncthreads(_\w+)? \(", line) and "// spares" not in line:
                    yield f"{name}:{number}"


def run(where, programs):
    name = where.split(":")[0]
    kind, cases = TESTS[name if name in TESTS else name[:4]]
    command = [programs[kind]]
    for case in cases:
        command += ["-p", case]
    last = "is not noticed"
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
    return False, last


def main():
    folder, ops, head = sys.argv[1:4]
    missed = 0
    for where in sys.argv[4:] or barriers(folder):
        caught, text = run(where, {"ops": ops, "head": head})
        print(f"{'ok  ' if caught else 'MISS'} {where}: {text}", flush=True)
        missed += not caught
    print(f"{missed} barriers can be left out unnoticed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
