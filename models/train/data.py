# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Stores generated pictures in one file, and reads batches from it, letterboxed
like the engine's input."""
import multiprocessing
import os
import queue
import threading

import cv2
import numpy as np

from codes import LABELS, scene

GRAY = 114
# The most objects in a picture; a mosaic has those of four pictures.
MOST = 32
# The relative frequency of each kind in enlarged parts: pictures have many QR
# codes and barcodes, and the kinds that are confused with them must appear as
# often.
OFTEN = {"data-matrix": 2.5, "aztec": 3.0, "pdf417": 3.0, "marker": 1.5}


def _one(job):
    seed, size, labels, lures = job
    cv2.setNumThreads(1)
    rng = np.random.default_rng(seed + (1 << 40))
    quality = int(rng.integers(35, 96))
    picture, boxes = (scene.lure(seed, size) if rng.random() < lures
                      else scene.make(seed, size, labels))
    boxes[:, 0] = [labels.index(LABELS[int(c)]) for c in boxes[:, 0]]
    return cv2.imencode(".jpg", picture, (cv2.IMWRITE_JPEG_QUALITY, quality))[1].tobytes(), boxes


def make(path, first_seed, n, size, lures=0.0, labels=LABELS, workers=None):
    """Writes the pictures of n seeds to @path, unless they exist; a share of
    lures (0 .. 1) has no codes."""
    if os.path.exists(path + ".npz"):
        return
    sizes, counts, rows = [], [], []
    jobs = ((first_seed + i, size, labels, lures) for i in range(n))
    with open(path + ".new", "wb") as f, multiprocessing.Pool(workers) as pool:
        for data, boxes in pool.imap(_one, jobs, 32):
            f.write(data)
            sizes.append(len(data))
            counts.append(len(boxes))
            rows.append(boxes)
    os.replace(path + ".new", path)
    np.savez(path + ".npz.new.npz", ends=np.cumsum(sizes), counts=np.cumsum(counts),
             boxes=np.concatenate(rows))
    os.replace(path + ".npz.new.npz", path + ".npz")


class Pictures:
    def __init__(self, path, labels=LABELS):
        self.often = np.array([OFTEN.get(label, 1.0) for label in labels])
        self.bytes = np.memmap(path, np.uint8, "r")
        index = np.load(path + ".npz")
        self.ends, self.counts = (np.concatenate(([0], index[k])) for k in ("ends", "counts"))
        self.boxes = index["boxes"]

    def __len__(self):
        return len(self.ends) - 1

    def __getitem__(self, i):
        data = self.bytes[self.ends[i]:self.ends[i + 1]]
        return (cv2.imdecode(data, cv2.IMREAD_COLOR),
                self.boxes[self.counts[i]:self.counts[i + 1]].copy())


def letterbox(picture, boxes, size, rng=None):
    """Fits the picture into a square like engine/core/image.c: interpolated,
    with equal borders. With @rng now and then slightly smaller and at any
    place, because cameras crop differently."""
    h, w = picture.shape[:2]
    scale = size / max(h, w)
    if rng is not None and rng.random() < 0.3:
        scale *= rng.uniform(0.6, 1.0)
    nh, nw = max(1, round(h * scale)), max(1, round(w * scale))
    if (nh, nw) != (h, w):
        picture = cv2.resize(picture, (nw, nh), interpolation=cv2.INTER_LINEAR)
    free = rng is not None and rng.random() < 0.3
    y, x = ((int(rng.integers(0, size - n + 1)) if free else round((size - n) / 2 - 0.1))
            for n in (nh, nw))
    out = np.full((size, size, 3), GRAY, np.uint8)
    out[y:y + nh, x:x + nw] = picture
    boxes = boxes.copy()
    boxes[:, 1:] *= (nw / w, nh / h, nw / w, nh / h, scale)
    boxes[:, 1:5] += (x, y, x, y)
    return out, boxes


def mosaic(parts, size):
    """Combines four pictures."""
    half = size // 2
    out, rows = np.full((size, size, 3), GRAY, np.uint8), []
    for i, (picture, boxes) in enumerate(parts):
        y, x = i // 2 * half, i % 2 * half
        small, boxes = letterbox(picture, boxes, half)
        out[y:y + half, x:x + half] = small
        boxes[:, 1:5] += (x, y, x, y)
        rows.append(boxes)
    return out, np.concatenate(rows)


def zoom(picture, boxes, often, rng):
    """A part of the picture that cuts no object: the letterbox enlarges small
    photos, and codes held into a camera fill its picture. often: the relative
    frequency of each class."""
    h, w = picture.shape[:2]
    for _ in range(8):
        times = rng.uniform(1.25, 3.0)
        if len(boxes):
            share = often[boxes[:, 0].astype(int)]
            box = boxes[rng.choice(len(boxes), p=share / share.sum()), 1:5]
            if rng.random() < 0.5:
                # The object fills most of the part, unless that would blur it.
                fills = rng.uniform(0.5, 0.98) / ((box[2:] - box[:2]) / (w, h)).max()
                times = min(max(fills, 1.0), 4.0)
        part = np.array((w, h)) / times
        if len(boxes):
            at = (box[:2] + box[2:]) / 2 - part * rng.uniform(0.2, 0.8, 2)
        else:
            at = rng.uniform(0, 1, 2) * (w, h)
        low = np.clip(at, 0, (w, h) - part).astype(int)
        high = low + part.astype(int)
        whole = ((boxes[:, 1:3] >= low - 2) & (boxes[:, 3:5] <= high + 2)).all(1)
        outside = ((boxes[:, 3:5] <= low) | (boxes[:, 1:3] >= high)).any(1)
        if (whole | outside).all():
            boxes = boxes[whole]
            boxes[:, 1:5] = np.clip(boxes[:, 1:5] - np.tile(low, 2), 0, np.tile(high - low, 2))
            return picture[low[1]:high[1], low[0]:high[0]], boxes
    return picture, boxes


def pick(pictures, i, size, rng, mosaics, zooms):
    kind = rng.random()
    if kind < mosaics:
        others = rng.integers(0, len(pictures), 3)
        picture, boxes = mosaic([pictures[j] for j in (i, *others)], size)
    elif kind < mosaics + zooms:
        picture, boxes = letterbox(*zoom(*pictures[i], pictures.often, rng), size)
    else:
        picture, boxes = letterbox(*pictures[i], size, rng)
    if rng.random() < 0.5:
        picture = np.ascontiguousarray(picture[:, ::-1])
        boxes[:, [1, 3]] = size - boxes[:, [3, 1]]
    return wanted(picture, boxes)


def wanted(picture, boxes):
    """The picture, and the objects that can be learnt from it."""
    boxes = scene.smear(picture, boxes)
    # Tiny objects cannot be learnt.
    return picture, boxes[(boxes[:, 3:5] - boxes[:, 1:3]).max(1, initial=0) >= 8][:MOST]


def batch(pictures, indices, size, rng, mosaics, zooms):
    """Pictures (n, 3, size, size) of bytes, R G B; classes (n, MOST), -1 behind
    the last; boxes (n, MOST, 4)."""
    x = np.empty((len(indices), 3, size, size), np.uint8)
    classes = np.full((len(indices), MOST), -1, np.int64)
    boxes = np.zeros((len(indices), MOST, 4), np.float32)
    for k, i in enumerate(indices):
        picture, rows = pick(pictures, int(i), size, rng, mosaics, zooms)
        x[k] = picture[:, :, ::-1].transpose(2, 0, 1)
        classes[k, :len(rows)] = rows[:, 0]
        boxes[k, :len(rows)] = rows[:, 1:5]
    most = max(1, int((classes >= 0).sum(1).max()))
    return x, classes[:, :most], boxes[:, :most]


def batches(pictures, sizes, n, seed, first, last, mosaics=0.0, zooms=0.0, ahead=4):
    """Batches number first to last - 1; each depends on its number only, so
    that training continues where it stopped. A thread prepares them in
    advance."""
    ready = queue.Queue(ahead)

    def produce():
        for k in range(first, last):
            rng = np.random.default_rng((seed, k))
            size = int(rng.choice(sizes))
            # Each round uses all pictures once, in a new order.
            at = np.arange(k * n, (k + 1) * n)
            rounds, at = at // len(pictures), at % len(pictures)
            orders = {int(r): np.random.default_rng((seed, 1 << 20, int(r))).permutation(len(pictures))
                      for r in np.unique(rounds)}
            chosen = [orders[int(r)][a] for r, a in zip(rounds, at)]
            ready.put(batch(pictures, chosen, size, rng, mosaics, zooms))
        ready.put(None)

    threading.Thread(target=produce, daemon=True).start()
    while (item := ready.get()) is not None:
        yield item
