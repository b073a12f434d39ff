#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Runs every script of pipelines/ like a user and decodes its output: see
# scripts.py. Prints a line for each, PASS or FAIL and the results; exits with
# 77 if a package is missing.
set -euo pipefail

usage() {
  cat <<'END'
usage: tests/pipelines/run.sh [--build DIR] [--sheet FILE] [SCRIPT…]

  --build DIR    the build folder, by default build/
  --sheet FILE   also writes a contact sheet of all outputs, a .jpg
  SCRIPT         only these, such as file.sh
END
}

root=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
build=${Y10_BUILD:-$root/build}
arguments=()
while [ $# -gt 0 ]; do
  case $1 in
    --build | --sheet)
      [ -n "${2-}" ] || { usage >&2; exit 2; }
      if [ "$1" = --build ]; then build=$2; else arguments+=(--sheet "$(realpath -m -- "$2")"); fi
      shift
      ;;
    --help | -h) usage; exit 0 ;;
    -*) usage >&2; exit 2 ;;
    *) arguments+=("$1") ;;
  esac
  shift
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export Y10_BUILD GST_REGISTRY=$work/registry
Y10_BUILD=$(cd "$build" && pwd)
# No window, even if there is a display.
unset DISPLAY WAYLAND_DISPLAY
# Debian's Python, for its GStreamer bindings.
/usr/bin/python3 "$root/tests/pipelines/scripts.py" --work "$work" "${arguments[@]}"
