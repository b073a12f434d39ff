#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""y10 val: the numbers of pycocotools on the same detections, what the engine finds beside
y10 detect, both kinds of data, and what is refused. With pycocotools and "more", many more
cases by chance."""
import json
import os
import shutil
import sys
import unittest
import xml.etree.ElementTree as ElementTree

from common import FEATURES, Case, add_exif, main, picture, read_png, turned_left, write_png
import valcases

MORE = "more" in sys.argv[1:]
# pycocotools 2.0.11: valcases.py 1 2 3 4
GOLDEN = {
    1: (0.384173586755, 0.529981287201, 0.387345533106, 0.318787587092, 0.612458745875, 0.596138613861,
        0.366712962963, 0.578472222222, 0.578472222222, 0.432962962963, 0.766666666667, 0.713333333333),
    2: (0.345504657692, 0.509333133211, 0.363324111542, 0.364990731739, 0.346971827353, 0.390281225166,
        0.0926605504587, 0.477981651376, 0.635779816514, 0.678125, 0.551851851852, 0.611111111111),
    3: (0.309121623408, 0.467781039638, 0.298488281963, 0.317091342325, 0.377043339491, 0.342524264742,
        0.163492063492, 0.546296296296, 0.69417989418, 0.632575757576, 0.76746031746, 0.658333333333),
    4: (0.303987130293, 0.466709076756, 0.32881499973, 0.287774348231, 0.379269288259, 0.399909180306,
        0.120087209302, 0.499011627907, 0.70773255814, 0.680902777778, 0.726923076923, 0.727922077922),
}


def value(number):
    return -1 if number is None else number


class Numbers(Case):
    """Detections from a file; no model runs."""

    def val(self, truth, results, *args):
        for name, content in (("truth.json", truth), ("results.json", results)):
            with open(self.path(name), "w", encoding="utf-8") as f:
                json.dump(content, f)
        done = self.y10("val", "--detections", self.path("results.json"), self.path("truth.json"),
                        "--json", "-", *args)
        return json.loads(done.stdout), done.stderr

    def test_golden(self):
        for seed, expected in GOLDEN.items():
            out, said = self.val(*valcases.make(seed))
            for name, number in zip(valcases.STATS, expected):
                self.assertAlmostEqual(value(out[name]), number, delta=1e-11, msg=(seed, name))
            self.assertIn("are left out", said)

    @unittest.skipUnless(MORE, "for the slow suite")
    def test_many(self):
        try:
            import pycocotools.cocoeval  # noqa: F401
        except ImportError:
            self.skipTest("pycocotools is missing (PyPI)")
        for seed in range(100, 250):
            truth, results = valcases.make(seed)
            expected, precision = valcases.judge(truth, results)
            out, _ = self.val(truth, results)
            for name, number in expected.items():
                self.assertAlmostEqual(value(out[name]), number, delta=1e-9, msg=(seed, name))
            for i, known in enumerate(out["classes"]):
                curve = precision[0, :, i, 0, 2]
                self.assertEqual(len(known["precision"]), 101 if curve[0] >= 0 else 0)
                for ours, theirs in zip(known["precision"], curve):
                    self.assertAlmostEqual(ours, theirs, delta=1e-9, msg=seed)

    def test_text(self):
        truth, results = valcases.make(1)
        out, _ = self.val(truth, results)
        text = self.y10("val", "--detections", self.path("results.json"), self.path("truth.json")).stdout
        row = text.splitlines()[1].split()
        self.assertEqual(row[0], "all")
        self.assertEqual(row[1:3], [str(len(truth["images"])), str(out["objects"])])
        self.assertEqual(row[3:], [f"{n:.4f}" for n in GOLDEN[1][:6]])
        self.assertNotIn("ms a picture", text)

    def test_other_forms(self):
        """Ids that are text, an area that is null, byte order marks: the numbers stay."""
        truth, results = valcases.make(1)
        for image in truth["images"]:
            image["id"] = f"frame_{image['id']:06}"
        for thing in truth["annotations"] + results:
            thing["image_id"] = f"frame_{thing['image_id']:06}"
        for thing in truth["annotations"]:
            if thing["area"] == thing["bbox"][2] * thing["bbox"][3]:
                thing["area"] = None
            thing["iscrowd"] = thing["iscrowd"] or None
        for name, content in (("truth.json", truth), ("results.json", results)):
            with open(self.path(name), "w", encoding="utf-8-sig") as f:
                json.dump(content, f)
        out = json.loads(self.y10("val", "--detections", self.path("results.json"), self.path("truth.json"),
                                  "--json", "-").stdout)
        for name, number in zip(valcases.STATS, GOLDEN[1]):
            self.assertAlmostEqual(value(out[name]), number, delta=1e-11, msg=name)

    def test_confusion(self):
        """Rows are what was found; every object and every box above 0.25 is in it once."""
        def box(image, kind, x, score=None):
            more = {"score": score} if score else {"id": 1, "iscrowd": 0, "area": 400}
            return dict(image_id=image, category_id=kind, bbox=[x, 0, 20, 20], **more)
        truth = {"images": [{"id": i, "file_name": "x"} for i in (1, 2)],
                 "categories": [{"id": 1, "name": "one"}, {"id": 2, "name": "two"}],
                 "annotations": [box(1, 1, 0), box(1, 2, 100), box(2, 1, 0)]}
        out, _ = self.val(truth, [box(1, 1, 0, 0.9), box(1, 1, 101, 0.8), box(2, 2, 50, 0.3),
                                  box(2, 1, 0, 0.25)])
        self.assertEqual(out["confusion"]["matrix"], [[1, 1, 0], [0, 0, 1], [1, 0, 0]])

    def test_nothing_found(self):
        truth, _ = valcases.make(1)
        out, _ = self.val(truth, [])
        self.assertEqual((out["ap"], out["ar_100"]), (0, 0))
        truth["annotations"] = []
        self.assertIsNone(self.val(truth, [])[0]["ap"])

    def test_plot(self):
        """Ends of curves that follow from recall; classes with hostile names."""
        truth, results = valcases.make(2)
        for kind in truth["categories"]:
            kind["name"] = "<&\x1b[1m" + kind["name"]
        path = self.path("plot.svg")
        self.val(truth, results, "--plot", path)
        root = ElementTree.parse(path).getroot()
        texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
        self.assertIn(f"{GOLDEN[2][1]:.3f}", texts)
        self.assertIn(f"{GOLDEN[2][2]:.3f}", texts)
        self.assertTrue(any(text and text.startswith("<&\\x1b") for text in texts))
        self.refused("val", "--plot", self.path("plot.gif"), "x.json", says=[".svg or .png"])

    def test_refused(self):
        good, results = valcases.make(1)
        good["annotations"] = []        # and none that is left out with a line of its own
        cases = (
            (dict(good, images=[]), results, "no pictures"),
            (dict(good, categories=[]), results, "no classes"),
            ([], results, 'no list "images"'),
            (dict(good, images=good["images"] + [{"id": 7.5, "file_name": "x"}]), results,
             "images[%d].id is 7.5; expected a whole number" % len(good["images"])),
            (dict(good, images=good["images"] + good["images"][:1]), results, "are both called"),
            (dict(good, annotations=[{"image_id": 1, "category_id": 1, "bbox": [1, 2, 3]}]), results,
             "annotations[0].bbox is [1,2,3]; expected x, y, width and height"),
            (dict(good, annotations=[{"category_id": 1, "bbox": [1, 2, 3, 4]}]), results,
             "annotations[0].image_id is missing"),
            (good, {}, "is no list"),
            (good, [{"image_id": 99999, "category_id": 1, "bbox": [0, 0, 1, 1], "score": 1}],
             "entry 0 is of the picture 99999"),
            (good, [{"image_id": 1, "category_id": 1, "bbox": [0, 0, 1, 1], "score": "x"}],
             '[0].score is "x"; expected a number'))
        for truth, found, says in cases:
            for name, content in (("bad.json", truth), ("found.json", found)):
                with open(self.path(name), "w", encoding="utf-8") as f:
                    json.dump(content, f)
            self.refused("val", "--detections", self.path("found.json"), self.path("bad.json"),
                         says=[says], status=1)
        deep = "[" * 300000
        for text, says in (("{", "is no JSON"), ("", "is empty"), ("[" * 100000, "is no JSON: line 1, column 101: it nests more than 100 deep"),
                           ("{\n \"images\": " + deep, "line 2, column 111: it nests more than 100 deep"),
                           ("{'\"': " + deep, "is no JSON: line 1, column 2: unexpected character"),
                           ('[\n{"a\\ud800" ": ' + deep, "is no JSON: line 2, column 2: a string has an escape"),
                           ("{} " + "var a = " * 100000, "column 4: unexpected character")):
            with open(self.path("bad.json"), "w", encoding="utf-8") as f:
                f.write(text)
            self.refused("val", "--detections", self.path("found.json"), self.path("bad.json"),
                         says=[says], status=1)
        self.refused("val", says=["one file, DATA"])
        self.refused("val", self.path("none.json"), says=["none.json"], status=1)
        self.refused("val", self.path(""), says=["is a folder"], status=1)


@unittest.skipIf("pixbuf" not in FEATURES, "y10 was built without gdk-pixbuf")
class Pictures(Case):
    """What the engine finds in pictures, with labels made of that."""
    SIZES = ((96, 64), (64, 96), (80, 80), (120, 50))

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.labels = cls.path("names.txt")
        with open(cls.labels, "w", encoding="utf-8") as f:
            f.write("cat\ndog\nowl\n")
        cls.engine = ["--model", cls.model, "--labels", cls.labels, "--backend", "ref", "--size", "96"]
        cls.folder = cls.path("set/images/val")
        os.makedirs(cls.folder)
        os.makedirs(cls.path("set/labels/val"))
        for i, size in enumerate(cls.SIZES):
            write_png(os.path.join(cls.folder, f"{i}.png"), picture(*size, seed=i))

    def found(self):
        """What y10 detect says, as picture, class, box and confidence."""
        out = []
        for i, (width, height) in enumerate(self.SIZES):
            line, = self.y10("detect", *self.engine, "--confidence", "0.001",
                             os.path.join(self.folder, f"{i}.png")).stdout.splitlines()
            for thing in json.loads(line)["objects"]:
                box = thing["detection"]["bounding_box"]
                out.append((i, thing["detection"]["label_id"],
                            [box["x_min"] * width, box["y_min"] * height,
                             (box["x_max"] - box["x_min"]) * width,
                             (box["y_max"] - box["y_min"]) * height], thing["detection"]["confidence"]))
        return out

    @staticmethod
    def ap_of_all(found):
        """Average precision where everything found is right: recall ends with the best 100 boxes
        of a picture and class."""
        points = []
        for kind in {f[1] for f in found}:
            counts = [sum(f[:2] == (i, kind) for f in found) for i in range(len(Pictures.SIZES))]
            recall = sum(min(n, 100) for n in counts) / sum(counts)
            points.append(sum(i / 100 <= recall for i in range(101)) / 101)
        return sum(points) / len(points)

    def write_coco(self, name, found, classes=("cat", "dog", "owl"), **more):
        data = {"images": [{"id": i, "file_name": f"{i}.png"} for i in range(len(self.SIZES))],
                "categories": [{"id": 10 * i, "name": kind} for i, kind in enumerate(classes)],
                "annotations": [{"id": i + 1, "image_id": image, "category_id": 10 * kind, "bbox": box,
                                 "area": box[2] * box[3], "iscrowd": 0}
                                for i, (image, kind, box, _) in enumerate(found)]}
        with open(self.path(name), "w", encoding="utf-8") as f:
            json.dump(dict(data, **more), f)
        return self.path(name)

    def val(self, *args, status=0):
        done = self.y10("val", *self.engine, "--json", "-", *args, status=status)
        return json.loads(done.stdout), done.stderr

    def test_like_detect(self):
        """The same boxes as y10 detect finds, all of which are right if they are the labels."""
        found = self.found()
        self.assertGreater(len(found), 20)
        data = self.write_coco("coco.json", found)
        saved = self.path("saved.json")
        out, _ = self.val(data, "--images", self.folder, "--save-detections", saved)
        self.assertEqual(out["detections"], len(found))
        self.assertAlmostEqual(out["ap"], self.ap_of_all(found), delta=1e-9)
        self.assertEqual((out["pictures"], out["objects"], out["unread"]), (4, len(found), 0))
        self.assertEqual((out["backend"], out["size"]), ("ref", {"width": 96, "height": 96}))
        self.assertGreater(out["ms"]["network"], 0)
        with open(saved, encoding="utf-8") as f:
            results = json.load(f)
        self.assertEqual(len(results), len(found))
        for result, (image, kind, box, confidence) in zip(results, found):
            self.assertEqual((result["image_id"], result["category_id"]), (image, 10 * kind))
            self.assertAlmostEqual(result["score"], confidence, delta=1e-6)
            for ours, theirs in zip(result["bbox"], box):
                self.assertAlmostEqual(ours, theirs, delta=1e-3)

    def test_saved(self):
        """Half of the labels: the same numbers from the file of detections."""
        data = self.write_coco("half.json", self.found()[::2])
        first, _ = self.val(data, "--images", self.folder, "--save-detections", self.path("half.d.json"))
        self.assertTrue(0 < first["ap"] < 1)
        again = json.loads(self.y10("val", "--detections", self.path("half.d.json"), data, "--json",
                                    "-").stdout)
        for name in valcases.STATS + ["classes", "confusion", "detections"]:
            self.assertEqual(first[name], again[name], name)

    def write_yaml(self, text, name="data.yaml"):
        with open(self.path("set/" + name), "w", encoding="utf-8") as f:
            f.write(text)
        return self.path("set/" + name)

    def write_labels(self, found):
        shutil.rmtree(self.path("set/labels/val"))
        os.makedirs(self.path("set/labels/val"))
        for image, kind, (x, y, width, height), _ in found:
            w, h = self.SIZES[image]
            with open(self.path(f"set/labels/val/{image}.txt"), "a", encoding="utf-8") as f:
                f.write(f"{kind} {(x + width / 2) / w!r} {(y + height / 2) / h!r} {width / w!r} "
                        f"{height / h!r}\n")

    def test_labels(self):
        """Ultralytics' layout has the numbers of COCO's, in each way to write its data."""
        # A line that a label file has twice counts once.
        found = [f for f in self.found()[::2] if f[0] != 3]
        found = [f for i, f in enumerate(found) if f[:3] not in [g[:3] for g in found[:i]]]
        self.write_labels(found)
        expected, _ = self.val(self.write_coco("three.json", found), "--images", self.folder)
        with open(self.path("set/val.txt"), "w", encoding="utf-8") as f:
            f.write("".join(f"./images/val/{i}.png\n" for i in range(4)))
        for text in (
                "path: .  # here\ntrain: images/train\nval: images/val\nnames:\n  0: cat\n  1: dog\n  2: owl\n",
                f"# A comment\npath: '{self.path('set')}'\nval: val.txt\nnc: 3\nnames: [cat, 'dog', \"owl\"]\n",
                "names:\n- cat\n- dog # woof\n- owl\ndownload: |\n  import os\n  names: [x]\n\n"
                "  print('y: z')\nval: ../images/val\nroboflow:\n  workspace: x\n",
                "names: ['cat',  # first\n  'dog',\n  owl\n]\nval: images\nkpt_shape: [17, 3]\n",
                "names:\n  2: owl\n  0: cat\n  1: dog\r\nval: ./images/val\n",
                "\ufeffpath: .\nval: images/val\nnames: [cat, dog, owl]\n",
                "val: [images/val]\nnames: {0: cat, 1: dog, 2: owl}\n",
                "val:\n  - images\n  - images/val\nnames: [\"\\u0063at\", \"do\\x67\", 'owl']\n",
                "x: &n [cat, dog, owl]\n? val\n: images/val\n\"names\": *n\n",
                "{val: images/val, names: [cat, dog,\n owl]}\n",
                "validation: images/val\nnames: [cat, dog, owl]\n",
                "val: Project-3/images/val\nnames: [cat, dog, owl]\n"):
            out, said = self.val(self.write_yaml(text))
            for name in valcases.STATS:
                self.assertAlmostEqual(value(out[name]), value(expected[name]), delta=1e-9, msg=name)
            self.assertIn("1 of 4 pictures have no label file", said)
            self.assertEqual([c["id"] for c in out["classes"]], [1, 2, 3])

    def test_labels_from_file(self):
        """Sizes come from the pictures, also if nothing is inferred; outlines and doubles."""
        self.write_labels([])
        yaml = self.write_yaml("val: images/val\nnames: [cat, dog, owl]\n")
        with open(self.path("set/labels/val/0.txt"), "w", encoding="utf-8") as f:
            f.write("1 0.25 0.25 0.75 0.25 0.5 0.75\n\n1 0.25 0.25 0.75 0.25 0.5 0.75\n")
        # Of 96 x 64 pixels: from 24, 16 to 72, 48, an area of 1536.
        with open(self.path("results.json"), "w", encoding="utf-8") as f:
            json.dump([{"image_id": 0, "category_id": 2, "bbox": [24, 16, 48, 32], "score": 0.5}], f)
        done = self.y10("val", "--detections", self.path("results.json"), yaml, "--json", "-")
        out = json.loads(done.stdout)
        self.assertEqual((out["objects"], out["ap_small"]), (1, None))
        self.assertAlmostEqual(out["ap"], 1, delta=1e-9)
        self.assertAlmostEqual(out["ap_medium"], 1, delta=1e-9)
        self.assertIn("1 objects that are in a label file twice", done.stderr)

    def test_yaml_refused(self):
        self.write_labels([])
        for text, says in (
                ("val: images/val\n", "has no names"),
                ("names: [cat]\n", "has no val"),
                ("val:\n - images/val\n - a\nnames: [cat]\n", "there is no"),
                ("val: [images/val, [a]]\nnames: [cat]\n", "line 1: has a list or table; expected a folder"),
                ("val: {a: b}\nnames: [cat]\n", "line 1: has a list or table"),
                ("val:\nnames: [cat]\n", "line 1: is empty"),
                ("val: images/val\nnames: cat\n", "line 2: names is \"cat\""),
                ("val: images/val\nnames: [cat, [dog]]\n", "line 2: has a list or table"),
                ("- val\n", "is no table"),
                ("", "is no table"),
                ("val: images/val\nnames:\n  0: cat\n  2: owl\n", "line 3: names has no class 1"),
                ("val: images/val\nnames:\n  0: cat\n  0: owl\n", "line 4: class 0 has two names"),
                ("val: images/val\nnames:\n  cat: 0\n", "line 3: is \"cat\"; expected NUMBER"),
                ("val: images/val\nnames:\n  99999999999: cat\n", "line 3: class 99999999999"),
                ("val: images/val\nnames: [cat, dog\n", "is no YAML: line 3"),
                ("val: images/val\nnames: ['cat, dog]\n", "is no YAML: line 3"),
                ("val: images/val\n\tnames: [cat]\n", "is no YAML: line 2"),
                ("val: a: b\nnames: [cat]\n", "is no YAML: line 1"),
                ("val: *x\nnames: [cat]\n", "is no YAML: line 1"),
                ("val: " + "[" * 50000, "more than 1000 deep"),
                ("names: [cat]\nval: /proc\n", "/proc, which is a folder of the kernel"),
                ("val: x\nval: y\nnames: [cat]\n", "line 2: val is there a second time"),
                ("val: nowhere\nnames: [cat]\n", "nowhere"),
                ("val: labels\nnames: [cat]\n", "no picture"),
                ("val: images/val/0.png\nnames: [cat]\n", "expected a folder or a list")):
            self.refused("val", *self.engine, self.write_yaml(text), says=[says], status=1)

    def test_labels_left_out(self):
        """What is wrong with a line leaves its picture out, as Ultralytics' verify_image_label
        does; the others are measured and the number is said."""
        found = self.found()[::2]
        found = [f for i, f in enumerate(found) if f[:3] not in [g[:3] for g in found[:i]]]
        good = self.write_yaml("val: images/val\nnames: [cat, dog, owl]\n")
        left = [f for f in found if f[0] != 1]
        with open(self.write_coco("left.json", left), encoding="utf-8") as f:
            data = json.load(f)
        data["images"] = [image for image in data["images"] if image["id"] != 1]
        self.val(self.write_coco("all.json", found), "--images", self.folder, "--save-detections",
                 self.path("all.d.json"))
        with open(self.path("all.d.json"), encoding="utf-8") as f:
            results = [result for result in json.load(f) if result["image_id"] != 1]
        for result in results:
            result["category_id"] = result["category_id"] // 10 + 1
        for kind in data["categories"] + data["annotations"]:
            name = "id" if "name" in kind else "category_id"
            kind[name] = kind[name] // 10 + 1
        for name, content in (("left.json", data), ("left.d.json", results)):
            with open(self.path(name), "w", encoding="utf-8") as f:
                json.dump(content, f)
        results.append(dict(results[0], image_id=1))
        with open(self.path("all.d.json"), "w", encoding="utf-8") as f:
            json.dump(results, f)

        def judge(truth, found):
            done = self.y10("val", "--detections", self.path(found), truth, "--json", "-")
            return json.loads(done.stdout), done.stderr
        expected, _ = judge(self.path("left.json"), "left.d.json")
        for text, says in (("3 0.5 0.5 0.1 0.1", "line 1: has the class 3; expected 0 to 2"),
                           ("0 0.5 0.5 0.1 0.1\n-1 0.5 0.5 0.1 0.1", "line 2: has the class -1"),
                           ("0.5 0.5 0.5 0.1 0.1", "class 0.5"), ("0 0.5 0.5 0.1", "3 numbers behind"),
                           ("0 0.5 0.5 0.1 0.1 0.9", "5 numbers behind"),
                           ("0 0.5 0.5 0.1 0.1\n\n0 0.5 1.5 0.1 0.1", "line 3: has 1.5; expected fractions"),
                           ("0 0.5 0.5 64 32", "has 64"), ("0 0.5 -0.5 0.1 0.1", "has -0.5"),
                           ("0 nan 0.5 0.1 0.1", 'has "nan'),
                           ("0 0x1p-1 0.5 0.1 0.1", 'has "0x1p-1'), ("0 0.5 x 0.1 0.1", 'has "x 0.1 0.1"'),
                           ("0 0.5 0.5 0.1 0.1\n\udcff", "is not UTF-8"), (None, "is not a regular file")):
            self.write_labels(found)
            path = self.path("set/labels/val/1.txt")
            if text is None:
                os.remove(path)
                os.mkfifo(path)
            else:
                with open(path, "w", encoding="utf-8", errors="surrogateescape") as f:
                    f.write(text)
            out, said = judge(good, "all.d.json")
            for name in valcases.STATS + ["objects", "pictures"]:
                self.assertAlmostEqual(value(out[name]), value(expected[name]), delta=1e-9, msg=(text, name))
            self.assertEqual(out["left_out"], 1)
            self.assertIn("1.txt", said)
            self.assertIn(says, said)
            self.assertIn("1 of 4 pictures are left out", said)
        self.assertIn("left out for their label files: 1 pictures",
                      self.y10("val", "--detections", self.path("all.d.json"), good).stdout)
        self.write_labels([])
        for i in range(4):
            with open(self.path(f"set/labels/val/{i}.txt"), "w", encoding="utf-8") as f:
                f.write("cat")
        self.refused("val", *self.engine, good, says=["no picture has a valid label file"], status=1)

    def test_labels_accepted(self):
        """What Ultralytics takes: byte order marks, CR, rounding beyond the edge, outlines."""
        with open(self.path("results.json"), "w", encoding="utf-8") as f:
            json.dump([{"image_id": 0, "category_id": 2, "bbox": [24, 16, 48, 32], "score": 0.5}], f)
        yaml = self.write_yaml("val: images/val\nnames: [cat, dog, owl]\n")
        for text in ("\ufeff1 0.5 0.5 0.5 0.5", "1 0.5 0.5 0.5 0.5\r1 0.5 0.5 0.5 0.5\r",
                     "1.0\t0.5  0.5 0.5 0.5 \r\n", "1 .25 .25 .75 .25 .75 .75 .25 .75",
                     "1 0.5 0.5 0.5 0.5\n1 0.50000000001 0.5 0.5 0.5\n"):
            self.write_labels([])
            with open(self.path("set/labels/val/0.txt"), "w", encoding="utf-8", newline="") as f:
                f.write(text)
            out = json.loads(self.y10("val", "--detections", self.path("results.json"), yaml, "--json",
                                      "-").stdout)
            self.assertEqual((out["objects"], out["left_out"]), (1, 0), text)
            self.assertAlmostEqual(out["ap"], 1, delta=1e-9)

    def test_folders(self):
        """Links that lead in circles and to the kernel's folders end; others are followed."""
        self.write_labels([])
        os.makedirs(self.path("links/a"))
        for name, target in (("a/up", ".."), ("system", "/proc"), ("pictures", self.folder),
                             ("again", self.folder)):
            os.symlink(target, self.path("links/" + name))
        out, _ = self.val(self.write_yaml(f"val: {self.path('links')}\nnames: [cat, dog, owl]\n"))
        self.assertEqual(out["pictures"], len(self.SIZES))

    def test_pictures_beside(self):
        """COCO's JSON beside images/ and in annotations/ beside val2017/, without --images."""
        found = self.found()[::2]
        expected, _ = self.val(self.write_coco("plain.json", found), "--images", self.folder)
        for where, name in (("images", "some.json"), ("val2017", "instances_val2017.json"),
                            ("val2017", "annotations/instances_val2017.json"),
                            ("images/test", "annotations/test.json"), (".", "_annotations.coco.json")):
            shutil.rmtree(self.path("beside"), ignore_errors=True)
            shutil.copytree(self.folder, self.path("beside/" + where), dirs_exist_ok=True)
            os.makedirs(self.path("beside/annotations"), exist_ok=True)
            out, _ = self.val(self.write_coco("beside/" + name, found))
            self.assertEqual((out["unread"], out["ap"]), (0, expected["ap"]), (where, name))

    def test_missing(self):
        """Pictures that cannot be read are named, and the others are measured."""
        found = self.found()
        data = self.write_coco("missing.json", found)
        folder = self.path("some")
        shutil.copytree(self.folder, folder)
        os.remove(os.path.join(folder, "1.png"))
        with open(os.path.join(folder, "2.png"), "wb") as f:
            f.write(b"\x89PNG\r\n\x1a\n")
        out, said = self.val(data, "--images", folder, status=1)
        left = [f for f in found if f[0] in (0, 3)]
        self.assertEqual((out["pictures"], out["unread"], out["objects"]), (2, 2, len(left)))
        self.assertAlmostEqual(out["ap"], self.ap_of_all(left), delta=1e-9)
        self.assertIn("1.png", said)
        self.assertIn("2.png", said)
        done = self.y10("val", *self.engine, data, status=1)
        self.assertIn("--images DIR names their folder", done.stderr)

    def test_classes(self):
        """Classes go by name: the data have them in another order, and one that no model has."""
        found = self.found()
        moved = [(f[0], (2, 0, None)[f[1]], *f[2:]) for f in found if f[1] != 2]
        self.assertTrue(moved)
        data = self.write_coco("other.json", moved + [(0, 1, [0, 0, 9, 9], 1)], ("dog", "horse", "cat"))
        out, said = self.val(data, "--images", self.folder)
        self.assertAlmostEqual(out["ap"], self.ap_of_all(moved), delta=1e-9)
        self.assertEqual([c["name"] for c in out["classes"]], ["dog", "cat"])
        self.assertIn("1 of 3 classes of the data are left out with their objects, since the model has no "
                      "class of that name: horse", said)
        self.assertIn("1 of 3 classes of the model are left out", said)
        data = self.write_coco("none.json", [], ("horse", "cow"))
        self.refused("val", *self.engine, data, says=["none of its classes (horse, cow)"], status=1)

    def detections(self, data, *args):
        saved = self.path("options.d.json")
        out, said = self.val(data, "--images", self.folder, "--save-detections", saved, *args)
        with open(saved, encoding="utf-8") as f:
            return json.load(f), out, said

    def test_options(self):
        """Which boxes count: the best ones, those of some classes, those that overlap less."""
        data = self.write_coco("options.json", self.found()[::2])
        found, everything, _ = self.detections(data)
        middle = sorted(f["score"] for f in found)[len(found) // 2]
        self.assertEqual(self.detections(data, "--confidence", repr(middle - 1e-9))[0],
                         [f for f in found if f["score"] >= middle])
        best = [sorted((f for f in found if f["image_id"] == i), key=lambda f: -f["score"])[:2]
                for i in range(len(self.SIZES))]
        self.assertEqual(self.detections(data, "--max-detections", "2")[0], sum(best, []))
        # So that no picture has more than 300.
        least = repr(max(sorted(f["score"] for f in found if f["image_id"] == i)[-200:][0]
                         for i in range(len(self.SIZES))))
        found, everything, _ = self.detections(data, "--confidence", least)
        for names in ("owl,cat", "20, 0"):
            chosen, out, said = self.detections(data, "--confidence", least, "--classes", names)
            self.assertEqual(chosen, [f for f in found if f["category_id"] != 10])
            self.assertEqual(out["classes"], [c for c in everything["classes"] if c["name"] != "dog"])
            self.assertNotIn("left out", said)

        def count(*args):
            return len(self.detections(data, "--head", "one2one-nms", *args)[0])
        some = count("--iou", "0.3")
        self.assertLess(some, count("--iou", "0.9"))
        self.assertLess(count("--iou", "0.3", "--class-agnostic-nms"), some)
        # The same options of y10 detect.
        def objects(*args):
            line, = self.y10("detect", *self.engine, "--head", "one2one-nms", "--confidence", "0.001", *args,
                             os.path.join(self.folder, "0.png")).stdout.splitlines()
            return len(json.loads(line)["objects"])
        some = objects("--iou", "0.3")
        self.assertLess(some, objects("--iou", "0.9"))
        self.assertLess(objects("--iou", "0.3", "--class-agnostic-nms"), some)
        self.refused("val", *self.engine, "--classes", "cow", data, says=["no class 'cow'", "'cat'"])
        self.refused("val", *self.engine, "--iou", "2", data, says=["--iou is 2, expected 0 to 1"])
        self.refused("val", *self.engine, "--split", "test", data, says=["--split is for a data.yaml"], status=1)
        self.refused("val", "--detections", "x.json", "--iou", "0.5", data, says=["detections of the model"])

    def test_split(self):
        """Another split; in a data.yaml, classes count from 0."""
        self.write_labels(self.found()[::2])
        yaml = self.write_yaml("val: nowhere\ntest: images/val\nnames: [cat, dog, owl]\n")
        self.refused("val", *self.engine, yaml, says=["nowhere"], status=1)
        self.refused("val", *self.engine, "--split", "train", yaml, says=["has no train"], status=1)
        out, _ = self.val(yaml, "--split", "test", "--classes", "1")
        self.assertEqual(out["pictures"], len(self.SIZES))
        self.assertEqual([c["name"] for c in out["classes"]], ["dog"])

    @unittest.skipIf("jpeg" not in FEATURES or not shutil.which("gst-launch-1.0"), "no JPEG")
    def test_orientation(self):
        """A picture that lies on its side, and says so, has the boxes of the upright one."""
        import subprocess
        folder = self.path("turned")
        os.makedirs(folder)
        rows, _ = read_png(os.path.join(self.folder, "0.png"))
        left = write_png(self.path("left.png"), turned_left(rows))
        done = subprocess.run(["gst-launch-1.0", "-q", "filesrc", f"location={left}", "!", "pngdec", "!",
                               "videoconvert", "!", "jpegenc", "quality=100", "!", "filesink",
                               f"location={self.path('left.jpg')}"], check=False, env=self.env)
        if done.returncode:
            self.skipTest("GStreamer writes no JPEG")
        add_exif(self.path("left.jpg"), os.path.join(folder, "0.png"), 6)
        data = self.write_coco("turned.json", [], images=[{"id": 0, "file_name": "0.png"}])
        self.val(data, "--images", folder, "--save-detections", self.path("turned.d.json"))
        line, = self.y10("detect", *self.engine, "--confidence", "0.001",
                         os.path.join(folder, "0.png")).stdout.splitlines()
        first = json.loads(line)["objects"][0]
        with open(self.path("turned.d.json"), encoding="utf-8") as f:
            box = json.load(f)[0]["bbox"]
        self.assertAlmostEqual(box[0], first["detection"]["bounding_box"]["x_min"] * 96, delta=1e-3)
        self.assertAlmostEqual(box[3], (first["detection"]["bounding_box"]["y_max"]
                                        - first["detection"]["bounding_box"]["y_min"]) * 64, delta=1e-3)


if __name__ == "__main__":
    sys.argv = [a for a in sys.argv if a != "more"]
    main()
