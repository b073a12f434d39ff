#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""One code of each kind on a white page, which pipelines/demo.sh shows.

usage: sheet.py OUT.png

Its output is pipelines/codes.png. Needs opencv-python-headless and zxing-cpp (3
or newer) from PyPI.
"""
import sys

import cv2
import numpy as np

from codes import symbols

WIDTH, HEIGHT = 640, 540
# Kind and content; width and height of the symbol, its centre, and the caption.
SHEET = (
    ("QRCode", "https://arxiv.org/abs/2405.14458", (145, 145), (125, 130), "QR code"),
    ("DataMatrix", "yolov10detect: Data Matrix", (125, 125), (325, 130), "Data Matrix"),
    ("Aztec", "yolov10detect: Aztec", (135, 135), (520, 130), "Aztec"),
    ("PDF417", "yolov10detect: PDF417", (260, 95), (190, 305), "PDF417"),
    ("marker", "APRILTAG_36H11", (110, 110), (500, 300), "AprilTag"),
    ("EAN13", "4006381333931", (240, 90), (210, 445), ""),
    ("marker", "4X4_50", (110, 110), (500, 450), "ArUco"),
)


def pixels(kind, content):
    """One pixel a module."""
    if kind == "marker":
        table = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, "DICT_" + content))
        return cv2.aruco.generateImageMarker(table, 7, table.markerSize + 2)
    code = symbols.draw(content, getattr(symbols.F, kind))
    return code[:1] if kind == "EAN13" else code


def write(page, text, middle, y, scale=0.5):
    (w, _), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, scale, 1)
    cv2.putText(page, text, (middle - w // 2, y), cv2.FONT_HERSHEY_SIMPLEX, scale, 0, 1, cv2.LINE_AA)


def put(page, kind, content, room, middle, text):
    code = pixels(kind, content)
    # Whole pixels per module; the height of bars and of PDF417's rows is free.
    rows, columns = room[1] // code.shape[0], room[0] // code.shape[1]
    if kind not in ("EAN13", "PDF417"):
        rows = columns = min(rows, columns)
    height, width = code.shape[0] * rows, code.shape[1] * columns
    x, y = middle[0] - width // 2, middle[1] - height // 2
    page[y:y + height, x:x + width] = cv2.resize(code, (width, height), interpolation=cv2.INTER_NEAREST)
    if kind != "EAN13":
        write(page, text, middle[0], y + height + 24)
        return
    # The digits reach into the bars, between the guard bars.
    for first, part in ((3, content[1:7]), (50, content[7:])):
        left, half = x + first * columns, 42 * columns
        page[y + height - 8:y + height, left:left + half] = 255
        write(page, part, left + half // 2, y + height + 7)
    write(page, content[0], x - 8, y + height + 7)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    page = np.full((HEIGHT, WIDTH), 255, np.uint8)
    for row in SHEET:
        put(page, *row)
    if not cv2.imwrite(sys.argv[1], page):
        sys.exit(f"cannot write {sys.argv[1]}")


if __name__ == "__main__":
    main()
