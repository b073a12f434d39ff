#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
# shellcheck source-path=SCRIPTDIR
#
# Builds the Debian packages from one source in a chroot of each release without a
# network, and tests them: lintian, then packaging/debian/test.sh.
set -euo pipefail

usage() {
  cat <<'END'
usage: packaging/debian/build.sh [--cuda] [--no-tests] [--work DIR]
                                 [--output DIR] [RELEASE...]

Packages the last commit for each RELEASE: bookworm, trixie; by default both.
OUTPUT/RELEASE (default: dist/debian) gets the packages, their source and an
index, with which it is a repository for apt. DIR (default: build-packages) keeps
the chroots for the next run.

  --cuda      build the source yolov10detect-cuda instead, whose package
              liby10-cuda contains the module for NVIDIA GPUs, with the toolkit
              in CUDA_HOME (default: /usr/local/cuda), and add it to OUTPUT
  --no-tests  do not run packaging/debian/test.sh on the packages

Needs root. In the environment, DEB_BUILD_OPTIONS=parallel=N limits the number of
processes, and nocheck skips the tests of the build.
END
}

root=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
name=debian work=$root/build-packages output=$root/dist/debian releases=() tests=yes
source=yolov10detect mounts=()
# shellcheck source=../chroot.sh
. "$root/packaging/chroot.sh"

while [ $# -gt 0 ]; do
  case $1 in
    --cuda) source=yolov10detect-cuda ;;
    --no-tests) tests=no ;;
    --work) work=${2:?}; shift ;;
    --output) output=${2:?}; shift ;;
    -h | --help) usage; exit 0 ;;
    bookworm | trixie) releases+=("$1") ;;
    *) usage >&2; die "unknown argument '$1'" ;;
  esac
  shift
done
[ ${#releases[@]} -gt 0 ] || releases=(bookworm trixie)
prepare_work
mkdir -p "$output"
output=$(realpath "$output")
install_tools git=git
mounts=("$output:/packages")
if [ $source = yolov10detect-cuda ]; then
  toolkit=$(realpath "${CUDA_HOME:-/usr/local/cuda}")
  for file in bin/nvcc include/cuda.h include/cudnn_graph.h; do
    [ -e "$toolkit/$file" ] || die "$toolkit has no $file; CUDA_HOME names a toolkit with the headers of cuDNN"
  done
  mounts+=("$toolkit:/usr/local/cuda")
fi

# step TEXT COMMAND...: runs a command with its output in a log.
step() {
  local log=$work/$release.log
  say "$release: $1"
  shift
  "$@" >"$log" 2>&1 || { tail -n 60 "$log" >&2; die "$release: failed; all output is in $log"; }
}

for release in "${releases[@]}"; do
  system=$work/$release-build to=$output/$release
  [ -e "$system/etc/debian_version" ] || fresh_system "$release" "$system"
  rm -rf "$system/build"
  [ $source = yolov10detect ] || [ -e "$to/Packages" ] || die "$to has no liby10-1; build without --cuda first"
  [ $source != yolov10detect ] || rm -rf "$to"
  mkdir -p "$to"
  tree=$("$root/packaging/debian/source.sh" "$release" "$system/build" "$source")
  inside=/build/${tree##*/}
  step "installing build dependencies" enter "$system" "apt-get -q update
    apt-get -qy --no-install-recommends install build-essential lintian
    apt-get -qy --no-install-recommends build-dep '$inside'
    id builder >/dev/null 2>&1 || useradd --create-home builder
    chown -R builder: /build"
  step "building without a network" enter --offline "$system" \
    "cd '$inside' && runuser -u builder -- dpkg-buildpackage -us -uc"
  grep -E '^(Ok|Fail|Timeout): ' "$work/$release.log" || true
  # These two tags judge an upload to Debian: its distribution, and the bug that a new
  # package closes.
  step "lintian" enter --offline "$system" "cd /build && runuser -u builder -- lintian --info \
    --suppress-tags bad-distribution-in-changes-file,initial-upload-closes-no-bugs \
    --fail-on error,warning ./*.changes"
  cat "$work/$release.log"
  cp "$system"/build/*.{deb,dsc,changes,orig.tar.gz,debian.tar.xz} "$to/"
  step "indexing" enter --offline "$system" "cd /packages/$release && dpkg-scanpackages --multiversion . >Packages"
  (cd "$to" && ls -l -- *.deb)
done

if [ $tests = yes ]; then
  "$root/packaging/debian/test.sh" --work "$work" --packages "$output" "${releases[@]}"
fi
