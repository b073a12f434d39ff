#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Compiles our kernels with CUDA 12: NVIDIA's wheels of it contain NVRTC, but no nvcc, and NVRTC
compiles for every supported GPU. Prints the code size of each kernel for each GPU.

usage: nvrtc-check.py [--wheels DIR] [--arch SM]... [FILE.cu]...

  --wheels DIR  the folder of the wheels, into which pip downloads them (90 MB); by
                default build-ci/nvrtc-12.9
  --arch SM     only this architecture, such as 75; may be given several times
  FILE.cu       only these files; by default cuda/kernels/*.cu

Exit status: 0, 1 if a kernel does not compile, 77 if the wheels are not available."""
import argparse
import concurrent.futures
import glob
import os
import re
import subprocess
import sys
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path.insert(0, os.path.join(ROOT, "cuda/kernels"))
from nvrtc import Nvrtc  # pylint: disable=wrong-import-position

WHEELS = ["nvidia-cuda-nvrtc-cu12==12.9.86", "nvidia-cuda-runtime-cu12==12.9.79"]
ARCHS = ["75", "80", "86", "87", "89", "90", "100", "120"]


def get_wheels(folder):
    """Downloads the wheels once; the marker is written last."""
    marker = os.path.join(folder, "wheels")
    if os.path.exists(marker):
        with open(marker, encoding="ascii") as f:
            if f.read().split() == WHEELS:
                return
    done = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--upgrade",
                           "--no-compile", "--only-binary", ":all:", "--root-user-action", "ignore",
                           "--target", folder, *WHEELS], capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"pip does not get {' '.join(WHEELS)}: {done.stderr.strip().splitlines()[-1:]}")
        sys.exit(77)
    with open(marker, "w", encoding="ascii") as f:
        f.write("\n".join(WHEELS) + "\n")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0], add_help=True)
    parser.add_argument("--wheels", default=os.path.join(ROOT, "build-ci/nvrtc-12.9"))
    parser.add_argument("--arch", action="append", choices=ARCHS)
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()
    files = args.files or sorted(glob.glob(os.path.join(ROOT, "cuda/kernels/*.cu")))
    # Skips a file that only includes the others, which the build uses.
    files = [f for f in files if args.files or re.search(r"__global__|_KERNEL", open(f, encoding="utf-8").read())]
    archs, started, failed = args.arch or ARCHS, time.monotonic(), 0
    get_wheels(args.wheels)
    nvrtc = Nvrtc(args.wheels)
    print(f"NVRTC {nvrtc.version}, bytes of code\n{'':16}" + "".join(f"{'sm_' + a:>9}" for a in archs))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = {f: [pool.submit(nvrtc.compile, f, a) for a in archs] for f in files}
        for path, row in jobs.items():
            print(f"{os.path.basename(path):16}", end="", flush=True)
            for job in row:
                code, log = job.result()
                good = b"y10_" in code
                failed += not good
                print(f"{len(code) if good else 'FAILED':>9}", end="", flush=True)
            print()
            for arch, job in zip(archs, row):
                if not job.result()[0]:
                    print(f"{path} for sm_{arch}:", *job.result()[1].splitlines()[:20], sep="\n  ")
                    break
    print(f"{len(files)} kernels for {len(archs)} GPUs, {failed} failed, "
          f"{time.monotonic() - started:.0f} s, {time.process_time():.0f} s of CPU")
    return 1 if failed or not files else 0


if __name__ == "__main__":
    sys.exit(main())
