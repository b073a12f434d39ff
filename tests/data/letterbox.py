#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Writes letterbox.txt: OpenCV's results for pictures that the test generates,
too.

Needs numpy and opencv-python-headless (4.x and 5.0 give the same file):
    python3 letterbox.py > letterbox.txt
    python3 letterbox.py --random 1000 --seed 1 > random.txt
    Y10_LETTERBOX_FILE=random.txt build/tests/engine/test-preprocess -p /preprocess/cpu/opencv
The second line writes random sizes and pixel aspect ratios, the third compares them.

The letterbox is that of the training code, written out here from its
definition (ultralytics LetterBox, auto=False, scaleup, center); the resize is
cv2.resize, once, also for pixels that are not square: a player would show such
a picture with another width, and it has that shape in the input. A line holds:
source size, pixel aspect ratio, input size, size and place of the picture in
the input, SHA-256 of the input as packed 8-bit RGB.
"""
import argparse
import hashlib
import random

import cv2
import numpy as np

SIZES = [
    # source, network input
    (1, 1, 640, 640), (2, 2, 640, 640), (1, 7, 64, 96), (7, 1, 64, 96), (3, 5, 32, 32),
    (640, 640, 640, 640), (641, 641, 640, 640), (639, 639, 640, 640), (1, 640, 640, 640),
    (1920, 1080, 640, 640), (1280, 720, 640, 640), (960, 540, 640, 640), (810, 1080, 640, 640),
    (1919, 1079, 640, 640), (1921, 1081, 640, 384), (500, 374, 640, 640), (614, 461, 640, 640),
    (427, 640, 640, 640), (640, 427, 640, 640), (333, 77, 320, 192), (100, 100, 1280, 1280),
    (3840, 2160, 640, 640), (4096, 2160, 640, 384), (7680, 4320, 640, 640),
    (16384, 3, 640, 640), (3, 16384, 640, 640), (16384, 30, 64, 640),
]
ANAMORPHIC = [
    # source, pixel aspect ratio, network input
    (704, 576, 12, 11, 640, 640), (704, 480, 10, 11, 640, 640), (720, 576, 64, 45, 640, 384),
    (352, 576, 24, 11, 640, 640), (1440, 1080, 4, 3, 640, 640), (240, 640, 2, 1, 640, 640),
    (640, 640, 1, 4, 640, 640), (640, 160, 1, 4, 160, 160), (160, 640, 4, 1, 640, 640),
    (1, 7, 4, 1, 64, 96), (1, 1, 1, 4, 32, 32), (333, 77, 3, 7, 320, 192), (500, 374, 5, 3, 320, 320),
]
N_RANDOM, RANDOM_SIDE, RANDOM_INPUT = 50, 1024, 320     # of letterbox.txt: it takes no second


def picture(width, height):
    """Noise that C can reproduce: a hash of each byte's index."""
    x = np.arange(width * height * 3, dtype=np.uint32) * np.uint32(0x9E3779B1)
    x ^= x >> np.uint32(15)
    x *= np.uint32(0x85EBCA77)
    x ^= x >> np.uint32(13)
    return (x >> np.uint32(24)).astype(np.uint8).reshape(height, width, 3)


def letterbox(image, par_n, par_d, dst_width, dst_height):
    height, width = image.shape[:2]
    source = width, height
    width = max(1, int(round(width * par_n / par_d)))
    r = min(dst_height / height, dst_width / width)
    # The training code has no lower limit and fails where a side becomes 0.
    w, h = max(1, int(round(width * r))), max(1, int(round(height * r)))
    dw, dh = (dst_width - w) / 2, (dst_height - h) / 2
    if source != (w, h):
        image = cv2.resize(image, (w, h), interpolation=cv2.INTER_LINEAR)
    top, bottom = int(round(dh - 0.1)), int(round(dh + 0.1))
    left, right = int(round(dw - 0.1)), int(round(dw + 0.1))
    image = cv2.copyMakeBorder(image, top, bottom, left, right, cv2.BORDER_CONSTANT, value=(114, 114, 114))
    assert image.shape == (dst_height, dst_width, 3)
    return image, w, h, left, top


def draw(number, seed, side, input_side):
    """Random cases: sides up to @side, of every second picture at least 100; ratios from 1/4 to
    4, one in four square; inputs of multiples of 32 up to @input_side, one in two square."""
    rand = random.Random(seed).random

    def log(most, least=1):
        return round(least * (most / least) ** rand())

    for _ in range(number):
        par = 1, 1
        if rand() > 0.25:
            d = log(200)
            par = max(1, -(-d // 4), min(4 * d, round(d * 4 ** (2 * rand() - 1)))), d
        width = 32 * log(input_side // 32)
        height = width if rand() < 0.5 else 32 * log(input_side // 32)
        least = 1 if rand() < 0.5 else 100
        yield log(side, least), log(side, least), *par, width, height


parser = argparse.ArgumentParser()
parser.add_argument("--random", type=int, metavar="N", help="only N random cases")
parser.add_argument("--seed", type=int, default=0)
args = parser.parse_args()
cases = draw(args.random, args.seed, 4096, 1280) if args.random else (
    [(w, h, 1, 1, *size) for w, h, *size in SIZES] + ANAMORPHIC
    + list(draw(N_RANDOM, args.seed, RANDOM_SIDE, RANDOM_INPUT)))
for src_w, src_h, *rest in cases:
    out, w, h, left, top = letterbox(picture(src_w, src_h), *rest)
    print(src_w, src_h, *rest, w, h, left, top, hashlib.sha256(out.tobytes()).hexdigest())
