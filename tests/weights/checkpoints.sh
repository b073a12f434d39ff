#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Installs Ultralytics from PyPI beside Debian's PyTorch and runs checkpoints.py and
# families.py.
set -euo pipefail

[ $# = 4 ] || { echo "usage: checkpoints.sh Y10 VENV GOLDEN SEEDED" >&2; exit 2; }
here=$(dirname "$(readlink -f "$0")")
python=/usr/bin/python3
if ! $python -c 'import torch, torchvision' 2>/dev/null; then
  echo "SKIP: PyTorch is missing (Debian: python3-torch, python3-torchvision)"
  exit 77
fi
if [ ! -e "$2/installed" ]; then
  $python -m venv --system-site-packages "$2"
  "$2/bin/pip" install --quiet --disable-pip-version-check \
    ultralytics onnxslim onnxruntime 'numpy<2' 'onnx<1.17' 'ml_dtypes<0.4' \
    || { echo "SKIP: pip cannot install ultralytics and onnx"; exit 77; }
  touch "$2/installed"
fi
# As in models/train/reproduce.sh: a quarter of the time.
export MALLOC_MMAP_THRESHOLD_=8589934592 MALLOC_TRIM_THRESHOLD_=17179869184
export MALLOC_TOP_PAD_=1073741824
export YOLO_CONFIG_DIR=$2 YOLO_OFFLINE=true
status=0
"$2/bin/python" "$here/checkpoints.py" "$1" "$here/../../pipelines/codes.png" || status=$?
"$2/bin/python" "$here/families.py" "$1" "$3" "$4" "$here/../../pipelines/codes.png" || status=$?
exit $status
