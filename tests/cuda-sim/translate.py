#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""A CUDA file as C++ that a host compiler takes.

usage: translate.py INPUT OUTPUT

Only declarations of shared memory change: each becomes a reference into the
block's memory, which the simulator fills anew for every block, keeps apart from
its neighbours and counts.

  __shared__ float tile[8][33];   a reference to float [8][33]
  extern __shared__ float4 all[]; a pointer to the launch's dynamic memory

Lines keep their numbers. Everything else is left to toolkit/cuda_sim.h.
"""
import re
import sys

# Matches comments and literals, which must not be changed, or a declaration.
TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|'
    r'(?P<extern>\bextern\s+)?\b__shared__\b(?P<rest>[^;{}]*);', re.S)
ALIGN = re.compile(r"\b(?:__align__|alignas)\s*\(([^()]*)\)|"
                   r"__attribute__\s*\(\(\s*aligned\s*\(([^()]*)\)\s*\)\)")
DECLARATOR = re.compile(r"\s*(\w+)\s*((?:\[[^\]]*\]\s*)*)$", re.S)


def split(text):
    """Splits at the commas outside brackets of any kind."""
    parts, depth = [""], 0
    for c in text:
        depth += (c in "<([{") - (c in ">)]}")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return parts


def declaration(match):
    if match["rest"] is None:
        return match[0]
    text = match["rest"]
    align = [a or b for a, b in ALIGN.findall(text)]
    text = ALIGN.sub(" ", text)
    parts = split(text)
    first = re.match(r"(.*[\s>*])(\w+\s*(?:\[[^\]]*\]\s*)*)$", parts[0], re.S)
    if not first:
        sys.exit(f"not understood: {match[0]}")
    base = " ".join(first[1].split())
    out = []
    for part in [first[2]] + parts[1:]:
        d = DECLARATOR.match(part)
        if not d:
            sys.exit(f"not understood: {match[0]}")
        name, size = d[1], " ".join(d[2].split())
        need = f"y10_sim_max_align (alignof ({base}){''.join(', ' + a for a in align)})"
        if match["extern"]:
            out.append(f"{base} *const {name} = ({base} *) "
                       f"y10_sim::dynamic_shared ({need}, \"{name}\");")
        else:
            out.append(
                f"typedef {base} y10_type_{name}{size}; "
                f"static y10_sim::SharedSite y10_site_{name}; "
                f"y10_type_{name} &{name} = *(y10_type_{name} *) "
                f"y10_sim::shared (&y10_site_{name}, sizeof (y10_type_{name}), "
                f"{need}, \"{name}\");")
    return " ".join(out) + "\n" * match[0].count("\n")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as f:
        text = f.read()
    text = TOKEN.sub(declaration, text)
    path = sys.argv[1].replace("\\", "\\\\").replace('"', '\\"')
    with open(sys.argv[2], "w", encoding="utf-8") as f:
        f.write(f'#include "cuda_sim.h"\n#line 1 "{path}"\n{text}')


if __name__ == "__main__":
    main()
