#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Detects and draws the objects in all pictures of a folder with one engine, and in its
# videos. Rotates pictures upright according to EXIF. If one cannot be read completely,
# it says so, continues with the others, and exits with status 1.
#
# usage: pipelines/images.sh [MODEL] [BACKEND] [INPUT [OUTPUT]]
#
#   INPUT   a folder of pictures of any size and format; by default pipelines/
#   OUTPUT  a folder for the outputs, which keep their names; those of other formats
#           than JPEG become PNG; by default INPUT's name followed by -yolov10
#
# shellcheck source-path=SCRIPTDIR source=common.sh disable=SC2119
. "$(dirname "$(readlink -f "$0")")/common.sh"
input=$(realpath -ms -- "${input:-$root/pipelines}")
[ "$input" != "$root/pipelines" ] || output=${output:-images-yolov10}
prepare
draw
