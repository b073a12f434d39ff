# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""A printed symbol: in ink on a label, with a quiet zone, digits below the
bars, text and lines around it, or directly on the background."""
from typing import NamedTuple

import cv2
import numpy as np

from . import textures


class Print(NamedTuple):
    """Arrays of the same height and width."""
    color: np.ndarray           # height x width x 3, bytes
    alpha: np.ndarray           # 255 where it covers the background
    mask: np.ndarray            # 255 where the symbol is


def grow(rng, code, m):
    """Simulates ink: it runs, dots stay separate, corners become round."""
    if m >= 4 and min(code.shape) > m * 8 and rng.random() < 0.1:
        y, x = np.mgrid[0:code.shape[0], 0:code.shape[1]] % m - (m - 1) / 2
        return np.where(np.hypot(y, x) < m * rng.uniform(0.35, 0.55), code, 255).astype(np.uint8)
    if m >= 3 and rng.random() < 0.3:
        kernel = np.ones((2, 2), np.uint8)
        return (cv2.erode if rng.random() < 0.6 else cv2.dilate)(code, kernel)
    if m >= 4 and rng.random() < 0.08:
        soft = cv2.GaussianBlur(code, (0, 0), m * 0.35)
        return np.clip((soft.astype(np.float32) - 128) * 4 + 128, 0, 255).astype(np.uint8)
    return code


def inks(rng):
    """A dark and a light colour: mostly black on white, but any pair, and now
    and then inverted."""
    kind = rng.random()
    if kind < 0.65:
        return textures.color(rng, 0, 60, 0.8), textures.color(rng, 180, 255, 0.8)
    while True:
        dark, light = textures.color(rng), textures.color(rng)
        if light.mean() - dark.mean() > 80:
            return (light, dark) if kind > 0.93 else (dark, light)


def lower_addon(rng, code, width, digits, m):
    """An add-on begins lower than its bars, and has its digits above it."""
    high = int(code.shape[0] * rng.uniform(0.1, 0.3))
    code = code.copy()
    code[:high, width + m:] = 255
    font = cv2.FONT_HERSHEY_SIMPLEX
    (w, h), _ = cv2.getTextSize(digits, font, 1, 1)
    scale = min((code.shape[1] - width) * rng.uniform(0.5, 0.9) / w, 0.8 * high / h)
    if h * scale >= 3:
        cv2.putText(code, digits, (code.shape[1] - int(w * scale) - int(m), high - 2), font, scale, 0,
                    max(1, int(scale * 1.5)), cv2.LINE_AA)
    return code


def put_digits(rng, code, width, digits, ean, m):
    """Draws the text below the bars, or above; that of an EAN reaches into
    them. Also returns the first row of the bars and their number of rows."""
    height = code.shape[0]
    font = int(rng.choice([cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX]))
    (w, h), _ = cv2.getTextSize(digits, font, 1, 1)
    scale = width * rng.uniform(0.5, 1.0) / max(w, 1)
    scale = min(scale, 0.35 * height / max(h, 1))
    w, h = int(w * scale), int(h * scale)
    if h < 3:
        return code, 0, height
    thick = max(1, int(scale * 1.5))
    if ean and rng.random() < 0.8:
        code = code.copy()
        top, guard = height - int(h * rng.uniform(0.4, 1.1)), 3 * m
        code[top:, guard:width // 2 - 2 * m] = 255
        code[top:, width // 2 + 2 * m:width - guard] = 255
        below = np.full((h // 2 + 2, code.shape[1]), 255, np.uint8)
        code = np.concatenate((code, below))
        y = top + h + 2
    elif rng.random() < 0.3:
        gap = int(h * rng.uniform(0.1, 0.6)) + 3
        code = np.concatenate((np.full((h + gap, code.shape[1]), 255, np.uint8), code))
        cv2.putText(code, digits, ((width - w) // 2, h + 1), font, scale, 0, thick, cv2.LINE_AA)
        return code, h + gap, height
    else:
        gap = int(h * rng.uniform(0.1, 0.6)) + 1
        code = np.concatenate((code, np.full((h + gap + 3, code.shape[1]), 255, np.uint8)))
        y = height + gap + h
    cv2.putText(code, digits, ((width - w) // 2, y), font, scale, 0, thick, cv2.LINE_AA)
    return code, 0, height


def surround(rng, paper, ink, h, w):
    """Draws the rest of the label."""
    kind = rng.random()
    page = np.broadcast_to(paper.astype(np.uint8), (h, w, 3)).copy()
    if kind < 0.45 or min(h, w) < 24:
        return page
    if kind < 0.6:
        other = textures.decoy(rng, h, w)
        return other if rng.random() < 0.5 else textures.shapes(rng, h, w)
    for _ in range(int(rng.integers(2, 16))):
        word = "".join(rng.choice(textures.LETTERS, int(rng.integers(2, 24))))
        scale = float(np.exp(rng.uniform(np.log(0.25), np.log(max(0.3, h / 90)))))
        at = int(rng.uniform(-0.05, 0.8) * w), int(rng.uniform(0, 1.05) * h)
        cv2.putText(page, word, at, int(rng.choice(textures.FONTS)), scale, ink.tolist(),
                    max(1, int(scale * rng.uniform(1, 3))), cv2.LINE_AA)
    for _ in range(int(rng.integers(0, 4))):
        if rng.random() < 0.5:
            y = int(rng.uniform(0, h))
            cv2.line(page, (0, y), (w, y), ink.tolist(), int(rng.integers(1, 4)))
        else:
            x = int(rng.uniform(0, w))
            cv2.line(page, (x, 0), (x, h), ink.tolist(), int(rng.integers(1, 4)))
    return page


def printed(rng, symbol, size):
    """@size: pixels of the symbol's longer side in the picture; the print has
    about as many, so that it is scaled little afterwards."""
    label, pixels, digits, ean, proper = symbol
    n = max(pixels.shape)
    m = max(1, int(np.ceil(size / n)))
    code = np.kron(pixels, np.ones((m, m), np.uint8)) if m > 1 else pixels
    code = grow(rng, code, m)
    first, height, width = 0, code.shape[0], (proper or pixels.shape[1]) * m
    digits, _, addon = digits.partition("+")
    if addon and rng.random() < 0.8:
        code = lower_addon(rng, code, width, addon, m)
    if label == "barcode" and digits and rng.random() < 0.75:
        code, first, height = put_digits(rng, code, width, digits, ean, m)
    if label == "qr-code" and height == width > 60 and rng.random() < 0.2:
        side = int(width * rng.uniform(0.12, 0.35))
        code = cv2.cvtColor(code, cv2.COLOR_GRAY2BGR)
        at = (width - side) // 2
        code[at:at + side, at:at + side] = (textures.shapes, textures.sign)[int(rng.integers(2))](
            rng, side, side)
    if size < m * n * 0.95:
        f = size / (m * n)
        code = cv2.resize(code, None, fx=f, fy=f, interpolation=cv2.INTER_AREA)
        first, height, width, m = int(first * f), int(height * f), int(width * f), m * f

    dark, light = inks(rng)
    quiet = m * (rng.uniform(0, 1) if rng.random() < 0.15 else rng.uniform(1, 8))
    room = [quiet + (size * rng.uniform(0, 0.7) if rng.random() < 0.5 else 0) for _ in range(4)]
    top, left, bottom, right = (int(r) for r in room)
    h, w = code.shape[0] + top + bottom, code.shape[1] + left + right
    if code.ndim == 2:
        code = code[..., None]
    body = light + (1 - code.astype(np.float32) / 255) * (dark - light)
    if rng.random() < 0.08 and label != "barcode":
        # Printed directly on the background: only the dark parts cover it.
        color = np.broadcast_to(dark.astype(np.uint8), (h, w, 3)).copy()
        alpha = np.zeros((h, w), np.uint8)
        alpha[top:top + code.shape[0], left:left + code.shape[1]] = 255 - code.min(2)
    else:
        color = surround(rng, light, dark, h, w)
        q = int(quiet)
        color[max(0, top - q):h - bottom + q, max(0, left - q):w - right + q] = light
        color[top:top + code.shape[0], left:left + code.shape[1]] = body
        alpha = np.full((h, w), 255, np.uint8)
        if rng.random() < 0.2:
            cv2.rectangle(color, (0, 0), (w - 1, h - 1), dark.tolist(), max(1, int(m / 2)))
    mask = np.zeros((h, w), np.uint8)
    mask[top + first:top + first + height, left:left + width] = 255
    return Print(color, alpha, mask)
