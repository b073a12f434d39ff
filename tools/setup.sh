#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
# shellcheck source-path=SCRIPTDIR
#
# Prepares a clone on Debian or Ubuntu: installs missing packages with apt, then
# configures and builds into build/. A second run skips everything that is done
# and takes seconds. pipelines/demo.sh and tests/run.sh call it first.
set -euo pipefail

usage() {
  cat <<'END'
usage: tools/setup.sh [--cuda] [--codes] [--rtsp] [--tests] [--ci]
                      [--install | --uninstall] [--no-packages] [--build DIR]
                      [--help]

Installs missing Debian packages, then configures and builds into build/, with
kernels for the CPU of this machine and portable ones. Where there is an NVIDIA
GPU and a toolkit that is recent enough (nvcc 12, headers of cuDNN 9.8), that
includes the CUDA backend.

  --cuda         build the CUDA backend in any case: without a recent toolkit,
                 with NVIDIA's packages from PyPI, a tested set that goes into
                 build/nvidia (1 GB to download); CUDA_HOME=none always uses
                 these packages. Kernels are compiled for the GPUs of this
                 machine, or for all if it has none
  --codes        also install the packages for pipelines/read-codes.sh
  --rtsp         also install the packages for pipelines/rtsp-restream.sh
  --tests        also install the packages for the tests, and build these and
                 the kernels for all CPUs
  --ci           also install the packages for .ci/run; with the tests, and with
                 kernels for all GPUs if there is a recent toolkit
  --install      build the kernels for all CPUs, then install plugin, library,
                 headers and tool where this system searches for them, and run
                 them as a test; with DESTDIR in the environment, install below
                 that folder without a test
  --uninstall    only delete the files that --install installed, according to
                 /usr/local/share/y10/manifest; keep files that have changed
  --no-packages  do not install packages
  --build DIR    build into DIR, a path in the clone
  --help         print this text

For Debian 12 and later and Ubuntu of the same age. The script installs packages
as root, or with sudo if that needs no password; otherwise it prints the command
to run. CC selects the compiler when build/ is created, CUDA_HOME a toolkit other
than that in /usr/local/cuda.
END
}

root=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)
build=$root/build

say() { printf 'setup: %s\n' "$*"; }
die() { printf 'setup: %s\n' "$*" >&2; exit 1; }

# shellcheck source=setup/progress.sh
. "$root/tools/setup/progress.sh"
# shellcheck source=setup/install.sh
. "$root/tools/setup/install.sh"

# For building, and for running the pipelines: decoders, encoders, muxers, a font.
# Of plugins-bad, h264parse and h265parse, which decodebin needs (libgstvideoparsersbad.so).
packages=(
  gcc libc6-dev meson ninja-build pkg-config
  libglib2.0-dev
  libgstreamer1.0-dev libgstreamer-plugins-base1.0-dev
  libcairo2-dev libpango1.0-dev libgdk-pixbuf-2.0-dev libjpeg-dev libyaml-dev
  libsoup-3.0-dev libmosquitto-dev librdkafka-dev
  gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-good
  gstreamer1.0-plugins-bad gstreamer1.0-plugins-ugly gstreamer1.0-libav
  fonts-dejavu-core python3 python3-gi gir1.2-gstreamer-1.0
)
# Only models/fetch.sh needs these.
optional=(curl ca-certificates)
# For frames in CUDA memory, and for y10 doctor's check of the video decoder. The
# first one pulls in OpenCV's headers, so only --cuda installs it.
cuda=(libgstreamer-plugins-bad1.0-dev libffmpeg-nvenc-dev)
codes=(python3-zxing-cpp python3-numpy gir1.2-gst-plugins-base-1.0)
rtsp=(gir1.2-gst-rtsp-server-1.0)
tests=(libjson-glib-dev g++ git binutils ffmpeg abigail-tools shellcheck curl zint python3-pil openssl mosquitto mosquitto-clients
  "${codes[@]}" "${rtsp[@]}")
ci=(clang python3-torch python3-torchvision python3-numpy python3-venv debootstrap gi-docgen libgirepository1.0-dev
  gobject-introspection gcc-aarch64-linux-gnu qemu-user mmdebstrap)

# NVIDIA's packages, pinned by version and hash.
wheels_list=$root/tools/setup/cuda-wheels.txt
mapfile -t wheels < <(grep -o '^nvidia-[^ ]*' "$wheels_list")

want_install=no want_uninstall=no want_packages=yes want_cuda=no want_gpus=these
# Options for Meson that stay what an earlier run with them has made them.
lasting=()
while [ $# -gt 0 ]; do
  case $1 in
    --cuda) want_cuda=yes ;;
    --codes) packages+=("${codes[@]}") ;;
    --rtsp) packages+=("${rtsp[@]}") ;;
    --tests) packages+=("${tests[@]}") lasting+=(-Dtests=enabled -Dcpu-kernels=all) ;;
    --ci)
      packages+=("${tests[@]}" "${ci[@]}") optional+=("${cuda[@]}" clang-format-14)
      lasting+=(-Dtests=enabled -Dcpu-kernels=all -Dcuda=auto '-Dcuda-gpus=[]') want_gpus=all
      ;;
    --install) want_install=yes ;;
    --uninstall) want_uninstall=yes ;;
    --no-packages) want_packages=no ;;
    --build)
      [ -n "${2-}" ] || { usage >&2; die "--build needs a folder"; }
      build=$root/$2
      shift
      ;;
    --help | -h) usage; exit 0 ;;
    *) usage >&2; die "unknown argument '$1'" ;;
  esac
  shift
done
nvidia=$build/nvidia
[ $want_install$want_uninstall != yesyes ] \
  || { usage >&2; die "--install and --uninstall exclude each other"; }

# Prefix of commands that need root: empty, or "sudo -n".
sudo=()
find_root() {
  [ "$(id -u)" != 0 ] || return 0
  command -v sudo >/dev/null && sudo -n true 2>/dev/null || return 1
  sudo=(sudo -n)
}

# Prints the packages among the arguments that are not installed.
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
  if ! watch "$log" read_apt "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -q \
    -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 -o Acquire::Retries=3 "$@"; then
    tail -n 20 "$log" >&2
    die "'apt-get $1' failed; the end of its output is above, all of it in $log"
  fi
}

# Sets installed_now=yes if it installed packages.
installed_now=no
install_packages() {
  local missing extra p log only_extra=no started=$SECONDS
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    die "this is not Debian or Ubuntu (no apt-get). Install the contents of these Debian packages:

  ${packages[*]} ${optional[*]}

and then run: tools/setup.sh --no-packages"
  fi
  mapfile -t missing < <(missing_of "${packages[@]}")
  mapfile -t extra < <(missing_of "${optional[@]}")
  # Ignore optional packages that apt does not know.
  if [ ${#missing[@]} -eq 0 ]; then
    for p in "${extra[@]}"; do
      ! available "$p" || missing+=("$p")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    extra=() only_extra=yes
  fi
  if ! find_root; then
    if [ $only_extra = yes ]; then
      say "continuing without ${missing[*]}: installing needs root"
      return 0
    fi
    die "packages are missing, and installing them needs root. Run this, then try again:

  sudo apt-get update && sudo apt-get install --no-install-recommends ${missing[*]} ${extra[*]}"
  fi

  log=$(mktemp "${TMPDIR:-/tmp}/yolov10detect-setup.XXXXXX")
  say "installing with their dependencies: ${missing[*]}${extra[*]:+ ${extra[*]}}"
  if [ $only_extra = yes ]; then
    if (run_apt "$log" update && run_apt "$log" install -y --no-install-recommends "${missing[@]}"); then
      rm -f "$log"
      installed_now=yes
    else
      say "continuing without ${missing[*]}"
    fi
    return 0
  fi
  run_apt "$log" update
  for p in "${extra[@]}"; do
    if available "$p"; then
      missing+=("$p")
    else
      say "this system has no $p; continuing without it"
    fi
  done
  run_apt "$log" install -y --no-install-recommends "${missing[@]}"
  rm -f "$log"
  say "installed the packages ($((SECONDS - started)) s)"
  installed_now=yes
}

# Runs a step of a few seconds and shows its output only if it fails.
quietly() {
  local out
  if ! out=$("$@" 2>&1 </dev/null); then
    printf '%s\n' "$out" | tail -n 60 >&2
    broken "$*"
  fi
}

broken() {
  die "this command failed: $*
(if another version of meson created ${build#"$root"/}/, or it was moved, remove it and try again)"
}

# Commands that use one build folder do so one after the other. The lock ends with this
# process and what it has started.
wait_for_others() {
  local holder command=
  mkdir -p "$build"
  exec {build_lock}<"$build"
  flock --nonblock "$build_lock" && return
  holder=$(awk -v inode=":$(stat -c %i "$build")$" '$6 ~ inode {print $5; exit}' /proc/locks) || true
  [ -z "$holder" ] || command=$(tr '\0' ' ' <"/proc/$holder/cmdline" 2>/dev/null) || true
  say "waiting for another command that builds in ${build#"$root"/}/${holder:+: process $holder, $command}"
  flock "$build_lock"
}

# Prints the packages, lasting options and features of the CPU that build/ was
# configured without.
new_settings() {
  comm -23 <({
    printf '%s\n' "${packages[@]}" "${optional[@]}" "${lasting[@]}"
    grep -m 1 -E '^(flags|Features)' /proc/cpuinfo
  } | sort -u) \
    <(sort "$build/configured-with" 2>/dev/null)
}

configure_and_build() {
  local started=$SECONDS steps cores expected=0 log with
  with=$(new_settings)
  if [ ! -e "$build/build.ninja" ]; then
    say "configuring ${build#"$root"/}/"
    # What is left of a configuration that was stopped would pass for a whole one.
    rm -rf "$build/meson-private" "$build/meson-info"
    quietly meson setup "$build" "$root" -Dtests=disabled -Dcuda=disabled -Dcpu-kernels=native \
      "${lasting[@]}" "$@"
  elif [ "$installed_now" = yes ] || [ $# -gt 0 ] || [ -n "$with" ]; then
    # Dependencies that were missing when build/ was configured may be installed now, or
    # have been by a run that was stopped.
    say "configuring ${build#"$root"/}/ again"
    quietly meson configure "$build" --clearcache
    quietly meson setup --reconfigure "$build" "$root" "${lasting[@]}" "$@"
  fi
  [ -z "$with" ] || printf '%s\n' "$with" >>"$build/configured-with"
  steps=$(ninja -C "$build" -n 2>&1 | grep -c '^\[[0-9]') || true
  if [ "$steps" -gt 0 ]; then
    cores=$(nproc 2>/dev/null) || cores=1
    # A step takes 0.2 s of a core on a server of 2023. The progress display then uses
    # the measured time.
    expected=$(((steps * 20 / cores + 99) / 100))
    say "building: $steps steps on $cores core$([ "$cores" = 1 ] || echo s), $(about $expected)"
  fi
  log=$(mktemp "${TMPDIR:-/tmp}/yolov10detect-build.XXXXXX")
  if ! watch "$log" read_ninja env NINJA_STATUS='[%f/%t] ' ninja -C "$build"; then
    tail -n 60 "$log" >&2
    rm -f "$log"
    broken "ninja -C $build"
  fi
  rm -f "$log"
  say "${build#"$root"/}/ is up to date (built in $((SECONDS - started)) s)"
}

# Prints the value of "#define NAME VALUE" in the file.
defined() {
  local word name value _
  while read -r word name value _; do
    [ "$word $name" != "#define $2" ] || { printf '%s' "$value"; return; }
  done <"$1"
}

# Prints the folder with the headers of the installed toolkit, if it is recent enough.
system_cuda() {
  local nvcc version dir file
  nvcc=$(PATH=${CUDA_HOME:-$PATH:/usr/local/cuda}/bin command -v nvcc) || return 1
  version=$("$nvcc" --version 2>/dev/null) || return 1
  [[ $version =~ release\ ([0-9]+) ]] && [ "${BASH_REMATCH[1]}" -ge 12 ] || return 1
  nvcc=$(readlink -f "$nvcc")
  [ -e "${nvcc%/bin/nvcc}/include/cuda.h" ] || return 1
  for dir in "${nvcc%/bin/nvcc}/include" /usr/include "/usr/include/$(uname -m)-linux-gnu"; do
    for file in "$dir/cudnn_version.h" "$dir/cudnn_version_v9.h"; do
      if [ -e "$file" ] && [ "$(defined "$file" CUDNN_MAJOR)" = 9 ] \
        && [ "$(defined "$file" CUDNN_MINOR)" -ge 8 ]; then
        printf '%s/include' "${nvcc%/bin/nvcc}"
        return 0
      fi
    done
  done
  return 1
}

# Prints the compute capabilities of the GPUs of this machine, such as 86,89, and
# nothing where one of them has no kernels of its own. Fails without a driver.
find_gpus() {
  local list gpu found=()
  command -v nvidia-smi >/dev/null || return 1
  list=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null) || return 0
  for gpu in ${list//./}; do
    grep -q "^  cuda_known = .*'$gpu'" "$root/cuda/meson.build" || return 0
    [[ " ${found[*]} " == *" $gpu "* ]] || found+=("$gpu")
  done
  local IFS=,
  printf '%s' "${found[*]}"
}

# Downloads the wheels into build/nvidia and links their headers into one folder.
# Writes the list last, so that the next run repeats an incomplete download.
fetch_cuda() {
  local to=$nvidia.new header log
  [ "$(cat "$nvidia/wheels" 2>/dev/null)" != "$(cat "$wheels_list")" ] || return 0
  python3 -m pip --version >/dev/null 2>&1 \
    || die "python3 has no pip to download NVIDIA's packages (Debian: sudo apt-get install python3-pip)"
  say "found no recent toolkit; downloading NVIDIA's packages into ${nvidia#"$root"/}"
  rm -rf "$to" "$nvidia"
  log=$(mktemp "${TMPDIR:-/tmp}/yolov10detect-pip.XXXXXX")
  if ! watch "$log" read_pip python3 -m pip install --no-deps --no-compile --only-binary :all: \
    --progress-bar off --disable-pip-version-check --root-user-action ignore \
    --require-hashes --target "$to" -r "$wheels_list"; then
    tail -n 20 "$log" >&2
    die "pip cannot install ${wheels_list#"$root"/}; the end of its output is above, all of it in $log"
  fi
  rm -f "$log"
  for header in "$to"/nvidia/cudnn/include/*; do
    ln -s "../../cudnn/include/${header##*/}" "$to/nvidia/cu13/include/${header##*/}"
  done
  mv "$to" "$nvidia"
  cat "$wheels_list" >"$nvidia/wheels"
}

# Gives files that root built to the owner of the clone.
give_back() {
  local owner
  owner=$(stat -c %u:%g "$root")
  if [ "$(id -u)" = 0 ] && [ "${owner%:*}" != 0 ] && [ -d "$build" ]; then
    find "$build" -xdev -user 0 -exec chown -h "$owner" {} +
  fi
}

wait_for_others
if [ "$want_uninstall" = yes ]; then
  uninstall_build
  exit 0
fi

if [ "$want_gpus" = these ] && gpus=$(find_gpus); then
  [ -z "$gpus" ] || lasting+=("-Dcuda-gpus=$gpus")
  if [ "$want_cuda" = no ] && ! system_cuda >/dev/null; then
    say "building for the CPU: this machine has an NVIDIA GPU, but no recent toolkit; --cuda downloads one"
  else
    want_cuda=yes
  fi
fi
if [ "$want_cuda" = yes ]; then
  optional+=("${cuda[@]}")
  if cuda_headers=$(system_cuda); then
    say "using the CUDA toolkit of $cuda_headers"
  else
    cuda_headers=$nvidia/nvidia/cu13/include
    python3 -m pip --version >/dev/null 2>&1 || packages+=(python3-pip)
  fi
  lasting+=(-Dcuda=enabled "-Dcudaincludedir=$cuda_headers")
fi
[ "$want_packages" = no ] || install_packages
if [ "$want_cuda" = yes ]; then
  say "options for Meson: ${lasting[*]}"
  if [ "$cuda_headers" = "$nvidia/nvidia/cu13/include" ]; then
    fetch_cuda
    say "to use them at run time: export LD_LIBRARY_PATH=$nvidia/nvidia/cu13/lib:$nvidia/nvidia/cudnn/lib"
  fi
fi
if [ "$want_install" = yes ]; then
  install_build
else
  configure_and_build
fi
give_back
