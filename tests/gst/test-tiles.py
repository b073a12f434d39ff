#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Pictures of COCO are pasted into one of 3840x2160 so that the edges of tiles cut objects whose
places are known from COCO's annotations. yolov10detect with tiles finds each of them once, and two
people who overlap stay two.

usage: test-tiles.py
"""
import json
import os
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
SHARED = os.path.join(ROOT, "../shared")
MODEL = os.path.join(SHARED, "models/yolov10n-coco.safetensors")
ANNOTATIONS = os.path.join(SHARED, "coco80/instances_val2017.json")
SIZE = (3840, 2160)
TILES = "1280"
# Inner edges of the tiles: 4 columns and 2 rows of 1280 pixels.
EDGES_X = (853, 1280, 1707, 2133, 2560, 2987)
EDGES_Y = (880, 1280)
# The file, where the middle of its objects goes, and their label. All annotated
# objects with this label are looked for that are larger than 1/100 of the picture.
PASTED = [("000000208901.jpg", (1280, 400), "airplane"),
          ("000000485895.jpg", (2133, 1280), "giraffe"),
          ("000000051712.jpg", (2560, 880), "person"),
          ("000000269316.jpg", (853, 1280), "person"),
          ("000000359937.jpg", (2987, 1500), "bus")]
# Below, the network detects one of the two people twice, without tiles as well.
CONFIDENCE = 0.5
SAME = 0.5      # IoU of an object and its detection
PART = 0.3      # of two boxes that are, perhaps, of one object


def skip(why):
    print("SKIP:", why)
    sys.exit(77)


for path in (MODEL, ANNOTATIONS):
    if not os.path.exists(path):
        skip(f"{os.path.relpath(path, ROOT)} is missing")
try:
    import gi
    gi.require_version("Gst", "1.0")
    from gi.repository import Gst
except (ImportError, ValueError) as error:
    skip(f"python3-gi and the GStreamer typelibs: {error}")
sys.path.insert(0, os.path.join(ROOT, "pipelines"))
import detections  # noqa: E402


def iou(a, b):
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    if width <= 0 or height <= 0:
        return 0
    both = width * height
    return both / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - both)


def annotated():
    """Size and boxes with labels of each file."""
    with open(ANNOTATIONS, encoding="utf-8") as file:
        coco = json.load(file)
    labels = {c["id"]: c["name"] for c in coco["categories"]}
    files = {i["id"]: i["file_name"] for i in coco["images"]}
    found = {}
    for a in coco["annotations"]:
        x, y, w, h = a["bbox"]
        if not a["iscrowd"]:
            found.setdefault(files[a["image_id"]], []).append(
                (labels[a["category_id"]], (x, y, x + w, y + h)))
    return found


def decode(name):
    """Width, height and rows of RGB pixels."""
    path = os.path.join(SHARED, "coco80/images", name)
    pipeline = Gst.parse_launch("filesrc name=file ! jpegdec ! videoconvert "
                                "! video/x-raw,format=RGB ! appsink name=sink")
    pipeline.get_by_name("file").set_property("location", path)
    pipeline.set_state(Gst.State.PLAYING)
    sample = pipeline.get_by_name("sink").emit("pull-sample")
    caps, buffer = sample.get_caps().get_structure(0), sample.get_buffer()
    width, height = caps.get_int("width")[1], caps.get_int("height")[1]
    data = buffer.extract_dup(0, buffer.get_size())
    pipeline.set_state(Gst.State.NULL)
    stride = len(data) // height
    return width, height, [data[y * stride:y * stride + 3 * width] for y in range(height)]


def compose():
    """The picture and its objects."""
    picture = bytearray(b"\x72" * (SIZE[0] * SIZE[1] * 3))
    known = annotated()
    objects = []
    for name, middle, label in PASTED:
        width, height, rows = decode(name)
        boxes = [b for label_of, b in known[name] if label_of == label
                 and (b[2] - b[0]) * (b[3] - b[1]) * 100 > width * height]
        left = middle[0] - round((min(b[0] for b in boxes) + max(b[2] for b in boxes)) / 2)
        top = middle[1] - round((min(b[1] for b in boxes) + max(b[3] for b in boxes)) / 2)
        for y, row in enumerate(rows):
            start = ((top + y) * SIZE[0] + left) * 3
            picture[start:start + len(row)] = row
        objects += [(label, (b[0] + left, b[1] + top, b[2] + left, b[3] + top)) for b in boxes]
    return bytes(picture), objects


def detect(picture, tiles):
    pipeline = Gst.parse_launch(
        f"appsrc name=source caps=video/x-raw,format=RGB,width={SIZE[0]},height={SIZE[1]},"
        f"framerate=1/1 format=time ! yolov10detect name=detector tiles={tiles} "
        f"confidence={CONFIDENCE} ! appsink name=sink")
    pipeline.get_by_name("detector").set_property("model-file", MODEL)
    pipeline.set_state(Gst.State.PLAYING)
    source = pipeline.get_by_name("source")
    source.emit("push-buffer", Gst.Buffer.new_wrapped(picture))
    source.emit("end-of-stream")
    sample = pipeline.get_by_name("sink").emit("pull-sample")
    if not sample:
        message = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
        sys.exit(message.parse_error()[0].message if message else "no frame")
    frame = detections.read(sample.get_buffer())
    pipeline.set_state(Gst.State.NULL)
    return [(d.label, d.confidence, [d.box[i] * SIZE[i % 2] for i in range(4)])
            for d in frame.detections]


def crosses(box):
    return any(box[0] < x < box[2] for x in EDGES_X) or any(box[1] < y < box[3] for y in EDGES_Y)


def main():
    Gst.init(None)
    for need in ("jpegdec", "videoconvert", "appsrc"):
        if not Gst.ElementFactory.find(need):
            skip(f"GStreamer's {need} is missing")
    picture, objects = compose()
    found = detect(picture, TILES)
    whole = detect(picture, "none")
    wrong = 0
    for label, box in objects:
        same = [d for d in found if d[0] == label and iou(d[2], box) >= SAME]
        others = [b for other, b in objects if other == label and b != box]
        # A second detection of this object, and not of another one beside it.
        parts = [d for d in found if d[0] == label and d not in same and iou(d[2], box) > PART
                 and all(iou(d[2], b) < SAME for b in others)]
        if len(others) and len(same) > 1:
            same = [d for d in same if iou(d[2], box) >= max(iou(d[2], b) for b in others)]
        ok = len(same) == 1 and not parts
        wrong += not ok
        print(f"{'ok' if ok else 'WRONG'}: {label} at {[round(v) for v in box]}: "
              f"{[round(d[1], 2) for d in same]} {parts}")
    alone = sum(any(d[0] == label and iou(d[2], box) >= SAME for d in whole)
                for label, box in objects)
    cut = sum(crosses(box) for _label, box in objects)
    print(f"{len(objects)} objects, {cut} of them on edges of tiles; without tiles {alone} are found")
    if alone == len(objects):
        print("WRONG: the objects are also found without tiles")
    if cut < len(PASTED):
        print("WRONG: too few objects are on edges")
    return wrong > 0 or alone == len(objects) or cut < len(PASTED)


sys.exit(main())
