#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# bundle.sh [--shared DIR] [--build DIR]
#
# Makes one archive, build-gpu/yolov10-gpu.tar.gz, or in another build folder. A
# bare Linux machine with a GPU runs it by
#   tar xzf yolov10-gpu.tar.gz && yolov10-gpu/tests/gpu/run.sh
# It contains this project's binaries; the checks of a GPU;
# GStreamer and its libraries from this machine (Debian), with the C library for
# machines that have an older one; PyTorch's side of the benchmark; and from DIR
# (../shared) the COCO pictures and weights, which are no part of this project.
# Weights are under their own licence: the archive is for testing only and must
# not be distributed.
set -eu

cd "$(dirname "$(readlink -f "$0")")/../.."
shared=../shared build=build-gpu
while [ $# -gt 0 ]; do
  case $1 in
    --shared) shared=$2; shift ;;
    --build) build=$2; shift ;;
    *) sed -n '5,18s/^# \{0,1\}//p' "$0"; exit 2 ;;
  esac
  shift
done

targets=(gst/libgstyolov10.so tools/y10 tests/golden/golden tests/checkop/checkop
  tests/engine/stress-step tests/engine/test-batch tests/cuda-sim/test-lost tests/gst/test-painter
  tests/common/seeded tests/bench/bench-cuda tests/bench/bench-streams tests/engine/test-group tests/engine/test-shapes
  tests/cuda-sim/liby10-cuda.so tests/gpu/libcountcopies.so tests/gpu/libtracekernels.so
  tests/gpu/libnvcuvid-none.so)
[ -e "$build/build.ninja" ] \
  || meson setup "$build" --buildtype=release -Db_ndebug=false
if ninja -C "$build" -t query cuda/liby10-cuda.so >/dev/null 2>&1; then
  targets+=(cuda/liby10-cuda.so tests/bench/bench-kernels)
fi
ninja -C "$build" "${targets[@]}"

name=yolov10-gpu root="$build"/yolov10-gpu
rm -rf "$root" "$build/$name.tar.gz"
mkdir -p "$root"/{bin,lib,libc,gst,backend,sim,nvcuvid-none,data,models,share/mime,share/fonts,tests/gpu,none}

# Our binaries.
cp "$build"/{tools/y10,tests/golden/golden,tests/checkop/checkop,tests/engine/stress-step} "$root"/bin
cp "$build"/{tests/engine/test-batch,tests/engine/test-group,tests/engine/test-shapes,tests/cuda-sim/test-lost} "$root"/bin
cp "$build"/{tests/gst/test-painter,tests/common/seeded,tests/bench/bench-cuda,tests/bench/bench-streams} "$root"/bin
cp "$build"/gst/libgstyolov10.so "$root"/gst
cp "$build"/tests/gpu/lib{countcopies,tracekernels}.so "$root"/lib
cp -L "$build"/engine/liby10.so.1 "$build"/gst/libgsty10spool-*.so "$root"/lib
cp "$build"/tests/cuda-sim/liby10-cuda.so "$root"/sim
cp "$build"/tests/gpu/libnvcuvid-none.so "$root"/nvcuvid-none/libnvcuvid.so.1
if [ -e "$build"/cuda/liby10-cuda.so ]; then
  cp "$build"/cuda/liby10-cuda.so "$root"/backend
  cp "$build"/tests/bench/bench-kernels "$root"/bin
else
  echo "bundle.sh: no CUDA module was built (nvcc, cuDNN's headers): the archive is good for nothing but trying" >&2
fi
cp tests/gpu/{run.sh,*.py} "$root"/tests/gpu
mkdir -p "$root"/models/train
cp -r models/train/yolov10 "$root"/models/train
# The bundled model, on which y10 doctor tries convolutions.
cp models/codes.safetensors "$root"/models
rm -rf "$root"/models/train/yolov10/__pycache__
cp tests/data/*.golden.json tests/data/*.shapes.json "$root"/data
git describe --always --dirty >"$root"/version 2>/dev/null || true

# GStreamer, and all libraries that the archive's programs link to.
plugins=$(pkg-config --variable=pluginsdir gstreamer-1.0)
for plugin in coreelements videoconvertscale videotestsrc nvcodec videoparsersbad; do
  if [ -e "$plugins/libgst$plugin.so" ]; then
    cp -L "$plugins/libgst$plugin.so" "$root"/gst
  else
    echo "bundle.sh: no GStreamer plugin $plugin here; the pipeline will lack it" >&2
  fi
done
for tool in gst-launch-1.0 gst-inspect-1.0; do
  cp -L "$(command -v $tool)" "$root"/bin
done
libc='^(ld-linux.*|lib(c|m|mvec|dl|pthread|rt|resolv|util|anl)\.so\..*)$'
find "$root"/{bin,lib,gst,backend,sim} -type f -exec ldd {} + 2>/dev/null \
  | awk '$2 == "=>" && $3 ~ /^\// {print $1, $3} $1 ~ /^\/.*ld-linux/ {n = split($1, p, "/"); print p[n], $1}' \
  | sort -u | while read -r library path; do
    case $library in liby10*) continue ;; esac
    if [[ $library =~ $libc ]]; then
      cp -L "$path" "$root/libc/$library"
    else
      cp -L "$path" "$root/lib/$library"
    fi
  done
find "$root"/{bin,lib,gst,backend,sim,nvcuvid-none} -type f -exec strip --strip-unneeded {} +
# The oldest C library that everything runs with.
find "$root"/{bin,lib,gst,backend,sim} -type f -exec objdump -T {} + 2>/dev/null \
  | grep -o 'GLIBC_2\.[0-9]*' | sort -uV | tail -n 1 >"$root"/libc/needed
# gdk-pixbuf's list of loaders.
if [ -e /usr/share/mime/mime.cache ]; then
  cp /usr/share/mime/mime.cache "$root"/share/mime
fi

# The font of the labels.
font=/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf
if [ -e $font ]; then
  cp $font "$root"/share/fonts
fi
cat >"$root"/share/fonts/fonts.conf <<'CONF'
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">.</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
CONF

# A clip for the GPU's decoder.
mkdir -p "$root"/media
if gst-inspect-1.0 --exists x264enc; then
  gst-launch-1.0 -q videotestsrc num-buffers=200 pattern=ball \
    ! video/x-raw,format=I420,width=1920,height=1080,framerate=30/1 \
    ! x264enc speed-preset=veryfast key-int-max=30 ! video/x-h264,stream-format=byte-stream \
    ! filesink location="$root"/media/1080p.h264
else
  echo "bundle.sh: no x264enc here, so no H.264 stream for the decoder" >&2
fi

# Files that are no part of this project.
if [ -d "$shared/coco80" ] && [ -e "$shared/models/yolov10n-coco.safetensors" ]; then
  cp -r "$shared/coco80" "$root"/coco80
  cp "$shared/models/yolov10n-coco.safetensors" "$root"/models
  chmod -R u+w "$root"
else
  echo "bundle.sh: no coco80 and models in $shared (--shared DIR): there will be no AP and no pipeline" >&2
fi

tar -C "$build" --owner=0 --group=0 -cf - $name | gzip -9 >"$build"/$name.tar.gz
size=$(stat -c %s "$build"/$name.tar.gz)
echo "$build/$name.tar.gz: $((size / 1024)) KiB, from $(cat "$root"/libc/needed) on without its own C library"
if [ "$size" -gt $((48 << 20)) ]; then
  echo "bundle.sh: more than 48 MiB" >&2
  exit 1
fi
