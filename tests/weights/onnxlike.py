# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Writes a YOLOv10 as ONNX, with the same nodes as PyTorch's export, using only
Python's standard library. checkpoints.py does the same with the real exporter.
"""

import struct

FLOAT, INT64 = 1, 7


def varint(value):
    value &= (1 << 64) - 1
    out = b""
    while value > 0x7f:
        out += bytes([value & 0x7f | 0x80])
        value >>= 7
    return out + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def data(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def tensor(name, dims, raw, kind=FLOAT):
    return b"".join(number(1, d) for d in dims) + number(2, kind) + data(8, name) + data(9, raw)


def attribute(name, value):
    if isinstance(value, int):
        return data(1, name) + number(3, value) + number(20, 2)
    if isinstance(value, str):
        return data(1, name) + data(4, value) + number(20, 3)
    return data(1, name) + b"".join(number(8, v) for v in value) + number(20, 7)


def node(op, inputs, outputs, name="", **attributes):
    return (b"".join(data(1, i) for i in inputs) + b"".join(data(2, o) for o in outputs)
            + data(3, name) + data(4, op)
            + b"".join(data(5, attribute(k, v)) for k, v in attributes.items()))


class Network:
    """@tensors: {name: (shape, bytes)} of folded convolutions, NAME.weight and
    NAME.bias. one2many only."""

    def __init__(self, tensors, size, batch=1):
        self.tensors, self.size, self.batch = tensors, size, batch
        self.nodes, self.initializers, self.n, self.channels = [], [], 0, {}
        for name, (shape, raw) in tensors.items():
            self.initializers.append(tensor(name, shape, raw))
        self.output = self.build()

    def emit(self, op, inputs, path="", n=1, **attributes):
        outputs = [f"t{self.n + i}" for i in range(n)]
        self.n += n
        self.nodes.append(node(op, inputs, outputs, f"/{path}/{op}", **attributes))
        return outputs[0] if n == 1 else outputs

    def ints(self, values):
        name = f"c{len(self.initializers)}"
        self.initializers.append(tensor(name, [len(values)], struct.pack(f"<{len(values)}q", *values),
                                        INT64))
        return name

    def conv(self, x, module, stride=1, act=True, plain=False):
        name = module if plain else f"{module}.conv"
        shape = self.tensors[f"{name}.weight"][0]
        k, groups = shape[2], self.channels[x] // shape[1]
        out = self.emit("Conv", [x, f"{name}.weight", f"{name}.bias"], "", kernel_shape=[k, k],
                        strides=[stride, stride], pads=[k // 2] * 4, dilations=[1, 1], group=groups)
        # The name contains the module, "/model.0/conv/Conv".
        self.nodes[-1] = self.nodes[-1].replace(data(3, "//Conv"), data(3, self.path(name)))
        self.channels[out] = shape[0]
        if act:
            silu = self.emit("Mul", [out, self.emit("Sigmoid", [out])])
            self.channels[silu] = shape[0]
            return silu
        return out

    @staticmethod
    def path(name):
        """model.23.cv3.0.0.1.conv is /model.23/cv3.0.0.1/conv/Conv."""
        parts = name.split(".")
        text, rest = f"/{parts[0]}.{parts[1]}", parts[2:]
        while rest:
            piece = rest.pop(0)
            while rest and rest[0].isdigit():
                piece += "." + rest.pop(0)
            text += f"/{piece}"
        return text + "/Conv"

    def concat(self, *xs):
        out = self.emit("Concat", list(xs), axis=1)
        self.channels[out] = sum(self.channels[x] for x in xs)
        return out

    def add(self, a, b):
        out = self.emit("Add", [a, b])
        self.channels[out] = self.channels[a]
        return out

    def halves(self, x):
        n = self.channels[x] // 2
        out = self.emit("Split", [x, self.ints([n, n])], n=2, axis=1)
        self.channels.update({o: n for o in out})
        return out

    def has(self, module):
        return f"{module}.weight" in self.tensors or f"{module}.conv.weight" in self.tensors

    def c2f(self, x, module, shortcut):
        xs = self.halves(self.conv(x, f"{module}.cv1"))
        i = 0
        while self.has(f"{module}.m.{i}.cv1") or self.has(f"{module}.m.{i}.cv1.0"):
            block, h = f"{module}.m.{i}", xs[-1]
            if self.has(f"{block}.cv1"):
                h = self.conv(self.conv(h, f"{block}.cv1"), f"{block}.cv2")
                h = self.add(xs[-1], h) if shortcut else h
            else:
                for j in range(5):
                    h = self.conv(h, f"{block}.cv1.{j}")
                h = self.add(xs[-1], h)
            xs.append(h)
            i += 1
        return self.conv(self.concat(*xs), f"{module}.cv2")

    def scdown(self, x, module):
        return self.conv(self.conv(x, f"{module}.cv1"), f"{module}.cv2", 2, act=False)

    def sppf(self, x, module):
        xs = [self.conv(x, f"{module}.cv1")]
        for _ in range(3):
            xs.append(self.emit("MaxPool", [xs[-1]], kernel_shape=[5, 5], pads=[2, 2, 2, 2],
                                strides=[1, 1]))
            self.channels[xs[-1]] = self.channels[xs[0]]
        return self.conv(self.concat(*xs), f"{module}.cv2")

    def attention(self, x, module, side):
        dim = self.channels[x]
        heads = max(1, dim // 64)
        value, key = dim // heads, dim // heads // 2
        qkv = self.emit("Reshape", [self.conv(x, f"{module}.qkv", act=False),
                                    self.ints([self.batch, heads, 2 * key + value,
                                               side * side])])
        q, k, v = self.emit("Split", [qkv, self.ints([key, key, value])], n=3, axis=2)
        scores = self.emit("MatMul", [self.emit("Transpose", [q], perm=[0, 1, 3, 2]), k])
        self.initializers.append(tensor("scale", [], struct.pack("<f", key ** -0.5)))
        scores = self.emit("Softmax", [self.emit("Mul", [scores, "scale"])], axis=-1)
        scores = self.emit("MatMul", [v, self.emit("Transpose", [scores], perm=[0, 1, 3, 2])])
        shape = self.ints([self.batch, dim, side, side])
        attended, values = (self.emit("Reshape", [t, shape]) for t in (scores, v))
        self.channels[attended] = self.channels[values] = dim
        positions = self.conv(values, f"{module}.pe", act=False)
        return self.conv(self.add(attended, positions), f"{module}.proj", act=False)

    def psa(self, x, module, side):
        a, b = self.halves(self.conv(x, f"{module}.cv1"))
        b = self.add(b, self.attention(b, f"{module}.attn", side))
        b = self.add(b, self.conv(self.conv(b, f"{module}.ffn.0"), f"{module}.ffn.1", act=False))
        return self.conv(self.concat(a, b), f"{module}.cv2")

    def upsample(self, x):
        self.initializers.append(tensor(f"s{self.n}", [4], struct.pack("<4f", 1, 1, 2, 2)))
        out = self.emit("Resize", [x, "", f"s{self.n}"], mode="nearest", nearest_mode="floor",
                        coordinate_transformation_mode="asymmetric")
        self.channels[out] = self.channels[x]
        return out

    def build(self):
        x = "images"
        self.channels[x] = 3
        x = self.conv(self.conv(x, "model.0", 2), "model.1", 2)
        x = self.c2f(x, "model.2", True)
        p3 = self.c2f(self.conv(x, "model.3", 2), "model.4", True)
        p4 = self.c2f(self.scdown(p3, "model.5"), "model.6", True)
        x = self.c2f(self.scdown(p4, "model.7"), "model.8", True)
        p5 = self.psa(self.sppf(x, "model.9"), "model.10", self.size // 32)
        h4 = self.c2f(self.concat(self.upsample(p5), p4), "model.13", False)
        h3 = self.c2f(self.concat(self.upsample(h4), p3), "model.16", False)
        h4 = self.c2f(self.concat(self.conv(h3, "model.17", 2), h4), "model.19", False)
        h5 = self.c2f(self.concat(self.scdown(h4, "model.20"), p5), "model.22", False)
        outputs = []
        for prefix in ("one2one_", ""):
            for i, x in enumerate((h3, h4, h5)):
                if f"model.23.{prefix}cv2.{i}.2.weight" in self.tensors:
                    outputs += self.detect(x, f"model.23.{prefix}cv2.{i}", f"model.23.{prefix}cv3.{i}")
        return outputs

    def detect(self, x, cv2, cv3):
        outputs = []
        for module, parts in ((cv2, ("0", "1")), (cv3, ("0.0", "0.1", "1.0", "1.1"))):
            h = x
            for part in parts:
                h = self.conv(h, f"{module}.{part}")
            outputs.append(self.conv(h, f"{module}.2", act=False, plain=True))
        return outputs

    def model(self, **metadata):
        dims = b"".join(data(1, number(1, d)) for d in (self.batch, 3, self.size, self.size))
        image = data(1, "images") + data(2, data(1, number(1, FLOAT) + data(2, dims)))
        graph = (b"".join(data(1, n) for n in self.nodes) + data(2, "main")
                 + b"".join(data(5, t) for t in self.initializers) + data(11, image))
        return (number(1, 8) + data(2, "test") + data(7, graph) + data(8, number(2, 17))
                + b"".join(data(14, data(1, k) + data(2, v)) for k, v in metadata.items()))
