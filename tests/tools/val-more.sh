#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Installs pycocotools from PyPI and compares with it in many cases by chance.
set -euo pipefail

[ $# = 1 ] || { echo "usage: val-more.sh VENV" >&2; exit 2; }
here=$(dirname "$(readlink -f "$0")")
if ! "$1/bin/python" -c "import pycocotools, numpy" 2>/dev/null; then
  { python3 -m venv "$1" && "$1/bin/pip" -q install pycocotools numpy; } \
    || { echo "SKIP: pycocotools cannot be installed into $1"; exit 77; }
fi
"$1/bin/python" "$here/test-val.py" more Numbers
