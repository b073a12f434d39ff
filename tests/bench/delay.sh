#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Measures the delay of cameras' frames behind a detector that is three times too slow for one, and
# whether it grows: see delay.py. Prints the figures and PASS or FAIL; exits with 77 if a package
# is missing.
set -euo pipefail

usage() {
  cat <<'END'
usage: tests/bench/delay.sh [--minutes N] [--cameras N] [--build DIR]

  --minutes N    duration, by default 10; delays are measured around the first
                 and the last minute
  --cameras N    number of cameras that share the detector's engine, by default 1
  --build DIR    the build folder, by default build/
END
}

minutes=10 cameras=1
# shellcheck source=tests/bench/live.sh
. "$(dirname "$(readlink -f "$0")")/live.sh"
"$python" "$root/tests/bench/delay.py" "$build/tests/gst" "$work/tiny.safetensors" \
  --labels "$work/labels.txt" --minutes "$minutes" --cameras "$cameras"
