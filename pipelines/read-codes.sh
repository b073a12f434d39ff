#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Reads the codes in a camera stream, video or picture: yolov10detect locates them,
# and zxing-cpp decodes only these regions. Works from any folder.
#
# usage: pipelines/read-codes.sh [MODEL] [BACKEND] [INPUT [OUTPUT]]
#
#   MODEL    YOLOv10 weights, .safetensors, .pt or .onnx; by default the bundled
#            model, which detects codes and markers
#   BACKEND  auto, cpu, ref or cuda
#   INPUT    a picture, video, camera or URI (rtsp://…); by default /dev/video0
#   OUTPUT   the annotated copy, .png or .jpg, .mp4 or .mkv, or "window" to show it;
#            by default nothing is drawn
#
# Prints a line for each code the first time it is read: the time in the stream, the
# detected class, and the text, separated by tabs. Unprintable characters and
# backslashes are escaped as in Python: \n, \x1d, \\.
#
# In a clone it installs missing packages and builds first; with Y10_BUILD=DIR in the
# environment it uses that build folder and does not update it.
#
# shellcheck source-path=SCRIPTDIR source=common.sh disable=SC2119
. "$(dirname "$(readlink -f "$0")")/common.sh"
take_input "${input:=/dev/video0}"
sink=(fakesink sync=false)
[ -z "$output" ] || { take_output; sink=(yolov10overlay ! "${sink[@]}"); }
# Drop frames that arrive while another one is being read.
[ $live = no ] || source+=(! queue leaky=downstream max-size-buffers=1)
prepare --codes
run /usr/bin/python3 "$root/pipelines/read_codes.py" "${source[@]}" \
  ! "video/x-raw,format={RGB,I420,NV12,Y42B,Y444,GRAY8}" ! "${detect[@]}" ! "${sink[@]}"
