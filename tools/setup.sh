#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Makes a clone ready on Debian or Ubuntu: installs what is missing by apt,
# configures and builds into build/. What is there is left alone, so that a
# second run takes seconds. pipelines/demo.sh and tests/run.sh begin with it.
set -euo pipefail

usage() {
  cat <<'END'
usage: tools/setup.sh [--tests] [--ci] [--install] [--no-packages] [--help]

Installs missing Debian packages, then configures and builds into build/.

  --tests        also what the tests need
  --ci           also what .ci/run needs beyond that
  --install      afterwards install plugin, library, headers and tool, the
                 plugin where this system's GStreamer looks for plugins
  --no-packages  install no packages; build with what is there
  --help         this text

Made for Debian 12 and later and Ubuntu of the same age. Packages are installed
as root, or by sudo where it asks for no password; otherwise the command to run
is printed. CC chooses another compiler when build/ is made.
END
}

root=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)
build=$root/build

say() { printf 'setup: %s\n' "$*"; }
die() { printf 'setup: %s\n' "$*" >&2; exit 1; }

# To build, and to run the pipelines: decoders, encoders, muxers, a font.
packages=(
  gcc libc6-dev meson ninja-build pkg-config
  libglib2.0-dev libjson-glib-dev
  libgstreamer1.0-dev libgstreamer-plugins-base1.0-dev
  libcairo2-dev libpango1.0-dev libgdk-pixbuf-2.0-dev
  gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-good
  gstreamer1.0-plugins-bad gstreamer1.0-plugins-ugly gstreamer1.0-libav
  fonts-dejavu-core python3 python3-gi gir1.2-gstreamer-1.0
)
# Not there on every architecture; we can do without.
optional=(libdnnl-dev)
tests=(g++ git binutils shellcheck)
ci=(clang)

want_install=no want_packages=yes
for arg; do
  case $arg in
    --tests) packages+=("${tests[@]}") ;;
    --ci) packages+=("${tests[@]}" "${ci[@]}") ;;
    --install) want_install=yes ;;
    --no-packages) want_packages=no ;;
    --help | -h) usage; exit 0 ;;
    *) usage >&2; die "unknown argument '$arg'" ;;
  esac
done

# The words before a command that needs root: none, or "sudo -n".
sudo=()
find_root() {
  [ "$(id -u)" != 0 ] || return 0
  command -v sudo >/dev/null && sudo -n true 2>/dev/null || return 1
  sudo=(sudo -n)
}

# Prints those of the packages given that are not installed.
missing_of() {
  local installed p
  installed=" $(dpkg-query -W -f='${db:Status-Status}:${Package} ' "$@" 2>/dev/null || true)"
  for p; do
    [[ $installed == *" installed:$p "* ]] || printf '%s\n' "$p"
  done
}

available() { [[ $(LC_ALL=C apt-cache policy "$1" 2>/dev/null) =~ 'Candidate: '[^\(] ]]; }

run_apt() {
  local log=$1
  shift
  if ! "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -q \
    -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 -o Acquire::Retries=3 "$@" \
    </dev/null >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    die "'apt-get $1' failed; the end of what it said is above, all of it in $log"
  fi
}

# Sets installed_now=yes when it installed something.
installed_now=no
install_packages() {
  local missing extra p log
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    die "this is not Debian or Ubuntu (no apt-get). Install what these Debian packages hold:

  ${packages[*]} ${optional[*]}

and then run: tools/setup.sh --no-packages"
  fi
  mapfile -t missing < <(missing_of "${packages[@]}")
  mapfile -t extra < <(missing_of "${optional[@]}")
  # An optional package that apt does not know is no reason to ask again.
  if [ ${#missing[@]} -eq 0 ]; then
    for p in "${extra[@]}"; do
      ! available "$p" || missing+=("$p")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    extra=()
  fi
  if ! find_root; then
    die "packages are missing, and installing them takes root. Run this, then try again:

  sudo apt-get update && sudo apt-get install --no-install-recommends ${missing[*]} ${extra[*]}"
  fi

  log=$(mktemp "${TMPDIR:-/tmp}/yolov10detect-setup.XXXXXX")
  say "installing, with what they need: ${missing[*]}${extra[*]:+ ${extra[*]}}"
  run_apt "$log" update
  for p in "${extra[@]}"; do
    if available "$p"; then
      missing+=("$p")
    else
      say "there is no $p for this system; going on without it"
    fi
  done
  run_apt "$log" install -y --no-install-recommends "${missing[@]}"
  rm -f "$log"
  installed_now=yes
}

# Runs a build step quietly; what it printed appears only if it failed.
quietly() {
  local out
  if ! out=$("$@" 2>&1 </dev/null); then
    printf '%s\n' "$out" | tail -n 60 >&2
    die "this failed: $*
(if build/ was made by another version of meson or moved, remove it and try again)"
  fi
}

configure_and_build() {
  local started=$SECONDS
  if [ ! -e "$build/build.ninja" ]; then
    say "configuring build/"
    quietly meson setup "$build" "$root" "$@"
  elif [ "$installed_now" = yes ] || [ $# -gt 0 ]; then
    # What was missing when build/ was configured may be there now.
    say "configuring build/ again"
    quietly meson configure "$build" --clearcache
    quietly meson setup --reconfigure "$build" "$root" "$@"
  fi
  [[ $(ninja -C "$build" -n 2>&1 || true) == *"no work to do"* ]] \
    || say "building; the first time takes a minute or two"
  quietly ninja -C "$build"
  say "build/ is up to date ($((SECONDS - started)) s)"
}

[ "$want_packages" = no ] || install_packages
if [ "$want_install" = no ]; then
  configure_and_build
  exit 0
fi

# Debian's GStreamer does not look below /usr/local.
plugindir=$(pkg-config --variable=pluginsdir gstreamer-1.0) \
  || die "pkg-config does not know gstreamer-1.0: its development files are missing"
configure_and_build "-Dplugindir=$plugindir"
if [ -z "${DESTDIR-}" ]; then
  find_root || die "installing takes root. Run: sudo tools/setup.sh --install"
fi
quietly "${sudo[@]}" meson install -C "$build" --no-rebuild
if [ -z "${DESTDIR-}" ]; then
  # The linker has to learn about the new library.
  quietly "${sudo[@]}" "$(PATH=$PATH:/usr/sbin:/sbin command -v ldconfig)"
fi
say "installed; try: gst-inspect-1.0 yolov10detect"
