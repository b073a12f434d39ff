#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
# shellcheck source-path=SCRIPTDIR
#
# Writes the Debian source for a release: the upstream tarball of the last commit and,
# beside it, the unpacked tree with debian/. The version is the one in meson.build.
set -euo pipefail

usage() {
  cat <<'END'
usage: packaging/debian/source.sh RELEASE DIR [SOURCE]

RELEASE is bookworm or trixie, SOURCE yolov10detect (the default) or
yolov10detect-cuda. Writes SOURCE_VERSION.orig.tar.gz and SOURCE-VERSION/ into
DIR, and prints the path of the latter.
END
}

case ${1-} in -h | --help) usage; exit 0 ;; esac
[ $# -ge 2 ] || { usage >&2; exit 1; }
case $1 in
  bookworm) revision=1~deb12u1 ;;
  trixie) revision=1~deb13u1 ;;
  *) usage >&2; exit 1 ;;
esac
source=${3:-yolov10detect}
case $source in
  yolov10detect) folder=packaging/debian/debian ;;
  yolov10detect-cuda) folder=packaging/debian-cuda/debian ;;
  *) usage >&2; exit 1 ;;
esac
root=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
name=source
# shellcheck source=../chroot.sh
. "$root/packaging/chroot.sh"
version=$(project_version)
tree=$2/$source-$version

mkdir -p "$2"
git -C "$root" archive --prefix="$source-$version/" HEAD | tar -C "$2" -x
tar -C "$2" --sort=name --owner=0 --group=0 --numeric-owner -c "$source-$version" \
  | gzip -n >"$2/${source}_$version.orig.tar.gz"
cp -r "$tree/$folder" "$tree/debian"
cat >"$tree/debian/changelog" <<END
$source ($version-$revision) $1; urgency=medium

  * Release $version; CHANGELOG.md lists the changes.

 -- $(sed -n 's/^Maintainer: //p' "$tree/debian/control")  $(git -C "$root" log -1 --format=%aD)
END
printf '%s\n' "$tree"
