#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Serves a pipeline in gst-launch-1.0's syntax by RTSP.

usage: rtsp_server.py rtsp://ADDRESS:PORT/PATH ELEMENT [PROPERTY=VALUE…] ! … ! rtph264pay name=pay0

Prints "serving" and the address once clients may connect (port 0 selects a free one). One pipeline serves all clients and runs while there are any; if it fails, the error is
printed and the client is refused. Ctrl-C or SIGTERM ends it.
"""
import os
import re
import signal
import sys

import detections
from detections import GLib, Gst

try:
    import gi
    gi.require_version("GstRtspServer", "1.0")
    from gi.repository import GstRtspServer
except (ImportError, ValueError) as missing:
    sys.exit(f"rtsp_server.py: {missing}; tools/setup.sh --rtsp installs what is needed (Debian: "
             "sudo apt-get install gir1.2-gst-rtsp-server-1.0)")


def tell(_media, message):
    if message.type == Gst.MessageType.ERROR:
        why = detections.reason(message.src, *message.parse_error())
        print(f"error: {detections.visible(why)}",
              file=sys.stderr, flush=True)
    return True


def main():
    words = sys.argv[1:]
    if len(words) < 2:
        print(__doc__.strip())
        return 0 if words in (["-h"], ["--help"]) else 2
    address = re.fullmatch(r"rtsp://([^/:]+|\[[^]]+\]):(\d+)(/.*)", words[0])
    if not address:
        print(f"error: '{words[0]}' is not of the form rtsp://ADDRESS:PORT/PATH", file=sys.stderr)
        return 2
    host, port, path = address.groups()
    Gst.init(None)
    factory = GstRtspServer.RTSPMediaFactory.new()
    factory.set_shared(True)
    factory.set_stop_on_disconnect(True)
    factory.connect("media-configure",
                    lambda _factory, media: media.connect("handle-message", tell))
    # A blank within quotes is none between words.
    factory.set_launch("( " + " ".join(re.sub(
        r'("(?:[^"\\]|\\.)*")| ', lambda found: found[1] or r"\ ", word) for word in words[1:]) + " )")
    server = GstRtspServer.RTSPServer.new()
    server.set_address(host.strip("[]"))
    server.set_service(port)
    server.get_mount_points().add_factory(path, factory)
    if not server.attach(None):
        print(f"error: cannot serve at {host}:{port}; is another program there?", file=sys.stderr)
        return 1
    print(f"serving rtsp://{host}:{server.get_bound_port()}{path}\n", flush=True)
    loop = GLib.MainLoop()
    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
        GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGINT, loop.quit)
    GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGTERM, loop.quit)
    try:
        loop.run()
    except KeyboardInterrupt:
        pass
    return 0


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    # Threads of remaining clients call tell(), which would crash the interpreter while it shuts
    # down.
    os._exit(status)
