#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Writes class names into a weights file, from which yolov10detect reads them.

usage: name_classes.py MODEL.safetensors NAMES [OUTPUT.safetensors]

NAMES is a label file: UTF-8, one name a line. Without OUTPUT the file itself is replaced,
atomically. Only the metadata changes: the bytes of the tensors, their order and all other metadata
stay. The exit status is 1 if one of the files is invalid, 3 if reading or writing fails.
"""
import json
import os
import re
import shutil
import struct
import sys

MAX_HEADER = 100 << 20          # the format's own limit
LAST_OF_CLASSES = re.compile(r"cv3\.\d+\.2\.(weight|bias)$")


class Wrong(Exception):
    """An error in a file, with a message for users."""


def read_names(path):
    """The lines of a label file, with the engine's rules."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            names = [line.strip() for line in file.read().split("\n")]
    except UnicodeDecodeError:
        raise Wrong(f"{path} is not UTF-8") from None
    while names and not names[-1]:
        names.pop()
    if not names:
        raise Wrong(f"{path} has no names")
    return names


def read_header(file, path):
    """Reads the header of a safetensors file; @file is then at the data."""
    size = os.fstat(file.fileno()).st_size
    start = file.read(8)
    length = struct.unpack("<Q", start)[0] if len(start) == 8 else size
    if length > min(MAX_HEADER, size - 8):
        raise Wrong(f"{path} is not a safetensors file, or only the beginning of one")
    try:
        header = json.loads(file.read(length))
        tensors = {name: value for name, value in header.items() if name != "__metadata__"}
        end = max(value["data_offsets"][1] for value in tensors.values())
        shapes = {name: list(value["shape"]) for name, value in tensors.items()}
        header["__metadata__"] = dict(header.get("__metadata__", {}))
    except (ValueError, AttributeError, LookupError, TypeError):
        raise Wrong(f"{path} is not a safetensors file: it has no table of tensors") from None
    if size != 8 + length + end:
        raise Wrong(f"{path} has {size} bytes; its tensors end at {8 + length + end}")
    return header, shapes


def rewrite(model, output, change):
    """Copies a weights file with changed metadata: @change gets the header and the tensors'
    shapes, and changes header["__metadata__"]."""
    with open(model, "rb") as source:
        header, shapes = read_header(source, model)
        change(header, shapes)
        header = {"__metadata__": header.pop("__metadata__"), **header}
        text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 8)              # the data stays aligned
        output = os.path.realpath(output)
        new = output + ".new"
        try:
            with open(new, "wb") as target:
                target.write(struct.pack("<Q", len(text)) + text)
                shutil.copyfileobj(source, target, 1 << 20)
                target.flush()
                os.fsync(target.fileno())
            os.replace(new, output)
        except BaseException:
            if os.path.exists(new):
                os.unlink(new)
            raise


def name_classes(model, names_path, output):
    names = read_names(names_path)

    def change(header, shapes):
        for tensor, shape in shapes.items():
            if LAST_OF_CLASSES.search(tensor) and shape[:1] != [len(names)]:
                raise Wrong(f"{names_path} has {len(names)} names; {model} has others: tensor "
                            f"{tensor} has shape {shape}")
        # Not escaped: the reader knows no surrogate pairs.
        header["__metadata__"]["names"] = json.dumps(
            {str(i): name for i, name in enumerate(names)}, ensure_ascii=False)
    rewrite(model, output, change)


def run(what, *arguments):
    """Calls a function and returns the exit status; prints errors on stderr."""
    program = os.path.basename(sys.argv[0])
    try:
        what(*arguments)
    except Wrong as error:
        print(f"{program}: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        path = error.filename or sys.argv[-1]
        print(f"{program}: {path}: {error.strerror}", file=sys.stderr)
        return 3
    return 0


def main():
    if len(sys.argv) > 1 and sys.argv[1] in ("-h", "--help"):
        print(__doc__.strip())
        return 0
    if len(sys.argv) not in (3, 4):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    return run(name_classes, sys.argv[1], sys.argv[2],
               sys.argv[-1] if len(sys.argv) == 4 else sys.argv[1])


if __name__ == "__main__":
    sys.exit(main())
