#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""ONNX files, good and hostile, in the y10 command.

usage: test-onnx.py Y10 SHAPES.json [FUZZ_WEIGHTS]

A good file converts to the same weights. A bad one gets one line that names it,
within a second and 64 MB more than a good one.
"""

import itertools
import json
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

import hostile
import onnxlike
import torchlike
from hostile import SANITIZED

Y10, SHAPES = sys.argv[1:3]
FUZZ_WEIGHTS = sys.argv[3] if len(sys.argv) > 3 else None
SIZE = 64


def measure(path):
    return hostile.measure(Y10, path)


def folded():
    """Random weights of the network, with biases in place of BatchNorm, one2many."""
    chance = random.Random(1)
    tensors = {}

    def fill(name, shape):
        n = 1
        for size in shape:
            n *= size
        tensors[name] = (shape, struct.pack(f"<{n}f", *(chance.uniform(-1, 1) for _ in range(n))))

    for name, shape in json.loads(pathlib.Path(SHAPES).read_text()).items():
        if not name.endswith(".weight") or len(shape) != 4 or "one2one" in name or ".dfl." in name \
                or ".conv1." in name:
            continue
        name = name.removesuffix(".weight").replace(".conv.conv", ".conv")
        fill(f"{name}.weight", shape)
        fill(f"{name}.bias", shape[:1])
    return tensors


def swapped(node):
    """Swaps a node's first two inputs."""
    first = node[:2 + node[1]]
    rest = node[len(first):]
    second = rest[:2 + rest[1]]
    return second + first + rest[len(second):]


class Onnx(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = pathlib.Path(tempfile.mkdtemp(prefix="y10-onnx-"))
        cls.addClassCleanup(shutil.rmtree, cls.dir)
        cls.tensors = folded()
        cls.network = onnxlike.Network(cls.tensors, SIZE)
        cls.good = cls.dir / "good.onnx"
        cls.good.write_bytes(cls.network.model(names="{0: 'a', 1: 'b', 2: 'c'}"))
        status, message, cls.mb = measure(cls.good)
        assert status == 0, message

    def test_weights(self):
        out = self.dir / "converted.safetensors"
        subprocess.run([Y10, "convert", self.good, out], check=True)
        found = {name: t.args[0].data for name, t in torchlike.read_safetensors(out).items()}
        self.assertEqual(found, {name: raw for name, (_shape, raw) in self.tensors.items()})
        result = json.loads(subprocess.run([Y10, "info", "--json", self.good], check=True,
                                           capture_output=True).stdout)
        self.assertEqual(result["format"], "ONNX")
        self.assertEqual(result["classes"], ["a", "b", "c"])
        self.assertEqual(result["heads"], ["one2many"])
        self.assertEqual(result["input"], {"width": SIZE, "height": SIZE})

    def test_external(self):
        """Weights in another file, like onnx.save_model (save_as_external_data)'s."""
        other, data = onnxlike.Network(self.tensors, SIZE), b"padding"
        for i, (name, (shape, raw)) in enumerate(self.tensors.items()):
            where = {"location": "good.bin", "offset": len(data), "length": len(raw)}
            if i % 2:  # it may be left out
                del where["length"]
            other.initializers[i] = b"".join(onnxlike.number(1, d) for d in shape) + onnxlike.number(
                2, onnxlike.FLOAT) + onnxlike.data(8, name) + b"".join(onnxlike.data(
                    13, onnxlike.data(1, k) + onnxlike.data(2, str(v))) for k, v in where.items()) \
                + onnxlike.number(14, 1)
            data += raw
        (self.dir / "good.bin").write_bytes(data)
        path, out = self.dir / "external-good.onnx", self.dir / "external.safetensors"
        path.write_bytes(other.model())
        subprocess.run([Y10, "convert", path, out], check=True)
        found = {name: t.args[0].data for name, t in torchlike.read_safetensors(out).items()}
        self.assertEqual(found, {name: raw for name, (_shape, raw) in self.tensors.items()})

    def refused(self, name, content, *words):
        path = self.dir / name
        path.write_bytes(content)
        status, message, used = measure(path)
        with self.subTest(file=name):
            print(f"# {name:20} {used - self.mb:6.1f} MB  {message.strip()[:170]}", flush=True)
            self.assertEqual(status, 3, message)
            self.assertEqual(message.count("\n"), 1, message)
            for word in (str(path), *words):
                self.assertIn(word, message)
            if not SANITIZED:
                self.assertLess(used, self.mb + 64)

    def changed(self, name, find, change, *words):
        """Replaces the first node that contains the text @find."""
        nodes = list(self.network.nodes)
        i = next(i for i, n in enumerate(nodes) if find in n)
        nodes[i] = change(nodes[i])
        other = onnxlike.Network(self.tensors, SIZE)
        other.nodes = nodes
        self.refused(name, other.model(), *words)

    def test_other_networks(self):
        self.changed("relu.onnx", b"Sigmoid", lambda n: n.replace(b"Sigmoid", b"Softsgn"), "Softsgn")
        self.changed("linear.onnx", b"Resize", lambda n: n.replace(b"nearest", b"lineary"), "Resize")
        self.changed("order.onnx", b"Concat", swapped, "Concat")
        self.changed("pool.onnx", b"MaxPool", lambda n: n.replace(
            onnxlike.attribute("pads", [2, 2, 2, 2]), onnxlike.attribute("pads", [1, 2, 3, 2])),
            "MaxPool")
        self.changed("axis.onnx", b"Softmax", lambda n: n.replace(
            onnxlike.attribute("axis", -1), onnxlike.attribute("axis", -2)), "not a YOLOv10")
        self.changed("domain.onnx", b"Concat", lambda n: n + onnxlike.data(7, "com.other"), "Concat")

    def with_first(self, op, **options):
        """Inserts a node between the image and the first convolution."""
        other = onnxlike.Network(self.tensors, SIZE)
        first = onnxlike.node(op, ["images"], ["changed"], "/inserted", **options)
        other.nodes[:1] = [first, other.nodes[0].replace(onnxlike.data(1, "images"),
                                                         onnxlike.data(1, "changed"))]
        return other.model()

    def test_inserted(self):
        for op, options in (("Floor", {}), ("Relu", {}), ("Cast", {"to": 3}), ("Cast", {})):
            self.refused(f"{op}-{len(options)}.onnx", self.with_first(op, **options), '"/inserted"')
        for op, options in (("Identity", {}), ("Cast", {"to": 10})):
            path = self.dir / "unchanged.onnx"
            path.write_bytes(self.with_first(op, **options))
            self.assertEqual(measure(path)[0], 0, measure(path)[1])

    def test_order(self):
        """ONNX Runtime's converter to half precision puts the input's Cast last."""
        other = onnxlike.Network(self.tensors, SIZE)
        cast = onnxlike.node("Cast", ["images"], ["changed"], "/cast", to=10)
        other.nodes[0] = other.nodes[0].replace(onnxlike.data(1, "images"),
                                                onnxlike.data(1, "changed"))
        for name, nodes in (("last", other.nodes + [cast]), ("reversed", [cast, *other.nodes][::-1])):
            other.nodes = nodes
            path = self.dir / f"{name}.onnx"
            path.write_bytes(other.model())
            self.assertEqual(measure(path)[0], 0, measure(path)[1])
        other.nodes = [n.replace(onnxlike.data(1, "images"), onnxlike.data(1, "changed"))
                       for n in other.nodes]
        self.refused("circle.onnx", other.model(), "not a YOLOv10")

    def test_new_exporter(self):
        """PyTorch's newer exporter writes SplitToSequence, and numbers as attributes."""
        o = onnxlike
        other = o.Network(self.tensors, SIZE)
        nodes = []
        for node in other.nodes:
            if b"Split" not in node or o.attribute("axis", 1) not in node:
                nodes.append(node)
                continue
            fields = [node[2:2 + node[1]]]
            names = [m.decode() for m in re.findall(rb"\x12.(t\d+)", node)]
            half = o.tensor("", [], struct.pack("<q", other.channels[names[0]]), o.INT64)
            nodes.append(o.node("Constant", [], [f"half{names[0]}"])
                         + o.data(5, o.data(1, "value") + o.data(5, half)))
            nodes.append(o.node("SplitToSequence", [fields[0].decode(), f"half{names[0]}"],
                                [f"seq{names[0]}"], "/split", axis=1))
            for i, name in enumerate(names):
                nodes.append(o.node("Constant", [], [f"i{name}"], value_int=i))
                nodes.append(o.node("SequenceAt", [f"seq{names[0]}", f"i{name}"], [name], "/at"))
        scales = o.node("Constant", [], ["scales"]) + o.data(5, o.data(1, "value_floats") + b"".join(
            b"\x3d" + struct.pack("<f", v) for v in (1, 1, 2, 2)))
        nodes = [re.sub(rb"\x0a.s\d+", o.data(1, "scales"), n) if b"Resize" in n else n for n in nodes]
        path = self.dir / "sequences.onnx"
        other.nodes = [scales] + nodes
        self.assertEqual(sum(b"SequenceAt" in n for n in nodes) % 2, 0)
        self.assertGreater(sum(b"SequenceAt" in n for n in nodes), 6)
        path.write_bytes(other.model())
        self.assertEqual(measure(path)[0], 0, measure(path)[1])
        i = next(i for i, n in enumerate(nodes) if b"SequenceAt" in n)
        other.nodes = [scales] + nodes[:i - 1] + [nodes[i - 1].replace(
            o.attribute("value_int", 0), o.attribute("value_int", 1))] + nodes[i:]
        self.refused("other-part.onnx", other.model(), "not a YOLOv10")

    def test_both_heads(self):
        """torch.onnx.export() of a model in evaluation mode has both, and TopK."""
        tensors = {}
        for name, (shape, raw) in self.tensors.items():
            tensors[name] = (shape, raw)
            if name.startswith("model.23."):
                tensors[name.replace("model.23.", "model.23.one2one_")] = (shape, raw[::-1])
        other = onnxlike.Network(tensors, SIZE)
        other.nodes.append(onnxlike.node("TopK", ["t0", "t0"], ["values", "indices"], "/TopK"))
        path, out = self.dir / "both.onnx", self.dir / "both.safetensors"
        path.write_bytes(other.model())
        subprocess.run([Y10, "convert", path, out], check=True)
        found = {name: t.args[0].data for name, t in torchlike.read_safetensors(out).items()}
        self.assertEqual(found, {name: raw for name, (_shape, raw) in tensors.items()})

    def test_norm_bypassed(self):
        """The proof compares whether a BatchNorm is in the path."""
        for bypassed in (False, True):
            other = onnxlike.Network(self.tensors, SIZE)
            conv = other.nodes[0]
            n = self.tensors["model.0.conv.weight"][0][0]
            for name in ("gamma", "beta", "mean", "var"):
                other.initializers.append(onnxlike.tensor(name, [n], struct.pack(
                    f"<{n}f", *[1.0] * n)))
            epsilon = onnxlike.data(5, onnxlike.data(1, "epsilon") + b"\x15"
                                    + struct.pack("<f", 1e-3) + onnxlike.number(20, 1))
            norm = onnxlike.node("BatchNormalization", ["t0", "gamma", "beta", "mean", "var"],
                                 ["normed"], "/model.0/bn/BatchNormalization") + epsilon
            other.nodes = [conv, norm] + other.nodes[1:]
            if not bypassed:
                for i in (2, 3):  # Sigmoid and Mul
                    other.nodes[i] = other.nodes[i].replace(onnxlike.data(1, "t0"),
                                                            onnxlike.data(1, "normed"))
                path = self.dir / "norm.onnx"
                path.write_bytes(other.model())
                self.assertEqual(measure(path)[0], 0, measure(path)[1])
            else:
                self.refused("bypassed.onnx", other.model(), "not a YOLOv10")

    def test_batch(self):
        """A static export with a batch of several images."""
        path = self.dir / "batch.onnx"
        path.write_bytes(onnxlike.Network(self.tensors, SIZE, batch=4).model())
        self.assertEqual(measure(path)[0], 0, measure(path)[1])

    def test_hostile_shapes(self):
        """Constants with fewer or more elements than their shapes, and sizes that overflow when
        multiplied."""
        o = onnxlike
        liar = o.number(1, 1 << 20) + o.number(2, o.INT64) + o.data(7, o.varint(1) * 3) + o.data(
            8, "liar")

        def with_network(name, nodes, tensors):
            """Appends nodes after the whole network, so that they are evaluated."""
            other = onnxlike.Network(self.tensors, SIZE)
            other.nodes += nodes
            other.initializers += tensors
            path = self.dir / name
            path.write_bytes(other.model())
            status, message, used = measure(path)
            print(f"# {name:20} {used - self.mb:6.1f} MB  {status} "
                  f"{message.strip()[:150]}", flush=True)
            self.assertEqual(status, 0, message)

        def int64s(name, *values):
            return o.tensor(name, [len(values)], struct.pack(f"<{len(values)}q", *values), o.INT64)

        with_network("liar.onnx", [o.node("Slice", ["liar", "0", "1000000", "0"], ["s"], "/s"),
                                   o.node("Reshape", ["images", "s"], ["r"], "/r")],
                     [liar, int64s("0", 0), int64s("1000000", 1000000)])
        empty = o.tensor("w0", [0, 3, 1, 1], b"")
        zero = o.node("Conv", ["images", "w0"], ["z"], "/model.99/conv/Conv")
        with_network("zero.onnx", [zero, o.node("Reshape", ["z", "shape"], ["r"], "/r")],
                     [empty, int64s("shape", 0, 0, 5, 7)])
        vast = o.tensor("w1", [1 << 62, 0, 1, 1], b"")
        with_network("vast.onnx", [o.node("Conv", ["images", "w1"], ["z"], "/model.99/conv/Conv"),
                                   o.node("Reshape", ["z", "shape"], ["r"], "/r")],
                     [vast, int64s("shape", -1, 5, 5)])
        scales = o.tensor("twice", [4], struct.pack("<4f", 1, 1, 2, 2))
        with_network("doubled.onnx", [o.node(
            "Resize", [f"d{i}" if i else "images", "", "twice"], [f"d{i + 1}"], mode="nearest",
            nearest_mode="floor", coordinate_transformation_mode="asymmetric")
            for i in range(100)], [scales])
        with_network("ends.onnx", [o.node("Slice", ["images", "a", "b", "c"], ["s"], "/s"),
                                   o.node("Reshape", ["images", "nan"], ["r"], "/r")],
                     [int64s("a", -(1 << 63)), int64s("b", (1 << 63) - 1), int64s("c", 1),
                      o.tensor("nan", [2], struct.pack("<2f", float("nan"), float("inf")))])
        weight = o.tensor("model.0.conv.weight", [16, 3, 3, 3], bytes(4 * 432))
        node = o.node("Conv", ["images", "model.0.conv.weight"], [], "/model.0/conv/Conv")
        self.refused("no-output.onnx", o.number(1, 8) + o.data(2, "x") + o.data(
            7, o.data(1, node) + o.data(5, weight)), "no output")

    def test_hostile(self):
        o = onnxlike
        good = self.network.model()
        head = o.number(1, 8) + o.data(2, "x")
        self.refused("no-graph.onnx", head, "no graph")
        self.refused("empty.onnx", head + o.data(7, b""), "missing")
        self.refused("deep.onnx", head + o.data(7, o.data(1, o.data(5, o.data(5, b"\xff" * 99)))),
                     "damaged")
        self.refused("length.onnx", head + b"\x3a\xff\xff\xff\xff\x7f", "damaged")
        self.refused("varint.onnx", head + b"\xff" * 20, "damaged")
        many = b"".join(o.data(1, o.node("Add", ["images"] * 2, [f"x{i}"])) for i in range(20000))
        self.refused("nodes.onnx", head + o.data(7, many), "16384 nodes")
        operands = o.data(1, o.node("Concat", ["images"] * 1000, ["x"]))
        self.refused("operands.onnx", head + o.data(7, operands), "256 operands")
        names = b"".join(o.data(1, o.node("A" * 500, ["b" * 500] * 200, [f"x{i}"]))
                         for i in range(2000))
        self.refused("names.onnx", head + o.data(7, names), "memory")
        outputs = b"".join(o.data(1, o.node("A", ["images"], [f"{i} {j}" for j in range(250)]))
                           for i in range(1700))
        self.refused("outputs.onnx", head + o.data(7, outputs), "memory")
        double = b"".join(o.data(1, o.node("Concat", [f"x{i}"] * 2, [f"x{i + 1}"], axis=1))
                          for i in range(16000))
        self.refused("double.onnx", head + o.data(7, double + o.data(11, o.data(1, "x0"))),
                     "missing")
        self.refused("twice.onnx", head + o.data(7, o.data(1, o.node("Add", [], ["x"])) * 2),
                     "two nodes")
        self.refused("huge-name.onnx", head + o.data(7, o.data(1, o.data(4, "x" * 1000))), "damaged")
        self.refused("utf8.onnx", head + o.data(7, o.data(1, o.node(
            "Conv", ["images", "w"], ["x"], "/model.0/\xff/Conv"))), "node")
        weight = o.tensor("model.0.conv.weight", [1 << 40, 1 << 40, 3, 3], b"1234")
        conv = o.data(1, o.node("Conv", ["images", "model.0.conv.weight"], ["x"], "/model.0/conv/Conv"))
        self.refused("overflow.onnx", head + o.data(7, conv + o.data(5, weight)), "overflows")
        weight = o.tensor("model.0.conv.weight", [1 << 20, 512, 3, 3], b"1234")
        self.refused("short.onnx", head + o.data(7, conv + o.data(5, weight)), "4 bytes")
        (self.dir / "short.bin").write_bytes(bytes(100))
        (self.dir / "link.bin").symlink_to(self.good)
        os.mkfifo(self.dir / "fifo.bin")
        for location, *words in (("/etc/passwd", "same folder"), ("../good.onnx", "same folder"),
                                 ("", "same folder"), ("..", "same folder"), ("nowhere.bin", "no such"),
                                 ("link.bin", "symbolic link"), ("fifo.bin", "FIFO"),
                                 ("short.bin", "432 bytes at byte 0 of 100")):
            external = o.tensor("model.0.conv.weight", [4, 3, 3, 3], b"") + o.data(
                13, o.data(1, "location") + o.data(2, location)) + o.data(
                13, o.data(1, "length") + o.data(2, "432")) + o.number(14, 1)
            self.refused("external.onnx", head + o.data(7, conv + o.data(5, external)), *words)
        int8 = o.tensor("model.0.conv.weight", [4, 3, 3, 3], bytes(108), kind=3)
        self.refused("int8.onnx", head + o.data(7, conv + o.data(5, int8)), "data type 3")
        quantised = o.data(1, o.node("DequantizeLinear", ["a"], ["b"], "/q"))
        self.refused("quantised.onnx", head + o.data(7, quantised), '"/q"', "quantised")
        self.assertGreater(len(good), 1000)

    def test_truncated(self):
        good = self.good.read_bytes()
        path = self.dir / "cut.onnx"
        for size in itertools.chain(range(4, 64, 7), range(4096, len(good), 4096)):
            path.write_bytes(good[:size])
            status, message, _mb = measure(path)
            self.assertEqual(status, 3, f"{size} bytes: {message}")
            self.assertIn(str(path), message)

    @unittest.skipUnless(FUZZ_WEIGHTS, "libFuzzer has the fuzz target")
    def test_fuzz(self):
        runs = 2000 if SANITIZED else 20000
        result = subprocess.run([FUZZ_WEIGHTS, "--runs", str(runs), self.good], timeout=250,
                                capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(f"{runs} mutants", result.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
