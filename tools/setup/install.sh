# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
# shellcheck shell=bash
#
# Installs and uninstalls; sourced by tools/setup.sh. After an installation it
# finds and runs the installed tool, plugin and library in a clean environment,
# without the paths of this clone. installed.py handles the files.
#
# Variables from tools/setup.sh: root, build, sudo.
# shellcheck disable=SC2154

# The PATH of a login shell: the caller's environment may point into build/.
clean_path=/usr/local/bin:/usr/bin:/bin
clean=(env -i "PATH=$clean_path" LC_ALL=C.UTF-8)

# Runs installed.py, as root if find_root has succeeded.
installed_py() {
  local python=/usr/bin/python3
  [ -x $python ] || python=$(command -v python3) || die "python3 is missing"
  "${sudo[@]}" env ${DESTDIR:+"DESTDIR=$DESTDIR"} "$python" -B \
    "$root/tools/setup/installed.py" "$@"
}

find_ldconfig() { PATH=$PATH:/usr/sbin:/sbin command -v ldconfig; }

# Prints the folder for libraries, relative to the prefix: the first one that both
# pkg-config and the dynamic linker search. On Debian that is lib/x86_64-linux-gnu
# or similar. Without dpkg-architecture, Meson's default is lib64, which neither
# searches.
find_libdir() {
  local prefix=$1 ldconfig searched dir dirs
  # ldconfig lists folders that do not exist only in its warnings.
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

# Runs a command in a clean environment and stores its output in "said".
try() {
  said=$(cd / && "${clean[@]}" "HOME=$scratch" "GST_REGISTRY=$scratch/registry" "$@" 2>&1 </dev/null)
}

# not_usable PROBLEM: prints the output of the command that was tried, and exits.
not_usable() {
  printf '%s\n' "$said" | tail -n 20 >&2
  die "the files are installed, but $1. The output is above; tools/setup.sh --uninstall removes them"
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
    || not_usable "a shell finds ${command:-no y10}, expected $prefix/bin/y10"
  try y10 --version || not_usable "'y10 --version' fails"
  [ "$said" = "y10 $version" ] || not_usable "'y10 --version' is not $version"
  try pkg-config --modversion y10 \
    || not_usable "pkg-config does not find $libdir/pkgconfig/y10.pc"
  [ "$said" = "$version" ] || not_usable "'pkg-config --modversion y10' is not $version"
  try pkg-config --variable=libdir y10 || said=
  [ "$said" = "$libdir" ] || not_usable "pkg-config finds another y10.pc than that in $libdir"
  if [ -n "$plugin" ]; then
    try gst-inspect-1.0 yolov10detect \
      || not_usable "GStreamer does not find yolov10detect in $plugin"
    # Compare files, not paths: /lib and /usr/lib may be the same.
    [ "$(sed -nE 's/^ *Filename +//p' <<<"$said")" -ef "$plugin" ] \
      || not_usable "GStreamer finds another plugin than $plugin"
  fi
  say "y10 $version, pkg-config and GStreamer find what was installed"
}

# Warns of copies that are in no manifest, which may not be ours.
warn_of_copies() {
  local prefix libdir lib
  prefix=$(installed_py show "$build" prefix)
  libdir=$(installed_py show "$build" libdir)
  for lib in "$prefix"/lib/liby10.so.1 "$prefix"/lib64/liby10.so.1 "$prefix"/lib/*/liby10.so.1; do
    [ ! -e "$lib" ] || [ "$lib" -ef "$prefix/$libdir/liby10.so.1" ] \
      || say "there is another liby10 in ${lib%/*}; it is in no manifest, so it stays"
  done
}

check_destdir() {
  [[ ${DESTDIR:-/} = /* ]] || die "DESTDIR is '$DESTDIR'; expected an absolute path"
  [ "${DESTDIR-}" != / ] || unset DESTDIR
}

run_ldconfig() {
  [ -n "${DESTDIR-}" ] || quietly "${sudo[@]}" "$(find_ldconfig)"
}

# Configures for it, builds, installs.
install_build() {
  local prefix plugindir old
  check_destdir
  # Check before compiling. Nothing runs as root until later.
  [ -n "${DESTDIR-}" ] || (find_root) \
    || die "installing needs root. Run: sudo tools/setup.sh --install"
  # Debian's GStreamer does not search below /usr/local.
  plugindir=$(pkg-config --variable=pluginsdir gstreamer-1.0) \
    || die "pkg-config does not know gstreamer-1.0: its development files are missing"
  prefix=$(installed_py show "$build" prefix)
  old=$(mktemp)
  # shellcheck disable=SC2064
  trap "rm -f '$old'" EXIT
  installed_py before "$build" "$old"
  configure_and_build "-Dlibdir=$(find_libdir "$prefix")" "-Dplugindir=$plugindir" \
    "-Dsystemunitdir=$prefix/lib/systemd/system" -Dcpu-kernels=all
  if [ -z "${DESTDIR-}" ]; then
    find_root
  fi
  installed_py install "$build" "$old"
  rm -f "$old"
  if [ -n "${DESTDIR-}" ]; then
    say "installed below $DESTDIR, without running anything from there"
    return
  fi
  run_ldconfig
  verify_installed
  warn_of_copies
  say "installed below $prefix; what to run next:
  gst-inspect-1.0 yolov10detect            lists the properties of the detector
  y10 doctor                               checks what this machine can run
  sudo systemctl enable --now y10-serve    serves cameras, now and at each boot"
}

uninstall_build() {
  check_destdir
  if [ -z "${DESTDIR-}" ]; then
    find_root || die "uninstalling needs root. Run: sudo tools/setup.sh --uninstall"
  fi
  installed_py uninstall "$build"
  run_ldconfig
}
