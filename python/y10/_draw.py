# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Draws the boxes of a result with Pillow, in sizes that suit the picture."""
from __future__ import annotations

import colorsys
from typing import Any, Tuple

import numpy as np

#: Of a turn of the colour wheel between classes: neighbours differ well, and few are alike.
GOLDEN = 0.618034


def colour_of(class_id: int) -> Tuple[int, int, int]:
    """A bright colour, the same for a class in all pictures."""
    red, green, blue = colorsys.hsv_to_rgb(class_id * GOLDEN % 1, 0.75, 0.95)
    return round(255 * red), round(255 * green), round(255 * blue)


def _font(size: int) -> Any:
    from PIL import ImageFont
    try:
        return ImageFont.truetype("DejaVuSans.ttf", size)
    except OSError:
        return ImageFont.load_default()


def draw(picture: np.ndarray, result: Any) -> np.ndarray:
    """A copy of @picture, RGB or gray, as RGB with the boxes and labels of @result, a Result."""
    from PIL import Image, ImageDraw
    image = Image.fromarray(picture).convert("RGB")
    if image.size != (result.width, result.height):
        raise ValueError(f"the picture has {image.width}x{image.height} pixels; the result is of one "
                         f"with {result.width}x{result.height}")
    pen = ImageDraw.Draw(image)
    side = min(image.size)
    line, font = max(1, round(side / 250)), _font(max(10, round(side / 40)))
    # The most confident box last, on top of the others.
    for found, label in reversed(list(zip(result, result.labels))):
        colour = colour_of(int(found["class_id"]))
        box = [float(found[edge]) for edge in ("x0", "y0", "x1", "y1")]
        pen.rectangle(box, outline=colour, width=line)
        text = f"{label} {found['confidence']:.0%}".replace("%", " %")
        left, top, right, bottom = pen.textbbox((0, 0), text, font=font)
        width, height = right - left + 2 * line, bottom - top + 2 * line
        x = max(0, min(box[0], image.width - width))
        y = box[1] - height if box[1] >= height else box[1]
        pen.rectangle([x, y, x + width, y + height], fill=colour)
        dark = sum(colour) > 380
        pen.text((x + line - left, y + line - top), text, fill=(0, 0, 0) if dark else (255, 255, 255),
                 font=font)
    return np.asarray(image)
