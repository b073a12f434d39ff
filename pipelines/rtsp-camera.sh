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
