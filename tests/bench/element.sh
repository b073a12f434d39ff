#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Measures the work around inference, in milliseconds and as a ratio to a memcpy
# of a 1080p NV12 frame in the same run: the element without the network, the
# letterbox, the overlay. Builds nothing: run tools/setup.sh first.
set -euo pipefail

usage() {
  cat <<'END'
usage: tests/bench/element.sh --model FILE [--build DIR] [--threads N] [--seconds S] [--json]

  --model FILE   weights for the element
  --build DIR    build directory (build)
  --threads N    threads of the element (one a core)
  --seconds S    time for the element (5)
  --json         print JSON, one object a line
END
}

die() { printf 'element.sh: %s\n' "$*" >&2; exit 1; }

root=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
build=$root/build model='' threads=0 seconds=5 json=no
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --json) json=yes; shift; continue ;;
    --model | --build | --threads | --seconds) [ $# -ge 2 ] || die "$1 wants a value" ;;
    *) usage >&2; die "unknown argument '$1'" ;;
  esac
  case $1 in
    --model) model=$2 ;;
    --build) build=$(cd "$2" && pwd) ;;
    --threads) threads=$2 ;;
    --seconds) seconds=$2 ;;
  esac
  shift 2
done
[ -n "$model" ] || { usage >&2; die "which --model?"; }
[ -r "$model" ] || die "there is no model '$model'"
bench=$build/tests/bench
[ -x "$bench/bench-element" ] || die "$bench/bench-element is not built: run tools/setup.sh --tests"
export GST_PLUGIN_PATH=$build/gst${GST_PLUGIN_PATH:+:$GST_PLUGIN_PATH}

# Keeps the required lines of a program that measures more.
element=$("$bench/bench-element" --json --model "$model" --threads "$threads" --seconds "$seconds")
letterbox=$("$bench/bench-letterbox" --json --threads 1 | grep -F '"format": "NV12"')
overlay=$("$bench/bench-overlay" --json | grep -F '"case": "draw", "format": "NV12"')

if [ $json = yes ]; then
  printf '%s\n' "$element" "$letterbox" "$overlay"
  exit
fi

# number JSON KEY
number() { [[ $1 =~ \"$2\":\ (-?[0-9.]+) ]] && printf '%s' "${BASH_REMATCH[1]}"; }
# row TEXT MS MEMCPY
row() { awk -v t="$1" -v ms="$2" -v copy="$3" 'BEGIN { printf "%-44s %8.3f ms %8.3f ms %7.2f\n", t, ms, copy, ms / copy }'; }

copy=$(number "$element" memcpy_1080p_nv12_ms)
printf '%-44s %11s %11s %7s\n' "1080p NV12" "time" "memcpy" "ratio"
row "element minus inference" "$(number "$element" minus_inference_ms)" "$copy"
row "  of it letterbox and head, all threads" "$(awk -v a="$(number "$element" preprocess_ms)" \
  -v b="$(number "$element" postprocess_ms)" 'BEGIN { print a + b }')" "$copy"
row "  of it the element itself" "$(number "$element" minus_engine_ms)" "$copy"
row "letterbox to 640x640, one thread" "$(number "$letterbox" median_ms)" \
  "$(number "$letterbox" memcpy_1080p_nv12_ms)"
row "overlay, 20 boxes 300x220, 3 px, labels" "$(number "$overlay" median_ms)" \
  "$(number "$overlay" memcpy_1080p_nv12_ms)"
