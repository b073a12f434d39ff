# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
# shellcheck shell=bash disable=SC2034
#
# Common functions, sourced by the scripts here. All scripts have the same
# arguments, [MODEL] [BACKEND] [INPUT [OUTPUT]]: a first argument that ends in
# .safetensors, .pt, .pth or .onnx is the model; auto, cpu, ref or cuda is the backend.
set -euo pipefail

# Prints a name with control characters escaped, so that it is safe for a terminal.
visible() {
  local text=$* code
  while [[ $text =~ [[:cntrl:]] ]]; do
    printf -v code '\\x%02x' "'${BASH_REMATCH[0]}"
    text=${text//"${BASH_REMATCH[0]}"/"$code"}
  done
  printf '%s' "$text"
}

die() { printf '%s: %s\n' "$(visible "${0##*/}")" "$(visible "$*")" >&2; exit 1; }

absolute() { realpath -ms -- "$1"; }

root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)

# Prints the picture format according to the file's first bytes; nothing for videos.
picture_kind() {
  case $(head -c 12 -- "$1" | od -An -v -tx1 | tr -d ' \n') in
    89504e470d0a1a0a*) echo png ;;
    ffd8ff*) echo jpeg ;;
    474946383[79]61*) echo gif ;;
    49492a00* | 4d4d002a*) echo tiff ;;
    52494646????????57454250) echo webp ;;
    424d*) echo bmp ;;
  esac
}

# Prints the script's header comment, starting with the usage.
usage() { sed -n '/^# usage:/,/^# shellcheck/{/^# shellcheck/d;s/^# \{0,1\}//p}' "$0"; }

# Prints a value of a property as gst-launch-1.0 reads it.
value() {
  local text=${1//\\/\\\\}
  [[ $1 =~ ^[A-Za-z0-9_@%+=:,./?\&-]*$ ]] && printf '%s' "$1" || printf '"%s"' "${text//\"/\\\"}"
}

# Sets $detect to the detector and $options to the same for y10, with the model and
# backend at the start of the arguments, and $taken to the number of arguments used.
detect=(yolov10detect) options=() taken=0
take_detector() {
  if [[ ${1-} == *.@(safetensors|pt|pth|onnx) ]]; then
    detect+=("model-file=$(value "$(absolute "$1")")") options+=(--model "$(absolute "$1")")
    [ -e "$1" ] || die "the model '$1' does not exist"
    taken=1
    shift
  else
    case ${1-} in
      *.engine | *.torchscript | *.tflite | *.h5 | *.ckpt)
        die "the model '$1' has an unsupported format; expected .safetensors, .pt or .onnx;" \
          "see docs/models.md"
        ;;
    esac
  fi
  case ${1-} in
    auto | cpu | ref | cuda)
      detect+=("backend=$1") options+=(--backend "$1") taken=$((taken + 1))
      ;;
  esac
}

# Parses a script's arguments into $detect and $options, and $given and $output, which
# may be empty.
take_arguments() {
  case ${1-} in
    -h | --help) usage; exit 0 ;;
  esac
  local argument
  for argument; do
    [[ $argument != -* ]] \
      || die "unknown option '$argument'; see --help; for a file, write ./$argument"
  done
  take_detector "$@"
  shift "$taken"
  [ $# -le 2 ] || { usage >&2; die "too many arguments"; }
  given=${1-} output=${2-}
}

# Generates frames without a file: still codes and a moving ball, 960x540. $1 is the
# number of frames, $2 the frame rate; live=yes sends them in real time.
take_scene() {
  local pace=()
  [ "$live" = no ] || pace=(is-live=true)
  source=(videotestsrc "num-buffers=$1" pattern=ball "${pace[@]}"
    ! "video/x-raw,format=I420,width=160,height=270,framerate=$2/1"
    ! videoscale ! "video/x-raw,width=320,height=540" ! videobox left=-640
    ! gdkpixbufoverlay "location=$(value "$root/pipelines/codes.png")")
  # The ball and the markers are too small for the bundled model's default of 416.
  [[ ${detect[*]} == *model-file=* || ${detect[*]} == *input-size=* ]] \
    || detect+=(input-size=640) options+=(--size 640)
}

# Checks a file and sets $input, and $kind to picture or video.
take_file() {
  input=$(absolute "$1") kind=video
  [ -e "$input" ] || die "the input '$1' does not exist"
  if [ ! -f "$input" ] || [ ! -r "$input" ]; then die "the input '$1' is not a readable file"; fi
  [ -z "$(picture_kind "$input")" ] || kind=picture
}

# Opens $1, a picture, video, camera or URI. Sets $source to the elements, $kind to
# picture or video, and $live to yes for a source in real time.
live=no
take_input() {
  kind=video live=no
  case $1 in
    # TCP loses no packets; the default latency of 2 s is for worse networks.
    rtsp://* | rtsps://*)
      source=(rtspsrc "location=$(value "$1")" protocols=tcp latency=200
        ! "application/x-rtp,media=video" ! decodebin)
      live=yes
      ;;
    *://*)
      source=(uridecodebin "uri=$(value "$1")")
      case $1 in file:* | http*) ;; *) live=yes ;; esac
      ;;
    /dev/*)
      [ -c "$1" ] || die "there is no camera $1; expected a picture, video, camera or URI"
      [ -r "$1" ] || die "no permission to read the camera $1"
      source=(v4l2src "device=$(value "$1")" ! decodebin) live=yes
      ;;
    *)
      take_file "$1"
      # Decode to RGB: a JPEG decoder that outputs 4:2:0 costs accuracy.
      source=(filesrc "location=$(value "$input")" ! gdkpixbufdec)
      [ "$kind" = picture ] || source=(filesrc "location=$(value "$input")" ! decodebin ! queue)
      ;;
  esac
  source+=(! videoconvert)
}

# Makes a three-second clip of the scene with a tone, for scripts that need a file.
make_clip() {
  local live=no source
  take_scene 90 30
  gst-launch-1.0 -q "${source[@]}" ! x264enc speed-preset=veryfast ! mp4mux name=clip \
    ! filesink "location=$(value "$1")" audiotestsrc num-buffers=129 ! audioconvert ! avenc_aac ! clip. \
    >&2 || die "cannot make the test video $1"
}

# H.264 in 4:2:0, which every player supports, has even sizes only.
even=(videoconvertscale
  ! "video/x-raw,format={I420,NV12},width=[2,16384,2],height=[2,16384,2]")

# Checks the output file and sets $output to its absolute name.
check_output() {
  output=$(absolute "$1")
  [ ! "$output" -ef "${input-}" ] || die "the output would overwrite the input '$input'"
  [ -d "$(dirname "$output")" ] || die "the output folder $(dirname "$output") does not exist"
  case $kind:${output,,} in
    picture:*.png | picture:*.jpg | picture:*.jpeg | video:*.mp4 | video:*.mkv) ;;
    picture:*) die "the output is '$(basename "$output")'; expected .png or .jpg for a picture" ;;
    *) die "the output is '$(basename "$output")'; expected .mp4 or .mkv for a video" ;;
  esac
}

# Like check_output, and sets $sink to the elements that write it.
take_output() {
  check_output "$1"
  case ${output,,} in
    *.png) sink=(videoconvert ! pngenc) ;;
    *.jpg | *.jpeg) sink=(videoconvert ! jpegenc quality=95) ;;
    *)
      sink=(queue ! "${even[@]}" ! x264enc speed-preset=veryfast pass=qual quantizer=20)
      case ${output,,} in *.mp4) sink+=(! mp4mux) ;; *) sink+=(! matroskamux) ;; esac
      ;;
  esac
  sink+=(! filesink "location=$(value "$output")")
}

# Like take_output, but also accepts "window", the default if there is a display;
# otherwise the default is $2. A window shows live frames as they arrive.
take_output_or_window() {
  local wanted=$1
  if [ -z "$wanted" ] && [ -n "${DISPLAY-}${WAYLAND_DISPLAY-}" ]; then wanted=window; fi
  if [ "$wanted" != window ]; then
    take_output "${wanted:-$2}"
    return
  fi
  output=
  sink=(videoconvert ! autovideosink)
  [ "$live" = no ] || sink+=(sync=false)
}

# Sets $y10, and lets GStreamer find the plugin. In a clone, installs packages and
# builds if necessary; "extra=--codes prepare" passes an option to tools/setup.sh.
# Y10_BUILD selects another build folder, which is not updated. Scripts that were
# installed use what is installed.
prepare() {
  local build=${Y10_BUILD-}
  if [ -z "$build" ] && [ -x "$root/tools/setup.sh" ]; then
    build=$root/build
    "$root/tools/setup.sh" ${extra:+"$extra"} >&2
    echo >&2
  fi
  y10=y10
  if [ -n "$build" ]; then
    y10=$build/tools/y10
    export GST_PLUGIN_PATH=$build/gst${GST_PLUGIN_PATH:+:$GST_PLUGIN_PATH}
  else
    # Python must leave nothing here that an uninstallation does not know of.
    export PYTHONDONTWRITEBYTECODE=1
    command -v gst-inspect-1.0 >/dev/null \
      || die "gst-inspect-1.0 is missing (Debian: sudo apt-get install gstreamer1.0-tools)"
    # --exists would compare the plugin's version with GStreamer's.
    gst-inspect-1.0 yolov10detect >/dev/null 2>&1 \
      || die "GStreamer finds no yolov10detect; if the plugin is in a folder of its own, set GST_PLUGIN_PATH"
  fi
}

# Prints a word as the shell reads it.
word() {
  [[ $1 =~ ^([A-Za-z0-9_@%+=:,./-]+|!)$ ]] && printf '%s' "$1" || printf '%s' "${1@Q}"
}

# Prints a pipeline as a gst-launch-1.0 command, which can be pasted into a shell.
show_pipeline() {
  local word before=!
  [ -z "${GST_PLUGIN_PATH-}" ] || printf 'GST_PLUGIN_PATH=%s ' "$(word "${GST_PLUGIN_PATH%%:*}")"
  printf 'gst-launch-1.0 -e'
  for word; do
    # Every element gets a line; one without "!" before it starts another branch.
    if [ "$before" = ! ] || [[ $word != ! && $word != *=* ]]; then printf ' \\\n   '; fi
    printf ' %s' "$(word "$word")"
    before=$word
  done
  printf '\n\n'
}

# Makes one line of each error of gst-launch-1.0. Ctrl-C is for that, not for this.
short_errors() (
  trap '' INT
  exec sed -uE '
    /^ERROR: from element /{
      N;N;N
      s/\nERROR: .*|\nSetting pipeline .*//
      s/^ERROR: from element [^ ]*:([^ :]*): (.*)\nAdditional debug info:\n[^\n]*\n?/error: \1: \2 /
      s/.*not-linked.*/error: no video was found in the input/
      s/\n/ /g
      s/^error: ([^ :]*[^ :0-9])[0-9]+: (.*[^ ]) *$/error: \1: \2/
    }
    /^ERROR: pipeline doesn.t want to preroll/d'
)

# Prints the pipeline as a gst-launch-1.0 command and runs it.
launch() {
  show_pipeline "$@"
  { LANGUAGE=en gst-launch-1.0 -e "$@" 2>&1 >&3 3>&- | short_errors >&2 3>&-; } 3>&1 \
    || die "no usable output was written"
}

# The same, and reports what the detector found, and how fast.
report() {
  local with=()
  [ "$1" != --stats ] || { with=(--stats); shift; }
  show_pipeline "$@"
  /usr/bin/python3 "$root/pipelines/report.py" "${with[@]}" "$@" || die "no usable output was written"
}

# Follows objects, and prints the events $1 of the zones $2; further arguments are
# properties of yolov10zones.
watch() {
  local zones=("zones=$(value "$2")" "${@:3}")
  [ -z "${CLASSES-}" ] || zones+=("classes=$(value "$CLASSES")")
  set -- "$1" "${source[@]}" ! "${detect[@]}" ! yolov10track ! yolov10zones "${zones[@]}" \
    ! yolov10overlay ! "${sink[@]}"
  show_pipeline "${@:2}"
  /usr/bin/python3 "$root/pipelines/events.py" --only "$@" || die "no usable output was written"
}

# Draws the objects in $input, a picture, a video or a folder, into $output. Keeps the
# sound of a video, turns everything upright and names what is damaged.
damaged=no interrupted=no
draw() {
  local status=0 before
  # What an earlier run has written does not count.
  before=$(stat -c %y -- "$output" 2>/dev/null || :)
  command -v "$y10" >/dev/null || die "the command y10 is missing; install it, too"
  set -- detect "${options[@]}" "$@" --format summary --draw "$output" "$input"
  printf '%s' "$(word "$y10")"
  for argument; do printf ' %s' "$(word "$argument")"; done
  printf '\n\n'
  "$y10" "$@" || status=$?
  case $status in
    0) ;;
    1) damaged=yes ;;
    130) interrupted=yes ;;
    *) die "no usable output was written" ;;
  esac
  if [ -d "$output" ]; then
    rmdir --ignore-fail-on-non-empty -- "$output"
  elif [ -e "$output" ] && [ "$(stat -c %y -- "$output")" = "$before" ]; then
    die "no usable output was written"
  fi
  [ -s "$output" ] || die "no usable output was written"
}

# Ends a script: prints the names of the outputs, and fails if an input was damaged.
written() {
  local file
  for file; do
    [ -s "$file" ] || die "nothing was written to $file"
    echo "written to $(visible "$file")"
  done
  [ "$interrupted" = no ] || exit 130
  [ "$damaged" = no ] || exit 1
}

# Serves the elements by RTSP at the address $1 until the script ends.
serve() {
  /usr/bin/python3 "$root/pipelines/rtsp_server.py" "$1" "${@:2}" "${payload[@]}"
}
payload=(! "${even[@]}" ! x264enc tune=zerolatency speed-preset=veryfast key-int-max=30
  ! rtph264pay name=pay0 config-interval=-1)

# Starts a test camera that films the scene for three seconds; sets $given to its URI.
serve_scene() {
  local live=yes source
  take_scene 90 30
  # Only the script handles Ctrl-C; it stops the camera when it has finished.
  exec {camera}< <(trap '' INT; serve rtsp://127.0.0.1:0/camera "${source[@]}")
  # shellcheck disable=SC2064 # this camera
  trap "kill $! 2>/dev/null || :" EXIT
  read -r _ given <&"$camera" || die "the test camera did not start"
  echo "no INPUT given; using a test camera: $given"
}
