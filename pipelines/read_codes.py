#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Runs a pipeline with yolov10detect and prints the codes that zxing-cpp reads in its boxes.

usage: read_codes.py ELEMENT [PROPERTY=VALUE…] ! ELEMENT …

Elements as for gst-launch-1.0; the detector's frames must be RGB, or YUV or gray of 8 bits with a
separate plane for luma. Prints a line for each code the first time it is read: time in the stream,
label, text; at the end, on stderr, the numbers of frames and regions. Exit status 0 only if the
pipeline reached its end. The contents of codes are untrusted: they are escaped and never run, and
the list of known codes is limited.
"""
import collections
import signal
import sys

import detections
from detections import Gst

try:
    import gi
    gi.require_version("GstVideo", "1.0")
    from gi.repository import GstVideo
    import numpy
    import zxingcpp
except (ImportError, ValueError) as missing:
    sys.exit(f"read_codes.py: {missing}; tools/setup.sh --codes installs what is needed (Debian: "
             "sudo apt-get install python3-zxing-cpp python3-numpy gir1.2-gst-plugins-base-1.0)")

# The margin around a box, relative to its size: codes need their quiet zone.
MARGIN = 0.12
# Classes without text: there is nothing to decode.
MUTE = {"ball", "marker"}
# Crops of up to so many pixels are tried again at twice the size.
SMALL = 1 << 20
REMEMBERED = 16384


class Picture:
    """Reads the brightness of parts of one frame."""

    def __init__(self, info, buffer):
        meta = GstVideo.buffer_get_video_meta(buffer)
        self.buffer = buffer
        self.width, self.height = info.width, info.height
        self.offset, self.stride = (meta.offset[0], meta.stride[0]) if meta \
            else (info.offset[0], info.stride[0])
        self.bytes = 3 if info.finfo.format == GstVideo.VideoFormat.RGB else 1

    def crop(self, box, margin):
        """Returns the part around a box given in fractions; copies only its rows."""
        dx, dy = margin * (box[2] - box[0]), margin * (box[3] - box[1])
        x0, x1 = (min(max(v * self.width, 0), self.width) for v in (box[0] - dx, box[2] + dx))
        y0, y1 = (min(max(v * self.height, 0), self.height) for v in (box[1] - dy, box[3] + dy))
        x0, y0, x1, y1 = int(x0), int(y0), int(numpy.ceil(x1)), int(numpy.ceil(y1))
        if x1 - x0 < 4 or y1 - y0 < 4:
            return None
        size = (y1 - y0) * self.stride
        data = self.buffer.extract_dup(self.offset + y0 * self.stride, size)
        # The last row may lack the padding.
        rows = numpy.frombuffer(data.ljust(size, b"\0"), numpy.uint8).reshape(y1 - y0, self.stride)
        part = rows[:, x0 * self.bytes:x1 * self.bytes]
        if self.bytes == 3:
            red, green, blue = (part[:, i::3].astype(numpy.uint16) for i in range(3))
            part = (77 * red + 150 * green + 29 * blue) >> 8
        return numpy.ascontiguousarray(part, numpy.uint8)


def doubled(gray):
    """Doubles the size by linear interpolation: first the rows, then the columns."""
    for _ in range(2):
        after = numpy.concatenate((gray[1:], gray[-1:]))
        between = ((gray.astype(numpy.uint16) + after) >> 1).astype(numpy.uint8)
        gray = numpy.stack((gray, between), 1).reshape(-1, gray.shape[1]).T
    return numpy.ascontiguousarray(gray)


# Returns the text unchanged: from version 2 on the default writes control characters as "<GS>".
PLAIN = {"text_mode": zxingcpp.TextMode.Plain} if hasattr(zxingcpp, "TextMode") else {}


def decode(gray):
    """Returns the codes in a crop."""
    found = zxingcpp.read_barcodes(gray, **PLAIN)
    if not found and gray.size <= SMALL:
        found = zxingcpp.read_barcodes(doubled(gray), **PLAIN)
    return found


def printable(text):
    return "".join(c if c.isprintable() and c != "\\" else c.encode("unicode_escape").decode()
                   for c in text)


def clock(ns):
    seconds, ms = divmod(ns // 1000000, 1000)
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}.{ms:03}"


class Reader:
    """Reads the codes of each frame behind a detector."""

    def __init__(self, detector):
        self.frames = self.crops = self.codes = 0
        self.broken = False
        self.known = collections.OrderedDict()
        self.info = self.caps = None
        self.pad = detector.get_static_pad("src")
        self.pad.add_probe(Gst.PadProbeType.BUFFER, self.passes)

    def passes(self, pad, info):
        # An exception in a probe would only be printed, frame after frame.
        try:
            if not self.broken:
                self.look(pad, info.get_buffer())
        except Exception as error:  # pylint: disable=broad-except
            element = pad.get_parent_element()
            element.post_message(Gst.Message.new_error(
                element, detections.GLib.Error(f"{type(error).__name__}: {error}"), ""))
            self.broken = True
        return Gst.PadProbeReturn.OK

    def look(self, pad, buffer):
        self.frames += 1
        frame = detections.read(buffer)
        wanted = [found for found in frame.detections if found.label not in MUTE] if frame else []
        if not wanted:
            return
        caps = pad.get_current_caps()
        if not self.caps or not caps.is_equal(self.caps):
            self.caps, self.info = caps, GstVideo.VideoInfo.new_from_caps(caps)
        picture = Picture(self.info, buffer)
        for found in wanted:
            gray = picture.crop(found.box, MARGIN)
            if gray is None:
                continue
            self.crops += 1
            for code in decode(gray):
                self.tell(pad, buffer, found.label, code)

    def tell(self, pad, buffer, label, code):
        key = str(code.format), code.text
        if key in self.known:
            self.known.move_to_end(key)
            return
        self.known[key] = True
        if len(self.known) > REMEMBERED:
            self.known.popitem(last=False)
        self.codes += 1
        segment = pad.get_sticky_event(Gst.EventType.SEGMENT, 0).parse_segment()
        time = segment.to_stream_time(Gst.Format.TIME, buffer.pts)
        time = "-" if time == Gst.CLOCK_TIME_NONE else clock(time)
        print(time, detections.visible(label), printable(code.text), sep="\t", flush=True)


def main():
    words = sys.argv[1:]
    if not words or words[0] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if words else 2
    # Like other filters, end silently if the reader closes the pipe.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.stdout.reconfigure(errors="backslashreplace")
    Gst.init(None)
    try:
        pipeline = Gst.parse_launchv(words)
    except detections.GLib.Error as error:
        print(f"error: {detections.visible(error.message)}", file=sys.stderr)
        return 1
    readers = [Reader(detector) for detector in detections.detectors(pipeline)]
    try:
        why = detections.run(pipeline)
    finally:
        pipeline.set_state(Gst.State.NULL)
    frames = sum(reader.frames for reader in readers)
    if not why and not frames:
        why = "the input has no picture in it"
    if why:
        print(f"error: {why}", file=sys.stderr)
        return 1
    print(f"{sum(reader.codes for reader in readers)} codes, {frames} frames, "
          f"{sum(reader.crops for reader in readers)} regions looked at", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
