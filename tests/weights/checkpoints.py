#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Compares weights files in every form that Ultralytics and torch.save() write with a safetensors
file of the same weights.

usage: checkpoints.py Y10 PICTURE [KEPT_DIR]

Needs PyTorch, Ultralytics and onnx. For each file, the output of `y10 detect` in fp32 must equal,
byte for byte, that for the safetensors file, which this script writes itself.
"""

import copy
import datetime
import functools
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

try:
    import numpy
    import onnx
    import torch
    import ultralytics
    from ultralytics import YOLO
    from ultralytics.nn.tasks import DetectionModel
except ImportError as error:
    print(f"SKIP: {error}")
    sys.exit(77)

CLASSES = 3
DTYPES = {torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16"}
HEADS = {"one2one": ("one2one_cv2.", "one2one_cv3."), "one2many": (".cv2.", ".cv3.")}


def seeded(variant):
    """A network whose activations keep their magnitude, so that it finds objects."""
    torch.manual_seed(10)
    model = DetectionModel(f"{variant}.yaml", ch=3, nc=CLASSES, verbose=False)
    for module in model.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            torch.nn.init.uniform_(module.weight, 0.8, 1.6)
            torch.nn.init.uniform_(module.bias, -0.3, 0.3)
            module.running_mean.uniform_(-0.1, 0.1)
            module.running_var.uniform_(0.5, 1.5)
    head = model.model[-1]
    for branches in (head.cv3, head.one2one_cv3):
        for branch in branches:
            torch.nn.init.normal_(branch[-1].weight, 0, 0.5)
            torch.nn.init.constant_(branch[-1].bias, -2)
    model.names = {i: f"thing {i}" for i in range(CLASSES)}
    model.args = {"imgsz": 320, "model": f"{variant}.yaml", "task": "detect"}
    return model.eval()


def write_safetensors(state, path):
    header, data = {"__metadata__": {
        "names": json.dumps([f"thing {i}" for i in range(CLASSES)]), "imgsz": "320"}}, b""
    for name, tensor in state.items():
        if tensor.dtype not in DTYPES:
            continue
        raw = tensor.detach().contiguous().flatten().view(torch.uint8 if tensor.dtype
            == torch.uint8 else torch.int16 if tensor.element_size() == 2
            else torch.int32).numpy().tobytes()
        header[name] = {"dtype": DTYPES[tensor.dtype], "shape": list(tensor.shape),
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def checkpoint(**fields):
    """The files of the trainer and of strip_optimizer()."""
    return {"epoch": -1, "best_fitness": None, "model": None, "ema": None, "updates": None,
            "optimizer": None, "scaler": None, "train_args": {"imgsz": 320},
            "train_metrics": {}, "train_results": {}, "date": datetime.datetime.now().isoformat(),
            "version": ultralytics.__version__, "license": "AGPL-3.0", "docs": "", **fields}


def train(folder, pictures, variant="yolov10n"):
    """best.pt and last.pt of a real training run, of one epoch on a few pictures."""
    data = folder / f"data-{variant}"
    for name in ("images", "labels"):
        (data / name).mkdir(parents=True)
    for i, picture in enumerate(pictures):
        shutil.copy(picture, data / "images" / f"{i}.png")
        (data / "labels" / f"{i}.txt").write_text(f"{i % CLASSES} 0.5 0.5 0.3 0.4\n")
    names = "".join(f"  {i}: thing {i}\n" for i in range(CLASSES))
    (data / "data.yaml").write_text(f"path: {data}\ntrain: images\nval: images\nnames:\n{names}")
    YOLO(f"{variant}.yaml").train(data=data / "data.yaml", epochs=1, imgsz=320, batch=2, workers=0,
                                project=data / "runs", plots=False, verbose=False,
                                device="cpu", amp=False)
    for path in sorted((data / "runs").rglob("*.pt")):
        saved = torch.load(path)
        reference = path.with_suffix(".safetensors")
        write_safetensors((saved.get("ema") or saved["model"]).state_dict(), reference)
        yield path, reference


def files(variant, folder):
    """(file, reference, the heads to compare)"""
    model = seeded(variant)
    half, bf16 = copy.deepcopy(model).half(), copy.deepcopy(model).bfloat16()
    fused = copy.deepcopy(model)
    fused.fuse(verbose=False)
    references = {}
    for name, of in {"f32": model, "f16": half, "bf16": bf16, "fused": fused}.items():
        references[name] = folder / f"{variant}-{name}.safetensors"
        write_safetensors(of.state_dict(), references[name])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    for p in model.parameters():
        p.grad = torch.zeros_like(p)
    optimizer.step()
    state = model.state_dict()
    made = {
        "best.pt": (checkpoint(model=half), "f16"),
        "last.pt": (checkpoint(ema=half, updates=5, optimizer=optimizer.state_dict(), epoch=3), "f16"),
        "bf16.pt": (checkpoint(model=bf16), "bf16"),
        "fused.pt": (checkpoint(model=fused), "fused"),
        "module.pt": (model, "f32"),
        "parallel-module.pt": (torch.nn.DataParallel(copy.deepcopy(model)), "f32"),
        "channels-last.pt": (copy.deepcopy(model).to(memory_format=torch.channels_last), "f32"),
        "state.pth": (state, "f32"),
        "state-model.pth": ({"model": state}, "f32"),
        "state-nested.pth": ({"state_dict": state, "epoch": 1}, "f32"),
        "state-parallel.pth": (torch.nn.DataParallel(copy.deepcopy(model)).state_dict(), "f32"),
        "parameter.pth": (dict(model.named_parameters()) | dict(model.named_buffers()), "f32"),
    }
    for name, (what, reference) in made.items():
        path = folder / f"{variant}-{name}"
        torch.save(what, path)
        yield path, references[reference]
    for protocol in (3, 4):
        path = folder / f"{variant}-protocol{protocol}.pt"
        torch.save(checkpoint(model=half), path, pickle_protocol=protocol)
        yield path, references["f16"]


EXPORTS = {
    "one2many": ({"end2end": False}, "one2many"), "one2one": ({"end2end": True}, "one2one"),
    "nms": ({"end2end": False, "nms": True}, "one2many"), "default": ({}, "one2many"),
    "dynamic": ({"dynamic": True}, "one2many"), "simple": ({"simplify": True}, "one2many"),
    "dynamic-one2one": ({"end2end": True, "dynamic": True, "simplify": True}, "one2one"),
    "rectangle": ({"imgsz": (256, 384)}, "one2many"), "batch": ({"batch": 4}, "one2many"),
    "batch-one2one": ({"batch": 4, "end2end": True, "simplify": True}, "one2one"),
    "half": ({"half": True}, "one2many"), "nms-half": ({"nms": True, "half": True}, "one2many"),
    **{f"opset{n}": ({"opset": n}, "one2many") for n in range(11, 21)},
}
# yolov10m has other layers, but no kind of node that yolov10n lacks, so that options
# change both alike; and each of its exports takes six times as long.
VARIANTS = {
    "yolov10n": EXPORTS,
    "yolov10m": ("one2many", "one2one"),
}


def exports(variant, folder):
    """(file, head) of ONNX files that Ultralytics exports."""
    for name in VARIANTS[variant]:
        options, head = EXPORTS[name]
        path = folder / f"{variant}-{name}.onnx"
        options = {"format": "onnx", "imgsz": 320, "simplify": False, "opset": 16,
                   "verbose": False, **options}
        try:
            made = YOLO(folder / f"{variant}-last.pt").export(**options)
        except Exception as error:  # not in this version of PyTorch
            print(f"       {path.name}: {str(error)[:80]}")
            continue
        shutil.move(made, path)
        yield path, head


def module_of(node):
    """/model.23/cv3.0/cv3.0.0/cv3.0.0.1/conv/Conv is model.23.cv3.0.0.1.conv."""
    parts, last = [], "/"
    for part in node.name.split("/")[1:-1]:
        if part == "model":
            continue
        if part.startswith(last + "."):
            parts[-1] += part[len(last):]
        else:
            parts.append(part)
        last = part
    return ".".join(parts)


def write_reference(path, head, reference):
    """The weights of an export, read by onnx, as safetensors."""
    graph = onnx.load(path).graph
    constants = {t.name: onnx.numpy_helper.to_array(t) for t in graph.initializer}
    constants.update({n.output[0]: onnx.numpy_helper.to_array(n.attribute[0].t)
                      for n in graph.node if n.op_type == "Constant" and n.attribute[0].HasField("t")})
    for node in graph.node:
        if node.op_type == "Identity" and node.input[0] in constants:
            constants[node.output[0]] = constants[node.input[0]]
    state = {}
    for node in graph.node:
        if node.op_type != "Conv" or ".dfl" in module_of(node):
            continue
        module = module_of(node).replace("one2one_", "")
        if head == "one2one" and module.startswith("model.23."):
            module = module.replace("model.23.", "model.23.one2one_")
        for leaf, name in zip(("weight", "bias"), node.input[1:]):
            state[f"{module}.{leaf}"] = torch.from_numpy(numpy.array(constants[name]))
    write_safetensors(state, reference)


def node_before(graph, conv):
    """The node whose output the convolution of a module reads."""
    node = next(n for n in graph.node if n.op_type == "Conv" and module_of(n) == conv)
    return node, next((n for n in graph.node if node.input[0] in n.output), None)


def swap_concat(graph):
    _conv, node = node_before(graph, "model.13.cv1.conv")
    first, second = node.input[:2]
    node.input[0], node.input[1] = second, first
    return node


def relu(graph):
    node = next(n for n in graph.node if n.op_type == "Mul" and n.name.startswith("/model.3/act"))
    node.op_type = "Relu"
    del node.input[1:]
    return node


def linear(graph):
    node = next(n for n in graph.node if n.op_type == "Resize")
    next(a for a in node.attribute if a.name == "mode").s = b"linear"
    return node


def no_residual(graph):
    node = next(n for n in graph.node if n.op_type == "Add" and n.name.startswith("/model.4/m.0"))
    node.op_type = "Identity"
    del node.input[0]
    return node_before(graph, "model.4.m.1.cv1.conv")[1] or node


def insert(graph, *nodes):
    """Inserts a node before the first convolution."""
    conv = next(n for n in graph.node if n.op_type == "Conv")
    for node in reversed(nodes):
        graph.node.insert(0, node)
    conv.input[0] = nodes[-1].output[0]
    return nodes[-1]


def divide(graph):
    graph.initializer.append(onnx.numpy_helper.from_array(numpy.float32(255), "by255"))
    return insert(graph, onnx.helper.make_node("Div", [graph.input[0].name, "by255"], ["scaled"],
                                               name="/Div255"))


def swap_channels(graph):
    graph.initializer.append(onnx.numpy_helper.from_array(numpy.array([2, 1, 0]), "bgr"))
    return insert(graph, onnx.helper.make_node("Gather", [graph.input[0].name, "bgr"], ["rgb"],
                                               name="/Gather_bgr", axis=1))


def quantise(graph):
    graph.initializer.extend([onnx.numpy_helper.from_array(numpy.float32(0.01), "q_scale"),
                              onnx.numpy_helper.from_array(numpy.uint8(0), "q_zero")])
    first = onnx.helper.make_node("QuantizeLinear", [graph.input[0].name, "q_scale", "q_zero"],
                                  ["q"], name="/QuantizeLinear_0")
    insert(graph, first, onnx.helper.make_node("DequantizeLinear", ["q", "q_scale", "q_zero"],
                                               ["dq"], name="/DequantizeLinear_0"))
    return first


def stride(graph):
    node = next(n for n in graph.node if n.op_type == "Conv" and module_of(n) == "model.2.m.0.cv1.conv")
    next(a for a in node.attribute if a.name == "dilations").ints[:] = [2, 2]
    next(a for a in node.attribute if a.name == "pads").ints[:] = [2, 2, 2, 2]
    return node


def softmax(graph):
    node = next(n for n in graph.node if n.op_type == "Softmax")
    next(a for a in node.attribute if a.name == "axis").i = 2
    return node_before(graph, "model.10.attn.proj.conv")[1]


COUNTER_TESTS = (swap_concat, relu, linear, no_residual, divide, swap_channels, quantise, stride,
                 softmax)


def run(*command):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True)


@functools.cache
def detections(y10, weights, head, picture, confidence=0.01):
    result = run(y10, "detect", "--model", weights, "--precision", "fp32", "--backend",
                 "cpu", "--threads", 1, "--head", head, "--confidence", confidence, "--size", 320,
                 "--labels", next(p for p in (f / "names.txt" for f in weights.parents)
                                  if p.exists()), picture)
    if result.returncode:
        return f"exit {result.returncode}: {result.stderr.strip()}"
    return result.stdout


def has_head(path, head):
    result = run(sys.argv[1], "info", "--json", path)
    return head in json.loads(result.stdout)["heads"] if result.returncode == 0 else True


def main():
    y10, picture = sys.argv[1], sys.argv[2]
    print(f"PyTorch {torch.__version__}, Ultralytics {ultralytics.__version__}")
    failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(sys.argv[3] if len(sys.argv) > 3 else temporary)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "names.txt").write_text("".join(f"thing {i}\n" for i in range(CLASSES)))
        for variant in VARIANTS:
            for path, reference in files(variant, folder):
                for head in ("one2one", "one2many"):
                    if not has_head(reference, head):
                        continue
                    expected = detections(y10, reference, head, picture)
                    found = detections(y10, path, head, picture)
                    n = expected.count('"roi_type"')
                    ok = found == expected and n > 0
                    failed += not ok
                    print(f"{'ok' if ok else 'FAILED':6} {path.name:28} {head:9} {n:4} rows"
                          + ("" if ok else f" {found[:300]}"))
        for path, reference in train(folder, [picture] * 4):
            info = json.loads(run(y10, "info", "--json", path).stdout)
            ok = info["classes"] == [f"thing {i}" for i in range(CLASSES)] \
                and info["input"] == {"width": 320, "height": 320} \
                and all(detections(y10, path, head, picture, 0.0001)
                        == detections(y10, reference, head, picture, 0.0001)
                        for head in ("one2one", "one2many"))
            failed += not ok
            print(f"{'ok' if ok else 'FAILED':6} trained {path.name}")
        for variant in VARIANTS:
            for path, head in exports(variant, folder):
                reference = path.with_suffix(".safetensors")
                write_reference(path, head, reference)
                expected = detections(y10, reference, head, picture)
                found = detections(y10, path, "auto", picture)
                n = expected.count('"roi_type"')
                ok = found == expected and n > 0
                failed += not ok
                print(f"{'ok' if ok else 'FAILED':6} {path.name:28} {head:9} {n:4} rows"
                      + ("" if ok else f" {found[:300]}"))
        for change in COUNTER_TESTS:
            model = onnx.load(folder / "yolov10n-one2many.onnx")
            node = change(model.graph)
            path = folder / f"{change.__name__}.onnx"
            onnx.save(model, path)
            result = run(y10, "info", path)
            ok = result.returncode == 3 and f'node "{node.name}"' in result.stderr
            failed += not ok
            print(f"{'ok' if ok else 'FAILED':6} {result.stderr.strip()}"
                  + ("" if ok else f" expected {node.name}"))
        for variant in ("yolov9t", "yolo12n"):
            try:
                model = DetectionModel(f"{variant}.yaml", ch=3, nc=CLASSES, verbose=False)
            except Exception as error:  # this version of Ultralytics lacks it
                print(f"       {variant}: {str(error)[:60]}")
                continue
            path = folder / f"{variant}.pt"
            torch.save(checkpoint(model=model.half()), path)
            result = run(y10, "info", path)
            named = variant[:-1].replace("yolov", "YOLOv").replace("yolo", "YOLO")
            ok = result.returncode == 3 and f"is a {named}; expected" in result.stderr
            failed += not ok
            print(f"{'ok' if ok else 'FAILED':6} {result.stderr.strip()}")
        model = seeded("yolov10n")
        path = folder / "legacy.pth"
        torch.save(model.state_dict(), path, _use_new_zipfile_serialization=False)
        other = copy.deepcopy(model)
        other.model[2].cv1.act = torch.nn.ReLU()
        torch.save(other, folder / "relu.pt")
        other = copy.deepcopy(model)
        other.model[0].bn.eps = 1e-5
        torch.save(other, folder / "eps.pt")
        torch.jit.script(torch.nn.Conv2d(1, 1, 1)).save(str(folder / "script.pt"))
        for name, words in {"legacy.pth": "before 1.6", "relu.pt": '"model.2.cv1" has the activation '
                            'ReLU; expected SiLU', "eps.pt": 'model.0.bn" has eps 1e-05',
                            "script.pt": "TorchScript"}.items():
            result = run(y10, "info", folder / name)
            ok = result.returncode == 3 and words in result.stderr
            failed += not ok
            print(f"{'ok' if ok else 'FAILED':6} {result.stderr.strip()}")
    print(f"{failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    os.environ.setdefault("YOLO_VERBOSE", "false")
    sys.exit(main())
