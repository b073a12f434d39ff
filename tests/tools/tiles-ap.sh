#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Average precision of y10 detect on 80 pictures of COCO, without and with tiles:
# tiles must not lower it, and must raise that of small objects by at least 0.05.
set -euo pipefail

[ $# = 2 ] || { echo "usage: tiles-ap.sh Y10 VENV" >&2; exit 2; }
y10=$1 venv=$2
shared=$(cd "$(dirname "$0")/../.." && pwd)/../shared
model=$shared/models/yolov10n-coco.safetensors
for need in "$shared/coco80/instances_val2017.json" "$model" "$shared/tools/coco_ap.py"; do
  [ -e "$need" ] || { echo "SKIP: $need is missing"; exit 77; }
done
if ! "$venv/bin/python" -c "import pycocotools, numpy" 2>/dev/null; then
  { python3 -m venv "$venv" && "$venv/bin/pip" -q install pycocotools numpy; } \
    || { echo "SKIP: pycocotools cannot be installed into $venv"; exit 77; }
fi
rows=$(mktemp)
trap 'rm -f "$rows"' EXIT

# Prints the seconds per picture and the output line of coco_ap.py.
measure() {
  local start end
  start=$(date +%s%N)
  "$y10" detect --model "$model" --confidence 0.001 "$@" "$shared"/coco80/images/*.jpg > "$rows"
  end=$(date +%s%N)
  printf '%-14s %4d ms a picture, ' "${*:-whole}" $(((end - start) / 80000000))
  "$venv/bin/python" "$shared/tools/coco_ap.py" "$shared/coco80/instances_val2017.json" "$rows"
}

whole=$(measure)
tiles=$(measure --tiles 2x2)
printf '%s\n%s\n' "$whole" "$tiles"
ap() { sed -E 's/.* AP ([0-9.]+) .*/\1/' <<< "$1"; }
small() { sed -E 's/.* small ([0-9.]+) .*/\1/' <<< "$1"; }
awk -v a="$(ap "$whole")" -v b="$(ap "$tiles")" -v s="$(small "$whole")" -v t="$(small "$tiles")" \
  'BEGIN { ok = b >= a && t >= s + 0.05; print ok ? "PASS" : "FAIL"; exit !ok }'
