#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Counts the objects that cross a line, in each direction, and draws the line with its
# counts. LINE="gate=0.1,0.5 -> 0.9,0.5" in the environment selects another line, in
# fractions of the picture; CLASSES=person,car counts only these.
#
# usage: pipelines/count.sh [MODEL] [BACKEND] [INPUT [OUTPUT]]
#
#   INPUT   a video, camera or URI (rtsp://…); by default a moving ball
#   OUTPUT  .mp4 or .mkv, or "window"; by default a window if there is a display, else
#           count-yolov10.mkv
#
# Prints a line of JSON for each crossing.
#
# shellcheck source-path=SCRIPTDIR source=common.sh disable=SC2119
. "$(dirname "$(readlink -f "$0")")/common.sh"
take_input "$input" 150 30
take_output count-yolov10.mkv
prepare
run gst-launch-1.0 -eq "${source[@]}" ! "${detect[@]}" ! yolov10track \
  ! yolov10zones "zones=$(value "${LINE:-gate=0.65,0.5 -> 1,0.5}")" ${CLASSES:+"classes=$(value "$CLASSES")"} \
  ! yolov10publish content=events location=/dev/stdout ! yolov10overlay ! "${sink[@]}"
