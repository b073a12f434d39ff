# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""The step `convolutions`: yolov10n by cuDNN's convolutions alone, by ours alone and by the
tuner's choice among both, and how often it chose whom."""
import json
import os

# What Y10_CUDA_CONV is, in the order of the runs; the last has both.
PROVIDERS = ("cudnn", "own", "both")
BATCHES = (1, 32)
# The tuner's choice among both may take so many times what the better one takes: times of
# one step vary by this much.
AT_MOST = 1.05


def measure(run, provider, batch):
    """One row; with the reason instead of figures if there are none."""
    # Plans of one provider do not reach the cache of both.
    done = run.program("bench-cuda", [
        "--model", run.model(), "--batch", str(batch), "--seconds", "0.5", "--tune", "60"], 90,
        backend="cuda", extra={
            "Y10_CUDA_CONV": "" if provider == "both" else provider,
            **({} if provider == "both" else
               {"XDG_CACHE_HOME": os.path.join(run.out, "cache-" + provider)})})
    row = {"provider": provider, "batch": batch, "exit": done.status}
    try:
        found = json.loads(done.out[done.out.index("{"):])
        return dict(row, ms=found["latency_ms"]["median"], throughput_ms=found["throughput_ms"],
                    tuned=found["tuned"], convolutions=found["convolutions"])
    except (ValueError, KeyError, TypeError) as e:
        return dict(row, why=f"{type(e).__name__}: {e}; {done.out.strip()[-200:]}")


def step(run):
    """Keeps the rows of an earlier run."""
    rows = [r for r in run.earlier.get("rows", []) if "ms" in r]
    have = {(r["provider"], r["batch"]) for r in rows}
    for batch in BATCHES:
        for provider in PROVIDERS:
            if (provider, batch) not in have:
                rows.append(measure(run, provider, batch))
                run.keep({"backend": "cuda", "rows": rows})
    return {"backend": "cuda", "rows": rows}


def judge(entry):
    """(good, text) of the step's entry; good is None if a figure is missing."""
    rows = {(r.get("provider"), r.get("batch")): r for r in entry.get("rows", [])}
    good, texts = True, []
    for batch in BATCHES:
        found = [rows.get((p, batch), {}) for p in PROVIDERS]
        times = [r.get("ms") for r in found]
        if not all(isinstance(t, (int, float)) and t > 0 for t in times):
            return None, f"batch {batch} lacks " + ", ".join(
                p + (f" ({r['why']})" if r.get("why") else "")
                for p, r, t in zip(PROVIDERS, found, times) if not t)
        chosen = found[-1].get("convolutions") or {}
        good = good and times[-1] <= AT_MOST * min(times[:-1])
        texts.append(f"batch {batch}: " + ", ".join(
            f"{p} {t:.3f} ms" for p, t in zip(PROVIDERS, times)) + ", of which own "
            f"{chosen.get('own')} of {sum(chosen.values())} convolutions")
    return good, "; ".join(texts)
