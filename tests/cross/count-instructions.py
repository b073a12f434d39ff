#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
#
# Counts the instructions of the dense kernels' innermost loops, which take most of the engine's
# time, for AArch64: products, loads, the rest, and what must be there. Fails if a loop uses the
# stack, which means that the tile does not fit in the registers, or if it has more instructions
# than allowed. The numbers come from the disassembly, not from a clock.
"""usage: count-instructions.py FOLDER-WITH-KERNEL-LIBRARIES"""

import os
import re
import subprocess
import sys

# The tiles: pixels, of one or two output blocks. 12 pixels are most tiles of a large picture.
TILES = (10, 11, 12)
# Instruction that multiplies, and how many of its groups a pixel of a block has.
LIBRARIES = {"neon": ("fmla", 4), "neon_bf16": ("bfdot", 2)}
ALLOWED = 1.2  # times the ideal


def ideal(pixels, groups):
    """Products of two blocks; a load of each pixel for two groups; two loads, which can be one
    instruction, of the weights of two groups and a block; three for the loop."""
    return 2 * pixels * groups + pixels * groups // 2 + groups + 3


def functions(library):
    text = subprocess.run(["aarch64-linux-gnu-objdump", "-d", "--no-show-raw-insn", library],
                          check=True, capture_output=True, text=True).stdout
    for name, body in re.findall(r"^[0-9a-f]+ <(\S+)>:\n((?:.+\n)+)", text, re.M):
        yield name, [(int(at, 16), op, args) for at, op, args in
                     re.findall(r"^\s*([0-9a-f]+):\s+(\S+)[ \t]*(.*)$", body, re.M)]


def innermost(code):
    """The longest loop that contains no other."""
    loops = []
    for at, op, args in code:
        target = re.search(r"\b([0-9a-f]+) <", args)
        if target and (op == "b" or op.startswith(("b.", "cb", "tb"))) \
                and code[0][0] <= int(target[1], 16) <= at:
            loops.append((int(target[1], 16), at))
    inner = [(begin, end) for begin, end in loops
             if not any(begin <= b and e <= end and (b, e) != (begin, end) for b, e in loops)]
    begin, end = max(inner, key=lambda loop: loop[1] - loop[0])
    return [line for line in code if begin <= line[0] <= end]


def main():
    failed = False
    print("kernel         tile  stride  products  loads  other  all  ideal  products/all")
    for kernel, (product, groups) in LIBRARIES.items():
        found = dict(functions(os.path.join(sys.argv[1], f"liby10-kernels-{kernel}.a")))
        for pixels in TILES:
            for stride in (1, 2):
                loop = innermost(found[f"dense_{pixels}_2_{stride}"])
                products = sum(op == product for _, op, _ in loop)
                loads = sum(op.startswith("ld") for _, op, _ in loop)
                least = ideal(pixels, groups)
                print(f"{kernel:14} {pixels:2}x2  {stride:6}  {products:8}  {loads:5}"
                      f"  {len(loop) - products - loads:5}  {len(loop):3}  {least:5}"
                      f"  {products / len(loop):11.0%}")
                if products != 2 * pixels * groups or len(loop) > ALLOWED * least \
                        or any("[sp" in args for _, _, args in loop):
                    print(f"FAIL: expected {2 * pixels * groups} {product}, at most"
                          f" {ALLOWED * least:.0f} instructions and none that uses the stack")
                    failed = True
    sys.exit(failed)


if len(sys.argv) != 2:
    sys.exit(__doc__)
main()
