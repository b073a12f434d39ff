#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Builds and tests with the newer GStreamer of another Debian suite, in a chroot
# that stays in build-ci/. All mounts are in a mount namespace of this script
# and vanish with it, so that the folder can always be removed. This machine's
# network settings are mounted or copied to a tmpfs, so they vanish, too.
set -euo pipefail

usage() {
  cat <<'END'
usage: tests/matrix.sh [--all] [--older BUILD] SUITE [DIR]

Builds in a chroot with Debian SUITE (trixie: GStreamer 1.26, sid: 1.28 and
later), runs the tests of metadata, drawing, upstream's analytics and of frames
that decoders leave out there, and copies the pictures drawn by upstream's
elements to build-ci/pictures-SUITE.

  --all          every test but the slow ones
  --older BUILD  also test the plugin in BUILD, a build folder that uses this
                 machine's GStreamer
  DIR            the chroot, by default build-ci/SUITE; takes 2 GB. An existing
                 chroot is reused

Needs root, debootstrap and a machine whose apt sources name a Debian mirror, or
MIRROR=URL; exits with 77 and a message if one is missing.
END
}

root=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)
# shellcheck source=tests/common/debian-mirror.sh
. "$root/tests/common/debian-mirror.sh"
say() { printf 'matrix: %s\n' "$*"; }
die() { printf 'matrix: %s\n' "$*" >&2; exit 1; }
skip() { printf 'matrix: skipped: %s\n' "$*"; exit 77; }

arguments=("$@") tests=(analytics-overlay analytics-tracker analytics-upstream
  analytics-older analytics-blocks gst-meta gst-meta-survival gst-overlay gst-overlay-composition
  gst-overlay-pixels gst-python gst-track gst-track-others y10-counts y10-segments) older=''
# Only the test abi, which --all runs, reads debugging information.
flags=(CFLAGS=-g0 CXXFLAGS=-g0)
while [ $# -gt 0 ]; do
  case $1 in
    --all) tests=(--no-suite slow) flags=() ;;
    --older)
      older=$(realpath -e -- "${2-}") || { usage >&2; die "--older wants a build folder"; }
      shift
      ;;
    -h | --help) usage; exit 0 ;;
    -*) usage >&2; die "unknown argument '$1'" ;;
    *) break ;;
  esac
  shift
done
[ $# -eq 1 ] || [ $# -eq 2 ] || { usage >&2; die "which suite?"; }
suite=$1 dir=$(realpath -m -- "${2-$root/build-ci/$1}")
[[ $suite =~ ^[a-z]+$ ]] || die "not the name of a Debian suite: '$suite'"
pictures=$root/build-ci/pictures-$suite

[ "$(id -u)" = 0 ] || skip "needs root"
command -v debootstrap >/dev/null || skip "debootstrap is not installed"
if [ -z "${Y10_MATRIX_NAMESPACE-}" ]; then
  unshare --mount true 2>/dev/null || skip "root may not mount here"
  Y10_MATRIX_NAMESPACE=1 exec unshare --mount --propagation private "$0" "${arguments[@]}"
fi

make_chroot() {
  local script=() known=/usr/share/debootstrap/scripts
  [ ! -e "$dir/.complete" ] || return 0
  rm -rf "$dir"
  mkdir -p "$dir"
  [ -e "$known/$suite" ] || script=("$known/sid")
  say "debootstrap $suite"
  debootstrap --variant=minbase "$suite" "$dir" "$mirror" "${script[@]}" >"$dir.log" 2>&1 \
    || { tail -n 20 "$dir.log" >&2; die "debootstrap failed; all it said is in $dir.log"; }
  rm -f "$dir.log" "$dir/etc/apt/sources.list" "$dir/var/log/bootstrap.log"
  # Starts no daemons in the chroot, and does not sync to disk: it can be made
  # again.
  printf '#!/bin/sh\nexit 101\n' >"$dir/usr/sbin/policy-rc.d"
  chmod +x "$dir/usr/sbin/policy-rc.d"
  echo force-unsafe-io >"$dir/etc/dpkg/dpkg.cfg.d/unsafe-io"
  : >"$dir/.complete"
}

# $host holds this machine's settings for downloading packages.
mount_all() {
  local file host=$dir/run/host
  mount -t proc proc "$dir/proc"
  mount --rbind -o ro /sys "$dir/sys"
  mount --rbind /dev "$dir/dev"
  mkdir -p "$host"
  mount -t tmpfs tmpfs "$host"
  mkdir "$host/apt"
  echo "deb $mirror $suite main" >"$host/apt/sources.list"
  apt-config dump | grep '^Acquire::' >"$host/apt/apt.conf" || true
  if [ -e /etc/ssl/certs/ca-certificates.crt ]; then
    cp -L /etc/ssl/certs/ca-certificates.crt "$host/"
    echo 'Acquire::https::CAInfo "/run/host/ca-certificates.crt";' >>"$host/apt/apt.conf"
  fi
  echo 'Dir::Etc::sourcelist "/run/host/apt/sources.list";' >>"$host/apt/apt.conf"
  for file in resolv.conf hosts; do
    [ -e "/etc/$file" ] || continue
    rm -f "$dir/etc/$file"
    : >"$dir/etc/$file"
    mount --bind "$(readlink -f "/etc/$file")" "$dir/etc/$file"
  done
}

inside() {
  env -i "${flags[@]}" PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    APT_CONFIG=/run/host/apt/apt.conf Y10_OLDER_BUILD="${older:+/older}" \
    chroot "$dir" bash -c "cd /yolov10detect && $*" </dev/null
}

# Existing files that git does not ignore, each terminated by a zero byte.
list_sources() {
  local file
  if git rev-parse --git-dir >/dev/null 2>&1; then
    git ls-files -z -co --exclude-standard
  else
    find . -type d -name 'build*' -prune -o -type f -print0
  fi | while IFS= read -r -d '' file; do
    [ ! -f "$file" ] || printf '%s\0' "$file"
  done
}

# Copies the sources as they are here. Keeps the build folder and the times of
# unchanged files, so that only changed files are rebuilt.
copy_sources() {
  local to=$dir/yolov10detect
  rm -rf "$to.new"
  mkdir -p "$to" "$to.new"
  (cd "$root" && list_sources | tar --null -T - -cf -) | tar -C "$to.new" -mxf -
  python3 -c '
import filecmp, os, shutil, sys
old, new = sys.argv[1:]
for folder, _, names in os.walk(new):
    for name in names:
        now = os.path.join(folder, name)
        then = os.path.join(old, os.path.relpath(now, new))
        if os.path.isfile(then) and filecmp.cmp(then, now, shallow=False):
            shutil.copystat(then, now)' "$to" "$to.new"
  [ ! -e "$to/build" ] || mv "$to/build" "$to.new/"
  rm -rf "$to"
  mv "$to.new" "$to"
  rm -rf "$dir/older"
  [ -n "$older" ] || return 0
  mkdir "$dir/older"
  ninja -C "$older" gst/libgstyolov10.so models/codes.safetensors
  cp -L "$older"/gst/libgstyolov10.so "$older"/gst/libgsty10spool-*.so "$older"/engine/liby10.so.? "$older"/models/codes.safetensors \
    "$dir/older/"
}

# Installs upstream's analytics library for C and Python, FFmpeg and JSON-GLib, which
# tools/setup.sh does not. Unpacks only the files of the development package,
# because its dependencies are three times as large as everything else.
install_analytics() {
  local package=libgstreamer-plugins-bad1.0-dev
  if [ -e "$dir/usr/include/gstreamer-1.0/gst/analytics/analytics.h" ] && [ -x "$dir/usr/bin/ffmpeg" ] \
    && [ -e "$dir/usr/include/json-glib-1.0" ]; then
    return 0
  fi
  inside "apt-get -q update && apt-get -q -y --no-install-recommends install \
    ffmpeg libjson-glib-dev gir1.2-gst-plugins-bad-1.0 gir1.2-gst-plugins-base-1.0 && cd /run/host \
    && apt-get download $package && dpkg -x $package*.deb /" >"$dir.log" 2>&1 \
    || { tail -n 20 "$dir.log" >&2; die "apt-get failed; all it said is in $dir.log"; }
  rm -f "$dir.log"
}

main() {
  local started=$SECONDS status=0
  mirror=${MIRROR:-$(find_debian_mirror)}
  [ -n "$mirror" ] || skip "no Debian mirror in apt's sources; set MIRROR=URL"
  mkdir -p "$(dirname "$dir")"
  rm -rf "$pictures"
  make_chroot
  mount_all
  copy_sources
  say "packages ($((SECONDS - started)) s)"
  install_analytics
  say "build ($((SECONDS - started)) s)"
  inside tools/setup.sh || die "it does not build with $suite"
  # Not by --tests: that installs more than these tests need.
  inside "meson configure build -Dtests=enabled -Dcpu-kernels=all && ninja -C build" >"$dir.log" 2>&1 \
    || { tail -n 20 "$dir.log" >&2; die "the tests do not build with $suite"; }
  rm -f "$dir.log"
  rm -rf "$dir"/var/lib/apt/lists/* "$dir"/var/cache/apt/*
  say "$(inside gst-launch-1.0 --gst-version) ($((SECONDS - started)) s)"
  rm -f "$dir/yolov10detect/build/meson-logs/testlog.json"
  inside meson test -C build --no-rebuild --print-errorlogs --timeout-multiplier 3 \
    "${tests[@]}" || status=$?
  mkdir -p "$pictures"
  cp "$dir"/yolov10detect/build/tests/analytics/*.png "$pictures/" 2>/dev/null || true
  cp "$dir"/yolov10detect/build/meson-logs/testlog.json "$pictures/" 2>/dev/null || true
  say "$suite took $((SECONDS - started)) s; pictures and testlog.json are in ${pictures#"$root"/}"
  return "$status"
}

# main is a function, because this file may change while it runs.
main; exit
