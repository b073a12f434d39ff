# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Merges the results of segments, in the order of the inputs.

    python -m y10.archive.merge OUT RECEIPTS

merges what tasks that were started by other means, such as Slurm, have put into a store: OUT has
manifest.jsonl, and RECEIPTS has the receipts that ``y10 detect --store`` printed."""
import argparse
import contextlib
import json
import os
import pathlib
import sys

from .files import locked, replacing, tmp_name, write_whole
from .tasks import Wrong

OK, FAILED, USAGE = 0, 1, 2
PARQUET_ROWS = 1 << 16


def quote(text):
    """A JSON string with the bytes that y10 writes."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


class Merge:
    """Writes the rows of complete inputs, in order."""

    def __init__(self, file, parquet):
        self.file, self.parquet = file, parquet

    def add(self, store, source, receipts):
        old, new = (f'{{"source":{quote(s)},' for s in (receipts[0]["content"], source))
        number = 0
        for receipt in receipts:
            with open(os.path.join(store, receipt["file"]), encoding="utf-8") as f:
                for line in f:
                    if not line.startswith(old):
                        raise Wrong(f"{f.name} does not have the results of {source}")
                    self.file.write(new + line[len(old):])
                    if self.parquet:
                        self.parquet.add(source, number, json.loads(line))
                    number += 1


class Parquet:
    """A row for each detection. "frame" counts the rows of the input from 0, as results.jsonl has
    them: with --interval N, every Nth frame of the video."""

    def __init__(self, path):
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            raise Wrong("--parquet needs pyarrow: pip install 'yolov10detect[archive]'") from None
        self.arrow, self.path = pyarrow, path
        self.schema = pyarrow.schema([
            ("source", pyarrow.string()), ("frame", pyarrow.int64()),
            ("timestamp", pyarrow.int64()), ("width", pyarrow.int32()),
            ("height", pyarrow.int32()), ("label", pyarrow.string()),
            ("label_id", pyarrow.int32()), ("confidence", pyarrow.float32()),
            ("x_min", pyarrow.float32()), ("y_min", pyarrow.float32()),
            ("x_max", pyarrow.float32()), ("y_max", pyarrow.float32())])
        self.tmp = tmp_name(path)
        self.writer = pyarrow.parquet.ParquetWriter(self.tmp, self.schema)
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

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        if kind is None:
            self.flush()
        self.writer.close()
        if kind is None:
            os.replace(self.tmp, self.path)
        else:
            os.unlink(self.tmp)


def find_errors(store, entry, receipts):
    """Why the results of an input cannot be merged; empty if they can."""
    if "error" in entry:
        return [entry["error"]]
    errors = [f"segment {i}: {r['error']}" for i, r in enumerate(receipts) if r["status"] == "failed"]
    if errors:
        return errors
    if any(r["content"] != entry["content"] for r in receipts):
        return ["its receipts are those of another file"]
    missing = [r["file"] for r in receipts if not os.path.exists(os.path.join(store, r["file"]))]
    return [f"{missing[0]} is not in {store}: do all nodes share that folder?"] if missing else []


def merge(out, store, parquet, entries, receipts):
    """Writes the results and reports what failed. Returns the exit status."""
    failed = []
    with replacing(out / "results.jsonl") as file, \
            Parquet(out / "detections.parquet") if parquet else contextlib.nullcontext() as table:
        merged = Merge(file, table)
        for entry, own in zip(entries, receipts):
            errors = find_errors(store, entry, own)
            if errors:
                failed.append({"source": entry["source"], "errors": errors})
                print(f"{entry['source']}: {errors[0]}", file=sys.stderr)
            else:
                merged.add(store, entry["source"], own)
    write_whole(out / "failed.jsonl", [json.dumps(f, ensure_ascii=False) for f in failed])
    n = sum(len(r) for r in receipts)
    print(f"{len(entries) - len(failed)} of {len(entries)} inputs, {n} segments: "
          f"{out / 'results.jsonl'}", file=sys.stderr)
    return FAILED if failed else OK


def read_manifest(path):
    """The entries of a manifest."""
    with open(path, encoding="utf-8") as f:
        header, *entries = [json.loads(line) for line in f] or [{}]
    if len(entries) != header.get("inputs"):
        raise Wrong(f"{path} has {len(entries)} inputs; it began with \"inputs\":"
                    f"{header.get('inputs')}")
    return entries


def read_receipts(folder):
    """The receipts by segment; those of inputs that have none are in the manifest. Tasks may have
    been repeated, and killed while they wrote."""
    found = {}
    for path in folder.glob("*.jsonl"):
        with open(path, encoding="utf-8", errors="replace") as f:
            for line in f:
                try:
                    receipt = json.loads(line)
                except ValueError:
                    continue
                if not isinstance(receipt, dict) or "segment" not in receipt:
                    continue
                known = found.setdefault(receipt["segment"], receipt)
                if known["status"] == "failed":
                    found[receipt["segment"]] = receipt
    return found


def merge_receipts(args):
    """Returns the exit status."""
    entries = read_manifest(args.out / "manifest.jsonl")
    found, receipts, number = read_receipts(args.receipts), [], 0
    for entry in entries:
        end = number + len(entry.get("segments", ()))
        receipts.append([found.get(i) or {"status": "failed", "error": "no task has processed it"}
                         for i in range(number, end)])
        number = end
    with locked(args.out):
        return merge(args.out, str(args.store or args.out / "store"), args.parquet, entries, receipts)


def main(argv=None):
    """Returns the exit status: 0, 1 if an input failed, 2 if nothing could be done."""
    parser = argparse.ArgumentParser(prog="python -m y10.archive.merge",
                                     description="Merges results from a store, using receipts.")
    parser.add_argument("out", metavar="OUT", type=pathlib.Path,
                        help="folder for the results, with manifest.jsonl")
    parser.add_argument("receipts", metavar="RECEIPTS", type=pathlib.Path,
                        help="folder with the output of 'y10 detect --store' in files *.jsonl")
    parser.add_argument("--store", help="folder with the results of segments [OUT/store]")
    parser.add_argument("--parquet", action="store_true", help="also write OUT/detections.parquet")
    try:
        return merge_receipts(parser.parse_args(argv))
    except (Wrong, OSError) as e:
        print(f"y10.archive.merge: {e}", file=sys.stderr)
        return USAGE
    except (ValueError, KeyError, TypeError, AttributeError) as e:
        print(f"y10.archive.merge: this is not a manifest with its receipts: "
              f"{type(e).__name__}: {e}", file=sys.stderr)
        return USAGE


if __name__ == "__main__":
    sys.exit(main())
