#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Runs a pipeline in gst-launch-1.0's syntax and reports yolov10detect's detections.

usage: report.py [--stats] ELEMENT [PROPERTY=VALUE…] ! ELEMENT …

Runs the pipeline to its end (Ctrl-C ends it early, but completes the file), then prints a table of the detected classes, the model, backend and
precision, and the speed. Like any application it reads the metadata of passing frames; nothing
runs twice. Exit status 0 only if the pipeline reached its end.
"""
import sys
import time

import detections
from detections import Gst, visible


class Tally:
    """Statistics of one detector: frames, and for each class those with it, the most at once and the
    best confidence."""

    def __init__(self, detector):
        self.frames = 0
        self.size = None
        self.model = None
        self.first = self.last = None
        self.classes = {}               # label: [frames, at once, best confidence]
        self.sink = detector.get_static_pad("sink")
        self.source = detector.get_static_pad("src")
        self.sink.add_probe(Gst.PadProbeType.BUFFER, self.enters)
        self.source.add_probe(Gst.PadProbeType.BUFFER, self.leaves)

    def enters(self, _pad, _info):
        if self.first is None:
            self.first = time.monotonic()
        return Gst.PadProbeReturn.OK

    def leaves(self, _pad, info):
        self.frames += 1
        self.last = time.monotonic()
        frame = detections.read(info.get_buffer())
        if frame:
            self.add(frame)
        return Gst.PadProbeReturn.OK

    def add(self, frame):
        self.model, self.size = frame.model, frame.size
        here = {}
        for found in frame.detections:
            here.setdefault(found.label, []).append(found.confidence)
        for label, scores in here.items():
            row = self.classes.setdefault(label, [0, 0, 0.0])
            row[0] += 1
            row[1] = max(row[1], len(scores))
            row[2] = max(row[2], *scores)

    def show(self, over):
        """Shows the progress on a terminal."""
        if sys.stderr.isatty() and self.frames > 1:
            print("\r\033[K" if over else f"\rframe {self.frames}", end="", file=sys.stderr)


def table(tally, confidence):
    rows = sorted(tally.classes.items(), key=lambda row: (-row[1][0], row[0]))
    if not rows:
        return f"  nothing found with a confidence of {confidence:.2f} or more"
    titles = ["class", "frames", "most at once", "best"]
    cells = [[visible(label), str(frames), str(most), f"{best:.2f}"]
             for label, (frames, most, best) in rows]
    widths = [max(len(line[i]) for line in [titles] + cells) for i in range(len(titles))]
    return "\n".join(
        "  " + "   ".join([line[0].ljust(widths[0])]
                          + [cell.rjust(width) for cell, width in zip(line[1:], widths[1:])])
        for line in [titles] + cells)


STAGES = ("wait", "preprocess", "inference", "postprocess", "delay")


def milliseconds(stats, stage, figure="median"):
    """A figure of a stage from the detector's statistics."""
    ok, value = stats.get_uint64(f"{stage}-{figure}")
    return value / 1e6 if ok else 0.0


def statistics(stats):
    lines = [f"{'ms a frame':14}{'median':>8}{'p95':>8}{'max':>8}"]
    for stage in STAGES:
        lines.append(f"{stage:14}" + "".join(f"{milliseconds(stats, stage, figure):8.2f}"
                                             for figure in ("median", "p95", "max")))
    frames = ", ".join(f"{stats.get_uint64(what)[1]} {what}"
                       for what in ("inferred", "held", "skipped"))
    return "\n".join(lines + [f"frames        {frames}"])


def report(detector, tally, with_stats):
    ran = [detector.get_property(f"active-{what}") or "?"
           for what in ("backend", "device", "precision")]
    width, height = tally.size or (0, 0)
    print(f"{visible(str(tally.model))} on {ran[0]} ({ran[1]}), {ran[2]}")
    passed_over = detector.get_property("fallback-reason")
    if passed_over:
        print(f"(nothing faster: {passed_over})")
    print(f"\n{table(tally, detector.get_property('confidence'))}\n")
    stats = detector.get_property("stats")
    stages = [milliseconds(stats, stage) for stage in ("preprocess", "inference", "postprocess")]
    parts = "preprocessing {:.1f}, inference {:.1f}, postprocessing {:.1f} ms".format(*stages)
    seconds = max(tally.last - tally.first, 1e-9)
    print(f"{tally.frames} frames of {width}x{height} in {seconds:.2f} s: "
          f"{tally.frames / seconds:.1f} frames per second, with all else in the pipeline "
          f"({parts} a frame)")
    if with_stats:
        print(f"\n{statistics(stats)}")


def main():
    words = sys.argv[1:]
    with_stats = words[:1] == ["--stats"]
    words = words[with_stats:]
    if not words or words[0] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if words else 2
    Gst.init(None)
    try:
        pipeline = Gst.parse_launchv(words)
    except detections.GLib.Error as error:
        print(f"error: {visible(error.message)}", file=sys.stderr)
        return 1
    found = detections.detectors(pipeline)
    tallies = [Tally(detector) for detector in found]
    try:
        why = detections.run(pipeline, tallies[0].show if tallies else None)
        if why is None and any(not tally.frames for tally in tallies):
            why = "the input has no picture in it"
        if why is None:
            for number, (detector, tally) in enumerate(zip(found, tallies)):
                print("\n" if number else "", end="")
                report(detector, tally, with_stats)
    finally:
        pipeline.set_state(Gst.State.NULL)
    if why:
        print(f"error: {why}", file=sys.stderr)
    return 1 if why else 0


if __name__ == "__main__":
    sys.exit(main())
