#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Makes the pictures in this folder: crops and scales photos, and draws the others with zint,
GStreamer and Pillow. README.md says where the photos come from.

usage: inputs.py PHOTOS
"""
import os
import subprocess
import sys
import tempfile

from PIL import Image, ImageDraw, ImageOps

HERE = os.path.dirname(os.path.abspath(__file__))
SIZE = (400, 300)
# The name here, and that of the photo.
PHOTOS = {
    "01-hand": "qrcode-1_16", "02-tin": "ean13-1_2", "03-station": "qrcode-2_5",
    "04-label": "code128-2_09", "05-shipment": "pdf417-3_12", "06-shirt": "qrcode-4_46",
    "07-paper": "datamatrix-2_17", "08-wall": "aztec-2_16", "09-bottle": "ean13-1_14",
}


def sheet():
    codes = Image.open(os.path.join(HERE, "../../pipelines/codes.png")).convert("RGB")
    return ImageOps.pad(codes.crop((20, 40, 620, 540)), SIZE, Image.LANCZOS, color="white")


def zint(work, kind, text, module):
    path = os.path.join(work, "symbol.png")
    subprocess.run(["zint", "--barcode", str(kind), "--data", text, "--output", path, "--scale",
                    str(module / 2), "--notext"], check=True)
    return Image.open(path).convert("RGB")


def turned(canvas, picture, at, angle):
    """Pastes a picture with a margin, turned about its middle."""
    picture = ImageOps.expand(picture, 12, "white").convert("RGBA")
    picture = picture.rotate(angle, Image.BICUBIC, expand=True)
    canvas.paste(picture, (at[0] - picture.width // 2, at[1] - picture.height // 2), picture)


def table(work):
    """Symbols of other kinds, on slips of paper on a table."""
    large = Image.new("RGB", (2 * SIZE[0], 2 * SIZE[1]))
    draw = ImageDraw.Draw(large)
    for y in range(large.height):
        shade = 12 if y // 75 % 2 else 0
        draw.line((0, y, large.width, y), fill=(150 - shade - y // 20, 104 - shade - y // 24, 66 - shade))
    codes = Image.open(os.path.join(HERE, "../../pipelines/codes.png")).convert("RGB")
    turned(large, codes.crop((436, 236, 564, 364)), (140, 150), 14)
    turned(large, codes.crop((434, 384, 566, 516)), (650, 440), -11)
    turned(large, zint(work, 97, "YOLO10", 8), (385, 150), -8)            # Micro QR code
    turned(large, zint(work, 29, "0950110153001", 2), (640, 150), 6)      # GS1 DataBar
    turned(large, zint(work, 84, "MicroPDF417", 4), (150, 440), 0)
    turned(large, zint(work, 71, "4006381333931", 8), (400, 430), 8)      # Data Matrix
    return large.resize(SIZE, Image.LANCZOS)


def ball(work):
    path = os.path.join(work, "ball.png")
    subprocess.run(["gst-launch-1.0", "-q", "videotestsrc", "pattern=ball", "num-buffers=1",
                    "!", f"video/x-raw,format=RGB,width={SIZE[0]},height={SIZE[1]}", "!", "pngenc",
                    "!", "filesink", f"location={path}"], check=True)
    return Image.open(path).convert("RGB")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for name, photo in PHOTOS.items():
        picture = Image.open(os.path.join(sys.argv[1], photo + ".jpg")).convert("RGB")
        ImageOps.fit(picture, SIZE, Image.LANCZOS).save(
            os.path.join(HERE, name + ".jpg"), quality=88)
    with tempfile.TemporaryDirectory() as work:
        for name, picture in ("10-sheet", sheet()), ("11-table", table(work)), ("12-ball", ball(work)):
            picture.save(os.path.join(HERE, name + ".png"), optimize=True)


if __name__ == "__main__":
    main()
