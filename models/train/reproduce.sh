#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Makes models/codes.safetensors again from nothing: packages, pictures,
# training, what it reaches. The same command again goes on where it stopped.
set -euo pipefail

usage() {
  cat <<'END'
usage: models/train/reproduce.sh [--quick] [FOLDER]

Trains the model that comes with the project on pictures it draws itself;
nothing is downloaded but Python packages, into build/train-venv. FOLDER, by
default build/training, takes the pictures (2 GB), the state to go on from
and the results: codes.safetensors, log.json, losses.png. Uses a GPU where
PyTorch finds one. models/README.md says how long it takes on two cores.

  --quick  a small training in minutes instead, ball and QR code at 160 pixels,
           which must reach what it promises
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

# Whatever PyTorch the system has is good enough, and fits its NumPy; drawing
# needs writers that only zxing-cpp 3 has.
modules="import torch, cv2, zxingcpp; zxingcpp.create_barcode" plotter=()
[ $quick = yes ] || { modules+="; import matplotlib" plotter=(matplotlib); }
if ! { [ -x "$python" ] && "$python" -c "$modules" 2>/dev/null; }; then
  say "putting the packages that are missing into build/train-venv"
  mkdir -p "$(dirname "$venv")"
  /usr/bin/python3 -m venv --clear --system-site-packages "$venv" \
    || die "no Python environment could be made (Debian: python3-venv)"
  wanted=("zxing-cpp>=3,<4" "${plotter[@]}")
  if "$python" -c 'import torch' 2>/dev/null; then
    wanted+=("opencv-python-headless<4.12" "numpy<2")
  else
    wanted+=(torch opencv-python-headless numpy)
  fi
  "$python" -m pip install --quiet --disable-pip-version-check "${wanted[@]}" \
    || die "packages could not be installed"
  "$python" -c "$modules" || die "the packages do not work"
fi

# glibc gives large blocks back to the system after each layer and fetches them
# again, empty, for the next: a fifth of the time.
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
