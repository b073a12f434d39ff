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

Runs all tests except the slow ones, which .ci/run runs. Arguments are passed to
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
[ $# -gt 0 ] || set -- --no-suite slow
# Some tests wait rather than compute.
export MESON_TESTTHREADS=${MESON_TESTTHREADS:-$(($(nproc) + 1))}
log=$build/meson-logs/testlog.json
rm -f "$log"
status=0
case " $* " in
  *' --list '*) ;;
  *)
    meson test -C "$build" --no-rebuild --list "$@" 2>/dev/null </dev/null \
      | python3 "$root/tests/estimate.py" before "$build" || true
    ;;
esac
# Three times Meson's limits, and those inside the tests of the elements, for slow
# machines.
export CK_TIMEOUT_MULTIPLIER=${CK_TIMEOUT_MULTIPLIER:-3}
meson test -C "$build" --no-rebuild --print-errorlogs --timeout-multiplier 3 "$@" </dev/null || status=$?
[ -e "$log" ] || exit "$status"
python3 "$root/tests/estimate.py" after "$build" || true
echo
python3 "$root/tests/count.py" --slowest=10 "$log" || status=1
exit "$status"
