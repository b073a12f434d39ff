#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Reads the codes that a camera, video or picture shows: yolov10detect finds
# them, zxing-cpp decodes only those regions. Works from any directory.
#
# usage: pipelines/read-codes.sh [MODEL] [BACKEND] [INPUT [OUTPUT]]
#
#   MODEL    YOLOv10 weights, .safetensors, .pt or .onnx; without it the bundled model,
#            which finds codes and markers
#   BACKEND  auto, cpu, ref or cuda
#   INPUT    picture, video, camera (/dev/video0, which it is without INPUT) or
#            URI (rtsp://…)
#   OUTPUT   .png or .jpg, .mp4 or .mkv to write with the boxes drawn, or "window"
#            to show it; without it nothing is drawn
#
# Prints a line for each code the first time it is read: the time in the stream,
# what it was found as, and its text, with tabs between them. Whatever is not
# printable in a text, and a backslash, is written as in Python: \n, \x1d, \\.
#
# Installs and builds first what is not there yet; with Y10_BUILD=DIR in the
# environment it takes another build folder as it is.
#
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$(readlink -f "$0")")/common.sh"
take_arguments "$@"
take_input "${given:-/dev/video0}"
# A frame that comes while another one is read is left out.
[ $live = no ] || source+=(! queue leaky=downstream max-size-buffers=1)

case $output in
  '') sink=(fakesink sync=false) ;;
  window) sink=(yolov10overlay ! videoconvert ! autovideosink sync=false) ;;
  *)
    take_output "$output"
    sink=(yolov10overlay ! "${sink[@]}")
    ;;
esac

extra=--codes prepare
exec /usr/bin/python3 "$root/pipelines/read_codes.py" "${source[@]}" \
  ! "video/x-raw,format={RGB,I420,NV12,Y42B,Y444,GRAY8}" ! "${detect[@]}" ! "${sink[@]}"
