#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Serves what a network camera sees with the boxes drawn, by RTSP again.
#
# usage: pipelines/rtsp-restream.sh [MODEL] [BACKEND] [INPUT [OUTPUT]]
#
#   INPUT   rtsp://…, or what else pipelines/webcam.sh takes; without it a test
#           camera on this machine, for three seconds from the first client on
#   OUTPUT  where to serve, by default rtsp://127.0.0.1:8554/yolov10; 0.0.0.0 is
#           for clients elsewhere, port 0 for one that is free
#
# The camera is asked for pictures while somebody looks. Ctrl-C ends it.
#
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$(readlink -f "$0")")/common.sh"
take_arguments "$@"

extra=--rtsp prepare
[ -n "$given" ] || serve_scene
take_input "$given"
serve "${output:-rtsp://127.0.0.1:8554/yolov10}" \
  "${source[@]}" ! "${detect[@]}" ! yolov10overlay
