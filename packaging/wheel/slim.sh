#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
# shellcheck source-path=SCRIPTDIR
#
# Installs the wheel in minimal Debian systems, which have Python but neither GLib nor a
# compiler, and runs README.md's Python example as it stands.
set -euo pipefail

usage() {
  cat <<'END'
usage: packaging/wheel/slim.sh [--work DIR] WHEEL [RELEASE...]

RELEASE is bookworm or trixie, by default both. DIR (default: build-packages)
keeps the minimal systems for the next run. Needs root.
END
}

root=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
name=wheel work=$root/build-packages wheel='' releases=()
# shellcheck source=../chroot.sh
. "$root/packaging/chroot.sh"

while [ $# -gt 0 ]; do
  case $1 in
    --work) work=${2:?}; shift ;;
    -h | --help) usage; exit 0 ;;
    bookworm | trixie) releases+=("$1") ;;
    *.whl) wheel=$1 ;;
    *) usage >&2; die "unknown argument '$1'" ;;
  esac
  shift
done
[ -f "$wheel" ] || { usage >&2; die "the wheel '$wheel' does not exist"; }
[ ${#releases[@]} -gt 0 ] || releases=(bookworm trixie)
prepare_work
system=$work/slim certificates=/etc/ssl/certs/ca-certificates.crt
trap 'rm -rf "$system"' EXIT

for release in "${releases[@]}"; do
  say "$release: the wheel in a minimal system"
  fresh_system "$release" "$system"
  mkdir "$system/example"
  cp "$wheel" "$root/pipelines/codes.png" "$system/example/"
  # shellcheck disable=SC2016 # backticks of Markdown
  sed -n '/^```python$/,/^```$/{/^```/!p}' "$root/README.md" >"$system/example/detect.py"
  # The index and certificates that pip uses on this machine.
  if [ -e /etc/pip.conf ]; then cp /etc/pip.conf "$system/etc/"; fi
  if [ -e "$certificates" ]; then cp -L "$certificates" "$system/example/certificates.crt"; fi
  # shellcheck disable=SC2016 # the shell in the system expands it
  enter "$system" 'exec 3>&1 >/log 2>&1
    apt-get -q update
    apt-get -qy --no-install-recommends install python3-venv
    useradd --create-home user
    chown -R user: /example
    if ldconfig -p | grep -E "libglib-2" >&3; then echo "these are installed" >&3; exit 1; fi
    cd /example
    python3 -m venv venv
    [ ! -e certificates.crt ] || export PIP_CERT=$PWD/certificates.crt
    venv/bin/pip install --disable-pip-version-check ./*.whl pillow
    unshare --net runuser -u user -- venv/bin/python detect.py >output
    cat output >&3
    grep -q "^qr-code: " output' || { tail -n 30 "$system/log" >&2; die "$release: the example failed"; }
done
