#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Tells when objects have been in a zone for some seconds, and draws the zone with the
# number of objects in it. ZONE="yard=0,0.5 1,1" in the environment selects another zone,
# in fractions of the picture; SECONDS_IN another time than 2; CLASSES=person,car watches
# only these.
#
# usage: pipelines/dwell.sh [MODEL] [BACKEND] [INPUT [OUTPUT]]
#
#   INPUT   a video, camera or URI (rtsp://…); by default codes and a moving ball
#   OUTPUT  .mp4 or .mkv, or "window"; by default a window if there is a display, else
#           dwell-yolov10.mkv
#
# Prints a line of JSON for each object that enters, stays that long and leaves.
#
# shellcheck source-path=SCRIPTDIR source=common.sh disable=SC2119
. "$(dirname "$(readlink -f "$0")")/common.sh"
take_input "$input" 90 30
take_output dwell-yolov10.mkv
prepare
run gst-launch-1.0 -eq "${source[@]}" ! "${detect[@]}" ! yolov10track \
  ! yolov10zones "zones=$(value "${ZONE:-left=0,0 0.35,1}")" "dwell=${SECONDS_IN:-2}000000000" \
  ${CLASSES:+"classes=$(value "$CLASSES")"} \
  ! yolov10publish content=events location=/dev/stdout ! yolov10overlay ! "${sink[@]}"
