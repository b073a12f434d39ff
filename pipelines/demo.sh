#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Finds and draws the objects in a picture or video: the shortest useful
# pipeline, with a table of what was found. Works from any directory.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$(readlink -f "$0")")/common.sh"

usage() {
  cat <<'END'
usage: pipelines/demo.sh [MODEL] [INPUT [OUTPUT]]

  MODEL   YOLOv10 weights, a .safetensors file; without it the bundled model,
          which finds codes and markers
  INPUT   picture or video; without it five seconds of codes and a moving ball
  OUTPUT  where to write what was drawn: .png or .jpg for a picture, .mp4 or
          .mkv for a video (without sound); by default INPUT's name followed by
          -yolov10, in this directory. Without INPUT it is test-yolov10.mp4,
          and test-yolov10.png, its first frame

Installs and builds first what is not there yet; with Y10_BUILD=DIR in the
environment it takes another build folder as it is.
END
}

case ${1-} in -h | --help) usage; exit 0 ;; esac
if take_model "$@"; then shift; fi
[ $# -le 2 ] || { usage >&2; die "too many arguments"; }

name=test more=()
if [ -n "${1-}" ]; then
  take_file "$1"
  name=$(basename "$input")
  name=${name%.*}
  # Straight to RGB: a JPEG decoder that gives 4:2:0 costs accuracy.
  source=(filesrc "location=$input" ! gdkpixbufdec)
  [ "$kind" = picture ] || source=(filesrc "location=$input" ! decodebin ! queue ! videoconvert)
else
  kind=video
  # At its own 416 pixels the ball and the markers are too small for it.
  [ ${#detect[@]} -gt 1 ] || detect+=(input-size=640)
  source=(compositor name=scene sink_1::xpos=640 sink_1::width=320 sink_1::height=540
    ! "video/x-raw,format=I420,width=960,height=540,framerate=30/1")
  more=(filesrc "location=$root/pipelines/codes.png" ! gdkpixbufdec ! imagefreeze num-buffers=150
    ! "video/x-raw,framerate=30/1" ! videoconvert ! scene.sink_0
    videotestsrc num-buffers=150 pattern=ball
    ! "video/x-raw,format=I420,width=160,height=270,framerate=30/1" ! scene.sink_1)
fi
default_end=mp4
[ "$kind" = video ] || default_end=png
take_output "${2:-$name-yolov10.$default_end}"
if [ -z "${1-}" ]; then
  # One frame in five seconds is the first one. The encoder wants many frames
  # before it gives one, and must not wait for the picture meanwhile.
  picture=${output%.*}.png
  sink=(tee name=both ! "${sink[@]}"
    both. ! queue leaky=upstream max-size-buffers=1 ! videorate drop-only=true
    ! "video/x-raw,framerate=1/5" ! videoconvert
    ! pngenc ! filesink "location=$picture" async=false)
fi

# shellcheck disable=SC2119
prepare
/usr/bin/python3 "$root/pipelines/launch.py" "${source[@]}" \
  ! "${detect[@]}" ! yolov10overlay ! "${sink[@]}" "${more[@]}" \
  || die "nothing usable was written"
for written in "$output" ${picture:+"$picture"}; do
  [ -s "$written" ] || die "nothing was written to $written"
  echo "written to $written"
done
