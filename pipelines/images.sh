#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Finds and draws the objects in all pictures of a folder, one engine for all.
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

# imagesequencesrc wants numbers for names.
numbered=$(mktemp -d)
trap 'rm -rf "$numbered"' EXIT
files=() names=()
declare -A used=() of_size=()
for file in "$input"/*; do
  if [ ! -f "$file" ] || [ -z "$(picture_kind "$file")" ]; then continue; fi
  files+=("$file") name=${file##*/}
  [ -n "${used[${name%.*}]-}" ] || name=${name%.*}
  used[$name]=yes
  names+=("$name.png")
done
[ ${#names[@]} -gt 0 ] || die "there is no picture in $input"

prepare
# All of one size in one pipeline: some releases of gdkpixbufdec take the first
# picture's size for that of all.
mapfile -t sizes < <(picture_sizes "${files[@]}")
for i in "${!files[@]}"; do of_size[${sizes[i]}]+="$i "; done
mkdir -p "$output"
for size in "${!of_size[@]}"; do
  read -ra these <<<"${of_size[$size]}"
  # imagesequencesrc wants numbers for names.
  for n in "${!these[@]}"; do
    ln -sfn "${files[these[n]]}" "$(printf '%s/in-%06d' "$numbered" "$n")"
  done
  # The decoder looks at each file itself, so that formats may be mixed.
  launch imagesequencesrc "location=$numbered/in-%06d" "num-buffers=${#these[@]}" framerate=1/1 \
    ! gdkpixbufdec ! "${detect[@]}" ! yolov10overlay \
    ! videoconvert ! pngenc ! multifilesink "location=$numbered/out-%06d"
  for n in "${!these[@]}"; do
    mv "$(printf '%s/out-%06d' "$numbered" "$n")" "$output/${names[these[n]]}"
  done
done
echo "${#names[@]} pictures written to $output"
