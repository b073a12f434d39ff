# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
# shellcheck shell=bash
#
# Shows the progress of a long step: on a terminal one line that is rewritten, in
# a log one line every ten seconds. The output of the commands goes to a log file
# and is shown only if a command fails. Sourced by tools/setup.sh.
#
# The variables of the readers live in the subshell of one loop; wheels and
# expected come from tools/setup.sh.
# shellcheck disable=SC2030,SC2031,SC2154

progress_every=10

# Prints a number of seconds in readable form, rounded up.
about() {
  if [ "$1" -le 90 ]; then
    printf 'about %d s' $((($1 + 9) / 10 * 10))
  else
    printf 'about %d min' $((($1 + 59) / 60))
  fi
}

# Draws or prints the text. The caller defines progress_next, the time of the next
# line in a log.
show_progress() {
  local width
  if [ -t 1 ] && [ "${TERM:-dumb}" != dumb ]; then
    width=$(stty size <&1 2>/dev/null) || width=
    width=${width#* }
    [[ $width =~ ^[1-9][0-9]*$ ]] || width=80
    printf '\r\033[K%.*s' $((width - 1)) "setup: $1"
  elif [ $SECONDS -ge "$progress_next" ]; then
    say "$1"
    progress_next=$((SECONDS + progress_every))
  fi
}

# watch LOG READER COMMAND...: runs the command with its output in LOG and passes
# each line to READER, which sets "doing" to the current activity. Returns the
# command's status.
watch() {
  local log=$1 reader=$2 status=0
  shift 2
  "$@" </dev/null 2>&1 | {
    line='' part='' doing='' left='' began=$SECONDS
    progress_next=$((SECONDS + progress_every))
    while :; do
      if IFS= read -r -t "$progress_every" line; then
        printf '%s\n' "$part$line"
        "$reader" "$part$line"
        part=
      elif [ $? -gt 128 ]; then
        # No new line: show that the step is still running.
        part+=$line
      else
        printf '%s' "$part$line"
        break
      fi >>"$log"
      [ -z "$doing" ] || show_progress "$doing"
    done
    if [ -t 1 ] && [ "${TERM:-dumb}" != dumb ]; then printf '\r\033[K'; fi
  } || status=$?
  return $status
}

# Readers: each parses a line and sets doing.

read_apt() {
  case $1 in
    *' newly installed, '*)
      if [[ $1 =~ ^([0-9]+)\ upgraded,\ ([0-9]+)\ newly ]]; then
        packages_total=$((BASH_REMATCH[1] + BASH_REMATCH[2])) fetched=0 unpacked=0 set_up=0
      fi
      ;;
    'Need to get '*' of archives.')
      size=${1#Need to get } size=${size% of archives.}
      doing="downloading ${packages_total-} packages, ${size#*/}"
      ;;
    Get:*)
      if [ -z "${packages_total-}" ]; then
        doing="reading the lists of packages"
      else
        read -r _ _ _ _ name _ <<<"$1"
        doing="downloading package $((++fetched)) of $packages_total ($name)"
      fi
      ;;
    'Unpacking '*)
      read -r _ name _ <<<"$1"
      doing="unpacking package $((++unpacked)) of ${packages_total:-?} ($name)"
      ;;
    'Setting up '*)
      read -r _ _ name _ <<<"$1"
      doing="setting up package $((++set_up)) of ${packages_total:-?} ($name)"
      ;;
    'Processing triggers for '*)
      read -r _ _ _ name _ <<<"$1"
      doing="finishing packages ($name)"
      ;;
  esac
}

# Expects NINJA_STATUS="[%f/%t] ". The slowest steps come first, so extrapolating
# the elapsed time overestimates: it is used only once it exceeds the estimate for
# a typical machine. What is told never rises: on a slower one it stands for a while.
read_ninja() {
  [[ $1 =~ ^\[([0-9]+)/([0-9]+)\]\  ]] || return 0
  local done=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]} all=$((SECONDS - began)) rest
  left=
  if [ "$all" -ge 5 ]; then
    [ "$all" -gt "$expected" ] || all=$expected
    rest=$((all * (total - done) / total + 1))
    [ -n "${least-}" ] && [ "$least" -le "$rest" ] || least=$rest
    left=", $(about "$least") left"
  fi
  doing="compiling, $done of $total steps$left"
}

read_pip() {
  case $1 in
    Collecting*)
      read -r _ name _ <<<"$1"
      doing="downloading package $((collected = ${collected:-0} + 1)) of ${#wheels[@]} (${name%%=*})"
      ;;
    *Downloading*\(*\))
      size=${1##*(}
      [ -z "${collected-}" ] || doing="downloading package $collected of ${#wheels[@]} (${name%%=*}, ${size%)})"
      ;;
    'Installing collected packages'*) doing="unpacking ${#wheels[@]} packages" ;;
  esac
}
