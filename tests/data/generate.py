#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Writes the shapes files of networks too small to be published: the modules
of YOLOv10n (paper, table of variants), and of the other families' n, with other
widths.

  tiny-nc3        hidden widths 8 and 12, one attention head of 32 channels
  tiny-nc3-bins8  the same with 8 box bins instead of 16
  tiny-x-nc3      every C2f that may be a C2fCIB is one, two repeats each
  pico-nc3        the smallest network: widths 4 and 8, 2 box bins
  tiny-yolov8-nc3, tiny-yolo11-nc3, tiny-yolo26-nc3

usage: generate.py [DIRECTORY]        (default: where this file is)
       generate.py --check DIRECTORY  (compares with the published networks' files)
"""
import json
import os
import sys


class Shapes(dict):
    def conv_bn(self, name, c_in, c_out, k=1, groups=1):
        self[name + ".conv.weight"] = [c_out, c_in // groups, k, k]
        for part in ("weight", "bias", "running_mean", "running_var"):
            self[f"{name}.bn.{part}"] = [c_out]

    def cib(self, name, c, large):
        self.conv_bn(name + ".cv1.0", c, c, 3, c)
        self.conv_bn(name + ".cv1.1", c, 2 * c)
        if large:
            self.conv_bn(name + ".cv1.2.conv", 2 * c, 2 * c, 7, 2 * c)
            self.conv_bn(name + ".cv1.2.conv1", 2 * c, 2 * c, 3, 2 * c)
        else:
            self.conv_bn(name + ".cv1.2", 2 * c, 2 * c, 3, 2 * c)
        self.conv_bn(name + ".cv1.3", 2 * c, c)
        self.conv_bn(name + ".cv1.4", c, c, 3, c)

    def bottleneck(self, name, c, hidden):
        self.conv_bn(name + ".cv1", c, hidden, 3)
        self.conv_bn(name + ".cv2", hidden, c, 3)

    def attention(self, name, c):
        heads = max(1, c // 64)
        key = c // heads // 2
        self.conv_bn(name + ".attn.qkv", c, c + 2 * heads * key)
        self.conv_bn(name + ".attn.proj", c, c)
        self.conv_bn(name + ".attn.pe", c, c, 3, c)
        self.conv_bn(name + ".ffn.0", c, 2 * c)
        self.conv_bn(name + ".ffn.1", 2 * c, c)

    def c3k2(self, name, c_in, c_out, kind, ratio=0.5):
        """One block."""
        c, m = int(c_out * ratio), name + ".m.0"
        self.conv_bn(name + ".cv1", c_in, 2 * c)
        self.conv_bn(name + ".cv2", 3 * c, c_out)
        if kind == "c3k":
            self.conv_bn(m + ".cv1", c, c // 2)
            self.conv_bn(m + ".cv2", c, c // 2)
            self.conv_bn(m + ".cv3", c // 2 * 2, c)
            for i in range(2):
                self.bottleneck(f"{m}.m.{i}", c // 2, c // 2)
        elif kind == "attention":
            self.bottleneck(m + ".0", c, c // 2)
            self.attention(m + ".1", c)
        else:
            self.bottleneck(m, c, c // 2)

    def c2f(self, name, c_in, c_out, n, kind):
        c = c_out // 2
        self.conv_bn(name + ".cv1", c_in, 2 * c)
        self.conv_bn(name + ".cv2", (2 + n) * c, c_out)
        for i in range(n):
            m = f"{name}.m.{i}"
            if kind == "c2f":
                self.conv_bn(m + ".cv1", c, c, 3)
                self.conv_bn(m + ".cv2", c, c, 3)
            else:
                self.cib(m, c, kind == "large")

    def scdown(self, name, c_in, c_out):
        self.conv_bn(name + ".cv1", c_in, c_out)
        self.conv_bn(name + ".cv2", c_out, c_out, 3, c_out)

    def psa(self, name, c):
        self.conv_bn(name + ".cv1", c, c)
        self.conv_bn(name + ".cv2", c, c)
        self.attention(name, c // 2)

    def c2psa(self, name, c):
        self.conv_bn(name + ".cv1", c, c)
        self.conv_bn(name + ".cv2", c, c)
        self.attention(name + ".m.0", c // 2)

    def head(self, name, channels, nc, bins=16, box=None, heads=("", "one2one_"), light=True):
        box = box or max(16, channels[0] // 4, 4 * bins)
        cls = max(channels[0], min(nc, 100))
        for prefix in heads:
            for i, c in enumerate(channels):
                m = f"{name}.{prefix}cv2.{i}"
                self.conv_bn(m + ".0", c, box, 3)
                self.conv_bn(m + ".1", box, box, 3)
                self[m + ".2.weight"] = [4 * bins, box, 1, 1]
                self[m + ".2.bias"] = [4 * bins]
            for i, c in enumerate(channels):
                m = f"{name}.{prefix}cv3.{i}"
                if light:
                    self.conv_bn(m + ".0.0", c, c, 3, c)
                    self.conv_bn(m + ".0.1", c, cls)
                    self.conv_bn(m + ".1.0", cls, cls, 3, cls)
                    self.conv_bn(m + ".1.1", cls, cls)
                else:
                    self.conv_bn(m + ".0", c, cls, 3)
                    self.conv_bn(m + ".1", cls, cls, 3)
                self[m + ".2.weight"] = [nc, cls, 1, 1]
                self[m + ".2.bias"] = [nc]
            if not prefix and bins > 1:
                self[name + ".dfl.conv.weight"] = [1, bins, 1, 1]


def network(w, n, kinds, nc, bins=16, box=None):
    """w: widths of layers 0, 1, 3, 5, 7; n: repeats of layers 2 4 6 8 and of
    13 16 19 22; kinds: c2f, cib or large by layer."""
    s = Shapes()
    k = lambda layer: kinds.get(layer, "c2f")
    s.conv_bn("model.0", 3, w[0], 3)
    s.conv_bn("model.1", w[0], w[1], 3)
    s.c2f("model.2", w[1], w[1], n[0], k(2))
    s.conv_bn("model.3", w[1], w[2], 3)
    s.c2f("model.4", w[2], w[2], n[1], k(4))
    s.scdown("model.5", w[2], w[3])
    s.c2f("model.6", w[3], w[3], n[2], k(6))
    s.scdown("model.7", w[3], w[4])
    s.c2f("model.8", w[4], w[4], n[3], k(8))
    s.conv_bn("model.9.cv1", w[4], w[4] // 2)
    s.conv_bn("model.9.cv2", w[4] * 2, w[4])
    s.psa("model.10", w[4])
    s.c2f("model.13", w[4] + w[3], w[3], n[4], k(13))
    s.c2f("model.16", w[3] + w[2], w[2], n[4], k(16))
    s.conv_bn("model.17", w[2], w[2], 3)
    s.c2f("model.19", w[2] + w[3], w[3], n[4], k(19))
    s.scdown("model.20", w[3], w[3])
    s.c2f("model.22", w[3] + w[4], w[4], n[4], k(22))
    s.head("model.23", (w[2], w[3], w[4]), nc, bins, box)
    return s


def yolov8(w, nc):
    """w: widths of layers 0, 1, 3, 5, 7."""
    s = Shapes()
    s.conv_bn("model.0", 3, w[0], 3)
    for i, (c_in, c, n) in enumerate(((w[0], w[1], 1), (w[1], w[2], 2), (w[2], w[3], 2),
                                      (w[3], w[4], 1))):
        s.conv_bn(f"model.{2 * i + 1}", c_in, c, 3)
        s.c2f(f"model.{2 * i + 2}", c, c, n, "c2f")
    s.conv_bn("model.9.cv1", w[4], w[4] // 2)
    s.conv_bn("model.9.cv2", w[4] * 2, w[4])
    s.c2f("model.12", w[4] + w[3], w[3], 1, "c2f")
    s.c2f("model.15", w[3] + w[2], w[2], 1, "c2f")
    s.conv_bn("model.16", w[2], w[2], 3)
    s.c2f("model.18", w[2] + w[3], w[3], 1, "c2f")
    s.conv_bn("model.19", w[3], w[3], 3)
    s.c2f("model.21", w[3] + w[4], w[4], 1, "c2f")
    s.head("model.22", w[2:], nc, heads=("",), light=False)
    return s


def yolo11(w, nc, is26=False):
    """w: widths of layers 0, 1, 2, 4, 6 and 8. YOLO26 differs in its last blocks."""
    s = Shapes()
    s.conv_bn("model.0", 3, w[0], 3)
    s.conv_bn("model.1", w[0], w[1], 3)
    s.c3k2("model.2", w[1], w[2], "plain", 0.25)
    s.conv_bn("model.3", w[2], w[2], 3)
    s.c3k2("model.4", w[2], w[3], "plain", 0.25)
    s.conv_bn("model.5", w[3], w[3], 3)
    s.c3k2("model.6", w[3], w[4], "c3k")
    s.conv_bn("model.7", w[4], w[5], 3)
    s.c3k2("model.8", w[5], w[5], "c3k")
    s.conv_bn("model.9.cv1", w[5], w[5] // 2)
    s.conv_bn("model.9.cv2", w[5] * 2, w[5])
    s.c2psa("model.10", w[5])
    kind = "c3k" if is26 else "plain"
    s.c3k2("model.13", w[5] + w[4], w[4], kind)
    s.c3k2("model.16", w[4] + w[3], w[2], kind)
    s.conv_bn("model.17", w[2], w[2], 3)
    s.c3k2("model.19", w[2] + w[4], w[4], kind)
    s.conv_bn("model.20", w[4], w[4], 3)
    s.c3k2("model.22", w[4] + w[5], w[5], "attention" if is26 else "c3k")
    channels = (w[2], w[4], w[5])
    if is26:
        s.head("model.23", channels, nc, bins=1)
    else:
        s.head("model.23", channels, nc, heads=("",))
    return s


def yolo26(w, nc):
    return yolo11(w, nc, is26=True)


def variant(depth, width, max_channels, kinds):
    w = [int(min(c, max_channels) * width) for c in (64, 128, 256, 512, 1024)]
    return w, [max(1, round(r * depth)) for r in (3, 6, 6, 3, 3)], kinds


PUBLISHED = {
    "n": variant(1 / 3, 0.25, 1024, {22: "large"}),
    "s": variant(1 / 3, 0.50, 1024, {8: "large", 22: "large"}),
    "m": variant(2 / 3, 0.75, 768, {8: "cib", 19: "cib", 22: "cib"}),
    "b": variant(2 / 3, 1.00, 512, {8: "cib", 13: "cib", 19: "cib", 22: "cib"}),
    "l": variant(1.00, 1.00, 512, {8: "cib", 13: "cib", 19: "cib", 22: "cib"}),
    "x": variant(1.00, 1.25, 512,
                 {6: "cib", 8: "cib", 13: "cib", 19: "cib", 22: "cib"}),
}

N8, N11 = (16, 32, 64, 128, 256), (16, 32, 64, 128, 128, 256)
OTHERS = {"yolov8n-nc3": yolov8(N8, 3), "yolo11n-nc3": yolo11(N11, 3),
          "yolo26n-nc3": yolo26(N11, 3)}

TINY = (16, 16, 24, 32, 64)
TINY_11 = (8, 16, 16, 24, 32, 64)
WRITTEN = {
    "tiny-nc3": network(TINY, (1, 2, 2, 1, 1), {22: "large"}, 3),
    "tiny-nc3-bins8": network(TINY, (1, 2, 2, 1, 1), {22: "large"}, 3, 8),
    "tiny-x-nc3": network(
        TINY, (2, 2, 2, 2, 2),
        {6: "cib", 8: "large", 13: "cib", 19: "cib", 22: "large"}, 3),
    "pico-nc3": network((4, 4, 4, 8, 8), (1, 1, 1, 1, 1), {}, 3, 2, 8),
    "tiny-yolov8-nc3": yolov8(TINY, 3),
    "tiny-yolo11-nc3": yolo11(TINY_11, 3),
    "tiny-yolo26-nc3": yolo26(TINY_11, 3),
}


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--check":
        published = {f"yolov10{name}-nc80": network(w, n, kinds, 80)
                     for name, (w, n, kinds) in PUBLISHED.items()}
        for name, got in (published | OTHERS).items():
            path = os.path.join(sys.argv[2], f"{name}.shapes.json")
            with open(path) as f:
                expected = json.load(f)
            for key in sorted(expected.keys() | got.keys()):
                if expected.get(key) != got.get(key):
                    sys.exit(f"{path}: {key}: {expected.get(key)}, "
                             f"generated: {got.get(key)}")
        return
    out = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(
        os.path.abspath(__file__))
    for name, shapes in WRITTEN.items():
        with open(os.path.join(out, name + ".shapes.json"), "w") as f:
            json.dump(shapes, f, separators=(",", ":"))
            f.write("\n")


if __name__ == "__main__":
    main()
