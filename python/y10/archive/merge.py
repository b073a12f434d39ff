# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Merges the results of segments, in the order of the inputs."""
import contextlib
import json
import os
import sys

from .tasks import Wrong

PARQUET_ROWS = 1 << 16


def write_whole(path, lines):
    """Replaces a file at once."""
    tmp = f"{path}.tmp"
    with open(tmp, "w", encoding="utf-8", errors="surrogateescape") as f:
        f.writelines(line + "\n" for line in lines)
        f.flush()
        os.fsync(f.fileno())
    os.replace(tmp, path)


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
            raise Wrong("--parquet needs pyarrow: pip install 'yolov10detect[archive]'") from None
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


def merge(out, store, parquet, entries, receipts):
    """Writes the results; returns what failed."""
    merged, failed = Merge(out, parquet), []
    for entry, own in zip(entries, receipts):
        errors = [entry["error"]] if "error" in entry else [
            f"segment {i}: {r['error']}" for i, r in enumerate(own) if r["status"] == "failed"]
        missing = [r["file"] for r in own if "file" in r
                   and not os.path.exists(os.path.join(store, r["file"]))]
        if not errors and missing:
            errors = [f"{missing[0]} is not in {store}: do all nodes share that folder?"]
        if errors:
            failed.append({"source": entry["source"], "errors": errors})
            print(f"{entry['source']}: {errors[0]}", file=sys.stderr)
        else:
            merged.add(store, entry["source"], own)
    merged.close()
    write_whole(out / "failed.jsonl", [json.dumps(f, ensure_ascii=False) for f in failed])
    return failed
