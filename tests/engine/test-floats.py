#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""The decimal that the engine prints for a float32 reads back as the same
float32, and no decimal of fewer digits does. Python's parser and exact
fractions check both, for bit patterns of all kinds."""
import json
import os
import random
import struct
import subprocess
import sys
from fractions import Fraction

random.seed(10)


def of_bits(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def bits_of(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def interval(bits):
    """The interval that rounds to a positive float32, and whether its ends do:
    if the significand is even."""
    here, above = Fraction(of_bits(bits)), bits + 1
    top = Fraction(of_bits(above)) if above < 0x7F800000 else Fraction(2) ** 128
    return (Fraction(of_bits(bits - 1)) + here) / 2, (here + top) / 2, bits % 2 == 0


def shorter(bits, digits):
    """A decimal of so many digits that rounds to the float32, or None."""
    low, high, closed = interval(bits)
    exponent = 0
    while Fraction(10) ** exponent > high:
        exponent -= 1
    while Fraction(10) ** (exponent + 1) <= high:
        exponent += 1
    unit = Fraction(10) ** (exponent - digits + 1)
    found = high // unit * unit
    if found == high and not closed:
        found -= unit
    return found if found > low or closed and found == low else None


def main():
    bits = [random.getrandbits(31) for _ in range(20000)]
    bits += [bits_of(random.random()) for _ in range(20000)]
    bits += [bits_of(random.randrange(1920) / 1920) for _ in range(2000)]
    bits += [e << 23 | m for e in range(255) for m in (0, 1, 0x400000, 0x7FFFFF)] + list(range(1, 200))
    bits = [b for b in bits if 0 < b < 0x7F800000]
    every = bits + [b | 1 << 31 for b in bits[:1000]] + [0, 1 << 31, 0x7F800000, 0xFF800000, 0x7FC00000]
    for locale in ("C", "de_DE.UTF-8"):
        lines = subprocess.run([sys.argv[1]], input=struct.pack(f"<{len(every)}I", *every), check=True,
                               env=dict(os.environ, LC_ALL=locale), stdout=subprocess.PIPE
                               ).stdout.decode().splitlines()
        assert lines[-5:] == ["0.0", "-0.0", "null", "null", "null"], lines[-5:]
        for pattern, text in zip(every[:-5], lines):
            assert isinstance(json.loads(text), float), text
            assert bits_of(float(text)) == pattern, (hex(pattern), text)
        for pattern, text in zip(bits, lines):
            digits = len(text.split("e")[0].replace(".", "").strip("0"))
            less = shorter(pattern, digits - 1) if digits > 1 else None
            assert less is None, (hex(pattern), text, float(less))
    print(f"{len(every)} numbers, each the shortest that reads back")


main()
