# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""What the kernels of a step ought to take: the largest of what their bytes take at the copy rate,
what their products take, and what no kernel is shorter than. Copy rate, clock and number of
multiprocessors are those that bench-cuda found on the GPU. A ratio far above those of other kernels
shows where there is time to gain; a ratio below 1 shows that the model knows too little."""
import collections
import re

# Floating point operations that a multiprocessor's tensor cores do in a clock cycle, fp16 with
# sums in floats, by compute capability; dense.
TENSOR = {"7.5": 1024, "8.0": 2048, "8.6": 512, "8.7": 2048, "8.9": 1024, "9.0": 4096,
          "10.0": 8192, "12.0": 1024}
# cuda/conv/igemm.c has the same cycles, for 9.0.
START, STEP_LATENCY, STEP = 800, 150, 64
TILES = ("128x64", "128x32", "128x16", "64x64", "64x32", "64x16", "32x64", "32x32")
L2_BYTES_PER_CYCLE = 20         # of a multiprocessor
MEMORY_FACTOR = 1.35            # over the copy rate or the cache's
SHORTEST_US = 1.7               # of a kernel in a graph
SELECT_CYCLES = 20400           # of selecting rows, which are few threads' work
FLOAT, HALF = 4, 2              # bytes

KERNEL = re.compile(r"y10_([a-z0-9_]+?)(?:_(?:f16|bf16|tf32|f32)(_[0-9x]+(?:_k[0-9])?)?)?$")

Launch = collections.namedtuple("Launch", "key ops")


def key_of(kernel):
    """What a kernel in a trace is called here: ours by name and tile, others "cudnn"."""
    found = KERNEL.match(kernel)
    return found.group(1) + (found.group(2) or "") if found else "cudnn"


def joint(ops, i, keys):
    """The launch that op i begins. keys: what the trace has."""
    op, following, last = (ops[i:i + 3] + 2 * [{"kind": "", "impl": ""}])[:3]
    tile = op["impl"].removeprefix("own:")
    if op["kind"] == "preprocess" and "stem" in keys:
        return Launch("stem", ops[i:i + 2])
    if op["kind"] == "maxpool5":
        end = i + 1
        while end < min(i + 3, len(ops)) and ops[end]["kind"] == "maxpool5":
            end += 1
        return Launch("maxpool5", ops[i:end])
    if op["kind"] != "conv":
        return Launch(op["kind"], [op])
    if op["groups"] > 1:
        if following["impl"].startswith("own:separable-"):
            tile = following["impl"].removeprefix("own:separable-").split("/")[0]
            if last["impl"].startswith("own:separable-"):
                return Launch("separable_logits_" + tile, ops[i:i + 3])
            return Launch("separable_" + tile, ops[i:i + 2])
        return Launch("depthwise", [op])
    if tile in TILES:
        n = 2 if following["kind"] == "upsample2x" and "upsample2x" not in keys else 1
        return Launch(f"igemm_{tile}_k{op['kernel']}", ops[i:i + n])
    return Launch("cudnn" if op["impl"].startswith("cudnn") else "conv", [op])


def launches(ops, keys):
    out, i = [], 0
    while i < len(ops):
        launch = joint(ops, i, keys)
        if launch.key == "head":
            rows = [k for k in keys if k.startswith(("head_select", "head_nms"))]
            out += [Launch("head_scan", launch.ops), Launch((rows or ["head_select"])[0], launch.ops)]
        else:
            out.append(launch)
        i += len(launch.ops)
    return out


def weight_bytes(op):
    if op["kind"] != "conv":
        return 0
    return op["kernel"] ** 2 * op["in_channels"] // op["groups"] * op["out_channels"] * HALF


def moved(launch, found):
    """Bytes that a launch reads and writes. What is added is left out."""
    batch, first, last = found["batch"], launch.ops[0], launch.ops[-1]
    if launch.key == "head_scan":
        anchors = found["width"] * found["height"] * 21 // 1024
        return batch * anchors * max(first["in_channels"] - 64, 1) * FLOAT
    if launch.key.startswith("head"):
        return batch * first["out_height"] * 8 * FLOAT
    inside = first.get("stride") or 1
    if first["kind"] == "upsample2x":
        inside = 0.5
    read = found["frame_bytes"] / batch if first["kind"] == "preprocess" else (
        first["in_channels"] * first["out_height"] * first["out_width"] * inside ** 2 * HALF)
    kept = launch.ops if first["kind"] == "maxpool5" or last["kind"] == "upsample2x" else [last]
    written = sum(o["out_channels"] * o["out_height"] * o["out_width"] * HALF for o in kept)
    return batch * (read + written) + sum(weight_bytes(o) for o in launch.ops)


def tile_cycles(op, tile, found):
    """Of a dense convolution: multiprocessors compute their blocks one after another."""
    rows, columns = (int(n) for n in tile.split("x"))
    gpu = found["gpu"]
    pixels = found["batch"] * op["out_height"] * op["out_width"]
    blocks = -(-pixels // rows) * -(-op["out_channels"] // columns)
    steps = -(-op["kernel"] ** 2 * op["in_channels"] // STEP)
    each = max(blocks / gpu["multiprocessors"], 1)
    # Half of what tensor cores can do.
    products = rows * columns * STEP * 4 / TENSOR.get(gpu["capability"], 1024)
    step = max(products, (rows + columns) * 2)
    return START + each * (steps * step + rows * columns / 16) + steps * STEP_LATENCY


def cycles(launch, found):
    gpu, batch = found["gpu"], found["batch"]
    if launch.key.startswith("head"):
        return START if launch.key == "head_scan" else SELECT_CYCLES
    total = START
    for op in launch.ops:
        flops = op["flops"] * batch / gpu["multiprocessors"]
        if op["kind"] == "attention":
            total += 4 * flops / TENSOR.get(gpu["capability"], 1024)
        elif op["kind"] == "conv" and op["groups"] > 1:
            total += 2.2 * flops / 256          # 128 multiply-adds a cycle
        elif op["kind"] == "conv" and launch.key == "stem":
            total += 2.2 * flops / 256
        elif op["kind"] == "conv":
            tile = re.search(r"[0-9]+x[0-9]+", launch.key)
            total += min(tile_cycles(op, t, found) for t in ([tile.group()] if tile else TILES)) - START
    return total


def predict(launch, found):
    """Microseconds: (what the launch ought to take, for its bytes, for its products)."""
    gpu = found["gpu"]
    hertz = 1e6 * gpu["clock_mhz"]
    size = moved(launch, found)
    rate = found["copy_bytes_per_s"]
    if 2 * size < gpu["l2_bytes"]:
        rate = max(rate, L2_BYTES_PER_CYCLE * gpu["multiprocessors"] * hertz)
    memory, products = 1e6 * MEMORY_FACTOR * size / rate, 1e6 * cycles(launch, found) / hertz
    return max(memory, products, SHORTEST_US), memory, products


def compare(step, found):
    """Rows of a table, those first that take the most time. step: timeline.summary()'s; found:
    what bench-cuda prints. None: it lacks what the model needs."""
    gpu = found.get("gpu") or {}
    if not found.get("ops") or not found.get("copy_bytes_per_s") or not all(
            gpu.get(k) for k in ("multiprocessors", "clock_mhz", "l2_bytes", "capability")):
        return None
    rows = {}
    for kernel in step["kernels"]:
        row = rows.setdefault(key_of(kernel["kernel"]), dict.fromkeys(
            ("launches", "us", "modelled", "model_us", "memory_us", "products_us"), 0))
        row["launches"] += kernel["launches"]
        row["us"] += kernel["us"]
    for launch in launches(found["ops"], set(rows)):
        row = rows.setdefault(launch.key, dict.fromkeys(
            ("launches", "us", "modelled", "model_us", "memory_us", "products_us"), 0))
        row["modelled"] += 1
        for key, us in zip(("model_us", "memory_us", "products_us"), predict(launch, found)):
            row[key] += us
    return [dict({k: round(v, 2) for k, v in row.items()}, kernel=key) for key, row in sorted(
        rows.items(), key=lambda item: -item[1]["us"])]


def show(rows):
    """The table, with a sum: kernels side by side count each."""
    def line(name, row):
        ratio = row["us"] / row["model_us"] if row["us"] and row["model_us"] else None
        return "%9.1f %9.1f %6s %9.1f %9.1f %4d %4d  %s" % (
            row["us"], row["model_us"], "%.2f" % ratio if ratio else "-", row["memory_us"],
            row["products_us"], row["launches"], row["modelled"], name)
    total = {k: sum(r[k] for r in rows) for k in rows[0] if k != "kernel"}
    return ["%9s %9s %6s %9s %9s %4s %4s  %s" % (
        "us", "model", "ratio", "memory", "products", "n", "of", "kernel")] + [
            line(r["kernel"], r) for r in rows] + [line("all", total)]
