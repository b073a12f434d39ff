#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Reproduces models/codes.safetensors from scratch: packages, pictures,
# training, evaluation. The same command continues where it stopped.
set -euo pipefail

usage() {
  cat <<'END'
usage: models/train/reproduce.sh [--quick] [FOLDER]

Trains the model that comes with the project on pictures that it generates;
it downloads only Python packages, into build/train-venv. FOLDER, by default
build/training, holds the pictures (2 GB), the state of an interrupted
training and the results: codes.safetensors, log.json, losses.png. Uses a GPU
if PyTorch finds one. models/README.md has the duration on two cores.

  --quick  a small training in minutes instead, ball and QR code at 160 pixels,
           which must reach its minimum precision
END
}

say() { printf 'reproduce: %s\n' "$*"; }
die() { printf 'reproduce: %s\n' "$*" >&2; exit 1; }

quick=no
case ${1-} in
  -h | --help) usage; exit 0 ;;
  --quick) quick=yes; shift ;;
  -*) usage >&2; die "there is no option '$1'" ;;
esac
[ $# -le 1 ] || { usage >&2; die "too many arguments"; }

here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=$(realpath -ms -- "${1:-$root/build/training}")
venv=$root/build/train-venv
python=$venv/bin/python

# The system's PyTorch matches its NumPy, but Debian's computes on one core:
# fast enough for a training of minutes. Drawing needs writers that only
# zxing-cpp 3 has.
torch="import os, torch" plotter=()
if [ $quick = no ]; then
  torch+="; assert torch.get_num_threads() > 1 or os.cpu_count() == 1"
  plotter=(matplotlib)
fi
modules="$torch; import cv2, zxingcpp${plotter:+, matplotlib}; zxingcpp.create_barcode"
# OpenCV 5 has other fonts, so the pictures would differ.
modules+="; assert cv2.__version__ < '5'"
if ! { [ -x "$python" ] && "$python" -c "$modules" 2>/dev/null; }; then
  say "putting the packages that are missing into build/train-venv"
  mkdir -p "$(dirname "$venv")"
  sites=() wanted=(torch "opencv-python-headless<5" numpy)
  if /usr/bin/python3 -c "$torch" 2>/dev/null; then
    sites=(--system-site-packages) wanted=("opencv-python-headless<4.12" "numpy<2")
  fi
  /usr/bin/python3 -m venv --clear "${sites[@]}" "$venv" \
    || die "no Python environment could be made (Debian: python3-venv)"
  wanted+=("zxing-cpp>=3,<4" "${plotter[@]}")
  "$python" -m pip install --quiet --disable-pip-version-check "${wanted[@]}" \
    || die "packages could not be installed"
  "$python" -c "$modules" || die "the packages do not work"
fi

# glibc returns large blocks to the system after each layer and requests them
# again, zeroed, for the next: a fifth of the time.
export MALLOC_MMAP_THRESHOLD_=8589934592 MALLOC_TRIM_THRESHOLD_=17179869184
export MALLOC_TOP_PAD_=1073741824

mkdir -p "$folder"
if [ $quick = yes ]; then
  "$python" -u "$here/train.py" --recipe quick "$folder"
  exit
fi
"$python" -u "$here/train.py" "$folder"
"$python" "$here/curve.py" "$folder/log.json" "$folder/losses.png"
say "the model is $folder/codes.safetensors; its losses are in losses.png"
