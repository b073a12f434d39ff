#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Runs a model on pictures by PyTorch, without the engine: a reference for the
engine, and a way to try a model with Python only. It uses the one2one head,
without NMS.

usage: detect.py MODEL CONFIDENCE PICTURE...

Prints the same lines as y10 detect; source is the file's base name. Runs at the
size in the model's metadata, which must be a square. Needs torch and
opencv-python-headless from PyPI.
"""
import json
import os
import sys

import cv2
import numpy as np
import torch

import data
from yolov10 import model, weights


@torch.no_grad()
def detect(net, picture, size):
    """Rows x0 y0 x1 y1 score class, in pixels of the picture."""
    h, w = picture.shape[:2]
    # Letterboxing the frame as a box gives the transformation.
    fitted, frame = data.letterbox(picture, np.array([[0, 0, 0, w, h, 1]], float), size)
    x0, y0, x1, y1 = frame[0, 1:5]
    x = torch.from_numpy(fitted[:, :, ::-1].transpose(2, 0, 1).copy()).float()[None] / 255
    rows = net(x)[0].numpy().astype(float)
    rows[:, :4] = (rows[:, :4] - (x0, y0, x0, y0)) * ((w / (x1 - x0), h / (y1 - y0)) * 2)
    rows[:, :4] = rows[:, :4].clip(0, (w, h, w, h))
    return rows


def line(path, picture, rows, names):
    h, w = picture.shape[:2]
    objects = [{"detection": {
        "bounding_box": dict(zip(("x_min", "y_min", "x_max", "y_max"),
                                 (round(v / n, 5) for v, n in zip(row[:4], (w, h, w, h))))),
        "confidence": round(row[4], 4), "label": names[int(row[5])], "label_id": int(row[5])}}
        for row in rows]
    return json.dumps({"source": os.path.basename(path), "resolution": {"width": w, "height": h},
                       "objects": objects})


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    confidence = float(sys.argv[2])
    net = model.from_tensors(weights.read(sys.argv[1])).fuse()
    meta = weights.metadata(sys.argv[1])
    names = {int(k): v for k, v in json.loads(meta["names"]).items()}
    for path in sys.argv[3:]:
        picture = cv2.imread(path, cv2.IMREAD_COLOR)
        if picture is None:
            sys.exit(f"{path} is no picture that OpenCV reads")
        rows = detect(net, picture, int(meta["imgsz"]))
        print(line(path, picture, rows[rows[:, 4] >= confidence], names))


if __name__ == "__main__":
    main()
