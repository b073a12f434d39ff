#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Compiles the kernels for one GPU and checks their use of resources.

usage: compile.py BUDGET.txt OUTPUT.cubin NVCC [NVCC ARGUMENT...] SOURCE.cu
       compile.py BUDGET.txt OUTPUT.cubin nvrtc=WHEELS ARCH SOURCE.cu

The second form compiles for sm_ARCH with NVRTC from the folder WHEELS.

Registers and shared memory decide how many blocks run at a time, and a
register that spills goes through memory. BUDGET.txt has the limits of each
kernel. Exceeding one is an error with the release of nvcc that the budget was
measured with, a warning with another compiler.
"""
import re
import subprocess
import sys

import nvrtc

ENTRY = re.compile(r"Compiling entry function '(\w+)' for '(\w+)'")
SPILL = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")
USED = re.compile(r"Used (\d+) registers")
SHARED = re.compile(r"(\d+) bytes smem")


def read_budget(path):
    """The release, and (registers, bytes of shared memory) by kernel."""
    release, budget = None, {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            words = line.split("#")[0].split()
            if words[:1] == ["nvcc"]:
                release = words[1]
            elif words:
                budget[words[0]] = int(words[1]), int(words[2])
    return release, budget


def usage(log):
    """(kernel, architecture, registers, shared memory, spilled bytes)."""
    kernel = arch = None
    spilled = 0
    for line in log.splitlines():
        if m := ENTRY.search(line):
            kernel, arch = m.groups()
            spilled = 0
        elif m := SPILL.search(line):
            spilled = int(m[1]) + int(m[2])
        elif (m := USED.search(line)) and kernel:
            shared = SHARED.search(line)
            yield kernel, arch, int(m[1]), int(shared[1]) if shared else 0, spilled
            kernel = None


def problems(log, budget, path):
    seen = 0
    for kernel, arch, registers, shared, spilled in usage(log):
        seen += 1
        if kernel not in budget:
            yield (f"{kernel} has no line in {path}; for {arch} it takes {registers} registers "
                   f"and {shared} bytes of shared memory")
            continue
        for what, found, expected in (
                ("registers", registers, budget[kernel][0]),
                ("bytes of shared memory", shared, budget[kernel][1]),
                ("bytes of spilled registers", spilled, 0)):
            if found > expected:
                yield f"{kernel} takes {found} {what} for {arch}; expected at most {expected}"
    if not seen:
        yield "nvcc did not say what the kernels take"


def compile_by_nvrtc(path, output, wheels, arch, source):
    code, log = nvrtc.Nvrtc(wheels).compile(source, arch, "--ptxas-options=-v")
    if not code:
        sys.stderr.write(log)
        return 1
    with open(output, "wb") as f:
        f.write(code)
    for problem in problems(log, read_budget(path)[1], path):
        print(f"warning: {problem}", file=sys.stderr)
    return 0


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    path, output, nvcc = sys.argv[1:4]
    if nvcc.startswith("nvrtc="):
        return compile_by_nvrtc(path, output, nvcc.removeprefix("nvrtc="), *sys.argv[4:6])
    result = subprocess.run([nvcc, *sys.argv[4:], "-cubin", "--resource-usage", "-o", output],
                            capture_output=True, text=True, check=False)
    sys.stdout.write(result.stdout)
    if result.returncode != 0:
        sys.stderr.write(result.stderr)
        return result.returncode
    for line in result.stderr.splitlines():
        if "warning" in line or "error" in line:
            print(line, file=sys.stderr)

    release, budget = read_budget(path)
    found = list(problems(result.stderr, budget, path))
    if not found:
        return 0
    version = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    fatal = f"release {release}," in version
    for problem in found:
        print(f"{'error' if fatal else 'warning'}: {problem}", file=sys.stderr)
    return 1 if fatal else 0


if __name__ == "__main__":
    sys.exit(main())
