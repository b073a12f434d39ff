# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Scenes for the bundled model: that of pipelines/demo.sh and three others, which had no influence
on the model or its settings. videotestsrc draws the balls and zint the codes, with texts from a
seed, and each scene lists its objects."""
import os
import random
import subprocess
import sys
from collections import Counter
from typing import NamedTuple

from pictures import page, symbol, write_png

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
FRAMES = 150

sys.path.append(os.path.join(ROOT, "pipelines"))
import detections  # noqa: E402
from detections import Gst  # noqa: E402

# For each label: zint's number, the length of the text, its letters, and further options.
KINDS = {
    "qr-code": (58, 28, "abcdefghijklmnop/:.-0123456789"),
    "ean": (13, 12, "0123456789", "--height=45"),
    "code128": (20, 9, "ABCDEFGH0123456789", "--height=40"),
    "data-matrix": (71, 26, "abcdefghijklmnopqrst 0123456789"),
    "aztec": (92, 22, "abcdefghijklmnopqrst 0123456789"),
    "pdf417": (55, 24, "ABCDEFGHIJKLMNOPQRST 0123456789"),
}


class Ball(NamedTuple):
    """A ball: videotestsrc draws it with a radius of 20 pixels in a picture of @size, which is
    enlarged @scale times and placed at @place in the frame."""
    place: tuple
    size: tuple
    scale: int
    motion: str = "wavy"
    color: str = "ffffff"
    ground: str = "000000"


class Page(NamedTuple):
    """A page of codes, each (kind, x, y, pixels per module), in @ink on @paper."""
    place: tuple
    size: tuple
    codes: tuple
    paper: int = 255
    ink: int = 0


class Scene(NamedTuple):
    name: str
    seed: int
    size: tuple
    balls: tuple
    pages: tuple


OTHERS = (
    Scene("yellow on blue", 11, (1280, 720),
          (Ball((0, 0), (200, 240), 3, color="f0d020", ground="101840"),),
          (Page((600, 0), (680, 720), (("qr-code", 80, 70, 7), ("qr-code", 420, 90, 6),
                                       ("ean", 90, 400, 3), ("aztec", 460, 420, 8)), paper=225),)),
    Scene("white on gray", 12, (640, 480),
          (Ball((0, 0), (160, 240), 2, motion="sweep", ground="606060"),),
          (Page((320, 0), (320, 480), (("data-matrix", 90, 60, 6), ("pdf417", 30, 300, 2))),)),
    Scene("two balls", 13, (800, 800),
          (Ball((0, 0), (200, 200), 2, motion="hsweep"),
           Ball((400, 400), (200, 200), 2, color="ff8040", ground="004000")),
          (Page((400, 0), (400, 400), (("code128", 60, 60, 2), ("ean", 90, 230, 2)), 245, 30),
           Page((0, 400), (400, 400), (("qr-code", 40, 60, 5), ("aztec", 220, 200, 6)), 245, 30))),
)


def label(kind):
    return "barcode" if kind in ("ean", "code128") else kind


def write_page(path, sheet, rng):
    codes = []
    for kind, x, y, scale in sheet.codes:
        number, length, letters, *options = KINDS[kind]
        text = "".join(rng.choice(letters) for _ in range(length))
        codes.append((symbol(number, text, scale, *options), x, y))
    rows, boxes = page(*sheet.size, *codes)
    for x0, y0, x1, y1 in boxes:
        assert x0 >= 0 and y0 >= 0 and x1 <= sheet.size[0] and y1 <= sheet.size[1], "a code is cut"
    tones = bytes(sheet.ink + (sheet.paper - sheet.ink) * v // 255 for v in range(256))
    return write_png(path, [bytes(row).translate(tones) for row in rows])


def build(scene, folder):
    """((elements that produce the frames, their input), number of objects of each label)."""
    rng = random.Random(scene.seed)
    width, height = scene.size
    truth = Counter({"ball": len(scene.balls)})
    parts = ["compositor name=all background=black"]
    parts += [f"sink_{i}::xpos={ball.place[0]} sink_{i}::ypos={ball.place[1]}"
              for i, ball in enumerate(scene.balls)]
    parts.append(f"! video/x-raw,format=I420,width={width},height={height},framerate=30/1")
    for i, sheet in enumerate(scene.pages):
        path = write_page(os.path.join(folder, f"{scene.seed}-{i}.png"), sheet, rng)
        truth.update(label(kind) for kind, *_ in sheet.codes)
        parts.append(f"! gdkpixbufoverlay location={path} offset-x={sheet.place[0]} "
                     f"offset-y={sheet.place[1]}")
    balls = []
    for i, ball in enumerate(scene.balls):
        (w, h), scale = ball.size, ball.scale
        balls.append(
            f"videotestsrc num-buffers={FRAMES} pattern=ball motion={ball.motion} "
            f"foreground-color=0xff{ball.color} background-color=0xff{ball.ground} "
            f"! video/x-raw,format=I420,width={w},height={h},framerate=30/1 ! videoscale "
            f"! video/x-raw,width={w * scale},height={h * scale} ! all.sink_{i}")
    return (" ".join(parts), balls), truth


def demo():
    """The scene of pipelines/demo.sh, from the script's text, and its objects."""
    done = subprocess.run(
        ["bash", "-c", '. "$1/pipelines/common.sh"; detect=(); take_scene "$2" 30; '
         'printf "%s\\n" "${source[@]}"', "-", ROOT, str(FRAMES)],
        check=True, stdout=subprocess.PIPE, text=True)
    truth = Counter(("ball", "qr-code", "data-matrix", "aztec", "pdf417", "barcode", "marker",
                     "marker"))
    return (" ".join(done.stdout.splitlines()), []), truth


def count(source, detector):
    """(frames, {label: (frames with it, most at once)}) of @detector's results."""
    Gst.init(None)
    head, balls = source
    pipeline = Gst.parse_launch(" ".join(
        [f"{head} ! {detector} name=detector ! fakesink sync=false", *balls]))
    frames, found = [0], {}

    def look(_pad, info):
        frames[0] += 1
        frame = detections.read(info.get_buffer())
        here = Counter(row.label for row in frame.detections)
        for name, n in here.items():
            seen, most = found.get(name, (0, 0))
            found[name] = seen + 1, max(most, n)
        return Gst.PadProbeReturn.OK

    pipeline.get_by_name("detector").get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER, look)
    why = detections.run(pipeline)
    pipeline.set_state(Gst.State.NULL)
    if why:
        raise RuntimeError(why)
    return frames[0], found
