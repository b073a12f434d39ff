#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Compares each layer, the predictions and the rows of the families with Ultralytics' own code on
the same weights, and tries what is refused.

usage: families.py Y10 GOLDEN SEEDED PICTURE [VARIANT…]     (default: n of each family; other
                                                             sizes take minutes each)
       families.py --write DIRECTORY SEEDED

Needs PyTorch, Ultralytics and onnx. The weights are seeded, those of the smallest sizes also from
a training of a few steps; the formats are .pt, ONNX and safetensors. --write writes the golden
and shapes files in tests/data.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

os.environ.setdefault("YOLO_VERBOSE", "false")
try:
    import numpy
    import torch
    import torchvision  # noqa: F401, Ultralytics' NMS takes it
    import ultralytics
    from ultralytics import YOLO
    from ultralytics.nn import tasks
    from ultralytics.nn.tasks import DetectionModel
    from ultralytics.utils.nms import non_max_suppression
except ImportError as error:
    print(f"SKIP: {error}")
    sys.exit(77)

import checkpoints

N_ROWS, CONFIDENCE, IOU, N_SAMPLES = 300, 0.001, 0.7, 48
SKIPPED = 77  # of golden, on a machine that does not have the precision
FAMILIES = ("yolov8", "yolo11", "yolo26")


def uniform(name, n):
    """The recipe of tests/common/seeded.c, seed 0."""
    h = 0xCBF29CE484222325
    for byte in name.encode():
        h = (h ^ byte) * 0x100000001B3 & (1 << 64) - 1
    with numpy.errstate(over="ignore"):
        z = numpy.arange(n, dtype=numpy.uint64) + numpy.uint64(h) + numpy.uint64(0x9E3779B97F4A7C15)
        z = (z ^ z >> numpy.uint64(30)) * numpy.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ z >> numpy.uint64(27)) * numpy.uint64(0x94D049BB133111EB)
        z = z ^ z >> numpy.uint64(31)
    return ((z >> numpy.uint64(40)).astype(numpy.float64) / 2**23 - 1).astype(numpy.float32)


def images(height, width):
    values = (uniform("images", 3 * height * width) + numpy.float32(1)) / numpy.float32(2)
    return torch.from_numpy(values.reshape(1, 3, height, width))


def number(value):
    return float(f"{value:.9g}")


def sample(tensor):
    flat = tensor.detach().double().flatten()
    index = numpy.linspace(0, flat.numel() - 1, min(N_SAMPLES, flat.numel())).astype(int).tolist()
    return {"shape": list(tensor.shape), "mean": flat.mean().item(), "std": flat.std().item(),
            "norm": flat.norm().item(), "index": index,
            "value": [number(v) for v in flat[index].tolist()]}


def rows(found):
    return [[number(v) for v in row[:5]] + [int(row[5])] for row in found.tolist()]


@torch.inference_mode()
def golden(model, variant, height, width, head_name, confidence=CONFIDENCE):
    """What Ultralytics computes, in the form of tests/data/*.golden.json."""
    layers, head = {}, model.model[-1]
    hooks = [layer.register_forward_hook(lambda _m, _x, y, i=i: layers.update({i: sample(y)}))
             for i, layer in enumerate(model.model[:-1])]
    inputs = []
    hooks.append(head.register_forward_hook(lambda _m, x, _y: inputs.append(x[0])))
    model.eval()(images(height, width))
    for hook in hooks:
        hook.remove()
    raw = head.forward_head(inputs[0], **getattr(head, head_name))
    head.end2end = False
    pred = head._inference(raw)      # [1, cx cy w h + scores, anchors]
    out = {"family": variant[:-1], "variant": variant[-1], "input": [1, 3, height, width],
           "nc": head.nc, "seed": 0, "computed_by": f"Ultralytics {ultralytics.__version__}",
           "layers": {str(i): layers[i] for i in sorted(layers)},
           "pred": sample(pred[0].permute(1, 0))}
    if head_name == "one2one":
        head.end2end = True
        best = head.postprocess(head._inference(raw).permute(0, 2, 1))[0]
        best[:, 2:4] -= best[:, :2].clone()
        best[:, :2] += best[:, 2:4] / 2
        out["detections"] = {"format": "cx cy w h score class, input pixels",
                             "rows": rows(best)}
    else:
        nms = {name: non_max_suppression(pred.clone(), confidence, IOU, agnostic=agnostic,
                                         max_det=N_ROWS)[0]
               for name, agnostic in (("class_aware", False), ("agnostic", True))}
        out.update(head="one2many", confidence=confidence, iou=IOU,
                   **{name: rows(found) for name, found in nms.items()})
    return out


def heads(model):
    head = model.model[-1]
    return ("one2one", "one2many") if hasattr(head, "one2one_cv2") else ("one2many",)


def empty(variant, classes=3):
    torch.manual_seed(10)
    model = DetectionModel(f"{variant}.yaml", ch=3, nc=classes, verbose=False)
    model.names = {i: f"thing {i}" for i in range(classes)}
    model.args = {"imgsz": 320, "model": f"{variant}.yaml", "task": "detect"}
    return model.eval()


def seed(model, seeded, shapes, weights):
    """Fills @model with seeded weights; writes their shapes and values."""
    state = {name: t for name, t in model.state_dict().items() if t.is_floating_point()}
    shapes.write_text(json.dumps({name: list(t.shape) for name, t in state.items()},
                                 separators=(",", ":")) + "\n")
    subprocess.run([seeded, shapes, weights], check=True, stdout=subprocess.DEVNULL)
    data = weights.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    for name, entry in json.loads(data[8:start]).items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            values = numpy.frombuffer(data[start + begin:start + end], "<f4")
            state[name].copy_(torch.from_numpy(values.copy()).reshape(entry["shape"]))
    return model


def write(directory, seeded):
    for family in FAMILIES:
        variant, classes = family + "n", 3
        model = empty(variant, classes)
        shapes = directory / f"{variant}-nc{classes}.shapes.json"
        with tempfile.TemporaryDirectory() as temporary:
            seed(model, seeded, shapes, pathlib.Path(temporary) / "seeded.safetensors")
        for head in heads(model):
            suffix = ".one2many" if head == "one2many" else ""
            path = directory / f"{variant}-nc{classes}-320x320-seed0{suffix}.golden.json"
            path.write_text(json.dumps(golden(model, variant, 320, 320, head),
                                       separators=(",", ":")) + "\n")


class Run:
    def __init__(self, y10, golden_tool, seeded, picture, folder):
        self.y10, self.golden, self.seeded, self.picture = y10, golden_tool, seeded, picture
        self.folder, self.failed = folder, 0
        (folder / "names.txt").write_text("".join(f"thing {i}\n" for i in range(3)))

    def report(self, ok, what, text):
        self.failed += not ok
        print(f"{'ok' if ok else 'FAILED':6} {what:34} {text}", flush=True)

    def compare(self, what, weights, expected, *options):
        result = subprocess.run([self.golden, "--quiet", "--weights", weights, *options, expected],
                                capture_output=True, text=True)
        line = next((line for line in result.stdout.splitlines() if ", worst " in line), "")
        if result.returncode == SKIPPED and "bf16" in options:
            print(f"skip   {what:34} this CPU has no bf16")
            return
        self.report(result.returncode == 0, what, line[line.find("worst"):]
                    or result.stdout[-600:] + result.stderr[-600:])

    def variant(self, variant):
        weights = self.folder / f"{variant}.safetensors"
        model = seed(empty(variant), self.seeded, self.folder / f"{variant}.shapes.json", weights)
        checkpoint = self.save(variant, model)
        self.files(variant, model, {"pt": checkpoint, "safetensors": weights})
        info = self.info(checkpoint)
        self.report(info.get("variant") == variant, f"{variant} name", str(info.get("variant")))
        if not variant.endswith("n"):
            return
        exports = {name: self.export(checkpoint, name) for name in EXPORTS}
        self.files(variant, model, {name: path for name, path in exports.items() if path})
        self.files(variant, model, {f"converted {path.suffix[1:]}": self.convert(path)
                                    for path in (checkpoint, exports["default"])})
        if not variant.startswith("yolo26"):
            self.linear_sppf(variant, model)

    def save(self, name, model):
        path = self.folder / f"{name}.pt"
        torch.save(checkpoints.checkpoint(model=model), path)
        return path

    def export(self, checkpoint, name):
        options = {"format": "onnx", "imgsz": 320, "simplify": False, "opset": 16, "verbose": False}
        path = checkpoint.with_name(f"{checkpoint.stem}-{name}.onnx")
        try:
            shutil.move(YOLO(checkpoint).export(**options | EXPORTS[name]), path)
        except Exception as error:  # not in this version of PyTorch, or of this family
            print(f"       {path.name}: {str(error)[:80]}")
            return None
        return path

    def convert(self, path):
        out = path.with_name(f"{path.stem}-{path.suffix[1:]}.safetensors")
        result = subprocess.run([self.y10, "convert", path, out], capture_output=True, text=True)
        self.report(result.returncode == 0, f"{path.name} convert", result.stderr.strip())
        return out

    def info(self, path):
        result = subprocess.run([self.y10, "info", "--json", path], capture_output=True, text=True)
        return json.loads(result.stdout) if result.returncode == 0 else {"error": result.stderr}

    def files(self, variant, model, files, confidence=CONFIDENCE, *options):
        for head in heads(model):
            expected = self.folder / f"{variant}-{head}.golden.json"
            expected.write_text(json.dumps(golden(model, variant, 320, 320, head, confidence)))
            for kind, path in files.items():
                info = self.info(path)
                if head not in info.get("heads", [head]):
                    continue
                for precision in ("fp32", "bf16") if kind == "pt" else ("fp32",):
                    self.compare(f"{variant} {kind} {head} {precision}", path, expected,
                                 "--precision", precision, "--backend", "cpu", *options)

    def linear_sppf(self, variant, model):
        """Some versions 8.4 of Ultralytics built all families so."""
        model.model[9].cv1.act = torch.nn.Identity()
        checkpoint = self.save(f"{variant}-linear", model)
        onnx = self.export(checkpoint, "default")
        self.files(variant, model, {
            "linear": checkpoint, "linear onnx": onnx, "linear converted": self.convert(checkpoint),
            "linear converted onnx": self.convert(onnx)})

    def trained(self, variant):
        """A training run's own file. The input is noise, which scores almost the same
        everywhere, so that NMS may keep any: the rows are those of the same logits."""
        for path, _reference in checkpoints.train(self.folder, [self.picture] * 4, variant):
            if path.name != "last.pt":
                continue
            saved = torch.load(path)
            model = (saved.get("ema") or saved["model"]).float().eval()
            self.files(variant, model, {f"trained {path.name}": path}, 1e-5, "--own-rows")

    def refused(self):
        for variant, kind, words in REFUSED:
            try:
                model = getattr(tasks, kind)(f"{variant}.yaml", ch=3, nc=3, verbose=False)
            except Exception as error:  # this version of Ultralytics lacks it
                print(f"       {variant}: {str(error)[:60]}")
                continue
            for form, saved in (("pt", checkpoints.checkpoint(model=model.half())),
                                ("state_dict", model.state_dict())):
                path = self.folder / f"{variant}-{form}.pt"
                torch.save(saved, path)
                message = self.info(path).get("error", "was read")
                ok = (f" {words}" if form == "pt" else "; expected ") in message
                self.report(ok and message.count("\n") == 1, f"{variant} {form}", message.strip())


# What they have besides the options of every export.
EXPORTS = {"default": {}, "one2many": {"end2end": False}, "one2one": {"end2end": True},
           "nms": {"end2end": False, "nms": True}, "dynamic": {"dynamic": True, "simplify": True},
           "batch": {"batch": 4}, "opset11": {"opset": 11}, "opset20": {"opset": 20}}

REFUSED = (
    ("yolov3", "DetectionModel", "YOLOv3u"), ("yolov5n", "DetectionModel", "YOLOv5u"),
    ("yolov9t", "DetectionModel", "YOLOv9"), ("yolo12n", "DetectionModel", "YOLO12"),
    ("yolov8n-p2", "DetectionModel", "YOLOv8-p2, with four levels"),
    ("yolov8n-p6", "DetectionModel", "YOLOv8-p6, with four levels"),
    ("yolo26n-p2", "DetectionModel", "YOLO26-p2, with four levels"),
    ("yolo26n-p6", "DetectionModel", "YOLO26-p6, with four levels"),
    ("rtdetr-l", "RTDETRDetectionModel", "RT-DETR"),
    *((f"{family}n-seg", "SegmentationModel", f"{title} for segmentation") for family, title in (
        ("yolov8", "YOLOv8"), ("yolo11", "YOLO11"), ("yolo26", "YOLO26"))),
    ("yolo11n-pose", "PoseModel", "YOLO11 for keypoints"),
    ("yolo26n-pose", "PoseModel", "YOLO26 for keypoints"),
    ("yolov8n-obb", "OBBModel", "YOLOv8 for oriented boxes"),
    ("yolo26n-obb", "OBBModel", "YOLO26 for oriented boxes"),
    ("yolo11n-cls", "ClassificationModel", "network for classification"),
    ("yolov8n-cls", "ClassificationModel", "network for classification"),
    ("yolov8s-worldv2", "WorldModel", "YOLOv8 for text prompts"),
    ("yoloe-11s", "YOLOEModel", "YOLO11 for text prompts"),
)


def main():
    if sys.argv[1] == "--write":
        return write(pathlib.Path(sys.argv[2]), sys.argv[3])
    print(f"PyTorch {torch.__version__}, Ultralytics {ultralytics.__version__}")
    with tempfile.TemporaryDirectory() as temporary:
        run = Run(*sys.argv[1:5], pathlib.Path(os.environ.get("KEEP", temporary)))
        for variant in sys.argv[5:] or [family + size for family in FAMILIES for size in "n"]:
            run.variant(variant)
        if len(sys.argv) == 5:
            for family in FAMILIES:
                run.trained(family + "n")
            run.refused()
    print(f"{run.failed} failed")
    return 1 if run.failed else 0


if __name__ == "__main__":
    sys.exit(main())
