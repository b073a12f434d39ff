#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Detects and draws objects that are small in a picture or a video: yolov10detect
# infers four tiles beside the whole frame. TILES=640 or TILES=auto selects other
# tiles.
#
# usage: pipelines/small-objects.sh [MODEL] [BACKEND] [INPUT [OUTPUT]]
#
#   INPUT   a picture or video; by default pipelines/codes.png
#   OUTPUT  .png or .jpg for a picture, .mp4 or .mkv for a video; by default
#           INPUT's name followed by -yolov10
#
# shellcheck source-path=SCRIPTDIR source=common.sh disable=SC2119
. "$(dirname "$(readlink -f "$0")")/common.sh"
input=${input:-$root/pipelines/codes.png}
prepare
draw --tiles "${TILES:-2x2}"
