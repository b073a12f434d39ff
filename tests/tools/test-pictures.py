#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""y10 detect on pictures: its output, its decoding, and its errors for bad input."""
import os
import pty
import subprocess
import unittest

from common import (Case, Y10, add_exif, boxes, main, need, picture, turned_left, write_png,
                    write_tiff)

need("pixbuf")


class Pictures(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.rows = picture(150, 110)
        cls.png = write_png(cls.path("a.png"), cls.rows)

    def test_line(self):
        """Exactly the members that README lists, in frames of the picture's size."""
        labels = self.path("labels.txt")
        with open(labels, "w", encoding="utf-8") as f:
            f.write("bœuf\nstop sign\ncat\n")
        lines, _ = self.detect("--confidence", "0.02", "--labels", labels, self.png)
        self.assertEqual(len(lines), 1)
        line = lines[0]
        self.assertEqual(set(line), {"source", "timestamp", "resolution", "objects", "inference"})
        self.assertEqual(line["source"], self.png)
        self.assertIsNone(line["timestamp"])
        self.assertEqual(line["resolution"], {"width": 150, "height": 110})
        self.assertEqual(line["inference"], "fresh")
        self.assertGreater(len(line["objects"]), 3)
        last = 1
        for n, obj in enumerate(line["objects"]):
            self.assertEqual(set(obj), {"detection", "x", "y", "w", "h", "roi_type", "id"})
            d = obj["detection"]
            self.assertEqual(set(d), {"bounding_box", "confidence", "label", "label_id"})
            b = d["bounding_box"]
            self.assertEqual(set(b), {"x_min", "y_min", "x_max", "y_max"})
            self.assertTrue(0 <= b["x_min"] < b["x_max"] <= 1 and 0 <= b["y_min"] < b["y_max"] <= 1, b)
            self.assertTrue(0.02 <= d["confidence"] <= last)
            last = d["confidence"]
            self.assertEqual(d["label"], ["bœuf", "stop sign", "cat"][d["label_id"]])
            self.assertEqual(obj["roi_type"], d["label"])
            self.assertEqual(obj["id"], n)
            self.assertTrue(0 <= obj["x"] < 150 and 0 <= obj["y"] < 110 and obj["w"] and obj["h"])
            self.assertLessEqual(abs(obj["x"] - b["x_min"] * 150), 1)
            self.assertLessEqual(abs(obj["x"] + obj["w"] - b["x_max"] * 150), 1)
            self.assertLessEqual(abs(obj["y"] - b["y_min"] * 110), 1)
            self.assertLessEqual(abs(obj["y"] + obj["h"] - b["y_max"] * 110), 1)

    def test_confidence_selects(self):
        every, _ = self.detect("--confidence", "0.001", self.png)
        least = every[0]["objects"][5]["detection"]["confidence"]
        some, _ = self.detect("--confidence", repr(least), self.png)
        self.assertEqual(boxes(some[0]),
                         [b for b in boxes(every[0]) if b[1] >= least])

    def test_upright(self):
        """A rotated picture with an orientation tag gives the same result as the upright
        picture."""
        upright, _ = self.detect("--confidence", "0.02", self.png)
        tiff = write_tiff(self.path("turned.tif"), turned_left(self.rows), 6)
        turned, _ = self.detect("--confidence", "0.02", tiff)
        self.assertEqual(turned[0]["resolution"], {"width": 150, "height": 110})
        self.assertEqual(boxes(turned[0]), boxes(upright[0]))
        flat = write_tiff(self.path("lying.tif"), turned_left(self.rows), 1)
        lying, _ = self.detect("--confidence", "0.02", flat)
        self.assertEqual(lying[0]["resolution"], {"width": 110, "height": 150})
        self.assertNotEqual(boxes(lying[0]), boxes(upright[0]))

    def test_alpha_is_ignored(self):
        rgba = [b"".join(row[i:i + 3] + bytes([(i * 7 + y) & 255]) for i in range(0, len(row), 3))
                for y, row in enumerate(self.rows)]
        plain, _ = self.detect("--confidence", "0.02", self.png)
        alpha, _ = self.detect("--confidence", "0.02", write_png(self.path("alpha.png"), rgba, 4))
        self.assertEqual(boxes(alpha[0]), boxes(plain[0]))

    def test_gray(self):
        gray = picture(90, 80, channels=1)
        rgb = [b"".join(bytes([v]) * 3 for v in row) for row in gray]
        a, _ = self.detect("--confidence", "0.02", write_png(self.path("gray.png"), gray, 1))
        b, _ = self.detect("--confidence", "0.02", write_png(self.path("rgb.png"), rgb))
        self.assertGreater(len(a[0]["objects"]), 0)
        self.assertEqual(boxes(a[0]), boxes(b[0]))

    def test_order_and_independence(self):
        """Pictures go through two slots; each gets its own result, in the order given."""
        paths = [write_png(self.path(f"n{i}.png"), picture(40 + 30 * i, 70, i)) for i in range(5)]
        alone = [self.detect("--confidence", "0.02", p)[0][0] for p in paths]
        self.assertEqual(self.detect("--confidence", "0.02", *paths)[0], alone)
        self.assertEqual(len({repr(boxes(line)) for line in alone}), 5)

    def test_bad_inputs(self):
        """Each bad picture is named once, the others are still read, and the exit status shows
        that some failed. A damaged picture gives the results of its readable part."""
        broken = self.path("broken.png")
        with open(self.png, "rb") as f, open(broken, "wb") as out:
            out.write(f.read()[:2000])
        missing, empty, folder = self.path("missing.png"), self.path("empty.png"), self.path("folder")
        open(empty, "wb").close()
        os.mkdir(folder)
        lines, errors = self.detect(missing, self.png, folder, broken, empty, self.png, status=1)
        self.assertEqual([line["source"] for line in lines], [self.png, broken, self.png])
        errors = errors.splitlines()
        self.assertEqual(len(errors), 4, errors)
        for path, text, error in zip([missing, folder, broken, empty],
                                     ["no such file", "in this folder", "damaged", ""], errors):
            self.assertIn(path, error)
            self.assertIn(text, error)

    @unittest.skipIf(os.geteuid() == 0, "root may read everything")
    def test_unreadable(self):
        path = write_png(self.path("secret.png"), self.rows)
        os.chmod(path, 0)
        _, errors = self.detect(path, status=1)
        self.assertIn("no permission", errors)

    def test_strange_names(self):
        path = write_png(self.path('quo"te\\ and\nline.png'), self.rows)
        lines, _ = self.detect(path)
        self.assertEqual(lines[0]["source"], path)

    def test_table(self):
        """A terminal gets a table."""
        try:
            parent, child = pty.openpty()
        except OSError as error:
            self.skipTest(f"no pseudo-terminals here (/dev/pts): {error}")
        done = subprocess.run([Y10, "detect", "--model", self.model, "--backend", "ref", "--size", "96",
                               "--confidence", "0.02", self.png], stdout=child, env=self.env,
                              check=True)
        os.close(child)
        text = b""
        try:
            while chunk := os.read(parent, 65536):
                text += chunk
        except OSError:
            pass                                     # EIO: the other end is closed
        os.close(parent)
        self.assertEqual(done.returncode, 0)
        lines, _ = self.detect("--confidence", "0.02", self.png)
        rows = text.decode().splitlines()
        self.assertIn("150x110", rows[0])
        self.assertIn(f"{len(lines[0]['objects'])} objects", rows[0])
        self.assertEqual(len(rows), 2 + len(lines[0]["objects"]))
        first = lines[0]["objects"][0]
        self.assertEqual(rows[2].split()[-4:], [str(first[k]) for k in "xywh"])
        self.assertNotIn("{", text.decode())

    def test_full_disk(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([Y10, "detect", "--model", self.model, "--backend", "ref", "--size",
                                   "96", self.png], stdout=full, stderr=subprocess.PIPE, text=True,
                                  env=self.env, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write", done.stderr)


class Exif(Case):
    def test_jpeg(self):
        """Like a camera's file: the picture's sides are swapped."""
        need("gst")
        jpeg = self.path("a.jpg")
        made = subprocess.run(["gst-launch-1.0", "-q", "videotestsrc", "num-buffers=1", "!",
                               "video/x-raw,width=96,height=64", "!", "jpegenc", "!", "filesink",
                               f"location={jpeg}"], env=self.env, check=False)
        if made.returncode or not os.path.getsize(jpeg):
            self.skipTest("gst-launch-1.0 made no JPEG")
        lines, _ = self.detect(jpeg, add_exif(jpeg, self.path("turned.jpg"), 6),
                               add_exif(jpeg, self.path("upside.jpg"), 3))
        self.assertEqual([line["resolution"]["width"] for line in lines], [96, 64, 96])


class Usage(Case):
    def test_wrong(self):
        picture_path = self.path("whatever.png")
        detect = ("detect", "--model", self.model)
        self.refused("detct", says=["detct", "--help"])
        self.refused("detect", says=["no input"])
        self.refused(*detect, says=["no input"])
        self.refused(*detect, "--confidence", "1.5", picture_path, says=["--confidence", "1.5", "0 to 1"])
        self.refused(*detect, "--size", "641", picture_path, says=["--size", "641", "multiples of 32"])
        self.refused(*detect, "--size", "64x", picture_path, says=["--size", "64x"])
        self.refused(*detect, "--size", "-64", picture_path, says=["--size", "-64"])
        self.refused(*detect, "--threads", "-1", picture_path, says=["--threads", "-1"])
        self.refused(*detect, "--backend", "gpu", picture_path, says=["--backend", "gpu", "cpu", "cuda"])
        self.refused(*detect, "--precision", "int4", picture_path,
                     says=["--precision", "int4", "fp32", "bf16", "int8"])
        self.refused(*detect, "--interval", "0", picture_path, says=["--interval", "1 to"])
        self.refused(*detect, "--max-detections", "301", picture_path, says=["--max-detections", "300"])
        self.refused(*detect, "--classes", "0,frog", picture_path, says=["--classes", "frog", "3 classes"])
        self.refused(*detect, "--classes", "3", picture_path, says=["--classes", '"3"'])
        self.refused(*detect, "--classes", ",", picture_path, says=["--classes", "empty"])
        self.refused(*detect, "--head", "two", picture_path, says=["--head", "one2many"])
        self.refused(*detect, "--frob", picture_path, says=["--frob", "detect --help"])

    def test_engine_refuses(self):
        """A valid command that cannot be carried out has a separate exit status."""
        detect = ("detect", "--backend", "ref", "--size", "96")
        missing = self.path("none.safetensors")
        self.refused(*detect, "--model", missing, "a.png", says=[missing], status=3)
        text = self.path("text.safetensors")
        with open(text, "w", encoding="utf-8") as f:
            f.write("not weights at all, but long enough to have a header")
        self.refused(*detect, "--model", text, "a.png", says=[text], status=3)
        labels = self.path("few.txt")
        with open(labels, "w", encoding="utf-8") as f:
            f.write("one\ntwo\n")
        self.refused(*detect, "--model", self.model, "--labels", labels, "a.png", says=[labels, "2", "3"],
                     status=3)
        for command, end in (("detect", ["a.png"]), ("info", []), ("bench", ["--seconds", "0"])):
            self.refused(command, "--backend", "ref", "--precision", "fp16", "--model", self.model, *end,
                         says=["fp16", "fp32"], status=3)
            self.refused(command, "--backend", "cuda", "--model", self.model, *end,
                         says=["backend cuda cannot run", "cpu and ref can"], status=3)


if __name__ == "__main__":
    main()
