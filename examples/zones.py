#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Counts the objects in zones of the picture, and draws the zones with their counts.

examples/zones.py --zone "door=0.1,0.2 0.5,0.9" --zone "desk=0.6,0 1,1" street.mp4 counted.mkv

A zone is a name and the left, top, right and bottom edge as fractions of the picture; an object is
in the zone that contains its centre. Prints a JSON line whenever a count changes. Only python3-gi
is needed.
"""
import argparse
import collections
import json
import os
import statistics
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
if os.path.exists(os.path.join(ROOT, "build/gst")):     # a clone
    os.environ.setdefault("GST_PLUGIN_PATH", os.path.join(ROOT, "build/gst"))
sys.dont_write_bytecode = True          # beside modules that are perhaps installed
sys.path.insert(0, os.path.join(ROOT, "pipelines"))
import detections  # noqa: E402
from detections import Gst  # noqa: E402
detections.gi.require_version("GstVideo", "1.0")
from gi.repository import GstVideo  # noqa: E402

EMPTY, OCCUPIED = (0xE0, 0x40, 0x40), (0x30, 0xC0, 0x50)    # red, green, blue
EDGE = 4                                                    # pixels
SETTLE = 5      # frames of which the median counts, so that one missed object changes nothing
SCENE = f"filesrc location={ROOT}/pipelines/codes.png ! gdkpixbufdec ! imagefreeze num-buffers=90" \
        " ! video/x-raw,framerate=30/1 ! videoconvert"


class Zone:
    def __init__(self, text):
        self.name, _, edges = text.partition("=")
        # Two corners, as the property region has them.
        self.box = [float(edge) for corner in edges.split(" ") for edge in corner.split(",")]
        x0, y0, x1, y1 = self.box
        if not (self.name and 0 <= x0 < x1 <= 1 and 0 <= y0 < y1 <= 1):
            raise ValueError
        self.latest = collections.deque(maxlen=SETTLE)
        self.count = 0

    def look(self, frame):
        x0, y0, x1, y1 = self.box
        centres = [((o.box[0] + o.box[2]) / 2, (o.box[1] + o.box[3]) / 2) for o in frame.detections]
        self.latest.append(sum(x0 <= x < x1 and y0 <= y < y1 for x, y in centres))
        self.count = statistics.median_low(self.latest)

    def rectangles(self, width, height):
        """The zone's four edges, and a square for each object in a corner."""
        x0, x1 = (round(x * width) for x in self.box[::2])
        y0, y1 = (round(y * height) for y in self.box[1::2])
        squares = [(x0 + 3 * EDGE * (i + 1), y0 + 3 * EDGE, 2 * EDGE, 2 * EDGE)
                   for i in range(self.count)]
        for x, y, w, h in ((x0, y0, x1 - x0, EDGE), (x0, y1 - EDGE, x1 - x0, EDGE),
                           (x0, y0, EDGE, y1 - y0), (x1 - EDGE, y0, EDGE, y1 - y0), *squares):
            yield GstVideo.VideoOverlayRectangle.new_raw(
                DYE[self.count > 0], x, y, w, h, GstVideo.VideoOverlayFormatFlags.NONE)


def dye(red, green, blue):
    """Four pixels of one colour, which are stretched to a rectangle."""
    buffer = Gst.Buffer.new_wrapped(bytes((blue, green, red, 255)) * 4)
    GstVideo.buffer_add_video_meta(buffer, GstVideo.VideoFrameFlags.NONE,
                                   GstVideo.VideoFormat.BGRA, 2, 2)
    return buffer


def draw(_element, sample, zones):
    """overlaycomposition calls this for each frame: reads the metadata and returns the drawing."""
    buffer, caps = sample.get_buffer(), sample.get_caps().get_structure(0)
    before = [zone.count for zone in zones]
    frame = detections.read(buffer)
    for zone in zones:
        zone.look(frame)
    counts = {zone.name: zone.count for zone in zones}
    if list(counts.values()) != before:
        print(json.dumps({"time": round(buffer.pts / Gst.SECOND, 3), "zones": counts}), flush=True)
    size = caps.get_int("width").value, caps.get_int("height").value
    rectangles = [r for zone in zones for r in zone.rectangles(*size)]
    composition = GstVideo.VideoOverlayComposition.new(rectangles[0])
    for rectangle in rectangles[1:]:
        composition.add_rectangle(rectangle)
    return composition


def zone_argument(text):
    try:
        return Zone(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"'{text}' is not \"NAME=X0,Y0 X1,Y1\" with 0 <= X0 < X1 <= 1 and so for Y") from None


parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--zone", type=zone_argument, action="append", metavar="NAME=X0,Y0 X1,Y1")
parser.add_argument("--model", metavar="FILE", help="weights, instead of the bundled model")
parser.add_argument("input", nargs="?", help="video; codes on paper unless given")
parser.add_argument("output", nargs="?",
                    help=".mkv to write; else a window, or zones-counted.mkv without a screen")
given = parser.parse_args()
if not given.output and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
    given.output = "zones-counted.mkv"
    print(f"zones.py: there is no screen; writing {given.output}", file=sys.stderr)
watched = given.zone or [Zone("left=0,0 0.5,1"), Zone("right=0.5,0 1,1")]
Gst.init(None)
DYE = [dye(*EMPTY), dye(*OCCUPIED)]
# NMS across classes, so that each object counts once; and only confident detections count.
pipeline = Gst.parse_launch(
    ("filesrc name=in ! decodebin ! videoconvert" if given.input else SCENE)
    + " ! yolov10detect name=detector class-agnostic-nms=true"
    " confidence=0.4"
    " ! videoconvert ! overlaycomposition name=draw ! videoconvert ! "
    + ("x264enc speed-preset=veryfast pass=qual quantizer=18 ! matroskamux ! filesink name=out"
       if given.output else "autovideosink"))
for name, property_name, value in (("in", "location", given.input), ("out", "location", given.output),
                                   ("detector", "model-file", given.model)):
    if value:
        pipeline.get_by_name(name).set_property(property_name, value)
pipeline.get_by_name("draw").connect("draw", draw, watched)
why = detections.run(pipeline)
pipeline.set_state(Gst.State.NULL)
sys.exit(f"zones.py: {why}" if why else 0)
