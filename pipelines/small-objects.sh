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
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$(readlink -f "$0")")/common.sh"
take_arguments "$@"

prepare
take_file "${given:-$root/pipelines/codes.png}"
name=$(basename "$input")
extension=mp4
[ "$kind" = video ] || extension=png
take_output "${output:-${name%.*}-yolov10.$extension}"

launch filesrc "location=$input" ! decodebin ! videoconvert ! videoflip video-direction=auto \
  ! "${detect[@]}" "tiles=${TILES:-2x2}" ! yolov10overlay ! "${sink[@]}"
written "$output"
