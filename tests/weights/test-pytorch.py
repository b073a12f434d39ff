#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""PyTorch checkpoints, good and hostile, in the y10 command.

usage: test-pytorch.py Y10 SEEDED SHAPES.json [FUZZ_WEIGHTS]

A converted good file equals its safetensors file bit for bit. A bad one gets one line that names
it and the fault, within a second and 64 MB more than a good one.
"""

import itertools
import collections
import json
import os
import pathlib
import pickle
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile
from unittest import mock

import hostile
import torchlike
from hostile import SANITIZED
from torchlike import Storage, Tensor

Y10, SEEDED, SHAPES = sys.argv[1:4]
FUZZ_WEIGHTS = sys.argv[4] if len(sys.argv) > 4 else None
MARKER = "y10-pickle-was-run"


def run(*command, seconds=60):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True,
                          timeout=seconds, errors="replace")


def measure(path):
    return hostile.measure(Y10, path)


class Command:
    """Pickles itself as a call of os.system."""

    def __reduce__(self):
        return os.system, (f"touch {MARKER}",)


def nested_lists(n):
    return b"\x80\x02" + b"]" * n + b"a" * (n - 1) + b"."


def storage(numel, dtype="F32", data=None):
    return Storage(dtype, "0", bytes(SIZES[dtype] * numel) if data is None else data)


SIZES = torchlike.SIZES


class Checkpoints(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = pathlib.Path(tempfile.mkdtemp(prefix="y10-weights-"))
        cls.addClassCleanup(shutil.rmtree, cls.dir)
        cls.reference = cls.dir / "reference.safetensors"
        subprocess.run([SEEDED, SHAPES, cls.reference], check=True, stdout=subprocess.DEVNULL)
        cls.tensors = torchlike.read_safetensors(cls.reference)
        cls.good = cls.dir / "good.pt"
        torchlike.save(cls.good, {"epoch": 3, "model": torchlike.as_module(
            torchlike.read_safetensors(cls.reference), {0: "a\"b", 1: "é"})})
        status, message, cls.mb = measure(cls.good)
        assert status == 0, message

    def tearDown(self):
        self.assertFalse(os.path.exists(MARKER), "a pickle ran a command")

    def data(self, path):
        """The tensors of a converted file."""
        out = self.dir / "converted.safetensors"
        result = run(Y10, "convert", path, out)
        self.assertEqual(result.returncode, 0, result.stderr)
        return {name if name.startswith("model.") else f"model.{name}": t.args[0].data
                for name, t in torchlike.read_safetensors(out).items()}

    def assert_same(self, path):
        expected = {name: t.args[0].data for name, t in self.tensors.items()
                    if t.args[0].dtype != "I64"}
        found = self.data(path)
        self.assertEqual(found.keys(), expected.keys())
        for name, data in expected.items():
            self.assertEqual(found[name], data, name)

    def test_layouts(self):
        tensors = torchlike.read_safetensors(self.reference)
        prefixed = {f"module.{name}": t for name, t in tensors.items()}
        for name, value in {
                "state": tensors, "under-model": {"model": tensors},
                "under-state_dict": {"state_dict": tensors, "epoch": 1},
                # PyTorch's tutorial, and others.
                "under-model_state_dict": {"epoch": 1, "model_state_dict": tensors, "optimizer_state_dict":
                                           {"state": {}, "param_groups": []}, "loss": 0.5},
                "under-net": {"net": tensors, "acc": 1},
                "under-weights": {"weights": torchlike.as_module(tensors, ["x"])},
                "parallel": prefixed, "bare": torchlike.as_module(tensors, ["x"]),
                "ema": {"model": None, "ema": torchlike.as_module(tensors, {})}}.items():
            for protocol in (2, 3, 4, 5):
                with self.subTest(layout=name, protocol=protocol):
                    path = self.dir / f"{name}.pt"
                    torchlike.save(path, value, protocol)
                    self.assert_same(path)

    def test_doubles(self):
        """float64 weights detect what the same in float32 do."""
        path = self.dir / "doubles.pt"
        tensors = torchlike.read_safetensors(self.reference)
        for name, t in tensors.items():
            if t.args[0].dtype == "F32":
                data = t.args[0].data
                t.args[0].data = struct.pack(f"<{len(data) // 4}d",
                                             *struct.unpack(f"<{len(data) // 4}f", data))
                t.args[0].dtype = "F64"
        torchlike.save(path, {"model": tensors})
        picture = pathlib.Path(__file__).parent / "../../pipelines/codes.png"
        command = [Y10, "detect", "--size", "96", "--confidence", "0.02", picture, "--model"]
        expected = run(*command, self.reference)
        if "built without" in expected.stderr:
            self.skipTest("this y10 cannot read pictures")
        self.assertEqual(expected.returncode, 0, expected.stderr)
        found = run(*command, path)
        self.assertEqual((found.stdout, found.stderr), (expected.stdout, ""))

    def test_several(self):
        """Which weights are meant must not be guessed."""
        path = self.dir / "several.pt"
        torchlike.save(path, {"teacher": torchlike.read_safetensors(self.reference),
                              "student": torchlike.read_safetensors(self.reference)})
        result = run(Y10, "info", path)
        self.assertEqual(result.returncode, 3)
        self.assertIn("2 of its entries have tensors", result.stderr)

    def test_other_head(self):
        """The class of the head tells another family before any shape is judged."""
        for head, words in (("Detect", "is a network with the head Detect; expected a YOLOv10"),
                            ("Segment", "is a YOLOv10 for segmentation; expected one for detection"),
                            ("Pose26", "is a YOLOv10 for keypoints; expected one for detection"),
                            ("RTDETRDecoder", "with the head RTDETRDecoder; expected a YOLOv10"),
                            ("v10Detect", "")):
            root = torchlike.as_module(torchlike.read_safetensors(self.reference), ["x"])
            layers = root._modules["model"]._modules
            last = max(layers, key=int)
            made = torchlike.define("ultralytics.nn.modules.head", head)()
            made.__dict__.update(layers[last].__dict__)
            layers[last] = made
            path = self.dir / "head.pt"
            torchlike.save(path, {"model": root})
            result = run(Y10, "info", path)
            self.assertEqual(result.returncode, 3 if words else 0, result.stderr)
            self.assertIn(words, result.stderr)

    def test_four_levels(self):
        """Variants with a head of their own are named, also without their modules."""
        for tensor, name in (("model.28.cv3.3.0.conv.weight", "a YOLOv8-p2, with four levels"),
                             ("model.30.cv3.3.0.conv.weight", "a YOLOv8-p6, with four levels"),
                             ("model.29.one2one_cv3.3.0.0.conv.weight", "a YOLO26-p2, with four levels"),
                             ("model.31.cv3.3.0.0.conv.weight", "a YOLO26-p6, with four levels")):
            tensors = torchlike.read_safetensors(self.reference)
            tensors[tensor] = next(iter(tensors.values()))
            path = self.dir / "levels.pt"
            torchlike.save(path, {"model": tensors})
            result = run(Y10, "info", path)
            self.assertEqual(result.returncode, 3)
            self.assertIn(f"is {name}; expected a YOLOv8, YOLOv10, YOLO11 or YOLO26 for detection, which "
                          "can be trained on the same data", result.stderr)

    def test_names_and_size(self):
        result = json.loads(run(Y10, "info", "--json", self.good).stdout)
        self.assertEqual(result["format"], "PyTorch")
        self.assertEqual(result["input"], {"width": 320, "height": 320})
        # The network has another number of classes than two names.
        n = len(result["classes"])
        path = self.dir / "names.pt"
        names = {i: f"Ünïcode \"{i}\"" for i in range(n)}
        torchlike.save(path, torchlike.as_module(torchlike.read_safetensors(self.reference), names))
        result = json.loads(run(Y10, "info", "--json", path).stdout)
        self.assertEqual(result["classes"], list(names.values()))
        words = [f"thing {i}" for i in range(n)]
        for names, classes, says in (
                (tuple(words), words, None), (words, words, None),
                ({str(i): word for i, word in enumerate(words)}, words, None),
                (collections.OrderedDict(reversed(list(enumerate(words)))), words, None),
                ({word: i for i, word in enumerate(words)}, words, None),
                (list(range(n)), [str(i) for i in range(n)], None),
                (words[:-1], [*words[:-1], f"class {n - 1}"],
                 f"has {n - 1} names; expected one for each of {n} classes; class {n - 1} is called"),
                ({i: word for i, word in enumerate(words) if i}, ["class 0", *words[1:]],
                 f"has {n - 1} names; expected one for each of {n} classes; class 0 is called \"class 0\""),
                ([*words, "more"], words, f"has {n + 1} names"),
                ({i + 1: word for i, word in enumerate(words)}, ["class 0", *words[:-1]], "class 0 is called")):
            torchlike.save(path, torchlike.as_module(torchlike.read_safetensors(self.reference), names))
            result = run(Y10, "info", "--json", path)
            self.assertEqual(json.loads(result.stdout)["classes"], classes, names)
            self.assertEqual(len(result.stderr.splitlines()), 1 if says else 0, result.stderr)
            self.assertIn(says or "", result.stderr)
        names = dict(enumerate(words))
        # torch.save (YOLO (…)) has the network as a child.
        wrapper = torchlike.module("Sequential")
        wrapper._modules["model"] = torchlike.as_module(
            torchlike.read_safetensors(self.reference), names)
        torchlike.save(path, wrapper)
        result = json.loads(run(Y10, "info", "--json", path).stdout)
        self.assertEqual(result["classes"], list(names.values()))
        self.assertEqual(result["input"], {"width": 320, "height": 320})

    def test_size(self):
        """The size of training: a number, or height and width, in a dictionary or a namespace."""
        namespace = torchlike.define("ultralytics.utils", "IterableSimpleNamespace")()
        namespace.imgsz = [96, 160]
        path = self.dir / "size.pt"
        for args, width, height in (({"imgsz": 416}, 416, 416), ({"imgsz": [96, 160]}, 160, 96),
                                    ({"imgsz": (96, 160)}, 160, 96), (namespace, 160, 96)):
            torchlike.save(path, {"train_args": args, "model": torchlike.read_safetensors(self.reference)})
            result = json.loads(run(Y10, "info", "--json", path).stdout)
            self.assertEqual(result["input"], {"width": width, "height": height})

    def test_channels_last(self):
        tensors = torchlike.read_safetensors(self.reference)
        for tensor in tensors.values():
            old, offset, shape, _stride = tensor.args[:4]
            if len(shape) != 4:
                continue
            n, c, h, w = shape
            size = SIZES[old.dtype]
            items = [old.data[i:i + size] for i in range(0, len(old.data), size)]
            data = b"".join(items[((i * c + j) * h + y) * w + x] for i in range(n)
                            for y in range(h) for x in range(w) for j in range(c))
            tensor.args = (Storage(old.dtype, old.key, data), offset, shape,
                           (h * w * c, 1, w * c, c)) + tensor.args[4:]
        path = self.dir / "channels-last.pt"
        torchlike.save(path, tensors)
        self.assert_same(path)

    def test_one_storage(self):
        """Views into one storage, each with its offset."""
        tensors = torchlike.read_safetensors(self.reference)
        data = b"".join(t.args[0].data for t in tensors.values() if t.args[0].dtype == "F32")
        shared, offset = Storage("F32", "all", data), 0
        for tensor in tensors.values():
            if tensor.args[0].dtype != "F32":
                continue
            n = len(tensor.args[0].data) // 4
            tensor.args = (shared, offset) + tensor.args[2:]
            offset += n
        path = self.dir / "views.pt"
        torchlike.save(path, tensors)
        self.assert_same(path)

    def test_zip64(self):
        """The records that Python's zipfile writes beyond 4 GB, which is less here."""
        path = self.dir / "zip64.pt"
        with zipfile.ZipFile(self.good) as z:
            content = {name: z.read(name) for name in reversed(z.namelist())}
        # All sizes and offsets, then offsets without sizes and behind another field.
        for limit, other, comment in ((0, b"", b""), (600, b"UT\4\0past", b"a comment")):
            with self.subTest(limit=limit):
                with mock.patch.object(zipfile, "ZIP64_LIMIT", limit), zipfile.ZipFile(path, "w") as z:
                    for name, data in content.items():
                        info = zipfile.ZipInfo(name)
                        info.extra = other
                        z.writestr(info, data)
                    z.comment = comment
                data = path.read_bytes()
                begin, end = data.index(b"PK\1\2"), data.rindex(b"PK\5\6")
                directory, n = re.subn(rb"(\x01\0[\x08\x10\x18]\0(?:.{8}){1,3}?)" + other,
                                       lambda found, field=other: field + found[1],
                                       data[begin:end], flags=re.DOTALL)
                self.assertGreater(n, len(content) / 2)
                path.write_bytes(data[:begin] + directory + data[end:end + 8] + b"\xff" * 12
                                 + data[end + 20:])
                self.assert_same(path)

    def refused(self, path, *words, mb=64):
        status, message, used = measure(path)
        with self.subTest(file=path.name):
            print(f"# {path.name:24} {used - self.mb:6.1f} MB  {message.strip()[:150]}", flush=True)
            self.assertEqual(status, 3, message)
            self.assertEqual(message.count("\n"), 1, message)
            self.assertIn(str(path), message)
            for word in words:
                self.assertIn(word, message)
            if not SANITIZED:
                self.assertLess(used, self.mb + mb)

    def write(self, name, data, members=None, **options):
        path = self.dir / name
        torchlike.archive(path, data, members or {}, **options)
        return path

    def test_hostile_pickles(self):
        p = b"\x80\x02"
        for name, data, *words in (
                ("system.pt", pickle.dumps({"model": Command()}, 2), "no module"),
                ("reduce.pt", p + b"cos\nsystem\n(X\x05\0\0\0touchtR.", "no module"),
                ("loop.pt", p + b"]q\0h\0a.", "no module"),
                ("module-loop.pt", p + b"ca\nb\n)\x81q\0}(X\x08\0\0\0_modules}X\x05\0\0\0modelh\0su"
                 b"b.", "nests them"),
                ("deep.pt", nested_lists(100000), "no module"),
                ("lists.pt", nested_lists(4 << 20), "memory"),
                ("memo.pt", p + b"]" + b"".join(b"q" + bytes([i % 256]) + b"(h" + bytes([i % 256])
                 + b"h" + bytes([i % 256]) + b"t" for i in range(20000)) + b".", "no module"),
                ("memo-index.pt", p + b"Nr\xff\xff\xff\x7f.", "memory"),
                ("unset.pt", p + b"j\1\0\0\0.", "memo 1"),
                ("unset-beside.pt", p + b"Nq\0j\1\0\0\0.", "memo 1"),
                ("values.pt", p + b"N" * (15 << 20) + b".", "memory"),
                ("dups.pt", p + b"N" + b"2" * (15 << 20) + b".", "memory"),
                ("items.pt", p + b"}" + b"NNs" * (5 << 20) + b".", "memory"),
                ("globals.pt", p + b"".join(b"c%d\nx\n" % i for i in range(1 << 20)) + b".", "memory"),
                ("states.pt", p + b"N)\x81" + b"}b" * (7 << 20) + b".", "memory"),
                ("large.pt", p + b"N" * (16 << 20) + b".", "16777219 bytes"),
                ("string.pt", p + b"X\xff\xff\xff\xff.", "truncated"),
                ("long.pt", p + b"\x8b\xff\xff\xff\xff.", "truncated"),
                ("empty.pt", b"", "truncated"), ("stop.pt", b".", "stack is empty"),
                ("marks.pt", p + b"(" * 100000 + b".", "stack is empty"),
                ("opcode.pt", p + b"\xff.", "0xff"), ("protocol.pt", b"\x80\x09N.", "protocol 9"),
                ("text.pt", b"(dp0\nS'model'\n.", "0x70"), ("number.pt", p + b"K\5.", "no module"),
                ("odd.pt", p + b"}(K\1K\2K\3u.", "without a value"),
                ("odd-names.pt", p + b"ca\nb\n)\x81}(X\x08\0\0\0_modules}X\x05\0\0\0names}K\0aX\1\0\0\0xN"
                 b"ub.", "model.23"),
                ("unmarked.pt", p + b"K\1t.", "mark is missing"),
                ("unmarked-items.pt", p + b"}K\1K\2u.", "mark is missing"),
                ("on-number.pt", p + b"K\1K\2a.", "no container"),
                ("items-on-number.pt", p + b"K\1(K\2e.", "no container"),
                ("items-on-nothing.pt", p + b"(K\2e.", "no container")):
            self.refused(self.write(name, data), *words)
        # The maximum number of members, and of memory for a pickle.
        path = self.dir / "members.pt"
        with zipfile.ZipFile(path, "w") as z:
            z.writestr("a/data.pkl", p + b"}" + b"NNs" * 350000 + b")" * (14 << 20) + b".")
            for i in range(65000):
                z.writestr(f"a/{i:075d}", b"")
        self.refused(path, "memory")
        # One dictionary that thousands of modules refer to.
        shared = {f"key {i}": i for i in range(50000)}
        root = torchlike.module("Sequential")
        for i in range(16000):
            child = torchlike.MODULES["Conv"]()
            child.__dict__["_modules"] = shared
            root._modules[str(i)] = child
        path = self.dir / "shared.pt"
        torchlike.save(path, root)
        self.refused(path)

    def state(self, name, tensor):
        path = self.dir / name
        torchlike.save(path, {"model.0.conv.weight": tensor})
        return path

    def test_hostile_tensors(self):
        real = storage(4)
        for name, tensor, *words in (
                ("huge.pt", Tensor(real, 0, (1 << 31, 1), (0, 0)), "model.0.conv.weight", "bytes"),
                ("overflow.pt", Tensor(real, 0, (1 << 62, 1 << 62), (0, 0)), "overflows"),
                ("stride.pt", Tensor(real, 0, (2, 2), (1 << 62, 1 << 62)), "outside"),
                # 2^64 elements and one more.
                ("wrapped.pt", Tensor(real, 0, (5,), (1 << 62,)), "outside"),
                ("wrapped-sum.pt", Tensor(real, 0, (2,) * 4, (1 << 62,) * 4), "outside"),
                ("wrapped-offset.pt", Tensor(real, (1 << 63) - 1, (3, 2), (1 << 62, 1)), "outside"),
                ("beyond.pt", Tensor(real, 1, (4,), (1,)), "outside"),
                ("offset.pt", Tensor(real, 1 << 62, (4,), (1,)), "outside"),
                ("negative.pt", Tensor(real, -1, (4,), (1,)), "valid shape"),
                ("gaps.pt", Tensor(real, 0, (2,), (2,)), "bytes"),
                ("dims.pt", Tensor(real, 0, (1,) * 9, (1,) * 9), "valid shape"),
                ("ranks.pt", Tensor(real, 0, (2, 2), (1,)), "valid shape"),
                ("quantized.pt", Tensor(storage(4, "QI8"), 0, (4,), (1,)), "an unknown type"),
                ("no-storage.pt", Tensor("x", 0, (1,), (1,)), "no storage")):
            self.refused(self.state(name, tensor), *words)

    def test_hostile_archives(self):
        good = self.good.read_bytes()
        self.refused(self.write("deflate.pt", b"\x80\x02N.", compression=zipfile.ZIP_DEFLATED),
                     "compressed")
        self.refused(self.write("big-endian.pt", b"\x80\x02N.", byteorder=b"big"), "little-endian")
        path = self.dir / "other.zip"
        with zipfile.ZipFile(path, "w") as z:
            z.writestr("readme.txt", "text")
        self.refused(path, "no data.pkl")
        path = self.dir / "script.pt"
        with zipfile.ZipFile(path, "w") as z:
            z.writestr("a/data.pkl", b"\x80\x02N.")
            z.writestr("a/constants.pkl", b"\x80\x02).")
        self.refused(path, "TorchScript")
        path = self.dir / "twice.pt"
        with zipfile.ZipFile(path, "w") as z, self.assertWarns(UserWarning):
            z.writestr("a/data.pkl", b"\x80\x02N.")
            z.writestr("a/data.pkl", b"\x80\x02N.")
        self.refused(path, "twice")
        end = good.rindex(b"PK\5\6")
        for name, at, value, *words in (
                ("members.pt", end + 10, struct.pack("<H", 60000), "missing from its directory"),
                ("size.pt", end + 12, struct.pack("<I", 1 << 30), "directory"),
                ("at.pt", end + 16, struct.pack("<I", 1 << 31), "directory")):
            path = self.dir / name
            path.write_bytes(good[:at] + value + good[at + len(value):])
            self.refused(path, *words)
        # The largest directory, and larger ones. 65535 members need no records of zip64, but may
        # have them.
        entries = b"".join(struct.pack("<4s24xH16x5s", b"PK\1\2", 5, b"%05x" % i) for i in range(65536))
        for name, directory, n, *words in (
                ("most.pt", entries[:-51], 65535, "no data.pkl"),
                ("more.pt", entries, 65536, "65536 members"),
                ("wide.pt", bytes((8 << 20) + 1), 1, "8388609 bytes; expected at most")):
            size, path = len(directory), self.dir / name
            path.write_bytes(b"PK\3\4" + directory + struct.pack(
                "<4s28xQQQ4s4xQ4x4s4x12s2x", b"PK\6\6", n, size, 4, b"PK\6\7", 4 + size, b"PK\5\6",
                b"\xff" * 12))
            self.refused(path, *words)
        path = self.dir / "plain.pt"
        path.write_bytes(b"PK\3\4" + entries[:-51] + struct.pack("<4s4xHHIIH", b"PK\5\6", 65535, 65535,
                                                               len(entries) - 51, 4, 0))
        self.refused(path, "no data.pkl")
        path = self.dir / "legacy.pth"
        path.write_bytes(b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.")
        self.refused(path, "before 1.6", "torch.save")

    def test_truncated(self):
        good = self.good.read_bytes()
        path = self.dir / "cut.pt"
        for size in itertools.chain(range(4, 64, 7), range(4096, len(good), 4096)):
            path.write_bytes(good[:size])
            status, message, _mb = measure(path)
            self.assertEqual(status, 3, f"{size} bytes: {message}")
            self.assertIn(str(path), message)

    def test_mutants(self):
        good = self.good.read_bytes()
        pickled = zipfile.ZipFile(self.good).read("archive/data.pkl")
        begin, end = good.index(pickled), good.index(pickled) + len(pickled)
        directory = good.index(b"PK\1\2")
        chance = random.Random(1)
        path = self.dir / "mutant.pt"
        for i in range(60 if SANITIZED else 300):
            data = bytearray(good)
            for _ in range(chance.choice((1, 3, 10))):
                at = chance.choice((chance.randrange(begin, end),
                                    chance.randrange(directory, len(data))))
                data[at] = chance.randrange(256)
            path.write_bytes(data)
            status, message, mb = measure(path)
            self.assertIn(status, (0, 3), f"mutant {i}: {message}")
            if not SANITIZED:
                self.assertLess(mb, self.mb + 64)

    @unittest.skipUnless(FUZZ_WEIGHTS, "libFuzzer has the fuzz target")
    def test_fuzz(self):
        runs = 2000 if SANITIZED else 20000
        result = run(FUZZ_WEIGHTS, "--runs", runs, self.good, seconds=250)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(f"{runs} mutants", result.stdout)

    def test_linear_sppf(self):
        """What only the activations tell, as some versions of Ultralytics trained, is converted."""
        detected = {}
        for kind in ("SiLU", "Identity"):
            path, out = self.dir / f"sppf-{kind}.pt", self.dir / f"sppf-{kind}.safetensors"
            torchlike.save(path, torchlike.as_module(
                torchlike.read_safetensors(self.reference), {},
                lambda module: kind if module == "model.9.cv1" else None))
            for source in (path, out):  # of a converted file, too
                result = run(Y10, "convert", source, out)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual(b'"sppf":"linear"' in out.read_bytes(), kind == "Identity")
            command = [Y10, "detect", "--size", "96", "--confidence", "0.02",
                       pathlib.Path(__file__).parent / "../../pipelines/codes.png", "--model"]
            detected[kind], again = run(*command, path), run(*command, out)
            if "built without" in again.stderr:
                self.skipTest("this y10 cannot read pictures")
            self.assertEqual(detected[kind].stdout, again.stdout)
        self.assertNotEqual(detected["SiLU"].stdout, detected["Identity"].stdout)

    def test_activations(self):
        for kind, words in (("SiLU", None), ("ReLU", 'activation ReLU; expected SiLU')):
            path = self.dir / f"{kind}.pt"
            torchlike.save(path, torchlike.as_module(
                torchlike.read_safetensors(self.reference), {},
                lambda module: kind if module == "model.0" else None))
            if words:
                self.refused(path, '"model.0"', words)
            else:
                self.assertEqual(measure(path)[0], 0)
        path = self.dir / "eps.pt"
        torchlike.save(path, torchlike.as_module(torchlike.read_safetensors(self.reference), {},
                                                 eps=1e-5))
        self.refused(path, "eps 1e-05; expected 0.001")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
