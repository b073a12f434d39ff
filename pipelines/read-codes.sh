#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Reads the codes that a camera, video or picture shows: yolov10detect finds
# them, zxing-cpp decodes only those regions. Works from any directory.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$(readlink -f "$0")")/common.sh"

usage() {
  cat <<'END'
usage: pipelines/read-codes.sh [MODEL] [INPUT [OUTPUT]]

  MODEL   YOLOv10 weights, a .safetensors file; without it the bundled model,
          which finds codes and markers
  INPUT   picture, video, camera (/dev/video0, which it is without INPUT) or
          URI (rtsp://…)
  OUTPUT  .png or .jpg, .mp4 or .mkv to write with the boxes drawn, or "window"
          to show it; without it nothing is drawn

Prints a line for each code the first time it is read: the time in the stream,
what it was found as, and its text, with tabs between them. Whatever is not
printable in a text, and a backslash, is written as in Python: \n, \x1d, \\.

Installs and builds first what is not there yet; with Y10_BUILD=DIR in the
environment it takes another build folder as it is.
END
}

case ${1-} in -h | --help) usage; exit 0 ;; esac
if take_model "$@"; then shift; fi
[ $# -le 2 ] || { usage >&2; die "too many arguments"; }

given=${1:-/dev/video0} kind=video live=no
if [[ $given == *://* ]]; then
  source=(uridecodebin "uri=$given" ! videoconvert)
  case $given in file:* | http*) ;; *) live=yes ;; esac
elif [ -c "$given" ] || [[ $given == /dev/video* ]]; then
  [ -c "$given" ] || die "there is no camera $given; name a picture, video, camera or URI"
  [ -r "$given" ] || die "the camera $given may not be read"
  source=(v4l2src "device=$given" ! decodebin ! videoconvert) live=yes
else
  take_file "$given"
  source=(filesrc "location=$input" ! gdkpixbufdec ! videoconvert)
  [ "$kind" = picture ] || source=(filesrc "location=$input" ! decodebin ! queue ! videoconvert)
fi
# A frame that comes while another one is read is left out.
[ $live = no ] || source+=(! queue leaky=downstream max-size-buffers=1)

case ${2-} in
  '') sink=(fakesink sync=false) ;;
  window) sink=(yolov10overlay ! videoconvert ! autovideosink sync=false) ;;
  *)
    take_output "$2"
    sink=(yolov10overlay ! "${sink[@]}")
    ;;
esac

prepare --codes
exec /usr/bin/python3 "$root/pipelines/read_codes.py" "${source[@]}" \
  ! "video/x-raw,format={RGB,I420,NV12,Y42B,Y444,GRAY8}" ! "${detect[@]}" ! "${sink[@]}"
