# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""The checks of a machine, the most valuable first, for runs that are cut
short. A step returns figures without judging them: check.py does that. Without
a GPU a step runs as much as it can on the CPU and on the simulated GPU; its
results carry that backend's name, and the check does not count them.
"""
import collections
import concurrent.futures
import functools
import glob
import gzip
import json
import os
import re

import coco
import convolutions
import machine
import model
import pipeline
import timeline

VARIANTS = "nsmblx"
PRECISIONS = ("fp16", "fp32", "tf32", "bf16")
BATCHES = (1, 8, 32)
# Largest difference over a layer's deviation, and relative RMS.
GOLDEN_LIMITS = {"fp32": (1e-3, 1e-3), "fp16": (0.05, 4e-3), "tf32": (0.05, 4e-3),
                 "bf16": (0.4, 0.03)}
STRESS_STEPS = 100000
STRESS_SLOTS = 4
SANITIZER_SECONDS = 150
SANITIZERS = ("memcheck", "racecheck", "synccheck", "initcheck")

# seconds: the approximate time on a GPU; gpu: the step needs a GPU; limit: the
# seconds after which the step is stopped, so that it leaves time for the
# others.
Step = collections.namedtuple("Step", "name function seconds gpu title limit", defaults=(540,))

# Each part fits into PART_SECONDS and needs no other part; run.sh --part N runs
# one.
PART_SECONDS = 520
PARTS = (
    ("facts", "doctor", "golden-fp16", "golden-fp32", "ap-fp16", "bench", "kernels"),
    ("golden-tuned", "stress", "pipeline", "lost", "painter", "batch"),
    ("sanitize-memcheck", "sanitize-racecheck", "golden-tf32", "golden-bf16", "checkop"),
    ("streams", "group", "shapes"),
    ("sanitize-synccheck", "sanitize-initcheck", "ap-fp32"),
    ("convolutions",),
    ("bench-x", "bench-s"),
    ("bench-m", "bench-b", "bench-l"),
    ("checkop-variants",),
)


class Missing(Exception):
    """Something that the step needs is not on this machine."""


def golden_names(data):
    """The golden files, those of one variant and size first."""
    names = [os.path.basename(p)[:-len(".golden.json")]
             for p in glob.glob(os.path.join(data, "*.golden.json"))]
    return sorted(names, key=lambda n: (n.count("1280"), "n-nc80-640" not in n, n))


def facts(run):
    return run.machine.facts()


def doctor(run):
    done = run.program("y10", ["doctor", "--json"], 120)
    out = json.loads(done.out[done.out.index("{"):])
    return {"exit": done.status, "ok": out["ok"], "problems": out["problems"],
            "cuda": out.get("cuda")}


GOLDEN_LINE = re.compile(
    r"^(\S+): (ok|FAILED), (\S+) (\S+) \((.*)\), worst (\S+) at (.*), rms (\S+), "
    r"(\d+) of (\d+) rows", re.M)


def golden_one(run, name, precision, backend, tuned):
    largest, rms = GOLDEN_LIMITS[precision]
    done = run.program("golden", [
        "--quiet", f"--backend={backend.split('-')[0]}", f"--precision={precision}",
        *(["--tuned"] if tuned else []), f"--largest={largest}", f"--rms={rms}",
        os.path.join(run.data, name + ".golden.json")], 400, backend=backend,
        # A separate cache: plans measured while others run must not reach the
        # benchmark.
        extra={"XDG_CACHE_HOME": os.path.join(run.out, "cache-golden")})
    out = {"backend": backend, "precision": precision, "exit": done.status,
           "seconds": done.seconds}
    found = GOLDEN_LINE.search(done.out)
    if not found:
        return dict(out, ok=False, why=done.out.strip()[-300:])
    return dict(out, ok=found.group(2) == "ok", device=found.group(5),
                largest=float(found.group(6)), where=found.group(7), rms=float(found.group(8)),
                rows=[int(found.group(9)), int(found.group(10))])


def golden(precision, tuned=False):
    """Compares every golden file in one precision, three at a time, with
    precompiled convolutions unless tuned. Keeps the results of an earlier
    run."""
    def step(run):
        files = {name: f for name, f in run.earlier.get("files", {}).items()
                 if "largest" in f and f["backend"] == "cuda"} if run.has_gpu else {}
        jobs = []
        for name in golden_names(run.data):
            for backend in run.backends:
                if backend == "cuda" and name not in files:
                    jobs.append((name, name, backend))
                elif name == "yolov10n-nc3-320x320-seed0" and (
                        backend == "cuda-sim" and precision != "tf32"
                        or backend == "cpu" and precision == "fp32"):
                    jobs.append((f"{name} {backend}", name, backend))
        with concurrent.futures.ThreadPoolExecutor(3 if run.has_gpu else 1) as pool:
            running = {pool.submit(golden_one, run, name, precision, backend, tuned): key
                       for key, name, backend in jobs}
            for future in concurrent.futures.as_completed(running):
                files[running[future]] = future.result()
                run.keep({"files": files})
        if not files:
            raise Missing(f"no GPU: {precision} is of the CUDA backend alone")
        return {"files": files}
    return step


def checkop(arguments, names):
    def step(run):
        out = []
        for backend in run.backends:
            options = arguments if run.has_gpu else ["--no-variants", "--size=32x32",
                                                     "--op=conv"]
            done = run.program("checkop", [f"--backend={backend.split('-')[0]}",
                                           "--threads=8", *options], 500, backend=backend)
            found = re.search(r"checkop: (\d+) checks, (\d+) failed", done.out)
            out.append({"backend": backend, "of": names, "exit": done.status,
                        "checks": int(found.group(1)) if found else None,
                        "failed": int(found.group(2)) if found else None,
                        "timed_out": done.timed_out,
                        "failures": re.findall(r"^FAIL.*$", done.out, re.M)[:20]})
            run.keep({"runs": out})
        return {"runs": out}
    return step


def cases(run, program, arguments, seconds, backend):
    """Runs a program that prints TAP, on one backend."""
    done = run.program(program, arguments, seconds, backend=backend)
    return {"backend": backend, "exit": done.status, "timed_out": done.timed_out,
            "passed": re.findall(r"^ok \d+ (/\S+)", done.out, re.M),
            "said": re.findall(r"^# (.*(?:bit-equal|same bits|of the deviation).*)$", done.out,
                               re.M)[:20],
            "end": "" if done.status == 0 else done.out[-400:]}


def batch(run):
    """A picture alone and in steps of several: whether the bits are equal, or
    the difference."""
    out = []
    for backend in run.backends:
        if backend == "cpu":
            continue
        out.append(cases(run, "test-batch", ["--backend", "cuda"], 200, backend))
        if run.has_gpu and os.path.exists(run.coco_model):
            out.append(cases(run, "test-batch", ["--backend", "cuda", "--size", "640", "--tune",
                                                 run.coco_model], 300, backend))
        run.keep({"runs": out})
    return {"runs": out}


def lost(run):
    """Loses the context; a new engine must give the same results."""
    return {"runs": [cases(run, "test-lost", [], 120, backend) for backend in run.backends
                     if backend != "cpu"]}


def group(run):
    """Streams that share an engine get the same results as alone."""
    return {"runs": [cases(run, "test-group", ["--backend", "cuda"], 200, backend)
                     for backend in run.backends if backend != "cpu"]}


def shapes(run):
    """Images of several shapes share an engine, and cameras of two shapes its time."""
    return {"runs": [cases(run, "test-shapes", ["--backend", "cuda"], 200, backend)
                     for backend in run.backends if backend != "cpu"]}


def streams(run):
    """Images a second with 1 to 64 streams of 720p frames in device memory, and
    of the engine in full steps of 32."""
    done = run.program("bench-streams", ["--model", run.model(), "--tune", "60"], 500,
                       backend="cuda")
    if done.status != 0:
        raise RuntimeError(done.out.strip()[-300:])
    return dict(json.loads(done.out[done.out.index("{"):]), exit=done.status)


def painter(run):
    """Compares drawing on frames in CUDA memory with drawing in system
    memory."""
    out = []
    for backend in run.backends:
        if backend == "cpu":
            continue
        done = run.program("test-painter", [] if run.has_gpu else ["-p", "/format/NV12"], 120,
                           backend=backend)
        out.append({"backend": backend, "exit": done.status, "timed_out": done.timed_out,
                    "passed": re.findall(r"^ok \d+ (/\S+)", done.out, re.M),
                    "end": "" if done.status == 0 else done.out[-400:]})
        run.keep({"runs": out})
    return {"runs": out}


def ap(precision):
    """Average precision on coco80; the logs keep the detections."""
    def step(run):
        backend = "cuda" if run.has_gpu else "cpu"
        if backend == "cpu" and precision != "fp32":
            raise Missing("no GPU: fp16 is of the CUDA backend alone")
        if not os.path.exists(run.coco) or not os.path.exists(run.coco_model):
            raise Missing("the archive has no pictures or weights")
        pictures = sorted(glob.glob(os.path.join(run.coco, "images/*.jpg")))
        with open(os.path.join(run.coco, "instances_val2017.json"), encoding="utf-8") as f:
            truth = json.load(f)
        done = run.program("y10", [
            "detect", "--model", run.coco_model, "--backend", backend, "--precision", precision,
            "--confidence", "0.001", *pictures], 400, backend=backend, quiet=True)
        with gzip.open(os.path.join(run.out, "logs", f"detections-{precision}.jsonl.gz"),
                       "wt") as f:
            f.write(done.out)
        images = coco.read_detections(line for line in done.out.splitlines()
                                      if line.startswith("{"))
        value, at_half = coco.average_precision(truth, images)
        return {"backend": backend, "precision": precision, "pictures": len(images),
                "exit": done.status, "ap": value, "ap50": at_half}
    return step


STRESS_LINE = re.compile(r"(\d+) steps on (\d+) threads over (\d+) slots: (\d+) wrong results, "
                         r"(\d+) errors")


def stress(run):
    backend = "cuda" if run.has_gpu else "cuda-sim"
    steps = STRESS_STEPS if run.has_gpu else 200
    done = run.program("stress-step", [
        "--backend", "cuda", str(steps), "--slots", str(STRESS_SLOTS), "--tuned"], 530, backend=backend)
    found = STRESS_LINE.search(done.out)
    if not found:
        raise RuntimeError(done.out.strip()[-300:] or f"exit status {done.status}")
    values = [int(v) for v in found.groups()]
    return {"backend": backend, "exit": done.status, "seconds": done.seconds,
            **dict(zip(("steps", "threads", "slots", "wrong", "errors"), values))}


def sanitizer_errors(text):
    """The number of compute-sanitizer's errors, or None if it did not
    finish."""
    found = re.search(r"(?:ERROR|RACECHECK) SUMMARY: (\d+) (?:error|hazard)", text)
    return int(found.group(1)) if found else None


def sanitize(tool):
    """Runs the step stress test, which uses every kernel, under
    compute-sanitizer; checks for races and barriers are limited to our own
    kernels. Racecheck does without cuDNN: on an H200 the sanitizer failed by an
    exception before the first step, whichever of our kernels it was limited to."""
    def step(run):
        program = machine.find_tool("compute-sanitizer")
        if not program:
            raise Missing("compute-sanitizer is not installed")
        # The name of the filter option differs between versions.
        filters = [[]] if tool == "memcheck" else [["--kernel-name", "kns=y10_"],
                                                   ["--kernel-regex", "kns=y10_"], []]
        for own in filters:
            done = run.command([
                program, "--tool", tool, "--error-exitcode", "9", "--print-limit", "50",
                *own, *run.machine.program("stress-step"), "--backend", "cuda", "24",
                "--slots", "2"], SANITIZER_SECONDS, backend="cuda",
                extra={"Y10_CUDA_CONV": "own"} if tool == "racecheck" else {})
            if done.timed_out or re.search("SUMMARY|COMPUTE-SANITIZER", done.out):
                break
        ran = STRESS_LINE.search(done.out)
        return {"backend": "cuda", "tool": tool, "filter": own, "exit": done.status,
                "errors": sanitizer_errors(done.out),
                "steps": int(ran.group(1)) if ran else 0,
                "wrong": int(ran.group(4)) if ran else None,
                "first": re.findall(r"^=+ .*", done.out, re.M)[:30]}
    return step


def bench(*arguments):
    """Runs tests/gpu/bench.py. It prints one JSON object a line, so that
    results before a time-out count and are not measured again. Without a GPU it
    is a rehearsal at a small size."""
    def step(run):
        backend = "cuda" if run.has_gpu else "cuda-sim"
        options = [*arguments] if run.has_gpu else [
            *arguments, "--cpu", "--no-compile", "--batches", "1", "--size", "64", "--seconds",
            "0.2", "--tune", "0"]
        rows = {(r["variant"], r["batch"]): r for r in run.earlier.get("rows", [])}
        have = os.path.join(run.out, "bench-before.json")
        with open(have, "w", encoding="utf-8") as f:
            json.dump(list(rows.values()), f)
        done = run.command([run.torch_python, os.path.join(run.here, "bench.py"), "--root",
                            run.root, "--out", run.out, "--have", have, *options], 530,
                           backend=None)
        for line in done.out.splitlines():
            if line.startswith('{"variant"'):
                row = json.loads(line)
                rows[row["variant"], row["batch"]] = row
        run.keep({"backend": backend, "rows": list(rows.values())})
        if "no PyTorch in" in done.out:
            raise Missing(done.out.strip().splitlines()[-1])
        if done.status != 0 and not done.timed_out:
            raise RuntimeError((done.out.strip().splitlines() or [f"exit status {done.status}"])[-1])
        return {"exit": done.status}
    return step


def kernels(run):
    """The kernels of one step in its graph, by CUPTI; where CUPTI is missing, the
    ops of one image instead."""
    out = {}
    for batch in (1, 32) if run.has_gpu else ():
        out[str(batch)] = trace(run, batch)
        run.keep({"backend": "cuda", "batches": out})
        if not out[str(batch)]["top"]:
            break
    if not any(b["top"] for b in out.values()):
        out["1"] = dict(time_ops(run), why=out.get("1", {}).get("end", "no GPU"))
    return {"backend": "cuda" if run.has_gpu else "cuda-sim", "batches": out}


def trace(run, batch):
    path = os.path.join(run.out, f"trace-{batch}")
    # The cache has the tuned convolutions of bench.
    done = run.program("bench-cuda", [
        "--model", run.model(), "--batch", str(batch), "--slots", "1", "--seconds", "0.1",
        "--tune", "20"], 60, backend="cuda", extra={
            "TRACEKERNELS": path,
            "CUDA_INJECTION64_PATH": os.path.join(run.root, "lib", "libtracekernels.so")})
    step = timeline.median_step(path) if os.path.exists(path) else None
    if not step:
        return {"exit": done.status, "top": [], "end": done.out[-300:]}
    with open(os.path.join(run.out, "logs", f"timeline-{batch}.txt"), "w", encoding="utf-8") as f:
        f.write(timeline.show(step))
    os.unlink(path)
    return {"exit": done.status, "by": "CUPTI", "nodes": len(step["nodes"]), "end": "",
            "total_ns": 1e3 * step["span_us"], "idle_ns": 1e3 * step["idle_us"],
            **compare_with_model(step, done.out),
            "top": [{"kernel": k["kernel"], "launches": k["launches"], "ns": 1e3 * k["us"]}
                    for k in step["kernels"][:12]]}


def compare_with_model(step, out):
    """The model's times beside those of a step; out: what bench-cuda printed."""
    try:
        found = json.loads(out[out.index("{"):])
        return {"gpu": found.get("gpu"), "copy_bytes_per_s": found.get("copy_bytes_per_s"),
                "model": model.compare(step, found)}
    except (ValueError, KeyError, TypeError, AttributeError, ZeroDivisionError) as e:
        return {"model": None, "model_why": f"{type(e).__name__}: {e}"[:200]}


def time_ops(run):
    """Wall-clock time of each op alone, including launch and wait: an upper
    bound."""
    backend = "cuda" if run.has_gpu else "cuda-sim"
    done = run.program("y10", [
        "bench", "--json", "--backend", "cuda", "--precision", "fp16", "--model", run.model(),
        "--seconds", "1", *([] if run.has_gpu else ["--size", "64", "--no-tune"])], 90,
        backend=backend, quiet=True)
    if done.status != 0:
        raise RuntimeError(done.out.strip()[-300:] or f"y10 bench: exit status {done.status}")
    ops = json.loads(done.out[done.out.index("{"):])["ops"]
    top = sorted(({"kernel": f"{op['name']} ({op['kind']})", "launches": 1, "ns": 1e6 * op["ms"]}
                  for op in ops), key=lambda k: -k["ns"])
    return {"exit": done.status, "by": "wall clock of one op, launch and wait included",
            "top": top[:12], "total_ns": sum(k["ns"] for k in top), "end": ""}


def all_steps():
    """In the order of PARTS."""
    sanitizer = functools.partial(Step, seconds=120, gpu=True, limit=SANITIZER_SECONDS)
    found = {step.name: step for step in (
        Step("facts", facts, 5, False, "the machine, its GPU and its libraries", 60),
        Step("doctor", doctor, 20, False, "y10 doctor", 60),
        Step("golden-fp16", golden("fp16"), 60, False, "golden files in fp16", 120),
        Step("golden-fp32", golden("fp32"), 60, False, "golden files in fp32", 120),
        Step("ap-fp16", ap("fp16"), 20, True, "average precision on coco80 in fp16", 60),
        Step("bench", bench("--variants", "n", "--tune", "40", "--seconds", "1"), 220, False,
             "yolov10n against PyTorch", 260),
        Step("kernels", kernels, 30, False, "the kernels that take the most time", 120),
        Step("convolutions", convolutions.step, 300, True,
             "yolov10n by cuDNN's convolutions, by ours and by both"),
        Step("golden-tuned", golden("fp16", tuned=True), 150, True,
             "golden files in fp16, in fused convolutions", 180),
        Step("stress", stress, 120, False, "steps over four slots, every result checked"),
        Step("pipeline", pipeline.step, 60, False, "the element on frames in CUDA memory"),
        Step("lost", lost, 20, False, "a lost context, and a new one"),
        Step("painter", painter, 20, False, "drawing on frames in CUDA memory"),
        Step("batch", batch, 100, False, "a picture alone and among others"),
        *(sanitizer("sanitize-" + tool, sanitize(tool), title="compute-sanitizer " + tool)
          for tool in SANITIZERS),
        Step("golden-tf32", golden("tf32"), 60, False, "golden files in tf32", 120),
        Step("golden-bf16", golden("bf16"), 60, False, "golden files in bf16", 120),
        Step("checkop", checkop(["--no-variants"], "odd shapes"), 60, False,
             "every op, odd shapes"),
        Step("streams", streams, 300, True, "1 to 64 streams, images a second"),
        Step("group", group, 30, False, "streams that share an engine"),
        Step("shapes", shapes, 30, False, "images of several shapes on an engine"),
        *(Step("bench-" + v, bench("--variants", v, "--no-compile", "--tune", "60"), 150, True,
               f"yolov10{v} against PyTorch", 250) for v in "xsmbl"),
        Step("checkop-variants", checkop(["--only-variants"], "the variants' shapes"), 200, True,
             "every op, the shapes of all variants"),
        Step("ap-fp32", ap("fp32"), 20, False, "average precision on coco80 in fp32"),
    )}
    return [found[name] for part in PARTS for name in part]
