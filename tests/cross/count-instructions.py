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
ALLOWED = 1.2  # times the ideal
LOOP = 3


def by_element(groups):
    """Products of two blocks; a load of each pixel for two groups; two loads, which can be one
    instruction, of the weights of two groups and a block."""
    return lambda pixels, stride: (
        2 * pixels * groups, 2 * pixels * groups + pixels * groups // 2 + groups + LOOP)


def sdot(pixels, stride):
    """A load for four pixels of the input and an instruction that makes them signed; a load of
    each block's weights."""
    return 2 * pixels, 2 * pixels + 2 * -(-pixels * stride // 4) + 2 + LOOP


def usmmla(pixels, stride):
    """Four products for two pixels of two input blocks and an instruction that joins these; loads
    of four pixels of a block, and one, of a pair, of each block's weights."""
    pairs = -(-pixels // 2)
    return 4 * pairs, 5 * pairs + 2 * -(-pixels * stride // 4) + 2 + LOOP


# Instruction that multiplies; how many there are in a loop, and instructions at least.
LIBRARIES = {"neon": ("fmla", by_element(4)), "neon_bf16": ("bfdot", by_element(2)),
             "neon_dotprod": ("sdot", sdot), "neon_i8mm": ("usmmla", usmmla)}


def functions(library):
    text = subprocess.run(["aarch64-linux-gnu-objdump", "-d", "--no-show-raw-insn", library],
                          check=True, capture_output=True, text=True).stdout
    for name, body in re.findall(r"^[0-9a-f]+ <(\S+)>:\n((?:.+\n)+)", text, re.M):
        yield name, [(int(at, 16), op, args) for at, op, args in
                     re.findall(r"^\s*([0-9a-f]+):\s+(\S+)[ \t]*(.*)$", body, re.M)]


def innermost(code, product):
    """The loop with most products that contains no other."""
    loops = []
    for at, op, args in code:
        target = re.search(r"\b([0-9a-f]+) <", args)
        if target and (op == "b" or op.startswith(("b.", "cb", "tb"))) \
                and code[0][0] <= int(target[1], 16) <= at:
            loops.append((int(target[1], 16), at))
    inner = [(begin, end) for begin, end in loops
             if not any(begin <= b and e <= end and (b, e) != (begin, end) for b, e in loops)]
    bodies = [[line for line in code if begin <= line[0] <= end] for begin, end in inner]
    return max(bodies, key=lambda body: sum(op == product for _, op, _ in body))


def main():
    failed = False
    print("kernel         tile  stride  products  loads  other  all  ideal  products/all")
    for kernel, (product, ideal) in LIBRARIES.items():
        found = dict(functions(os.path.join(sys.argv[1], f"liby10-kernels-{kernel}.a")))
        for pixels in TILES:
            for stride in (1, 2):
                loop = innermost(found[f"dense_{pixels}_2_{stride}"], product)
                products = sum(op == product for _, op, _ in loop)
                loads = sum(op.startswith("ld") for _, op, _ in loop)
                wanted, least = ideal(pixels, stride)
                print(f"{kernel:14} {pixels:2}x2  {stride:6}  {products:8}  {loads:5}"
                      f"  {len(loop) - products - loads:5}  {len(loop):3}  {least:5}"
                      f"  {products / len(loop):11.0%}")
                if products != wanted or len(loop) > ALLOWED * least \
                        or any("[sp" in args for _, _, args in loop):
                    print(f"FAIL: expected {wanted} {product}, at most"
                          f" {ALLOWED * least:.0f} instructions and none that uses the stack")
                    failed = True
    sys.exit(failed)


if len(sys.argv) != 2:
    sys.exit(__doc__)
main()
