# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Checks the programs' inputs: whether they contain video, and whether a file is complete.
Decoders continue after errors without a message on the bus, so this module parses the containers
and counts the errors that libav's decoders log."""
import os
import re
import struct
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst  # noqa: E402

SOURCES = ("location", "uri", "device")


def elements(pipeline):
    walk, found = pipeline.iterate_recurse(), []
    while True:
        result, element = walk.next()
        if result == Gst.IteratorResult.RESYNC:
            walk.resync()
            found = []
        elif result != Gst.IteratorResult.OK:
            return found
        else:
            found.append(element)


def origin(element):
    """The file or URI that an element gets its data from, or None."""
    for _ in range(100):
        for name in SOURCES:
            if element.find_property(name) and element.get_property(name):
                return element.get_property(name)
        pads = [pad.get_peer() for pad in element.sinkpads if pad.get_peer()]
        element = pads[0].get_parent_element() if pads else None
        if not element:
            return None
    return None


def is_video(pad):
    caps = pad.get_current_caps() or pad.query_caps(None)
    for i in range(caps.get_size()):
        structure = caps.get_structure(i)
        if structure.get_name().startswith(("video/", "image/")) \
                or structure.get_string("media") == "video":
            return True
    return False


def complain_without_video(element):
    """Called when an element has added all its pads: at least one must be video."""
    if any(is_video(pad) for pad in element.srcpads):
        return
    error = GLib.Error.new_literal(
        Gst.stream_error_quark(), f"no video was found in '{origin(element) or 'the input'}'",
        Gst.StreamError.WRONG_TYPE)
    element.post_message(Gst.Message.new_error(element, error, ""))


def copy_frames(_pipeline, _bin, element):
    """avdec_* of GStreamer 1.26 aborts the program now and then where it decodes into the buffers
    of an element that turns frames, such as videoflip, if 16 does not divide the size."""
    if Gst.version() >= (1, 24) and element.find_property("direct-rendering"):
        element.set_property("direct-rendering", False)


def want_video(pipeline):
    """Makes an input without video an error; otherwise the element that waits for a video pad
    would wait for ever. And sees to the decoders that are added."""
    pipeline.connect("deep-element-added", copy_frames)
    for element in elements(pipeline):
        factory = element.get_factory()
        if factory and factory.get_name() in ("decodebin", "decodebin3", "uridecodebin", "parsebin",
                                              "rtspsrc"):
            element.connect("no-more-pads", complain_without_video)


def files(pipeline):
    """The files that a pipeline reads."""
    found = []
    for element in elements(pipeline):
        factory = element.get_factory()
        if factory and factory.get_name() == "filesrc" and element.get_property("location"):
            found.append(element.get_property("location"))
        elif factory and factory.get_name() == "uridecodebin":
            try:
                found.append(GLib.filename_from_uri(element.get_property("uri"))[0])
            except (GLib.Error, TypeError):
                pass
    return list(dict.fromkeys(found))


def jpeg_damage(data):
    """Walks the markers; in the entropy-coded parts only restart markers may occur."""
    at = 2
    while True:
        if at + 2 > len(data):
            return "it ends before the end of the picture"
        if data[at] != 0xFF:
            return f"no marker at byte {at}"
        kind = data[at + 1]
        if kind == 0xFF:
            at += 1
            continue
        if kind == 0xD9:
            return None
        if kind == 0x01 or 0xD0 <= kind <= 0xD7:
            at += 2
            continue
        if at + 4 > len(data):
            return "it ends before the end of the picture"
        at += 2 + struct.unpack_from(">H", data, at + 2)[0]
        if kind == 0xDA:
            marker = re.compile(rb"\xff+[^\x00\xd0-\xd7\xff]", re.S).search(data, at)
            if not marker:
                return "it ends before the end of the picture"
            at = marker.end() - 2


def mp4_damage(file, size):
    at = 0
    while at < size:
        file.seek(at)
        head = file.read(16)
        if len(head) < 8:
            return "it ends within the head of a box"
        length = struct.unpack_from(">I", head)[0]
        if length == 1 and len(head) == 16:
            length = struct.unpack_from(">Q", head, 8)[0]
        if length == 0:
            return None
        if length < 8:
            return f"a box of {length} bytes at byte {at}"
        at += length
    return f"{size} bytes of {at}" if at > size else None


def ebml_number(data, at, keep):
    """(value, length) of an EBML number; the value is None if it is coded as unknown."""
    length = 9 - data[at].bit_length()
    value = int.from_bytes(data[at:at + length], "big")
    if keep:
        return value, length
    value &= (1 << 7 * length) - 1
    return (None if value == (1 << 7 * length) - 1 else value), length


def mkv_damage(data, size):
    at = 0
    try:
        while True:
            name, length = ebml_number(data, at, True)
            at += length
            count, length = ebml_number(data, at, False)
            at += length
            if name == 0x18538067:
                whole = None if count is None else at + count
                return f"{size} bytes of {whole}" if whole and whole > size else None
            at += count
    except (IndexError, TypeError):
        return "it ends before its first segment"


def damage(path):
    """The damage of a file with a known container, or None."""
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        head = file.read(4096)
        if head[:3] == b"\xff\xd8\xff":
            return jpeg_damage(head + file.read())
        if head[4:8] == b"ftyp":
            return mp4_damage(file, size)
        if head[:4] == b"\x1a\x45\xdf\xa3":
            return mkv_damage(head, size)
        if head[:4] == b"RIFF" and len(head) > 8:
            whole = struct.unpack_from("<I", head, 4)[0] + 8
            # A writer that was interrupted leaves 0.
            return f"{size} bytes of {whole}" if whole > size else None
    return None


class Watch:
    """Counts what libav's decoders log as errors while a pipeline runs."""

    def __init__(self):
        self.errors, self.first = 0, None
        quiet = "GST_DEBUG" not in os.environ
        if quiet:
            Gst.debug_remove_log_function(None)
            Gst.debug_set_threshold_for_name("libav", Gst.DebugLevel.ERROR)
            Gst.debug_set_active(True)
            Gst.debug_add_log_function(self.logged)

    def logged(self, category, level, _file, _function, _line, _object, message, *_data):
        if category.get_name() == "libav" and level == Gst.DebugLevel.ERROR:
            self.errors += 1
            self.first = self.first or message.get().strip(": \n")

    def damaged(self, pipeline):
        """[(file, reason)] of the damaged inputs; a decoder's errors count only if no container is
        damaged, for all files together."""
        found = []
        names = files(pipeline)
        for name in names:
            try:
                why = damage(name)
            except OSError:
                continue
            if why:
                found.append((name, why))
        if self.errors and not found:
            found = [(", ".join(names), f"the decoder says: {self.first}")] if names else []
        return found


def visible(text):
    """Escapes control characters, which file and class names may contain."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "replace").decode()
                   if not 0xDC80 <= ord(c) <= 0xDCFF else f"\\x{ord(c) - 0xDC00:02x}" for c in text)


def warn(found):
    for name, why in found:
        print(visible(f"warning: {name}: damaged or truncated: {why}"), file=sys.stderr)


class Words:
    """A pipeline from words in gst-launch-1.0's syntax, but with literal values for the properties
    in NAMES, without gst-launch-1.0's rules for quotes, backslashes and spaces."""
    NAMES = (*SOURCES, "model-file", "label-file")

    def __init__(self, words):
        self.values, self.words = {}, []
        for word in words:
            name, equals, value = word.partition("=")
            if equals and name in self.NAMES:
                mark = f"rtsp://value-{len(self.values)}"
                self.values[mark] = value
                word = f"{name}={mark}"
            self.words.append(word)

    def fill(self, pipeline):
        for element in elements(pipeline):
            for name in self.NAMES:
                if element.find_property(name):
                    value = self.values.get(element.get_property(name))
                    if value is not None:
                        element.set_property(name, value)

    def parse(self):
        pipeline = Gst.parse_launchv(self.words)
        self.fill(pipeline)
        want_video(pipeline)
        return pipeline
