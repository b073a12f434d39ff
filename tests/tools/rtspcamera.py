#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""A network camera: GStreamer's RTSP server, as its options say. Prints its address."""
import argparse

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtsp", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import Gio, GLib, Gst, GstRtsp, GstRtspServer  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--transport", default="TCP", help="UDP, UDP_MCAST or TCP")
parser.add_argument("--cert")
parser.add_argument("--key")
parser.add_argument("--user")
parser.add_argument("--password")
parser.add_argument("sizes", nargs="*", default=["320x240"], help="of its videos, as it describes them")
options = parser.parse_args()

Gst.init(None)
server = GstRtspServer.RTSPServer()
server.set_address("127.0.0.1")
server.set_service("0")
factory = GstRtspServer.RTSPMediaFactory()
factory.set_shared(True)
videos = []
for number, size in enumerate(options.sizes):
    width, height = size.split("x")
    videos.append(f"videotestsrc is-live=true ! video/x-raw,format=I420,width={width},height={height},framerate=10/1 ! "
                  f"jpegenc ! rtpjpegpay name=pay{number} pt={96 + number}")
factory.set_launch("( " + " ".join(videos) + " )")
factory.set_protocols(getattr(GstRtsp.RTSPLowerTrans, options.transport))
if options.transport == "UDP_MCAST":
    pool = GstRtspServer.RTSPAddressPool()
    pool.add_range("239.255.42.42", "239.255.42.42", 20000 + GLib.random_int_range(0, 5000) * 2, 65000, 1)
    factory.set_address_pool(pool)
    factory.set_multicast_iface("lo")
if options.cert or options.user:
    auth = GstRtspServer.RTSPAuth()
    token = GstRtspServer.RTSPToken()
    token.set_string("media.factory.role", "user")
    if options.cert:
        auth.set_tls_certificate(Gio.TlsCertificate.new_from_files(options.cert, options.key))
    if options.user:
        auth.set_supported_methods(GstRtsp.RTSPAuthMethod.DIGEST)
        auth.add_digest(options.user, options.password, token)
    else:
        auth.set_default_token(token)
    server.set_auth(auth)
    factory.add_role_from_structure(Gst.Structure.new_from_string(
        "user, media.factory.access=(boolean)true, media.factory.construct=(boolean)true"))
server.get_mount_points().add_factory("/x", factory)
server.attach(None)
print(f"rtsp://127.0.0.1:{server.get_bound_port()}/x", flush=True)
GLib.MainLoop().run()
