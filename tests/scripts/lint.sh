#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Checks shell scripts with shellcheck, Python files with Python's own parser.
set -euo pipefail

cd "$(dirname "$(readlink -f "$0")")/../.."
mapfile -t files < <(git ls-files 2>/dev/null || find . -name 'build*' -prune -o -type f -print)
[ ${#files[@]} -gt 0 ] || { echo "no files to check"; exit 1; }

shell=() python=()
for file in "${files[@]}"; do
  [ -f "$file" ] || continue
  case $file in *.py) python+=("$file"); continue ;; *.sh) shell+=("$file"); continue ;; esac
  read -r first <"$file" 2>/dev/null || continue
  case $first in '#!'*sh) shell+=("$file") ;; '#!'*python*) python+=("$file") ;; esac
done

status=0
for file in "${python[@]}"; do
  python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read(), sys.argv[1])' "$file" || status=1
done
command -v shellcheck >/dev/null || { echo "shellcheck is not installed"; exit $((status ? status : 77)); }
# -x: together with the files that they source.
shellcheck -x "${shell[@]}" || status=1
echo "${#shell[@]} shell scripts and ${#python[@]} Python files"
exit "$status"
