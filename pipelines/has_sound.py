#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Tests whether a video has sound that can be decoded.

usage: has_sound.py FILE

Exit status 0 if it has. decodebin reports when it knows all streams of the
file; waiting for a buffer of sound instead would sometimes hang in a file whose
sound starts late.
"""
import sys

from detections import Gst

LIMIT = 30                              # seconds to find the streams of a file


def has_sound(path):
    pipeline = Gst.Pipeline.new(None)
    source = Gst.ElementFactory.make("filesrc", None)
    decoder = Gst.ElementFactory.make("decodebin", None)
    source.set_property("location", path)
    pipeline.add(source)
    pipeline.add(decoder)
    source.link(decoder)
    found = []

    def added(_decoder, pad):
        caps = pad.get_current_caps() or pad.query_caps(None)
        found.append(caps.get_structure(0).get_name().startswith("audio/"))
        sink = Gst.ElementFactory.make("fakesink", None)
        pipeline.add(sink)
        sink.sync_state_with_parent()
        pad.link(sink.get_static_pad("sink"))

    def complete(_decoder):
        pipeline.post_message(Gst.Message.new_application(
            pipeline, Gst.Structure.new_empty("streams-known")))

    decoder.connect("pad-added", added)
    decoder.connect("no-more-pads", complete)
    pipeline.set_state(Gst.State.PAUSED)
    pipeline.get_bus().timed_pop_filtered(
        LIMIT * Gst.SECOND,
        Gst.MessageType.APPLICATION | Gst.MessageType.ERROR | Gst.MessageType.EOS)
    pipeline.set_state(Gst.State.NULL)
    return any(found)


def main():
    if len(sys.argv) != 2:
        print(__doc__.strip())
        return 2
    Gst.init(None)
    return 0 if has_sound(sys.argv[1]) else 1


if __name__ == "__main__":
    sys.exit(main())
