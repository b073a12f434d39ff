# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
# shellcheck shell=bash disable=SC2154
#
# Minimal Debian systems in which the packages are built and tested; sourced by the
# scripts here, which set $root, the project's folder, $name for messages, and $work, the
# folder of the systems.

say() { printf '%s: %s\n' "$name" "$*"; }
die() { say "$@" >&2; exit 1; }

# Prints the version in meson.build, the only place that has it.
project_version() {
  local version
  version=$(sed -n "s/^ *version: '\([0-9.]*\)'.*/\1/p" "$root/meson.build" | head -n 1)
  [ -n "$version" ] || die "meson.build names no version"
  printf '%s' "$version"
}

# Creates $work, and checks that chroots can be made.
prepare_work() {
  [ "$(id -u)" = 0 ] || die "chroots need root"
  mkdir -p "$work"
  work=$(realpath "$work")
  install_tools mmdebstrap=mmdebstrap unshare=util-linux
}

# install_tools COMMAND=PACKAGE...: installs the packages whose command is missing.
install_tools() {
  local tool missing=()
  for tool; do
    PATH=$PATH:/usr/sbin:/sbin command -v "${tool%%=*}" >/dev/null || missing+=("${tool#*=}")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  [ "$(id -u)" = 0 ] || die "missing, and installing needs root: ${missing[*]}"
  say "installing ${missing[*]}"
  if ! { apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -qy \
    --no-install-recommends install "${missing[@]}"; } >"$work/log" 2>&1; then
    tail -n 5 "$work/log" >&2
    die "apt-get cannot install ${missing[*]}"
  fi
}

# Prints the apt sources of a release, on the mirrors that apt uses on this machine.
sources_of() {
  local site found=no
  # shellcheck disable=SC2016 # apt expands it
  for site in $(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | sort -u); do
    case ${site%/} in
      */debian)
        printf 'deb %s %s main\ndeb %s %s-updates main\n' "$site" "$1" "$site" "$1"
        found=yes
        ;;
      */debian-security) printf 'deb %s %s-security main\n' "$site" "$1" ;;
    esac
  done
  [ $found = yes ] || die "apt knows no Debian mirror; run apt-get update"
}

# make_base RELEASE: makes $work/RELEASE.tar, the smallest system with apt.
make_base() {
  local list
  [ ! -e "$work/$1.tar" ] || return 0
  say "$1: making a minimal system"
  list=$(sources_of "$1")
  mmdebstrap --mode=root --format=tar --variant=minbase "$1" "$work/$1.tar.new" - <<<"$list" \
    >"$work/$1.log" 2>&1 || { tail -n 5 "$work/$1.log" >&2; die "mmdebstrap $1 failed"; }
  mv "$work/$1.tar.new" "$work/$1.tar"
}

# fresh_system RELEASE DIR: unpacks the minimal system into DIR, which is replaced.
fresh_system() {
  make_base "$1"
  rm -rf "$2"
  mkdir -p "$2"
  tar -C "$2" --numeric-owner -xf "$work/$1.tar" --exclude='./dev/*'
  # No package may start a service.
  printf '#!/bin/sh\nexit 101\n' >"$2/usr/sbin/policy-rc.d"
  chmod +x "$2/usr/sbin/policy-rc.d"
  # Other processes may use the mirror at the same time.
  printf 'Acquire::Retries "3";\n' >"$2/etc/apt/apt.conf.d/80-retries"
}

# enter [--offline] DIR COMMAND: runs a bash command as root in the system. Mounts and
# processes are in namespaces of the command, so none outlives it. Each element of the
# array $mounts is FROM:TO, a folder of this machine and its place in the system.
enter() {
  local network=()
  [ "$1" != --offline ] || { network=(--net); shift; }
  cp -L /etc/resolv.conf /etc/hosts "$1/etc/"
  # shellcheck disable=SC2016 # the inner shell expands it
  unshare --mount --pid --fork --kill-child "${network[@]}" bash -euc '
    system=$1 command=$2 options=$3
    mount -t proc proc "$system/proc"
    mount --rbind /dev "$system/dev"
    for pair in "${@:4}"; do
      mkdir -p "$system/${pair#*:}"
      mount --rbind "${pair%%:*}" "$system/${pair#*:}"
    done
    exec chroot "$system" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
      DEBIAN_FRONTEND=noninteractive DEB_BUILD_OPTIONS="$options" bash -euc "$command"
    ' enter "$1" "$2" "${DEB_BUILD_OPTIONS-}" "${mounts[@]}"
}
