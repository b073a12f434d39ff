#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Measures detection beside busy processes: runs busy.py, whose --help lists the options.
set -euo pipefail

exec python3 "$(dirname "$(readlink -f "$0")")/busy.py" "$@"
