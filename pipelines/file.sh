#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Detects and draws the objects in a video. Keeps the sound, and rotates the video
# upright if the camera was turned.
#
# usage: pipelines/file.sh [MODEL] [BACKEND] [INPUT [OUTPUT]]
#
#   INPUT   a video; by default a test video, which the script writes to
#           file-test.mp4
#   OUTPUT  .mp4 or .mkv; by default INPUT's name followed by -yolov10
#
# shellcheck source-path=SCRIPTDIR source=common.sh disable=SC2119
. "$(dirname "$(readlink -f "$0")")/common.sh"
prepare
[ -n "$input" ] || take_clip 3 file-test.mp4
draw
