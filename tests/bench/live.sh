#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Sourced by delay.sh and long.sh: parses --minutes, --cameras and --build, makes a small
# model in $work, and points GStreamer at the build.

root=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
build=$root/build
while [ $# -gt 0 ]; do
  case $1 in
    --minutes | --cameras | --build)
      [ -n "${2-}" ] || { usage >&2; exit 2; }
      # shellcheck disable=SC2034 # the sourcing script uses them
      case $1 in
        --minutes) minutes=$2 ;;
        --cameras) cameras=$2 ;;
        --build) build=$(cd "$2" && pwd) ;;
      esac
      shift
      ;;
    --help | -h) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
  shift
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$build/tests/common/seeded" "$root/tests/data/tiny-nc3.shapes.json" "$work/tiny.safetensors"
printf 'person\nbus\nstop sign\n' >"$work/labels.txt"
export GST_PLUGIN_PATH_1_0=$build/gst GST_REGISTRY=$work/registry
# Debian's Python, for its GStreamer bindings.
python=/usr/bin/python3
[ -x "$python" ] || python=python3
