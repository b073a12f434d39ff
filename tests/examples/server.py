#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""An RTSP camera that shows a code and the numbers of its frames.

Frame N belongs to the time T0 + N / FPS on the monotonic clock, in any process:
a camera that was restarted or stopped continues with the number for the current
time. A slow machine does not make it skip numbers.

usage: server.py --port N --t0 SECONDS --picture FILE [--codec h264|h265|jpeg]

Lines on stdin: "size WIDTH HEIGHT" changes the resolution in the stream, "loss
PROBABILITY" drops packets behind the payloader. See cameras.py.
"""
import argparse
import signal
import sys
import threading
import time

import gi
gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer

from stamp import COLUMNS, FPS, ROWS, stamped

ENCODERS = {
    "h264": "x264enc tune=zerolatency speed-preset=ultrafast bitrate=600 threads=1 "
            f"key-int-max={FPS} ! h264parse ! rtph264pay config-interval=-1",
    "h265": "x265enc tune=zerolatency speed-preset=ultrafast bitrate=600 "
            f"key-int-max={FPS} option-string=pools=none:frame-threads=1:log-level=none ! "
            "h265parse ! rtph265pay config-interval=-1",
    "jpeg": "jpegenc ! rtpjpegpay",
}


class Camera(GstRtspServer.RTSPMediaFactory):
    """Each client gets a pipeline and a thread that feeds it."""

    def __init__(self, args):
        super().__init__()
        self.codec, self.t0 = args.codec, args.t0
        self.size, self.loss = (320, 240), 0.0
        with open(args.picture, "rb") as file:
            self.picture = file.read()
        self.netsims = []
        self.resumed = 0
        signal.signal(signal.SIGCONT, self.resume)
        self.set_latency(0)
        self.connect("media-configure", self.configure)

    def resume(self, *_):
        self.resumed += 1

    def do_create_element(self, _url):
        # For the server, the payloader and the element that drops packets are
        # one bin.
        encoder, payloader = ENCODERS[self.codec].rsplit(" ! ", 1)
        bin_ = Gst.parse_bin_from_description(
            "appsrc name=camera is-live=true do-timestamp=true format=time ! videoconvert ! "
            f"video/x-raw,format=I420 ! videoscale ! capsfilter name=size ! {encoder}", True)
        pay = Gst.parse_bin_from_description(
            f"{payloader} pt=96 ! netsim name=net drop-probability={self.loss}"
            if self.codec != "jpeg" else f"{payloader} ! netsim name=net", True)
        pay.set_name("pay0")
        bin_.add(pay)
        ghost = bin_.get_static_pad("src")
        inner = ghost.get_target()
        bin_.remove_pad(ghost)
        inner.link(pay.get_static_pad("sink"))
        self.netsims.append(pay.get_by_name("net"))
        return bin_

    def configure(self, _factory, media):
        element = media.get_element()
        threading.Thread(target=self.feed, daemon=True, args=(
            element.get_by_name_recurse_up("camera"),
            element.get_by_name_recurse_up("size"))).start()

    def feed(self, source, size):
        source.set_property("caps", Gst.Caps.from_string(
            f"video/x-raw,format=GRAY8,width={COLUMNS * 16},height={ROWS * 16},"
            f"framerate={FPS}/1,pixel-aspect-ratio=1/1"))
        set_to, resumed = None, self.resumed
        number = int((time.monotonic() - self.t0) * FPS) + 1
        while True:
            late = time.monotonic() - (self.t0 + number / FPS)
            if late < 0:
                time.sleep(-late)
            elif resumed != self.resumed:
                resumed = self.resumed
                number = int((time.monotonic() - self.t0) * FPS) + 1
            if set_to != self.size:
                set_to = self.size
                size.set_property("caps", Gst.Caps.from_string(
                    "video/x-raw,width=%d,height=%d" % set_to))
            buffer = Gst.Buffer.new_wrapped(stamped(self.picture, number))
            if source.emit("push-buffer", buffer) != Gst.FlowReturn.OK:
                return
            number += 1

    def obey(self, words):
        if words[0] == "size":
            self.size = int(words[1]), int(words[2])
        elif words[0] == "loss":
            self.loss = float(words[1])
            for netsim in self.netsims:
                netsim.set_property("drop-probability", self.loss)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", required=True)
    parser.add_argument("--t0", type=float, required=True)
    parser.add_argument("--picture", required=True)
    parser.add_argument("--codec", choices=ENCODERS, default="h264")
    args = parser.parse_args()
    Gst.init(None)
    camera = Camera(args)
    server = GstRtspServer.RTSPServer.new()
    server.set_address("127.0.0.1")
    server.set_service(args.port)
    server.get_mount_points().add_factory("/camera", camera)
    # Otherwise the server drops data that a slow client has not read.
    server.connect("client-connected", lambda _, client: client.set_property(
        "drop-backlog", False))
    if not server.attach(None):
        sys.exit(f"server.py: port {args.port} cannot be listened on")
    loop = GLib.MainLoop()

    def read():
        for line in sys.stdin:
            camera.obey(line.split())
        loop.quit()             # the parent process has ended

    threading.Thread(target=read, daemon=True).start()
    print("ready", flush=True)
    loop.run()


if __name__ == "__main__":
    main()
