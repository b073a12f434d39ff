#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Detects and draws the objects in all pictures of a folder with one engine. Rotates
# pictures upright according to EXIF. If a picture cannot be read completely, it
# prints a warning, continues with the others, and exits with status 1. It prints
# the pipeline for the first picture.
#
# usage: pipelines/images.sh [MODEL] [BACKEND] [INPUT [OUTPUT]]
#
#   INPUT   a folder of pictures of any size and format; by default pipelines/
#   OUTPUT  a folder for the outputs, NAME.png; by default INPUT's name followed by
#           -yolov10
#
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$(readlink -f "$0")")/common.sh"
take_arguments "$@"

input=$(absolute "${given:-$root/pipelines}")
name=images
[ -z "$given" ] || name=$(basename "$input")
[ -d "$input" ] || die "the input '$given' is not a folder"
output=$(absolute "${output:-$name-yolov10}")
[ ! "$output" -ef "$input" ] || die "the output would overwrite pictures of the input"

files=()
for file in "$input"/*; do
  if [ ! -f "$file" ]; then continue; fi
  if [ ! -r "$file" ]; then
    printf 'warning: %s: no permission to read it\n' "$(visible "$file")" >&2
    damaged=yes
  elif [ -n "$(picture_kind "$file")" ] || named_as_picture "$file"; then
    files+=("$file")
  fi
done
[ ${#files[@]} -gt 0 ] || die "there is no picture in $input"

prepare
mkdir -p -- "$output"
status=0
printf '%s\0' "${files[@]}" \
  | /usr/bin/python3 "$root/pipelines/folder.py" "$output" "${detect[@]}" || status=$?
if [ $status -ne 0 ] || [ $damaged != no ]; then exit 1; fi
