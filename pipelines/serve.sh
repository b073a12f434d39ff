#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Shows cameras live, with boxes, in a page for a browser. The page adds and removes
# cameras; at first there is one, a test picture.
#
# usage: pipelines/serve.sh [MODEL] [BACKEND] [ADDRESS:PORT [SETTINGS]]
#
#   ADDRESS:PORT   where the page is; by default 127.0.0.1:8010
#   SETTINGS       a file that the page writes; by default ~/.config/y10/serve.ini
#
# Prints the address to open. Ctrl-C stops it.
#
# shellcheck source-path=SCRIPTDIR source=common.sh disable=SC2119
. "$(dirname "$(readlink -f "$0")")/common.sh"
[ -z "$input" ] || options+=(--listen "$input")
[ -z "$output" ] || options+=(--config "$output")
prepare
exec "$y10" serve "${options[@]}"
