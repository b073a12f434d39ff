#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Runs the steps of steps.py one by one into a folder, and sums them up there
in report.json and report.tar. A step that fails, or lacks something, is
recorded and does not stop the others. With the same folder again, or an earlier
report.tar, only the remaining steps run.
"""
import argparse
import collections
import json
import os
import signal
import subprocess
import sys
import tarfile
import time
import traceback

import check
import machine
import steps

FORMAT = 1
LONGEST = 540                   # seconds, of a step
BIGGEST = 16 << 20              # bytes, of report.tar

Done = collections.namedtuple("Done", "status out seconds timed_out")


class OutOfTime(Exception):
    """The step was stopped by the budget, or by its own limit."""


class Run:
    """The steps' view of the machine, and the way they start programs."""

    def __init__(self, root, out, torch_python):
        self.here = os.path.dirname(os.path.abspath(__file__))
        self.root, self.out = root, out
        self.data = os.path.join(root, "data")
        self.coco_model = os.path.join(root, "models", "yolov10n-coco.safetensors")
        self.coco = os.path.join(root, "coco80")
        self.torch_python = torch_python
        self.machine = machine.Machine(root, out)
        self.has_gpu = self.machine.has_gpu
        self.backends = ["cuda"] if self.has_gpu else ["cpu", "cuda-sim"]
        self.log = self.entry = None
        self.earlier = {}               # the step's results of a run that was stopped
        self.deadline = time.monotonic() + LONGEST

    def keep(self, values):
        """Saves a step's results so far."""
        self.entry.update(values)
        write(os.path.join(self.out, "steps", self.entry["name"] + ".json"), self.entry)

    def command(self, command, timeout, backend="cpu", extra=None, quiet=False):
        """Runs a command and returns its output, which the log gets, too,
        unless @quiet. All processes that it has started end with it."""
        left = self.deadline - time.monotonic()
        if left < 1:
            raise OutOfTime("no time left for " + os.path.basename(command[0]))
        env = dict(self.machine.environment(backend) if backend else os.environ,
                   **(extra or {}))
        head = "$ " + " ".join(command)[:1500] + "\n"
        start = time.monotonic()
        with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL,
                              stderr=self.log if quiet else subprocess.STDOUT, text=True,
                              errors="replace", start_new_session=True) as child:
            timed_out = False
            try:
                out, _ = child.communicate(timeout=min(timeout, left))
            except subprocess.TimeoutExpired:
                timed_out = True
                os.killpg(child.pid, signal.SIGKILL)
                out, _ = child.communicate()
        seconds = round(time.monotonic() - start, 2)
        # Written in one piece, because several commands may be running.
        self.log.write(head + ("" if quiet else out[-200000:])
                       + f"[exit status {child.returncode}, {seconds} s]\n")
        self.log.flush()
        if timed_out:
            self.entry["timed_out"] = " ".join(command)[-200:]
        return Done(child.returncode, out, seconds, timed_out)

    def model(self):
        """Weights of yolov10n: real ones if present, else seeded ones."""
        if os.path.exists(self.coco_model):
            return self.coco_model
        path = os.path.join(self.out, "yolov10n.safetensors")
        if not os.path.exists(path):
            self.program("seeded", [os.path.join(self.data, "yolov10n-nc80.shapes.json"), path], 60)
        return path

    def program(self, name, arguments, timeout, **options):
        return self.command(self.machine.program(name) + arguments, timeout, **options)


def write(path, value):
    temporary = path + ".new"
    with open(temporary, "w", encoding="utf-8") as f:
        json.dump(value, f, indent=1)
        f.write("\n")
    os.replace(temporary, path)


def say(text):
    """Prints; if the reader is gone, the steps continue silently."""
    try:
        print(text, flush=True)
    except OSError:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")


def read(path):
    try:
        with open(path, encoding="utf-8") as f:
            return json.load(f)
    except (OSError, ValueError):
        return None


def run_step(run, step, limit):
    """Runs a step and returns its entry in the report; status: ok, failed,
    missing or timeout."""
    run.earlier = read(os.path.join(run.out, "steps", step.name + ".json")) or {}
    run.entry = {"name": step.name, "status": "running", "on_gpu": run.has_gpu}
    run.deadline = time.monotonic() + limit
    start = time.monotonic()
    with open(os.path.join(run.out, "logs", step.name + ".log"), "w", encoding="utf-8") as log:
        run.log = log
        try:
            run.entry.update(step.function(run))
            # A step that timed out keeps its partial results.
            run.entry["status"] = "timeout" if run.entry.get("timed_out") else "ok"
        except OutOfTime as e:
            run.entry.update(status="timeout", why=str(e))
        except steps.Missing as e:
            run.entry.update(status="missing", why=str(e))
        except Exception as e:  # pylint: disable=broad-except
            log.write(traceback.format_exc())
            run.entry.update(status="failed", why=f"{type(e).__name__}: {e}"[:600])
    run.entry["seconds"] = round(time.monotonic() - start, 1)
    run.keep({})
    return run.entry


def summarize(out):
    """Writes report.json of all steps so far, and report.tar.gz of it and the
    logs."""
    report = {"format": FORMAT, "steps": {}}
    for step in steps.all_steps():
        entry = read(os.path.join(out, "steps", step.name + ".json"))
        if entry:
            report["steps"][step.name] = entry
    path = os.path.join(out, "report.json")
    write(path, report)
    tar_path = os.path.join(out, "report.tar.gz")
    cache = os.path.join(out, "cache")
    logs = sorted(os.listdir(os.path.join(out, "logs")),
                  key=lambda n: os.path.getsize(os.path.join(out, "logs", n)))
    # With the plan cache, for a later run on such a machine, if that fits.
    for kept, with_cache in ((logs, True), (logs, False),
                             ([n for n in logs if n.endswith(".log")][:40], False), ([], False)):
        with tarfile.open(tar_path + ".new", "w:gz") as tar:
            tar.add(path, "report.json")
            tar.add(os.path.join(out, "steps"), "steps")
            for name in kept:
                tar.add(os.path.join(out, "logs", name), "logs/" + name)
            if with_cache:
                tar.add(cache, "cache")
        if os.path.getsize(tar_path + ".new") <= BIGGEST:
            break
    os.replace(tar_path + ".new", tar_path)
    return report


def parse(arguments):
    parser = argparse.ArgumentParser(
        prog="run.sh", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--output", default="gpu-report", help="folder for the results")
    parser.add_argument("--budget", type=float, default=1e9, metavar="SECONDS",
                        help="stop after so long; the next run continues interrupted steps")
    parser.add_argument("--only", help="run only these steps, separated by commas")
    parser.add_argument("--part", type=int, choices=range(1, len(steps.PARTS) + 1), metavar="N",
                        help=f"part N of {len(steps.PARTS)}, each within {steps.PART_SECONDS} s; "
                        "part 1 is worth the most")
    parser.add_argument("--again", action="store_true",
                        help="repeat failed steps, too; with --only all of them")
    parser.add_argument("--resume", metavar="TAR", help="an earlier report.tar.gz")
    parser.add_argument("--dry-run", action="store_true", help="say what would be done")
    parser.add_argument("--check", metavar="REPORT",
                        help="only judge this report.json")
    parser.add_argument("--root", help=argparse.SUPPRESS)
    parser.add_argument("--torch-python", default=sys.executable, metavar="PYTHON",
                        help="a Python with PyTorch, for the benchmark")
    return parser.parse_args(arguments)


def main():
    options = parse(sys.argv[1:])
    start = time.monotonic()
    if options.check:
        return check.main(options.check)
    here = os.path.dirname(os.path.abspath(__file__))
    root = os.path.abspath(options.root or os.path.join(here, "../.."))
    out = os.path.abspath(options.output)
    if not os.path.isdir(os.path.join(root, "bin")):
        sys.exit(f"{root} is not an unpacked archive; tests/gpu/bundle.sh makes one")
    for folder in ("steps", "logs", "cache"):
        os.makedirs(os.path.join(out, folder), exist_ok=True)
    if options.resume:
        with tarfile.open(options.resume) as tar:
            members = [m for m in tar.getmembers() if m.isfile() and ".." not in m.name
                       and m.name.startswith(("steps/", "logs/", "cache/"))]
            tar.extractall(out, members)
    run = Run(root, out, options.torch_python)
    say("GPU: " + ("found" if run.has_gpu else
                   "none (no libcuda.so.1 with a device), so what can be is run on the CPU "
                   "and on the simulated GPU"))
    chosen = options.only.split(",") if options.only else None
    unknown = set(chosen or ()) - {step.name for step in steps.all_steps()}
    if unknown:
        sys.exit(f"no step is named {', '.join(sorted(unknown))}; --dry-run lists them")
    if options.part:
        chosen = steps.PARTS[options.part - 1]
        options.budget = min(options.budget, steps.PART_SECONDS)
    for step in steps.all_steps():
        done = read(os.path.join(out, "steps", step.name + ".json"))
        left = options.budget - (time.monotonic() - start)
        if chosen and step.name not in chosen:
            continue
        enough = ("ok", "failed", "missing")
        if options.again:
            enough = () if chosen else ("ok",)
        # Results without a GPU are repeated with one, and each machine reports
        # its own facts.
        if done and done.get("status") in enough and done.get("on_gpu") == run.has_gpu \
                and step.name != "facts":
            what = done["status"] + ", done before"
        elif step.gpu and not run.has_gpu:
            what = "not run: needs a GPU"
        elif options.dry_run:
            what = f"would be run, about {step.seconds} s"
        elif left < min(step.seconds, 60):
            what = f"not run: {left:.0f} s left of the budget"
        else:
            entry = run_step(run, step, min(LONGEST, step.limit, left - 2))
            summarize(out)
            what = f"{entry['status']}, {entry['seconds']:.0f} s" + (
                ": " + entry["why"].splitlines()[0] if entry.get("why") else "")
        say(f"{step.name:<20} {step.title}: {what}")
    if not options.dry_run:
        report = summarize(out)
        say("")
        check.judge(report, steps.golden_names(run.data)).show()
        say(f"\n{out}/report.tar.gz: report.json and logs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
