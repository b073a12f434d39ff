# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""The package on the bundled model and its picture of codes. Y10, Y10_LIBRARY and
Y10_INCLUDE name the command, the library and the headers that are tested."""

import ctypes
import io
import json
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

try:
    import numpy as np
    from PIL import Image
except ImportError as missing:
    print(f"SKIP: {missing} (Debian: python3-numpy, python3-pil)")
    sys.exit(77)

import y10
from y10 import _library

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURE = str(ROOT / "pipelines/codes.png")
Y10 = os.environ.get("Y10")
# Not part of this project.
COCO_MODEL = ROOT.parent / "shared/models/yolov10n-coco.safetensors"
COCO_TRUTH = ROOT.parent / "shared/coco80/instances_val2017.json"


def pixels():
    return np.asarray(Image.open(PICTURE).convert("RGB"))


def reads_pictures():
    """Whether the command was built with gdk-pixbuf."""
    done = subprocess.run([Y10, "detect", PICTURE], capture_output=True, text=True)
    return "built without" not in done.stderr


class Structs(unittest.TestCase):
    """Structs and prototypes as the C compiler sees them."""

    def compile(self, source, link=False):
        folder = tempfile.mkdtemp()
        path = os.path.join(folder, "abi.c")
        pathlib.Path(path).write_text(source)
        flags = shlex.split(subprocess.run(["pkg-config", "--cflags", "gio-2.0"], check=True,
                                           capture_output=True, text=True).stdout)
        command = ["cc", "-Werror", *flags] + [f"-I{i}" for i in
                                               os.environ["Y10_INCLUDE"].split(os.pathsep)]
        subprocess.run(command + (["-o", path + ".out", path] if link
                                  else ["-fsyntax-only", path]), check=True)
        return path + ".out"

    @unittest.skipUnless("Y10_INCLUDE" in os.environ, "Y10_INCLUDE is not set")
    def test_structs(self):
        rows = []
        for struct in _library.STRUCTS:
            name = struct.__name__
            rows.append((f"{name}", f"sizeof ({name})", ctypes.sizeof(struct)))
            for field, *_ in struct._fields_:
                rows.append((f"{name}.{field}", f"offsetof ({name}, {field})",
                             getattr(struct, field).offset))
        rows.append(("Y10Detection", "sizeof (Y10Detection)", y10.DETECTION.itemsize))
        for field in y10.DETECTION.names:
            rows.append((f"Y10Detection.{field}", f"offsetof (Y10Detection, {field})",
                         y10.DETECTION.fields[field][1]))
        code = "".join(f'  printf ("%s %zu\\n", "{name}", (size_t) {c});\n' for name, c, _ in rows)
        out = self.compile("#include <stddef.h>\n#include <stdio.h>\n#include <y10/y10.h>\n"
                           "int main (void) {\n" + code + "  return 0;\n}\n", link=True)
        found = dict(line.split() for line in subprocess.run(
            [out], check=True, capture_output=True, text=True).stdout.splitlines())
        self.assertEqual({name: int(value) for name, value in found.items()},
                         {name: value for name, _, value in rows})

    @unittest.skipUnless("Y10_INCLUDE" in os.environ, "Y10_INCLUDE is not set")
    def test_prototypes(self):
        """A declaration that differs from the header's is an error."""
        self.compile("#include <y10/y10.h>\n" + _library.PROTOTYPES)

    @unittest.skipUnless("Y10_INCLUDE" in os.environ, "Y10_INCLUDE is not set")
    def test_values(self):
        lines = [f"_Static_assert (Y10_BACKEND_{n.upper()} == {i}, \"\");"
                 for i, n in enumerate(_library.BACKENDS)]
        lines += [f"_Static_assert (Y10_PRECISION_{n.upper()} == {i}, \"\");"
                  for i, n in enumerate(_library.PRECISIONS)]
        lines += [f"_Static_assert (Y10_HEAD_{n.upper().replace('-', '_')} == {i}, \"\");"
                  for i, n in enumerate(_library.HEADS)]
        lines += [f"_Static_assert (Y10_PIXEL_{n} == {i}, \"\");"
                  for n, i in _library.PIXEL_FORMATS.items()]
        self.compile("#include <y10/y10.h>\n" + "\n".join(lines) + "\n")


class Detect(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = y10.Model(precision="fp32", threads=1)
        cls.addClassCleanup(cls.model.close)
        cls.expected = cls.model.detect(pixels())
        assert len(cls.expected) > 3

    def assert_same(self, result, expected=None):
        np.testing.assert_array_equal(result.array, (expected or self.expected).array)

    @unittest.skipUnless(Y10, "Y10 is not set")
    def test_as_the_command(self):
        done = subprocess.run([Y10, "detect", "--precision", "fp32", "--threads", "1", PICTURE],
                              capture_output=True, text=True)
        if "built without GStreamer" in done.stderr:
            self.skipTest("this y10 reads no pictures")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(self.model.detect(PICTURE).to_json()), json.loads(done.stdout))

    def test_auto_size(self):
        rgb = pixels()
        images = [rgb[:120, :240], rgb[:240, :120], rgb[:200, :200]]
        width, height = self.model.input_size
        self.assertEqual(width, height)
        sizes = [(width, width // 2 // 32 * 32 + 32 * (width // 2 % 32 > 0)), None, (width, width)]
        sizes[1] = sizes[0][::-1]
        with y10.Model(precision="fp32", threads=1, input_size="auto", backend=self.model.backend,
                       max_batch=4) as model:
            self.assertEqual(model.input_size, (width, width))
            results = model.detect(images, confidence=0.001)
        for image, size, result in zip(images, sizes, results):
            with y10.Model(precision="fp32", threads=1, input_size=size) as fixed:
                expected = fixed.detect(image, confidence=0.001)
            self.assertGreater(len(expected), 0)
            self.assert_same(result, expected)
        for wrong in ("640", "square"):
            with self.assertRaisesRegex(ValueError, f"input_size is '{wrong}'.*auto"):
                y10.Model(input_size=wrong)

    def test_kinds_of_images(self):
        rgb = pixels()
        self.assert_same(self.model.detect(PICTURE))
        self.assert_same(self.model.detect(pathlib.Path(PICTURE)))
        self.assert_same(self.model.detect(Image.open(PICTURE)))
        self.assert_same(self.model.detect(rgb[:, :, ::-1], order="BGR"))
        self.assert_same(self.model.detect(np.ascontiguousarray(rgb[:, :, ::-1]), order="BGR"))
        self.assert_same(self.model.detect(np.dstack([rgb, rgb[:, :, 0]])))
        self.assert_same(self.model.detect(np.asfortranarray(rgb)))
        planes = np.ascontiguousarray(rgb.transpose(2, 0, 1))
        self.assert_same(self.model.detect(planes.transpose(1, 2, 0)))
        wide = np.zeros((rgb.shape[0], rgb.shape[1] + 7, 3), np.uint8)
        wide[:, :-7] = rgb
        self.assert_same(self.model.detect(wide[:, :-7]))
        gray = rgb[:, :, 0]
        self.assert_same(self.model.detect(gray), self.model.detect(np.dstack([gray] * 3)))
        half = self.model.detect(rgb[::2, ::2])
        self.assert_same(half, self.model.detect(np.ascontiguousarray(rgb[::2, ::2])))

    def test_orientation(self):
        """A picture that lies on its side, and says so, as a path and as Pillow opens it: the
        upright one by hand."""
        upright = pixels()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "turned.png")
            exif = Image.Exif()
            exif[274] = 6   # to be turned a quarter to the right
            Image.fromarray(np.ascontiguousarray(np.rot90(upright))).save(path, exif=exif)
            for image in (path, Image.open(path)):
                result = self.model.detect(image)
                self.assert_same(result)
                self.assertEqual((result.width, result.height), (upright.shape[1], upright.shape[0]))
                self.assertTrue((result.plot(image) == self.expected.plot(upright)).all())

    def test_other_files(self):
        """What is no picture is named, with what takes it."""
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(IsADirectoryError, f"{folder} is a folder.*y10 detect"):
                self.model.detect(folder)
            path = pathlib.Path(folder, "street.mp4")
            path.write_bytes(b"\0\0\0\x18ftypmp42")
            with self.assertRaisesRegex(OSError, "street.mp4 is no picture.*y10 detect takes videos"):
                self.model.detect(path)

    @unittest.skipUnless(Y10, "Y10 is not set")
    def test_tables(self):
        """The rows of pandas and the categories of COCO that the command writes."""
        if not reads_pictures():
            self.skipTest("this y10 reads no pictures")
        result = self.model.detect(PICTURE)

        def command(form):
            return subprocess.run([Y10, "detect", "--precision", "fp32", "--threads", "1", "--format", form,
                                   PICTURE], capture_output=True, text=True, check=True).stdout
        document = json.loads(command("coco"))
        self.assertEqual([e["category_id"] for e in result.to_coco(1)],
                         [a["category_id"] for a in document["annotations"]])
        self.assertEqual([c["name"] for c in document["categories"]], list(result.names))
        try:
            import pandas
        except ImportError:
            with self.assertRaisesRegex(ImportError, "to_df.* needs pandas"):
                result.to_df()
            return
        expected = pandas.read_csv(io.StringIO(command("csv"))).drop(columns=["frame", "timestamp"])
        pandas.testing.assert_frame_equal(result.to_df(), expected, check_dtype=False, atol=0.006)
        self.assertEqual(len(y10.to_df([result, self.expected])), 2 * len(expected))

    @unittest.skipUnless(COCO_MODEL.exists() and COCO_TRUTH.exists(), "there is no model of COCO")
    def test_coco_ids(self):
        """Those of COCO's own annotations, by the names of the classes."""
        truth = {c["name"]: c["id"] for c in json.loads(COCO_TRUTH.read_text())["categories"]}
        with y10.Model(COCO_MODEL, input_size=64) as model:
            result = y10.Result(np.zeros(80, y10.DETECTION), model._weights, 64, 64, None, None)
            result.array["class_id"] = np.arange(80)
            self.assertEqual([e["category_id"] for e in result.to_coco(1)], [truth[n] for n in model.names])

    def test_names(self):
        """Class names that do not fit are told of."""
        weights = (ROOT / "models/codes.safetensors").read_bytes()
        size = int.from_bytes(weights[:8], "little")
        header = json.loads(weights[8:8 + size])
        header["__metadata__"]["names"] = "('ball',)"
        text = json.dumps(header).encode()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "short.safetensors")
            path.write_bytes(len(text).to_bytes(8, "little") + text + weights[8 + size:])
            with self.assertWarnsRegex(UserWarning, "short.safetensors.* 1 name; expected one for each of 7"):
                model = y10.Model(path, input_size=64)
            self.assertEqual(model.names[:2], ("ball", "class 1"))
            model.close()

    def test_lists(self):
        results = self.model.detect([pixels(), PICTURE, pixels()[:200]])
        self.assert_same(results[0])
        self.assert_same(results[1])
        self.assertEqual(results[2].height, 200)
        self.assertEqual(self.model.detect([]), [])

    def test_views(self):
        result = self.expected
        self.assertEqual(result.xyxy.shape, (len(result), 4))
        self.assertTrue(np.shares_memory(result.xyxy, result.array))
        np.testing.assert_array_equal(result.xyxy[:, 2], result.array["x1"])
        self.assertTrue((np.diff(result.confidence) <= 0).all())
        self.assertEqual(result.labels[0], self.model.names[result.class_id[0]])

    def test_limits(self):
        first = int(self.expected.class_id[0])
        result = self.model.detect(pixels(), classes=[first])
        self.assertEqual(set(result.class_id), {first})
        result = self.model.detect(pixels(), confidence=1, class_confidence={first: 0.25})
        np.testing.assert_array_equal(
            result.array, self.expected.array[self.expected.class_id == first])
        self.assertEqual(len(self.model.detect(pixels(), max_detections=2)), 2)

    def test_errors(self):
        with self.assertRaisesRegex(y10.Error, "nowhere.pt.*no such file"):
            y10.Model("nowhere.pt")
        for bad in (np.zeros((4, 4), np.float32), 5, None):
            with self.assertRaises(TypeError):
                self.model.detect(bad)
        for bad in (np.zeros((4, 4, 2), np.uint8), np.zeros((0, 4, 3), np.uint8)):
            with self.assertRaises(ValueError):
                self.model.detect(bad)
        with self.assertRaisesRegex(ValueError, "no class 'zebra'"):
            self.model.detect(pixels(), classes=["zebra"])
        # C would read these up to the NUL, and open the file in front of it.
        for path, labels in (("a.pt\0x", None), (None, "labels.txt\0")):
            with self.assertRaisesRegex(ValueError, "NUL"):
                y10.Model(path, labels=labels)
        with self.assertRaisesRegex(ValueError, "NUL"):
            self.expected.to_json("a\0b")
        with self.assertRaisesRegex(TypeError, "no argument 'conf'; did you mean confidence"):
            self.model.detect(pixels(), conf=0.5)
        for name, says in (("imgsz", "input_size"), ("conf", "confidence, an argument of detect"),
                           ("iou", "iou, an argument of detect"), ("weights", "path")):
            with self.assertRaisesRegex(TypeError, f"no argument '{name}'; did you mean {says}"):
                y10.Model(**{name: 1})
        with self.assertRaisesRegex(TypeError, "backend"):
            y10.Model(device="cuda:0")
        with self.assertRaisesRegex(y10.Error, "confidence is 2"):
            self.model.detect(pixels(), confidence=2)
        closed = y10.Model()
        closed.close()
        closed.close()
        with self.assertRaisesRegex(RuntimeError, "closed"):
            closed.detect(pixels())

    def test_plot(self):
        """Edges of the best box in its colour, all else as it was; from a path, an array, BGR."""
        image, result = pixels(), self.model.detect(PICTURE, max_detections=1)
        drawn = result.plot()
        self.assertEqual((drawn.shape, drawn.dtype), (image.shape, np.uint8))
        x0, y0, x1, y1 = (int(v) for v in result.xyxy[0])
        middle = drawn[(y0 + y1) // 2, x0]
        self.assertFalse((image[(y0 + y1) // 2, x0] == middle).all())
        self.assertTrue((drawn[y1, (x0 + x1) // 2] == middle).all())
        changed = np.argwhere((drawn != image).any(axis=2))
        self.assertGreaterEqual(changed[:, 0].max(), y1 - 1)
        self.assertLess(len(changed), image.shape[0] * image.shape[1] / 4)
        for other in (result.plot(image), result.plot(image[:, :, ::-1], "BGR")):
            self.assertTrue((other == drawn).all())
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "drawn.png")
            result.save(path)
            self.assertTrue((np.asarray(Image.open(path)) == drawn).all())
        with self.assertRaisesRegex(ValueError, "takes the image"):
            self.model.detect(image).plot()
        with self.assertRaisesRegex(ValueError, "the result is of one with"):
            result.plot(image[:-1])

    @unittest.skipUnless(Y10, "Y10 is not set")
    def test_val(self):
        """All that was found is right if it is the labels; what Ultralytics calls arguments."""
        result = self.model.detect(PICTURE, confidence=0.001)
        entries = result.to_coco("a picture")
        self.assertEqual(len(entries), len(result))
        x0, y0, x1, y1 = result.xyxy[0]
        self.assertTrue(np.allclose(entries[0]["bbox"], [x0, y0, x1 - x0, y1 - y0]))
        self.assertEqual(entries[0]["category_id"], result.class_id[0] + 1)
        only = result.to_coco(1, {"qr-code": 7})
        self.assertEqual({e["category_id"] for e in only}, {7})
        self.assertEqual(len(only), result.labels.count("qr-code"))
        with tempfile.TemporaryDirectory() as folder:
            data, found = pathlib.Path(folder, "data.json"), pathlib.Path(folder, "found.json")
            data.write_text(json.dumps({
                "images": [{"id": 1, "file_name": PICTURE}, {"id": 2, "file_name": "none.png"}],
                "categories": [{"id": 7, "name": "qr-code"}],
                "annotations": [dict(e, id=i + 1, iscrowd=0) for i, e in enumerate(only[:1])]}))
            found.write_text(json.dumps(only))
            out = y10.val(data, detections=found, command=Y10)
            self.assertAlmostEqual(out["ap"], 1)
            if reads_pictures():
                with self.assertWarnsRegex(RuntimeWarning, "none.png"):
                    again = y10.val(data, command=Y10)
                self.assertEqual((again["pictures"], again["unread"]), (1, 1))
                self.assertAlmostEqual(again["ap50"], 1)
                with self.assertWarns(RuntimeWarning):
                    few = y10.val(data, command=Y10, classes="qr-code", confidence=0.5,
                                  max_detections=1, class_agnostic_nms=True)
                self.assertEqual(few["detections"], 1)
            else:
                with self.assertRaisesRegex(RuntimeError, "built without gdk-pixbuf"):
                    y10.val(data, command=Y10)
            with self.assertRaisesRegex(RuntimeError, "found.json: is no list|has no list"):
                y10.val(found, command=Y10)
        with self.assertRaisesRegex(TypeError, "no argument 'imgsz'; did you mean size"):
            y10.val("x", imgsz=640)
        with self.assertRaisesRegex(FileNotFoundError, "the argument command takes its path"):
            y10.val("x", command="/nowhere/y10")

    def test_threads(self):
        image, wrong = pixels(), []

        def work():
            for _ in range(5):
                if not np.array_equal(self.model.detect(image).array, self.expected.array):
                    wrong.append(1)

        threads = [threading.Thread(target=work) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_fork(self):
        pid = os.fork()
        if pid == 0:
            try:
                self.model.detect(pixels())
            except RuntimeError as error:
                os._exit(0 if "fork" in str(error) else 2)
            os._exit(1)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0)
        self.assert_same(self.model.detect(pixels()))

    def test_ctrl_c(self):
        """While other threads keep the only slot busy, which detect waits for."""
        script = (
            "import threading, numpy, y10\n"
            "model = y10.Model(backend='ref', n_slots=1, input_size=640)\n"
            "image = numpy.zeros((640, 640, 3), numpy.uint8)\n"
            "for _ in range(3):\n"
            "    threading.Thread(target=lambda: model.detect([image] * 100), daemon=True).start()\n"
            "print('ready', flush=True)\n"
            "try:\n"
            "    model.detect([image] * 100)\n"
            "except KeyboardInterrupt:\n"
            "    print('interrupted', flush=True)\n"
            "    import os; os._exit(0)\n")
        process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
        self.assertEqual(process.stdout.readline(), "ready\n")
        time.sleep(0.5)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.communicate(timeout=60)[0], "interrupted\n")
        self.assertLess(time.monotonic() - began, 30)

    def beside(self, module, code):
        """Detects in one process with @module, which brings its own GLib or OpenMP."""
        if subprocess.run([sys.executable, "-c", f"import {module}"],
                          stderr=subprocess.DEVNULL).returncode:
            self.skipTest(f"{sys.executable} has no {module}")
        for imports in (f"import {module}, y10", f"import y10, {module}"):
            script = (f"{imports}\n{code}\nresult = y10.Model().detect({PICTURE!r})\n{code}\n"
                      "print(len(result))\n")
            done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(int(done.stdout), len(self.expected))

    def test_beside_pygobject(self):
        self.beside("gi", "from gi.repository import GLib, Gio; Gio.Cancellable().cancel(); "
                          "GLib.MainContext.default().iteration(False)")

    def test_beside_torch(self):
        self.beside("torch", "(torch.zeros(256, 256) @ torch.zeros(256, 256)).sum().item()")

    def test_supervision(self):
        try:
            import supervision
        except ImportError:
            self.skipTest("supervision is not installed")
        result = self.expected
        detections = supervision.Detections(xyxy=result.xyxy, confidence=result.confidence,
                                            class_id=result.class_id)
        self.assertEqual(len(detections), len(result))
        np.testing.assert_array_equal(detections.xyxy, result.xyxy)


if __name__ == "__main__":
    unittest.main(verbosity=2)
