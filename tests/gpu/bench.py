#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Compares yolov10detect with PyTorch, in turn on one GPU, with the same
weights and the same 1080p RGB frames in device memory. A time is wall clock
from the call to rows in host memory, the median after a warm-up; each step is
synchronized before the next begins. The throughput is the time of a step while
others run: as many as the engine has slots; for PyTorch all steps are queued on
one stream and synchronized once at the end. PyTorch has fp16, channels last,
folded BatchNorm and cuDNN's search for algorithms, and runs the end-to-end
head: eager, from a torch.cuda.CUDAGraph, into which every frame is copied, and
by torch.compile (reduce-overhead). The floor is the number of bytes that our
plan moves, divided by the rate of a large copy in the same run.

Prints one JSON object a line for each variant and batch, and again when further
values are known.

usage: bench.py [--root ARCHIVE] [--out DIR] [--variants nsmblx] [--batches 1,8,32]
                [--have ROWS.json] [--no-compile] [--tune SECONDS] [--cpu] [--size N]
       --cpu: a rehearsal, our side on the simulated GPU and PyTorch's on the CPU
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../models/train"))
import machine  # noqa: E402

WIDTH, HEIGHT = 1920, 1080
MIN_FRAMES = 8
GREY = 114 / 255


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", default=os.path.join(HERE, "../.."))
    parser.add_argument("--out", default="/tmp/y10-bench")
    parser.add_argument("--variants", default="nsmblx")
    parser.add_argument("--batches", default="1,8,32")
    parser.add_argument("--seconds", type=float, default=1.5)
    parser.add_argument("--tune", type=float, default=120, help="seconds at most, each")
    parser.add_argument("--have", help="rows of an earlier run, a JSON array")
    parser.add_argument("--no-compile", action="store_true")
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--size", type=int, default=640, help="of the network's input")
    return parser.parse_args()


class Ours:
    """bench-cuda of the archive."""

    def __init__(self, root, out, options):
        self.backend = "cuda-sim" if options.cpu else "cuda"
        self.seconds, self.tune, self.size = options.seconds, options.tune, options.size
        self.machine = machine.Machine(os.path.abspath(root), os.path.abspath(out))
        self.root, self.out = root, out

    def model(self, variant):
        path = os.path.join(self.root, "models", "yolov10n-coco.safetensors")
        if variant == "n" and os.path.exists(path):
            return path
        path = os.path.join(self.out, f"yolov10{variant}.safetensors")
        if not os.path.exists(path):
            shapes = os.path.join(self.root, "data", f"yolov10{variant}-nc80.shapes.json")
            subprocess.run(self.machine.program("seeded") + [shapes, path + ".new"], check=True,
                           env=self.machine.environment(self.backend))
            os.replace(path + ".new", path)
        return path

    def measure(self, variant, batch):
        limit = self.tune + 60
        try:
            done = subprocess.run(
                self.machine.program("bench-cuda") + [
                    "--model", self.model(variant), "--batch", str(batch), "--size",
                    str(self.size), "--slots", "4" if batch < 32 else "2", "--seconds",
                    str(self.seconds), "--tune", str(self.tune),
                    *(["--host"] if self.backend == "cuda-sim" else [])],
                env=self.machine.environment(self.backend), capture_output=True, text=True,
                timeout=limit, check=False)
        except subprocess.TimeoutExpired:
            return {"ours_error": f"bench-cuda had not ended after {limit:.0f} s"}
        if done.returncode != 0:
            return {"ours_error": (done.stderr or done.stdout).strip()[-300:]}
        try:
            return self.figures(json.loads(done.stdout))
        except (ValueError, KeyError) as e:
            return {"ours_error": f"bench-cuda printed no figures: {type(e).__name__}: {e}"[:300]}

    @staticmethod
    def figures(r):
        moved = r["weight_bytes"] + r["activation_bytes"] + r["frame_bytes"]
        rate = r["copy_bytes_per_s"]    # 0: not measured
        return {
            "ours_ms": r["latency_ms"]["median"], "ours_p95_ms": r["latency_ms"]["p95"],
            "ours_throughput_ms": r["throughput_ms"], "ours_slots": r["slots"],
            "first_rows_ms": r["first_rows_ms"], "tuned": r["tuned"], "tune_s": r["tune_s"],
            "ours_inference_ms": r["inference_ms"], "precision": r["precision"],
            "device": r["device"], "moved_bytes": moved,
            **({"copy_gb_per_s": round(rate / 1e9, 1), "floor_ms": round(1e3 * moved / rate, 4)}
               if rate > 0 else {}),
        }


class Peer:
    """PyTorch's side for one variant."""

    def __init__(self, path, device, size):
        import torch
        from yolov10 import model, weights
        self.torch, self.device, self.size = torch, device, size
        self.dtype = torch.float16 if device == "cuda" else torch.float32
        torch.backends.cudnn.benchmark = True
        self.net = model.from_tensors(weights.read(path)).fuse().to(
            device, self.dtype, memory_format=torch.channels_last)
        self.net.requires_grad_(False)
        # Made once and outside of what is compiled or captured: a copy from the host cannot
        # be captured, and what a graph has made is lost in its next run.
        _, _, _, top, left = self.letterbox()
        self.border = torch.tensor([left, top], device=device, dtype=torch.float32)

    def letterbox(self):
        size = self.size
        scale = min(size / HEIGHT, size / WIDTH)
        h, w = round(HEIGHT * scale), round(WIDTH * scale)
        return scale, h, w, (size - h) // 2, (size - w) // 2

    def run(self, frames):
        """uint8 frames (batch, height, width, RGB) to rows (batch, 300, 6), boxes in
        the frames' pixels."""
        torch = self.torch
        size = self.size
        scale, h, w, top, left = self.letterbox()
        x = frames.permute(0, 3, 1, 2).to(self.dtype)
        x = torch.nn.functional.interpolate(x, (h, w), mode="bilinear") / 255
        x = torch.nn.functional.pad(x, (left, size - w - left, top, size - h - top), value=GREY)
        rows = self.net(x.contiguous(memory_format=torch.channels_last))
        boxes = rows[..., :4].unflatten(-1, (2, 2)).float()
        boxes = (boxes - self.border) / scale
        x, y = boxes.unbind(-1)
        boxes = torch.stack((x.clamp(0, WIDTH), y.clamp(0, HEIGHT)), -1).flatten(-2)
        return torch.cat((boxes, rows[..., 4:].float()), -1)

    def frames(self, batch):
        """The same sets of frames as bench-cuda's, all different."""
        torch = self.torch
        n = max(1, MIN_FRAMES // batch)
        frames = torch.stack([frame(torch, i) for i in range(n * batch)])
        return list(frames.to(self.device).reshape(n, batch, HEIGHT, WIDTH, 3))

    def time(self, function, sets, seconds):
        """Median of milliseconds, rows in host memory at the end of each."""
        torch = self.torch
        cuda = self.device == "cuda"
        host = torch.empty_like(function(sets[0]), device="cpu", pin_memory=cuda)

        def once(i):
            host.copy_(function(sets[i % len(sets)]), non_blocking=cuda)
            if cuda:
                torch.cuda.synchronize()

        for phase in (seconds / 2, seconds):    # the clocks rise during the first
            times, end, i = [], time.perf_counter() + phase, 0
            while len(times) < 3 or time.perf_counter() < end:
                start = time.perf_counter()
                once(i)
                times.append(1e3 * (time.perf_counter() - start))
                i += 1
        return round(statistics.median(times), 4)

    def throughput(self, function, sets, seconds):
        """Milliseconds a step, with all steps queued and one synchronization at the
        end."""
        torch = self.torch
        cuda = self.device == "cuda"
        hosts = [torch.empty_like(function(sets[0]), device="cpu", pin_memory=cuda)
                 for _ in range(4)]

        def run(n):
            start = time.perf_counter()
            for i in range(n):
                hosts[i % 4].copy_(function(sets[i % len(sets)]), non_blocking=cuda)
            if cuda:
                torch.cuda.synchronize()
            return time.perf_counter() - start

        n = max(1, int(3 * seconds / max(run(3), 1e-6)))
        return round(1e3 * run(n) / n, 4)

    def captured(self, batch):
        """A CUDA graph captured by hand: one input, into which frames are
        copied."""
        torch = self.torch
        static = torch.zeros((batch, HEIGHT, WIDTH, 3), dtype=torch.uint8, device=self.device)
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(5):
                self.run(static)
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            out = self.run(static)

        def replay(frames):
            static.copy_(frames)
            graph.replay()
            return out
        return replay

    def compiled(self):
        self.torch._dynamo.reset()
        function = self.torch.compile(self.run, mode="reduce-overhead", dynamic=False)

        def call(frames):
            self.torch.compiler.cudagraph_mark_step_begin()
            return function(frames)
        return call


def frame(torch, index):
    """The same frames as fill_frame () of bench-cuda.c: noise on a gradient."""
    mask = 0xFFFFFFFF
    x, y = torch.arange(WIDTH * 3)[None], torch.arange(HEIGHT)[:, None]
    h = (x * 0x9E3779B1 & mask) ^ (y * 0x85EBCA77 & mask) ^ (index * 0xC2B2AE3D & mask)
    h = (h ^ h >> 15) * 0x2C1B3C6D & mask
    return (((x + y + 40 * index) // 8 + (h >> 26)) & 255).to(torch.uint8).reshape(HEIGHT, WIDTH, 3)


def clocks():
    smi = machine.find_tool("nvidia-smi")
    text = machine.command_output([smi, "--query-gpu=name,clocks.sm,clocks.mem,power.draw",
                                   "--format=csv,noheader"]) if smi else ""
    return dict(zip(("gpu", "sm_clock", "memory_clock", "power"),
                    text.strip().splitlines()[0].split(", "))) if text.strip() else {}


def attempt(row, key, function):
    """Measures a figure that is missing; an error becomes a member of the
    row."""
    if key in row:
        return
    row.pop(key.replace("_ms", "_error"), None)
    try:
        row[key] = function()
    except Exception as e:  # pylint: disable=broad-except
        row[key.replace("_ms", "_error")] = f"{type(e).__name__}: {e}"[:300]
    print(json.dumps(row), flush=True)


def main():
    options = parse()
    os.makedirs(options.out, exist_ok=True)
    ours = Ours(options.root, options.out, options)
    batches = [int(b) for b in options.batches.split(",")]
    rows = {}
    if options.have:
        with open(options.have, encoding="utf-8") as f:
            rows = {(r["variant"], r["batch"]): r for r in json.load(f)}
    for variant in options.variants:
        for batch in batches:
            row = rows.setdefault((variant, batch), {"variant": variant, "batch": batch})
            if "ours_ms" not in row:
                row.pop("ours_error", None)
                row.update(ours.measure(variant, batch))
                row.update(clocks())
            print(json.dumps(row), flush=True)
    try:
        import torch
    except ImportError as e:
        print(f"no PyTorch in {sys.executable}: {e}", file=sys.stderr)
        return 1
    device = "cpu" if options.cpu else "cuda"
    # Variants that take long to compile come last.
    for mode in ("eager", "cudagraph", "compile"):
        if mode == "compile" and options.no_compile or mode == "cudagraph" and options.cpu:
            continue
        for variant in options.variants:
            if all(mode + key in rows[variant, batch] for batch in batches
                   for key in ("_ms", *(["_throughput_ms"] if mode != "compile" else []))):
                continue
            peer = Peer(ours.model(variant), device, options.size)
            for batch in batches:
                row = rows[variant, batch]
                row["torch"] = torch.__version__
                with torch.inference_mode() if mode != "compile" else torch.no_grad():
                    sets = peer.frames(batch)
                    make = {"eager": lambda: peer.run, "compile": peer.compiled,
                            "cudagraph": lambda: peer.captured(batch)}[mode]
                    attempt(row, mode + "_ms",
                            lambda: peer.time(make(), sets, options.seconds))
                    if mode != "compile":
                        attempt(row, mode + "_throughput_ms",
                                lambda: peer.throughput(make(), sets, options.seconds))
                del sets
            del peer
            if device == "cuda":
                torch.cuda.empty_cache()
    return 0


if __name__ == "__main__":
    sys.exit(main())
