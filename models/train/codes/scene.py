# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Simulates a camera picture: prints on surfaces, flat, bent or crumpled, from
any side, in any light, through any lens. make (seed, size) always returns the
same picture for the same seed."""
import cv2
import numpy as np

from . import LABELS, labels, symbols, textures

# Aspect ratio (width by height) and its frequency.
ASPECTS = ((4 / 3, 5), (3 / 4, 3), (16 / 9, 3), (9 / 16, 1), (1.0, 3))
# The share of a symbol that must be visible; for bars, which do not change
# along their length, the share of their height.
VISIBLE, VISIBLE_BARS = 0.8, 0.3
# The least pixels per module: below that the kinds cannot be distinguished, and
# training on them costs confidence in all kinds.
LEAST_MODULE = {"barcode": 0.7, "pdf417": 0.8, "qr-code": 0.95, "data-matrix": 1.1, "aztec": 1.1,
                "marker": 1.1}

_noise = np.random.default_rng(0).normal(0, 32, (1 << 23,)).clip(-127, 127).astype(np.int8)


def turned(rng):
    """An angle in degrees: upright, on its side, or any."""
    kind = rng.random()
    if kind < 0.5:
        return rng.normal(0, 6)
    if kind < 0.7:
        return rng.choice([90, 180, 270]) + rng.normal(0, 5)
    return rng.uniform(0, 360)


def corners(rng, h, w, scale, flat):
    """The corners of an h x w sheet after projection, around (0, 0)."""
    a = np.radians(turned(rng))
    ax, ay = np.radians(np.clip(rng.normal(0, 4 if flat else 18, 2), -55, 55))
    z = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])
    x = np.array([[1, 0, 0], [0, np.cos(ax), -np.sin(ax)], [0, np.sin(ax), np.cos(ax)]])
    y = np.array([[np.cos(ay), 0, np.sin(ay)], [0, 1, 0], [-np.sin(ay), 0, np.cos(ay)]])
    sheet = np.array([[-w, -h, 0], [w, -h, 0], [w, h, 0], [-w, h, 0]]) / 2 * scale
    points = sheet @ (y @ x @ z).T
    far = max(h, w) * scale * rng.uniform(1.2, 4)
    return points[:, :2] * (far / (far + points[:, 2:]))


def around(t, bend):
    """Maps 0 .. 1 across a can's view to 0 .. 1 along its surface."""
    s = (t * 2 - 1) * np.sin(bend)
    return np.where(np.abs(s) < 1, 0.5 + 0.5 * np.arcsin(np.clip(s, -1, 1)) / bend, -100)


def warp(rng, sheet, quad, x0, y0, w, h):
    """Projects the sheet's layers onto the quad and returns their window (x0,
    y0, w, h)."""
    sh, sw = sheet.mask.shape
    source = np.array([[0, 0], [sw, 0], [sw, sh], [0, sh]], np.float32)
    to = cv2.getPerspectiveTransform(source, (quad - (x0, y0)).astype(np.float32))
    if rng.random() < 0.75:
        return [cv2.warpPerspective(part, to, (w, h), flags=cv2.INTER_LINEAR,
                                    borderMode=cv2.BORDER_CONSTANT)
                for part in (sheet.color, sheet.alpha, sheet.mask)]
    y, x = np.mgrid[0:h, 0:w].astype(np.float32)
    back = np.linalg.inv(to).astype(np.float32)
    d = back[2, 0] * x + back[2, 1] * y + back[2, 2]
    u = (back[0, 0] * x + back[0, 1] * y + back[0, 2]) / d
    v = (back[1, 0] * x + back[1, 1] * y + back[1, 2]) / d
    if rng.random() < 0.6:
        # Around a can: narrow strips at the sides of the view are long on the
        # surface.
        bend, sag = rng.uniform(0.5, 1.25), rng.uniform(-0.12, 0.12)
        if rng.random() < 0.6:
            u = around(u / sw, bend) * sw
            v = v + sh * sag * (u / sw * 2 - 1) ** 2
        else:
            v = around(v / sh, bend) * sh
            u = u + sw * sag * (v / sh * 2 - 1) ** 2
    else:
        reach = max(sh, sw) * rng.uniform(0.01, 0.05)
        cells = rng.uniform(3, 6)
        u = u + textures.smooth(rng, h, w, cells, -reach, reach)
        v = v + textures.smooth(rng, h, w, cells, -reach, reach)
    u, v = u.astype(np.float32), v.astype(np.float32)
    return [cv2.remap(part, u, v, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
            for part in (sheet.color, sheet.alpha, sheet.mask)]


def inside(a, b, w, h):
    """The share of the line from a to b inside the picture, 0 .. 1."""
    line = a + (b - a) * np.linspace(0, 1, 33)[:, None]
    return ((line >= 0) & (line < (w, h))).all(1).mean()


def sharpness(symbol, quad):
    """Pixels per module in the direction with fewer, relative to the required
    number."""
    rows, columns = symbol.pixels.shape
    wide, high = np.hypot(*(quad[1] - quad[0])), np.hypot(*(quad[3] - quad[0]))
    wide /= symbol.width or columns
    # Bars have modules in one direction only.
    pixels = wide if symbol.label == "barcode" else min(wide, high / rows)
    return pixels / LEAST_MODULE[symbol.label]


class Scene:
    def __init__(self, rng, h, w, only):
        self.rng = rng
        self.only = [name for name in symbols.WEIGHTS if name in only]
        self.picture = textures.background(rng, h, w)
        self.taken = np.zeros((h, w), np.uint8)
        self.boxes = []

    def place(self, sheet, size, symbol, close=False):
        """Places a sheet at random, with its symbol @size pixels long; False:
        there it would cover another one, or be hidden."""
        rng, (h, w) = self.rng, self.taken.shape
        rows, columns = np.flatnonzero(sheet.mask.any(1)), np.flatnonzero(sheet.mask.any(0))
        long = max(rows[-1] - rows[0], columns[-1] - columns[0]) + 1
        sh, sw = sheet.mask.shape
        quad = corners(rng, sh, sw, size / long, close and rng.random() < 0.5)
        to = cv2.getPerspectiveTransform(
            np.array([[0, 0], [sw, 0], [sw, sh], [0, sh]], np.float32), quad.astype(np.float32))
        code = np.array([[[columns[0], rows[0]], [columns[-1] + 1, rows[0]],
                          [columns[-1] + 1, rows[-1] + 1], [columns[0], rows[-1] + 1]]], np.float32)
        code = cv2.perspectiveTransform(code, to)[0]
        middle = code.mean(0)
        spread = np.array([w, h]) * (0.12 if close else 0.5)
        at = np.array([w, h]) / 2 + rng.uniform(-1, 1, 2) * spread
        quad, code = quad + at - middle, code + at - middle
        x0, y0 = np.maximum(np.floor(quad.min(0)).astype(int) - 2, 0)
        x1, y1 = np.minimum(np.ceil(quad.max(0)).astype(int) + 3, (w, h))
        if x1 - x0 < 4 or y1 - y0 < 4:
            return False
        color, alpha, mask = warp(rng, sheet, quad, x0, y0, int(x1 - x0), int(y1 - y0))
        area = cv2.contourArea(code.astype(np.float32))
        seen = mask > 127
        if symbol is not None and not (seen.sum() >= VISIBLE * area or symbol.label == "barcode"
                                       and min(inside(code[0], code[3], w, h),
                                               inside(code[1], code[2], w, h)) >= VISIBLE_BARS):
            return False
        window = slice(y0, y1), slice(x0, x1)
        if (self.taken[window][alpha > 60]).any():
            return False
        light = rng.uniform(0.75, 1.1) + rng.uniform(-0.2, 0.2) * np.linspace(
            -1, 1, int(x1 - x0), dtype=np.float32)[None, :, None]
        a = alpha[..., None].astype(np.float32) / 255
        under = self.picture[window].astype(np.float32)
        self.picture[window] = np.clip(under + a * (color * light - under), 0, 255)
        if symbol is None:
            return True
        self.taken[window] |= cv2.dilate(mask, np.ones((5, 5), np.uint8))
        ys, xs = np.flatnonzero(seen.any(1)), np.flatnonzero(seen.any(0))
        self.boxes.append((LABELS.index(symbol.label), x0 + xs[0], y0 + ys[0], x0 + xs[-1] + 1,
                           y0 + ys[-1] + 1, sharpness(symbol, code)))
        return True

    def add_code(self, size, larger, close=False):
        """@larger: the factor by which the picture will be shrunk."""
        symbol = symbols.symbol(self.rng, self.only)
        least = LEAST_MODULE[symbol.label] * larger
        size = max(size, least * max(symbol.pixels.shape), 14)
        size = min(size, 1.05 * max(self.taken.shape))
        sheet = labels.printed(self.rng, symbol, size)
        return any(self.place(sheet, size, symbol, close) for _ in range(6))

    def add_decoy(self):
        rng = self.rng
        size = np.exp(rng.uniform(np.log(20), np.log(max(self.taken.shape) * 0.8)))
        h, w = (max(8, int(size * f)) for f in (1, rng.uniform(0.4, 1)))
        sheet = labels.Print(textures.decoy(rng, h, w), np.full((h, w), 255, np.uint8),
                             np.full((h, w), 255, np.uint8))
        return self.place(sheet, size, None)


def ball(rng, h, w):
    """The ball of videotestsrc: a bright disc on black, or other plain colours
    with a similar contrast."""
    if rng.random() < 0.7:
        back, front = textures.color(rng, 0, 20, 1), textures.color(rng, 215, 255, 1)
    else:
        back, front = textures.two_colors(rng, 90)
    picture = np.broadcast_to(back.astype(np.uint8), (h, w, 3)).copy()
    boxes = []
    for _ in range(int(rng.choice([1, 1, 1, 2, 3]))):
        r = np.exp(rng.uniform(np.log(4), np.log(min(h, w) / 5)))
        x, y = rng.uniform(r, w - r), rng.uniform(r, h - r)
        box = (0, x - r, y - r, x + r, y + r, np.inf)
        if all(box[3] < b[1] or b[3] < box[1] or box[4] < b[2] or b[4] < box[2] for b in boxes):
            cv2.circle(picture, (round(x * 16), round(y * 16)), round(r * 16), front.tolist(), -1,
                       cv2.LINE_AA, 4)
            boxes.append(box)
    return picture, boxes


def screenshot(rng, long, only):
    """A symbol as a program renders it: alone, up to the picture's edge."""
    symbol = symbols.symbol(rng, [name for name in symbols.WEIGHTS if name in only])
    sheet = labels.printed(rng, symbol, long * rng.uniform(0.5, 1.0))
    f = long / max(sheet.mask.shape)
    picture, mask = (cv2.resize(v, None, fx=f, fy=f, interpolation=cv2.INTER_LINEAR)
                     for v in (sheet.color, sheet.mask))
    if rng.random() < 0.35:
        # Rendered with a pixel or two per module, then enlarged like a photo.
        few = rng.uniform(1.5, 4) * max(symbol.pixels.shape) / long
        if few < 1:
            small = cv2.resize(picture, None, fx=few, fy=few, interpolation=cv2.INTER_AREA)
            picture = cv2.resize(small, picture.shape[1::-1], interpolation=cv2.INTER_LINEAR)
    y, x = (np.flatnonzero((mask > 127).any(axis)) for axis in (1, 0))
    x0, y0, x1, y1 = x[0], y[0], x[-1] + 1, y[-1] + 1
    quad = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])
    return picture, [(LABELS.index(symbol.label), x0, y0, x1, y1, sharpness(symbol, quad))]


def nothing(rng, h, w, of=textures.CONFUSING):
    """A close-up of cloth, paint or a floor: the whole picture looks like a
    code."""
    make = of[int(rng.integers(len(of)))]
    picture = make(rng, h, w)
    if rng.random() < 0.4:
        # An object with an outline: a ball of yarn, a box, a sleeve.
        y, x = np.mgrid[0:h, 0:w].astype(np.float32)
        cy, cx, ry, rx = (rng.uniform(0.2, 0.8) * h, rng.uniform(0.2, 0.8) * w,
                          rng.uniform(0.25, 0.7) * h, rng.uniform(0.25, 0.7) * w)
        power = rng.choice([2, 2, 6])
        inside = np.abs((x - cx) / rx) ** power + np.abs((y - cy) / ry) ** power < 1
        picture = np.where(inside[..., None], picture, textures.background(rng, h, w))
    return picture


def occlude(rng, scene):
    """A finger, a cable or a corner covers at most a fifth."""
    for _, x0, y0, x1, y1, _ in scene.boxes:
        if rng.random() > 0.1:
            continue
        side = (x1 - x0 + y1 - y0) / 2
        edge = np.array([rng.choice([x0, x1]), rng.uniform(y0, y1)])
        c = np.clip(rng.normal((110, 140, 190), 35), 0, 255).tolist()
        if rng.random() < 0.6:
            axes = (max(1, int(side * rng.uniform(0.1, 0.35))), max(1, int(side * rng.uniform(0.05, 0.15))))
            cv2.ellipse(scene.picture, edge.astype(int).tolist(), axes, rng.uniform(0, 180), 0, 360, c,
                        -1, cv2.LINE_AA)
        else:
            end = edge + rng.normal(0, side, 2)
            cv2.line(scene.picture, edge.astype(int).tolist(), end.astype(int).tolist(), c,
                     max(1, int(side * rng.uniform(0.01, 0.06))), cv2.LINE_AA)


def light(rng, picture):
    """Shadows, glare, exposure, colour of the light."""
    h, w = picture.shape[:2]
    p = picture.astype(np.float32)
    if rng.random() < 0.5:
        p *= textures.smooth(rng, h, w, rng.integers(2, 5), rng.uniform(0.35, 0.9), 1.1)[..., None]
    if rng.random() < 0.08:
        # Foil and plastic: glare along the folds.
        fold = textures.smooth(rng, h, w, rng.integers(4, 9))
        p += rng.uniform(80, 250) * np.exp(-((fold - 0.5) * rng.uniform(15, 50)) ** 2)[..., None]
    if rng.random() < 0.1:
        y, x = np.mgrid[0:h, 0:w].astype(np.float32)
        cy, cx, r = rng.uniform(0, h), rng.uniform(0, w), rng.uniform(0.05, 0.35) * max(h, w)
        spot = np.exp(-(((x - cx) / r) ** 2 + ((y - cy) / (r * rng.uniform(0.3, 1))) ** 2))
        p += rng.uniform(60, 260) * spot[..., None]
    if rng.random() < 0.5:
        p *= rng.uniform(0.85, 1.15, 3).astype(np.float32)
    gain = np.exp(rng.normal(0, 0.25)) if rng.random() < 0.85 else rng.uniform(0.2, 0.5)
    return cv2.convertScaleAbs(np.maximum(p, 0), alpha=gain, beta=max(rng.normal(0, 10), 0))


def lens(rng, p):
    """Defocus, motion, the sensor's noise, a phone's sharpening."""
    h, w = p.shape[:2]
    if rng.random() < 0.45:
        p = cv2.GaussianBlur(p, (0, 0), np.exp(rng.uniform(np.log(0.4), np.log(2.2))) * max(h, w) / 640)
    if rng.random() < 0.12:
        n = int(rng.integers(3, 14)) | 1
        kernel = np.zeros((n, n), np.float32)
        a = rng.uniform(0, np.pi)
        d = np.array([np.cos(a), np.sin(a)]) * n / 2
        cv2.line(kernel, (n // 2 + d).astype(int).tolist(), (n // 2 - d).astype(int).tolist(), 1.0)
        p = cv2.filter2D(p, -1, kernel / kernel.sum())
    if rng.random() < 0.2:
        more = rng.uniform(0.3, 1.5)
        p = cv2.addWeighted(p, 1 + more, cv2.GaussianBlur(p, (0, 0), 1.2), -more, 0)
    if rng.random() < 0.6:
        strength = np.exp(rng.uniform(np.log(1), np.log(24))) / 32
        planes = 1 if rng.random() < 0.4 else 3
        at = int(rng.integers(0, _noise.size - h * w * planes))
        noise = _noise[at:at + h * w * planes].reshape(h, w, planes)
        p = np.clip(p + np.float32(strength) * noise, 0, 255).astype(np.uint8)
    if rng.random() < 0.35:
        p = cv2.cvtColor(cv2.cvtColor(p, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    return p


def visible(picture, box):
    """Whether the box still has any contrast after light and lens."""
    x0, y0, x1, y1 = (int(v) for v in box[1:5])
    part = picture[y0:y1 + 1, x0:x1 + 1]
    return part.size > 0 and cv2.cvtColor(part, cv2.COLOR_BGR2GRAY).std() > 7


def smear(picture, boxes):
    """Makes symbols that are too dense to distinguish unrecognisable, in place,
    and returns the boxes of the others."""
    dense = boxes[:, 5] < 1
    areas = [tuple(slice(max(int(box[i]), 0), int(np.ceil(box[i + 2]))) for i in (2, 1)) for box in boxes]
    kept = [(areas[i], picture[areas[i]].copy()) for i in np.flatnonzero(~dense)] if dense.any() else []
    for i in np.flatnonzero(dense):
        part = picture[areas[i]]
        if part.size:
            side = max(3, max(part.shape[:2]) // 2 | 1)
            picture[areas[i]] = cv2.blur(part, (side, side))
    for area, part in kept:
        picture[area] = part
    return boxes[~dense]


def frame(rng, size):
    """(height, width, how much larger than @size its longer side is). Photos
    are larger than the network's input, and shrink like in the engine's
    letterbox: by interpolation, which loses detail."""
    weights = np.array([weight for _, weight in ASPECTS], float)
    aspect = ASPECTS[int(rng.choice(len(ASPECTS), p=weights / weights.sum()))][0]
    larger = 1.0 if rng.random() < 0.5 else rng.uniform(1.0, 1.8)
    long = int(size * larger)
    return (int(long / aspect), long, larger) if aspect >= 1 else (long, int(long * aspect), larger)


def shrunk(picture, size, larger):
    """(picture, scale factor)."""
    h, w = picture.shape[:2]
    f = size / max(h, w)
    if larger > 1:
        picture = cv2.resize(picture, (round(w * f), round(h * f)), interpolation=cv2.INTER_LINEAR)
    return picture, f


def lure(seed, size=640):
    """(picture, no boxes), like make(), of objects that only look like
    codes."""
    rng = np.random.default_rng(seed)
    h, w, larger = frame(rng, size)
    if rng.random() < 0.5:
        picture = nothing(rng, h, w, textures.LURES)
    else:
        scene = Scene(rng, h, w, ())
        for _ in range(int(rng.integers(2, 9))):
            scene.add_decoy()
        picture = scene.picture
    return shrunk(lens(rng, light(rng, picture)), size, larger)[0], np.zeros((0, 6), np.float32)


def make(seed, size=640, only=LABELS):
    """(picture, boxes): the picture's longer side is @size; a row of boxes is
    label, x0, y0, x1, y1 in pixels, and its sharpness: below 1 a module is too
    small to recognise. @only: the labels to use."""
    rng = np.random.default_rng(seed)
    h, w, larger = frame(rng, size)
    long = max(h, w)
    if "ball" in only and rng.random() < (0.05 if len(only) == len(LABELS) else 1 / len(only)):
        picture, boxes = ball(rng, h, w)
        picture = lens(rng, picture) if rng.random() < 0.4 else picture
    elif rng.random() < 0.1 and len(only) > 1:
        picture, boxes = screenshot(rng, long, only)
        h, w = picture.shape[:2]
        picture = lens(rng, picture) if rng.random() < 0.3 else picture
    elif rng.random() < 0.14 and len(only) > 2:
        picture, boxes = lens(rng, light(rng, nothing(rng, h, w))), []
    else:
        scene = Scene(rng, h, w, only)
        for _ in range(int(rng.choice([0, 1, 2, 3], p=[0.45, 0.3, 0.15, 0.1]))):
            scene.add_decoy()
        kind = rng.random()
        if kind < 0.3:
            # A close-up: the code fills most of the picture.
            scene.add_code(long * rng.uniform(0.35, 1.0), larger, True)
        elif kind < 0.6:
            scene.add_code(long * np.exp(rng.uniform(np.log(0.06), np.log(0.6))), larger)
        elif kind < 0.88:
            for _ in range(int(rng.integers(2, 8))):
                scene.add_code(long * np.exp(rng.uniform(np.log(0.04), np.log(0.35))), larger)
        occlude(rng, scene)
        picture, boxes = lens(rng, light(rng, scene.picture)), scene.boxes
    picture, f = shrunk(picture, size, larger)
    boxes = np.array(boxes, np.float32).reshape(-1, 6)
    boxes[:, 1:] *= f
    boxes = smear(picture, boxes[[visible(picture, box) for box in boxes]])
    return picture, boxes
