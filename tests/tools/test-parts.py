#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""y10 detect with --tiles and --region: the boxes of a region are those of the picture that is cut
out of the frame, and bad values are refused with what was found and what is expected. --size auto
is the size of each picture's shape."""
from common import Case, boxes, main, need, picture, write_png

need("pixbuf")

WIDTH, HEIGHT = 240, 120


class Parts(Case):
    def setUp(self):
        self.rows = picture(WIDTH, HEIGHT, seed=3)
        self.frame = write_png(self.path("frame.png"), self.rows)

    def cut(self, x0, x1):
        """What is found in these columns alone, as boxes of the frame."""
        path = write_png(self.path("cut.png"), [row[3 * x0:3 * x1] for row in self.rows])
        [line], _ = self.detect("--confidence", "0.02", path)
        found = []
        for box, confidence, label in boxes(line):
            found.append(((box["x_min"] * (x1 - x0) + x0) / WIDTH, box["y_min"],
                          (box["x_max"] * (x1 - x0) + x0) / WIDTH, box["y_max"], confidence, label))
        return found

    def found(self, *args):
        [line], _ = self.detect("--confidence", "0.02", *args, self.frame)
        return [(b["x_min"], b["y_min"], b["x_max"], b["y_max"], confidence, label)
                for b, confidence, label in boxes(line)]

    def assert_same(self, found, expected):
        self.assertEqual([row[4:] for row in found], [row[4:] for row in expected])
        for row, other in zip(found, expected):
            for value, wanted in zip(row[:4], other[:4]):
                self.assertAlmostEqual(value, wanted, delta=1e-4)

    def test_region(self):
        expected = self.cut(60, 180)
        self.assertGreater(len(expected), 3)
        self.assert_same(self.found("--region", "0.25,0 0.75,1", "--region-anchor", "overlap"),
                         expected)
        # By the middle of the lower edge, of which a part is in the region's upper half.
        upper = self.found("--region", "0.25,0 0.75,0.5; 0.25,0.9 0.75,1")
        self.assertLess(len(upper), len(expected))
        for _x0, _y0, _x1, y1, _confidence, _label in upper:
            self.assertTrue(y1 <= 0.5 or y1 >= 0.9, y1)

    def test_tiles(self):
        """Each box is one of the whole frame or of a tile."""
        known = self.found() + self.cut(0, 120) + self.cut(120, 240)
        tiled = self.found("--tiles", "2x1", "--tile-overlap", "0")
        self.assertGreater(len(tiled), 3)
        for row in tiled:
            self.assertTrue(any(row[4:] == other[4:]
                                and max(abs(a - b) for a, b in zip(row[:4], other[:4])) < 1e-4
                                for other in known), row)
        self.assertTrue(any(row not in self.found() for row in tiled))
        # One tile is the frame.
        self.assertEqual(self.found("--tiles", "1x1"), self.found())

    def test_auto(self):
        """More shapes than plans are kept, in the order of the inputs."""
        shapes = {(240, 120): "640x320", (120, 240): "320x640", (160, 120): "640x480",
                  (100, 100): "640", (240, 150): "640x416", (150, 240): "416x640"}
        args = ["--backend", "cpu", "--precision", "fp32", "--threads", "1", "--confidence", "0.02"]
        pictures, expected = [], []
        for seed in range(2):
            for (width, height), size in shapes.items():
                pictures.append(write_png(self.path(f"{width}x{height}-{seed}.png"),
                                          picture(width, height, seed)))
                expected += self.detect(*args, "--size", size, pictures[-1])[0]
        self.assertGreater(sum(len(line["objects"]) for line in expected), 20)
        self.assertEqual(self.detect(*args, "--size", "auto", *pictures)[0], expected)
        # Tiles that are upright in a frame that is not.
        tiles = ["--tiles", "2x1", self.frame]
        self.assertEqual(self.detect(*args, "--size", "auto", *tiles)[0],
                         self.detect(*args, "--size", "640", *tiles)[0])
        tiles[1] = "2x2"
        self.assertEqual(self.detect(*args, "--size", "auto", *tiles)[0],
                         self.detect(*args, "--size", "640x320", *tiles)[0])

    def test_refused(self):
        for args, *says in (
                (("--tiles", "big"), '--tiles: tiles are "big"', '"2x2"', '"640"', '"auto"'),
                (("--tiles", "9x9"), "which is 81 tiles", "at most 64"),
                (("--tiles", "31"), 'tiles are "31"', "from 32 to"),
                (("--tile-overlap", "1"), "--tile-overlap is 1", "0 to 0.9"),
                (("--region", "0,0"), '--region: a region contains the shape "0,0"', "corners"),
                (("--region", "0,0 1.5,1"), 'the point "1.5,1"', "from 0 to 1"),
                (("--region", "0,0 0,1"), 'rectangle "0,0 0,1" is empty', "opposite corners"),
                (("--region", "0,0 1,1", "--region-anchor", "top"), "--region-anchor", '"top"',
                 "bottom or overlap")):
            with self.subTest(args):
                self.refused("detect", "--model", self.model, *args, self.frame, says=says)

    def test_too_many(self):
        """That depends on the picture, so the next one is still processed."""
        small = write_png(self.path("small.png"), picture(40, 40))
        lines, said = self.detect("--tiles", "32", "--tile-overlap", "0.9", self.frame, small,
                                  status=1)
        self.assertIn("tiles of 32 pixels are ", said)
        self.assertIn("240 x 120 pixels; expected at most 64", said)
        self.assertEqual([line["source"] for line in lines], [small])


if __name__ == "__main__":
    main()
