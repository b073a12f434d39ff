#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Serves the stream of a network camera by RTSP again, with the boxes drawn.
#
# usage: pipelines/rtsp-restream.sh [MODEL] [BACKEND] [INPUT [OUTPUT]]
#
#   INPUT   rtsp://…, or any input of pipelines/webcam.sh; by default a test camera
#           on this machine, for three seconds after the first client connects
#   OUTPUT  the address to serve, by default rtsp://127.0.0.1:8554/yolov10; 0.0.0.0
#           allows clients on other machines, port 0 selects a free port
#
# Connects to the camera only while there are clients. Ctrl-C stops it.
#
# shellcheck source-path=SCRIPTDIR source=common.sh disable=SC2119
. "$(dirname "$(readlink -f "$0")")/common.sh"
prepare --rtsp
take_camera
run "${serve[@]}" "${output:-rtsp://127.0.0.1:8554/yolov10}" "${source[@]}" ! "${detect[@]}" \
  ! yolov10overlay "${payload[@]}"
