#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Files with several pictures, written by Pillow and FFmpeg: y10 detect reads all, with the results of
each picture alone, or says how many it does not read. What cameras add to a picture is none."""
import json
import struct
import subprocess
import sys

from common import Case, boxes, main, need

need("gst", "pixbuf", "ffmpeg")
try:
    from PIL import Image, features
except ImportError:
    print("Pillow (python3-pil) is missing")
    sys.exit(77)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def write(path, *parts):
    with open(path, "wb") as f:
        f.write(b"".join(parts))
    return path


def multi_picture(views, types):
    """A JPEG with the multi-picture format of CIPA DC-007 in its second segment."""
    first = views[0]
    at = 2 + 2 + struct.unpack(">H", first[4:6])[0]        # after JFIF's segment
    n, header = len(views), at + 8
    size = 4 + 4 + 8 + 2 + 3 * 12 + 4 + 16 * n
    sizes = [len(first) + size] + [len(v) for v in views[1:]]
    entries, offset = b"", 0
    for kind, length in zip(types, sizes):
        entries += struct.pack("<IIIHH", kind, length, offset - header if offset else 0, 0, 0)
        offset += length
    body = (b"MPF\0II*\0" + struct.pack("<IH", 8, 3) + struct.pack("<HHI4s", 0xb000, 7, 4, b"0100")
            + struct.pack("<HHII", 0xb001, 4, 1, n) + struct.pack("<HHII", 0xb002, 7, 16 * n, 50)
            + struct.pack("<I", 0) + entries)
    segment = b"\xff\xe2" + struct.pack(">H", len(body) + 2) + body
    assert len(segment) == size, (len(segment), size)
    return [first[:at] + segment + first[at:], *views[1:]]


class Pages(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        base = Image.effect_mandelbrot((160, 120), (-2, -1.5, 1, 1.5), 90).convert("RGB")
        cls.pages = [base.rotate(20 * n).resize((120 - 10 * n, 80 + 10 * n)) for n in range(4)]
        cls.same = [page.resize((120, 80)) for page in cls.pages]
        cls.alone = [cls.detect_new(cls.save(f"alone{n}.png", page)) for n, page in enumerate(cls.pages)]

    @classmethod
    def save(cls, name, page, **options):
        path = cls.path(name)
        page.save(path, **options)
        return path

    @classmethod
    def detect_new(cls, path):
        lines, errors = cls("detect").detect("--confidence", "0.02", path)
        assert not errors and len(lines) == 1, (path, errors)
        return lines[0]

    def check(self, path, expected=None):
        lines, errors = self.detect("--confidence", "0.02", path)
        self.assertEqual(errors, "")
        expected = self.alone if expected is None else expected
        self.assertEqual([line["resolution"] for line in lines], [line["resolution"] for line in expected])
        self.assertEqual([boxes(line) for line in lines], [boxes(line) for line in expected])
        self.assertEqual([(line["source"], line["timestamp"]) for line in lines], [(path, None)] * len(lines))
        with open(path, "rb") as f, subprocess.Popen(["cat"], stdin=f, stdout=subprocess.PIPE) as cat:
            piped, _ = self.detect("--confidence", "0.02", "-", stdin=cat.stdout)
        self.assertEqual([boxes(line) for line in piped], [boxes(line) for line in lines])

    def test_tiff(self):
        for name, options in (("plain", {}), ("lzw", {"compression": "tiff_lzw"}),
                              ("zip", {"compression": "tiff_adobe_deflate"})):
            with self.subTest(name):
                self.check(self.save(name + ".tif", self.pages[0], save_all=True,
                                     append_images=self.pages[1:], **options))

    def test_overview(self):
        """Reduced pages are no pictures of their own (NewSubfileType 1)."""
        made = self.save("sub.tif", self.pages[0], save_all=True,
                         append_images=self.pages[1:2], tiffinfo={254: 0})
        data = read(made)
        self.check(made, self.alone[:2])
        second, = struct.unpack("<I", data[4:8])
        n, = struct.unpack("<H", data[second:second + 2])
        second, = struct.unpack("<I", data[second + 2 + 12 * n:second + 6 + 12 * n])
        n, = struct.unpack("<H", data[second:second + 2])
        for i in range(n):
            tag = second + 2 + 12 * i
            if struct.unpack("<H", data[tag:tag + 2])[0] == 254:
                self.check(write(made, data[:tag + 8], struct.pack("<I", 1), data[tag + 12:]),
                           self.alone[:1])
                return
        self.skipTest("this Pillow writes no NewSubfileType")

    def test_one_after_the_other(self):
        for suffix in ("png", "ppm"):
            parts = [read(self.save(f"p{n}.{suffix}", page)) for n, page in enumerate(self.pages)]
            self.check(write(self.path("cat." + suffix), *parts))
        parts = [self.save(f"p{n}.jpg", page, quality=92) for n, page in enumerate(self.pages)]
        expected = [self.detect_new(part) for part in parts]
        self.check(write(self.path("cat.jpg"), *map(read, parts)), expected)

    def test_damaged_page(self):
        parts = [read(self.save(f"d{n}.png", page)) for n, page in enumerate(self.pages)]
        path = write(self.path("damaged.png"), *parts[:3], parts[3][:len(parts[3]) // 2])
        lines, errors = self.detect("--confidence", "0.02", path, status=1)
        self.assertEqual([boxes(line) for line in lines[:3]], [boxes(line) for line in self.alone[:3]])
        self.assertIn("damaged", errors)

    def test_views(self):
        """The views of a stereo camera; but no previews, and no gain maps."""
        files = [self.save(f"v{n}.jpg", page, quality=92) for n, page in enumerate(self.same)]
        expected = [self.detect_new(path) for path in files]
        views = [read(path) for path in files]
        small = read(self.save("small.jpg", self.same[0].resize((60, 40)).convert("L")))
        for name, parts, types, n in (("stereo", views[:2], [0x20020002, 0x020002], 2),
                                      ("primary", views, [0x20030000, 0, 0, 0], 4),
                                      ("preview", [views[0], views[1]], [0x20030000, 0x010001], 1),
                                      ("gain", [views[0], small], [0x20030000, 0], 1)):
            with self.subTest(name):
                self.check(write(self.path(name + ".jpg"), *multi_picture(parts, types)), expected[:n])
        plain = views[0]
        exif = plain[:2] + b"\xff\xe1\0\x10Exif\0\0II*\0\x08\0\0\0" + plain[2:]
        for name, parts in (("camera", [exif, small]), ("motion", [plain, b"\0\0\0\x18ftypmp42" + bytes(99)]),
                            ("trailer", [plain, bytes(500), small])):
            with self.subTest(name):
                self.check(write(self.path(name + ".jpg"), *parts), expected[:1])

    def test_animations(self):
        """GIF is read; of an APNG the first frame, and the error counts the others."""
        gif = self.save("a.gif", self.same[0], save_all=True, append_images=self.same[1:], duration=100)
        self.assertEqual(len(self.detect(gif)[0]), 4)
        png = self.save("a.png", self.same[0], save_all=True, append_images=self.same[1:])
        lines, errors = self.detect("--confidence", "0.02", png, self.path("alone0.png"), status=1)
        self.assertEqual(len(lines), 2)
        self.assertEqual(len(errors.splitlines()), 1, errors)
        self.assertIn(f"{png}: only the first of the 4 frames", errors)
        if features.check("webp_anim"):
            webp = self.save("a.webp", self.same[0], save_all=True, append_images=self.same[1:])
            lines, errors = self.detect(webp, status=1)
            self.assertEqual(len(lines), 0 if "webp-pixbuf-loader" in errors else 1)
            self.assertIn(webp, errors)

    def test_needs(self):
        """An error says what would read the file, however it comes."""
        heic = write(self.path("a.heic"), b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", bytes(300))
        lines, errors = self.detect(heic, status=1)
        self.assertEqual(lines, [])
        self.assertIn("heif-gdk-pixbuf", errors)
        with open(heic, "rb") as f, subprocess.Popen(["cat"], stdin=f, stdout=subprocess.PIPE) as cat:
            self.assertIn("heif-gdk-pixbuf", self.detect("-", stdin=cat.stdout, status=1)[1])

    def test_deep_y4m(self):
        """No frame is misread: those of 8 bits are right, of others there is none or all."""
        done = subprocess.run(["gst-inspect-1.0", "y4mdec"], check=True, stdout=subprocess.PIPE, text=True)
        deep = "I420_10LE" in done.stdout       # from GStreamer 1.24 on
        right = None
        for pixels, n in (("yuv420p", 3), ("yuv444p", 3), ("yuv420p10le", 3 if deep else 0), ("gray10le", 0)):
            path = self.path(pixels + ".y4m")
            subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=10:duration=0.3",
                            "-pix_fmt", pixels, "-strict", "-1", path], check=True)
            done = self.y10("detect", "--model", self.model, "--size", "96", path, status=0 if n else 1)
            self.assertEqual(len(done.stdout.splitlines()), n)
            if n:
                best = [json.loads(line)["objects"][0]["detection"]["confidence"]
                        for line in done.stdout.splitlines()]
                right = right or best
                for one, other in zip(best, right):
                    self.assertAlmostEqual(one, other, delta=0.02)
                continue
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            # Its y4mdec may know 10 bits and not all formats that have them.
            self.assertIn("YUV4MPEG header" if deep else "8 bits", done.stderr)


if __name__ == "__main__":
    main()
