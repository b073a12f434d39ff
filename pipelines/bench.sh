#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# How many frames per second the detector looks at, and where the time goes.
#
# usage: pipelines/bench.sh [MODEL] [BACKEND] [INPUT [OUTPUT]]
#
#   INPUT   a picture, which is looked at 300 times, or a video, whose decoding
#           takes time, too; without it pipelines/codes.png
#   OUTPUT  a file that gets what is printed
#
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$(readlink -f "$0")")/common.sh"
take_arguments "$@"

take_input "${given:-$root/pipelines/codes.png}"
[ "$kind" = video ] || source+=(! imagefreeze num-buffers=300)

prepare
{
  launch --stats "${source[@]}" ! "${detect[@]}" ! fakesink sync=false
  written
} | tee -- ${output:+"$output"}
