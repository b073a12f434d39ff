# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
# shellcheck shell=bash disable=SC2034,SC2120
#
# Sourced by the scripts here. Reads their arguments, [MODEL] [BACKEND] [INPUT [OUTPUT]],
# into $detect, the detector of a pipeline, $options, the same for y10, $input and $output,
# which may be empty; makes elements of these; finds the build; prints and runs a command.
set -euo pipefail

die() { printf '%s: %s\n' "${0##*/}" "${*//[[:cntrl:]]/?}" >&2; exit 1; }

root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)

# Prints a value of a property as gst-launch-1.0 reads it.
value() {
  local text=${1//\\/\\\\}
  [[ $1 =~ ^[A-Za-z0-9_@%+=:,./?\&-]*$ ]] && printf '%s' "$1" || printf '"%s"' "${text//\"/\\\"}"
}

# The script's header is its help.
usage() { sed -n '/^# usage:/,/^# shellcheck/{/^# shellcheck/d;s/^# \{0,1\}//p}' "$0"; }

for argument; do
  case $argument in
    -h | --help) usage; exit 0 ;;
    -*) die "unknown option $argument; see --help; for a file, write ./$argument" ;;
  esac
done
detect=(yolov10detect) options=()
case ${1-} in *.safetensors | *.pt | *.pth | *.onnx)
  detect+=("model-file=$(value "$1")") options+=(--model "$1")
  shift
  ;;
esac
case ${1-} in auto | cpu | ref | cuda)
  detect+=("backend=$1") options+=(--backend "$1")
  shift
  ;;
esac
[ $# -le 2 ] || { usage >&2; die "too many arguments"; }
input=${1-} output=${2-} live=no

is_picture() { [[ ${1,,} == *.@(png|jpg|jpeg|gif|tif|tiff|webp|bmp) ]]; }

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

# Sets $source to the elements that open $1, a picture, video, camera or URI; without it to
# $2 frames of the scene, $3 a second. $live tells whether it sends in real time.
take_input() {
  local name
  name=$(value "$1")
  live=no
  case $1 in
    '') take_scene "$2" "$3"; return ;;
    # TCP loses no packets; the default latency of 2 s is for worse networks.
    rtsp://* | rtsps://*)
      source=(rtspsrc "location=$name" protocols=tcp latency=200 ! "application/x-rtp,media=video" ! decodebin)
      live=yes
      ;;
    file:* | http*://*) source=(uridecodebin "uri=$name") ;;
    *://*) source=(uridecodebin "uri=$name") live=yes ;;
    /dev/*) source=(v4l2src "device=$name" ! decodebin) live=yes ;;
    *)
      source=(filesrc "location=$name" ! decodebin ! queue)
      # Decode to RGB: a JPEG decoder that outputs 4:2:0 costs accuracy.
      ! is_picture "$1" || source=(filesrc "location=$name" ! gdkpixbufdec)
      ;;
  esac
  source+=(! videoconvert)
}

# H.264 in 4:2:0, which every player supports, has even sizes only.
even=(videoconvertscale
  ! "video/x-raw,format={I420,NV12},width=[2,16384,2],height=[2,16384,2]")

# Sets $sink to the elements that write $output or show a window, the default if there is
# a display; else the default is $1. A window shows live frames as they arrive.
take_output() {
  [ -n "$output" ] || [ -z "${DISPLAY-}${WAYLAND_DISPLAY-}" ] || output=window
  output=${output:-${1-}}
  [ ! "$output" -ef "$input" ] || die "the output would overwrite the input $input"
  sink=(queue ! "${even[@]}" ! x264enc speed-preset=veryfast pass=qual quantizer=20)
  case $output in
    window)
      sink=(videoconvert ! autovideosink)
      [ $live = no ] || sink+=(sync=false)
      return
      ;;
    *.png) sink=(videoconvert ! pngenc) ;;
    *.jpg | *.jpeg) sink=(videoconvert ! jpegenc quality=95) ;;
    *.mp4) sink+=(! mp4mux) ;;
    *.mkv) sink+=(! matroskamux) ;;
    *) die "the output is $output; expected .mp4 or .mkv for a video, .png or .jpg for a picture" ;;
  esac
  sink+=(! filesink "location=$(value "$output")")
}

# Sets $y10, and lets GStreamer find the plugin. In a clone, installs packages and builds if
# necessary, with an option for tools/setup.sh. Y10_BUILD selects another build folder,
# which is not updated. Scripts that were installed use what is installed.
prepare() {
  y10=y10
  if [ -n "${Y10_BUILD-}" ] || [ -x "$root/tools/setup.sh" ]; then
    [ -n "${Y10_BUILD-}" ] || "$root/tools/setup.sh" "$@" >&2
    y10=${Y10_BUILD:=$root/build}/tools/y10
    export GST_PLUGIN_PATH=$Y10_BUILD/gst${GST_PLUGIN_PATH:+:$GST_PLUGIN_PATH}
  else
    # Python must leave nothing here that an uninstallation does not know of.
    export PYTHONDONTWRITEBYTECODE=1
  fi
}

# Prints a command, which can be pasted into a shell, and runs it.
run() {
  local word
  for word in ${GST_PLUGIN_PATH:+"GST_PLUGIN_PATH=${GST_PLUGIN_PATH%%:*}"} "$@"; do
    [ "$word" != ! ] || printf '\\\n  '
    [[ $word =~ ^([A-Za-z0-9_@%+=:,./-]+|!)$ ]] || word=${word@Q}
    printf '%s ' "$word"
  done >&2
  printf '\n\n' >&2
  "$@"
}

# Draws the objects in $input, a picture, a video or a folder, by y10, which keeps the sound,
# turns everything upright and names what is damaged. Further arguments are options of it.
draw() {
  local end=mp4 name=${input##*/}
  ! is_picture "$input" || end=png
  [ ! -d "$input" ] || end=
  run "$y10" detect "${options[@]}" "$@" --format summary \
    --draw "${output:-${name%.*}-yolov10${end:+.$end}}" "$input"
}

# Makes a clip of the scene with a tone, $1 seconds long, and sets $input to its name, $2.
take_clip() {
  input=$2 live=no
  take_scene $(($1 * 30)) 30
  gst-launch-1.0 -q "${source[@]}" ! x264enc speed-preset=veryfast ! mp4mux name=clip ! filesink "location=$2" \
    audiotestsrc num-buffers=$(($1 * 43)) ! audioconvert ! avenc_aac ! clip. >&2
}

# Serves elements by RTSP, of which these are the last ones.
serve=(/usr/bin/python3 "$root/pipelines/rtsp_server.py")
payload=(! "${even[@]}" ! x264enc tune=zerolatency speed-preset=veryfast key-int-max=30
  ! rtph264pay name=pay0 config-interval=-1)

# Without an input, starts a test camera that films the scene for three seconds.
take_camera() {
  if [ -z "$input" ]; then
    live=yes
    take_scene 90 30
    # Only the script handles Ctrl-C; it stops the camera when it has finished.
    exec {camera}< <(trap '' INT; exec "${serve[@]}" rtsp://127.0.0.1:0/camera "${source[@]}" "${payload[@]}")
    # shellcheck disable=SC2064 # this camera
    trap "kill $! 2>/dev/null || :" EXIT
    read -r _ input <&"$camera" || die "the test camera did not start"
    echo "no INPUT given; using a test camera: $input" >&2
  fi
  take_input "$input"
}
