#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Eight RTSP cameras that fail in eight ways, watched by examples/cameras.c: see
# cameras.py. Prints a line for each, PASS or FAIL. Takes about two minutes,
# mostly waiting.
set -euo pipefail

usage() {
  cat <<'END'
usage: tests/examples/cameras.sh [--reconnects N] [--build DIR]

  --reconnects N  runs only the last part, which cuts N connections
  --build DIR     the build folder, by default build/
END
}

root=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
build=$root/build more=()
while [ $# -gt 0 ]; do
  case $1 in
    --build | --reconnects)
      [ -n "${2-}" ] || { usage >&2; exit 2; }
      if [ "$1" = --build ]; then build=$(cd "$2" && pwd); else more=("$1" "$2"); fi
      shift
      ;;
    --help | -h) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
  shift
done

skip() { printf 'SKIP: %s\n' "$*"; exit 77; }

program=$build/examples/cameras
[ -x "$program" ] || skip "examples/cameras is not built (gio-unix-2.0)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GST_PLUGIN_PATH_1_0=$build/gst GST_REGISTRY=$work/registry
# Debian's Python, for its GStreamer bindings.
python=/usr/bin/python3
[ -x "$python" ] || python=python3
why=$("$python" -c 'import gi
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GstRtspServer' 2>&1 | tail -n 1)
[ -z "$why" ] || skip "gst-rtsp-server for Python (gir1.2-gst-rtsp-server-1.0): $why"
# Not --exists, which requires a plugin of GStreamer's own version.
for element in rtspsrc x264enc x265enc jpegenc rtph265pay netsim avdec_h264 avdec_h265 yolov10overlay; do
  gst-inspect-1.0 "$element" >"$work/inspected" 2>&1 || skip "no element $element"
done

# The cameras' picture: the QR code of pipelines/codes.png, with room above it.
gst-launch-1.0 -q filesrc "location=$root/pipelines/codes.png" ! pngdec \
  ! videocrop top=40 right=390 bottom=337 ! videoconvert ! videoscale \
  ! video/x-raw,format=GRAY8,width=320,height=208 ! filesink "location=$work/code"
{ head -c $((320 * 32)) /dev/zero; cat "$work/code"; } >"$work/picture"

run() {
  "$python" -B "$root/tests/examples/cameras.py" --program "$program" --picture "$work/picture" \
    --work "$work" "$@"
}
status=0
run ${more[@]+"${more[@]}"} || status=$?
[ -z "${Y10_KEEP-}" ] || cp -r "$work" "$Y10_KEEP"
exit "$status"
