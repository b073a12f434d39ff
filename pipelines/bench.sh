#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Measures the detector's frames per second and the time of each stage.
#
# usage: pipelines/bench.sh [MODEL] [BACKEND] [INPUT [OUTPUT]]
#
#   INPUT   a picture, which is inferred 300 times, or a video, for which the
#           result includes decoding; by default pipelines/codes.png
#   OUTPUT  a file for a copy of the output
#
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$(readlink -f "$0")")/common.sh"
take_arguments "$@"

take_input "${given:-$root/pipelines/codes.png}"
[ "$kind" = video ] || source+=(! imagefreeze num-buffers=300)

prepare
{
  report --stats "${source[@]}" ! "${detect[@]}" ! fakesink sync=false
  written
} | tee -- ${output:+"$output"}
