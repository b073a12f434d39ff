# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Detects objects in an archive of videos and pictures, in parallel on this machine.

    python -m y10.archive OUT INPUT... --local 4 -- --model best.pt

``y10 segments`` cuts the inputs, tasks run ``y10 detect --store`` on the segments, and the results
of all inputs are merged in order into ``OUT/results.jsonl``, which has the bytes that ``y10 detect``
prints on one machine, and with ``--parquet`` into ``OUT/detections.parquet``. The store makes tasks
safe to repeat: a second run of the same command only does what is missing. Inputs that fail are listed in ``OUT/failed.jsonl`` and do not stop the rest.
"""
import argparse
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys

try:
    from tqdm import tqdm
except ImportError:
    tqdm = None

USAGE, FAILED = 2, 1
#: Times that a task is tried whose y10 was killed, for example because memory ran out.
KILLED_TRIES = 3
#: Tasks that are submitted for each that can run at once.
QUEUE_FACTOR = 4
PARQUET_ROWS = 1 << 16


class Wrong(Exception):
    """The command line, the model or the installation is wrong, so every task would fail."""


def die_with_parent():
    """Makes the kernel kill this process when its parent dies. A killed worker cannot stop its
    children, which would go on computing what another node already repeats."""
    import ctypes
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


def run_y10(command, text=""):
    """What y10 prints, as lines, and its errors. Raises Wrong if no task can succeed."""
    for attempt in range(KILLED_TRIES):
        done = subprocess.run(command, input=text, capture_output=True, encoding="utf-8",
                              errors="surrogateescape", preexec_fn=die_with_parent, check=False)
        if done.returncode >= 0:
            break
    if done.returncode in (2, 3):
        raise Wrong(done.stderr.strip())
    errors = done.stderr.strip()
    if done.returncode < 0:
        errors += f"y10 was killed by signal {-done.returncode}, {attempt + 1} times"
    return done.stdout.splitlines(), errors


def cut(y10, seconds, source):
    """The manifest's lines of one argument."""
    lines, errors = run_y10([y10, "segments", "--seconds", str(seconds), "--", source])
    if len(lines) < 2:
        return [None, json.dumps({"source": source, "path": os.path.abspath(source),
                            "error": errors or "y10 segments printed nothing"})]
    return lines


def detect(y10, store, options, header, line, first, last):
    """The receipts of segments first to last of one input, in order."""
    lines, errors = run_y10([y10, "detect", "--store", store, "--manifest", "-", "--segments",
                             f"{first}-{last}", *options], f"{header}\n{line}\n")
    receipts = {r["segment"]: r for r in map(json.loads, lines)}
    return [receipts.get(i) or {"status": "failed", "error": errors or "y10 printed no receipt"}
            for i in range(first, last + 1)]


class Local:
    """Runs tasks in processes of this machine."""

    def __init__(self, n):
        import concurrent.futures
        import multiprocessing
        self.futures = concurrent.futures
        self.n = n
        self.pool = concurrent.futures.ProcessPoolExecutor(
            n, mp_context=multiprocessing.get_context("spawn"), initializer=die_with_parent)

    def slots(self):
        return self.n

    def submit(self, function, *args):
        return self.pool.submit(function, *args)

    def wait(self, pending):
        """Yields one finished task and its result."""
        done, _ = self.futures.wait(pending, return_when=self.futures.FIRST_COMPLETED)
        task = next(iter(done))
        return task, task.result()

    def close(self):
        self.pool.shutdown(wait=False, cancel_futures=True)


def run_all(executor, calls, bar):
    """The results of calls, (weight, function, arguments...), in their order."""
    results, pending, at = [None] * len(calls), {}, 0
    while at < len(calls) or pending:
        while at < len(calls) and len(pending) < QUEUE_FACTOR * executor.slots():
            weight, function, *args = calls[at]
            pending[executor.submit(function, *args)] = at
            at += 1
        task, result = executor.wait(pending)
        i = pending.pop(task)
        results[i] = result
        bar(calls[i][0])
    return results


@contextlib.contextmanager
def progress(total, what):
    if tqdm is None or not sys.stderr.isatty():
        yield lambda n: None
        return
    with tqdm(total=total, unit=what) as shown:
        yield shown.update


def is_unchanged(entry):
    try:
        info = os.stat(entry["path"])
    except (OSError, ValueError):
        return False
    return (info.st_size, info.st_mtime_ns) == (entry.get("size"), entry.get("mtime"))


def load_known(path, seconds):
    """The header of an earlier manifest with segments of this length, and its lines by source as far
    as the files are unchanged; or None and nothing."""
    header, known = None, {}
    with contextlib.suppress(OSError, ValueError, KeyError), open(path, encoding="utf-8") as f:
        line = f.readline().rstrip("\n")
        if json.loads(line)["seconds"] == seconds:
            header = line
            for line in f:
                entry = json.loads(line)
                if "error" not in entry and is_unchanged(entry):
                    known[entry["source"]] = line.rstrip("\n")
    return header, known


def write_whole(path, lines):
    """Replaces a file at once."""
    tmp = f"{path}.tmp"
    with open(tmp, "w", encoding="utf-8", errors="surrogateescape") as f:
        f.writelines(line + "\n" for line in lines)
        f.flush()
        os.fsync(f.fileno())
    os.replace(tmp, path)


def make_manifest(executor, args, path):
    """The header and one line for each input."""
    header, known = load_known(path, args.seconds)
    calls = [(1, cut, args.y10, args.seconds, source) for source in args.inputs
             if source not in known]
    with progress(len(calls), "input") as bar:
        found = run_all(executor, calls, bar)
    header = next((f[0] for f in found if f[0]), header)
    if header is None:
        raise Wrong("y10 segments failed for all inputs: " + json.loads(found[0][1])["error"])
    found, lines = iter(found), []
    for source in args.inputs:
        lines += [known[source]] if source in known else next(found)[1:]
    write_whole(path, [header, *lines])
    return header, lines


def quote(text):
    """A JSON string with the bytes that y10 writes."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


class Merge:
    """Writes the rows of complete inputs, in order."""

    def __init__(self, out, parquet):
        self.path = out / "results.jsonl"
        self.file = open(f"{self.path}.tmp", "w", encoding="utf-8")
        self.parquet = Parquet(out / "detections.parquet") if parquet else None

    def add(self, store, source, receipts):
        files = [open(os.path.join(store, r["file"]), encoding="utf-8") for r in receipts]
        with contextlib.ExitStack() as stack:
            for f in files:
                stack.enter_context(f)
            old, new = (f'{{"source":{quote(s)},' for s in (receipts[0]["content"], source))
            number = 0
            for f in files:
                for line in f:
                    if not line.startswith(old):
                        raise ValueError(f"{f.name} is not of this store")
                    self.file.write(new + line[len(old):])
                    if self.parquet:
                        self.parquet.add(source, number, json.loads(line))
                    number += 1

    def close(self):
        self.file.flush()
        os.fsync(self.file.fileno())
        self.file.close()
        os.replace(self.file.name, self.path)
        if self.parquet:
            self.parquet.close()


class Parquet:
    """A row for each detection. "frame" counts the rows of the input from 0, as results.jsonl has
    them: with --interval N, every Nth frame of the video."""

    def __init__(self, path):
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            raise Wrong("--parquet needs pyarrow: pip install pyarrow") from None
        self.arrow, self.path = pyarrow, path
        self.schema = pyarrow.schema([
            ("source", pyarrow.string()), ("frame", pyarrow.int64()),
            ("timestamp", pyarrow.int64()), ("width", pyarrow.int32()),
            ("height", pyarrow.int32()), ("label", pyarrow.string()),
            ("label_id", pyarrow.int32()), ("confidence", pyarrow.float32()),
            ("x_min", pyarrow.float32()), ("y_min", pyarrow.float32()),
            ("x_max", pyarrow.float32()), ("y_max", pyarrow.float32())])
        self.writer = pyarrow.parquet.ParquetWriter(f"{path}.tmp", self.schema)
        self.rows = []

    def add(self, source, number, row):
        size = row["resolution"]
        for found in row["objects"]:
            d = found["detection"]
            self.rows.append({
                "source": source, "frame": number, "timestamp": row["timestamp"],
                "width": size["width"], "height": size["height"], "label": d["label"],
                "label_id": d["label_id"], "confidence": d["confidence"], **d["bounding_box"]})
        if len(self.rows) >= PARQUET_ROWS:
            self.flush()

    def flush(self):
        self.writer.write_table(self.arrow.Table.from_pylist(self.rows, self.schema))
        self.rows = []

    def close(self):
        self.flush()
        self.writer.close()
        os.replace(f"{self.path}.tmp", self.path)


def process(executor, args, store, header, lines):
    """The entries of the manifest, and the receipts of each."""
    entries, calls, owners = [json.loads(line) for line in lines], [], []
    for i, entry in enumerate(entries):
        n = len(entry.get("segments", ()))
        for first in range(0, n, args.per_task):
            last = min(first + args.per_task, n) - 1
            calls.append((last - first + 1, detect, args.y10, store, args.options, header, lines[i],
                          first, last))
            owners.append(i)
    with progress(sum(c[0] for c in calls), "segment") as bar:
        results = run_all(executor, calls, bar)
    receipts = [[] for _ in entries]
    for i, result in zip(owners, results):
        receipts[i] += result
    return entries, receipts


def merge(out, store, parquet, entries, receipts):
    """Writes the results; returns what failed."""
    merged, failed = Merge(out, parquet), []
    for entry, own in zip(entries, receipts):
        errors = [entry["error"]] if "error" in entry else [
            f"segment {i}: {r['error']}" for i, r in enumerate(own) if r["status"] == "failed"]
        missing = [r["file"] for r in own if "file" in r
                   and not os.path.exists(os.path.join(store, r["file"]))]
        if not errors and missing:
            errors = [f"{missing[0]} is not in {store}: was it removed?"]
        if errors:
            failed.append({"source": entry["source"], "errors": errors})
            print(f"{entry['source']}: {errors[0]}", file=sys.stderr)
        else:
            merged.add(store, entry["source"], own)
    merged.close()
    write_whole(out / "failed.jsonl", [json.dumps(f, ensure_ascii=False) for f in failed])
    return failed


def parse_args(argv):
    argv, options = list(argv), []
    if "--" in argv:
        at = argv.index("--")
        argv, options = argv[:at], argv[at + 1:]
    parser = argparse.ArgumentParser(
        prog="python -m y10.archive", usage="%(prog)s OUT INPUT... [OPTION...] [-- Y10_DETECT_OPTION...]",
        description="Detects objects in many videos and pictures, in parallel on this machine.",
        epilog="Options after -- are those of 'y10 detect': --model, --classes and so on.")
    parser.add_argument("out", metavar="OUT", type=pathlib.Path, help="folder for the results")
    parser.add_argument("inputs", metavar="INPUT", nargs="+", help="pictures, videos, folders")
    parser.add_argument("--local", metavar="N", type=int, default=1, help="tasks at once [1]")
    parser.add_argument("--seconds", type=float, default=60, help="length of a segment [60]")
    parser.add_argument("--per-task", type=int, default=1, help="segments of a task [1]")
    parser.add_argument("--store", help="folder for the results of segments [OUT/store]")
    parser.add_argument("--y10", default="y10", help="the y10 command [y10]")
    parser.add_argument("--parquet", action="store_true", help="also write OUT/detections.parquet")
    args = parser.parse_args(argv)
    for name in ("local", "per_task"):
        if getattr(args, name) is not None and getattr(args, name) < 1:
            parser.error(f"--{name.replace('_', '-')} must be at least 1")
    if not any(o in ("-t", "--threads") or o.startswith("--threads=") for o in options):
        options = ["--threads", "1", *options]
    args.options = options
    return args


def main(argv=None):
    """Returns the exit status: 0, 1 if an input failed, 2 if nothing could be done."""
    args = parse_args(sys.argv[1:] if argv is None else argv)
    executor = None
    try:
        args.out.mkdir(parents=True, exist_ok=True)
        store = os.path.abspath(args.store or args.out / "store")
        executor = Local(args.local)
        header, lines = make_manifest(executor, args, args.out / "manifest.jsonl")
        entries, receipts = process(executor, args, store, header, lines)
        failed = merge(args.out, store, args.parquet, entries, receipts)
    except (Wrong, OSError) as e:
        print(f"y10.archive: {e}", file=sys.stderr)
        return USAGE
    finally:
        if executor:
            executor.close()
    n = sum(len(r) for r in receipts)
    print(f"{len(entries) - len(failed)} of {len(entries)} inputs, {n} segments: "
          f"{args.out / 'results.jsonl'}", file=sys.stderr)
    return FAILED if failed else 0


if __name__ == "__main__":
    sys.exit(main())
