# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Shared by the tests of the y10 command: running it, a small model, and pictures written and read
by plain Python, as an independent reference."""
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
import servers      # noqa: E402,F401
from programs import PATIENCE, Rtsp, filmed, lacking, no_rtsp, skip, until  # noqa: E402,F401

Y10 = os.environ["Y10"]
SEEDED = os.environ["Y10_TEST_SEEDED"]
DATA = os.environ["Y10_TEST_DATA"]
PLUGIN_DIR = os.environ["Y10_TEST_PLUGIN_DIR"]
FEATURES = os.environ["Y10_TEST_FEATURES"].split()


def need(*features):
    """Skips the test, with the reason, if a feature or program is missing."""
    for feature in features:
        if feature not in FEATURES and not shutil.which(feature):
            skip(f"{feature} is missing")


def launch(case, pipeline):
    subprocess.run(["gst-launch-1.0", "-q", *pipeline.split()], env=case.env, check=True)


class Case(unittest.TestCase):
    """A temporary directory with a model of 3 classes; no plugins but the system's."""
    backend = "ref"

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.env = dict(os.environ, LC_ALL="C.UTF-8", GST_REGISTRY=cls.path("registry.bin"),
                       GST_PLUGIN_PATH_1_0="", GST_PLUGIN_PATH="")
        cls.model = cls.make_model("tiny-nc3")

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.directory.name, name)

    @classmethod
    def make_model(cls, shapes):
        path = cls.path(shapes + ".safetensors")
        subprocess.run([SEEDED, os.path.join(DATA, shapes + ".shapes.json"), path], check=True)
        return path

    def y10(self, *args, status=0, **options):
        env = dict(self.env, **options.pop("env", {}))
        done = subprocess.run([Y10, *args], capture_output=True, text=True, env=env, timeout=240,
                              **options)
        self.assertEqual(done.returncode, status, done.stderr + done.stdout[-2000:])
        return done

    def detect(self, *args, status=0, **options):
        """Runs detect; returns its parsed output lines, and stderr."""
        done = self.y10("detect", "--model", self.model, "--backend", self.backend, "--size", "96", *args,
                        status=status, **options)
        return [json.loads(line) for line in done.stdout.splitlines()], done.stderr

    def refused(self, *args, says, status=2):
        """Asserts one line on stderr that contains each of the words."""
        done = self.y10(*args, status=status)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for words in says:
            self.assertIn(words, done.stderr)


def picture(width, height, seed=0, channels=3):
    """Rows of bytes: soft blobs with noise on them."""
    rand = random.Random(seed)
    spots = [(rand.random() * width, rand.random() * height, 10 + rand.random() * 40,
              [rand.randrange(256) for _ in range(channels)]) for _ in range(6)]
    rows = []
    for y in range(height):
        row = bytearray()
        for x in range(width):
            value = [60] * channels
            for sx, sy, r, colour in spots:
                if (x - sx) ** 2 + (y - sy) ** 2 < r * r:
                    value = colour
            row += bytes(min(255, v + rand.randrange(16)) for v in value)
        rows.append(bytes(row))
    return rows


def turned_left(rows, channels=3):
    """The picture rotated a quarter to the left, for EXIF orientation 6, which rotates it
    right."""
    width, height = len(rows[0]) // channels, len(rows)
    return [b"".join(rows[y][x * channels:(x + 1) * channels] for y in range(height))
            for x in reversed(range(width))]


def write_png(path, rows, channels=3):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    kind = {1: 0, 3: 2, 4: 6}[channels]
    header = struct.pack(">IIBBBBB", len(rows[0]) // channels, len(rows), 8, kind, 0, 0, 0)
    with open(path, "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)
                + chunk(b"IDAT", zlib.compress(b"".join(b"\0" + r for r in rows))) + chunk(b"IEND", b""))
    return path


def read_png(path):
    """Rows of an 8-bit grey, RGB or RGBA picture that is not interlaced, and its channels."""
    with open(path, "rb") as f:
        data = f.read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        at += length + 12
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlace = struct.unpack(">IIBBBBB", body)
            assert depth == 8 and colour in (0, 2, 6) and not interlace
        elif kind == b"IDAT":
            packed += body
    channels = {0: 1, 2: 3, 6: 4}[colour]
    raw, stride = zlib.decompress(packed), width * channels
    rows, above = [], bytes(stride)
    for y in range(height):
        kind, row = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride):
            a = row[i - channels] if i >= channels else 0
            b, c = above[i], above[i - channels] if i >= channels else 0
            p = a + b - c
            paeth = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            row[i] = (row[i] + (0, a, b, (a + b) // 2, paeth)[kind]) & 255
        rows.append(bytes(row))
        above = rows[-1]
    return rows, channels


def write_tiff(path, rows, orientation):
    """Uncompressed RGB with an orientation tag."""
    width, height, pixels = len(rows[0]) // 3, len(rows), b"".join(rows)
    n = 10
    bits = 8 + 2 + 12 * n + 4
    tags = [(256, 4, 1, width), (257, 4, 1, height), (258, 3, 3, bits), (259, 3, 1, 1),
            (262, 3, 1, 2), (273, 4, 1, bits + 6), (274, 3, 1, orientation), (277, 3, 1, 3),
            (278, 4, 1, height), (279, 4, 1, len(pixels))]
    with open(path, "wb") as f:
        f.write(b"II*\0" + struct.pack("<IH", 8, n)
                + b"".join(struct.pack("<HHII", *tag) for tag in tags)
                + struct.pack("<IHHH", 0, 8, 8, 8) + pixels)
    return path


def write_gif(path, frames, delays):
    """Writes grey frames, given as rows of bytes, by CompuServe's GIF89a; delays are in hundredths
    of a second. It does not compress: a clear code before the table grows keeps each code at nine
    bits."""
    width, height = len(frames[0][0]), len(frames[0])
    out = b"GIF89a" + struct.pack("<HHBBB", width, height, 0xF7, 0, 0)
    out += b"".join(bytes([v]) * 3 for v in range(256))
    for rows, delay in zip(frames, delays):
        bits, n_bits, data = 0, 0, b""
        pixels = b"".join(rows)
        codes = []
        for at in range(0, len(pixels), 200):
            codes += [256, *pixels[at:at + 200]]
        for code in [*codes, 257]:
            bits |= code << n_bits
            n_bits += 9
            while n_bits >= 8:
                data += bytes([bits & 255])
                bits, n_bits = bits >> 8, n_bits - 8
        data += bytes([bits & 255])
        out += b"\x21\xf9\x04\x04" + struct.pack("<HBB", delay, 0, 0)
        out += b"\x2c" + struct.pack("<HHHHB", 0, 0, width, height, 0) + b"\x08"
        for at in range(0, len(data), 255):
            out += bytes([len(data[at:at + 255])]) + data[at:at + 255]
        out += b"\0"
    with open(path, "wb") as f:
        f.write(out + b";")
    return path


def add_exif(jpeg, path, orientation):
    """Copies a JPEG file and adds an EXIF orientation."""
    tiff = struct.pack("<2sHIHHHIHHI", b"II", 42, 8, 1, 274, 3, 1, orientation, 0, 0)
    body = b"Exif\0\0" + tiff
    with open(jpeg, "rb") as f:
        data = f.read()
    assert data[:2] == b"\xff\xd8"
    with open(path, "wb") as f:
        f.write(data[:2] + b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body + data[2:])
    return path


def jpeg_size(path):
    """Width and height from a JPEG's first frame header."""
    with open(path, "rb") as f:
        data = f.read()
    at = 2
    while data[at + 1] not in (0xC0, 0xC1, 0xC2):
        at += 2 + struct.unpack(">H", data[at + 2:at + 4])[0]
    height, width = struct.unpack(">HH", data[at + 5:at + 9])
    return width, height


def boxes(line):
    """The values that must be equal if two frames hold the same detections."""
    return [(o["detection"]["bounding_box"], o["detection"]["confidence"], o["detection"]["label_id"])
            for o in line["objects"]]


def main():
    unittest.main(verbosity=2)
