#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""y10 detect --privacy: what is detected is in no copy and no crop, all else is as it was, and the
results stay. The codes of pipelines/codes.png are at places that its pixels tell; JPEG and video are
decoded by GStreamer's decoders."""
import json
import os
import shutil
import unittest

from common import (DATA, FEATURES, PLUGIN_DIR, Case, add_exif, jpeg_size, lacking, launch, main, need,
                    read_png, write_png)

need("gst", "pixbuf", "gst-launch-1.0", "gst-inspect-1.0")
MISSING = lacking("jpegdec", "jpegenc", "pngdec", "videoconvert", "y4mdec", "avimux", "avidemux")
CODES = os.path.join(DATA, "../../pipelines/codes.png")
# A marker is a dark square, as what is filled is.
KINDS = "barcode,qr-code,data-matrix,aztec,pdf417"
FILLED = 40
# Where symbols are in it: left, top, right, bottom.
QR, AZTEC = (63, 68, 188, 193), (454, 64, 588, 198)
SIZE = WIDTH, HEIGHT = 320, 240


@unittest.skipIf(MISSING, f"GStreamer lacks {', '.join(MISSING)}")
@unittest.skipUnless("overlay" in FEATURES, "built without yolov10overlay")
class Privacy(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.bare = dict(cls.env)
        cls.env["GST_PLUGIN_PATH"] = PLUGIN_DIR
        cls.env.pop("GST_PLUGIN_PATH_1_0")
        rows, channels = read_png(CODES)
        cls.rows = [b"".join(row[i:i + channels][:1] * 3 if channels < 3 else row[i:i + 3]
                             for i in range(0, len(row), channels)) for row in rows]
        cls.png = write_png(cls.path("a.png"), cls.rows)

    def setUp(self):
        self.out, self.crops = self.path(self.id() + "-out"), self.path(self.id() + "-crops")

    def tearDown(self):
        for folder in self.out, self.crops:
            shutil.rmtree(folder, ignore_errors=True)

    def codes(self, *args, classes=KINDS, env=None, status=0):
        """The lines of the bundled model for codes."""
        done = self.y10("detect", "--format", "jsonl", "--size", "640", "--classes", classes, *args,
                        env=env or {}, status=status)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def count(self, *paths, classes=KINDS):
        return sum(len(line["objects"]) for line in self.codes("-r", *paths, classes=classes))

    def decode(self, path, size=None):
        """Pixels of a JPEG, or of the frames of a video, as RGB rows without padding."""
        raw = self.path("raw")
        width, height = size or jpeg_size(path)
        launch(self, f"filesrc location={path} ! {'avidemux ! ' if path.endswith('.avi') else ''}jpegdec ! "
               f"videoconvert ! video/x-raw,format=RGB ! filesink location={raw}")
        with open(raw, "rb") as f:
            data = f.read()
        stride = (3 * width + 3) & ~3
        frames = [data[i:i + stride * height] for i in range(0, len(data), stride * height)]
        return [[frame[y * stride:y * stride + 3 * width] for y in range(height)] for frame in frames]

    def crop_files(self):
        return [os.path.join(d, f) for d, _, files in os.walk(self.crops) for f in files]

    def test_pictures(self):
        """Inside each box is nothing but what is drawn on it, outside nothing else changes; the
        model finds nothing any more, and the lines are the same."""
        plain = self.codes("--draw", self.out, self.png)
        without, _ = read_png(os.path.join(self.out, "a.png"))
        self.assertGreater(len(plain[0]["objects"]), 3)
        self.assertGreater(self.count(self.out), 3)
        inside = [[False] * (len(self.rows[0]) // 3) for _ in self.rows]
        for box in plain[0]["objects"]:
            # Whole samples of chroma, so that all formats are covered alike.
            for y in range(box["y"] & ~1, min(box["y"] + box["h"] + 1 & ~1, len(inside))):
                for x in range(box["x"] & ~1, min(box["x"] + box["w"] + 1 & ~1, len(inside[0]))):
                    inside[y][x] = True
        for words in (["--privacy"], ["--privacy=fill"], ["--privacy=blur"]):
            self.assertEqual(self.codes("--draw", self.out, *words, self.png), plain)
            covered, _ = read_png(os.path.join(self.out, "a.png"))
            n_filled = 0
            for y, row in enumerate(covered):
                if row == without[y]:
                    continue
                other = [x for x in range(len(row) // 3) if row[3 * x:3 * x + 3] != without[y][3 * x:3 * x + 3]]
                self.assertTrue(all(inside[y][x] for x in other), (words, y))
                if "blur" not in words[0]:
                    # What is filled, or the outline of a line or badge on it.
                    self.assertLessEqual(max(max(row[3 * x:3 * x + 3]) for x in other), FILLED, (words, y))
                    n_filled += sum(row[3 * x:3 * x + 3] == bytes([FILLED] * 3) for x in other)
            self.assertTrue("blur" in words[0] or n_filled > sum(map(sum, inside)) / 2)
            self.assertEqual(self.count(self.out), 0, words)
        self.codes("--draw", self.out, "--privacy=none", self.png)
        self.assertEqual(read_png(os.path.join(self.out, "a.png"))[0], without)

    def test_jpeg(self):
        """A JPEG with an orientation and a thumbnail: neither they nor codes are in its copy."""
        plain, turned = self.path("plain.jpg"), self.path("turned.jpg")
        launch(self, f"filesrc location={self.png} ! pngdec ! videoconvert ! jpegenc quality=95 ! "
               f"filesink location={plain}")
        add_exif(plain, turned, 6)
        found = len(self.codes("--privacy", "--draw", self.out, turned)[0]["objects"])
        copy = os.path.join(self.out, "turned.jpg")
        self.assertGreater(found, 3)
        with open(copy, "rb") as f:
            self.assertNotIn(b"Exif", f.read())
        self.assertEqual(jpeg_size(copy), jpeg_size(plain)[::-1])
        self.assertEqual(self.count(copy), 0)
        (rows,) = self.decode(copy)
        self.assertGreater(sum(min(row[x:x + 3]) > 240 for row in rows for x in range(0, len(row), 3)),
                           len(rows) * len(rows[0]) / 3 / 4)

    def test_crops(self):
        """Crops have the size of their boxes and one colour, or what blur leaves; also without the
        plugin, also of pictures with alpha."""
        alpha = write_png(self.path("alpha.png"), [b"".join(row[i:i + 3] + b"\xff" for i in range(0, len(row), 3))
                                                   for row in self.rows], 4)
        for picture in self.png, alpha:
            objects = self.codes("--save-crops", self.crops, picture)[0]["objects"]
            self.assertGreater(self.count(self.crops), 3)
            shutil.rmtree(self.crops)
            for word in "fill", "blur":
                again = self.codes("--save-crops", self.crops, f"--privacy={word}", picture,
                                   env={"GST_PLUGIN_PATH": "", "GST_REGISTRY": self.path("registry-bare.bin")})
                self.assertEqual(again[0]["objects"], objects)
                files = self.crop_files()
                self.assertEqual(sorted(map(jpeg_size, files)), sorted((o["w"], o["h"]) for o in objects))
                for path in files:
                    (rows,) = self.decode(path)
                    steps = max(abs(row[x] - row[x + 3]) for row in rows for x in range(len(row) - 3))
                    # Modules of codes are black and white.
                    self.assertLess(steps, 8 if word == "fill" else 40, path)
                    if word == "fill":
                        self.assertLess(max(abs(v - FILLED) for row in rows for v in row), 6, path)
                self.assertEqual(self.count(self.crops), 0, word)
                shutil.rmtree(self.crops)

    def test_together(self):
        """Copies and crops of one run are both covered, and do not cover each other's picture."""
        self.codes("--draw", self.out, self.png, "--privacy")
        alone = read_png(os.path.join(self.out, "a.png"))
        self.codes("--draw", self.out, "--save-crops", self.crops, self.png, "--privacy")
        self.assertEqual(read_png(os.path.join(self.out, "a.png")), alone)
        self.assertEqual(self.count(self.crops, self.out), 0)

    def test_classes(self):
        """What --classes leaves out is neither found nor covered."""
        self.codes("--privacy", "--draw", self.out, "--save-crops", self.crops, self.png, classes="qr-code")
        found = {o["roi_type"] for o in self.codes(self.out)[0]["objects"]}
        self.assertNotIn("qr-code", found)
        self.assertIn("aztec", found)
        rows, _ = read_png(os.path.join(self.out, "a.png"))
        for y in range(AZTEC[1], AZTEC[3]):
            self.assertEqual(rows[y][3 * AZTEC[0]:3 * AZTEC[2]], self.rows[y][3 * AZTEC[0]:3 * AZTEC[2]])
        self.assertEqual(os.listdir(self.crops), ["qr-code"])

    def test_region(self):
        """Outside a region nothing is known, so it is covered; where it is not one rectangle, that is
        refused for copies, but crops do not depend on it."""
        width, height = len(self.rows[0]) // 3, len(self.rows)
        upper = ["--region", "0,0 1,0.4", "--region-anchor", "overlap"]
        found = self.codes("--privacy", "--draw", self.out, *upper, self.png)[0]["objects"]
        self.assertLess({"qr-code", "aztec"}, {o["roi_type"] for o in found})
        self.assertEqual(self.count(self.out), 0)
        rows, _ = read_png(os.path.join(self.out, "a.png"))
        for y in range(height * 2 // 5 + 2, height):
            self.assertEqual(set(rows[y]), {FILLED})
        self.assertGreater(sum(row[3 * x] > 200 for row in rows for x in range(width)), width * height / 8)
        for region in (["--region", "0,0 0.5,1"],
                       ["--region", "0,0 0.5,1 1,0", "--region-anchor", "overlap"]):
            self.refused("detect", "--privacy", "--draw", self.out, *region, self.png,
                         says=["--privacy", "--region", "one rectangle"])
            self.codes("--privacy", "--save-crops", self.crops, *region, self.png)
        self.assertGreater(len(self.crop_files()), 0)
        self.assertEqual(self.count(self.crops), 0)

    def video(self, n, rate=25, step=2):
        """A code on white that moves to the right. What is drawn at it may look like other kinds."""
        path, (x0, y0, x1, y1) = self.path("video.y4m"), QR
        code = [row[0::3][x0:x1] for row in self.rows[y0:y1]]
        with open(path, "wb") as f:
            f.write(f"YUV4MPEG2 W{WIDTH} H{HEIGHT} F{rate}:1 Ip A1:1 C420jpeg\n".encode())
            for i in range(n):
                rows = [bytearray(b"\xff" * WIDTH) for _ in range(HEIGHT)]
                for y, row in enumerate(code):
                    rows[57 + y][31 + step * i:31 + step * i + len(row)] = row
                f.write(b"FRAME\n" + b"".join(rows) + b"\x80" * (WIDTH * HEIGHT // 2))
        return path

    def test_video(self):
        """In no frame of a copy there is the code, whether it was inferred or not; and as long as the
        boxes are young, what is far from them is not covered."""
        video, copy, shown = self.video(60), self.path("v.avi"), self.path("shown.avi")
        for word in "fill", "blur":
            lines = self.codes("--interval", "4", "--privacy=" + word, "--draw", copy, video, "--save-crops",
                               self.crops)
            self.assertEqual([len(line["objects"]) for line in lines], [1] * 15)
            self.assertEqual(self.codes("--interval", "4", "--draw", shown, video), lines)
            self.assertGreater(self.count(shown, classes="qr-code"), 50)
            self.assertEqual(self.count(copy, classes="qr-code"), 0)
            self.assertEqual(len(self.crop_files()), 15)
            self.assertEqual(self.count(self.crops), 0)
            shutil.rmtree(self.crops)
            frames = self.decode(copy, SIZE)
            self.assertEqual(len(frames), 60)
            for i, rows in enumerate(frames):
                # The margin that grows with age: 0.12 s of a quarter of 320 pixels a second.
                margin = 0 if i % 4 == 0 else 14
                self.assertGreater(min(min(row[3 * margin:60]) for row in rows[margin + 12:30]), 200, i)
                if margin and word == "fill":
                    self.assertLess(max(rows[120][:3]), 80, i)

    def test_old(self):
        """When the boxes are older than that, all is covered."""
        video, copy = self.video(100, rate=10, step=0), self.path("v.avi")
        self.codes("--interval", "90", "--privacy", "--draw", copy, video)
        frames = self.decode(copy, SIZE)
        self.assertGreater(min(frames[0][200]), 200)
        for y in 4, 120, 236:
            self.assertLess(max(frames[60][y][3 * 250:]), 80)
        self.assertGreater(min(frames[90][200]), 200)
        self.assertEqual(self.count(copy, classes="qr-code"), 0)

    def test_refused(self):
        self.codes("--privacy", "blur", "--draw", self.out, self.png)
        self.assertEqual(os.listdir(self.out), ["a.png"])
        shutil.rmtree(self.out)
        for args, says in ((["--privacy"], ["--privacy needs --draw or --save-crops"]),
                           (["--privacy=blur", "--format", "csv"], ["--draw or --save-crops"]),
                           (["--privacy=pixelate", "--draw", self.out], ['"pixelate"', "none, blur or fill"]),
                           (["--privacy=", "--draw", self.out], ['""', "none, blur or fill"]),
                           (["--privacy", "--store", self.out], ["--draw or --save-crops"])):
            self.refused("detect", *args, self.png, says=says)
            self.assertFalse(os.path.exists(self.out))
        self.codes("--privacy=none", self.png)


if __name__ == "__main__":
    main()
