#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Installs what the tests need, builds, and runs the tests in build/. Works
# from any directory.
set -euo pipefail

usage() {
  cat <<'END'
usage: tests/run.sh [MESON TEST ARGUMENT...]

Runs all tests except the slow ones, which `.ci/run slow` runs. Arguments are passed to
meson test; docs/testing.md lists the suites. Examples:

  tests/run.sh --suite gst        one suite
  tests/run.sh --suite slow       the slow ones
  tests/run.sh --list             names only
END
}

case ${1-} in -h | --help) usage; exit 0 ;; esac
root=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)
build=$root/build

"$root/tools/setup.sh" --tests
log=$build/meson-logs/testlog.json waits=$build/meson-logs/waits.json
rm -f "$log" "$waits"
status=0
# Three times Meson's limits, and those inside the tests of the elements, for slow
# machines.
export CK_TIMEOUT_MULTIPLIER=${CK_TIMEOUT_MULTIPLIER:-3}
estimate() {
  meson test -C "$build" --no-rebuild --list "$@" 2>/dev/null </dev/null \
    | python3 "$root/tests/estimate.py" before "$build" || true
}
test_build() { meson test -C "$build" --no-rebuild --print-errorlogs --timeout-multiplier 3 "$@" </dev/null; }
if [ $# -gt 0 ]; then
  # Some tests wait rather than compute.
  export MESON_TESTTHREADS=${MESON_TESTTHREADS:-$(($(nproc) + 1))}
  case " $* " in
    *' --list '*) ;;
    *) estimate "$@" ;;
  esac
  test_build "$@" || status=$?
else
  # Tests that wait leave cores idle unless many of them run at once.
  estimate --no-suite slow
  MESON_TESTTHREADS=$((3 * $(nproc))) test_build --logbase waits --suite waits --no-suite slow || status=$?
  MESON_TESTTHREADS=${MESON_TESTTHREADS:-$(($(nproc) + 1))} \
    test_build --no-suite waits --no-suite slow || status=$?
fi
logs=()
for file in "$log" "$waits"; do
  [ ! -e "$file" ] || logs+=("$file")
done
[ ${#logs[@]} -gt 0 ] || exit "$status"
python3 "$root/tests/estimate.py" after "$build" || true
echo
python3 "$root/tests/count.py" --slowest=10 "${logs[@]}" || status=1
exit "$status"
