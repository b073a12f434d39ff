#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Records a camera as it is, all the time and a clip of each event, with what was seen beside
# it, and lists the recordings. ZONE="yard=0,0.5 1,1" in the environment selects another zone,
# in fractions of the picture, CLASSES=person,car watches only these, BEFORE and AFTER are the
# seconds that clips have before and after an event, by default 5, and CODEC=h265 is for
# cameras that send that.
#
# usage: pipelines/record.sh [MODEL] [BACKEND] [INPUT [OUTPUT]]
#
#   INPUT   rtsp://…; by default a test picture of codes and a moving ball, for eight
#           seconds, that this machine encodes
#   OUTPUT  the folder; by default record-yolov10
#
# Ctrl-C ends the recording.
#
# shellcheck source-path=SCRIPTDIR source=common.sh disable=SC2119
. "$(dirname "$(readlink -f "$0")")/common.sh"
output=${output:-record-yolov10} codec=${CODEC:-h264}
case $input in
  '')
    live=yes
    take_scene 120 15
    source+=(! "${even[@]}" ! x264enc tune=zerolatency speed-preset=veryfast key-int-max=15)
    ;;
  rtsp://* | rtsps://*)
    source=(rtspsrc "location=$(value "$input")" protocols=tcp latency=200 add-reference-timestamp-meta=true
      ! "application/x-rtp,media=video" ! "rtp${codec}depay")
    ;;
  *) die "the input is $input; expected rtsp://…" ;;
esac
prepare
run gst-launch-1.0 -e "${source[@]}" ! "${codec}parse" ! "${codec}timestamper" ! tee name=coded \
  coded. ! queue ! yolov10record mode=both "location=$(value "$output")" "events=$(value "$output.spool")#camera" \
  "before=${BEFORE:-5}000000000" "after=${AFTER:-5}000000000" \
  coded. ! queue ! "avdec_$codec" ! videoconvert ! "${detect[@]}" ! yolov10track \
  ! yolov10zones "zones=$(value "${ZONE:-right=0.35,0 1,1}")" \
  ${CLASSES:+"classes=$(value "$CLASSES")"} ! yolov10publish "spool=$(value "$output.spool")" stream=camera ! fakesink
run "$y10" record index "$output"
