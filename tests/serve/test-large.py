#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Frames too large for y10 serve: an error of their camera before there is memory for them, whatever the
container says of their size. Pillow makes the pictures, and this file the container."""
import io
import os
import re
import struct
import unittest

from PIL import Image

from server import Server, until

MIB = 1 << 20


def chunk(name, data):
    return name + struct.pack("<I", len(data)) + data + bytes(len(data) % 2)


def avi(fourcc, frames, width, height, fps=10):
    """A file whose header says that size."""
    usec, n, largest = 10**6 // fps, len(frames), max(map(len, frames))
    header = struct.pack("<14I", usec, 0, 0, 0x10, n, 0, 1, largest, width, height, 0, 0, 0, 0)
    stream = b"vids" + fourcc + struct.pack("<10I4H", 0, 0, 0, 1, fps, 0, n, largest, 0xffffffff, 0, 0, 0, width & 0xffff,
                                            height & 0xffff)
    form = struct.pack("<IiiHH4s5I", 40, width, height, 1, 24, fourcc, width * height * 3, 0, 0, 0, 0)
    movie, index = b"movi", b""
    for frame in frames:
        index += b"00dc" + struct.pack("<3I", 0x10, len(movie), len(frame))
        movie += chunk(b"00dc", frame)
    head = b"hdrl" + chunk(b"avih", header) + chunk(b"LIST", b"strl" + chunk(b"strh", stream) + chunk(b"strf", form))
    return chunk(b"RIFF", b"AVI " + chunk(b"LIST", head) + chunk(b"LIST", movie) + chunk(b"idx1", index))


def picture(form, width, height, mode="RGB"):
    data = io.BytesIO()
    Image.new(mode, (width, height), 90 if mode == "L" else (90, 60, 30)).save(data, form)
    return data.getvalue()


def most(server):
    """The most memory that the program has had."""
    with open(f"/proc/{server.process.pid}/status", encoding="ascii") as file:
        return int(re.search(r"VmHWM:\s+(\d+) kB", file.read()).group(1)) << 10


class Large(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(config="[camera small]\nsource=test:ball\n")
        cls.media = cls.server.directory.name
        cls.server.options = ("--media", cls.media)
        cls.server.start()
        cls.server.live("small")

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def add(self, *what):
        with open(os.path.join(self.media, "a.avi"), "wb") as file:
            file.write(avi(*what))
        status, camera = self.server.add("x", "file:a.avi")
        self.assertEqual(status, 201, camera)
        self.addCleanup(self.server.ask, "DELETE", "/api/cameras/" + camera["id"])
        return camera["id"]

    def refused(self, camera, size):
        reason = until(lambda: self.server.cameras()[camera]["reason"], "it fails")
        self.assertIn(size, reason)
        self.assertIn("8192x4352", reason)
        self.assertEqual(self.server.cameras()["small"]["state"], "live")

    def test_too_large(self):
        """By what the header says, and by what the picture says behind another header."""
        # A key frame of VP8 (RFC 6386): the tag, the start code, the size, and the first partition.
        large = {b"png ": picture("PNG", 8192, 7000), b"MJPG": picture("JPEG", 9000, 8000, "L"),
                 b"VP80": b"\x10\x20\x00\x9d\x01\x2a" + struct.pack("<HH", 8000, 8000) + bytes(30000)}
        before = most(self.server)
        for fourcc, size in ((b"png ", (8192, 7000)), (b"MJPG", (9000, 8000)), (b"VP80", (8000, 8000))):
            for said in (size, (320, 240)):
                with self.subTest(fourcc=fourcc, said=said):
                    camera = self.add(fourcc, [large[fourcc]] * 3, *said)
                    self.refused(camera, f"{size[0]}x{size[1]}")
        # A frame would be 57 Mpixels of three or four bytes.
        self.assertLess(most(self.server) - before, 48 * MIB)

    def test_becomes_large(self):
        """A camera that is live and sends other pictures then."""
        for form, fourcc in (("PNG", b"png "), ("JPEG", b"MJPG")):
            with self.subTest(form=form):
                small = picture(form, 320, 240)
                camera = self.add(fourcc, [small] * 20 + [picture(form, 20000, 2000)] * 2, 320, 240)
                self.refused(camera, "20000x2000")
                self.assertGreaterEqual(self.server.cameras()[camera]["frames"], 1)

    def test_largest(self):
        """That of cameras with 8K."""
        camera = self.add(b"MJPG", [picture("JPEG", 7680, 4320)] * 2, 7680, 4320, 1)
        until(lambda: self.server.cameras()[camera]["frames"], "frames come")


if __name__ == "__main__":
    unittest.main()
