#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
# shellcheck source-path=SCRIPTDIR
#
# Builds the container image from the Debian packages with buildah, without a daemon,
# and runs its commands.
set -euo pipefail

usage() {
  cat <<'END'
usage: packaging/container/build.sh [--work DIR] [--packages DIR] [--output FILE]

Builds the image yolov10detect:VERSION on Debian 12, with the packages that
packaging/debian/build.sh wrote into DIR/bookworm (default: dist/debian), and
runs y10 and demo in it. FILE (default: dist/yolov10detect-VERSION.tar) is the
image for "podman load" and "docker load".

In the environment, BASE is the base image: the name of one, or a root file
system in a .tar file. By default the script makes a minimal Debian 12 from
Debian's mirror, as the tests of the packages do, and keeps it in the --work DIR
(default: build-packages). EXTRA names more Debian packages for the image, such as
gstreamer1.0-plugins-bad. Needs root.
END
}

root=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
name=container work=$root/build-packages packages=$root/dist/debian output=''
# shellcheck source=../chroot.sh
. "$root/packaging/chroot.sh"

while [ $# -gt 0 ]; do
  case $1 in
    --work) work=${2:?}; shift ;;
    --packages) packages=${2:?}; shift ;;
    --output) output=${2:?}; shift ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; die "unknown argument '$1'" ;;
  esac
  shift
done
prepare_work
install_tools buildah=buildah
version=$(project_version)
[ -e "$packages/bookworm/Packages" ] \
  || die "$packages/bookworm contains no packages; run packaging/debian/build.sh"
output=${output:-$root/dist/yolov10detect-$version.tar}
image=localhost/yolov10detect:$version

# Images and containers lie in a folder of this run. No kernel feature is needed that a
# container or a virtual machine may lack: no overlay file system, no namespaces.
scratch=$(mktemp -d "$work/container.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
b() {
  buildah --storage-driver vfs --root "$scratch/images" --runroot "$scratch/run" "$@" </dev/null
}
quietly() {
  "$@" >"$work/container.log" 2>&1 \
    || { tail -n 30 "$work/container.log" >&2; die "failed: $*"; }
}

base=${BASE-}
if [ -z "$base" ]; then
  make_base bookworm
  base=$work/bookworm.tar
fi
if [ -f "$base" ]; then
  say "base image from $base"
  container=$(b from scratch)
  quietly b add "$container" "$(realpath "$base")" /
  base=localhost/base
  quietly b commit --rm "$container" "$base"
fi

say "building $image"
mkdir -p "$scratch/context/packages"
cp "$packages"/bookworm/{liby10-1,gstreamer1.0-yolov10,gstreamer1.0-yolov10-publish,y10,y10-data}_*.deb "$scratch/context/packages"
git -C "$root" archive HEAD pipelines | tar -C "$scratch/context" -x
quietly b build --isolation chroot --squash --tag "$image" \
  --build-arg BASE="$base" --build-arg EXTRA="${EXTRA-}" \
  --file "$root/packaging/container/Containerfile" "$scratch/context"

say "running it"
container=$(b from "$image")
inside() { b run --isolation chroot "$container" -- "$@"; }
inside id
inside y10 --version
inside demo
inside sh -c 'ls -l && y10 detect test-yolov10.png | cut -c 1-120'
# The page, as the image's default command serves it.
inside bash -c 'y10 serve --listen 0.0.0.0:8010 --insecure & trap "kill $!" EXIT
  for _ in {1..60}; do python3 -c "
import urllib.request
print(urllib.request.urlopen(\"http://127.0.0.1:8010/readyz\").status)" 2>error && break; sleep 1; done
  y10 serve --url | grep -q "^http://127.0.0.1:8010/#t="'
[ "$(inside id -u)" != 0 ] || die "the image runs as root"

mkdir -p "$(dirname "$output")"
rm -f "$output"
quietly b push "$image" "docker-archive:$output:yolov10detect:$version"
ls -l "$output"
