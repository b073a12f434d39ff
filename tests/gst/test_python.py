#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""An application in Python reads both kinds of metadata with python3-gi alone:
no bindings of ours, no python3-gst-1.0. The detections of the signal
"detections" must equal those of the buffers.

usage: test_python.py SEEDED SHAPES.json GST-PLUGINS-DIR
"""
import os
import struct
import subprocess
import sys
import tempfile

try:
    import gi
    gi.require_version("Gst", "1.0")
    gi.require_version("GstVideo", "1.0")
    from gi.repository import GLib, Gst, GstVideo
except (ImportError, ValueError) as error:
    print("SKIP: python3-gi and the GStreamer typelibs:", error)
    sys.exit(77)

LABELS = ["person", "bus", "stop sign"]


def rois(buffer):
    found = []
    while True:
        # By id: one detector alone counts from 0.
        meta = GstVideo.buffer_get_video_region_of_interest_meta_id(buffer, len(found))
        if not meta:
            return found
        detection = meta.get_param("detection")
        found.append({
            "id": meta.id, "type": GLib.quark_to_string(meta.roi_type),
            "x": meta.x, "y": meta.y, "w": meta.w, "h": meta.h,
            "label": detection.get_string("label"),
            "label_id": detection.get_int("label_id").value,
            "confidence": detection.get_double("confidence").value,
            "box": [detection.get_double(k).value for k in ("x_min", "y_min", "x_max", "y_max")],
        })


def frame_meta(buffer):
    return buffer.get_custom_meta("GstYolov10FrameMeta").get_structure()


def records(meta):
    size = meta.get_uint("record-size").value
    labels = meta.get_string("labels").encode()
    data = meta.get_value("records").get_data() or b""
    found = []
    for i in range(meta.get_uint("count").value):
        r = struct.unpack_from("=iifffffI", data, i * size)
        found.append({"id": r[0], "label_id": r[1], "confidence": r[2], "box": list(r[3:7]),
                      "label": labels[r[7]:].split(b"\n")[0].decode()})
    return found


def near(a, b):
    return abs(a - b) < 1e-6


def check(buffer):
    regions = rois(buffer)
    meta = frame_meta(buffer)
    found = records(meta)
    assert meta.get_string("inference") == "fresh"
    assert meta.get_string("producer") == "detector"
    assert (meta.get_uint("width").value, meta.get_uint("height").value) == (160, 120)
    assert len(regions) == len(found), (len(regions), len(found))
    for roi, record in zip(regions, found):
        assert roi["id"] == record["id"]
        assert roi["type"] == roi["label"] == record["label"] == LABELS[roi["label_id"]]
        assert roi["label_id"] == record["label_id"]
        assert near(roi["confidence"], record["confidence"])
        assert all(near(a, b) for a, b in zip(roi["box"], record["box"]))
        assert abs(roi["x"] - roi["box"][0] * 160) <= 1
        assert abs(roi["y"] + roi["h"] - roi["box"][3] * 120) <= 1
    return len(found)


def main():
    seeded, shapes, plugins = sys.argv[1:]
    Gst.init(None)
    for name in ("coreelements", "videotestsrc"):
        path = f"{plugins}/libgst{name}.so"
        if not os.path.exists(path):
            print("SKIP:", path, "is missing")
            sys.exit(77)
        Gst.Registry.get().add_plugin(Gst.Plugin.load_file(path))
    with tempfile.TemporaryDirectory() as directory:
        model = directory + "/tiny.safetensors"
        subprocess.run([seeded, shapes, model], check=True)
        with open(directory + "/labels.txt", "w", encoding="utf-8") as out:
            out.write("\n".join(LABELS) + "\n")
        counts = {}
        for confidence in (0.02, 1.0):
            pipeline = Gst.parse_launch(
                "videotestsrc num-buffers=3 pattern=ball ! video/x-raw,format=NV12,width=160,"
                f"height=120 ! yolov10detect name=detector model-file={model} input-size=96 "
                f"label-file={directory}/labels.txt confidence={confidence} backend=ref "
                "! fakesink name=sink signal-handoffs=true")
            seen = []
            told = []
            errors = []

            def handoff(_sink, buffer, _pad):
                try:
                    seen.append(check(buffer))
                except Exception as error:  # an exception here would only be printed
                    errors.append(error)

            def on_detections(_detector, buffer, structure):
                try:
                    assert structure.get_name() == "yolov10-detections"
                    assert structure.get_uint64("timestamp").value == buffer.pts
                    found = records(structure)
                    assert found == records(frame_meta(buffer))
                    told.append((buffer.pts, found))
                except Exception as error:
                    errors.append(error)

            pipeline.get_by_name("detector").connect("detections", on_detections)
            pipeline.get_by_name("sink").connect("handoff", handoff)
            pipeline.set_state(Gst.State.PLAYING)
            message = pipeline.get_bus().timed_pop_filtered(
                60 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
            assert message, "no end in a minute"
            if message.type == Gst.MessageType.ERROR:
                raise message.parse_error()[0]
            stats = pipeline.get_by_name("detector").props.stats
            assert stats.get_uint64("frames").value == 3
            assert stats.get_uint64("inference-median").value > 0
            pipeline.set_state(Gst.State.NULL)
            if errors:
                raise errors[0]
            assert [len(found) for _, found in told] == seen
            for pts, found in told[:1]:
                for r in found[:3]:
                    print(f"{pts / 1e9:.3f} s: {r['label']} {r['confidence']:.3f} "
                          + " ".join(f"{v:.3f}" for v in r["box"]))
            counts[confidence] = seen
        print(counts)
        assert len(counts[0.02]) == len(counts[1.0]) == 3
        assert min(counts[0.02]) > 3
        assert max(counts[1.0]) == 0


if __name__ == "__main__":
    main()
