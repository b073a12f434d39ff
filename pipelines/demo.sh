#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Finds and draws the objects in a picture or video: the shortest useful
# pipeline, with a table of what was found. Works from any directory.
set -euo pipefail

usage() {
  cat <<'END'
usage: pipelines/demo.sh MODEL [INPUT] [OUTPUT]

  MODEL   YOLOv10 weights, a .safetensors file; docs/models.md says how to get
          one
  INPUT   picture or video; without it a moving test picture
  OUTPUT  where to write what was drawn: .png or .jpg for a picture, .mp4 or
          .mkv for a video (without sound); by default INPUT's name followed by
          -yolov10, in this directory

Installs and builds first what is not there yet; with Y10_BUILD=DIR in the
environment it takes another build folder as it is.
END
}

die() { printf 'demo.sh: %s\n' "$*" >&2; exit 1; }

# Which picture format the file's first bytes announce; nothing for videos.
picture_kind() {
  case $(head -c 12 -- "$1" | od -An -v -tx1 | tr -d ' \n') in
    89504e470d0a1a0a*) echo png ;;
    ffd8ff*) echo jpeg ;;
    474946383[79]61*) echo gif ;;
    49492a00* | 4d4d002a*) echo tiff ;;
    52494646????????57454250) echo webp ;;
    424d*) echo bmp ;;
  esac
}

case ${1-} in -h | --help) usage; exit 0 ;; esac
[ $# -le 3 ] || { usage >&2; die "too many arguments"; }
if [ -z "${1-}" ]; then
  usage >&2
  die "which MODEL? No model comes with the project yet"
fi

root=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)
absolute() { realpath -ms -- "$1"; }
model=$(absolute "$1")
[ -e "$model" ] || die "there is no model '$1'"

kind=video name=test
if [ -n "${2-}" ]; then
  input=$(absolute "$2")
  [ -e "$input" ] || die "there is no input '$2'"
  if [ ! -f "$input" ] || [ ! -r "$input" ]; then die "the input '$2' is not a file that can be read"; fi
  [ -z "$(picture_kind "$input")" ] || kind=picture
  name=$(basename "$input")
  name=${name%.*}
fi
default_end=mp4
[ "$kind" = video ] || default_end=png
output=$(absolute "${3:-$name-yolov10.$default_end}")
[ ! "$output" -ef "${input-}" ] || die "the output would overwrite the input '$2'"
[ -d "$(dirname "$output")" ] || die "there is no directory $(dirname "$output") to write to"

case $kind:${output,,} in
  picture:*.png) encode="pngenc" ;;
  picture:*.jpg | picture:*.jpeg) encode="jpegenc quality=95" ;;
  picture:*) die "a picture is written as .png or .jpg, not as '$(basename "$output")'" ;;
  video:*.mp4) encode="x264enc speed-preset=veryfast pass=qual quantizer=20 ! mp4mux" ;;
  video:*.mkv) encode="x264enc speed-preset=veryfast pass=qual quantizer=20 ! matroskamux" ;;
  video:*) die "a video is written as .mp4 or .mkv, not as '$(basename "$output")'" ;;
esac

build=${Y10_BUILD-}
if [ -z "$build" ]; then
  build=$root/build
  "$root/tools/setup.sh"
  echo
fi

if [ -z "${2-}" ]; then
  source=(videotestsrc num-buffers=150 pattern=ball
    ! "video/x-raw,width=640,height=480,framerate=30/1")
elif [ "$kind" = picture ]; then
  # Straight to RGB: a JPEG decoder that gives 4:2:0 costs accuracy.
  source=(filesrc "location=$input" ! gdkpixbufdec)
else
  source=(filesrc "location=$input" ! decodebin ! queue ! videoconvert)
fi
if [ "$kind" = picture ]; then
  sink=(videoconvert !)
else
  # H.264 with 4:2:0, which every player shows, has even sizes only.
  sink=(queue ! videoconvertscale
    ! "video/x-raw,format={I420,NV12},width=[2,16384,2],height=[2,16384,2]" !)
fi
# shellcheck disable=SC2206 # words on purpose
sink+=($encode ! filesink "location=$output")

export GST_PLUGIN_PATH=$build/gst${GST_PLUGIN_PATH:+:$GST_PLUGIN_PATH}
/usr/bin/python3 "$root/pipelines/launch.py" "${source[@]}" \
  ! yolov10detect "model-file=$model" ! yolov10overlay ! "${sink[@]}" \
  || die "nothing usable was written"
[ -s "$output" ] || die "nothing was written to $output"
echo "written to $output"
