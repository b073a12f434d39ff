# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
import argparse
import contextlib
import json
import os
import pathlib
import shutil
import sys
import time

from . import __doc__ as documentation
from . import manifest, merge, tasks
from .cluster import Ray
from .files import locked
from .local import Local
from .supervise import Call, Supervisor
from .tasks import Wrong

try:
    from tqdm import tqdm
except ImportError:
    tqdm = None

INTERRUPTED = 130
#: Seconds between lines about the progress where there is no bar.
REPORT_PERIOD = 30
#: Variables that change what y10 computes, so that every node must have the driver's.
ENVIRONMENT = ("Y10_",)


class Lines:
    """Reports progress in lines, for logs."""

    def __init__(self, total, unit):
        self.total, self.unit = total, unit
        self.n, self.last = 0, time.monotonic()

    def update(self, n):
        self.n += n
        now = time.monotonic()
        if now - self.last > REPORT_PERIOD:
            self.last = now
            print(f"{self.n} of {self.total} {self.unit}s", file=sys.stderr, flush=True)


@contextlib.contextmanager
def progress(total, unit):
    if tqdm is None or not sys.stderr.isatty():
        yield Lines(total, unit).update
        return
    with tqdm(total=total, unit=unit) as shown:
        yield shown.update


def process(run, job, header, lines, per_task):
    """Returns the entries of the manifest, and the receipts of each."""
    entries, calls, owners = [json.loads(line) for line in lines], [], []
    for i, entry in enumerate(entries):
        n = len(entry.get("segments", ()))
        for first in range(0, n, per_task):
            last = min(first + per_task, n) - 1
            calls.append(Call(last - first + 1, tasks.detect, tasks.fail_detect,
                              (job, header, lines[i], first, last)))
            owners.append(i)
    receipts = [[] for _ in entries]
    for i, result in zip(owners, run(calls, "segment")):
        receipts[i] += result
    return entries, receipts


def wants_gpu(options):
    """Whether y10 detect would take a GPU if there is one."""
    text = " ".join(options).replace("=", " ")
    return not any(f"--backend {name}" in text for name in ("cpu", "ref"))


def parse_args(argv):
    argv, options = list(argv), []
    if "--" in argv:
        at = argv.index("--")
        argv, options = argv[:at], argv[at + 1:]
    parser = argparse.ArgumentParser(
        prog="python -m y10.archive",
        usage="%(prog)s OUT INPUT... [OPTION...] [-- Y10_DETECT_OPTION...]",
        description=documentation.splitlines()[0],
        epilog="Options after -- are those of 'y10 detect': --model, --classes and so on.")
    parser.add_argument("out", metavar="OUT", type=pathlib.Path, help="folder for the results")
    parser.add_argument("inputs", metavar="INPUT", nargs="+", help="pictures, videos, folders")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--local", metavar="N", type=int, default=1,
                       help="run N tasks at once on this machine [1]")
    where.add_argument("--address", metavar="ADDRESS",
                       help="run on this Ray cluster; auto: the one of this machine")
    parser.add_argument("--cpus-per-task", metavar="N", type=int, default=1,
                        help="CPUs, and threads, of a task [1]")
    parser.add_argument("--gpus-per-task", metavar="N", type=float,
                        help="GPUs of a task on a Ray cluster; 0.25: four tasks share one "
                        "[1 if the cluster has GPUs, else 0]")
    parser.add_argument("--seconds", type=float, default=60, help="length of a segment [60]")
    parser.add_argument("--per-task", metavar="N", type=int, default=1,
                        help="segments of a task [1]")
    parser.add_argument("--patience", metavar="SECONDS", type=float, default=60,
                        help="a task without a result for so long is also given to another node; "
                        "at least four times the longest task so far [60]")
    parser.add_argument("--limit", metavar="SECONDS", type=float, default=86400,
                        help="a task fails if it takes longer [86400]")
    parser.add_argument("--store", help="folder for the results of segments [OUT/store]")
    parser.add_argument("--y10", default="y10", help="the y10 command on every node [y10]")
    parser.add_argument("--parquet", action="store_true", help="also write OUT/detections.parquet")
    args = parser.parse_args(argv)
    for name in ("local", "per_task", "cpus_per_task", "patience", "limit"):
        if not getattr(args, name) >= 1:
            parser.error(f"--{name.replace('_', '-')} must be at least 1")
    if args.gpus_per_task is not None and not args.gpus_per_task >= 0:
        parser.error("--gpus-per-task must be at least 0")
    if not any(o in ("-t", "--threads") or o.startswith("--threads=") for o in options):
        options = ["--threads", str(args.cpus_per_task), *options]
    args.options = tuple(options)
    return args


def run_archive(args, executor, job):
    """Returns the exit status."""
    def run(calls, unit):
        with progress(sum(call.weight for call in calls), unit) as bar:
            return Supervisor(executor, calls, args.patience, args.limit, bar).run()

    header, lines = manifest.make(run, job, args.inputs, args.seconds, args.out / "manifest.jsonl")
    entries, receipts = process(run, job, header, lines, args.per_task)
    return merge.merge(args.out, job.store, args.parquet, entries, receipts)


def main(argv=None):
    """Returns the exit status: 0, 1 if an input failed, 2 if nothing could be done."""
    args = parse_args(sys.argv[1:] if argv is None else argv)
    out = os.path.abspath(args.out)
    running = os.path.join(out, "running")
    job = tasks.Job(
        args.y10, os.path.abspath(args.store or os.path.join(out, "store")), args.options,
        os.getcwd(), {k: v for k, v in os.environ.items() if k.startswith(ENVIRONMENT)}, args.limit)
    executor, stack = None, contextlib.ExitStack()
    try:
        os.makedirs(out, exist_ok=True)
        stack.enter_context(locked(out))
        executor = Local(args.local) if args.address is None else Ray(
            args.address, args.cpus_per_task, args.gpus_per_task, wants_gpu(args.options), running)
        return run_archive(args, executor, job)
    except (Wrong, OSError) as e:
        print(f"y10.archive: {e}", file=sys.stderr)
        return merge.USAGE
    except KeyboardInterrupt:
        print("y10.archive: interrupted; the same command again does what is missing",
              file=sys.stderr)
        return INTERRUPTED
    finally:
        if executor:
            executor.close()
            shutil.rmtree(running, ignore_errors=True)
        stack.close()


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    sys.stderr.flush()
    # Does not wait for attempts that were given up; the kernel kills their y10.
    os._exit(status)
