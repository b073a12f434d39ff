# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""The shapes of a YOLOv10's tensors by name, for model.YOLOv10: the paper's six
variants, and networks of any other width and depth."""
from typing import NamedTuple


class Config(NamedTuple):
    classes: int
    widths: tuple               # of layers 0, 1, 3, 5 and 7
    depths: tuple               # blocks of layers 2, 4, 6 and 8; the last also of the neck
    cib: tuple = (22,)          # layers whose blocks are CIB
    large: tuple = ()           # of those, the ones with a 7x7 beside the 3x3
    hidden: int = 0             # of a C2f half, at least
    bins: int = 16              # of a side's distance
    box: int = 0                # channels of the box branch; 0: the paper's
    cls: int = 0                # channels of the class branch; 0: the paper's


# Width and depth multiples, maximum of channels, layers with CIB, and those of
# them with 7x7.
VARIANTS = {
    "n": (0.25, 1 / 3, 1024, (22,), (22,)),
    "s": (0.50, 1 / 3, 1024, (8, 22), (8, 22)),
    "m": (0.75, 2 / 3, 768, (8, 19, 22), ()),
    "b": (1.00, 2 / 3, 512, (8, 13, 19, 22), ()),
    "l": (1.00, 1.00, 512, (8, 13, 19, 22), ()),
    "x": (1.25, 1.00, 512, (6, 8, 13, 19, 22), ()),
}


def variant(name, classes):
    width, depth, most, cib, large = VARIANTS[name]
    widths = tuple(-(-int(min(w, most) * width) // 8) * 8 for w in (64, 128, 256, 512, 1024))
    depths = tuple(max(1, round(d * depth)) for d in (3, 6, 6, 3))
    return Config(classes, widths, depths, cib, large)


class Builder:
    def __init__(self, config):
        self.config, self.shapes = config, {}

    def conv(self, name, cin, cout, k, groups=1):
        self.shapes[name + ".conv.weight"] = (cout, cin // groups, k, k)
        for part in ("weight", "bias", "running_mean", "running_var"):
            self.shapes[f"{name}.bn.{part}"] = (cout,)
        return cout

    def last(self, name, cin, cout):
        self.shapes[name + ".weight"] = (cout, cin, 1, 1)
        self.shapes[name + ".bias"] = (cout,)

    def scdown(self, i, cin, cout):
        self.conv(f"model.{i}.cv1", cin, cout, 1)
        return self.conv(f"model.{i}.cv2", cout, cout, 3, cout)

    def c2f(self, i, cin, cout, n):
        name, half = f"model.{i}", max(cout // 2, self.config.hidden)
        self.conv(name + ".cv1", cin, 2 * half, 1)
        self.conv(name + ".cv2", (2 + n) * half, cout, 1)
        for j in range(n):
            block = f"{name}.m.{j}"
            if i not in self.config.cib:
                self.conv(block + ".cv1", half, half, 3)
                self.conv(block + ".cv2", half, half, 3)
                continue
            self.conv(block + ".cv1.0", half, half, 3, half)
            self.conv(block + ".cv1.1", half, 2 * half, 1)
            if i in self.config.large:
                self.conv(block + ".cv1.2.conv", 2 * half, 2 * half, 7, 2 * half)
                self.conv(block + ".cv1.2.conv1", 2 * half, 2 * half, 3, 2 * half)
            else:
                self.conv(block + ".cv1.2", 2 * half, 2 * half, 3, 2 * half)
            self.conv(block + ".cv1.3", 2 * half, half, 1)
            self.conv(block + ".cv1.4", half, half, 3, half)
        return cout

    def sppf(self, i, c):
        self.conv(f"model.{i}.cv1", c, c // 2, 1)
        self.conv(f"model.{i}.cv2", c * 2, c, 1)

    def psa(self, i, c):
        name, half = f"model.{i}", c // 2
        heads = max(1, half // 64)
        self.conv(name + ".cv1", c, c, 1)
        self.conv(name + ".cv2", c, c, 1)
        self.conv(name + ".attn.qkv", half, half + 2 * heads * (half // heads // 2), 1)
        self.conv(name + ".attn.proj", half, half, 1)
        self.conv(name + ".attn.pe", half, half, 3, half)
        self.conv(name + ".ffn.0", half, c, 1)
        self.conv(name + ".ffn.1", c, half, 1)

    def head(self, i, channels):
        c = self.config
        box = c.box or max(16, channels[0] // 4, 4 * c.bins)
        cls = c.cls or max(channels[0], min(c.classes, 100))
        for prefix in ("", "one2one_"):
            for level, cin in enumerate(channels):
                name = f"model.{i}.{prefix}cv2.{level}"
                self.conv(name + ".0", cin, box, 3)
                self.conv(name + ".1", box, box, 3)
                self.last(name + ".2", box, 4 * c.bins)
                name = f"model.{i}.{prefix}cv3.{level}"
                self.conv(name + ".0.0", cin, cin, 3, cin)
                self.conv(name + ".0.1", cin, cls, 1)
                self.conv(name + ".1.0", cls, cls, 3, cls)
                self.conv(name + ".1.1", cls, cls, 1)
                self.last(name + ".2", cls, c.classes)


def shapes(config):
    b = Builder(config)
    w0, w1, w2, w3, w4 = config.widths
    d0, d1, d2, d3 = config.depths
    b.conv("model.0", 3, w0, 3)
    b.conv("model.1", w0, w1, 3)
    b.c2f(2, w1, w1, d0)
    b.conv("model.3", w1, w2, 3)
    b.c2f(4, w2, w2, d1)
    b.scdown(5, w2, w3)
    b.c2f(6, w3, w3, d2)
    b.scdown(7, w3, w4)
    b.c2f(8, w4, w4, d3)
    b.sppf(9, w4)
    b.psa(10, w4)
    b.c2f(13, w4 + w3, w3, d3)
    b.c2f(16, w3 + w2, w2, d3)
    b.conv("model.17", w2, w2, 3)
    b.c2f(19, w2 + w3, w3, d3)
    b.scdown(20, w3, w3)
    b.c2f(22, w3 + w4, w4, d3)
    b.head(23, (w2, w3, w4))
    return b.shapes
