#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# run.sh [--output DIR] [--part N]           runs the checks of a GPU, or one part of them
# run.sh --check report.json                 judges a report
#
# Runs from the archive that bundle.sh makes, on a machine with only a driver,
# CUDA's libraries and Python. --help lists the other options.
set -eu

here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
python=
for candidate in "${PYTHON:-}" python3 /opt/*/bin/python3 /opt/*/.venv/bin/python3 /usr/bin/python3; do
  # Takes the one with PyTorch, else the first that works.
  command -v "$candidate" >/dev/null 2>&1 || continue
  "$candidate" -c 'import json, sys; sys.exit(sys.version_info < (3, 8))' 2>/dev/null || continue
  [ -n "$python" ] || python=$candidate
  if "$candidate" -c 'import importlib.util as u, sys; sys.exit(not u.find_spec("torch"))' 2>/dev/null; then
    python=$candidate
    break
  fi
done
if [ -z "$python" ]; then
  echo "run.sh: no Python 3.8 or newer (PYTHON=… says where it is)" >&2
  exit 2
fi
PYTHONDONTWRITEBYTECODE=1 exec "$python" "$here/driver.py" "$@"
