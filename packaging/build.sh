#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Builds and tests the packages.
set -euo pipefail

usage() {
  cat <<'END'
usage: packaging/build.sh [--work DIR] [--output DIR] all|deb|cuda|container|wheel

  deb        Debian packages for Debian 12 and 13, into OUTPUT/debian
  cuda       with the CUDA toolkit of this machine, liby10-cuda for both, into
             OUTPUT/debian
  container  an image with the packages for Debian 12, into
             OUTPUT/yolov10detect-VERSION.tar
  wheel      the Python package, into OUTPUT/wheel; on Debian 12
  all        all of these, except cuda where there is no toolkit

Packages the last commit and tests the result. OUTPUT is dist/ by default; DIR
(default: build-packages) keeps chroots for the next run. The scripts install what
they need on this machine, as root. docs/packaging.md describes the packages.
END
}

root=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)
work=$root/build-packages output=$root/dist what=
while [ $# -gt 0 ]; do
  case $1 in
    --work) work=${2:?}; shift ;;
    --output) output=${2:?}; shift ;;
    -h | --help) usage; exit 0 ;;
    all | deb | cuda | container | wheel) what=$1 ;;
    *) usage >&2; echo "build.sh: unknown argument '$1'" >&2; exit 1 ;;
  esac
  shift
done
version=$(sed -n "s/^ *version: '\([0-9.]*\)'.*/\1/p" "$root/meson.build" | head -n 1)

deb() { "$root/packaging/debian/build.sh" --work "$work" --output "$output/debian" "$@"; }
container() {
  [ -e "$output/debian/bookworm/Packages" ] || deb --no-tests bookworm
  "$root/packaging/container/build.sh" --work "$work" --packages "$output/debian" \
    --output "$output/yolov10detect-$version.tar"
}
cuda() { deb --cuda; }
wheel() {
  "$root/packaging/wheel/build.sh" "$output/wheel"
  [ "$(id -u)" != 0 ] || "$root/packaging/wheel/slim.sh" --work "$work" "$output"/wheel/*.whl
}

case $what in
  all)
    deb
    if [ -e "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" ]; then cuda; fi
    container
    wheel
    ;;
  deb | cuda | container | wheel) "$what" ;;
  *) usage >&2; exit 1 ;;
esac
