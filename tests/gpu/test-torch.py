#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Compares models/train/yolov10, which the benchmark runs against, with golden
files of the original code: every layer and the predictions, as trained and
fused, and the rows. A layer's error is its largest difference over its standard
deviation.

usage: test-torch.py SEEDED X.golden.json... SEEDED is the program
build/tests/common/seeded. Exits with 77 without PyTorch.
"""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../models/train"))
try:
    import numpy as np
    import torch
    from yolov10 import model, weights
except ImportError as e:
    print(f"SKIP: {e} (Debian: python3-torch)")
    sys.exit(77)

TOLERANCE = 1e-4
GAMMA = 0x9E3779B97F4A7C15


def seeded_images(n, seed):
    """The recipe of tests/common/seeded.c."""
    start = 0xCBF29CE484222325
    for c in b"images":
        start = (start ^ c) * 0x100000001B3 % 2 ** 64
    start = (start + seed * GAMMA) % 2 ** 64
    with np.errstate(over="ignore"):
        z = np.uint64(start) + np.arange(n, dtype=np.uint64) + np.uint64(GAMMA)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
    x = ((z >> np.uint64(40)).astype(np.float64) / 8388608.0 - 1).astype(np.float32)
    return x * np.float32(0.5) + np.float32(0.5)


def difference(sample, values):
    if list(values.shape) != sample["shape"]:
        return float("inf")
    got = values.flatten()[torch.tensor(sample["index"])].double()
    return ((got - torch.tensor(sample["value"], dtype=torch.float64)).abs().max()
            / sample["std"]).item()


def compare(net, golden, images):
    """The largest difference, and its tensor."""
    worst = []
    with torch.inference_mode():
        layers = net.layers(images)
        for i, sample in golden["layers"].items():
            worst.append((difference(sample, layers[int(i)]), f"layer {i}"))
        logits = net.model[23].logits([layers[i] for i in (16, 19, 22)],
                                      "one2one_")
        boxes, scores = model.decode(logits)
        centre = (boxes[..., :2] + boxes[..., 2:]) / 2
        pred = torch.cat((centre, boxes[..., 2:] - boxes[..., :2], scores), 2)
        worst.append((difference(golden["pred"], pred), "predictions"))
        rows = model.top_rows(boxes, scores)[0].double()
    expected = torch.tensor(golden["detections"]["rows"], dtype=torch.float64)
    # The golden file has centre and size, the model edges; equal scores come in
    # any order.
    expected[:, :2] -= expected[:, 2:4] / 2
    expected[:, 2:4] += expected[:, :2]
    scale = torch.tensor([0.02, 0.02, 0.02, 0.02, 1e-4, 1e-3])
    nearest = ((rows[None] - expected[:, None]).abs() / scale).amax(2).amin(1)
    # Among the last rows, ones of equal score may be cut differently.
    sure = expected[:, 4] > expected[-1, 4] + 1e-4
    worst.append((nearest[sure].max().item() * TOLERANCE, "rows"))
    return max(worst)


def main():
    failed = 0
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as f:
            golden = json.load(f)
        if "rows" not in golden["detections"]:
            sys.exit(f"{path}: not of the end-to-end head")
        shapes = os.path.join(os.path.dirname(path), "yolov10{variant}-nc{nc}"
                              ".shapes.json".format(**golden))
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "w.safetensors")
            subprocess.run([sys.argv[1], shapes, file, "--seed",
                            str(golden["seed"])], check=True)
            net = model.from_tensors(weights.read(file)).eval()
        shape = golden["input"]
        images = torch.from_numpy(seeded_images(
            int(np.prod(shape)), golden["seed"])).reshape(shape)
        for what in ("as trained", "fused"):
            if what == "fused":
                net.fuse()
            value, where = compare(net, golden, images)
            failed += not value <= TOLERANCE
            print(f"{os.path.basename(path)} {what}: {value:.2e} at {where}"
                  f"{'' if value <= TOLERANCE else '  FAILED'}")
    return 1 if failed or len(sys.argv) < 3 else 0


if __name__ == "__main__":
    sys.exit(main())
