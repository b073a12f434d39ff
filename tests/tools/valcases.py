# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Annotations and detections by chance, with all that makes evaluation hard: crowds, equal
confidences, outlines with another area than their box, classes without objects or detections,
pictures without either, ids that are not listed, and more than a hundred boxes in a picture.

As a program it prints what pycocotools makes of them, for GOLDEN in test-val.py."""
import contextlib
import io
import json
import os
import random
import sys
import tempfile

STATS = ("ap ap50 ap75 ap_small ap_medium ap_large "
         "ar_1 ar_10 ar_100 ar_small ar_medium ar_large").split()


def make(seed):
    """COCO's data and results. Only random(), which gives the same in every Python."""
    rand = random.Random(seed)

    def below(n):
        return int(rand.random() * n)

    images = [{"id": 7 * i + below(7), "file_name": f"{i}.jpg", "width": 640, "height": 480}
              for i in range(1, 9 + below(12))]
    classes = [{"id": 3 * i + below(3), "name": f"class {i}"} for i in range(1, 3 + below(6))]
    listed = [c["id"] for c in classes]
    annotations, results = [], []
    steps = (5, 10, 1000)[below(3)]
    for image in images:
        crowded = below(12) == 0
        for _ in range(below(40 if crowded else 12)):
            side = 4 * 2 ** (rand.random() * 6)
            box = [round(rand.random() * 500, below(3)), round(rand.random() * 400, below(3)),
                   round(side * (0.5 + rand.random()), 2), round(side, 2)]
            # The first class has objects, the last one detections only.
            kind = listed[below(len(listed) - 1)] if below(30) else 99
            annotations.append({
                "id": len(annotations) + 1, "image_id": image["id"] if below(40) else 1000,
                "category_id": kind, "bbox": box, "iscrowd": int(below(10) == 0),
                "area": box[2] * box[3] * (1 if below(2) else rand.random())})
            for _ in range(below(5 if not crowded else 20)):
                near = [v + (rand.random() - 0.5) * side * 0.4 * rand.random() for v in box]
                if below(8) == 0:
                    near = box
                results.append({
                    "image_id": image["id"],
                    "category_id": kind if below(6) else listed[below(len(listed))],
                    "bbox": [near[0], near[1], abs(near[2]), abs(near[3])],
                    "score": below(steps + 1) / steps})
    order = [(rand.random(), i) for i in range(len(results))]
    results = [results[i] for _, i in sorted(order)]
    return {"images": images[::-1], "annotations": annotations, "categories": classes[::-1]}, results


def judge(truth, results):
    """What pycocotools says: its twelve numbers, and precision by class and recall."""
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval
    with contextlib.redirect_stdout(io.StringIO()), tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "truth.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump(truth, f)
        known = COCO(path)
        judged = COCOeval(known, known.loadRes(results), "bbox")
        judged.evaluate()
        judged.accumulate()
        judged.summarize()
    return dict(zip(STATS, judged.stats)), judged.eval["precision"]


if __name__ == "__main__":
    for number in map(int, sys.argv[1:]):
        numbers = ", ".join(f"{value:.12g}" for value in judge(*make(number))[0].values())
        print(f"    {number}: ({numbers}),")
