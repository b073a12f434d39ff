# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Judges a report: one line for each requirement, pass, fail or missing.
Results without a GPU count as missing.
"""
import json
import os
import sys

import convolutions
import model
import steps

AP, AP_TOLERANCE = 0.3965, 0.003        # of the PyTorch reference
BENCH_MS = 0.40                         # yolov10n 640, batch 1
BENCH_EAGER = 3.0                       # times as fast as eager PyTorch
BENCH_CAPTURED = 1.3                    # … as the best with CUDA graphs
BENCH_FLOOR = 0.45                      # of the floor's speed at batch 32
STREAMS, STREAMS_SPEED = 64, 0.85       # so many have of the engine's speed at batch 32
CAPTURED = ("compile_ms", "cudagraph_ms")
TABLE = ("ours_ms", "ours_throughput_ms", "floor_ms", "eager_ms", "cudagraph_ms")


class Verdict:
    def __init__(self):
        self.lines = []                 # (verdict, what, why)

    def add(self, what, good, why):
        """good: True, False, or None for missing."""
        word = "missing" if good is None else "pass" if good else "fail"
        self.lines.append((word, what, why))

    def show(self):
        for word, what, why in self.lines:
            print(f"{word:<8} {what}: {why}")
        counts = [sum(line[0] == word for line in self.lines)
                  for word in ("pass", "fail", "missing")]
        print("%d passed, %d failed, %d missing" % tuple(counts))

    def good(self):
        return bool(self.lines) and all(line[0] == "pass" for line in self.lines)


def number(value):
    """The value, or None if it is no number; NaN counts as none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:
        return None
    return value


def below(value, limit):
    return number(value) is not None and 0 <= value <= limit


def ratio(a, b, at_least):
    """Whether a / b reaches a limit, rounded so that a decimal value at the
    limit passes."""
    return round(a / b, 6) >= at_least


def step_of(report, name):
    """(the step, None), or (None, the reason why it is missing). A step that
    was stopped counts with the results it has."""
    entry = report.get("steps", {}).get(name)
    if not entry:
        return None, "was not run"
    if entry.get("status") in ("missing", "failed"):
        return None, f"{entry['status']}: {entry.get('why', '')}"
    return entry, None


def judge_golden(v, report, precision, names, tuned=False):
    step, why = step_of(report, "golden-" + ("tuned" if tuned else precision))
    largest, rms = steps.GOLDEN_LIMITS[precision]
    files = {name: f for name, f in (step or {}).get("files", {}).items()
             if f.get("backend") == "cuda" and f.get("precision") == precision}
    # 77: this GPU does not support the precision; that is no pass, either.
    bad = [f"{name} {f.get('largest', '?')} and {f.get('rms', '?')}"
           + (f" ({f['why'].splitlines()[-1]})" if f.get("why") else "")
           for name, f in files.items()
           if not (f.get("ok") is True and below(f.get("largest"), largest)
                   and below(f.get("rms"), rms))]
    left = [name for name in names if name not in files]
    what = "fused convolutions on golden files" if tuned else f"golden files in {precision}"
    if bad:
        v.add(what, False, f"limits {largest} and {rms}; " + "; ".join(bad))
    elif left or not files:
        v.add(what, None, why or f"{len(left)} of {len(names)} files, the first "
              f"{left[0] if left else '-'}")
    else:
        v.add(what, True, "%d files, worst %.2g of %.2g, RMS %.2g" % (
            len(files), max(f["largest"] for f in files.values()), largest,
            max(f["rms"] for f in files.values())))


def judge_ap(v, report):
    step, why = step_of(report, "ap-fp16")
    what = "fp16 AP on coco80"
    if not step or step.get("backend") != "cuda" or number(step.get("ap")) is None:
        v.add(what, None, why or "not of the GPU")
        return
    # Rounded: 0.3995 is at the limit, not over it.
    v.add(what, round(abs(step["ap"] - AP), 6) <= AP_TOLERANCE and step.get("precision") == "fp16"
          and step.get("pictures") == 80,
          f"{step['ap']:.4f} of {step.get('pictures')} pictures in {step.get('precision')}; "
          f"expected {AP} ± {AP_TOLERANCE}")


def judge_stress(v, report):
    step, why = step_of(report, "stress")
    what = "step stress"
    if not step or step.get("backend") != "cuda" or "steps" not in step:
        v.add(what, None, why or "not of the GPU")
        return
    v.add(what, step["steps"] >= steps.STRESS_STEPS and step.get("slots") == steps.STRESS_SLOTS
          and step.get("wrong") == 0 and step.get("errors") == 0 and step.get("exit") == 0,
          f"{step['steps']} steps over {step.get('slots')} slots, {step.get('wrong')} wrong, "
          f"{step.get('errors')} errors; expected {steps.STRESS_STEPS} over "
          f"{steps.STRESS_SLOTS} without any")


def judge_sanitizers(v, report):
    for tool in steps.SANITIZERS:
        step, why = step_of(report, "sanitize-" + tool)
        what = "compute-sanitizer " + tool
        if not step or step.get("errors") is None and not step.get("steps"):
            v.add(what, None, why or "it did not come to its end")
        else:
            v.add(what, step.get("errors") == 0 and step.get("steps", 0) > 0
                  and step.get("wrong") == 0 and step.get("exit") == 0,
                  f"{step.get('errors')} errors in {step.get('steps')} steps, exit status "
                  f"{step.get('exit')}")


def judge_checkop(v, report):
    for name in ("checkop", "checkop-variants"):
        step, why = step_of(report, name)
        runs = [r for r in (step or {}).get("runs", []) if r.get("backend") == "cuda"]
        if not runs or runs[0].get("checks") is None and not runs[0].get("failures"):
            v.add(name, None, why or "not of the GPU, or not to its end")
        else:
            r = runs[0]
            v.add(name, bool(r.get("checks")) and r.get("failed") == 0 and r.get("exit") == 0,
                  f"{r.get('checks')} checks, {r.get('failed')} failed"
                  + "".join("; " + f for f in r.get("failures", [])[:3]))


def judge_pipeline(v, report):
    step, why = step_of(report, "pipeline")
    on_gpu = bool(step) and step.get("backend") == "cuda"
    for what, part in (("host copies of frames in the pipeline", step),
                       ("host copies of frames with the overlay", (step or {}).get("overlay"))):
        if not on_gpu or not part or number(part.get("host_copies_of_frames")) is None:
            v.add(what, None, why or "not of the GPU, or not counted")
            continue
        v.add(what, part["host_copies_of_frames"] == 0 and part.get("exit") == 0
              and part.get("frames", 0) > 0 and part.get("active_backend") == "cuda"
              and part.get("cuda_memory") is True,
              f"{part['host_copies_of_frames']} a frame in {part.get('frames')} frames from "
              f"{step.get('source')} on {part.get('active_backend')}, CUDA memory: "
              f"{part.get('cuda_memory')}")


PAINTER_CASES = 21              # 17 formats, many items, cells, large texts, large frames


def judge_painter(v, report):
    step, why = step_of(report, "painter")
    runs = [r for r in (step or {}).get("runs", []) if r.get("backend") == "cuda"]
    what = "drawing on frames in CUDA memory"
    if not runs:
        v.add(what, None, why or "not of the GPU")
        return
    passed = len(runs[0].get("passed", []))
    v.add(what, runs[0].get("exit") == 0 and passed >= PAINTER_CASES,
          f"{passed} cases as in system memory" + ("; " + runs[0].get("end", "")[-200:]
                                                   if runs[0].get("exit") else ""))


def judge_cases(v, report, name, what, least):
    step, why = step_of(report, name)
    runs = [r for r in (step or {}).get("runs", []) if r.get("backend") == "cuda"]
    if not runs:
        v.add(what, None, why or "not of the GPU")
        return
    v.add(what, all(r.get("exit") == 0 and len(r.get("passed", [])) >= least for r in runs),
          "; ".join(text for r in runs for text in r.get("said", [])[-2:] + [r.get("end", "")[-200:]]
                    if text) or f"{len(runs)} runs")


def judge_streams(v, report):
    step, why = step_of(report, "streams")
    runs = (step or {}).get("runs", [])
    many = next((r for r in runs if r.get("streams") == STREAMS), {})
    full, speed = number((step or {}).get("full_steps_per_s")), number(many.get("per_s"))
    what = f"{STREAMS} streams at {STREAMS_SPEED:.0%} of the engine's speed"
    if not full or not speed or step.get("backend") != "cuda":
        v.add(what, None, why or "not measured")
        return
    v.add(what, ratio(speed, full, STREAMS_SPEED) and many.get("sharing") == STREAMS
          and all(r.get("failed") == 0 for r in runs),
          "; ".join(f"{r.get('streams')}: {r.get('per_s')} images/s, fill {r.get('fill')}, p95 "
                    f"{r.get('delay_ms', {}).get('p95')} ms" for r in runs)
          + f"; full steps {full} images/s")


def bench_rows(report):
    rows = {}
    for name in ("bench", *("bench-" + variant for variant in steps.VARIANTS)):
        step = report.get("steps", {}).get(name, {})
        for row in step.get("rows", []) if step.get("backend") == "cuda" else ():
            rows[row.get("variant"), row.get("batch")] = row
    return rows


def judge_bench(v, report):
    rows = bench_rows(report)
    _, why = step_of(report, "bench")
    one, many = rows.get(("n", 1), {}), rows.get(("n", 32), {})
    ours = number(one.get("ours_ms"))
    captured = [one[k] for k in CAPTURED if number(one.get(k))]
    eager = number(one.get("eager_ms"))
    floor, speed = number(many.get("floor_ms")), number(many.get("ours_throughput_ms"))
    v.add(f"yolov10n batch 1 within {BENCH_MS} ms", None if not ours else ours <= BENCH_MS,
          f"{ours} ms" if ours else why or "not measured")
    v.add(f"{BENCH_EAGER} times as fast as eager PyTorch",
          None if not ours or not eager else ratio(eager, ours, BENCH_EAGER),
          f"{eager / ours:.2f} times" if ours and eager else why or "not measured")
    # The best is known only if both were measured.
    v.add(f"{BENCH_CAPTURED} times as fast as captured PyTorch",
          None if not ours or len(captured) < len(CAPTURED)
          else ratio(min(captured), ours, BENCH_CAPTURED),
          f"{min(captured) / ours:.2f} times" if ours and captured else why or "not measured")
    v.add(f"{BENCH_FLOOR:.0%} of the floor's speed at batch 32",
          None if not floor or not speed else ratio(floor, speed, BENCH_FLOOR),
          f"{floor / speed:.0%}" if floor and speed else why or "not measured")
    left = [f"{variant} at {batch}" for variant in steps.VARIANTS for batch in steps.BATCHES
            if not all(number(rows.get((variant, batch), {}).get(k))
                       for k in TABLE)]
    v.add("table of all variants", None if left else True,
          f"without {len(left)} rows, the first {left[0]}" if left else "complete")
    step, why = step_of(report, "kernels")
    top = (step or {}).get("batches", {}) if (step or {}).get("backend") == "cuda" else {}
    v.add("top kernels", True if top and all(b.get("top") for b in top.values()) else None,
          why or (f"of batches {', '.join(top)}" if top else "not of the GPU"))


def judge_convolutions(v, report):
    step, why = step_of(report, "convolutions")
    good, text = convolutions.judge(step or {}) if not why else (None, why)
    v.add("the tuner's choice among both providers", good if step and step.get("backend") == "cuda"
          else None, text)


def judge(report, names):
    """names: the golden files that must be present."""
    v = Verdict()
    step, why = step_of(report, "doctor")
    on_gpu = bool(report.get("steps", {}).get("facts", {}).get("has_gpu"))
    v.add("y10 doctor", None if not step or "ok" not in step or not on_gpu else step["ok"] is True,
          why or "; ".join(p["problem"] for p in step.get("problems", [])
                           if p.get("severity") == "error")
          or ("no problems" if on_gpu else "no GPU"))
    for precision in steps.PRECISIONS:
        judge_golden(v, report, precision, names)
    judge_golden(v, report, "fp16", names, tuned=True)
    judge_ap(v, report)
    judge_stress(v, report)
    judge_sanitizers(v, report)
    judge_checkop(v, report)
    judge_pipeline(v, report)
    judge_painter(v, report)
    judge_cases(v, report, "batch", "a picture alone and among others", 3)
    judge_cases(v, report, "lost", "a new engine after a lost context", 1)
    judge_cases(v, report, "group", "streams that share an engine", 6)
    judge_cases(v, report, "shapes", "images of several shapes on an engine", 7)
    judge_streams(v, report)
    judge_bench(v, report)
    judge_convolutions(v, report)
    return v


COLUMNS = (("yolov10detect", "ours_ms", "ours_throughput_ms"),
           ("PyTorch eager", "eager_ms", "eager_throughput_ms"),
           ("PyTorch CUDA graph", "cudagraph_ms", "cudagraph_throughput_ms"))


def table(report):
    """The benchmark in Markdown, for docs/performance.md: the median time in ms
    of a single step, and images a second with several steps running."""
    rows = bench_rows(report)
    lines = ["| yolov10 | batch | " + " | ".join(f"{name} ms | images/s" for name, _, _ in COLUMNS)
             + " | torch.compile ms | copy GB/s | of the copy rate |",
             "|---|---" + "|---" * (2 * len(COLUMNS) + 3) + "|"]
    for variant in steps.VARIANTS:
        for batch in steps.BATCHES:
            row = rows.get((variant, batch))
            if not row:
                continue
            cells = []
            for _, alone, flying in COLUMNS:
                ms, step_ms = number(row.get(alone)), number(row.get(flying))
                cells += [f"{ms:.3f}" if ms else "",
                          f"{1e3 * batch / step_ms:.0f}" if step_ms else ""]
            compiled, rate = number(row.get("compile_ms")), number(row.get("copy_gb_per_s"))
            floor, speed = number(row.get("floor_ms")), number(row.get("ours_throughput_ms"))
            cells += [f"{compiled:.3f}" if compiled else "", f"{rate:.0f}" if rate else "",
                      f"{floor / speed:.0%}" if floor and speed else ""]
            lines.append(f"| {variant} | {batch} | " + " | ".join(cells) + " |")
    return lines if len(lines) > 2 else []


def kernel_list(report):
    """The ten kernels that take the most time in one step, and their share of it.
    Kernels on parallel streams overlap, so shares can sum up to more than 100 %."""
    lines = []
    for batch, b in report.get("steps", {}).get("kernels", {}).get("batches", {}).items():
        if not b.get("top"):
            continue
        total = b.get("total_ns") or sum(k["ns"] for k in b["top"])
        lines += [f"batch {batch}, {total / 1e3:.0f} us by {b.get('by', '?')}:",
                  f"{'us':>9} {'%':>5} {'n':>4}  kernel"]
        lines += [f"{k['ns'] / 1e3:9.1f} {100 * k['ns'] / total:5.1f} {k['launches']:4}  "
                  f"{k['kernel'][:80]}" for k in b["top"][:10]]
        if b.get("model"):
            lines += [f"the same by the model of {b.get('nodes')} nodes, with "
                      f"{(b.get('idle_ns') or 0) / 1e3:.1f} us in which no kernel ran:",
                      *model.show(b["model"])]
    return lines


def main(path):
    here = os.path.dirname(os.path.abspath(__file__))
    for data in (os.path.join(here, "../../data"), os.path.join(here, "../data")):
        names = steps.golden_names(data)
        if names:
            break
    try:
        with open(path, encoding="utf-8") as f:
            report = json.load(f)
        if not isinstance(report, dict):
            raise ValueError("no report")
    except (OSError, ValueError) as e:
        print(f"{path}: {e}", file=sys.stderr)
        return 1
    gpu = report.get("steps", {}).get("facts", {}).get("gpu") or {}
    print("GPU: " + (", ".join(f"{gpu.get(k)}" for k in ("name", "driver_version", "clocks.max.sm"))
                     if gpu else "none"))
    for line in table(report) + kernel_list(report):
        print(line)
    verdict = judge(report, names)
    verdict.show()
    return 0 if verdict.good() else 1
