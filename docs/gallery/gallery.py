#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Draws docs/gallery.jpg: what `y10 detect --draw` makes of the pictures in this folder with the
bundled model. shown.json records the detections, and the versions that draw the text.

usage: gallery.py BUILD [--check]

--check compares instead: exits with 1 if the gallery does not show what BUILD detects and draws.
"""
import ctypes
import glob
import io
import json
import os
import subprocess
import sys
import tempfile

from PIL import Image, ImageChops, ImageStat

HERE = os.path.dirname(os.path.abspath(__file__))
GALLERY = os.path.join(HERE, "../gallery.jpg")
SHOWN = os.path.join(HERE, "shown.json")
COLUMNS, GAP = 4, 4
PIXELS, CONFIDENCE = 2, 0.02
# Of a tile's mean absolute difference, 0 to 255: a label that moves by its height makes 0.5 or
# more, a digit that is rounded differently 0.05.
DIFFERENCE = 0.15


def versions():
    """What decides how text looks."""
    font = subprocess.run(["fc-match", "Sans:bold", "file", "fontversion"], check=True,
                          capture_output=True, text=True).stdout.strip().rsplit("/", 1)[-1]
    pango, cairo = ctypes.CDLL("libpango-1.0.so.0"), ctypes.CDLL("libcairo.so.2")
    pango.pango_version_string.restype = cairo.cairo_version_string.restype = ctypes.c_char_p
    return {"font": font, "pango": pango.pango_version_string().decode(),
            "cairo": cairo.cairo_version_string().decode()}


def names():
    return sorted(os.path.basename(path) for path in glob.glob(os.path.join(HERE, "[0-9]*.*")))


def detect(build):
    """The detections in each picture, and the pictures with them drawn."""
    shown, tiles = {}, []
    with tempfile.TemporaryDirectory() as work:
        plain, drawn = os.path.join(work, "plain"), os.path.join(work, "drawn")
        os.mkdir(plain)
        for name in names():
            # PNG, so that a decoder's rounding and a second compression have no influence.
            Image.open(os.path.join(HERE, name)).convert("RGB").save(
                os.path.join(plain, name[:-4] + ".png"))
        env = dict(os.environ, GST_PLUGIN_PATH=os.path.join(build, "gst"),
                   GST_REGISTRY=os.path.join(work, "registry"))
        lines = subprocess.run(
            [os.path.join(build, "tools/y10"), "detect", "--backend", "cpu", "--precision", "fp32",
             "--draw", drawn, plain], env=env, check=True, stdout=subprocess.PIPE, text=True).stdout
        by_name = {os.path.basename(line["source"])[:-4]: line
                   for line in map(json.loads, lines.splitlines())}
        for name in names():
            shown[name] = [
                {"label": o["detection"]["label"], "confidence": round(o["detection"]["confidence"], 3),
                 "box": [o["x"], o["y"], o["w"], o["h"]]} for o in by_name[name[:-4]]["objects"]]
            tiles.append(Image.open(os.path.join(drawn, name[:-4] + ".png")).convert("RGB"))
    return shown, tiles


def place(i, size):
    return i % COLUMNS * (size[0] + GAP), i // COLUMNS * (size[1] + GAP)


def montage(tiles):
    height = place(len(tiles) + COLUMNS - 1, tiles[0].size)[1]
    canvas = Image.new("RGB", (COLUMNS * (tiles[0].width + GAP) - GAP, height - GAP), "white")
    for i, tile in enumerate(tiles):
        canvas.paste(tile, place(i, tile.size))
    data = io.BytesIO()
    canvas.save(data, "JPEG", quality=85, optimize=True)
    return data.getvalue()


def compare_objects(name, old, new):
    """Lines that say what differs."""
    if [o["label"] for o in old] != [o["label"] for o in new]:
        return [f"{name}: shows {[o['label'] for o in old]}, detected {[o['label'] for o in new]}"]
    return [f"{name}: shows {a}, detected {b}" for a, b in zip(old, new)
            if abs(a["confidence"] - b["confidence"]) > CONFIDENCE
            or any(abs(p - q) > PIXELS for p, q in zip(a["box"], b["box"]))]


def compare_tiles(old, new, size):
    """Compares two montages, both of them JPEGs of the same settings."""
    old, new = (Image.open(io.BytesIO(data)).convert("RGB") for data in (old, new))
    if old.size != new.size:
        return [f"the gallery has {old.size} pixels, not {new.size}"]
    wrong = []
    for i, name in enumerate(names()):
        x, y = place(i, size)
        part = (x, y, x + size[0], y + size[1])
        mean = ImageStat.Stat(ImageChops.difference(old.crop(part), new.crop(part))).mean
        if sum(mean) / 3 > DIFFERENCE:
            wrong.append(f"{name} is drawn differently: mean difference {sum(mean) / 3:.2f}")
    return wrong


def check(build):
    with open(SHOWN, encoding="utf-8") as file:
        recorded = json.load(file)
    shown, tiles = detect(build)
    if sorted(shown) != sorted(recorded["shown"]):
        return ["shown.json lists other pictures"]
    wrong = [line for name in shown for line in compare_objects(name, recorded["shown"][name], shown[name])]
    if versions() == recorded["drawn with"]:
        with open(GALLERY, "rb") as file:
            wrong += compare_tiles(file.read(), montage(tiles), tiles[0].size)
    else:
        print(f"drawing not compared: made with {recorded['drawn with']}, here {versions()}")
    return wrong


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--check"]):
        sys.exit(__doc__)
    if sys.argv[2:]:
        wrong = check(sys.argv[1])
        for line in wrong:
            print(line)
        if wrong:
            print("docs/gallery.jpg is stale; run docs/gallery/gallery.py", sys.argv[1])
        return 1 if wrong else 0
    shown, tiles = detect(sys.argv[1])
    with open(GALLERY, "wb") as file:
        file.write(montage(tiles))
    with open(SHOWN, "w", encoding="utf-8") as file:
        json.dump({"drawn with": versions(), "shown": shown}, file, indent=1)
        file.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
