#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Tells what objects do in zones of the picture and at lines, and draws these with their counts.

examples/zones.py --zone "door=0.1,0.2 0.5,0.9" --zone "gate=0.6,0.5 -> 1,0.5" street.mp4 counted.mkv

A zone is a name and two opposite corners of a rectangle or more of a polygon, a line a name and its
two ends; --file takes a file of both (docs/tracking.md). Prints each event as a line of JSON, and at
the end who was where. Only python3-gi is needed.
"""
import argparse
import collections
import json
import os
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
if os.path.exists(os.path.join(ROOT, "build/gst")):     # a clone
    os.environ.setdefault("GST_PLUGIN_PATH", os.path.join(ROOT, "build/gst"))
sys.dont_write_bytecode = True          # beside modules that are perhaps installed
sys.path.insert(0, os.path.join(ROOT, "pipelines"))
import detections  # noqa: E402
from detections import Gst  # noqa: E402

SCENE = f"filesrc location={ROOT}/pipelines/codes.png ! gdkpixbufdec ! imagefreeze num-buffers=90" \
        " ! video/x-raw,framerate=30/1 ! videoconvert"
VISITORS = collections.defaultdict(set)         # zone: ids of the objects that were in it


def on_event(_zones, event):
    """yolov10zones calls this for each event, before the frame goes on."""
    print(event.get_string("json"), flush=True)
    if event.get_string("event") == "enter":
        VISITORS[event.get_string("zone")].add(event.get_uint64("id")[1])


parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--zone", action="append", metavar="NAME=X,Y X,Y …", help="or NAME=X,Y -> X,Y, a line")
parser.add_argument("--file", help="zones and lines as JSON")
parser.add_argument("--dwell", type=float, default=0, metavar="S", help="tell who stays that many seconds")
parser.add_argument("--classes", default="", help="only these, separated by commas")
parser.add_argument("--model", metavar="FILE", help="weights, instead of the bundled model")
parser.add_argument("input", nargs="?", help="video; codes on paper unless given")
parser.add_argument("output", nargs="?",
                    help=".mkv to write; else a window, or zones-counted.mkv without a screen")
given = parser.parse_args()
if not given.output and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
    given.output = "zones-counted.mkv"
    print(f"zones.py: there is no screen; writing {given.output}", file=sys.stderr)
Gst.init(None)
# NMS across classes, so that each object counts once; and only confident detections count.
pipeline = Gst.parse_launch(
    ("filesrc name=in ! decodebin ! videoconvert" if given.input else SCENE)
    + " ! yolov10detect name=detector class-agnostic-nms=true confidence=0.4"
    " ! yolov10track ! yolov10zones name=zones ! yolov10overlay ! videoconvert ! "
    + ("x264enc speed-preset=veryfast pass=qual quantizer=18 ! matroskamux ! filesink name=out"
       if given.output else "autovideosink"))
zones = "" if given.file else "; ".join(given.zone or ["left=0,0 0.5,1", "right=0.5,0 1,1"])
for name, property_name, value in (
        ("in", "location", given.input), ("out", "location", given.output), ("detector", "model-file", given.model),
        ("zones", "zones", zones), ("zones", "zones-file", given.file), ("zones", "classes", given.classes),
        ("zones", "dwell", int(given.dwell * Gst.SECOND))):
    if value:
        pipeline.get_by_name(name).set_property(property_name, value)
pipeline.get_by_name("zones").connect("event", on_event)
why = detections.run(pipeline)
pipeline.set_state(Gst.State.NULL)
print(json.dumps({"visitors": {name: len(ids) for name, ids in VISITORS.items()}}))
sys.exit(f"zones.py: {why}" if why else 0)
