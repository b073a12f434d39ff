#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# An hour of synthetic video at full speed: memory must not grow, see long.py.
# Prints the figures and PASS or FAIL.
set -euo pipefail

usage() {
  cat <<'END'
usage: tests/bench/long.sh [--minutes N] [--build DIR]

  --minutes N    length of the video, by default 60, which takes a few minutes
  --build DIR    the build folder, by default build/
END
}

minutes=60
# shellcheck source=tests/bench/live.sh
. "$(dirname "$(readlink -f "$0")")/live.sh"
"$python" "$root/tests/bench/long.py" "$work/tiny.safetensors" \
  --labels "$work/labels.txt" --minutes "$minutes"
