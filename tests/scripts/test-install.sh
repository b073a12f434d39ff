#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# usage: test-install.sh BUILD
#
# Installs BUILD into a separate folder, then uses it in a clean environment: a
# program compiled against y10.pc, the plugin, the tool, the scripts and examples.
# Uninstalls it and checks that nothing is left. Also compiles the program against
# the uninstalled build.
set -euo pipefail

build=$1
for tool in meson pkg-config cc; do
  command -v "$tool" >/dev/null || { echo "$tool is not installed"; exit 77; }
done
dir=$(readlink -f "$(mktemp -d)")
trap 'rm -rf "$dir"' EXIT

export PYTHONDONTWRITEBYTECODE=1
setup=$(dirname "$(readlink -f "$0")")/../../tools/setup
stage=$dir/stage
: >"$dir/none-before"
DESTDIR=$stage "$setup/installed.py" install "$build" "$dir/none-before"
find_one() {
  local found
  found=$(find "$stage" -path "$1" | head -n 1)
  [ -n "$found" ] || { echo "not installed: $1" >&2; exit 1; }
  printf '%s' "$found"
}

pc=$(find_one '*/pkgconfig/y10.pc')
lib=$(dirname "$(find_one '*/liby10.so.1')")
# The place where it would be found without the prefix $stage.
cp "$pc" "$dir/y10.pc"
sed -i "s|^prefix=|&$stage|" "$pc"
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
cat >"$dir/stranger.c" <<'END'
#include <stdio.h>
#include <y10/y10.h>

int
main (void)
{
  GError *error = NULL;
  Y10Model *model = y10_model_load ("/nonexistent", NULL, &error);

  if (model || !g_error_matches (error, Y10_ERROR, Y10_ERROR_NOT_FOUND))
    return 1;
  puts (error->message);
  g_clear_error (&error);
  model = y10_model_load (NULL, NULL, &error);
  puts (model ? y10_model_get_path (model) : error->message);
  return !model;
}
END
read -ra flags < <(pkg-config --cflags --libs y10)
cc -Wall -Werror "$dir/stranger.c" -o "$dir/stranger" "${flags[@]}"
LD_LIBRARY_PATH=$lib "$dir/stranger"

# pkg-config prefers y10-uninstalled.pc to y10.pc.
read -ra flags < <(PKG_CONFIG_PATH=$build/meson-uninstalled pkg-config --cflags --libs y10)
cc -Wall -Werror "$dir/stranger.c" -o "$dir/uninstalled" "${flags[@]}"
LD_LIBRARY_PATH=$build/engine "$dir/uninstalled"
readelf -d "$dir/uninstalled" | grep -F liby10.so.1
export LD_LIBRARY_PATH=$lib

y10=$(find_one '*/bin/y10')
"$y10" --version
find_one '*/man1/y10.1*' >/dev/null
bundled=$(find_one '*/share/y10/codes.safetensors')
cmp "$bundled" "$build/models/codes.safetensors"
[ "$("$dir/stranger" | tail -n 1)" = "$bundled" ] || { echo "the bundled model is not taken from where it was installed"; exit 1; }
"$y10" info | grep -Fx "file        $bundled"
find_one '*/bash-completion/completions/y10' >/dev/null

if [ -e "$build/gst/libgstyolov10.so" ]; then
  plugin=$(find_one '*/libgstyolov10.so')
  find_one '*/y10/gstyolov10framemeta.h' >/dev/null
  ! readelf -d "$plugin" "$lib/liby10.so.1" | grep -E 'R(UN)?PATH' || { echo "a build path is left in"; exit 1; }
  GST_REGISTRY=$dir/registry GST_PLUGIN_SYSTEM_PATH=$(dirname "$plugin") GST_PLUGIN_PATH='' \
    gst-inspect-1.0 yolov10detect | grep -E 'Filename|Version'
  GST_REGISTRY=$dir/registry GST_PLUGIN_PATH=$(dirname "$plugin") \
    gst-launch-1.0 -q videotestsrc num-buffers=1 ! video/x-raw,width=64,height=64 \
    ! yolov10detect input-size=64 ! fakesink

  # The scripts run from where they were installed, and compile no clone.
  share=$(find_one '*/share/yolov10detect/pipelines/demo.sh')
  share=${share%/pipelines/demo.sh}
  (cd "$setup/../../pipelines" && ls -- *.sh *.py *.png) | diff - <(cd "$share/pipelines" && ls) \
    || { echo "pipelines/meson.build does not have all files"; exit 1; }
  if pkg-config --exists gio-unix-2.0; then
    read -ra flags < <(pkg-config --cflags --libs gstreamer-1.0 gio-unix-2.0)
    cc -Wall -Werror "$share"/examples/{camera,cameras,still}.c -o "$dir/cameras" "${flags[@]}" -lm
    "$dir/cameras" --help | grep -F NAME=URI
  fi
  stranger() {
    (cd "$dir" && env -u Y10_BUILD -u PYTHONDONTWRITEBYTECODE PATH="${y10%/*}:$PATH" \
      GST_REGISTRY="$dir/registry" GST_PLUGIN_PATH="$(dirname "$plugin")" "$@")
  }
  stranger "$share/models/fetch.sh" --help | head -n 1
  if /usr/bin/python3 -c 'import gi; gi.require_version("Gst", "1.0")' 2>/dev/null \
    && gst-inspect-1.0 gdkpixbufdec >/dev/null 2>&1; then
    stranger "$share/pipelines/small-objects.sh"
    [ -s "$dir/codes-yolov10.png" ]
    stranger "$share/examples/zones.py" --help | head -n 1
    [ -z "$(find "$share" -name __pycache__)" ] || { find "$share" -name __pycache__; exit 1; }
    # What a program that imports one leaves is deleted with it.
    stranger /usr/bin/python3 -c "import sys; sys.path.insert(0, '$share/pipelines'); import detections"
    find_one '*/pipelines/__pycache__/detections.*.pyc' >/dev/null
  fi
fi

# The file that was edited above counts as foreign until it is restored.
DESTDIR=$stage "$setup/installed.py" uninstall "$build" | tee "$dir/said"
grep -Fx "setup: left $pc: it has changed since it was installed" "$dir/said"
[ "$(find "$stage" ! -type d | wc -l)" = 2 ] || { find "$stage"; exit 1; }
cp "$dir/y10.pc" "$pc"
DESTDIR=$stage "$setup/installed.py" uninstall "$build"
[ ! -e "$stage" ] || [ -z "$(find "$stage" ! -type d)" ] || { find "$stage"; exit 1; }
DESTDIR=$stage "$setup/installed.py" install "$build" "$dir/none-before"

# Without the bundled model, the error names the folder that was searched.
rm "$bundled"
[ ! -e "${bundled#"$stage"}" ] || { echo "one is installed on this machine, too"; exit 0; }
if said=$("$y10" info 2>&1); then echo "there is no model, and y10 info takes one"; exit 1; fi
[ "$(wc -l <<<"$said")" = 1 ]
for words in 'bundled one is missing' codes.safetensors "$(dirname "$bundled")"; do
  grep -Fq -- "$words" <<<"$said" || { echo "'$words' is not in: $said"; exit 1; }
done
