#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Tests run.sh --check with made-up reports: a good one passes; one with a
figure beyond its limit, or without a step, fails. Also checks countcopies.c with a fake libcuda.

usage: test-check.py [COUNTCOPIES.so FAKE-LIBCUDA.so]
"""
import argparse
import copy
import json
import os
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import bench  # noqa: E402
import check  # noqa: E402
import convolutions  # noqa: E402
import driver  # noqa: E402
import model  # noqa: E402
import steps  # noqa: E402
import timeline  # noqa: E402

NAMES = steps.golden_names(os.path.join(HERE, "../data"))
LIBRARIES = []


def good_report():
    """A report with every figure just within its limit."""
    pipeline = {"backend": "cuda", "exit": 0, "frames": 200, "source": "nvh264dec",
                "active_backend": "cuda", "cuda_memory": True, "host_copies_of_frames": 0}
    report = {"format": 1, "steps": {
        "facts": {"has_gpu": True, "gpu": {"name": "made up"}},
        "doctor": {"ok": True, "problems": []},
        "ap-fp16": {"backend": "cuda", "precision": "fp16", "pictures": 80, "ap": 0.3995},
        "stress": {"backend": "cuda", "exit": 0, "steps": 100000, "slots": 4, "wrong": 0,
                   "errors": 0},
        "pipeline": dict(pipeline, overlay=dict(pipeline)),
        "painter": {"runs": [{"backend": "cuda", "exit": 0, "passed": ["/format/NV12"] * 21}]},
        "batch": {"runs": [{"backend": "cuda", "exit": 0, "passed": ["/batch"] * 3}] * 2},
        "lost": {"runs": [{"backend": "cuda", "exit": 0, "passed": ["/lost/bad-address"]}]},
        "group": {"runs": [{"backend": "cuda", "exit": 0, "passed": ["/group/many"] * 6}]},
        "shapes": {"runs": [{"backend": "cuda", "exit": 0, "passed": ["/shapes/rows"] * 7}]},
        "streams": {"backend": "cuda", "full_steps_per_s": 1000.0, "runs": [
            {"streams": n, "sharing": n, "per_s": 850.0, "fill": 31.0, "failed": 0,
             "delay_ms": {"median": 60.0, "p95": 90.0}} for n in (1, 4, 16, 64)]},
        "kernels": {"backend": "cuda", "batches": {batch: {"total_ns": 400000, "top": [
            {"kernel": "conv", "launches": 60, "ns": 300000}]} for batch in ("1", "32")}},
        "bench": {"backend": "cuda", "rows": []},
        "convolutions": {"backend": "cuda", "rows": [
            {"provider": p, "batch": b, "ms": 0.42 if p == "both" else 0.40,
             "convolutions": {"own": 13, "cudnn": 55}} for b in (1, 32)
            for p in ("cudnn", "own", "both")]},
    }}
    all_steps = report["steps"]
    for precision, (largest, rms) in (("fp32", (1e-3, 1e-3)), ("fp16", (0.05, 4e-3)),
                                      ("tf32", (0.05, 4e-3)), ("bf16", (0.4, 0.03))):
        all_steps["golden-" + precision] = {"files": {
            name: {"backend": "cuda", "precision": precision, "exit": 0, "ok": True,
                   "largest": largest, "rms": rms} for name in NAMES}}
    all_steps["golden-tuned"] = copy.deepcopy(all_steps["golden-fp16"])
    for tool in ("memcheck", "racecheck", "synccheck", "initcheck"):
        all_steps["sanitize-" + tool] = {"exit": 0, "errors": 0, "steps": 24, "wrong": 0}
    for name in ("checkop", "checkop-variants"):
        all_steps[name] = {"runs": [{"backend": "cuda", "exit": 0, "checks": 900, "failed": 0,
                                     "failures": []}]}
    for variant in "nsmblx":
        for batch in (1, 8, 32):
            all_steps["bench"]["rows"].append({
                "variant": variant, "batch": batch, "ours_ms": 0.40, "ours_throughput_ms": 2.0,
                "floor_ms": 0.9, "eager_ms": 1.2, "compile_ms": 0.6, "cudagraph_ms": 0.52})
    for step in all_steps.values():
        step["status"] = "ok"
    return report


def run_check(report):
    """(exit status, [(verdict, what)])"""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
        json.dump(report, f)
        f.flush()
        done = subprocess.run([os.path.join(HERE, "run.sh"), "--check", f.name],
                              capture_output=True, text=True, timeout=60, check=False)
    lines = [line.split(None, 1) for line in done.stdout.splitlines()
             if line.split(" ", 1)[0] in ("pass", "fail", "missing")]
    return done.returncode, [(word, rest.split(":")[0]) for word, rest in lines]


class Check(unittest.TestCase):
    def judge(self, verdict, what, change):
        """After @change the line that contains @what must be the only one that
        does not pass, in run.sh's output, too."""
        report = good_report()
        change(report["steps"])
        status, lines = run_check(report)
        self.assertEqual([line for line in lines if line[0] != "pass"],
                         [(verdict, line[1]) for line in lines if what in line[1]])
        self.assertTrue([line for line in lines if what in line[1]], what)
        self.assertEqual(status, 1)

    def test_good(self):
        status, lines = run_check(good_report())
        self.assertEqual(status, 0, lines)
        self.assertGreater(len(lines), 15)
        self.assertEqual({word for word, _ in lines}, {"pass"})

    def test_nothing(self):
        status, lines = run_check({"format": 1, "steps": {}})
        self.assertEqual(status, 1)
        self.assertEqual({word for word, _ in lines}, {"missing"})

    def test_no_report(self):
        for text in ("", "{", "[1]"):
            with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
                f.write(text)
                f.flush()
                done = subprocess.run([os.path.join(HERE, "run.sh"), "--check", f.name],
                                      capture_output=True, text=True, timeout=60, check=False)
            self.assertNotEqual(done.returncode, 0)

    def test_figures(self):
        """Each figure just beyond its limit, and NaN."""
        name = NAMES[3]
        figures = [
            ("golden files in fp32", "golden-fp32", ("files", name, "largest"), 1.01e-3),
            ("golden files in fp32", "golden-fp32", ("files", name, "ok"), False),
            ("golden files in fp32", "golden-fp32", ("files", name, "largest"), float("nan")),
            ("golden files in fp16", "golden-fp16", ("files", name, "largest"), 0.051),
            ("golden files in fp16", "golden-fp16", ("files", name, "rms"), 4.1e-3),
            ("fused convolutions", "golden-tuned", ("files", name, "rms"), 5e-3),
            ("golden files in tf32", "golden-tf32", ("files", name, "rms"), 4.1e-3),
            ("golden files in bf16", "golden-bf16", ("files", name, "largest"), 0.41),
            ("golden files in bf16", "golden-bf16", ("files", name, "rms"), 0.031),
            ("fp16 AP", "ap-fp16", ("ap",), 0.3934),
            ("fp16 AP", "ap-fp16", ("ap",), 0.3996),
            ("fp16 AP", "ap-fp16", ("pictures",), 79),
            ("fp16 AP", "ap-fp16", ("precision",), "fp32"),
            ("stress", "stress", ("wrong",), 1),
            ("stress", "stress", ("errors",), 1),
            ("stress", "stress", ("steps",), 99999),
            ("stress", "stress", ("slots",), 3),
            ("stress", "stress", ("exit",), -11),
            ("memcheck", "sanitize-memcheck", ("errors",), 1),
            ("racecheck", "sanitize-racecheck", ("errors",), 2),
            ("synccheck", "sanitize-synccheck", ("steps",), 0),
            ("initcheck", "sanitize-initcheck", ("exit",), 9),
            ("in the pipeline", "pipeline", ("host_copies_of_frames",), 1),
            ("in the pipeline", "pipeline", ("frames",), 0),
            ("in the pipeline", "pipeline", ("active_backend",), "cpu"),
            ("in the pipeline", "pipeline", ("cuda_memory",), False),
            ("with the overlay", "pipeline", ("overlay", "host_copies_of_frames"), 2),
            ("with the overlay", "pipeline", ("overlay", "exit"), 1),
            ("drawing on frames", "painter", ("runs", 0, "passed"), ["/format/NV12"] * 20),
            ("drawing on frames", "painter", ("runs", 0, "exit"), -5),
            ("alone and among others", "batch", ("runs", 1, "exit"), 1),
            ("alone and among others", "batch", ("runs", 0, "passed"), ["/batch"] * 2),
            ("lost context", "lost", ("runs", 0, "exit"), -6),
            ("lost context", "lost", ("runs", 0, "passed"), []),
            ("share an engine", "group", ("runs", 0, "exit"), 1),
            ("share an engine", "group", ("runs", 0, "passed"), ["/group/many"] * 5),
            ("several shapes", "shapes", ("runs", 0, "exit"), 1),
            ("several shapes", "shapes", ("runs", 0, "passed"), ["/shapes/rows"] * 6),
            ("64 streams", "streams", ("runs", 3, "per_s"), 849.0),
            ("64 streams", "streams", ("runs", 3, "sharing"), 63),
            ("64 streams", "streams", ("runs", 0, "failed"), 1),
            ("checkop-variants", "checkop-variants", ("runs", 0, "failed"), 1),
            ("within 0.4 ms", "bench", ("rows", 0, "ours_ms"), 0.401),
            ("eager", "bench", ("rows", 0, "eager_ms"), 1.19),
            ("captured", "bench", ("rows", 0, "cudagraph_ms"), 0.51),
            ("captured", "bench", ("rows", 0, "compile_ms"), 0.51),
            ("floor", "bench", ("rows", 2, "floor_ms"), 0.89),
            ("floor", "bench", ("rows", 2, "ours_throughput_ms"), 2.01),
            ("doctor", "doctor", ("ok",), False),
        ]
        for what, step, path, value in figures:
            def change(all_steps):
                target = all_steps[step]
                for key in path[:-1]:
                    target = target[key]
                self.assertIn(path[-1], target) if isinstance(target, dict) else None
                target[path[-1]] = value
                # A slower one also fails the comparison.
                if path[-1] == "ours_ms":
                    target.update(eager_ms=2.0, compile_ms=2.0, cudagraph_ms=2.0)
            with self.subTest(step=step, path=path, value=value):
                self.judge("fail", what, change)

    def test_missing(self):
        """A missing step, a failed one, or one without its figures."""
        lines = {"golden-fp32": "golden files in fp32",
                 "golden-tuned": "fused convolutions", "golden-bf16": "golden files in bf16",
                 "ap-fp16": "fp16 AP", "stress": "stress", "sanitize-memcheck": "memcheck",
                 "pipeline": "host copies", "painter": "drawing on frames",
                 "batch": "alone and among others", "lost": "lost context",
                 "group": "share an engine", "shapes": "several shapes",
                 "streams": "64 streams", "checkop": "checkop",
                 "kernels": "top kernels", "convolutions": "both providers"}
        for step, what in lines.items():
            for how in ("gone", "failed", "missing"):
                def change(all_steps):
                    if how == "gone":
                        del all_steps[step]
                    else:
                        all_steps[step].update(status=how, why="because")
                with self.subTest(step=step, how=how):
                    report = good_report()
                    change(report["steps"])
                    status, found = run_check(report)
                    bad = [line for line in found if line[0] != "pass"]
                    self.assertEqual({word for word, _ in bad}, {"missing"})
                    self.assertTrue(all(what in line for _, line in bad), bad)
                    self.assertEqual(status, 1)

    def test_one_golden_less(self):
        def change(all_steps):
            del all_steps["golden-fp16"]["files"][NAMES[-1]]
        self.judge("missing", "golden files in fp16", change)

    def test_peer_missing(self):
        """The best of two needs both figures."""
        def change(all_steps):
            del all_steps["bench"]["rows"][0]["compile_ms"]
        self.judge("missing", "captured", change)

    def test_without_gpu(self):
        """Figures of the simulated GPU or the CPU do not count."""
        report = good_report()
        text = json.dumps(report).replace('"backend": "cuda"', '"backend": "cuda-sim"')
        status, lines = run_check(json.loads(text))
        missing = {what for word, what in lines if word == "missing"}
        self.assertEqual(status, 1)
        for what in ("golden files in fp16", "step stress", "fp16 AP on coco80",
                     "host copies of frames in the pipeline", "checkop"):
            self.assertIn(what, missing)


class Parts(unittest.TestCase):
    """Each part of run.sh --part fits into its time."""

    def test_parts(self):
        all_steps = {step.name: step for step in steps.all_steps()}
        self.assertEqual(sorted(all_steps), sorted(name for part in steps.PARTS for name in part))
        for part in steps.PARTS:
            self.assertLessEqual(sum(all_steps[name].seconds for name in part),
                                 steps.PART_SECONDS, part)
        for name, step in all_steps.items():
            self.assertLessEqual(step.seconds, step.limit, name)
            self.assertLessEqual(step.limit, 150 if name.startswith("sanitize-") else 540, name)

    def test_unknown(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "bin"))
            for options in (["--only", "facts,doktor"], ["--part", "0"]):
                done = subprocess.run(
                    [os.path.join(HERE, "run.sh"), "--root", folder, "--output", folder + "/out",
                     "--dry-run", *options], capture_output=True, text=True, timeout=60,
                    check=False)
                self.assertNotEqual(done.returncode, 0)
                self.assertRegex(done.stderr, "doktor|invalid choice")


class Bench(unittest.TestCase):
    def test_timeout(self):
        """A program that hangs loses its own figures, not PyTorch's."""
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "bin"))
            os.makedirs(os.path.join(folder, "models"))
            for path, text in (("bin/bench-cuda", "#!/bin/sh\nexec sleep 100\n"),
                               ("models/yolov10n-coco.safetensors", "")):
                with open(os.path.join(folder, path), "w", encoding="utf-8") as f:
                    f.write(text)
                os.chmod(f.name, 0o755)
            options = argparse.Namespace(cpu=False, seconds=1, tune=-59.5, size=640)
            ours = bench.Ours(folder, folder, options)
            self.assertRegex(ours.measure("n", 1)["ours_error"], "had not ended after")

    def test_figures(self):
        """If a figure is missing, or a rate is 0, the figures computed from it
        are missing, too."""
        r = {"weight_bytes": 1e6, "activation_bytes": 2e6, "frame_bytes": 3e6,
             "copy_bytes_per_s": 2e12, "latency_ms": {"median": 1, "p95": 2}, "throughput_ms": 0.5,
             "slots": 4, "first_rows_ms": 9, "tuned": True, "tune_s": 3, "inference_ms": 0.9,
             "precision": "fp16", "device": "made up"}
        self.assertEqual(bench.Ours.figures(r)["floor_ms"], 0.003)
        self.assertNotIn("floor_ms", bench.Ours.figures(dict(r, copy_bytes_per_s=0)))
        self.assertEqual(bench.Ours.figures(dict(r, copy_bytes_per_s=0))["ours_ms"], 1)
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "bin"))
            os.makedirs(os.path.join(folder, "models"))
            for path, text in (("bin/bench-cuda", "#!/bin/sh\necho '{}'\n"),
                               ("models/yolov10n-coco.safetensors", "")):
                with open(os.path.join(folder, path), "w", encoding="utf-8") as f:
                    f.write(text)
                os.chmod(f.name, 0o755)
            options = argparse.Namespace(cpu=False, seconds=1, tune=0, size=640)
            self.assertIn("no figures",
                          bench.Ours(folder, folder, options).measure("n", 1)["ours_error"])

    def test_frame(self):
        """Both sides get the same pictures: values of fill_frame () in bench-cuda.c."""
        try:
            import torch
        except ImportError:
            self.skipTest("no PyTorch")
        frame = bench.frame(torch, 3).flatten()
        for x, y in ((0, 0), (5759, 1079), (1234, 567), (4000, 77)):
            h = (x * 0x9E3779B1 ^ y * 0x85EBCA77 ^ 3 * 0xC2B2AE3D) & 0xFFFFFFFF
            h = (h ^ h >> 15) * 0x2C1B3C6D & 0xFFFFFFFF
            self.assertEqual(int(frame[y * 5760 + x]), ((x + y + 120) // 8 + (h >> 26)) & 255)


class Table(unittest.TestCase):
    def test_table(self):
        report = good_report()
        report["steps"]["bench"]["rows"] = [
            {"variant": "n", "batch": 8, "ours_ms": 0.8, "ours_throughput_ms": 0.5, "floor_ms": 0.3,
             "copy_gb_per_s": 2500.0, "eager_ms": 4.0, "eager_throughput_ms": 2.0,
             "cudagraph_ms": 1.6, "cudagraph_throughput_ms": 1.0, "compile_ms": 1.5}]
        lines = check.table(report)
        self.assertEqual(lines[2], "| n | 8 | 0.800 | 16000 | 4.000 | 4000 | 1.600 | 8000 | 1.500 "
                         "| 2500 | 60% |")
        self.assertEqual(len({line.count("|") for line in lines}), 1)
        report["steps"]["bench"]["backend"] = "cuda-sim"
        self.assertEqual(check.table(report), [])

    def test_kernels(self):
        report = good_report()
        line = check.kernel_list(report)[2]
        self.assertEqual(line.split(), ["300.0", "75.0", "60", "conv"])


class FakeRun:
    """Fake programs with given output."""
    has_gpu, out, log = True, None, None

    def __init__(self, answers):
        self.answers, self.kept = answers, {}
        self.machine = self

    def program(self, name, *arguments, **_):
        return self.answers[name] if arguments else [name]

    def command(self, command, *_, **__):
        return self.answers[os.path.basename(command[0])]

    def model(self):
        return "model"

    def keep(self, values):
        self.kept.update(values)


class Kernels(unittest.TestCase):
    def test_no_cupti(self):
        """Without CUPTI each op is timed instead."""
        ops = json.dumps({"ops": [{"name": "a", "kind": "conv", "ms": 0.1},
                                  {"name": "b", "kind": "head", "ms": 0.3}]})
        run = FakeRun({"bench-cuda": driver.Done(0, "tracekernels: CUPTI is not to be had", 1,
                                                 False), "y10": driver.Done(0, ops, 1, False)})
        with tempfile.TemporaryDirectory() as folder:
            run.out = run.root = folder
            found = steps.kernels(run)["batches"]
        self.assertEqual([k["kernel"] for k in found["1"]["top"]], ["b (head)", "a (conv)"])
        self.assertIn("CUPTI", found["1"]["why"])

    def test_timeline(self):
        """A step begins with the first picture and ends with the head; those with
        another number of kernels are the tuner's."""
        def step(at):
            return [f"{at} {at + 9000} 7 1,1,1 32,1,1 8 y10_stem_f16",
                    f"{at + 20000} {at + 25000} 7 4,1,1 32,1,1 8 conv",
                    f"{at + 22000} {at + 29000} 8 4,1,1 32,1,1 8 conv",
                    f"{at + 29000} {at + 30000} 7 1,1,1 32,1,1 8 y10_head_select",
                    f"{at + 31000} {at + 32000} 7 - - 0 copy 2: 240 bytes"]
        lines = step(100000) + ["5 9 7 1,1,1 1,1,1 8 conv"] + step(200000)
        lines += step(300000)[:1] + step(300000)[3:]
        with tempfile.NamedTemporaryFile("w", suffix=".trace") as f:
            f.write("\n".join(lines) + "\nno line of a trace\n")
            f.flush()
            found = timeline.median_step(f.name)
        self.assertEqual((found["steps"], len(found["nodes"])), (2, 4))
        self.assertEqual((found["span_us"], found["busy_us"], found["idle_us"]), (30, 19, 11))
        self.assertEqual(found["kernels"][0], {"kernel": "conv", "launches": 2, "us": 12})


def op(kind, impl, channels, side, groups=1, kernel=1, stride=1):
    into, out = channels
    return {"kind": kind, "impl": impl, "in_channels": into, "out_channels": out, "out_height": side,
            "out_width": side, "kernel": kernel if kind == "conv" else 0,
            "stride": stride if kind == "conv" else 0, "groups": groups if kind == "conv" else 0,
            "flops": 2 * side ** 2 * kernel ** 2 * into * out // groups if kind == "conv" else 0}


class Model(unittest.TestCase):
    # A GPU whose copy rate makes a microsecond of 1 MB, and whose cache holds nothing.
    FOUND = {"batch": 2, "width": 64, "height": 64, "frame_bytes": 1000, "copy_bytes_per_s": 1e12,
             "gpu": {"multiprocessors": 10, "clock_mhz": 1000, "l2_bytes": 1, "capability": "9.0"},
             "ops": [
                 op("preprocess", "cuda", (3, 3), 64),
                 op("conv", "cuda:own", (3, 16), 32, kernel=3, stride=2),
                 op("conv", "own:64x32", (16, 1000), 1000),
                 op("upsample2x", "cuda:own", (1000, 1000), 2000),
                 op("conv", "cudnn:eng7", (64, 64), 8, kernel=3),
                 op("maxpool5", "cuda:own", (64, 64), 8), op("maxpool5", "cuda:own", (64, 64), 8),
                 op("conv", "cuda:separable", (64, 64), 8, groups=64, kernel=3),
                 op("conv", "own:separable-16x128/2", (64, 80), 8),
                 op("conv", "cuda:own", (80, 80), 8, groups=80, kernel=3, stride=2),
                 op("conv", "cuda:separable", (80, 80), 8, groups=80, kernel=3),
                 op("conv", "own:separable-64x32/1", (80, 80), 8),
                 op("conv", "own:separable-64x32/1", (80, 80), 8),
                 op("head", "cuda", (144, 6), 300)]}
    NAMES = ("y10_stem_f16", "y10_igemm_f16_64x32_k1", "cudnn_fort_a", "y10_maxpool5_f16",
             "y10_separable_f16_16x128", "y10_depthwise_f16", "y10_separable_logits_f16_64x32",
             "y10_head_scan", "y10_head_select")

    def compare(self, names=NAMES, **changes):
        """Rows by name, from a trace of a launch of each."""
        step = {"kernels": [{"kernel": name, "launches": 1, "us": 20.0 + i}
                            for i, name in enumerate(names)]}
        rows = model.compare(step, dict(self.FOUND, **changes))
        return rows and {row["kernel"]: row for row in rows}

    def test_launches(self):
        """Each kernel of a trace meets the ops that it computes."""
        rows = self.compare()
        self.assertEqual({k: (r["launches"], r["modelled"]) for k, r in rows.items()}, {k: (1, 1) for k in (
            "stem", "igemm_64x32_k1", "cudnn", "maxpool5", "separable_16x128", "depthwise",
            "separable_logits_64x32", "head_scan", "head_select")})
        self.assertEqual(list(rows)[0], "head_select")        # the slowest, made up as it is
        # A kernel of its own for upsampling.
        rows = self.compare((*self.NAMES, "y10_upsample2x_f16"))
        self.assertEqual(rows["upsample2x"]["modelled"], 1)

    def test_times(self):
        """Two images of a megapixel: 16 channels in, 1000 out and the same on four times the
        pixels, two bytes each."""
        rows = self.compare()
        self.assertAlmostEqual(rows["igemm_64x32_k1"]["memory_us"], 1.35 * 2 * 2 * 5016, delta=1)
        self.assertEqual(rows["igemm_64x32_k1"]["model_us"], max(
            rows["igemm_64x32_k1"][k] for k in ("memory_us", "products_us")))
        alone = self.compare((*self.NAMES, "y10_upsample2x_f16"))
        self.assertAlmostEqual(alone["igemm_64x32_k1"]["memory_us"], 1.35 * 2 * 2 * 1016, delta=1)
        self.assertAlmostEqual(alone["upsample2x"]["memory_us"], 1.35 * 2 * 2 * 5000, delta=1)
        # 84 anchors of 80 classes in floats, in an image.
        self.assertAlmostEqual(rows["head_scan"]["memory_us"], 1.35 * 2 * 84 * 80 * 4 / 1e6, delta=0.01)
        self.assertEqual(rows["depthwise"]["model_us"], 1.7)  # the shortest that there is
        # Twice the clock: half of what waits for products, nothing for memory.
        gpu = dict(self.FOUND["gpu"], clock_mhz=2000)
        fast = self.compare(gpu=gpu)
        self.assertAlmostEqual(fast["head_select"]["model_us"], rows["head_select"]["model_us"] / 2)
        self.assertEqual(fast["stem"]["memory_us"], rows["stem"]["memory_us"])

    def test_missing(self):
        self.assertIsNone(self.compare(gpu=None))
        self.assertIsNone(self.compare(gpu=dict(self.FOUND["gpu"], clock_mhz=0)))
        self.assertIsNone(self.compare(copy_bytes_per_s=0))
        self.assertIsNone(self.compare(ops=None))

    def test_report(self):
        """From the trace to the report's table: the ratio of each, and of all."""
        lines = [f"{1000 * (at + 20 * i)} {1000 * (at + 20 * i + 10 + i)} 7 1,1,1 32,1,1 8 {name}"
                 for at in (100, 400) for i, name in enumerate(self.NAMES)]

        class Tracing(FakeRun):
            def program(self, name, *arguments, extra=None, **_):
                if arguments and extra:
                    with open(extra["TRACEKERNELS"], "w", encoding="utf-8") as f:
                        f.write("\n".join(lines))
                return FakeRun.program(self, name, *arguments)
        run = Tracing({"bench-cuda": driver.Done(0, "a warning\n" + json.dumps(self.FOUND), 1, False)})
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "logs"))
            run.out = run.root = folder
            found = steps.kernels(run)
        self.assertEqual(found["batches"]["32"]["nodes"], 9)
        report = {"steps": {"kernels": json.loads(json.dumps(found))}}
        shown = [line.split() for line in check.kernel_list(report)]
        row = next(line for line in shown if line[-1] == "head_select")
        self.assertEqual((row[0], row[1], row[2]), ("18.0", "20.4", "0.88"))
        total = next(line for line in shown if line[-1] == "all")
        self.assertEqual((total[0], total[5], total[6]), ("126.0", "9", "9"))

    def test_no_figures(self):
        """A trace without bench-cuda's figures is a report without the table."""
        self.assertIsNone(steps.compare_with_model({"kernels": []}, "no JSON")["model"])
        self.assertIsNone(steps.compare_with_model({"kernels": []}, '{"ops": [{}], "gpu": 3}')["model"])


class Convolutions(unittest.TestCase):
    ANSWER = json.dumps({"latency_ms": {"median": 0.5}, "throughput_ms": 0.2, "tuned": True,
                         "convolutions": {"cudnn": 55, "own": 13}})

    def run_step(self, answer, earlier=None):
        run = FakeRun({"bench-cuda": driver.Done(0, answer, 1, False)})
        run.out, run.earlier = "", earlier or {}
        return convolutions.step(run)

    def test_rows(self):
        found = self.run_step("said before\n" + self.ANSWER)["rows"]
        self.assertEqual([(r["provider"], r["batch"]) for r in found],
                         [(p, b) for b in (1, 32) for p in ("cudnn", "own", "both")])
        good, text = convolutions.judge({"rows": found})
        self.assertTrue(good)
        self.assertIn("own 13 of 68", text)
        self.assertEqual(self.run_step("no more", {"rows": found})["rows"], found)

    def test_missing(self):
        found = self.run_step("bench-cuda: no GPU")["rows"]
        good, text = convolutions.judge({"rows": found})
        self.assertIsNone(good)
        self.assertIn("no GPU", text)

    def test_worse(self):
        rows = good_report()["steps"]["convolutions"]["rows"]
        rows[2]["ms"] = 0.421
        self.assertEqual(convolutions.judge({"rows": rows})[0], False)


class Parse(unittest.TestCase):
    """Parses the output of other programs."""

    def test_sanitizers(self):
        for text, errors in (
                ("========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors", 0),
                ("========= Invalid __global__ read\n========= ERROR SUMMARY: 1 error", 1),
                ("========= RACECHECK SUMMARY: 2 hazards displayed (2 errors, 0 warnings)", 2),
                ("========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)", 0),
                ("compute-sanitizer: no such option", None)):
            with self.subTest(text=text):
                self.assertEqual(steps.sanitizer_errors(text), errors)


class CountCopies(unittest.TestCase):
    def test_counts(self):
        if len(LIBRARIES) != 2 or not all(os.path.exists(p) for p in LIBRARIES):
            self.skipTest("no countcopies or no libcuda to count in")
        code = """
import ctypes, sys
cuda = ctypes.CDLL(sys.argv[1])
buffer = ctypes.create_string_buffer(5000)
device = ctypes.c_uint64(0)
for f in (cuda.cuMemcpyHtoD_v2, cuda.cuMemcpyDtoH_v2):
    f.argtypes = None
for i in range(3):
    cuda.cuMemcpyHtoD_v2(device, buffer, ctypes.c_size_t(0))
for i in range(2):
    cuda.cuMemcpyDtoH_v2(buffer, device, ctypes.c_size_t(0))
cuda.cuMemcpyDtoDAsync_v2(device, device, ctypes.c_size_t(0), None)
"""
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "copies")
            subprocess.run([sys.executable, "-c", code, LIBRARIES[1]], check=True, timeout=60,
                           env=dict(os.environ, LD_PRELOAD=LIBRARIES[0], COUNTCOPIES=out))
            with open(out, encoding="ascii") as f:
                rows = {r["direction"]: r["count"] for r in map(json.loads, f)}
        self.assertEqual(rows, {"htd": 3, "dth": 2})


if __name__ == "__main__":
    LIBRARIES += [os.path.abspath(p) for p in sys.argv[1:]]
    unittest.main(argv=sys.argv[:1])
