#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""The bundled model, used by default: it detects codes made by zint at the right places, and its
detections in pipelines/codes.png equal those of PyTorch. pipelines/read-codes.sh reads the texts
that zint encoded.

usage: test-bundled.py BUILD [TESTCASE...]
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from pictures import iou, page, symbol, write_png

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "../.."))
# The output of models/train/detect.py.
GOLDEN = os.path.join(HERE, "../data/codes.golden.jsonl")
BUILD = None

# zint's number, label, text, pixels a module, further options.
CODES = (
    (58, "qr-code", "https://example.org/a%20b?c=d&e=f#g", 4),
    (13, "barcode", "400638133393", 2, "--height=40"),
    (20, "barcode", "Code 128", 2, "--height=25"),
    (71, "data-matrix", "data\x1dmatrix\\with\ttabs\nand lines", 5),
    (92, "aztec", "Aztec 0123456789", 5),
    (55, "pdf417", "PDF417, a stack of rows", 2),
)


def detect(*arguments):
    """The output lines of y10 detect; boxes in pixels."""
    done = subprocess.run([os.path.join(BUILD, "tools/y10"), "detect", *arguments], check=True,
                          stdout=subprocess.PIPE, text=True)
    return [objects(line) for line in done.stdout.splitlines()]


def objects(line):
    """(label, confidence, box in pixels) of a line of JSON."""
    frame = json.loads(line)
    size = [frame["resolution"]["width"], frame["resolution"]["height"]] * 2
    found = []
    for item in frame["objects"]:
        box = item["detection"]["bounding_box"]
        found.append((item["detection"]["label"], item["detection"]["confidence"],
                      [box[k] * n for k, n in zip(("x_min", "y_min", "x_max", "y_max"), size)]))
    return found


def written(text):
    """As read-codes.sh prints a text."""
    return "".join(c if c.isprintable() and c != "\\" else c.encode("unicode_escape").decode()
                   for c in text)


HAVE_ZXING = subprocess.run(
    ["/usr/bin/python3", "-c", "import zxingcpp, numpy, gi; gi.require_version('GstVideo', '1.0')"],
    stderr=subprocess.DEVNULL, check=False).returncode == 0


class Codes(unittest.TestCase):
    """Pictures of zint's symbols."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.codes = [symbol(kind, text, *how) for kind, _label, text, *how in CODES
                     if shutil.which("zint")]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def read(self, rows):
        """The output and the annotated copy of read-codes.sh for a picture."""
        path, drawn = write_png(self.path("all codes.png"), rows), self.path("drawn.png")
        done = subprocess.run([os.path.join(ROOT, "pipelines/read-codes.sh"), path, drawn],
                              env={**os.environ, "Y10_BUILD": BUILD}, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(os.path.getsize(drawn), 1000)
        return [line.split("\t") for line in done.stdout.splitlines()]


@unittest.skipUnless(shutil.which("zint"), "zint is not installed")
class Everything(Codes):
    """The model's purpose: detecting codes."""

    def found(self, *paths):
        """Fixes the instruction set: others change scores by up to 0.05 (Golden), and one score
        here is 0.22."""
        return detect("--precision", "fp32", *paths)

    def test_each_is_found(self):
        """One code at a time, anywhere on a page."""
        paths, boxes = [], []
        for i, code in enumerate(self.codes):
            for k, (x, y) in enumerate(((60, 50), (190, 140))):
                rows, known = page(520, 400, (code, x, y))
                paths.append(write_png(self.path(f"{i}-{k}.png"), rows))
                boxes += known
        for path, box, found in zip(paths, boxes, self.found(*paths)):
            label = CODES[int(os.path.basename(path)[0])][1]
            with self.subTest(label, box=box):
                self.assertEqual([f[0] for f in found], [label], found)
                self.assertGreater(iou(found[0][2], box), 0.5, found)

    def test_sheet(self):
        found, = self.found(os.path.join(ROOT, "pipelines/codes.png"))
        self.assertEqual(sorted(label for label, _score, _box in found),
                         ["aztec", "barcode", "data-matrix", "marker", "marker", "pdf417", "qr-code"])

    @unittest.skipUnless(HAVE_ZXING, "python3-zxing-cpp is not installed")
    def test_read_codes(self):
        """A page with all codes: each text must be read once, as it was given to zint."""
        places = ((40, 40), (330, 50), (330, 200), (40, 230), (200, 330), (380, 340))
        rows, boxes = page(700, 540, *((code, *at) for code, at in zip(self.codes, places)))
        for i, a in enumerate(boxes):
            self.assertFalse(any(iou(a, b) for b in boxes[:i]), "the test's codes overlap")
        lines = self.read(rows)
        expected = sorted((label, written(text) + ("1" if kind == 13 else ""))
                          for kind, label, text, *_how in CODES)
        self.assertEqual(sorted((label, text) for _time, label, text in lines), expected)


class ReadCodes(Codes):
    @unittest.skipUnless(HAVE_ZXING and shutil.which("zint"),
                         "zint or python3-zxing-cpp is not installed")
    def test_one(self):
        rows, _box = page(520, 400, (self.codes[0], 190, 140))
        self.assertEqual([text for _time, _label, text in self.read(rows)], [CODES[0][2]])

    def test_refusals(self):
        for words, arguments in (
                ('No such file "none"', ["none"]),
                ("none.safetensors cannot be read: no such file",
                 ["none.safetensors", os.path.join(ROOT, "pipelines/codes.png")]),
                ("/dev/video77", ["/dev/video77"]),
                ("expected .mp4 or .mkv for a video", [os.path.abspath(__file__), "out.txt"]),
                ("too many arguments", ["a", "b", "c"])):
            with self.subTest(words):
                done = subprocess.run([os.path.join(ROOT, "pipelines/read-codes.sh"), *arguments],
                                      env={**os.environ, "Y10_BUILD": BUILD}, cwd="/", text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertIn(words, done.stderr.splitlines()[-1])


class Golden(unittest.TestCase):
    def compare(self, found, expected, least, confidence, overlap):
        """In both directions: for each row with a score of at least @least the other has a row at
        nearly the same place, whose score differs by at most @confidence."""
        for one, other in ((found, expected), (expected, found)):
            for label, score, box in one:
                if score < least:
                    continue
                same = [(abs(score - s), iou(box, b)) for l, s, b in other if l == label]
                self.assertTrue(any(d <= confidence and i >= overlap for d, i in same),
                                f"{label} {score:.3f} {box}: nothing of the other is like it: {same}")

    def test_sheet(self):
        with open(GOLDEN, encoding="utf-8") as file:
            expected = objects(file.readline())
        self.assertGreater(len([score for _label, score, _box in expected if score >= 0.25]), 5)
        sheet = os.path.join(ROOT, "pipelines/codes.png")
        # The golden file has hundredths of a pixel.
        for options, confidence, overlap in ((["--precision", "fp32"], 0.001, 0.999),
                                             (["--backend", "ref"], 0.001, 0.999), ([], 0.05, 0.93)):
            with self.subTest(options):
                found, = detect(*options, "--confidence", "0.1", sheet)
                self.compare(found, expected, 0.25, confidence, overlap)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    BUILD = os.path.abspath(sys.argv[1])
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
