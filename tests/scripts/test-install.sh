#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# usage: test-install.sh BUILD
#
# Installs BUILD into a folder of its own, then uses it as a stranger would: a
# program compiled against y10.pc, the plugin, the tool.
set -euo pipefail

build=$1
for tool in meson pkg-config cc; do
  command -v "$tool" >/dev/null || { echo "$tool is not installed"; exit 77; }
done
dir=$(readlink -f "$(mktemp -d)")
trap 'rm -rf "$dir"' EXIT

DESTDIR=$dir meson install -C "$build" --no-rebuild --quiet
find_one() {
  local found
  found=$(find "$dir" -path "$1" | head -n 1)
  [ -n "$found" ] || { echo "not installed: $1" >&2; exit 1; }
  printf '%s' "$found"
}

pc=$(find_one '*/pkgconfig/y10.pc')
lib=$(dirname "$(find_one '*/liby10.so.0')")
# Where it would be found had it not been put below $dir.
sed -i "s|^prefix=|&$dir|" "$pc"
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
export LD_LIBRARY_PATH=$lib
"$dir/stranger"

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
  ! readelf -d "$plugin" "$lib/liby10.so.0" | grep -E 'R(UN)?PATH' || { echo "a build path is left in"; exit 1; }
  GST_REGISTRY=$dir/registry GST_PLUGIN_SYSTEM_PATH=$(dirname "$plugin") GST_PLUGIN_PATH='' \
    gst-inspect-1.0 yolov10detect | grep -E 'Filename|Version'
  GST_REGISTRY=$dir/registry GST_PLUGIN_PATH=$(dirname "$plugin") \
    gst-launch-1.0 -q videotestsrc num-buffers=1 ! video/x-raw,width=64,height=64 \
    ! yolov10detect input-size=64 ! fakesink
fi

# Without it: where it was looked for.
rm "$bundled"
[ ! -e "${bundled#"$dir"}" ] || { echo "one is installed on this machine, too"; exit 0; }
if said=$("$y10" info 2>&1); then echo "there is no model, and y10 info takes one"; exit 1; fi
[ "$(wc -l <<<"$said")" = 1 ]
for words in 'bundled one is missing' codes.safetensors "$(dirname "$bundled")"; do
  grep -Fq -- "$words" <<<"$said" || { echo "'$words' is not in: $said"; exit 1; }
done
