#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Runs the pipeline of pipelines/images.sh once for each picture; one engine serves all.

usage: folder.py OUTPUT-FOLDER DETECTOR [PROPERTY=VALUE…]     pictures on stdin, NUL between them

A picture that cannot be read is reported, and the others are still processed. Exit status 3 if a
picture cannot be read or is damaged; 1 if nothing was written.
"""
import collections
import os
import sys

import detections
import inputs
from detections import GLib, Gst, visible

inputs.gi.require_version("GdkPixbuf", "2.0")
from gi.repository import GdkPixbuf  # noqa: E402

# videoflip's direction for EXIF's orientation, 1 to 8.
UPRIGHT = ("identity", "horiz", "180", "vert", "ul-lr", "90r", "ur-ll", "90l")


def direction(path):
    """The rotation that makes a picture upright; reads only the beginning of the file."""
    loader, seen = GdkPixbuf.PixbufLoader(), []
    loader.connect("area-prepared", lambda it: seen.append(it.get_pixbuf().get_option("orientation")))
    try:
        with open(path, "rb") as file:
            while not seen and (part := file.read(1 << 16)):
                loader.write(part)
    except GLib.Error:
        pass
    try:
        loader.close()
    except GLib.Error:
        pass
    number = int(seen[0]) if seen and (seen[0] or "").isdigit() else 1
    return UPRIGHT[number - 1] if 1 <= number <= 8 else "identity"


def words_for(path, output, detector):
    return ["filesrc", f"location={path}", "!", "gdkpixbufdec", "!", "videoflip",
            f"video-direction={direction(path)}", "!", "videoconvert", "!", *detector, "!",
            "yolov10overlay", "!", "videoconvert", "!", "pngenc", "!", "filesink",
            f"location={output}"]


def counted(pipeline):
    """Returns a list that gets a summary of each frame's detections."""
    found = []

    def passes(_pad, info):
        frame = detections.read(info.get_buffer())
        labels = collections.Counter(each.label for each in frame.detections) if frame else {}
        found.append(", ".join(f"{n} {label}" for label, n in labels.items()) or "nothing found")
        return Gst.PadProbeReturn.OK

    detections.detectors(pipeline)[0].get_static_pad("src").add_probe(
        Gst.PadProbeType.BUFFER, passes)
    return found


def main():
    folder, *detector = sys.argv[1:]
    paths = [os.fsdecode(name) for name in sys.stdin.buffer.read().split(b"\0") if name]
    names, written, bad, before = set(), 0, 0, None
    Gst.init(None)
    for path in paths:
        name = os.path.basename(path)
        stem = os.path.splitext(name)[0]
        if stem in names:
            stem = name
        names.add(stem)
        output = os.path.join(folder, stem + ".png")
        words = words_for(path, output, detector)
        if path == paths[0]:
            print(detections.command(words) + "\n", flush=True)
        pipeline, found = None, []
        try:
            pipeline = inputs.Words(words).parse()
            found = counted(pipeline)
            why = detections.run(pipeline)
        except UnicodeEncodeError:
            why = "its name is not UTF-8"
        except GLib.Error as error:
            why = error.message
        # The previous pipeline keeps the shared engine until this one has started.
        if before:
            before.set_state(Gst.State.NULL)
        before = pipeline
        if not why and not found:
            why = "there is no picture in it"
        if why and "yolov10detect" in why:
            print(visible(f"error: {why}"), file=sys.stderr)
            break
        damage = inputs.damage(path)
        if damage or why:
            bad += 1
            inputs.warn([(path, damage or why)])
        if why:
            if os.path.exists(output) and not os.path.getsize(output):
                os.unlink(output)
            continue
        written += 1
        print(visible(f"{name}: {found[0]}"), flush=True)
    if before:
        before.set_state(Gst.State.NULL)
    print(visible(f"{written} of {len(paths)} pictures written to {folder}"))
    return 1 if not written or written + bad < len(paths) else 3 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
