#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# usage: test-install-system.sh SOURCE
#
# Runs tools/setup.sh --install and --uninstall on this system, in a mount
# namespace whose /usr, /etc, /var and SOURCE are overlays: all changes vanish
# with the namespace. It starts like a minimal Debian, without
# dpkg-architecture, and with an installation in lib64 that neither the linker
# nor pkg-config finds.
set -euo pipefail

source=$(readlink -f "$1")
if [ "${2-}" != inside ]; then
  for tool in unshare mount meson ninja pkg-config gst-launch-1.0 dpkg-query; do
    command -v "$tool" >/dev/null || { echo "$tool is not installed"; exit 77; }
  done
  namespace=(unshare --mount --propagation private)
  [ "$(id -u)" = 0 ] || namespace=(unshare --map-root-user --mount)
  "${namespace[@]}" true 2>/dev/null || { echo "no mount namespace can be made here"; exit 77; }
  exec "${namespace[@]}" "$0" "$source" inside
fi

# Checks that each of these is an overlay before it installs anything.
mount -t tmpfs tmpfs /mnt || { echo "no tmpfs can be mounted here"; exit 77; }
for folder in /usr /etc /var "$source"; do
  mkdir -p "/mnt$folder/upper" "/mnt$folder/work"
  mount -t overlay overlay "$folder" \
    -o "lowerdir=$folder,upperdir=/mnt$folder/upper,workdir=/mnt$folder/work" \
    || { echo "no overlay can be mounted on $folder"; exit 77; }
  [ "$(stat -f -c %T "$folder")" = overlayfs ] || { echo "$folder is no overlay"; exit 77; }
  touch "$folder/.overlay"
  [ -e "/mnt$folder/upper/.overlay" ] || { echo "$folder is not written to the overlay"; exit 1; }
  rm "$folder/.overlay"
done
scratch=/mnt/scratch
mkdir "$scratch"
export HOME=$scratch XDG_CACHE_HOME=$scratch/cache
unset DESTDIR LD_LIBRARY_PATH PKG_CONFIG_PATH GST_PLUGIN_PATH GST_PLUGIN_SYSTEM_PATH GST_REGISTRY
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
cd "$source"
command -v meson >/dev/null || { echo "Meson is not installed in the system"; exit 77; }

# Lists all files except ldconfig's cache and Python's.
list() {
  find /usr /etc /var -xdev ! -path /etc/ld.so.cache ! -path '/var/cache/ldconfig*' \
    ! -name '*.pyc' ! -name __pycache__ | sort
}
stranger() { (cd / && env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=$scratch "$@"); }

if [ -e /usr/local/share/y10 ] || ldconfig -p | grep -q liby10; then
  echo "yolov10detect is installed on this machine"
  exit 77
fi
rm -f /usr/bin/dpkg-architecture
list >"$scratch/before"

build="build-install-test"
rm -rf "$build"
# Where files are matters here, not how fast they run.
meson setup "$build" -Doptimization=0 -Ddebug=false -Dtests=disabled -Dcuda=disabled -Dlibdir=lib64 \
  "-Dplugindir=$(pkg-config --variable=pluginsdir gstreamer-1.0)" >/dev/null
ninja -C "$build" >/dev/null
meson install -C "$build" --no-rebuild >/dev/null
# Sets up the broken state, including GStreamer's cached registry of it.
stranger y10 --version 2>/dev/null && { echo "lib64 is searched here"; exit 77; }
stranger gst-inspect-1.0 yolov10detect >/dev/null 2>&1 && { echo "it works already"; exit 1; }

tools/setup.sh --no-packages --build "$build" --install | tee "$scratch/said"
version=$(stranger y10 --version)
[ "$version" = "y10 $(stranger pkg-config --modversion y10)" ]
multiarch=$(gcc -print-multiarch 2>/dev/null || true)
lib=$(stranger pkg-config --variable=libdir y10)
[ "$lib" = "/usr/local/lib${multiarch:+/$multiarch}" ] || { echo "the library is in $lib"; exit 1; }
stranger gst-inspect-1.0 yolov10detect | grep Filename
stranger gst-launch-1.0 -q videotestsrc num-buffers=2 ! video/x-raw,width=64,height=64 \
  ! yolov10detect input-size=64 ! fakesink
[ -z "$(find /usr/local -path '*/lib64/*' -name '*y10*')" ] || { echo "the copy in lib64 is left"; exit 1; }
grep -q '^setup: installed below /usr/local' "$scratch/said" || { echo "it does not say so"; exit 1; }
# What it says next works, as far as it can without systemd.
stranger y10 doctor >/dev/null
grep -q '^  y10 doctor ' "$scratch/said"
unit=$(sed -n 's/^  sudo systemctl enable --now \([^ ]*\) .*/\1/p' "$scratch/said")
cmp packaging/systemd/y10-serve.service "/usr/local/lib/systemd/system/$unit.service"
[ -z "$(find /etc/systemd /usr/local/lib/systemd -name '*y10*' -type l)" ] || { echo "the service is enabled"; exit 1; }

# With an ldconfig that does nothing, the linker does not find the library.
ldconfig=$(readlink -f "$(command -v ldconfig)")
mount --bind /bin/true "$ldconfig"
rm /etc/ld.so.cache
if tools/setup.sh --no-packages --build "$build" --install >"$scratch/said" 2>&1 \
  || grep -q '^setup: installed' "$scratch/said"; then
  cat "$scratch/said"
  echo "it says that it is installed, and it cannot be run"
  exit 1
fi
grep -F "'y10 --version' fails" "$scratch/said"
umount "$ldconfig"

tools/setup.sh --no-packages --build "$build" --install
tools/setup.sh --build "$build" --uninstall
list >"$scratch/after"
diff "$scratch/before" "$scratch/after" || { echo "the uninstalled system differs"; exit 1; }
! ldconfig -p | grep liby10 || { echo "the linker's cache has liby10"; exit 1; }
echo "installed, found, uninstalled; nothing is left"
