#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Runs a pipeline in gst-launch-1.0's syntax and prints the events of its yolov10zones, a line of
JSON each, and at the end what came of each zone and line.

usage: events.py [--only EVENT,…] ELEMENT [PROPERTY=VALUE…] ! ELEMENT …

Ctrl-C ends the pipeline early, but completes its file. Exit status 0 only if it reached its end.
"""
import sys

import detections
from detections import Gst, visible


class Events:
    def __init__(self, only):
        self.only = only
        self.zones = {}                 # name: [entered, longest stay in seconds]
        self.lines = {}                 # name: [in, out]

    def take(self, _element, event):
        kind, name = event.get_string("event"), event.get_string("zone") or event.get_string("line")
        if kind == "cross":
            self.lines[name] = [event.get_uint64("in")[1], event.get_uint64("out")[1]]
        elif kind in ("enter", "leave"):
            zone = self.zones.setdefault(name, [0, 0.0])
            zone[0] += kind == "enter"
            zone[1] = max(zone[1], event.get_uint64("duration")[1] / 1e9)
        if not self.only or kind in self.only:
            print(event.get_string("json"), flush=True)

    def summary(self):
        for name, (crossed_in, crossed_out) in sorted(self.lines.items()):
            yield f"{visible(name)}: {crossed_in} in, {crossed_out} out"
        for name, (entered, longest) in sorted(self.zones.items()):
            yield f"{visible(name)}: {entered} entered, the longest stay {longest:.1f} s"


def main():
    words, only = sys.argv[1:], ()
    if words[:1] == ["--only"]:
        only, words = words[1].split(","), words[2:]
    if not words:
        sys.exit(__doc__)
    Gst.init(None)
    try:
        pipeline = Gst.parse_launchv(words)
    except detections.GLib.Error as error:
        sys.exit(f"events.py: {visible(error.message)}")
    events = Events(only)
    for element in detections.elements(pipeline, "yolov10zones"):
        element.connect("event", events.take)
    why = detections.run(pipeline)
    pipeline.set_state(Gst.State.NULL)
    if why:
        sys.exit(f"events.py: {why}")
    for line in events.summary():
        print(line, file=sys.stderr)


if __name__ == "__main__":
    main()
