#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Finds and draws the objects in all pictures of a folder, one engine for all. What
# EXIF says is turned is written upright. A picture that cannot be read, or only in
# part, is named in a warning; the others are done, and the exit status is 1.
# The command that is printed is that for the first picture.
#
# usage: pipelines/images.sh [MODEL] [BACKEND] [INPUT [OUTPUT]]
#
#   INPUT   a folder of pictures, which may differ in size and format; without it
#           the pictures of pipelines/
#   OUTPUT  a folder for NAME.png of each; by default INPUT's name followed by
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
    printf 'warning: %s: it may not be read\n' "$(visible "$file")" >&2
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
