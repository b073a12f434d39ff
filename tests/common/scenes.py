# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Scenes with objects at known places, and frames from pipelines, for tests in
Python."""
import os
import subprocess

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
CODES = os.path.join(ROOT, "pipelines/codes.png")
CODES_SIZE = 640, 540
# Where the symbols are in pipelines/codes.png, by their pixels: left, top, right, bottom.
PLACES = {"qr-code": (63, 68, 188, 193), "data-matrix": (265, 70, 386, 190),
          "aztec": (454, 64, 588, 198), "pdf417": (70, 269, 311, 341)}


def pull(description, form):
    """(buffer, bytes) of each frame of a pipeline; rows without padding."""
    pipeline = Gst.parse_launch(f"{description} ! videoconvert ! video/x-raw,format={form} "
                                "! appsink name=out sync=false max-buffers=4")
    sink = pipeline.get_by_name("out")
    pipeline.set_state(Gst.State.PLAYING)
    frames = []
    while True:
        sample = sink.emit("pull-sample")
        if not sample:
            break
        buffer = sample.get_buffer()
        frames.append((buffer, buffer.extract_dup(0, buffer.get_size())))
    failed = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    if failed:
        raise RuntimeError(" ".join(str(part) for part in failed.parse_error()))
    return frames


def write_moving(path, size, rate, n_frames, codes):
    """A video without loss in which codes move over white: @codes has for each its label, where
    its left edge starts, its top edge, and pixels a frame to the right."""
    width, height = size
    picture = pull(f"filesrc location={CODES} ! pngdec", "GRAY8")[0][1]
    data = []
    for n in range(n_frames):
        frame = bytearray(b"\xff" * (width * height))
        for label, left, top, step in codes:
            x0, y0, x1, y1 = PLACES[label]
            for y in range(y0, y1):
                start = (top + y - y0) * width + left + step * n
                frame[start:start + x1 - x0] = picture[y * CODES_SIZE[0] + x0:][:x1 - x0]
        data.append(bytes(frame))
    subprocess.run(
        ["gst-launch-1.0", "-q", "fdsrc", "!", "rawvideoparse", "format=gray8", f"width={width}",
         f"height={height}", f"framerate={rate}/1", "!", "videoconvert", "!",
         "video/x-raw,format=I420", "!", "avenc_ffv1", "!", "matroskamux", "!", "filesink",
         f"location={path}"], input=b"".join(data), check=True, timeout=120)
