#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""The engine takes for JSON what Python's parser takes, and finds the same values: made up
texts, and 60000 that were damaged. Python allows more in two things: NaN and Infinity, and
half a surrogate pair."""
import json
import random
import struct
import subprocess
import sys

STRINGS = ("", "[[[", '"', "\\", '\\"{', "'", "//", "\n\t\b", "ä🚗", "var a = [", "\\ud800", "\0", "\x7f", "a" * 70)
NUMBERS = (0, -1, 7, 2**63 - 1, -2**63, 2**63, 10**30, 0.1, -1.5e300, 5e-324, 1e400, 0.30000000000000004)
PIECES = ('"', "'", "\\", "\\ud800", "\\udc00", "\\u00", "[", '{"a":', "]", "}", "/", "/*", "*/", "//", "#", "var a = ",
          "\n", "\t", "\0", "\\u0000", ":", ",", ",,", "0x", "`", "$", '""', "-", "+", ".", "e", "E5", "0", "1", "true",
          "nul", "NaN", "Infinity", " ", "\u00a0", "\ufeff", "\x1f", "\x0b")
BYTES = (b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80", b"\xef\xbb\xbf")


def make(depth):
    kind = random.randrange(0 if depth else 2, 6)
    if kind == 0:
        return [make(depth - 1) for _ in range(random.randrange(4))]
    if kind == 1:
        return {random.choice(STRINGS): make(depth - 1) for _ in range(random.randrange(4))}
    if kind == 2:
        return random.choice(STRINGS)
    if kind == 3:
        return random.choice(NUMBERS)
    return random.choice((random.uniform(-1e9, 1e9), True, False, None))


def write():
    text = json.dumps(make(6), ensure_ascii=random.random() < 0.5, indent=random.choice((None, 1)))
    return text.replace("Infinity", "1e999").encode()


def damage(text):
    text = bytearray(text)
    for _ in range(random.randrange(1, 4)):
        at = random.randrange(len(text) + 1)
        if random.random() < 0.4:
            del text[at:at + 1]
        else:
            text[at:at] = random.choice(BYTES) if random.random() < 0.1 else random.choice(PIECES).encode()
    return bytes(text)


class Pairs(list):
    pass


def no_constant(name):
    raise ValueError(name)


def show(value):
    """A value as print-json prints it."""
    if isinstance(value, Pairs):
        return f"[{','.join(f'[{show(name)},{show(v)}]' for name, v in value)}]"
    if isinstance(value, list):
        return f"[{','.join(map(show, value))}]"
    if isinstance(value, str):
        return f'"{value.encode().hex()}"'      # not of surrogates
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int) and -2**63 <= value < 2**63:
        return str(value)
    try:
        return f"{float(value):.17e}"
    except OverflowError:
        return "inf" if value > 0 else "-inf"


def expected(text):
    try:
        return show(json.loads(text.decode("utf-8-sig"), object_pairs_hook=Pairs, parse_constant=no_constant))
    except ValueError:
        return None


def main():
    random.seed(7)
    texts = [write() for _ in range(3000)]
    texts += [damage(write()) for _ in range(60000)]
    data = b"".join(struct.pack("=I", len(text)) + text for text in texts)
    lines = subprocess.run(sys.argv[1:], input=data, stdout=subprocess.PIPE, check=True).stdout.decode().split("\n")
    assert lines.pop() == "" and len(lines) == len(texts), len(lines)
    wanted = [expected(text) for text in texts]
    for text, line, want in zip(texts, lines, wanted):
        refused = line[:1].isdigit() and " " in line
        assert refused if want is None else line == want, f"{text}: {line}; Python finds {want}"
    damaged = wanted[3000:]
    taken = len(damaged) - damaged.count(None)
    print(f"{len(texts)} texts, of the damaged {taken} are JSON")
    assert None not in wanted[:3000] and 60000 / 20 < taken < 60000 * 9 / 10


if __name__ == "__main__":
    main()
