#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""The programs that compare.py measures beside y10, each in a process of its own, in the virtual
environment that compare.py makes.

  contenders.py measure TASK    measures one of them and prints the figures as JSON
  contenders.py prepare TASK    converts the network for one of them
  contenders.py rows TASK       prints what one finds in pictures, as y10 detect does

A task is JSON. "net" is the file that the contender reads: ONNX itself, or what prepare made of it.
The time to the first result counts from the moment at which the program and its libraries are loaded
and includes reading the file; so does y10's.

ncnn has no selection of the 300 best rows: its network ends before, at the boxes and scores of all
places, and the selection is left out of its times.
"""
import json
import os
import re
import statistics
import subprocess
import sys
import sysconfig
import time

WARM_UP_S = 0.7
ROWS = 300


def p95(times):
    """The 95th percentile of a sorted list, by the nearest rank."""
    return times[max(0, -(-95 * len(times) // 100) - 1)]


def read_ppm(path):
    """The synthetic picture as the tensor 1 x 3 x H x W in [0, 1]."""
    import numpy as np
    with open(path, "rb") as f:
        assert f.readline() == b"P6\n"
        width, height = map(int, f.readline().split())
        f.readline()
        pixels = np.frombuffer(f.read(), np.uint8).reshape(height, width, 3)
    return np.ascontiguousarray(pixels.transpose(2, 0, 1)[None].astype(np.float32) / np.float32(255))


def letterbox(path, size):
    """A picture as the tensor, and how to get back: scale, left, top, width, height."""
    import numpy as np
    from PIL import Image
    width, height = size
    with Image.open(path) as file:
        picture = file.convert("RGB")
    scale = min(width / picture.width, height / picture.height)
    w, h = round(picture.width * scale), round(picture.height * scale)
    left, top = (width - w) // 2, (height - h) // 2
    out = Image.new("RGB", size, (114, 114, 114))
    out.paste(picture.resize((w, h), Image.Resampling.BILINEAR, reducing_gap=None), (left, top))
    x = np.asarray(out, np.float32).transpose(2, 0, 1)[None] / np.float32(255)
    return np.ascontiguousarray(x), (scale, left, top, picture.width, picture.height)


def best_rows(found):
    """The 300 best of 1 x places x (4 + classes), boxes as centre and size, as rows."""
    import numpy as np
    places = found.reshape(-1, found.shape[-1])
    scores = places[:, 4:]
    best = np.argsort(-scores, axis=None, kind="stable")[:ROWS]
    place, label = np.unravel_index(best, scores.shape)
    centre, half = places[place, :2], places[place, 2:4] / 2
    return np.concatenate([centre - half, centre + half, scores[place, label][:, None],
                           label[:, None].astype(np.float32)], axis=1)


# --- one function for each: (run, version, precision, instructions); run() gives rows -------------

def make_ort(task):
    import onnxruntime as ort
    options = ort.SessionOptions()
    options.intra_op_num_threads = task["threads"]
    options.inter_op_num_threads = 1
    options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL

    def start():
        session = ort.InferenceSession(task["net"], options, providers=["CPUExecutionProvider"])
        name = session.get_inputs()[0].name
        return lambda x: session.run(None, {name: x})[0], "fp32", None
    return start, ort.__version__


def instructions_of(compiled):
    """The instruction set of most convolutions that OpenVINO has compiled, such as avx2; or None."""
    found = []
    for op in compiled.get_runtime_model().get_ordered_ops():
        info = {key: str(getattr(value, "value", value)) for key, value in op.get_rt_info().items()}
        if info.get("layerType") == "Convolution":
            found += re.findall("avx512_amx|avx512|avx2|avx|sse4[0-9]", info.get("primitiveType", ""))
    return statistics.mode(found) if found else None


def make_openvino(task):
    import openvino as ov

    def start():
        core = ov.Core()
        config = {"INFERENCE_NUM_THREADS": task["threads"], "PERFORMANCE_HINT": "LATENCY"}
        # Of the layers that are not quantized, also with int8.
        if task["precision"] in ("fp32", "int8"):
            config["INFERENCE_PRECISION_HINT"] = "f32"
        model = core.read_model(task["net"])
        model.reshape([1, 3, task["size"][1], task["size"][0]])
        compiled = core.compile_model(model, "CPU", config)
        request = compiled.create_infer_request()
        precision = compiled.get_property("INFERENCE_PRECISION_HINT").to_string()
        tensors = {}

        def run(x):
            if id(x) not in tensors:
                tensors.clear()
                tensors[id(x)] = ov.Tensor(x)        # shares the memory of x
                request.set_input_tensor(tensors[id(x)])
            request.infer()
            return request.get_output_tensor(0).data

        run.keep = (model, compiled)
        name = "int8" if task["precision"] == "int8" else precision.replace("f32", "fp32")
        return run, name, instructions_of(compiled)
    return start, ov.__version__.split("-")[0]


def make_ncnn(task):
    import ncnn
    import numpy as np

    def start():
        net = ncnn.Net()
        net.opt.num_threads = task["threads"]
        net.opt.use_fp16_packed = net.opt.use_fp16_storage = net.opt.use_fp16_arithmetic = False
        net.opt.use_bf16_storage = task["precision"] == "bf16"
        net.load_param(task["net"] + ".param")
        net.load_model(task["net"] + ".bin")
        source, sink = net.input_names()[0], net.output_names()[0]

        def run(x):
            with net.create_extractor() as extractor:
                extractor.input(source, ncnn.Mat(x[0]))
                return np.array(extractor.extract(sink)[1])[None]

        run.keep = net
        run.to_rows = best_rows
        return run, task["precision"], None
    return start, ncnn.__version__


def make_mnn(task):
    import MNN
    import numpy as np

    def start():
        config = {"backend": "CPU", "numThread": task["threads"],
                  "precision": "low" if task["precision"] == "bf16" else "high"}
        runtime = MNN.nn.create_runtime_manager((config,))
        net = MNN.nn.load_module_from_file(task["net"], ["images"], ["output0"],
                                           runtime_manager=runtime)

        def run(x):
            # A copy of the picture, as with every interface of MNN.
            value = MNN.expr.placeholder(list(x.shape), MNN.expr.NCHW)
            value.write(x)
            return np.asarray(net.forward([value])[0].read())

        run.keep = (runtime, net)
        return run, task["precision"], None
    return start, MNN.version()


MAKERS = {"ort": make_ort, "openvino": make_openvino, "ncnn": make_ncnn, "mnn": make_mnn}


def rows_of(run, found):
    return run.to_rows(found)[None] if hasattr(run, "to_rows") else found


def measure(task):
    x = read_ppm(task["picture"])
    start, version = MAKERS[task["contender"]](task)
    began = time.perf_counter()
    run, precision, instructions = start()
    found = run(x)
    first = (time.perf_counter() - began) * 1e3
    rows = rows_of(run, found)
    began = time.perf_counter()
    while time.perf_counter() - began < WARM_UP_S:
        run(x)
    times = []
    began = time.perf_counter()
    while len(times) < 10 or time.perf_counter() - began < task["seconds"]:
        t = time.perf_counter()
        run(x)
        times.append((time.perf_counter() - t) * 1e3)
    times.sort()
    return {"median_ms": statistics.median(times), "min_ms": times[0], "p95_ms": p95(times),
            "steps": len(times), "version": version, "precision": precision, "first_ms": first,
            "instructions": instructions, "rows": rows[0].tolist()}


def find_rows(task):
    """Prints a line for each picture with its rows, as y10 detect does."""
    start, _ = MAKERS[task["contender"]](task)
    run = start()[0]
    for path in task["pictures"]:
        x, (scale, left, top, width, height) = letterbox(path, task["size"])
        objects = []
        for x0, y0, x1, y1, score, label in rows_of(run, run(x))[0].tolist():
            if score < 0.001:
                continue
            box = {"x_min": (x0 - left) / scale / width, "y_min": (y0 - top) / scale / height,
                   "x_max": (x1 - left) / scale / width, "y_max": (y1 - top) / scale / height}
            objects.append({"detection": {"bounding_box": {k: min(max(v, 0), 1) for k, v in box.items()},
                                          "confidence": score, "label_id": int(label)}})
        print(json.dumps({"source": path, "resolution": {"width": width, "height": height},
                          "objects": objects}))


# --- conversion ----------------------------------------------------------------------------------

def cut_selection(path, target):
    """Writes the network up to the boxes and scores of all places: what is split into the two."""
    import onnx
    model = onnx.load(path)
    before = [n.input[0] for n in model.graph.node if n.op_type == "Split"][-1]
    onnx.utils.extract_model(path, target, [model.graph.input[0].name], [before])


def prepare_ncnn(task):
    width, height = task["size"]
    cut = task["target"] + "-cut.onnx"
    cut_selection(task["onnx"], cut)
    # The program alone: the script of that name needs PyTorch.
    pnnx = os.path.join(sysconfig.get_path("platlib"), "pnnx", "pnnx")
    done = subprocess.run([pnnx, cut, f"inputshape=[1,3,{height},{width}]", "fp16=0",
                           f"ncnnparam={task['target']}.param", f"ncnnbin={task['target']}.bin"],
                          cwd=os.path.dirname(task["target"]), capture_output=True, text=True, check=False)
    if done.returncode or not os.path.exists(task["target"] + ".param"):
        sys.exit(f"pnnx failed with {done.returncode}: {done.stdout[-300:]}{done.stderr[-300:]}")
    return task["target"]


def prepare_mnn(task):
    target = task["target"] + ".mnn"
    tool = os.path.join(os.path.dirname(sys.executable), "mnnconvert")
    done = subprocess.run([tool, "-f", "ONNX", "--modelFile", task["onnx"], "--MNNModel", target,
                           "--bizCode", "MNN"], capture_output=True, text=True, check=False)
    if not os.path.exists(target):
        sys.exit(f"mnnconvert failed with {done.returncode}: {done.stdout[-300:]}{done.stderr[-300:]}")
    return target


def prepare_openvino(task):
    """Quantizes with NNCF, whose defaults for YOLO are a mixed preset and 300 pictures; the selection
    and the decoding of boxes stay as they are."""
    import nncf
    import openvino as ov
    core = ov.Core()
    model = core.read_model(task["onnx"])
    model.reshape([1, 3, task["size"][1], task["size"][0]])
    pictures = [letterbox(path, task["size"])[0] for path in task["pictures"]]
    quantized = nncf.quantize(model, nncf.Dataset(pictures), preset=nncf.QuantizationPreset.MIXED,
                              subset_size=len(pictures))
    target = task["target"] + ".xml"
    ov.save_model(quantized, target, compress_to_fp16=False)
    return target


PREPARERS = {"ncnn": prepare_ncnn, "mnn": prepare_mnn, "openvino": prepare_openvino}


def main():
    what, task = sys.argv[1], json.loads(sys.argv[2])
    if what == "measure":
        print(json.dumps(measure(task)))
    elif what == "prepare":
        print(json.dumps(PREPARERS[task["contender"]](task)))
    else:
        find_rows(task)


if __name__ == "__main__":
    main()
