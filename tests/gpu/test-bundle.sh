#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# test-bundle.sh [BUILD [SHARED]]
#
# Runs the archive of tests/gpu/bundle.sh on an almost empty machine: the root
# is a folder with bash, a few commands and Python (without root permissions,
# only the environment is empty). There is no GPU: results of the CPU and the
# simulated GPU must be right, and the check must report the rest as missing.
# Takes a minute, or longer if BUILD (build-gpu) has to be built.
set -euo pipefail

cd "$(dirname "$(readlink -f "$0")")/../.."
build=${1:-build-gpu} shared=${2:-../shared}
tests/gpu/bundle.sh --build "$build" --shared "$shared"
root=$(mktemp -d)
trap 'rm -rf --one-file-system "$root"' EXIT
mkdir "$root/home" "$root/tmp"
tar -C "$root/home" -xzf "$build/yolov10-gpu.tar.gz"

start=()
if [ "$(id -u)" = 0 ] && command -v unshare >/dev/null; then
  python=$(readlink -f /usr/bin/python3)
  modules=$("$python" -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')
  mkdir -p "$root"/{usr/bin,usr/lib,proc,dev,lib64} "$root/$(dirname "$modules")"
  ln -s usr/lib "$root/lib"
  ln -s usr/bin "$root/bin"
  cp "$python" "$root/usr/bin/python3"
  cp -r "$modules" "$root/$modules"
  rm -rf "${root:?}/$modules"/{dist-packages,test,__pycache__}
  for name in bash cat dirname env mkdir readlink; do
    cp "$(command -v $name)" "$root/usr/bin/"
  done
  # All files of the C library, and the other libraries that these programs
  # need.
  find "$root/usr/bin" "$root/$modules/lib-dynload" -type f -exec ldd {} + 2>/dev/null \
    | awk '$2 == "=>" && $3 ~ /^\// {print $3} $1 ~ /^\/.*ld-linux/ {print $1}' | sort -u \
    | while read -r library; do
        mkdir -p "$root$(dirname "$library")"
        cp -L "$library" "$root$library"
        for part in libpthread.so.0 libdl.so.2 librt.so.1 libutil.so.1; do
          case $library in
            */libc.so.6) cp -L "$(dirname "$library")/$part" "$root$(dirname "$library")/" ;;
          esac
        done
      done
  touch "$root/dev/null"
  # The mounts disappear with the program.
  # shellcheck disable=SC2016
  start=(unshare --mount --pid --fork bash -c
    'mount -t proc proc "$0/proc" && mount --bind /dev/null "$0/dev/null" && exec chroot "$0" "$@"' "$root")
  at=
else
  at=$root
fi
status=0
run() { "${start[@]}" /usr/bin/env -i PATH=/usr/bin:/bin "$at/home/yolov10-gpu/tests/gpu/run.sh" "$@"; }
run --output "$at/tmp/out"
run --check "$at/tmp/out/report.json" >"$root/verdict" || status=$?

/usr/bin/python3 - "$root" "$status" <<'PYTHON'
import json
import os
import sys

root, status = sys.argv[1], int(sys.argv[2])
with open(os.path.join(root, "tmp/out/report.json"), encoding="utf-8") as f:
    steps = json.load(f)["steps"]
with open(os.path.join(root, "verdict"), encoding="utf-8") as f:
    words = [line.split()[0] for line in f if line.split()]
wrong = []


def check(good, what):
    if not good:
        wrong.append(what)


check(status == 1 and "missing" in words and "pass" not in words and "fail" not in words,
      "the check calls everything missing")
check(os.path.getsize(os.path.join(root, "tmp/out/report.tar.gz")) <= 16 << 20, "report.tar.gz")
for precision in ("fp16", "fp32", "bf16"):
    files = steps["golden-" + precision].get("files", {})
    check(files and all(f.get("ok") for f in files.values()), f"golden files in {precision}")
    check(any(f["backend"] == "cuda-sim" for f in files.values()), f"{precision} was simulated")
check(any(f["backend"] == "cpu" for f in steps["golden-fp32"]["files"].values()), "the CPU")
check(steps["pipeline"].get("frames") == 5 and steps["pipeline"].get("active_backend") == "cpu",
      "the pipeline")
check(steps["stress"].get("steps") == 200 and steps["stress"].get("wrong") == 0, "step stress")
check(steps["painter"]["runs"][0]["backend"] == "cuda-sim"
      and steps["painter"]["runs"][0]["passed"] == ["/format/NV12"], "drawing on frames")
for name, least in ("batch", 3), ("lost", 5), ("group", 6), ("shapes", 7):
    check(all(r["exit"] == 0 and len(r["passed"]) >= least for r in steps[name].get("runs", [{}])),
          name)
top = steps["kernels"].get("batches", {}).get("1", {}).get("top")
check(top and top[0]["ns"] >= top[-1]["ns"] > 0, "times of ops")
check(steps["bench"]["status"] == "missing", "no PyTorch for the benchmark")
check(all(r.get("failed") == 0 and r.get("checks") for r in steps["checkop"].get("runs", [{}])),
      "checkop")
if os.path.exists(os.path.join(root, "home/yolov10-gpu/coco80")):
    check(abs(steps["ap-fp32"].get("ap", 0) - 0.3965) < 0.0005, "AP on coco80")
for what in wrong:
    print("FAILED", what)
sys.exit(1 if wrong else 0)
PYTHON
echo "the archive runs on a bare machine"
