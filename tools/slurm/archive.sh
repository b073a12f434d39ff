#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# An archive of videos as a Slurm array job. This file is both the command that submits the jobs and
# the script of each: a manifest, then an array of tasks that run y10 detect --store on equal shares
# of the segments, then the merge. Tasks may be requeued, killed and repeated: the store keeps what
# is done. Job scripts are copies of this file, so it refers to no file beside it.
set -euo pipefail

usage() {
  cat <<END
Usage: tools/slurm/archive.sh [OPTION…] OUT INPUT… [-- Y10_DETECT_OPTION…]

Detects objects in many videos and pictures on a Slurm cluster. OUT, the inputs and
the model must have the same paths on every node. Results are in OUT/results.jsonl,
with the bytes that 'y10 detect' prints on one machine; inputs that fail are in
OUT/failed.jsonl. The same command again does what is missing.

  --tasks N          tasks of the array, about four for each that can run at once [16]
  --at-once N        tasks that may run at the same time [all]
  --seconds S        length of a segment [60]
  --parquet          also write OUT/detections.parquet
  --sbatch OPTION    option of sbatch for the tasks, such as --gpus=1; may be repeated.
                     Variables such as SBATCH_PARTITION apply to all three jobs
  --y10 COMMAND      the y10 command on every node [y10]
  --python COMMAND   a Python with the package y10, for the merge [python3]
  --wait             wait for the end; the exit status is that of the merge
END
}

die() {
  echo "archive.sh: $*" >&2
  exit 2
}

# The steps, as jobs. Each gets OUT and what it needs.

write_manifest() { # OUT Y10 SECONDS INPUT…
  local out=$1 y10=$2 seconds=$3 status=0
  shift 3
  local tmp=$out/manifest.jsonl.${SLURM_JOB_ID:-$$}.tmp expected
  "$y10" segments --seconds "$seconds" -- "$@" >"$tmp" || status=$?
  # 1: some inputs cannot be read, and the manifest has the reasons; or it could not be
  # written, which its first line tells.
  expected=$(sed -n '1s/.*"inputs":\([0-9]*\).*/\1/p' "$tmp")
  if [ "$status" -gt 1 ] || [ "$(wc -l <"$tmp")" != $((${expected:-0} + 1)) ]; then
    echo "archive.sh: y10 segments wrote $(wc -l <"$tmp") lines into $tmp; expected" \
      "$((${expected:-0} + 1))" >&2
    rm -f "$tmp"
    [ "$status" -gt 0 ] || status=1
    return "$status"
  fi
  mv "$tmp" "$out/manifest.jsonl"
}

detect_share() { # OUT Y10 Y10_DETECT_OPTION…
  local out=$1 y10=$2 n first last status=0 restarts=${SLURM_RESTART_COUNT:-0}
  local task=$((SLURM_ARRAY_TASK_ID - SLURM_ARRAY_TASK_MIN))
  shift 2
  # Quotes inside strings are escaped in JSON, so this counts members only.
  n=$(grep -o -e '"n_frames":' -e '"segments":\[null\]' "$out/manifest.jsonl" | wc -l)
  first=$((n * task / SLURM_ARRAY_TASK_COUNT))
  last=$((n * (task + 1) / SLURM_ARRAY_TASK_COUNT - 1))
  [ "$first" -le "$last" ] || return 0
  mkdir -p "$out/receipts/$SLURM_ARRAY_JOB_ID"
  "$y10" detect --store "$out/store" --manifest "$out/manifest.jsonl" \
    --segments "$first-$last" --threads "${SLURM_CPUS_PER_TASK:-1}" "$@" \
    >"$out/receipts/$SLURM_ARRAY_JOB_ID/$task.$restarts.jsonl" || status=$?
  # Slurm repeats the tasks of dead nodes, but not one whose y10 was killed because memory ran out.
  if [ "$status" -gt 128 ] && [ "$restarts" -lt 3 ]; then
    echo "y10 was killed by signal $((status - 128)); the task runs again" >&2
    scontrol requeue "$SLURM_JOB_ID"
  fi
  return "$status"
}

merge() { # OUT PYTHON ARRAY_JOB OPTION…
  local out=$1 python=$2 job=$3
  shift 3
  "$python" -m y10.archive.merge "$out" "$out/receipts/$job" --store "$out/store" "$@"
}

case ${1:-} in
  --step-manifest) shift; write_manifest "$@"; exit ;;
  --step-detect) shift; detect_share "$@"; exit ;;
  --step-merge) shift; merge "$@"; exit ;;
esac

tasks=16 at_once='' seconds=60 parquet=() sbatch=() y10=y10 python=python3 wait=()
while [ $# -gt 0 ]; do
  case $1 in
    --tasks | --at-once | --seconds | --sbatch | --y10 | --python)
      [ $# -gt 1 ] || die "$1 needs a value" ;;&
    --tasks) tasks=$2; shift ;;
    --at-once) at_once=%$2; shift ;;
    --seconds) seconds=$2; shift ;;
    --sbatch) sbatch+=("$2"); shift ;;
    --y10) y10=$2; shift ;;
    --python) python=$2; shift ;;
    --parquet) parquet=(--parquet) ;;
    --wait) wait=(--wait) ;;
    -h | --help) usage; exit ;;
    -*) usage >&2; die "$1 is not an option" ;;
    *) break ;;
  esac
  shift
done
[[ $tasks =~ ^[1-9][0-9]*$ ]] || die "--tasks is '$tasks'; it must be a positive number"
[[ ${at_once#%} =~ ^([1-9][0-9]*)?$ ]] || die "--at-once is '${at_once#%}'; it must be a positive number"
[ $# -ge 2 ] || { usage >&2; die "OUT and at least one INPUT are needed"; }
out=$1 inputs=()
shift
while [ $# -gt 0 ] && [ "$1" != -- ]; do inputs+=("$1"); shift; done
[ $# -eq 0 ] || shift
[ ${#inputs[@]} -gt 0 ] || die "at least one INPUT is needed"
command -v sbatch >/dev/null || die "sbatch is missing: this is not a machine of a Slurm cluster"

mkdir -p "$out/logs"
out=$(realpath "$out")
# sbatch replaces what follows % in the name of the log.
submit() { sbatch --parsable --requeue --output="${out//%/%%}/logs/%x-%A_%a.log" "$@"; }
first=$(submit --job-name=y10-manifest "$0" --step-manifest "$out" "$y10" "$seconds" "${inputs[@]}")
array=$(submit --job-name=y10-detect --array="0-$((tasks - 1))$at_once" --open-mode=append \
  --dependency="afterok:${first%%;*}" --kill-on-invalid-dep=yes "${sbatch[@]}" \
  "$0" --step-detect "$out" "$y10" "$@")
echo "manifest: job ${first%%;*}; $tasks tasks: job ${array%%;*}; logs: $out/logs"
# afterany: the merge reports what failed.
submit --job-name=y10-merge --dependency="afterany:${array%%;*}" "${wait[@]}" \
  "$0" --step-merge "$out" "$python" "${array%%;*}" "${parquet[@]}" >"$out/logs/merge.id" || {
  status=$?
  cat "$out/logs/y10-merge-$(cut -d';' -f1 "$out/logs/merge.id")"*.log >&2
  exit "$status"
}
echo "merge: job $(cat "$out/logs/merge.id")"
