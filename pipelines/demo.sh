#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Finds and draws the objects in a picture or video: the shortest useful
# pipeline, with a table of what was found. Works from any directory.
#
# usage: pipelines/demo.sh [MODEL] [BACKEND] [INPUT [OUTPUT]]
#
#   MODEL    YOLOv10 weights, .safetensors, .pt or .onnx; without it the bundled model,
#            which finds codes and markers
#   BACKEND  auto, cpu, ref or cuda
#   INPUT    picture or video; without it five seconds of codes and a moving ball
#   OUTPUT   where to write what was drawn: .png or .jpg for a picture, .mp4 or
#            .mkv for a video (without sound); by default INPUT's name followed
#            by -yolov10, in this directory. Without INPUT it is
#            test-yolov10.mp4, and test-yolov10.png, its first frame
#
# Installs and builds first what is not there yet; with Y10_BUILD=DIR in the
# environment it takes another build folder as it is.
#
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$(readlink -f "$0")")/common.sh"
take_arguments "$@"

name=test kind=video picture=
if [ -n "$given" ]; then
  take_file "$given"
  take_input "$given"
  name=$(basename "$input")
  name=${name%.*}
else
  take_scene 150 30
fi
default_end=mp4
[ "$kind" = video ] || default_end=png
take_output "${output:-$name-yolov10.$default_end}"
if [ -z "$given" ]; then
  # One frame in five seconds is the first one. The encoder wants many frames
  # before it gives one, and must not wait for the picture meanwhile.
  picture=${output%.*}.png
  sink=(tee name=both ! "${sink[@]}"
    both. ! queue leaky=upstream max-size-buffers=1 ! videorate drop-only=true
    ! "video/x-raw,framerate=1/5" ! videoconvert
    ! pngenc ! filesink "location=$picture" async=false)
fi

prepare
launch "${source[@]}" ! "${detect[@]}" ! yolov10overlay ! "${sink[@]}"
written "$output" ${picture:+"$picture"}
