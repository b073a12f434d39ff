#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
set -euo pipefail

root=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
usage() {
  cat <<END
Usage: tests/scale/run.sh [--build DIR] [--venv DIR] [TEST…]

Tests archives on several nodes, all on this machine: 'ray' (python -m y10.archive
on three Ray nodes), 'slurm' (tools/slurm/archive.sh on Slurm's daemons; needs root
and the packages slurm-wlm and munge). 'measure' prints the figures of docs/scale.md
and ends within a quarter of an hour, each test within five minutes. The clips and the
model are in ../shared. A test that cannot run prints what is missing and exits with 77.

  --build DIR   where the project was built [build]
  --venv DIR    virtual environment with Ray, made if it is missing, 700 MB
                [build-ci/venv-ray]
END
}

build=$root/build venv=$root/build-ci/venv-ray tests=()
while [ $# -gt 0 ]; do
  case $1 in
    --build) build=$(realpath "$2"); shift ;;
    --venv) venv=$(realpath -m "$2"); shift ;;
    -h | --help) usage; exit ;;
    ray | slurm | measure) tests+=("$1") ;;
    *) echo "run.sh: '$1' is neither an option nor a test" >&2; usage >&2; exit 2 ;;
  esac
  shift
done
[ ${#tests[@]} -gt 0 ] || tests=(ray slurm)

if [[ ${tests[*]} =~ ray|measure ]] && { [ ! -x "$venv/bin/python" ] || ! "$venv/bin/python" -c 'import ray, numpy, pyarrow' 2>/dev/null; }; then
  echo "installing Ray into $venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install -q 'ray>=2.9' numpy pyarrow tqdm || { echo "Ray cannot be installed"; exit 77; }
fi
export Y10=$build/tools/y10 Y10_LIBRARY=$build/engine/liby10.so.1 Y10_TEST_SOURCE=$root
for program in "$Y10" ffmpeg; do
  command -v "$program" >/dev/null || { echo "$program is missing"; exit 77; }
done
status=0
limit() { # SECONDS COMMAND…
  timeout --kill-after 20 --signal INT "$@" || status=$?
}
for test in "${tests[@]}"; do
  echo "$test"
  case $test in
    ray) limit 300 "$venv/bin/python" -u "$root/tests/scale/test-ray.py" ;;
    slurm) limit 300 /usr/bin/python3 -u "$root/tests/scale/test-slurm.py" ;;
    measure)
      limit 900 "$venv/bin/python" -u "$root/tests/scale/measure.py"
      limit 120 /usr/bin/python3 -u "$root/tests/scale/test-slurm.py" --empty
      ;;
  esac
done
exit "$status"
