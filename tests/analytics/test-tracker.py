#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Upstream's ioutracker (GStreamer 1.28) tracks the detections of yolov10detect, and yolov10overlay
shows the tracker's ids.

Two codes cross the picture on known paths; each must keep one unique id over all frames. With the
tracker, the overlay's output must change in the labels only. The test writes tracker.png for
inspection.
"""
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import analytics  # noqa: E402

SIZE = WIDTH, HEIGHT = 640, 400
FRAMES, NEAR = 30, 12
# Label, left edge at first, top edge, pixels a frame.
WAYS = [("aztec", 20, 30, 8), ("qr-code", 480, 230, -9)]
DETECT = "yolov10detect head=one2many class-agnostic-nms=true"


def main():
    analytics.start("yolov10detect", "yolov10overlay", "ioutracker")
    with tempfile.TemporaryDirectory() as folder:
        video = os.path.join(folder, "moving.mkv")
        analytics.scenes.write_moving(video, SIZE, 25, FRAMES, WAYS)
        source = f"filesrc location={video} ! matroskademux ! avdec_ffv1 ! videoconvert"
        tracked = analytics.pull(
            f"{source} ! {DETECT} ! ioutracker ! videoconvert ! yolov10overlay", "RGB")
        plain = analytics.pull(f"{source} ! {DETECT} ! videoconvert ! yolov10overlay", "RGB")
    assert len(tracked) == len(plain) == FRAMES, (len(tracked), len(plain))

    ids = {label: [] for label, *_ in WAYS}
    for n, (buffer, _) in enumerate(tracked):
        found = analytics.objects(buffer)
        for label, left, top, step in WAYS:
            expected = left + step * n, top
            here = [number for box, number in found.get(label, [])
                    if max(abs(a - b) for a, b in zip(box, expected)) <= NEAR]
            assert len(here) == 1, f"frame {n}: {label} expected at {expected}, found {found}"
            ids[label].append(here[0])
    # The first frames may be too few for a track.
    settled = {label: set(numbers[3:]) for label, numbers in ids.items()}
    assert all(len(numbers) == 1 and None not in numbers for numbers in settled.values()), ids
    assert len(set.union(*settled.values())) == len(WAYS), f"shared by both: {ids}"

    middle = FRAMES // 2
    analytics.Picture(tracked[middle][1], WIDTH).save("tracker", HEIGHT)
    rows = {row for row in range(HEIGHT)
            if tracked[middle][1][row * WIDTH * 3:][:WIDTH * 3]
            != plain[middle][1][row * WIDTH * 3:][:WIDTH * 3]}
    assert rows, "yolov10overlay shows no ids"
    for label, _, top, _ in WAYS:
        mine = {row for row in rows if top - 40 <= row <= top + 40}
        assert mine, f"no id is drawn at the {label}"
        rows -= mine
    assert not rows, f"rows {sorted(rows)} differ, where no label is"
    print(f"{FRAMES} frames, ids {({label: next(iter(n)) for label, n in settled.items()})}")


if __name__ == "__main__":
    main()
