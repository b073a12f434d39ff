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
# shellcheck source-path=SCRIPTDIR source=common.sh disable=SC2119
. "$(dirname "$(readlink -f "$0")")/common.sh"
take_input "${input:=$root/pipelines/codes.png}"
! is_picture "$input" || source+=(! imagefreeze num-buffers=300)
prepare
run /usr/bin/python3 "$root/pipelines/report.py" --stats "${source[@]}" ! "${detect[@]}" ! fakesink sync=false \
  | tee -- ${output:+"$output"}
