#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Writes who enters a zone, stays there for some seconds and leaves it, a line of JSON each,
# and sends it. URI=mqtt://HOST/PREFIX (or mqtts:, http:, https:, kafka:) in the environment
# selects where to; without it, a broker of its own shows what arrives, if mosquitto is
# installed. ZONE="yard=0,0.5 1,1" selects another zone, in fractions of the picture,
# SECONDS_IN another time than 2, CLASSES=person,car watches only these, and CREDENTIALS is
# a file with user and password.
#
# usage: pipelines/events.sh [MODEL] [BACKEND] [INPUT [OUTPUT]]
#
#   INPUT   a video, camera or URI (rtsp://…); by default codes and a moving ball
#   OUTPUT  a file that lines are appended to; by default events-yolov10.jsonl. What is
#           sent waits in a folder with this name and .spool until it has arrived
#
# shellcheck source-path=SCRIPTDIR source=common.sh disable=SC2119
. "$(dirname "$(readlink -f "$0")")/common.sh"
take_input "$input" 90 30
output=${output:-events-yolov10.jsonl}
prepare

# Starts a broker that only this machine reaches, and a program that prints what it gets.
mosquitto=$(PATH=$PATH:/usr/sbin:/usr/local/sbin command -v mosquitto) || mosquitto=
if [ -z "${URI-}" ] && [ -n "$mosquitto" ] && command -v mosquitto_sub >/dev/null; then
  folder=$(mktemp -d) port=$((20000 + RANDOM % 20000))
  printf 'listener %s 127.0.0.1\nallow_anonymous true\n' "$port" >"$folder/mosquitto.conf"
  "$mosquitto" -c "$folder/mosquitto.conf" >/dev/null 2>&1 &
  started=($!)
  trap 'kill "${started[@]}" 2>/dev/null || :; wait; rm -rf "$folder"' EXIT
  for _ in {1..50}; do
    ! (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
    sleep 0.1
  done
  mosquitto_sub -h 127.0.0.1 -p "$port" -t 'yolov10/#' -v &
  started+=($!)
  URI=mqtt://127.0.0.1:$port/yolov10
fi
run gst-launch-1.0 -e "${source[@]}" ! "${detect[@]}" ! yolov10track \
  ! yolov10zones "zones=$(value "${ZONE:-left=0,0 0.35,1}")" "dwell=${SECONDS_IN:-2}000000000" \
  ${CLASSES:+"classes=$(value "$CLASSES")"} \
  ! yolov10publish content=events "location=$(value "$output")" stream=events \
  ${URI:+"uri=$(value "$URI")" "spool=$(value "${output%.*}.spool")"} \
  ${CREDENTIALS:+"credentials=$(value "$CREDENTIALS")"} ! fakesink
