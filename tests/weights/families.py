#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Compares each layer, the predictions and the rows of every family and size with Ultralytics'
own code on the same weights.

usage: families.py Y10 GOLDEN SEEDED PICTURE [VARIANT…]     (default: n and l of each family)
       families.py --write DIRECTORY SEEDED

Needs PyTorch, Ultralytics and onnx. The weights are seeded, those of the smallest sizes also from
a training of a few steps; the formats are .pt, ONNX and safetensors. --write writes the golden
and shapes files in tests/data.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

os.environ.setdefault("YOLO_VERBOSE", "false")
try:
    import numpy
    import torch
    import torchvision  # noqa: F401, Ultralytics' NMS takes it
    import ultralytics
    from ultralytics.nn.tasks import DetectionModel
    from ultralytics.utils.nms import non_max_suppression
except ImportError as error:
    print(f"SKIP: {error}")
    sys.exit(77)

import checkpoints

N_ROWS, CONFIDENCE, IOU, N_SAMPLES = 300, 0.001, 0.7, 48
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
def golden(model, variant, height, width, head_name):
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
        nms = {name: non_max_suppression(pred.clone(), CONFIDENCE, IOU, agnostic=agnostic,
                                         max_det=N_ROWS)[0]
               for name, agnostic in (("class_aware", False), ("agnostic", True))}
        out.update(head="one2many", confidence=CONFIDENCE, iou=IOU,
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
        self.report(result.returncode == 0, what, line[line.find("worst"):]
                    or result.stdout[-600:] + result.stderr[-600:])

    def variant(self, variant, size=320):
        folder = self.folder
        weights = folder / f"{variant}.safetensors"
        model = seed(empty(variant), self.seeded, folder / f"{variant}.shapes.json", weights)
        checkpoint = folder / f"{variant}.pt"
        torch.save(checkpoints.checkpoint(model=model), checkpoint)
        self.files(variant, model, {"pt": checkpoint, "safetensors": weights}, size)
        info = subprocess.run([self.y10, "info", "--json", checkpoint], capture_output=True, text=True)
        found = json.loads(info.stdout)["variant"] if info.returncode == 0 else info.stderr
        self.report(found == variant, f"{variant} name", found)

    def files(self, variant, model, files, size):
        for head in heads(model):
            expected = self.folder / f"{variant}-{head}.golden.json"
            expected.write_text(json.dumps(golden(model, variant, size, size, head)))
            for kind, path in files.items():
                for precision in ("fp32", "bf16") if kind == "pt" else ("fp32",):
                    self.compare(f"{variant} {kind} {head} {precision}", path, expected,
                                 "--precision", precision, "--backend", "cpu")


def main():
    if sys.argv[1] == "--write":
        return write(pathlib.Path(sys.argv[2]), sys.argv[3])
    print(f"PyTorch {torch.__version__}, Ultralytics {ultralytics.__version__}")
    with tempfile.TemporaryDirectory() as temporary:
        run = Run(*sys.argv[1:5], pathlib.Path(os.environ.get("KEEP", temporary)))
        for variant in sys.argv[5:] or [family + size for family in FAMILIES for size in "nl"]:
            run.variant(variant)
    print(f"{run.failed} failed")
    return 1 if run.failed else 0


if __name__ == "__main__":
    sys.exit(main())
