# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""The errors of liby10 (engine/include/y10/error.h)."""
from __future__ import annotations

import enum


class ErrorCode(enum.IntEnum):
    """The kinds of errors of liby10; the C library calls them Y10_ERROR_*."""

    FAILED = 0
    NOT_FOUND = 1
    MODEL_FORMAT = 2
    MODEL = 3
    LABELS = 4
    INVALID_ARGUMENT = 5
    UNSUPPORTED = 6
    NO_BACKEND = 7
    NO_MEMORY = 8
    BACKEND = 9
    BUSY = 10
    TIMED_OUT = 11
    STALE = 12
    CANCELLED = 13
    DEVICE_LOST = 14


class Error(Exception):
    """An error of liby10. Its text names the file, tensor or argument, what was found
    and what was expected.

    Attributes:
        code: the kind of error; FAILED for kinds that this package does not know.
    """

    def __init__(self, message: str, code: int = ErrorCode.FAILED) -> None:
        super().__init__(message)
        try:
            self.code = ErrorCode(code)
        except ValueError:
            self.code = ErrorCode.FAILED

    def __reduce__(self):
        return type(self), (self.args[0], int(self.code))
