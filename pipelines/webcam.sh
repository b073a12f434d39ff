#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Detects and draws objects in the stream of a camera on this machine.
#
# usage: pipelines/webcam.sh [MODEL] [BACKEND] [INPUT [OUTPUT]]
#
#   INPUT   the camera; by default /dev/video0 or, if there is none, three seconds
#           of a test picture
#   OUTPUT  window, .mkv or .mp4; by default a window, or webcam-yolov10.mkv
#           without a display
#
# Ctrl-C stops it and completes the output file.
#
# shellcheck source-path=SCRIPTDIR source=common.sh disable=SC2119
. "$(dirname "$(readlink -f "$0")")/common.sh"
[ -n "$input" ] || [ ! -c /dev/video0 ] || input=/dev/video0
take_input "$input" 90 30
take_output webcam-yolov10.mkv
prepare
run gst-launch-1.0 -e "${source[@]}" ! "${detect[@]}" ! yolov10overlay ! "${sink[@]}"
