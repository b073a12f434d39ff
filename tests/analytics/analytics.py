# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Shared by the tests of upstream's analytics elements: skips where elements
are missing, reads the metadata by upstream's bindings, and checks pixels. Exits
with 77 where the bindings are missing."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
try:
    import scenes
    import gi
    gi.require_version("GstAnalytics", "1.0")
    from gi.repository import GLib, Gst, GstAnalytics
except (ImportError, ValueError) as error:
    print("SKIP: python3-gi and the typelib of GstAnalytics (GStreamer 1.24):", error)
    sys.exit(77)

pull, PLACES, CODES = scenes.pull, scenes.PLACES, scenes.CODES


def start(*elements):
    """Skips the test if one of @elements is missing."""
    Gst.init(None)
    missing = [name for name in elements if not Gst.ElementFactory.find(name)]
    if missing:
        print("SKIP:", Gst.version_string(), "has no", ", ".join(missing))
        sys.exit(77)


def objects(buffer):
    """{label: [(box, id)]} by GstAnalytics; the id is the tracker's, or None
    without one."""
    relations = GstAnalytics.buffer_get_analytics_relation_meta(buffer)
    found = {}
    length = GstAnalytics.relation_get_length(relations) if relations else 0
    tracks = [track for ok, track in map(relations.get_tracking_mtd, range(length)) if ok] \
        if length else []
    for i in range(length):
        ok, detected = relations.get_od_mtd(i)
        if not ok:
            continue
        _, x, y, w, h, _confidence = detected.get_location()
        ids = [track.get_info()[1] for track in tracks
               if relations.get_relation(detected.id, track.id) & GstAnalytics.RelTypes.RELATE_TO]
        label = GLib.quark_to_string(detected.get_obj_type())
        found.setdefault(label, []).append(((x, y, x + w, y + h), ids[0] if ids else None))
    return found


class Picture:
    """An RGB frame."""

    def __init__(self, data, width):
        self.data, self.width = data, width

    def at(self, x, y):
        return tuple(self.data[(y * self.width + x) * 3:][:3])

    def has(self, colour, x, y, reach, across):
        """Whether a pixel within @reach of x,y is of that colour: @across looks along x, else y."""
        return any(max(abs(a - b) for a, b in zip(self.at(*place), colour)) < 60
                   for d in range(-reach, reach + 1)
                   for place in [(x + d, y) if across else (x, y + d)])

    def save(self, name, height):
        """Writes NAME.png into the test's own folder, for inspection."""
        size = self.width * height * 3
        subprocess.run(
            ["gst-launch-1.0", "-q", "fdsrc", f"blocksize={size}", "!", "rawvideoparse",
             "format=rgb", f"width={self.width}", f"height={height}", "!", "pngenc", "!",
             "filesink", f"location={name}.png"], input=self.data, check=True, timeout=60)
