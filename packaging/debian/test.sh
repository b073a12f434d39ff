#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
# shellcheck source-path=SCRIPTDIR
#
# Tests the Debian packages, each time in a new minimal system: autopkgtest; install,
# use and purge; an upgrade from Debian 12 to 13.
set -euo pipefail

usage() {
  cat <<'END'
usage: packaging/debian/test.sh [--work DIR] [--packages DIR] [RELEASE...]

Tests the packages in DIR/RELEASE (default: dist/debian), where
packaging/debian/build.sh wrote them. RELEASE is bookworm or trixie, by default
both; with both, the upgrade is tested too. Needs root.
END
}

root=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
name=debian work=$root/build-packages packages=$root/dist/debian releases=()
# shellcheck source=../chroot.sh
. "$root/packaging/chroot.sh"

while [ $# -gt 0 ]; do
  case $1 in
    --work) work=${2:?}; shift ;;
    --packages) packages=${2:?}; shift ;;
    -h | --help) usage; exit 0 ;;
    bookworm | trixie) releases+=("$1") ;;
    *) usage >&2; die "unknown argument '$1'" ;;
  esac
  shift
done
[ ${#releases[@]} -gt 0 ] || releases=(bookworm trixie)
prepare_work
packages=$(realpath "$packages")
mounts=("$packages:/packages")
system=$work/test
trap 'rm -rf "$system"' EXIT

# in_system TEXT COMMAND: shows what the command writes to file descriptor 3.
in_system() {
  say "$1"
  enter "$system" "exec 3>&1 >>/log 2>&1; $2" || {
    cp "$system/log" "$work/test.log"
    tail -n 40 "$work/test.log" >&2
    die "failed; all output is in $work/test.log"
  }
}

add_packages() {
  printf 'deb [trusted=yes] file:/packages/%s ./\n' "$1" >"$system/etc/apt/sources.list.d/packages.list"
}

ours='gstreamer1.0-yolov10 gstreamer1.0-yolov10-publish liby10-1 y10 y10-data'
install='apt-get -q update
  apt-get -qy --no-install-recommends install gstreamer1.0-yolov10-publish y10 \
    gstreamer1.0-tools gstreamer1.0-plugins-base
  if command -v gcc >&3; then echo "a compiler was installed, too" >&3; exit 1; fi'
# As a user without a network: the plugin loads, and a pipeline finds the ball.
use="dpkg-query -W $ours >&3
"'id user >/dev/null 2>&1 || useradd --create-home user
  run() { (cd /home/user && unshare --net runuser -u user -- env HOME=/home/user "$@"); }
  run gst-inspect-1.0 yolov10detect | grep -E "^ +(Filename|Version|Binary package) " >&3
  run gst-launch-1.0 -m videotestsrc pattern=ball num-buffers=10 ! video/x-raw,width=640,height=480 \
    ! yolov10detect post-messages=true ! yolov10overlay ! fakesink >/messages
  printf "frames in which the pipeline found the ball: " >&3
  grep -c "yolov10-detections.*ball" /messages >&3
  run gst-inspect-1.0 yolov10publish | grep -E "^ +Filename " >&3
  run y10 --version >&3'

for release in "${releases[@]}"; do
  [ -e "$packages/$release/Packages" ] \
    || die "$packages/$release contains no packages; run packaging/debian/build.sh"
  fresh_system "$release" "$system"
  in_system "$release: autopkgtest" "apt-get -q update
    apt-get -qy --no-install-recommends install autopkgtest dpkg-dev
    for source in /packages/$release/*.dsc; do
      autopkgtest --summary-file=/summary /packages/$release/*.deb \"\$source\" -- null || failed=yes
      cat /summary >&3
    done
    [ -z \"\${failed-}\" ]"

  fresh_system "$release" "$system"
  add_packages "$release"
  in_system "$release: install and use" "$install; $use"
  in_system "$release: purge" "dpkg -L $ours | sort -u >/files
    apt-get -qy purge $ours
    while read -r file; do
      if [ ! -d \"\$file\" ] && [ -e \"\$file\" ]; then echo \"\$file is left\" >&3; exit 1; fi
    done </files
    left=\$(dpkg-query -W -f '\${Package} \${db:Status-Status}\n' | grep -E 'y10|yolov10' || true
      find / -xdev -name '*y10*' -o -xdev -name '*yolov10*' | grep -vE '^/(proc|dev|home|packages|var/cache/apt|var/lib/apt)/' || true)
    [ -z \"\$left\" ] || { echo \"left: \$left\" >&3; exit 1; }
    echo 'no file and no record is left' >&3"
done

if [[ " ${releases[*]} " == *' bookworm '* && " ${releases[*]} " == *' trixie '* ]]; then
  fresh_system bookworm "$system"
  add_packages bookworm
  in_system "upgrade: bookworm" "$install; $use"
  sources_of trixie >"$system/etc/apt/sources.list"
  add_packages trixie
  in_system "upgrade: to trixie" "apt-get -q update
    apt-get -qy -o Dpkg::Options::=--force-confnew dist-upgrade
    printf 'Debian ' >&3; cat /etc/debian_version >&3
    $use"
fi
say "all tests of the packages passed"
