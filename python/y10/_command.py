# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""The command y10, which the package contains."""
from __future__ import annotations

import os
import sys

_BUNDLED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "y10-command")
#: The command in the package; in a clone, which has none, that of the system.
COMMAND = _BUNDLED if os.path.exists(_BUNDLED) else "y10"


def main() -> None:
    """Becomes the command, which finds the bundled model by its own path."""
    os.execvp(COMMAND, [COMMAND, *sys.argv[1:]])
