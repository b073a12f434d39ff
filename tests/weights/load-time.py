#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Measures the time of y10_model_load() for each file: best and median of five.

usage: load-time.py LIBY10.so FILE...

Loading opens the file, checks every name and shape, and proves an ONNX graph;
the weights are read later, when an engine is created.
"""

import ctypes
import statistics
import sys
import time


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    lib = ctypes.CDLL(sys.argv[1])
    lib.y10_model_load.restype = ctypes.c_void_p
    lib.y10_model_load.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_void_p]
    lib.y10_model_unref.argtypes = [ctypes.c_void_p]
    for path in sys.argv[2:]:
        seconds = []
        for _ in range(5):
            began = time.monotonic()
            model = lib.y10_model_load(path.encode(), None, None)
            seconds.append(time.monotonic() - began)
            if not model:
                sys.exit(f"{path} cannot be loaded; y10 info says why")
            lib.y10_model_unref(model)
        print(f"{min(seconds):.3f} s best, {statistics.median(seconds):.3f} s median  {path}")


if __name__ == "__main__":
    main()
