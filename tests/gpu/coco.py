# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Average precision as COCO defines it (boxes, all sizes, 100 detections an
image, IoU 0.50 to 0.95), without pycocotools, which a bare machine lacks.

usage: coco.py instances.json detections.jsonl detections.jsonl is the output of
`y10 detect --confidence 0.001`.
"""
import collections
import json
import os
import sys

THRESHOLDS = [0.5 + 0.05 * i for i in range(10)]
RECALLS = [0.01 * i for i in range(101)]
MAX_DETECTIONS = 100


def iou(a, b, crowd):
    """IoU of boxes x, y, w, h; for a crowd, the share of a that lies in it."""
    w = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    h = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    if w <= 0 or h <= 0:
        return 0.0
    area = a[2] * a[3]
    return w * h / (area if crowd else area + b[2] * b[3] - w * h)


def match(found, truth, threshold):
    """For each detection, best score first: True, False, or None to ignore."""
    taken, out = set(), []
    for row in found:
        best, which = min(threshold, 1 - 1e-10), None
        for i, (box, crowd) in enumerate(truth):
            if i in taken and not crowd:
                continue
            # Objects come before crowds: the first match is enough.
            if which is not None and not truth[which][1] and crowd:
                break
            overlap = iou(row[1], box, crowd)
            if overlap >= best:
                best, which = overlap, i
        if which is None:
            out.append(False)
        else:
            taken.add(which)
            out.append(None if truth[which][1] else True)
    return out


def average(scored, n_truth):
    """The mean precision at 101 recalls; scored: (score, hit), best first."""
    hits = misses = 0
    precision, recall = [], []
    for _, hit in scored:
        hits += hit
        misses += not hit
        recall.append(hits / n_truth)
        precision.append(hits / (hits + misses))
    for i in range(len(precision) - 1, 0, -1):
        precision[i - 1] = max(precision[i - 1], precision[i])
    total, at = 0.0, 0
    for wanted in RECALLS:
        while at < len(recall) and recall[at] < wanted:
            at += 1
        total += precision[at] if at < len(precision) else 0
    return total / len(RECALLS)


def read_detections(lines):
    """{file name: [(score, (x, y, w, h), class)]}, pixels of the picture."""
    images = {}
    for line in lines:
        if not line.strip():
            continue
        frame = json.loads(line)
        w, h = frame["resolution"]["width"], frame["resolution"]["height"]
        rows = images.setdefault(os.path.basename(frame["source"]), [])
        for obj in frame["objects"]:
            d = obj["detection"]
            b = d["bounding_box"]
            x0, y0 = b["x_min"] * w, b["y_min"] * h
            rows.append((d["confidence"], (x0, y0, b["x_max"] * w - x0,
                                           b["y_max"] * h - y0), d["label_id"]))
    return images


def average_precision(truth, images):
    """(AP, AP at IoU 0.5); classes are numbered by the sorted category ids."""
    names = {i["id"]: i["file_name"] for i in truth["images"]}
    missing = [n for n in names.values() if n not in images]
    if missing:
        raise ValueError(f"no detections of {len(missing)} pictures, the first {missing[0]}")
    objects = collections.defaultdict(list)
    for a in truth["annotations"]:
        objects[names[a["image_id"]], a["category_id"]].append(
            (a["bbox"], bool(a["iscrowd"])))
    sums = [0.0] * len(THRESHOLDS)
    n_classes = 0
    for label, category in enumerate(sorted(c["id"] for c in truth["categories"])):
        n_truth = sum(not crowd for name in names.values()
                      for _, crowd in objects[name, category])
        if not n_truth:
            continue
        n_classes += 1
        scored = [[] for _ in THRESHOLDS]
        for name in sorted(names.values()):
            found = sorted((r for r in images[name] if r[2] == label),
                           key=lambda r: -r[0])[:MAX_DETECTIONS]
            here = sorted(objects[name, category], key=lambda t: t[1])
            for i, threshold in enumerate(THRESHOLDS):
                scored[i] += [(row[0], hit) for row, hit in
                              zip(found, match(found, here, threshold)) if hit is not None]
        for i, rows in enumerate(scored):
            rows.sort(key=lambda r: -r[0])
            sums[i] += average(rows, n_truth)
    return sum(sums) / len(sums) / n_classes, sums[0] / n_classes


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as f, open(sys.argv[2], encoding="utf-8") as d:
        print("AP %.4f AP50 %.4f" % average_precision(json.load(f), read_detections(d)))


if __name__ == "__main__":
    main()
