#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Finds and draws the objects that a network camera sees.
#
# usage: pipelines/rtsp-camera.sh [MODEL] [BACKEND] [INPUT [OUTPUT]]
#
#   INPUT   rtsp://…; without it a test camera, on this machine, for three seconds
#   OUTPUT  window, .mkv or .mp4; by default a window, or rtsp-camera-yolov10.mkv
#           where there is no screen
#
# Ctrl-C ends it, and what it writes.
#
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$(readlink -f "$0")")/common.sh"
take_arguments "$@"

if [ -n "$given" ]; then
  prepare
else
  extra=--rtsp prepare
  serve_scene
fi
take_input "$given"
take_output_or_window "$output" rtsp-camera-yolov10.mkv

launch "${source[@]}" ! "${detect[@]}" ! yolov10overlay ! "${sink[@]}"
written ${output:+"$output"}
