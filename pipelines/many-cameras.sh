#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Detects and draws objects in the streams of several cameras, side by side in one
# picture. The detectors share one engine.
#
# usage: pipelines/many-cameras.sh [MODEL] [BACKEND] [INPUT [OUTPUT]]
#
#   INPUT   cameras, rtsp://… or videos, separated by commas; by default three
#           seconds of four test pictures
#   OUTPUT  window, .mkv or .mp4; by default a window, or many-cameras-yolov10.mkv
#           without a display
#
# Ctrl-C stops it and completes the output file.
#
# shellcheck source-path=SCRIPTDIR source=common.sh disable=SC2119
. "$(dirname "$(readlink -f "$0")")/common.sh"
cameras=('' '' '' '')
[ -z "$input" ] || IFS=, read -ra cameras <<<"$input"
columns=1
while [ $((columns * columns)) -lt ${#cameras[@]} ]; do columns=$((columns + 1)); done
width=$((1280 / columns)) height=$((720 / columns))

places=() branches=() n=0
for camera in "${cameras[@]}"; do
  take_input "$camera" 45 15
  column=$((n % columns)) row=$((n / columns))
  places+=("sink_$n::xpos=$((column * width))" "sink_$n::ypos=$((row * height))"
    "sink_$n::width=$width" "sink_$n::height=$height" "sink_$n::sizing-policy=keep-aspect-ratio")
  branches+=("${source[@]}" ! "${detect[@]}" ! yolov10overlay ! queue ! "mix.sink_$n")
  n=$((n + 1))
done
take_output many-cameras-yolov10.mkv
prepare
run gst-launch-1.0 -e compositor name=mix background=black "${places[@]}" \
  ! "video/x-raw,width=1280,height=720" ! "${sink[@]}" "${branches[@]}"
