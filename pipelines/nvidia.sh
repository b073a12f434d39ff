#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Like pipelines/file.sh, but frames stay on the GPU: they are decoded, inferred,
# drawn on and encoded in CUDA memory. Without sound and rotation.
#
# usage: pipelines/nvidia.sh [MODEL] [BACKEND] [INPUT [OUTPUT]]
#
#   BACKEND  cuda, which is the default
#   INPUT    an H.264 video; by default a test video, which the script writes to
#            nvidia-test.mp4
#   OUTPUT   .mp4 or .mkv; by default INPUT's name followed by -yolov10
#
# shellcheck source-path=SCRIPTDIR source=common.sh disable=SC2119
. "$(dirname "$(readlink -f "$0")")/common.sh"
[[ ${detect[*]} == *" backend="* ]] || detect+=(backend=cuda)
[[ ${detect[*]} == *" backend=cuda"* ]] || die "frames in CUDA memory need the backend cuda"
prepare
# Ignore doctor's exit status, which covers more than CUDA.
missing=$({ "$y10" doctor || :; } | sed -n 's/^ *cuda  *no: //p')
for element in nvh264dec nvh264enc; do
  gst-inspect-1.0 --exists "$element" || missing+="${missing:+; }GStreamer has no $element here"
done
[ -z "$missing" ] || { echo "nvidia.sh: $missing; '$y10 doctor' has details" >&2; exit 77; }

[ -n "$input" ] || take_clip 3 nvidia-test.mp4
name=${input##*/} muxer=mp4mux
output=${output:-${name%.*}-yolov10.mp4}
[[ $output != *.mkv ]] || muxer=matroskamux
run gst-launch-1.0 -e filesrc "location=$(value "$input")" ! parsebin ! nvh264dec \
  ! "video/x-raw(memory:CUDAMemory)" ! "${detect[@]}" ! yolov10overlay ! nvh264enc ! h264parse ! $muxer \
  ! filesink "location=$(value "$output")"
