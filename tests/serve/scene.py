#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""A camera whose pictures tell when they were sent: a QR code goes to and fro, at a place that
follows from the frame's number, and blocks of luma below it have that number and the time.

usage: scene.py PORT [WIDTHxHEIGHT [FPS]]

Serves rtsp://127.0.0.1:PORT/camera and prints "serving" with that address; port 0 selects a free
one. The other functions read such pictures, at any size, also with boxes in them."""
import os
import sys
import threading
import time

from PIL import Image

CODES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../pipelines/codes.png")
SIZE = 640, 360                     # the units of what follows
CODE = 63, 68, 188, 193             # in CODES, by its pixels
MARGIN = 20                         # of white around it
LEFT, TOP, STEP, STEPS = 48, 90, 16, 24
BITS, BLOCK = 20, 16
NOTES = 16, 296                     # where the four rows of blocks begin
RANGE = 1 << BITS


def place(number):
    """The left edge of the code in the frame of this number."""
    step = number % (2 * STEPS)
    return LEFT + STEP * min(step, 2 * STEPS - step)


def now():
    """Milliseconds, on a clock that all processes share."""
    return time.monotonic_ns() // 1000000 % RANGE


class Painter:
    def __init__(self):
        box = (CODE[0] - MARGIN, CODE[1] - MARGIN, CODE[2] + MARGIN, CODE[3] + MARGIN)
        with Image.open(CODES) as picture:
            self.code = picture.convert("L").crop(box)
        self.code.paste(255, (0, 155, 165, 165))    # its name
        self.empty = Image.new("L", SIZE, 150)

    def paint(self, number, sent):
        picture = self.empty.copy()
        picture.paste(self.code, (place(number) - MARGIN, TOP - MARGIN))
        rows = Image.new("L", (BITS, 4))
        rows.putdata([235 if value >> bit & 1 else 16 for value in (number, ~number, sent, ~sent)
                      for bit in range(BITS)])
        picture.paste(rows.resize((BITS * BLOCK, 4 * BLOCK), Image.Resampling.NEAREST), NOTES)
        return picture


def read(picture):
    """The number and the time in a picture of any size, or None where rows contradict each other."""
    # What the middle of each block has.
    scale, grey = picture.width / SIZE[0], picture.convert("L")
    blocks = [grey.getpixel((round(scale * (NOTES[0] + (bit + 0.5) * BLOCK)),
                             round(scale * (NOTES[1] + (row + 0.5) * BLOCK))))
              for row in range(4) for bit in range(BITS)]
    values = [sum((blocks[row * BITS + bit] > 125) << bit for bit in range(BITS)) for row in range(4)]
    if values[0] ^ values[1] != RANGE - 1 or values[2] ^ values[3] != RANGE - 1:
        return None
    return values[0], values[2]


def read_box(picture):
    """The left, right and bottom edge of the only box that is drawn where the code goes: of coloured
    lines that are at least half as long as the code. Above is its label. None without one. The
    blocks below may look like a code, too."""
    width = picture.width
    scale = width / SIZE[0]
    height = round(scale * (TOP + CODE[3] - CODE[1] + 2 * MARGIN))
    picture = picture.crop((0, 0, width, height))
    red, green, blue = (band.tobytes() for band in picture.split())
    coloured = [max(pixel) - min(pixel) > 70 for pixel in zip(red, green, blue)]
    most = scale * (CODE[2] - CODE[0]) / 2
    columns = [x for x in range(width) if sum(coloured[x::width]) > most]
    rows = [y for y in range(height) if sum(coloured[y * width:(y + 1) * width]) > most]
    if not columns or not rows:
        return None
    return tuple(at / scale for at in (columns[0], columns[-1] + 1, rows[-1] + 1))


def serve(port, size, fps):
    # pylint: disable=import-outside-toplevel
    import gi
    gi.require_version("Gst", "1.0")
    gi.require_version("GstRtspServer", "1.0")
    from gi.repository import GLib, Gst, GstRtspServer

    def feed(source):
        painter = Painter()
        number = int(time.monotonic() * fps)
        while True:
            time.sleep(max(0, number / fps - time.monotonic()))
            picture = painter.paint(number % RANGE, now())
            if source.emit("push-buffer", Gst.Buffer.new_wrapped(picture.tobytes())) != Gst.FlowReturn.OK:
                return
            number += 1

    Gst.init(None)
    factory = GstRtspServer.RTSPMediaFactory.new()
    factory.set_shared(True)
    factory.set_latency(0)
    factory.set_launch(
        f"( appsrc name=camera is-live=true do-timestamp=true format=time max-buffers=2 leaky-type=downstream "
        f"caps=video/x-raw,format=GRAY8,width={SIZE[0]},height={SIZE[1]},framerate={fps}/1 ! videoscale ! "
        f"video/x-raw,width={size[0]},height={size[1]} ! videoconvert ! video/x-raw,format=I420 ! "
        f"x264enc tune=zerolatency speed-preset=ultrafast bitrate=4000 threads=1 key-int-max={fps} ! "
        "rtph264pay name=pay0 pt=96 config-interval=-1 )")
    factory.connect("media-configure", lambda _factory, media: threading.Thread(
        target=feed, args=(media.get_element().get_by_name_recurse_up("camera"),), daemon=True).start())
    server = GstRtspServer.RTSPServer.new()
    server.set_address("127.0.0.1")
    server.set_service(str(port))
    server.get_mount_points().add_factory("/camera", factory)
    if not server.attach(None):
        sys.exit(f"scene.py: port {port} is in use")
    print(f"serving rtsp://127.0.0.1:{server.get_bound_port()}/camera", flush=True)
    GLib.MainLoop().run()


def main():
    if not 2 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    width, height = (int(word) for word in (sys.argv[2] if len(sys.argv) > 2 else "640x360").split("x"))
    try:
        serve(int(sys.argv[1]), (width, height), int(sys.argv[3]) if len(sys.argv) > 3 else 10)
    except (ImportError, ValueError) as missing:
        sys.exit(f"scene.py: {missing}")


if __name__ == "__main__":
    main()
