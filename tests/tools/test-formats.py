#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""The formats of y10 detect hold what its JSON lines hold, as readers of Python's own take it and,
where they are installed, pandas, pycocotools, supervision and motmetrics."""
import contextlib
import csv
import importlib
import io
import json
import os
import shutil
import unittest

from common import Case, FEATURES, lacking, launch, main, need, picture, write_png

need("pixbuf")

MISSING = ["gst"] if "gst" not in FEATURES else lacking("jpegenc", "avimux", "avidemux", "jpegdec")


def corners(found, line):
    """The JSON has fractions of the frame."""
    box = found["detection"]["bounding_box"]
    size = line["resolution"]["width"], line["resolution"]["height"]
    return [box[side] * size[i % 2] for i, side in enumerate(("x_min", "y_min", "x_max", "y_max"))]


class Formats(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = cls.path("photos")
        os.mkdir(cls.folder)
        names = ("000000000139.png", "a,\"b\".png", "plain.png")
        cls.pictures = [write_png(os.path.join(cls.folder, name), picture(150 + 10 * i, 110, i))
                        for i, name in enumerate(names)]
        cls.inputs = ["--confidence", "0.02", *cls.pictures]

    def written(self, form, *args, name="out", status=0):
        """What detect writes to a file in a format; nothing else goes to standard output."""
        path = self.path(name)
        done = self.y10("detect", "--model", self.model, "--backend", "ref", "--size", "96",
                        "--format", form, "--output", path, *args, status=status)
        self.assertEqual(done.stdout, "")
        return path

    def same(self, box, expected, delta):
        for value, other in zip(box, expected, strict=True):
            self.assertAlmostEqual(float(value), other, delta=delta)

    def test_lines(self):
        """A file has the bytes that standard output gets."""
        for form in ("jsonl", "table", "csv", "coco"):
            out = self.y10("detect", "--model", self.model, "--backend", "ref", "--size", "96",
                           "--format", form, *self.inputs).stdout
            with open(self.written(form, *self.inputs), encoding="utf-8") as f:
                self.assertEqual(f.read(), out)
            self.assertTrue(out)

    def test_csv(self):
        lines, _ = self.detect(*self.inputs)
        with open(self.written("csv", *self.inputs), encoding="utf-8", newline="") as f:
            rows = list(csv.DictReader(f))
        expected = [(line, found) for line in lines for found in line["objects"]]
        self.assertGreater(len(expected), 3)
        self.assertEqual(len(rows), len(expected))
        for row, (line, found) in zip(rows, expected):
            self.assertEqual(row["source"], line["source"])
            self.assertEqual((row["frame"], row["timestamp"]), ("", ""))
            self.assertEqual((int(row["width"]), int(row["height"])),
                             (line["resolution"]["width"], line["resolution"]["height"]))
            self.assertEqual((int(row["label_id"]), row["label"]),
                             (found["detection"]["label_id"], found["roi_type"]))
            self.same([row["confidence"]], [found["detection"]["confidence"]], 6e-5)
            self.same([row[key] for key in ("x_min", "y_min", "x_max", "y_max")],
                      corners(found, line), 0.01)
        pandas = installed("pandas")
        if pandas:
            self.assertEqual(pandas.read_csv(self.path("out")).label.tolist(),
                             [found["roi_type"] for _, found in expected])

    def test_yolo(self):
        """Label files and the names of the classes, as for training."""
        lines, _ = self.detect(*self.inputs)
        labels = self.written("yolo", *self.inputs, name="labels")
        self.assertEqual(sorted(os.listdir(labels)), sorted(
            ["data.yaml", *(os.path.splitext(os.path.basename(p))[0] + ".txt" for p in self.pictures)]))
        for path, line in zip(self.pictures, lines, strict=True):
            stem = os.path.splitext(os.path.basename(path))[0]
            with open(os.path.join(labels, stem + ".txt"), encoding="ascii") as f:
                rows = [row.split() for row in f]
            self.assertEqual(len(rows), len(line["objects"]))
            for row, found in zip(rows, line["objects"]):
                self.assertEqual(int(row[0]), found["detection"]["label_id"])
                box = found["detection"]["bounding_box"]
                self.same(row[1:], [(box["x_min"] + box["x_max"]) / 2, (box["y_min"] + box["y_max"]) / 2,
                                    box["x_max"] - box["x_min"], box["y_max"] - box["y_min"]], 2e-6)
        with open(os.path.join(labels, "data.yaml"), encoding="utf-8") as f:
            self.assertEqual(f.read(), "names:\n  0: \"class 0\"\n  1: \"class 1\"\n  2: \"class 2\"\n")
        # Of two inputs with one name, each has its labels; a picture without objects has none.
        other = self.path("other")
        os.mkdir(other)
        shutil.copy(self.pictures[2], other)
        twins = self.written("yolo", "--confidence", "1", self.pictures[2],
                             os.path.join(other, "plain.png"), name="twins")
        self.assertEqual(sorted(os.listdir(twins)), ["data.yaml", "plain-2.txt", "plain.txt"])
        self.assertEqual(os.path.getsize(os.path.join(twins, "plain.txt")), 0)
        sv = installed("supervision")
        if sv:
            read = sv.DetectionDataset.from_yolo(self.folder, labels, os.path.join(labels, "data.yaml"))
            self.assertEqual({os.path.basename(path): len(found) for path, _, found in read},
                             {os.path.basename(line["source"]): len(line["objects"]) for line in lines})

    def test_coco(self):
        lines, _ = self.detect(*self.inputs)
        path = self.written("coco", *self.inputs)
        with open(path, encoding="utf-8") as f:
            out = json.load(f)
        # The number in a name is the image's, as in COCO.
        self.assertEqual([image["id"] for image in out["images"]], [139, 1, 2])
        self.assertEqual([image["file_name"] for image in out["images"]], self.pictures)
        self.assertEqual([image["width"] for image in out["images"]], [150, 160, 170])
        self.assertEqual(out["categories"], [{"id": i + 1, "name": f"class {i}"} for i in range(3)])
        expected = [(line, found) for line in lines for found in line["objects"]]
        self.assertEqual([row["id"] for row in out["annotations"]], list(range(1, 1 + len(expected))))
        ids = dict(zip(self.pictures, (139, 1, 2)))
        for row, (line, found) in zip(out["annotations"], expected):
            self.assertEqual((row["image_id"], row["category_id"], row["iscrowd"]),
                             (ids[line["source"]], found["detection"]["label_id"] + 1, 0))
            x0, y0, x1, y1 = corners(found, line)
            self.same(row["bbox"], [x0, y0, x1 - x0, y1 - y0], 1e-3)
            self.same([row["area"]], [(x1 - x0) * (y1 - y0)], 0.5)
            self.same([row["score"]], [found["detection"]["confidence"]], 1e-6)
        coco = installed("pycocotools.coco")
        if coco:
            with contextlib.redirect_stdout(io.StringIO()):
                read = coco.COCO(path)
                again = read.loadRes(out["annotations"])
            self.assertEqual(len(again.getAnnIds(imgIds=[139])), len(lines[0]["objects"]))
        # Nothing found, nothing read: documents all the same.
        for args, status, images in ((["--confidence", "1", self.pictures[2]], 0, 1),
                                     ([self.path("none.png")], 1, 0)):
            with open(self.written("coco", *args, status=status), encoding="utf-8") as f:
                out = json.load(f)
            self.assertEqual((len(out["images"]), out["annotations"]), (images, []))

    def test_mot_pictures(self):
        """Pictures are the frames of a sequence, from 1."""
        lines, _ = self.detect(*self.inputs)
        with open(self.written("mot", *self.inputs), encoding="ascii") as f:
            rows = [row.strip().split(",") for row in f]
        expected = [(number, line, found) for number, line in enumerate(lines, 1)
                    for found in line["objects"]]
        self.assertEqual(len(rows), len(expected))
        for row, (number, line, found) in zip(rows, expected):
            self.assertEqual((row[0], row[1], row[7:]), (str(number), "-1", ["-1"] * 3))
            x0, y0, x1, y1 = corners(found, line)
            self.same(row[2:6], [x0 + 1, y0 + 1, x1 - x0, y1 - y0], 0.01)
            self.same([row[6]], [found["detection"]["confidence"]], 6e-5)
        motmetrics = installed("motmetrics")
        if motmetrics:
            read = motmetrics.io.loadtxt(self.path("out"), fmt="mot15-2D")
            self.assertEqual(read.index.get_level_values(0).tolist(), [row[0] for row in expected])

    @unittest.skipIf(MISSING, f"GStreamer lacks {', '.join(MISSING)}")
    def test_video(self):
        """Frames have numbers and times."""
        avi = self.path("v.avi")
        launch(self, "videotestsrc num-buffers=5 pattern=ball ! video/x-raw,width=96,height=64,"
               f"framerate=10/1 ! jpegenc ! avimux ! filesink location={avi}")
        options = ["--confidence", "0.02", "--interval", "2", avi]
        lines, _ = self.detect(*options)
        self.assertTrue(all(line["objects"] for line in lines))
        with open(self.written("csv", *options), encoding="utf-8", newline="") as f:
            rows = {(int(row["frame"]), round(float(row["timestamp"]), 3)) for row in csv.DictReader(f)}
        self.assertEqual(rows, {(0, 0.0), (2, 0.2), (4, 0.4)})
        with open(self.written("mot", *options), encoding="ascii") as f:
            self.assertEqual({row.split(",")[0] for row in f}, {"1", "3", "5"})
        self.assertEqual(sorted(os.listdir(self.written("yolo", *options, name="frames"))),
                         ["data.yaml", "v_1.txt", "v_3.txt", "v_5.txt"])
        with open(self.written("coco", *options), encoding="utf-8") as f:
            self.assertEqual([(image["id"], image["frame"]) for image in json.load(f)["images"]],
                             [(1, 0), (2, 2), (3, 4)])
        errors = self.y10("detect", "--model", self.model, "--backend", "ref", "--size", "96",
                          "--format", "mot", avi, self.pictures[0], status=1).stderr
        self.assertIn("one video, or pictures", errors)

    def test_wrong(self):
        self.refused("detect", "--format", "yolo", self.pictures[0], says=["--output DIR"])
        self.refused("detect", "--store", self.path("store"), "--format", "csv", self.pictures[0],
                     says=["--store does not go with --format"])
        before = os.stat(self.pictures[0])
        self.refused("detect", "--output", self.pictures[0], self.pictures[0], status=1,
                     says=["would overwrite an input"])
        self.assertEqual(os.stat(self.pictures[0]).st_mtime_ns, before.st_mtime_ns)
        self.refused("detect", "--format", "csv", "--output", self.path("no/out.csv"), self.pictures[0],
                     status=1, says=["no/out.csv", "No such file or directory"])


def installed(name):
    """A program that others wrote, or None."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


if __name__ == "__main__":
    main()
