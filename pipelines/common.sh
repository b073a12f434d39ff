# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
# shellcheck shell=bash disable=SC2034
#
# What the scripts here share; sourced by them, with their arguments. All take
# the same in the same order, [MODEL] INPUT [OUTPUT]: a first argument that ends
# in .safetensors is the model.
set -euo pipefail

die() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 1; }

absolute() { realpath -ms -- "$1"; }

root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)

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

# Whether the first argument is a model; $detect is the detector, with it or with
# the bundled one.
detect=(yolov10detect)
take_model() {
  [[ ${1-} == *.safetensors ]] || return 1
  detect+=("model-file=$(absolute "$1")")
  [ -e "${detect[1]#*=}" ] || die "there is no model '$1'"
}

# A file that can be read: $input, and $kind, picture or video.
take_file() {
  input=$(absolute "$1") kind=video
  [ -e "$input" ] || die "there is no input '$1'"
  if [ ! -f "$input" ] || [ ! -r "$input" ]; then die "the input '$1' is not a file that can be read"; fi
  [ -z "$(picture_kind "$input")" ] || kind=picture
}

# Where to write what was drawn: $output, and in $sink the elements that do.
take_output() {
  output=$(absolute "$1")
  [ ! "$output" -ef "${input-}" ] || die "the output would overwrite the input '$input'"
  [ -d "$(dirname "$output")" ] || die "there is no directory $(dirname "$output") to write to"
  case $kind:${output,,} in
    picture:*.png) sink=(videoconvert ! pngenc) ;;
    picture:*.jpg | picture:*.jpeg) sink=(videoconvert ! jpegenc quality=95) ;;
    picture:*) die "a picture is written as .png or .jpg, not as '$(basename "$output")'" ;;
    video:*.mp4 | video:*.mkv)
      # H.264 with 4:2:0, which every player shows, has even sizes only.
      sink=(queue ! videoconvertscale
        ! "video/x-raw,format={I420,NV12},width=[2,16384,2],height=[2,16384,2]"
        ! x264enc speed-preset=veryfast pass=qual quantizer=20 !)
      case ${output,,} in *.mp4) sink+=(mp4mux) ;; *) sink+=(matroskamux) ;; esac
      ;;
    video:*) die "a video is written as .mp4 or .mkv, not as '$(basename "$output")'" ;;
  esac
  sink+=(! filesink "location=$output")
}

# Installs and builds what is not there yet, with those of tools/setup.sh's
# options; Y10_BUILD is another build folder, taken as it is.
prepare() {
  build=${Y10_BUILD-}
  if [ -z "$build" ]; then
    build=$root/build
    "$root/tools/setup.sh" "$@" >&2
    echo >&2
  fi
  export GST_PLUGIN_PATH=$build/gst${GST_PLUGIN_PATH:+:$GST_PLUGIN_PATH}
}
