#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Downloads official YOLOv10 weights, which are not part of this project. FILE
# is always a complete file that the engine has read; until then the download is
# FILE.part, which the next run continues.
set -euo pipefail

usage() {
  cat <<'END'
usage: models/fetch.sh [--again] [--pt] [--sha256 HASH] VARIANT [FILE]

Downloads the official YOLOv10 weights, trained on COCO's 80 classes, from the
Hugging Face Hub, checks them with this project's engine and writes the names
of the classes into them. They are under the AGPL-3.0.

  VARIANT  n, s, m, b, l or x
  FILE     the output; by default yolov10VARIANT.safetensors in this directory,
           with --pt yolov10VARIANT.pt
  --pt     download the authors' checkpoint from their release v1.1 on GitHub
           instead; it has the names already and stays unchanged
  --again  download even if FILE exists; only valid weights replace it
  --sha256 HASH
           accept only a download with this sha256, regardless of other hashes

The same command continues an interrupted download. A download is accepted if
its sha256 equals the one that the server announces, the one that the Hub
published (known for s, m and b) and that of the first download, which is kept
in FILE.sha256, as far as these are known. Needs curl, and y10: that in
Y10_BUILD=DIR if this is in the environment, else that in build/ or in PATH; if
a clone has none, tools/setup.sh builds it first. Y10_FETCH_URL selects a mirror instead of
https://huggingface.co/jameslahm, or with --pt instead of
https://github.com/THU-MIG/yolov10/releases/download/v1.1.
END
}

die() { printf 'fetch.sh: %s\n' "$*" >&2; exit 1; }
wrong_usage() { usage >&2; printf 'fetch.sh: %s\n' "$*" >&2; exit 2; }
say() { printf '%s\n' "$*"; }

again=no checkpoint=no wanted='' arguments=()
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --again) again=yes ;;
    --pt) checkpoint=yes ;;
    --sha256 | --sha256=*)
      [[ $1 = *=* ]] || { [ $# -gt 1 ] || wrong_usage "--sha256 wants a HASH"; set -- "--sha256=$2" "${@:3}"; }
      wanted=${1#*=} wanted=${wanted,,}
      [[ $wanted =~ ^[0-9a-f]{64}$ ]] \
        || wrong_usage "'${1#*=}' is no sha256; expected 64 hexadecimal digits"
      ;;
    -*) wrong_usage "unknown option '$1'" ;;
    *) arguments+=("$1") ;;
  esac
  shift
done
case ${#arguments[@]} in
  0) wrong_usage "which VARIANT?" ;;
  1 | 2) ;;
  *) wrong_usage "too many arguments" ;;
esac
case ${arguments[0]} in
  [nsmblx]) name=yolov10${arguments[0]} ;;
  *) wrong_usage "there is no variant '${arguments[0]}'; there are n, s, m, b, l and x" ;;
esac
# From the Hub's page of each file, for the files of June 2024.
declare -A published_hashes=(
  [s]=fed9933de8736a90a7a63f088504247018e15219b20bc414702e1ee7d61468e2
  [m]=b0cd8cac01f6a13f1c7d2accdcfa0c0575a4b5eed9b39870b969f2a3c28e8f95
  [b]=afc8175e8731cc30f8ba66fce86d022ef21345973cdfa7d0f16e9d5463cc092d
)
# There is no published hash of the checkpoints.
published=''
[ $checkpoint = yes ] || published=${published_hashes[${arguments[0]}]-}

root=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)
suffix=safetensors base=https://huggingface.co/jameslahm path=$name/resolve/main/model.safetensors
if [ $checkpoint = yes ]; then
  suffix=pt base=https://github.com/THU-MIG/yolov10/releases/download/v1.1 path=$name.pt
fi
file=$(realpath -ms -- "${arguments[1]:-$name.$suffix}")
# Files beside FILE: the partial download; its HTTP headers; the download with
# names.
part=$file.part headers=$file.part.headers named=$file.part.named
base=${Y10_FETCH_URL:-$base}
url=${base%/}/$path
pause=${Y10_FETCH_WAIT:-2}  # seconds before the first retry; tests set less
n_classes=80 max_failures=5 max_restarts=5 restarts=0

size_of() { stat -Lc %s -- "$1" 2>/dev/null || echo 0; }
sha256_of() { sha256sum <"$1" | cut -d' ' -f1; }

# Parses the headers in file $1: sets code, total (bytes of the whole file) and
# etag, empty if missing. Only the last response counts, after all redirections,
# except for announced: when the Hub redirects to the storage server, its
# x-linked-etag is the file's sha256.
read_headers() {
  local line key value
  code='' total='' etag='' announced=''
  [ -e "$1" ] || return 0
  while IFS= read -r line || [ -n "$line" ]; do
    line=${line%$'\r'} key=${line%%:*} value=${line#*:}
    value=${value#"${value%%[! ]*}"}
    case ${key,,} in
      http/*) line=${line#* } code=${line%% *} total='' etag='' ;;
      etag) etag=$value ;;
      x-linked-etag)
        value=${value#\"} value=${value%\"}
        [[ ! $value =~ ^[0-9a-f]{64}$ ]] || announced=$value
        ;;
      content-length) [ "$code" != 200 ] || total=$value ;;
      content-range) total=${value##*/} ;;
    esac
  done <"$1"
  [[ $total =~ ^[0-9]{1,15}$ ]] && total=$((10#$total)) || total=''
}

start_over() {
  restarts=$((restarts + 1))
  [ $restarts -lt $max_restarts ] || die "$url: $1, $max_restarts times"
  say "$1; restarting from the beginning"
  : >"$part"
  rm -f "$headers"
}

# Prints curl's progress bar without curl's error messages, which this script
# prints itself, once.
show_progress() {
  local piece drawn=no
  while IFS= read -r -d $'\r' piece || [[ $piece = *%* && $piece != *curl:* ]]; do
    [ -z "$piece" ] || { printf '\r%s' "${piece%%$'\n'*}"; drawn=yes; }
  done
  [ $drawn = no ] || echo
}

# Requests the missing rest of the part, once. Sets status (curl's), message,
# code, total, etag and announced; have and now are the bytes before and after.
ask() {
  local protocols='=http,https' progress=-s answer=$headers
  [[ $base != https:* ]] || protocols='=https'
  [ ! -t 2 ] || progress=--progress-bar
  have=$(size_of "$part") status=0
  # Keeps the headers of the part's beginning, to compare later ones with.
  [ "$have" = 0 ] || answer=$scratch
  rm -f "$answer"
  message=$(curl "$progress" --fail --location --proto "$protocols" --proto-redir "$protocols" \
    --connect-timeout 20 --speed-limit 1 --speed-time 60 --continue-at "$have" \
    --dump-header "$answer" --output "$part" --write-out '%{errormsg}' "$url" \
    2> >(show_progress >&2)) || status=$?
  now=$(size_of "$part")
  read_headers "$answer"
}

# Whether the current headers belong to another file than the part's beginning.
is_another() {
  local new_total=$total new_etag=$etag new_announced=$announced answer=$code result=1
  [ "$have" != 0 ] && [[ $code = 200 || $code = 206 || $code = 416 ]] || return 1
  read_headers "$headers"
  if [ -n "$etag" ] && [ -n "$new_etag" ] && [ "$etag" != "$new_etag" ]; then result=0; fi
  if [ -n "$total" ] && [ -n "$new_total" ] && [ "$total" != "$new_total" ]; then result=0; fi
  if [ -n "$announced" ] && [ -n "$new_announced" ] && [ "$announced" != "$new_announced" ]; then
    result=0
  fi
  total=$new_total etag=$new_etag announced=${new_announced:-$announced} code=$answer
  return $result
}

download() {
  local failures=0 came=no of=''
  while :; do
    ask
    if is_another; then
      start_over "the server has another file now than the one that $part began with"
      continue
    fi
    if [ -n "$total" ] && [ "$now" -gt "$total" ]; then
      rm -f "$part" "$headers"
      die "$url: $part has $now bytes, but the server announced $total; it was removed"
    fi
    [ -z "$total" ] || of=" of $total"
    if [ "$now" -gt "$have" ]; then came=yes failures=0; else failures=$((failures + 1)); fi

    case $status:$code in
      0:416 | 22:416)
        [ "$now" != "$total" ] || return 0
        start_over "the server does not continue at byte $have"
        continue
        ;;
      0:*) [ -n "$total" ] && [ "$now" -lt "$total" ] || return 0 ;;
      33:* | 36:*) start_over "the server cannot continue a download"; continue ;;
      22:404 | 22:410) die "$url: there is no such file on the server ($code)" ;;
      22:408 | 22:429 | 22:5*) message="the server answers $code" ;;
      22:*) die "$url: the server refuses (${code:-no answer})" ;;
      23:*) die "cannot write $part after $now$of bytes: is the disk full?" ;;
      [567]:*)
        [ $came = yes ] \
          || die "no way to $base ($message). Is there a network? Run the same command later to continue"
        ;;
      18:* | 28:* | 35:* | 52:* | 55:* | 56:* | 92:*) ;;
      *) [ "$status" -lt 128 ] || die "stopped; run the same command to continue"
        die "$url: $message (curl $status)" ;;
    esac
    if [ $failures -ge $max_failures ]; then
      message="${message:-nothing came} ($max_failures times in a row)"
      die "$url: $message. $now$of bytes are there; run the same command to continue"
    fi
    [ "$now" = 0 ] || say "interrupted after $now$of bytes; continuing"
    sleep "$((pause * failures))"
  done
}

# Prints "VARIANT CLASSES" of a weights file, or the engine's error; the
# smallest input is enough to check every shape.
inspect() {
  local json
  json=$("$y10" info --json --backend ref --size 64 "$1" 2>"$scratch") \
    || { json=$(sed 's/^y10: //; q' "$scratch"); echo "${json:-y10 cannot read $1}"; return 1; }
  "$python" -c 'import json, sys
info = json.load(sys.stdin)
print(info["variant"], len(info["classes"]))' <<<"$json"
}

# Prints why file $1 is not the requested weights, or nothing if it is.
complaint() {
  local found expected="expected $name with $n_classes classes"
  if found=$(inspect "$1"); then
    [ "$found" = "$name $n_classes" ] \
      || printf '%s' "$1 holds ${found% *} with ${found##* } classes; $expected"
  elif head -c 512 -- "$1" | grep -aiqE '<!doctype html|<html'; then
    printf '%s' "$1 is a web page; $expected"
  else
    printf '%s' "$found; $expected"
  fi
}

# Prints the hash of this variant's first download, if FILE.sha256 has it.
first_hash() {
  [ ! -e "$file.sha256" ] \
    || sed -nE "s/^# $name was downloaded as ([0-9a-f]{64})\$/\\1/p" "$file.sha256"
}

say "The official YOLOv10 weights are the work of THU-MIG, published by jameslahm, under the
AGPL-3.0 (https://www.gnu.org/licenses/agpl-3.0.html). They are not part of this
project. Users of the weights, or of works based on them, must comply with that licence.
"
[ ! -d "$file" ] || die "$file is a directory; expected a file's name"
[ -d "$(dirname "$file")" ] || die "there is no directory $(dirname "$file") to write to"

y10=${Y10_BUILD:-$root/build}/tools/y10
if [ -z "${Y10_BUILD-}" ] && [ ! -x "$y10" ]; then
  if [ -x "$root/tools/setup.sh" ] && ! y10 --version >/dev/null 2>&1; then
    "$root/tools/setup.sh"
  else
    y10=y10
  fi
fi
command -v "$y10" >/dev/null || die "there is no $y10, which checks the weights"
python=/usr/bin/python3
[ -x $python ] || python=$(command -v python3) \
  || die "python3 is missing (Debian: sudo apt-get install python3)"

scratch=$(mktemp)
trap 'rm -f "$scratch"' EXIT

if [ -e "$file" ] && [ $again = no ]; then
  problem=$(complaint "$file")
  first=$(first_hash)
  if [ -z "$problem" ] && [ -n "$wanted" ]; then
    if [ "$first" != "$wanted" ]; then
      problem="$file was downloaded with ${first:-an unrecorded sha256}; expected $wanted"
    elif ! (cd "$(dirname "$file")" && sha256sum --quiet --status -c "$file.sha256"); then
      problem="$file is not the file that $file.sha256 describes"
    fi
  fi
  [ -z "$problem" ] \
    || die "$problem. It stays as it is: name another FILE, or replace it with --again"
  say "$file is there already: $name with $n_classes classes. Nothing was downloaded"
  exit 0
fi
command -v curl >/dev/null || die "curl is missing (Debian: sudo apt-get install curl)"

(: >>"$part") 2>/dev/null || die "cannot write $part"
exec {lock}<"$part"
flock -n "$lock" || die "$part is being downloaded already"
trap 'rm -f "$scratch" "$named" "$named.sha256"; [ -s "$part" ] || rm -f "$part" "$headers"' EXIT
trap 'die "stopped; run the same command to continue"' INT TERM

have=$(size_of "$part")
if [ "$have" = 0 ]; then say "downloading $url"; else say "downloading $url from byte $have on"; fi
download

problem=$(complaint "$part")
if [ -n "$problem" ]; then
  rm -f "$part" "$headers"
  die "$url: $problem. It was removed"
fi
hash=$(sha256_of "$part") first=$(first_hash)
if [ -n "$announced" ] && [ "$announced" != "$hash" ]; then
  rm -f "$part" "$headers"
  die "$url: $part has sha256 $hash; the server announced $announced. It was removed"
fi
if [ -n "$wanted" ]; then
  if [ "$wanted" != "$hash" ]; then
    message="$part has sha256 $hash; expected $wanted (--sha256)"
    die "$message. To download again remove $part; then run this again"
  fi
elif [ -n "$published" ] && [ "$published" != "$hash" ]; then
  message="$part has sha256 $hash; the Hub published $published for $name. To accept it"
  die "$message run this again with --sha256 $hash, to download again remove $part first"
elif [ -n "$first" ] && [ "$first" != "$hash" ]; then
  message="$part has sha256 $hash; the first download of $name had $first. To accept it"
  die "$message remove $file.sha256, to download again remove $part; then run this again"
fi
status=0
if [ $checkpoint = yes ]; then
  ln -f "$part" "$named" 2>"$scratch" || cp "$part" "$named" 2>"$scratch" || status=2
else
  "$python" "$root/models/name_classes.py" "$part" "$root/models/coco.names" "$named" \
    2>"$scratch" || status=$?
fi
problem=$(sed 's/^name_classes.py: //' "$scratch")
case $status in
  0) ;;
  1)
    rm -f "$part" "$headers"
    die "$url: $problem. It was removed"
    ;;
  *) die "$problem. What was downloaded stays in $part" ;;
esac
# Written before FILE: after an interruption in between, only this part is
# repeated.
if ! printf '# %s was downloaded as %s\n%s  %s\n' "$name" "$hash" "$(sha256_of "$named")" \
  "$(basename "$file")" >"$named.sha256" || ! mv -f "$named.sha256" "$file.sha256"; then
  die "cannot write $file.sha256"
fi
mv -f "$named" "$file" || die "cannot write $file"
rm -f "$part" "$headers"
known=()
[ -z "$wanted" ] || known+=("--sha256 asks for")
[ "$published" != "$hash" ] || known+=("the Hub published for $name")
[ -z "$announced" ] || known+=("the server announced")
[ "$first" != "$hash" ] || known+=("the first download had: it is the same as the first")
if [ ${#known[@]} -gt 0 ]; then
  say "The download has the sha256 that"
  printf -- '- %s\n' "${known[@]}"
else
  say "This is the first download of $name, with nothing to compare it with."
fi
say "Its sha256,
$hash,
is kept in $file.sha256 for the next one."
say "written to $file: $name with $n_classes classes and their names"
