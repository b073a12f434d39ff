#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Writes the default head for yolov10detect into a weights file.

usage: name_head.py MODEL.safetensors HEAD [OUTPUT.safetensors]

HEAD is one2one, one2many (with NMS), one2one-nms (the weights of one2one,
followed by NMS), or auto, which removes the entry. Without OUTPUT the file
itself is replaced, atomically. Only the metadata changes. The exit status is 1
if the file has no such head or is invalid, 2 if the command line is wrong, 3 if
reading or writing fails.
"""
import re
import sys

sys.dont_write_bytecode = True          # beside a module that is perhaps installed
from name_classes import Wrong, rewrite, run  # noqa: E402

# Tensors that show the weights of each head.
TENSORS = {"one2one": r"one2one_cv3\.2\.2\.weight$", "one2many": r"\.cv3\.2\.2\.weight$",
           "one2one-nms": r"one2one_cv3\.2\.2\.weight$", "auto": ""}


def name_head(model, head, output):
    def change(header, shapes):
        if not any(re.search(TENSORS[head], name) for name in shapes):
            raise Wrong(f"{model} has no {head.removesuffix('-nms')} head")
        header["__metadata__"].pop("head", None)
        if head != "auto":
            header["__metadata__"]["head"] = head
    rewrite(model, output, change)


def main():
    if len(sys.argv) > 1 and sys.argv[1] in ("-h", "--help"):
        print(__doc__.strip())
        return 0
    if len(sys.argv) not in (3, 4):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    if sys.argv[2] not in TENSORS:
        print(f"name_head.py: HEAD is '{sys.argv[2]}'; it must be {', '.join(TENSORS)}",
              file=sys.stderr)
        return 2
    return run(name_head, sys.argv[1], sys.argv[2],
               sys.argv[-1] if len(sys.argv) == 4 else sys.argv[1])


if __name__ == "__main__":
    sys.exit(main())
