# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Measures detections: average precision, the best confidence."""
import numpy as np


def iou(a, b):
    low, high = np.maximum(a[:, None, :2], b[None, :, :2]), np.minimum(a[:, None, 2:], b[None, :, 2:])
    overlap = np.clip(high - low, 0, None).prod(2)
    sizes = [(x[:, 2:] - x[:, :2]).prod(1) for x in (a, b)]
    return overlap / (sizes[0][:, None] + sizes[1][None] - overlap + 1e-9)


def match(found, overlap, least):
    """(score, whether it is a true positive) of each row of one picture, best
    first; an object counts once. overlap: rows by objects."""
    free, hits = np.ones(overlap.shape[1], bool), []
    for k in np.argsort(-found[:, 4]):
        best = int(np.argmax(np.where(free, overlap[k], -1))) if free.any() else -1
        hit = best >= 0 and overlap[k, best] >= least
        if hit:
            free[best] = False
        hits.append((found[k, 4], hit))
    return hits


def average_precision(rows, truth, least=0.5):
    """rows: per picture (n, 6): x0 y0 x1 y1 score class; truth: per picture
    (m, 5): class x0 y0 x1 y1. The mean over classes of the area under precision
    by recall, made monotonic, at one IoU."""
    values = []
    for label in sorted({int(c) for t in truth for c in t[:, 0]}):
        hits, total = [], 0
        for found, wanted in zip(rows, truth):
            wanted = wanted[wanted[:, 0] == label, 1:]
            found = found[found[:, 5] == label]
            total += len(wanted)
            hits += match(found, iou(found[:, :4], wanted), least)
        hits.sort(key=lambda h: -h[0])
        right = np.cumsum([h for _, h in hits]) if hits else np.zeros(0)
        precision = right / np.arange(1, len(right) + 1)
        precision = np.maximum.accumulate(precision[::-1])[::-1]
        recall = np.concatenate(([0], right / max(total, 1)))
        values.append(float((np.diff(recall) * precision).sum()))
    return float(np.mean(values)) if values else 0.0


def best_confidence(rows, truth, least=0.5, beta=1.4):
    """The lowest confidence at which F-beta over all objects is best; recall
    weighs beta times as much as precision. 1 without detections."""
    hits, total = [], sum(len(t) for t in truth)
    for found, wanted in zip(rows, truth):
        overlap = iou(found[:, :4], wanted[:, 1:]) * (found[:, 5:] == wanted[None, :, 0])
        hits += match(found, overlap, least)
    if not hits:
        return 1.0
    hits.sort(key=lambda h: -h[0])
    right = np.cumsum([hit for _, hit in hits])
    f = (1 + beta**2) * right / (np.arange(1, len(hits) + 1) + beta**2 * total)
    return float(hits[int(np.argmax(f))][0])
