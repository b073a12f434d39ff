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
# Docker's format, since the other one has no health check.
quietly b build --format docker --isolation chroot --squash --tag "$image" \
  --build-arg BASE="$base" --build-arg EXTRA="${EXTRA-}" \
  --file "$root/packaging/container/Containerfile" "$scratch/context"

say "running it"
container=$(b from "$image")
inside() { b run --isolation chroot "$container" -- "$@"; }
inside id
inside y10 --version
inside demo
inside sh -c 'ls -l && y10 detect test-yolov10.png | cut -c 1-120'
# The page, by the image's default command, which keeps its settings in a volume. A server
# that follows it has the same token, and the camera that was added.
of_image() { b inspect --type image --format "{{range $1}}{{println .}}{{end}}" "$image" | sed '/^$/d'; }
mapfile -t default < <(of_image .OCIv1.Config.Cmd)
mapfile -t health < <(of_image .Docker.Config.Healthcheck.Test)
install --directory --owner=1000 --group=1000 --mode=0700 "$scratch/settings"
serve() {
  # shellcheck disable=SC2016 # the shell in the container expands it
  b run --isolation chroot --volume "$scratch/settings:/home/y10/.config" "$container" -- bash -euc '
    check=$1 n=$2
    "${@:3+n}" >address & trap "kill $!; wait $!" EXIT
    until "${@:3:n}" 2>error; do [ $((SECONDS)) -lt 60 ] || { cat error; exit 1; }; sleep 1; done
    python3 -c "$check" "$(y10 serve --url)"' bash "$1" "$((${#health[@]} - 1))" "${health[@]:1}" "${default[@]}"
}
serve '
import json, sys, urllib.request
url, token = sys.argv[1].split("/#t=")
def api(path, data=None):
    return urllib.request.urlopen(urllib.request.Request(url + path, data, {"Authorization": "Bearer " + token}))
assert api("/").headers["Content-Type"].startswith("text/html")
api("/api/cameras", json.dumps({"name": "Ball", "source": "test:ball"}).encode())
print(token, file=open("/home/y10/.config/token-of-test", "w"))'
serve '
import json, sys, time, urllib.request
url, token = sys.argv[1].split("/#t=")
assert token == open("/home/y10/.config/token-of-test").read().strip()
request = urllib.request.Request(url + "/api/cameras", None, {"Authorization": "Bearer " + token})
for _ in range(60):
    camera = {c["name"]: c for c in json.load(urllib.request.urlopen(request))["cameras"]}["Ball"]
    if camera["state"] == "live":
        break
    time.sleep(1)
print("the camera is", camera["state"])
assert camera["state"] == "live"'
[ "$(inside id -u)" != 0 ] || die "the image runs as root"

mkdir -p "$(dirname "$output")"
rm -f "$output"
quietly b push "$image" "docker-archive:$output:yolov10detect:$version"
ls -l "$output"
