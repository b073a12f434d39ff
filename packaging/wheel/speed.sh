#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Compares the speed of the wheel with that of the native build. Pairs of processes run
# one after the other, so that whatever else the machine does affects both alike.
set -euo pipefail

usage() {
  cat <<'END'
usage: packaging/wheel/speed.sh [--pairs N] [--model FILE] WHEEL

Measures model.detect() of codes.png in N pairs of processes (default: 20), one
with the wheel and one with build/, in alternating order, and prints the median
of the ratios wheel / native. FILE is the weights; by default, the bundled model.
END
}

die() { printf 'speed: %s\n' "$*" >&2; exit 1; }

root=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
pairs=20 model='' wheel=''
while [ $# -gt 0 ]; do
  case $1 in
    --pairs) pairs=${2:?}; shift ;;
    --model) model=$(realpath "${2:?}"); shift ;;
    -h | --help) usage; exit 0 ;;
    *.whl) wheel=$1 ;;
    *) usage >&2; die "unknown argument '$1'" ;;
  esac
  shift
done
[ -f "$wheel" ] || { usage >&2; die "the wheel '$wheel' does not exist"; }
native=$root/build/engine/liby10.so.1
[ -e "$native" ] || die "$native does not exist; run tools/setup.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
/usr/bin/python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check pillow "$wheel"
cat >"$work/measure.py" <<'END'
import statistics
import sys
import time

import numpy as np
from PIL import Image

import y10

image = np.asarray(Image.open(sys.argv[1]).convert("RGB"))
with y10.Model(sys.argv[2] or None) as model:
    times = []
    for _ in range(40):
        start = time.perf_counter()
        model.detect(image)
        times.append(time.perf_counter() - start)
print(1000 * statistics.median(times[10:]), y10.__file__)
END
measure() { # wheel or native; prints milliseconds
  local set=() milliseconds file
  [ "$1" = wheel ] || set=(PYTHONPATH="$root/python" Y10_LIBRARY="$native")
  read -r milliseconds file < <(cd "$work" && env -u PYTHONPATH -u Y10_LIBRARY "${set[@]}" \
    "$work/venv/bin/python" measure.py "$root/pipelines/codes.png" "$model")
  case $1:$file in
    wheel:"$work"/* | native:"$root"/python/*) printf '%s' "$milliseconds" ;;
    *) die "measured $file in place of the $1 library" ;;
  esac
}
for ((i = 0; i < pairs; i++)); do
  if ((i % 2)); then
    a=$(measure wheel)
    b=$(measure native)
  else
    b=$(measure native)
    a=$(measure wheel)
  fi
  printf '%s %s\n' "$a" "$b"
done >"$work/pairs"
"$work/venv/bin/python" - "$work/pairs" <<'END'
import statistics
import sys

pairs = [tuple(map(float, line.split())) for line in open(sys.argv[1], encoding="ascii")]
wheel, native = zip(*pairs)
ratios = sorted(a / b for a, b in pairs)
quarter = len(ratios) // 4
print(f"wheel {statistics.median(wheel):.2f} ms, native {statistics.median(native):.2f} ms; "
      f"ratio of {len(ratios)} pairs: median {statistics.median(ratios):.3f}, "
      f"middle half {ratios[quarter]:.3f} to {ratios[-1 - quarter]:.3f}")
END
