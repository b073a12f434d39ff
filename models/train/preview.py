#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""A contact sheet of the synthetic pictures, with their boxes.

usage: preview.py OUT.jpg [FIRST_SEED [COLUMNS [ROWS]]]
"""
import sys

import cv2
import numpy as np

from codes import LABELS, scene

COLORS = ((0, 0, 255), (0, 200, 0), (255, 120, 0), (0, 200, 255), (255, 0, 200), (200, 200, 0),
          (0, 120, 255))
CELL = 320


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    first, columns, rows = [int(a) for a in sys.argv[2:5]] + [0, 6, 4][len(sys.argv) - 2:]
    sheet = np.full((rows * CELL, columns * CELL, 3), 114, np.uint8)
    for i in range(rows * columns):
        picture, boxes = scene.make(first + i, CELL)
        for label, *box, _ in boxes:
            x0, y0, x1, y1 = (int(round(v)) for v in box)
            cv2.rectangle(picture, (x0, y0), (x1, y1), COLORS[int(label)], 1)
            cv2.putText(picture, LABELS[int(label)], (x0, max(9, y0 - 3)), cv2.FONT_HERSHEY_SIMPLEX,
                        0.4, COLORS[int(label)], 1, cv2.LINE_AA)
        y, x = i // columns * CELL, i % columns * CELL
        sheet[y:y + picture.shape[0], x:x + picture.shape[1]] = picture
    if not cv2.imwrite(sys.argv[1], sheet):
        sys.exit(f"cannot write {sys.argv[1]}")


if __name__ == "__main__":
    main()
