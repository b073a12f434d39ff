#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Detects and draws objects in the stream of a network camera.
#
# usage: pipelines/rtsp-camera.sh [MODEL] [BACKEND] [INPUT [OUTPUT]]
#
#   INPUT   rtsp://…; by default a test camera on this machine, for three seconds
#   OUTPUT  window, .mkv or .mp4; by default a window, or rtsp-camera-yolov10.mkv
#           without a display
#
# Ctrl-C stops it and completes the output file.
#
# shellcheck source-path=SCRIPTDIR source=common.sh disable=SC2119
. "$(dirname "$(readlink -f "$0")")/common.sh"
if [ -n "$input" ]; then prepare; else prepare --rtsp; fi
take_camera
take_output rtsp-camera-yolov10.mkv
run gst-launch-1.0 -e "${source[@]}" ! "${detect[@]}" ! yolov10overlay ! "${sink[@]}"
