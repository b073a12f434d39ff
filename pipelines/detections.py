# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Shared by the programs here: running a pipeline to its end, and reading yolov10detect's
metadata. Needs python3-gi only, no bindings of ours."""
import os
import re
import struct
import sys
from typing import NamedTuple

try:
    import gi
    gi.require_version("Gst", "1.0")
    from gi.repository import GLib, Gst  # noqa: F401
except (ImportError, ValueError) as missing:
    sys.exit(f"{os.path.basename(sys.argv[0])}: {missing} (Debian: sudo apt-get install python3-gi "
             "gir1.2-gstreamer-1.0)")

FRAME_META = "GstYolov10FrameMeta"
RECORD = struct.Struct("=iifffffI")     # GstYolov10Record of gstyolov10framemeta.h


class Detection(NamedTuple):
    label: str
    confidence: float
    box: tuple                          # x_min y_min x_max y_max, fractions of the frame


class Frame(NamedTuple):
    model: str
    size: tuple                         # width and height in pixels
    detections: list


def read(buffer):
    """The Frame of a buffer, or None if no detector has processed it."""
    meta = buffer.get_custom_meta(FRAME_META)
    if not meta:
        return None
    frame = meta.get_structure()
    count, step = frame.get_uint("count")[1], frame.get_uint("record-size")[1]
    records = frame.get_value("records").get_data() if count else b""
    labels = frame.get_string("labels").encode()
    found = []
    for i in range(count):
        _id, _label_id, confidence, *box, start = RECORD.unpack_from(records, i * step)
        label = labels[start:labels.index(b"\n", start)].decode()
        found.append(Detection(label, confidence, tuple(box)))
    return Frame(frame.get_string("model"),
                 (frame.get_uint("width")[1], frame.get_uint("height")[1]), found)


def detectors(pipeline):
    """The detectors of a pipeline, in their order."""
    found = []
    walk = pipeline.iterate_recurse()
    while True:
        result, element = walk.next()
        if result != Gst.IteratorResult.OK:
            return found[::-1]
        factory = element.get_factory()
        if factory and factory.get_name() == "yolov10detect":
            found.append(element)


def visible(text):
    """Escapes control characters, which file and class names may contain."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "replace").decode()
                   if not 0xDC80 <= ord(c) <= 0xDCFF else f"\\x{ord(c) - 0xDC00:02x}" for c in text)


def reason(source, error, debug):
    """An error or warning in one line, with details if the text is GStreamer's general one."""
    name = re.sub(r"\d+$", "", source.get_name())
    _where, _, details = (debug or "").partition("\n")
    if details and not name.startswith("yolov10"):
        return f"{name}: {error.message} {' '.join(details.split())}"
    return f"{name}: {error.message}"


def run(pipeline, tick=None):
    """Runs the pipeline; returns None, or the reason why it failed. Ctrl-C ends it early, but
    completes the output. Calls @tick now and then, and with True at the end."""
    bus = pipeline.get_bus()
    wanted = Gst.MessageType.EOS | Gst.MessageType.ERROR | Gst.MessageType.WARNING \
        | Gst.MessageType.LATENCY
    pipeline.set_state(Gst.State.PLAYING)
    while True:
        try:
            message = bus.timed_pop_filtered(200 * Gst.MSECOND, wanted)
        except KeyboardInterrupt:
            print("\nstopping", file=sys.stderr)
            pipeline.send_event(Gst.Event.new_eos())
            continue
        if tick:
            tick(False)
        if message is None:
            continue
        if message.type == Gst.MessageType.LATENCY:
            pipeline.recalculate_latency()
            continue
        if message.type == Gst.MessageType.EOS:
            break
        if message.type == Gst.MessageType.ERROR:
            error, debug = message.parse_error()
            # Only the video is linked.
            if "not-linked" in (debug or ""):
                return "no video was found in the input"
            return visible(reason(message.src, error, debug))
        error, debug = message.parse_warning()
        # The error that follows has more details.
        if "delayed linking" in (debug or ""):
            continue
        print(f"warning: {visible(reason(message.src, error, debug))}", file=sys.stderr)
    if tick:
        tick(True)
    return None
