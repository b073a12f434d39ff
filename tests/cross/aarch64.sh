#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Cross-compiles for 64-bit ARM and runs the result under qemu-user: the engine's tests on two
# CPUs, or the whole project (Jetson, Grace) and `y10 detect`. Builds the CUDA module if this machine
# has nvcc: kernels are GPU code, and CUDA's headers are the same for both architectures; cuDNN's are
# assumed to be.
set -euo pipefail

usage() {
  cat <<'END'
usage: tests/cross/aarch64.sh --tests|--packages [DIR]
       tests/cross/aarch64.sh [PICTURE [DIR]]

--tests builds the engine with its tests for aarch64 in DIR/build-tests, against Debian's arm64
packages in DIR/root-tests, and runs those of the CPU backend under qemu-user: as a Cortex-A76 and
with all instructions that qemu knows. It also counts the instructions of the kernels. The logs are
DIR/build-tests/meson-logs/CPU.json. --packages only unpacks the packages for that.

Otherwise it builds everything in DIR/build, against the packages in DIR/root, and compares
`y10 detect PICTURE` under qemu-user with Y10, the same command of this machine's build.

  PICTURE   a picture with objects; by default one of ../shared/coco80
  DIR       by default build-ci/aarch64; 1 GB, for the tests 200 MB. Complete packages are used again

environment:
  Y10       the command to compare with; by default build/tools/y10
  MODEL     the model; by default ../shared/models/yolov10n-coco.safetensors
  MIRROR    a Debian mirror; by default the one that apt uses

Exits with 77 if a program, a picture, the model or Debian's packages are missing.
END
}

root=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
# shellcheck source=tests/common/debian-mirror.sh
. "$root/tests/common/debian-mirror.sh"
say() { printf 'aarch64: %s\n' "$*"; }
die() { printf 'aarch64: %s\n' "$*" >&2; exit 1; }
skip() { printf 'aarch64: skipped: %s\n' "$*"; exit 77; }

part='' only=''
case ${1-} in
  --tests | --packages)
    part=-tests only=$1
    [ $# -le 2 ] || { usage >&2; exit 1; }
    set -- '' "${@:2}"
    ;;
  -*) usage; exit 0 ;;
esac
[ $# -le 2 ] || { usage >&2; exit 1; }
shared=$root/../shared
images=("$shared"/coco80/images/*)
picture=${1:-${images[0]}}
dir=$(realpath -m -- "${2-$root/build-ci/aarch64}")
y10=${Y10-$root/build/tools/y10} model=${MODEL-$shared/models/yolov10n-coco.safetensors}
sysroot=$dir/root$part build=$dir/build$part
packages=libc6-dev,libjson-glib-dev
[ -n "$part" ] || packages=libc6-dev,libstdc++-12-dev,libgstreamer1.0-dev,libgstreamer-plugins-base1.0-dev,libgstreamer-plugins-bad1.0-dev,libcairo2-dev,libpango1.0-dev,libgdk-pixbuf-2.0-dev,libjpeg-dev,libyaml-dev

qemu=$(command -v qemu-aarch64 || command -v qemu-aarch64-static) \
  || skip "qemu-aarch64 is missing (Debian: qemu-user)"
for program in aarch64-linux-gnu-gcc:gcc-aarch64-linux-gnu mmdebstrap:mmdebstrap; do
  command -v "${program%:*}" >/dev/null || skip "${program%:*} is missing (Debian: ${program#*:})"
done
if [ -z "$part" ]; then
  for file in "$picture" "$model" "$y10"; do
    [ -f "$file" ] || skip "there is no file $file"
  done
fi
mkdir -p "$dir"

# The packages are unpacked, not configured: that would run programs for arm64.
if [ ! -e "$sysroot/.complete" ]; then
  say "arm64 packages"
  rm -rf "$sysroot"
  mmdebstrap --variant=extract --architectures=arm64 "--include=$packages" \
    bookworm "$sysroot" "${MIRROR:-$(find_debian_mirror)}" >"$dir/root.log" 2>&1 \
    || { tail -n 20 "$dir/root.log" >&2; skip "mmdebstrap failed; its output is in $dir/root.log"; }
  : >"$sysroot/.complete"
fi
[ "$only" != --packages ] || exit 0

cat >"$dir/cross$part.ini" <<END
[binaries]
c = ['aarch64-linux-gnu-gcc', '--sysroot=$sysroot']
ar = 'aarch64-linux-gnu-ar'
strip = 'aarch64-linux-gnu-strip'
pkgconfig = 'pkg-config'
exe_wrapper = ['$qemu', '-L', '$sysroot']
[properties]
sys_root = '$sysroot'
pkg_config_libdir = '$sysroot/usr/lib/aarch64-linux-gnu/pkgconfig:$sysroot/usr/share/pkgconfig'
[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'
END

# The CPU is that of the variable QEMU_CPU.
if [ -n "$part" ]; then
  [ -e "$build/build.ninja" ] || meson setup "$build" "$root" --werror --cross-file "$dir/cross$part.ini" \
    --auto-features=disabled -Dtests=enabled >"$dir/setup.log" 2>&1 \
    || { tail -n 20 "$dir/setup.log" >&2; die "meson failed"; }
  status=0
  for run in cortex-a76:fp32 max:bf16; do
    cpu=${run%:*}
    tests=("checkop neon ${run#*:}" "checkop neon int8" "int8-neon_dotprod" upsampled-all)
    case $cpu in
      cortex-a76) tests+=("golden cpu n-nc3-320x320-seed0" "batch cpu" preprocess-c preprocess-neon
        colors-neon winograd threadpool threads "finite cpu" step graph plan heads) ;;
      max) tests+=("int8-neon_i8mm" "golden cpu bf16 n-nc3-320x320-seed0") ;;
    esac
    say "tests on $cpu"
    QEMU_CPU=$cpu meson test -C "$build" --print-errorlogs --timeout-multiplier 3 --logbase "$cpu" \
      "${tests[@]}" || status=1
  done
  "$root"/tests/cross/count-instructions.py "$build/engine/cpu" || status=1
  exit $status
fi

say "building"
[ -e "$build/build.ninja" ] || meson setup "$build" "$root" --werror --cross-file "$dir/cross$part.ini" \
  -Dtests=disabled >"$dir/setup.log" 2>&1 \
  || { tail -n 20 "$dir/setup.log" >&2; die "meson failed"; }
ninja -C "$build" >"$dir/build.log" 2>&1 || { tail -n 40 "$dir/build.log" >&2; die "the build failed"; }

for file in engine/liby10.so gst/libgstyolov10.so gst/libgstyolov10publish.so tools/y10 cuda/liby10-cuda.so; do
  if [ ! -e "$build/$file" ]; then
    [ $file = cuda/liby10-cuda.so ] || die "the build has no $file"
    say "no CUDA module: the build found no nvcc or no headers of cuDNN"
    continue
  fi
  LC_ALL=C readelf -h "$build/$file" | grep -q 'Machine: *AArch64' || die "$file is not for AArch64"
  say "$file: AArch64"
done

detect() { "$@" detect --backend cpu --precision fp32 --model "$model" "$picture"; }
arm=("$qemu" -L "$sysroot" "$build/tools/y10")

# Without a driver the module must load and give its own error: the error of a module that cannot be
# loaded does not name the driver's library.
if [ -e "$build/cuda/liby10-cuda.so" ]; then
  message=$(Y10_BACKEND_PATH=$build/cuda "${arm[@]}" detect --backend cuda --model "$model" "$picture" 2>&1) \
    && die "the backend cuda runs without a GPU"
  [[ $message == *libcuda.so.1* ]] || die "the CUDA module does not load: $message"
  say "the CUDA module loads: ${message##*$'\n'}"
fi

say "y10 detect under qemu-user"
detect "${arm[@]}" >"$dir/arm.json"
detect "$y10" >"$dir/here.json"
# Vectors of another length change the order of sums, hence the tolerance.
python3 - "$dir/arm.json" "$dir/here.json" <<'END'
import json
import sys

arm, here = (json.load(open(path, encoding="utf-8"))["objects"] for path in sys.argv[1:])
labels = [[o["detection"]["label"] for o in objects] for objects in (arm, here)]
if not arm or labels[0] != labels[1]:
    sys.exit(f"aarch64: found {labels[0]}, expected {labels[1]}")
worst = 0
for a, b in zip(arm, here):
    a, b = a["detection"], b["detection"]
    worst = max(worst, abs(a["confidence"] - b["confidence"]),
                *(abs(a["bounding_box"][k] - b["bounding_box"][k]) for k in b["bounding_box"]))
print(f"aarch64: {len(arm)} objects as on this machine, largest difference {worst:.1e}")
sys.exit(worst > 1e-4)
END
