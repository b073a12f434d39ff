# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
# shellcheck shell=bash
#
# Installs and uninstalls, for tools/setup.sh, which sources this. An
# installation counts when the installed tool, plugin and library have been found
# and run as somebody who knows nothing of this clone would run them. Files are
# installed.py's business.
#
# From tools/setup.sh: root, build, sudo.
# shellcheck disable=SC2154

# What a login shell has; the caller's environment may point into build/.
clean_path=/usr/local/bin:/usr/bin:/bin
clean=(env -i "PATH=$clean_path" LC_ALL=C.UTF-8)

# As root once find_root was asked.
installed_py() {
  local python=/usr/bin/python3
  [ -x $python ] || python=$(command -v python3) || die "python3 is missing"
  "${sudo[@]}" env ${DESTDIR:+"DESTDIR=$DESTDIR"} "$python" -B \
    "$root/tools/setup/installed.py" "$@"
}

find_ldconfig() { PATH=$PATH:/usr/sbin:/sbin command -v ldconfig; }

# Prints the folder for libraries, relative to the prefix: the first one where
# both pkg-config and the dynamic linker look. On Debian that is
# lib/x86_64-linux-gnu and the like; Meson by itself takes lib64 where
# dpkg-architecture is not installed, and nobody looks there.
find_libdir() {
  local prefix=$1 ldconfig searched dir dirs
  # It names folders that do not exist in complaints only.
  searched=$(ldconfig=$(find_ldconfig) && LC_ALL=C "$ldconfig" -N -X -v 2>&1 \
    | sed -nE "s/^.*Can't stat (\/[^:]*):.*/\1/p; t; s/^(\/[^:]*):.*/\1/p") || true
  dirs=$("${clean[@]}" pkg-config --variable=pc_path pkg-config 2>/dev/null || true)
  while IFS= read -r -d : dir; do
    dir=${dir%/pkgconfig}
    if [[ $dir == "$prefix"/* && $'\n'$searched$'\n' == *$'\n'"$dir"$'\n'* ]]; then
      printf '%s' "${dir#"$prefix"/}"
      return
    fi
  done <<<"$dirs:"
  printf lib
}

# Runs a command as a stranger would; what it says goes to "said".
try() {
  said=$(cd / && "${clean[@]}" "HOME=$scratch" "GST_REGISTRY=$scratch/registry" "$@" 2>&1 </dev/null)
}

# not_usable WHAT: ends with what the command that was tried said.
not_usable() {
  printf '%s\n' "$said" | tail -n 20 >&2
  die "the files are installed, but $1. What it said is above; tools/setup.sh --uninstall removes them"
}

verify_installed() {
  local prefix version plugin libdir command
  prefix=$(installed_py show "$build" prefix)
  libdir=$prefix/$(installed_py show "$build" libdir)
  version=$(installed_py show "$build" version)
  plugin=$(installed_py show "$build" libgstyolov10.so)
  scratch=$(mktemp -d)
  # shellcheck disable=SC2064
  trap "rm -rf '$scratch'" EXIT

  command=$(PATH=$clean_path command -v y10) || command=
  said="PATH is $clean_path"
  [ "$command" = "$prefix/bin/y10" ] \
    || not_usable "a shell finds ${command:-no y10} where $prefix/bin/y10 is expected"
  try y10 --version || not_usable "'y10 --version' fails"
  [ "$said" = "y10 $version" ] || not_usable "'y10 --version' is not $version"
  try pkg-config --modversion y10 \
    || not_usable "pkg-config does not find $libdir/pkgconfig/y10.pc"
  [ "$said" = "$version" ] || not_usable "'pkg-config --modversion y10' is not $version"
  try pkg-config --variable=libdir y10 || said=
  [ "$said" = "$libdir" ] || not_usable "pkg-config takes another y10.pc than that of $libdir"
  if [ -n "$plugin" ]; then
    try gst-inspect-1.0 yolov10detect \
      || not_usable "GStreamer does not find yolov10detect in $plugin"
    # By file, because /lib and /usr/lib are one.
    [ "$(sed -nE 's/^ *Filename +//p' <<<"$said")" -ef "$plugin" ] \
      || not_usable "GStreamer takes another plugin than $plugin"
  fi
  say "y10 $version, pkg-config and GStreamer find what was installed"
}

# Copies from before there was a manifest, which nothing says are ours.
warn_of_copies() {
  local prefix libdir lib
  prefix=$(installed_py show "$build" prefix)
  libdir=$(installed_py show "$build" libdir)
  for lib in "$prefix"/lib/liby10.so.1 "$prefix"/lib64/liby10.so.1 "$prefix"/lib/*/liby10.so.1; do
    [ ! -e "$lib" ] || [ "$lib" -ef "$prefix/$libdir/liby10.so.1" ] \
      || say "another liby10 lies in ${lib%/*}; no list says who installed it, so it stays"
  done
}

check_destdir() {
  [[ ${DESTDIR:-/} = /* ]] || die "DESTDIR is '$DESTDIR'; expected an absolute path"
  [ "${DESTDIR-}" != / ] || unset DESTDIR
}

run_ldconfig() {
  [ -n "${DESTDIR-}" ] || quietly "${sudo[@]}" "$(find_ldconfig)"
}

# install_build OPTION...: configures for it with these options, builds, installs.
install_build() {
  local prefix plugindir old
  check_destdir
  # Before the compiler has run for nothing. Nothing is done as root until later.
  [ -n "${DESTDIR-}" ] || (find_root) \
    || die "installing takes root. Run: sudo tools/setup.sh --install"
  # Debian's GStreamer does not look below /usr/local.
  plugindir=$(pkg-config --variable=pluginsdir gstreamer-1.0) \
    || die "pkg-config does not know gstreamer-1.0: its development files are missing"
  prefix=$(installed_py show "$build" prefix)
  old=$(mktemp)
  # shellcheck disable=SC2064
  trap "rm -f '$old'" EXIT
  installed_py before "$build" "$old"
  configure_and_build "-Dlibdir=$(find_libdir "$prefix")" "-Dplugindir=$plugindir" "$@"
  if [ -z "${DESTDIR-}" ]; then
    find_root
  fi
  installed_py install "$build" "$old"
  rm -f "$old"
  if [ -n "${DESTDIR-}" ]; then
    say "installed below $DESTDIR; nothing was run from there"
    return
  fi
  run_ldconfig
  verify_installed
  warn_of_copies
  say "installed below $prefix; try: gst-inspect-1.0 yolov10detect"
}

uninstall_build() {
  check_destdir
  if [ -z "${DESTDIR-}" ]; then
    find_root || die "uninstalling takes root. Run: sudo tools/setup.sh --uninstall"
  fi
  installed_py uninstall "$build"
  run_ldconfig
}
