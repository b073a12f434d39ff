# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
# shellcheck shell=bash disable=SC2034
#
# What the scripts here share; sourced by them. All take the same arguments in the
# same order, [MODEL] [BACKEND] [INPUT [OUTPUT]]: a first argument that ends in
# .safetensors, .pt, .pth or .onnx is the model, and auto, cpu, ref or cuda the backend.
set -euo pipefail

# What may be printed of a name: no byte that a terminal takes for a command.
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

# Which picture format the file's first bytes announce; nothing for videos.
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

# Whether a file's name says that it is a picture, whatever is in it.
named_as_picture() {
  case ${1,,} in
    *.jpg | *.jpeg | *.png | *.gif | *.bmp | *.tif | *.tiff | *.webp) ;;
    *) return 1 ;;
  esac
}

# The comment on top of the script, from its usage on.
usage() { sed -n '/^# usage:/,/^# shellcheck/{/^# shellcheck/d;s/^# \{0,1\}//p}' "$0"; }

# $detect is the detector, with the model and the backend that the arguments begin
# with, and $taken how many of them these were.
detect=(yolov10detect) taken=0
take_detector() {
  if [[ ${1-} == *.@(safetensors|pt|pth|onnx) ]]; then
    detect+=("model-file=$(absolute "$1")")
    [ -e "$1" ] || die "there is no model '$1'"
    taken=1
    shift
  else
    case ${1-} in
      *.engine | *.torchscript | *.tflite | *.h5 | *.ckpt)
        die "the model '$1' has a format that cannot be read; expected .safetensors, .pt or .onnx;" \
          "see docs/models.md"
        ;;
    esac
  fi
  case ${1-} in
    auto | cpu | ref | cuda) detect+=("backend=$1") taken=$((taken + 1)) ;;
  esac
}

# All of a script's arguments: $detect, and $given and $output, which may be empty.
take_arguments() {
  case ${1-} in
    -h | --help) usage; exit 0 ;;
  esac
  local argument
  for argument; do
    [[ $argument != -* ]] \
      || die "unknown option '$argument'; --help says what there is, and a file is ./$argument"
  done
  take_detector "$@"
  shift "$taken"
  [ $# -le 2 ] || { usage >&2; die "too many arguments"; }
  given=${1-} output=${2-}
}

# Frames without a file: codes that stand still and a ball that moves, 960x540.
# $1 is how many, $2 how many a second; live=yes gives them at their own pace.
take_scene() {
  local pace=()
  [ "$live" = no ] || pace=(is-live=true)
  source=(videotestsrc "num-buffers=$1" pattern=ball "${pace[@]}"
    ! "video/x-raw,format=I420,width=160,height=270,framerate=$2/1"
    ! videoscale ! "video/x-raw,width=320,height=540" ! videobox left=-640
    ! gdkpixbufoverlay "location=$root/pipelines/codes.png")
  # At the bundled model's own 416 pixels the ball and the markers are too small.
  [[ ${detect[*]} == *model-file=* || ${detect[*]} == *input-size=* ]] || detect+=(input-size=640)
}

# A file that can be read: $input, and $kind, picture or video.
take_file() {
  input=$(absolute "$1") kind=video
  [ -e "$input" ] || die "there is no input '$1'"
  if [ ! -f "$input" ] || [ ! -r "$input" ]; then die "the input '$1' is not a file that can be read"; fi
  [ -z "$(picture_kind "$input")" ] || kind=picture
}

# Where frames come from, $1: a picture, video, camera or URI. $source are the
# elements, $kind picture or video, $live whether they come at their own pace.
live=no
take_input() {
  kind=video live=no
  case $1 in
    # TCP loses nothing; two seconds, which is the default, is for worse networks.
    rtsp://* | rtsps://*)
      source=(rtspsrc "location=$1" protocols=tcp latency=200
        ! "application/x-rtp,media=video" ! decodebin)
      live=yes
      ;;
    *://*)
      source=(uridecodebin "uri=$1")
      case $1 in file:* | http*) ;; *) live=yes ;; esac
      ;;
    /dev/*)
      [ -c "$1" ] || die "there is no camera $1; name a picture, video, camera or URI"
      [ -r "$1" ] || die "the camera $1 may not be read"
      source=(v4l2src "device=$1" ! decodebin) live=yes
      ;;
    *)
      take_file "$1"
      # Straight to RGB: a JPEG decoder that gives 4:2:0 costs accuracy.
      source=(filesrc "location=$input" ! gdkpixbufdec)
      [ "$kind" = picture ] || source=(filesrc "location=$input" ! decodebin ! queue)
      ;;
  esac
  source+=(! videoconvert)
}

# A clip of the scene and a tone, three seconds, for scripts that want a file.
make_clip() {
  local live=no source
  take_scene 90 30
  gst-launch-1.0 -q "${source[@]}" ! x264enc speed-preset=veryfast ! mp4mux name=clip \
    ! filesink "location=$1" audiotestsrc num-buffers=129 ! audioconvert ! avenc_aac ! clip. \
    >&2 || die "cannot make the test video $1"
}

# H.264 with 4:2:0, which every player shows, has even sizes only.
even=(videoconvertscale
  ! "video/x-raw,format={I420,NV12},width=[2,16384,2],height=[2,16384,2]")

# Where to write what was drawn: $output, and in $sink the elements that do.
take_output() {
  output=$(absolute "$1")
  [ ! "$output" -ef "${input-}" ] || die "the output would overwrite the input '$input'"
  [ -d "$(dirname "$output")" ] || die "there is no directory $(dirname "$output") to write to"
  case $kind:${output,,} in
    picture:*.png) sink=(videoconvert ! pngenc) ;;
    picture:*.jpg | picture:*.jpeg) sink=(videoconvert ! jpegenc quality=95) ;;
    picture:*) die "a picture is written as .png or .jpg, not as '$(basename "$output")'" ;;
    video:*.mp4 | video:*.mkv)
      sink=(queue ! "${even[@]}"
        ! x264enc speed-preset=veryfast pass=qual quantizer=20 !)
      case ${output,,} in *.mp4) sink+=(mp4mux name=mux) ;; *) sink+=(matroskamux name=mux) ;; esac
      ;;
    video:*) die "a video is written as .mp4 or .mkv, not as '$(basename "$output")'" ;;
  esac
  sink+=(! filesink "location=$output")
}

# As take_output, but the output may be a window, which it is where nothing is
# said and there is a screen; else $2. A window shows frames when they come.
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

# Installs and builds what is not there yet, "extra=--codes prepare" with an option
# of tools/setup.sh; Y10_BUILD is another build folder, taken as it is.
prepare() {
  build=${Y10_BUILD-}
  if [ -z "$build" ]; then
    build=$root/build
    "$root/tools/setup.sh" ${extra:+"$extra"} >&2
    echo >&2
  fi
  export GST_PLUGIN_PATH=$build/gst${GST_PLUGIN_PATH:+:$GST_PLUGIN_PATH}
}

# Prints the pipeline as a gst-launch-1.0 command, runs it, and says what was found.
launch() {
  local status=0
  /usr/bin/python3 "$root/pipelines/launch.py" "$@" || status=$?
  case $status in
    0) ;;
    3) damaged=yes ;;
    *) die "nothing usable was written" ;;
  esac
}

# The end of a script: names what it wrote, and fails where an input was damaged.
damaged=no
written() {
  local file
  for file; do
    [ -s "$file" ] || die "nothing was written to $file"
    echo "written to $(visible "$file")"
  done
  [ "$damaged" = no ] || exit 1
}

# Elements that end in one for RTSP, served at the address $1 until the script ends.
serve() {
  /usr/bin/python3 "$root/pipelines/rtsp_server.py" "$1" "${@:2}" \
    ! "${even[@]}" ! x264enc tune=zerolatency speed-preset=veryfast key-int-max=30 \
    ! rtph264pay name=pay0 config-interval=-1
}

# A camera that films the scene for three seconds: $given is its address.
serve_scene() {
  local live=yes source
  take_scene 90 30
  # Ctrl-C is for the script, which ends the camera when it has finished.
  exec {camera}< <(trap '' INT; serve rtsp://127.0.0.1:0/camera "${source[@]}")
  # shellcheck disable=SC2064 # this camera
  trap "kill $! 2>/dev/null || :" EXIT
  read -r _ given <&"$camera" || die "the test camera did not start"
  echo "without an INPUT, a test camera is filming: $given"
}

# Whether a video has sound that can be decoded.
has_sound() {
  /usr/bin/python3 "$root/pipelines/has_sound.py" "$1" 2>/dev/null
}
