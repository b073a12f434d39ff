#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""y10 quantize: the file by its bytes, what the integers find, and files that are wrong.

The model is the bundled one and the pictures are drawn here, so it is known where the
objects are; and, where ../shared is, one of COCO on photographs."""
import json
import math
import os
import random
import struct
import unittest

from common import Case, FEATURES, need, read_png, write_png

SOURCE = os.environ["Y10_TEST_SOURCE"]
MODEL = os.path.join(SOURCE, "models", "codes.safetensors")
# Where the symbols are in pipelines/codes.png, by their pixels: left, top, right, bottom.
PLACES = {"qr-code": (63, 68, 188, 193), "data-matrix": (265, 70, 386, 190),
          "aztec": (454, 64, 588, 198), "pdf417": (70, 269, 311, 341)}
SHARED = os.path.join(SOURCE, "..", "shared")
COCO, COCO_MODEL = (os.path.join(SHARED, *name.split("/")) for name in (
    "coco80", "models/yolov10n-coco.safetensors"))
SIZES = {"F32": "f", "F16": "e", "I8": "b", "U8": "B"}
N_TEST = 6


def read_tensors(path):
    """{name: (dtype, shape, values)} and the metadata, by the format's definition."""
    with open(path, "rb") as f:
        data = f.read()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    meta = header.pop("__metadata__")
    tensors = {}
    for name, t in header.items():
        begin, end = (8 + size + offset for offset in t["data_offsets"])
        n = math.prod(t["shape"])
        tensors[name] = t["dtype"], t["shape"], list(
            struct.unpack(f"<{n}{SIZES[t['dtype']]}", data[begin:end]))
    return tensors, meta


def write_tensors(path, tensors, meta):
    header, body = {"__metadata__": meta}, b""
    for name, (dtype, shape, values) in tensors.items():
        packed = struct.pack(f"<{len(values)}{SIZES[dtype]}", *values)
        header[name] = {"dtype": dtype, "shape": shape,
                        "data_offsets": [len(body), len(body) + len(packed)]}
        body += packed
    text = json.dumps(header).encode()
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + body)
    return path


def draw_scene(sheet, seed):
    """Two symbols at places by chance on a grey of noise: rows, and [(label, box)]."""
    rand = random.Random(seed)
    width, height = 640, 480
    ground = [rand.randrange(150, 250) for _ in range(3)]
    line = [bytes(min(255, c + rand.randrange(6)) for _ in range(width) for c in ground)
            for _ in range(8)]
    rows = [bytearray(rand.choice(line)) for _ in range(height)]
    truth = []
    for half, label in enumerate(rand.sample(sorted(PLACES), 2)):
        x0, y0, x1, y1 = PLACES[label]
        margin = 14                                  # the quiet zone
        left = half * 320 + rand.randrange(margin, 320 - margin - (x1 - x0))
        top = rand.randrange(margin, height - margin - (y1 - y0))
        for y in range(y0 - margin, y1 + margin):
            at = 3 * (left - margin)
            rows[top + y - y0][at:at + 3 * (x1 - x0 + 2 * margin)] = \
                sheet[y][3 * (x0 - margin):3 * (x1 + margin)]
        truth.append((label, (left, top, left + x1 - x0, top + y1 - y0)))
    return [bytes(row) for row in rows], truth


def iou(a, b):
    both = max(0, min(a[2], b[2]) - max(a[0], b[0])) * max(0, min(a[3], b[3]) - max(a[1], b[1]))
    return both / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - both)


class Quantize(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        grey, _ = read_png(os.path.join(SOURCE, "pipelines", "codes.png"))
        sheet = [bytes(b for value in row for b in (value, value, value)) for row in grey]
        os.mkdir(cls.path("scenes"))
        os.mkdir(cls.path("few"))
        cls.tests = []
        for i in range(20):
            write_png(cls.path(f"scenes/{i}.png"), draw_scene(sheet, i)[0])
        for i in range(N_TEST):
            rows, truth = draw_scene(sheet, 1000 + i)
            cls.tests.append((write_png(cls.path(f"test-{i}.png"), rows), truth))
            os.link(cls.tests[-1][0], cls.path(f"few/{i}.png"))
        cls.out = cls.path("out.safetensors")
        case = cls()
        cls.report = case.y10("quantize", MODEL, cls.out, "--images", cls.path("scenes")).stdout
        cls.tensors, cls.meta = read_tensors(cls.out)

    def runTest(self):
        """For setUpClass."""

    def find(self, *options):
        """(objects that are found, lines of output) of the test pictures."""
        done = self.y10("detect", "--backend", "cpu", *options, *(path for path, _ in self.tests))
        lines = done.stdout.splitlines()
        found = 0
        for line, (_, truth) in zip(lines, self.tests):
            boxes = [(d["detection"]["label"], [d[k] for k in ("x", "y", "w", "h")])
                     for d in json.loads(line)["objects"]]
            for label, place in truth:
                found += any(name == label and iou((x, y, x + w, y + h), place) > 0.5
                             for name, (x, y, w, h) in boxes)
        return found, lines

    def test_report(self):
        self.assertIn("left in floats: model.0 ", self.report)
        self.assertRegex(self.report, r"model\.3 +\S+:(int8|amx)-direct +0\.\d")
        self.assertRegex(self.report, r"4 pictures that were kept back: int8 finds \d+ of the \d+ objects")

    def test_finds(self):
        expected, _ = self.find("--precision", "fp32", "--model", MODEL)
        self.assertGreaterEqual(expected, 2 * N_TEST - 1)
        found, lines = self.find("--precision", "int8", "--model", self.out)
        self.assertGreaterEqual(found, expected)
        for threads in "1", "3", "8":
            self.assertEqual(self.find("--precision", "int8", "--model", self.out, "--threads",
                                       threads)[1], lines)
        # The integers as floats.
        self.assertGreaterEqual(self.find("--precision", "fp32", "--model", self.out)[0], expected)

    def test_reference(self):
        """The first picture by the reference, which shares no code with the kernels."""
        rows = []
        for backend in "ref", "cpu":
            done = self.y10("detect", "--backend", backend, "--precision", "int8", "--model", self.out,
                            "--confidence", "0.5", "--size", "320", self.tests[0][0])
            rows.append([d["detection"] for d in json.loads(done.stdout)["objects"]])
        self.assertEqual([r["label"] for r in rows[0]], [r["label"] for r in rows[1]])
        self.assertTrue(rows[0])
        for a, b in zip(*rows):
            self.assertAlmostEqual(a["confidence"], b["confidence"], delta=0.05)

    def test_auto(self):
        """auto takes int8 with VNNI or AMX."""
        for isa in "c", "avx2", "avx_vnni", "avx512", "avx512_vnni", "avx512_bf16", "amx_bf16":
            done = self.y10("bench", "--model", self.out, "--size", "64", "--seconds", "0", "--json",
                            "--backend", "cpu", env={"Y10_MAX_CPU_ISA": isa})
            bench = json.loads(done.stdout)
            used = bench["device"].split(", ")[-2]
            self.assertEqual(bench["precision"] == "int8",
                             used in ("avx_vnni", "avx512_vnni", "avx512_bf16", "amx_bf16"), bench["device"])

    def test_tensors(self):
        """Dequantized by hand, every weight is within half a step of the original."""
        originals, meta = read_tensors(MODEL)
        self.assertEqual(json.loads(self.meta["names"]), list(json.loads(meta["names"]).values()))
        n = 0
        for name, (dtype, shape, values) in self.tensors.items():
            if dtype != "I8":
                continue
            n += 1
            self.assertTrue(name.endswith(".weight"))
            scale = self.tensors[name + "_scale"]
            input_scale = self.tensors[name[:-6] + "input_scale"]
            zero = self.tensors[name[:-6] + "input_zero_point"]
            self.assertEqual((scale[:2], input_scale[:2], zero[:2]),
                             (("F32", shape[:1]), ("F32", [shape[1]]), ("U8", [shape[1]])))
            per_input = shape[2] * shape[3]
            original = originals[name][2]
            fold, bn = [1] * shape[0], name[:-len("conv.weight")] + "bn."
            if bn + "weight" in originals:
                gamma, var = (originals[bn + part][2] for part in ("weight", "running_var"))
                fold = [g / math.sqrt(v + 1e-3) for g, v in zip(gamma, var)]
            for i, q in enumerate(values):
                step = scale[2][i // (shape[1] * per_input)] \
                    / input_scale[2][i // per_input % shape[1]]
                self.assertLessEqual(
                    abs(original[i] * fold[i // (shape[1] * per_input)] - q * step), step * 0.5001)
        self.assertGreater(n, 40)

    def test_convert(self):
        """Integers stay what they are."""
        copy = self.path("copy.safetensors")
        self.y10("convert", self.out, copy)
        self.assertEqual(read_tensors(copy), (self.tensors, self.meta))

    def test_refused(self):
        self.refused("quantize", MODEL, self.path("x.safetensors"), says=["--images"])
        self.refused("quantize", MODEL, "--images", self.path("scenes"), says=["two files"])
        self.refused("quantize", MODEL, self.path("x.safetensors"), "--images", self.out,
                     says=["is not a folder"])
        self.refused("quantize", MODEL, self.path("x.safetensors"), "--images", self.path("few"),
                     says=[f"has {N_TEST} pictures", "at least 20"])
        self.refused("quantize", self.out, self.path("x.safetensors"), "--images", self.path("scenes"),
                     says=[self.out, "has quantized weights"], status=3)
        self.assertFalse(os.path.exists(self.path("x.safetensors")))
        self.refused("detect", "--model", MODEL, "--precision", "int8", "--backend", "cpu", self.tests[0][0],
                     says=["precision is int8", MODEL, "y10 quantize"], status=3)

    def test_compares_first(self):
        """Where the comparison fails, OUT stays as it is, and nothing else appears."""
        os.mkdir(self.path("damaged"))
        for i in range(20):
            name = self.path(f"damaged/{i:02}.png")
            if i % 5 == 4:                           # those that are kept back
                with open(name, "wb") as f:
                    f.write(b"no picture")
            elif i == 6:
                with open(self.path(f"scenes/{i}.png"), "rb") as whole, open(name, "wb") as f:
                    f.write(whole.read()[:-2000])
            else:
                os.link(self.path(f"scenes/{i}.png"), name)
        os.mkdir(self.path("old"))
        out = self.path("old/out.safetensors")
        with open(out, "wb") as f:
            f.write(b"old")
        done = self.y10("quantize", MODEL, out, "--images", self.path("damaged"), status=1)
        self.assertIn("only 0 of the pictures can be read", done.stderr.splitlines()[-1])
        damaged = [line for line in done.stderr.splitlines() if "is damaged; only what could be decoded" in line]
        self.assertEqual(len(damaged), 1, done.stderr)
        self.assertIn("damaged/06.png", damaged[0])
        self.assertEqual(os.listdir(self.path("old")), ["out.safetensors"])
        with open(out, "rb") as f:
            self.assertEqual(f.read(), b"old")
        self.refused("quantize", MODEL, self.path("nowhere/out.safetensors"), "--images",
                     self.path("scenes"), says=["nowhere/out.safetensors cannot be written"], status=1)

    @unittest.skipUnless("jpeg" in FEATURES and os.path.exists(COCO) and os.path.exists(COCO_MODEL),
                         "there are no photographs and no model that knows them in ../shared")
    def test_photographs(self):
        """The objects that people marked in photographs are found as well as in fp32."""
        with open(os.path.join(COCO, "instances_val2017.json"), encoding="utf-8") as f:
            data = json.load(f)
        folder = os.path.join(COCO, "images")
        images = sorted((i for i in data["images"] if os.path.exists(os.path.join(folder, i["file_name"]))),
                        key=lambda i: i["id"])
        seen, others = images[:24], images[24:]
        os.mkdir(self.path("photographs"))
        for image in seen:
            os.symlink(os.path.abspath(os.path.join(folder, image["file_name"])),
                       self.path("photographs/" + image["file_name"]))
        ids = {image["id"] for image in others}
        with open(self.path("others.json"), "w", encoding="utf-8") as f:
            json.dump({**data, "images": others, "annotations": [
                a for a in data["annotations"] if a["image_id"] in ids]}, f)
        out = self.path("coco.safetensors")
        self.y10("quantize", COCO_MODEL, out, "--images", self.path("photographs"))
        values = {}
        for precision, model in ("fp32", COCO_MODEL), ("int8", out):
            self.y10("val", "--backend", "cpu", "--precision", precision, "--model", model, "--images", folder,
                     "--json", self.path("val.json"), self.path("others.json"))
            with open(self.path("val.json"), encoding="utf-8") as f:
                values[precision] = json.load(f)
        self.assertGreater(values["fp32"]["ap"], 0.4)
        # Between equivalent ways to quantize, 56 pictures differ by 0.004.
        for name in "ap", "ar_100":
            self.assertAlmostEqual(values["int8"][name], values["fp32"][name], delta=0.01)

    @unittest.skipUnless(os.path.exists(os.environ["Y10_TEST_SIMULATOR"]), "there is no simulated GPU")
    def test_cuda(self):
        """A GPU has no int8, and runs the file in others."""
        env = {"Y10_BACKEND_PATH": os.path.dirname(os.environ["Y10_TEST_SIMULATOR"])}
        args = ["bench", "--model", self.out, "--backend", "cuda", "--size", "64", "--seconds", "0",
                "--no-tune", "--json"]
        done = self.y10(*args, "--precision", "int8", env=env, status=3)
        self.assertIn("has no precision int8", done.stderr)
        self.assertEqual(json.loads(self.y10(*args, env=env).stdout)["precision"], "fp16")

    def hostile(self, change, says, command="info"):
        tensors = dict(self.tensors)
        change(tensors)
        path = write_tensors(self.path("hostile.safetensors"), tensors, self.meta)
        args = ["info", path] if command == "info" else \
            ["detect", "--model", path, "--precision", "int8", "--backend", "cpu", self.tests[0][0]]
        self.refused(*args, says=[path, *says], status=3)

    def test_hostile(self):
        conv = "model.4.cv2.conv"
        weight, scale, inputs, zero = (f"{conv}.{part}" for part in (
            "weight", "weight_scale", "input_scale", "input_zero_point"))
        for name in scale, inputs, zero:
            self.hostile(lambda t, name=name: t.pop(name), [f'"{name}" is missing'])

        def with_value(name, at, value):
            def change(tensors):
                dtype, shape, values = tensors[name]
                tensors[name] = dtype, shape, [*values[:at], value, *values[at + 1:]]
            return change

        for value in math.nan, -1.0, 0.0, math.inf, 1e-30:
            self.hostile(with_value(inputs, 3, value), [inputs, "element 3", "expected 1e-15 to 1e+15"])
            self.hostile(with_value(scale, 2, value), [scale, "element 2", "expected"], "detect")
        self.hostile(lambda t: t.update({zero: ("I8", *t[zero][1:])}), [zero, "dtype I8; expected U8"])
        self.hostile(lambda t: t.update({scale: ("F16", *t[scale][1:])}), [scale, "dtype F16; expected F32"])
        for name in scale, inputs, zero:
            self.hostile(lambda t, name=name: t.update(
                {name: (t[name][0], [t[name][1][0] - 1], t[name][2][:-1])}), [name, "expected 1 dimension"])
            self.hostile(lambda t, name=name: t.update(
                {name: (t[name][0], [1, *t[name][1]], t[name][2])}), [name, "2 dimensions"])
        self.hostile(lambda t: t.update({weight: ("F32", *t[weight][1:])}), [weight, "dtype F32; expected I8"])
        # Two readers of a tensor that contradict each other.
        self.hostile(with_value("model.4.m.0.cv1.conv.input_scale", 0, 1.0),
                     ["input channel", "has the scale", "as for another"])
        self.hostile(with_value("model.4.m.0.cv1.conv.input_zero_point", 0,
                                self.tensors["model.4.m.0.cv1.conv.input_zero_point"][2][0] ^ 1),
                     ["zero point", "as for another"])

        def without_inputs(*names):
            """Weights as floats, so that nothing reads the tensor as integers."""
            def change(tensors):
                for name in names:
                    tensors.pop(name + ".input_scale")
                    tensors.pop(name + ".input_zero_point")
                    if tensors.pop(name + ".weight_scale", None):
                        tensors[name + ".weight"] = ("F32", *tensors[name + ".weight"][1:])
            return change

        self.hostile(without_inputs(conv), ["only some of the", "input_scale"])
        self.hostile(with_value("model.9.cv2.conv.input_scale", 0, 1.0), ["model.9.m", "do not fit"])


if __name__ == "__main__":
    need("pixbuf")
    unittest.main(verbosity=2)
