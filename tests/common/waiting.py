# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Waiting for a state, for as long as a busy machine may need."""
import time

# Seconds; fewer than the limit of any test that waits, so that it can say what did not come.
PATIENCE = 240


def until(condition, what="it", patience=PATIENCE):
    """Waits for a value that is true, and returns it."""
    end = time.monotonic() + patience
    while not (value := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"not within {patience} s: {what}")
        time.sleep(0.05)
    return value
