#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Upstream's objectdetectionoverlay draws the boxes of yolov10detect at the right places.

The expected places come from the picture, not from a detector. The test writes overlay.png for
inspection.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import analytics  # noqa: E402

RED, NEAR = (255, 0, 0), 9


def main():
    analytics.start("yolov10detect", "objectdetectionoverlay")
    width, height = analytics.scenes.CODES_SIZE
    frames = {}
    for labels in ("true", "false"):
        frames[labels] = analytics.pull(
            f"filesrc location={analytics.CODES} ! pngdec ! videoconvert "
            "! video/x-raw,format=RGB ! yolov10detect "
            f"! objectdetectionoverlay object-detection-outline-color=0xffff0000 "
            f"draw-labels={labels}", "RGB")[0]
    analytics.Picture(frames["true"][1], width).save("overlay", height)
    buffer, data = frames["false"]
    picture = analytics.Picture(data, width)
    found = analytics.objects(buffer)
    for label, (left, top, right, bottom) in analytics.PLACES.items():
        boxes = [box for box, _ in found.get(label, [])]
        assert boxes, f"no {label} among {sorted(found)}"
        assert any(max(abs(a - b) for a, b in zip(box, (left, top, right, bottom))) <= NEAR
                   for box in boxes), (label, boxes)
        # All four sides, in three places each.
        for part in (1, 2, 3):
            x, y = left + (right - left) * part // 4, top + (bottom - top) * part // 4
            for edge in (left, right):
                assert picture.has(RED, edge, y, NEAR, True), f"{label}: no outline at {edge},{y}"
            for edge in (top, bottom):
                assert picture.has(RED, x, edge, NEAR, False), f"{label}: no outline at {x},{edge}"
        middle = (left + right) // 2, (top + bottom) // 2
        assert picture.at(*middle) in ((0, 0, 0), (255, 255, 255)) \
            or len(set(picture.at(*middle))) == 1, f"{label}: drawn inside"
    for x, y in ((10, 10), (width - 10, 10), (width // 2, 250)):
        assert not picture.has(RED, x, y, 5, True), f"drawn at {x},{y}, where nothing is"
    print(f"boxes of {', '.join(analytics.PLACES)} drawn by {analytics.Gst.version_string()}")


if __name__ == "__main__":
    main()
