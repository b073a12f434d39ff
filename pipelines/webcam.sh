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
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$(readlink -f "$0")")/common.sh"
take_arguments "$@"

if [ -n "$given" ] || [ -c /dev/video0 ]; then
  take_input "${given:-/dev/video0}"
else
  echo "there is no camera /dev/video0; using a test picture"
  live=yes kind=video
  take_scene 90 30
fi
take_output_or_window "$output" webcam-yolov10.mkv

prepare
launch "${source[@]}" ! "${detect[@]}" ! yolov10overlay ! "${sink[@]}"
written ${output:+"$output"}
