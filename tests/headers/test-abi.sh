#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Compares the library's ABI with the released one. A new function passes. A new
# field at the end of a struct that begins with its size is compatible too, but
# abidiff cannot know that: check that nothing else changed, then rewrite the
# file with --update. Any other change needs a new soname.
set -euo pipefail

usage="usage: test-abi.sh [--update] SOURCE_ROOT BUILD_ROOT"
update=no
[ "${1-}" != --update ] || { update=yes; shift; }
[ $# = 2 ] || { echo "$usage" >&2; exit 2; }
released=$1/engine/liby10.abi
headers=$1/engine/include/y10
library=$2/engine/liby10.so

if [ $update = yes ]; then
  exec abidw --exported-interfaces-only --drop-private-types \
    --headers-dir "$headers" --type-id-style hash --no-show-locs \
    --no-corpus-path --no-comp-dir-path --no-elf-needed \
    --out-file "$released" "$library"
fi
if ! command -v abidiff >/dev/null; then
  echo "SKIP: abidiff is missing (Debian: abigail-tools)"
  exit 77
fi
if [ "$(uname -m)" != x86_64 ]; then
  echo "SKIP: engine/liby10.abi describes x86_64, this is $(uname -m)"
  exit 77
fi

# Structs that no public header defines may change. abidiff takes some for public, since
# it knows headers by their file name only, such as engine.h.
changed=$(mktemp) private=$(mktemp)
trap 'rm -f "$changed" "$private"' EXIT
public=$(sed -nE 's/^\} (Y10[A-Za-z0-9]+);$/\1/p' "$headers"/*.h | paste -sd '|')
printf '[suppress_type]\n  type_kind = struct\n  name_not_regexp = ^(%s)$\n' "$public" >"$private"

compare() { abidiff --no-added-syms --suppressions "$private" "$1" "$library"; }

sed "/class-decl name='Y10Image'/,/<\/class-decl>/ \
  s/layout-offset-in-bits='64'/layout-offset-in-bits='96'/" \
  "$released" >"$changed"
if cmp -s "$released" "$changed"; then
  echo "engine/liby10.abi has no struct Y10Image"
  exit 1
fi
if compare "$changed" >/dev/null; then
  echo "abidiff does not see that a field of Y10Image has moved"
  exit 1
fi
compare "$released"
