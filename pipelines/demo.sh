#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Detects and draws the objects in a picture or video, and prints a table of them.
# Without INPUT, it runs the shortest useful pipeline. Works from any folder.
#
# usage: pipelines/demo.sh [MODEL] [BACKEND] [INPUT [OUTPUT]]
#
#   MODEL    YOLOv10 weights, .safetensors, .pt or .onnx; by default the bundled
#            model, which detects codes and markers
#   BACKEND  auto, cpu, ref or cuda
#   INPUT    a picture or video; by default five seconds of codes and a moving ball
#   OUTPUT   the annotated copy: .png or .jpg for a picture, .mp4 or .mkv for a
#            video; by default INPUT's name followed by -yolov10,
#            in the current folder. Without INPUT, the outputs are
#            test-yolov10.mp4 and its first frame, test-yolov10.png
#
# In a clone it installs missing packages and builds first; with Y10_BUILD=DIR in the
# environment it uses that build folder and does not update it.
#
# shellcheck source-path=SCRIPTDIR source=common.sh disable=SC2119
. "$(dirname "$(readlink -f "$0")")/common.sh"
prepare
if [ -n "$input" ]; then
  draw
  exit
fi
take_scene 150 30
[ -n "$output" ] || output=test-yolov10.mp4
take_output
# One frame per five seconds is the first one. The encoder needs many frames before it
# outputs one, and must not wait for the picture.
run /usr/bin/python3 "$root/pipelines/report.py" "${source[@]}" ! "${detect[@]}" ! yolov10overlay \
  ! tee name=both ! "${sink[@]}" both. ! queue leaky=upstream max-size-buffers=1 \
  ! videorate drop-only=true ! "video/x-raw,framerate=1/5" ! videoconvert ! pngenc \
  ! filesink "location=$(value "${output%.*}.png")" async=false
