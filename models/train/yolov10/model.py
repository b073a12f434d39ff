# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""YOLOv10 (Wang et al., 2024, arXiv:2405.14458) in PyTorch, written from the
paper with the names of the original checkpoint. As in engine/model/yolov10.c, how
wide and deep a module is and which block it holds are read from the tensors'
names and shapes, so one class is all six variants, with any number of classes,
before and after BatchNorm was folded. Training ends in both heads' logits;
inference in the rows of the end-to-end head, best score first.
"""
import functools

import torch
from torch import nn
from torch.nn import functional as F

STRIDES = (8, 16, 32)
MOMENTUM = 0.03                 # of BatchNorm
MAX_ROWS = 300


class Conv(nn.Module):
    """Convolution, BatchNorm, SiLU. One input channel a group is depthwise."""

    def __init__(self, shapes, name, stride=1, act=True):
        super().__init__()
        out, per_group, k, _ = shapes[name + ".conv.weight"]
        groups = out if per_group == 1 else 1
        folded = name + ".conv.bias" in shapes
        self.conv = nn.Conv2d(per_group * groups, out, k, stride, k // 2,
                              groups=groups, bias=folded)
        self.bn = None if folded else nn.BatchNorm2d(out, 1e-3, MOMENTUM)
        self.act = act

    def forward(self, x):
        x = self.conv(x)
        if self.bn is not None:
            x = self.bn(x)
        return F.silu(x) if self.act else x

    @torch.no_grad()
    def fuse(self):
        """Folds BatchNorm into the convolution, in double."""
        if self.bn is None:
            return
        bn, old = self.bn, self.conv
        gain = bn.weight.double() / (bn.running_var.double() + bn.eps).sqrt()
        bias = bn.bias.double() - bn.running_mean.double() * gain
        new = nn.Conv2d(old.in_channels, old.out_channels, old.kernel_size,
                        old.stride, old.padding, groups=old.groups)
        new.weight.copy_(old.weight.double() * gain[:, None, None, None])
        new.bias.copy_(bias)
        self.conv, self.bn = new.to(old.weight), None


class RepVGGDW(nn.Module):
    """Depthwise 7x7 beside a 3x3, one 7x7 after fuse ()."""

    def __init__(self, shapes, name):
        super().__init__()
        self.conv = Conv(shapes, name + ".conv", act=False)
        self.conv1 = Conv(shapes, name + ".conv1", act=False)

    def forward(self, x):
        x = self.conv(x) if self.conv1 is None else self.conv(x) + self.conv1(x)
        return F.silu(x)

    @torch.no_grad()
    def fuse(self):
        if self.conv1 is None:
            return
        self.conv.fuse()
        self.conv1.fuse()
        large, small = self.conv.conv, self.conv1.conv
        pad = (large.kernel_size[0] - small.kernel_size[0]) // 2
        large.weight += F.pad(small.weight, [pad] * 4)
        large.bias += small.bias
        # The original's name for it after merging.
        self.conv, self.conv1 = large, None


class SCDown(nn.Module):
    """Channels first, then a depthwise 3x3 of stride 2."""

    def __init__(self, shapes, name):
        super().__init__()
        self.cv1 = Conv(shapes, name + ".cv1")
        self.cv2 = Conv(shapes, name + ".cv2", 2, act=False)

    def forward(self, x):
        return self.cv2(self.cv1(x))


class Bottleneck(nn.Module):
    def __init__(self, shapes, name, shortcut):
        super().__init__()
        self.cv1 = Conv(shapes, name + ".cv1")
        self.cv2 = Conv(shapes, name + ".cv2")
        self.shortcut = shortcut

    def forward(self, x):
        h = self.cv2(self.cv1(x))
        return x + h if self.shortcut else h


class CIB(nn.Module):
    """Compact inverted block: depthwise and pointwise take turns."""

    def __init__(self, shapes, name):
        super().__init__()
        middle = name + ".cv1.2"
        self.cv1 = nn.Sequential(
            Conv(shapes, name + ".cv1.0"), Conv(shapes, name + ".cv1.1"),
            RepVGGDW(shapes, middle) if middle + ".conv.conv.weight" in shapes
            else Conv(shapes, middle),
            Conv(shapes, name + ".cv1.3"), Conv(shapes, name + ".cv1.4"))

    def forward(self, x):
        return x + self.cv1(x)


class C2f(nn.Module):
    """Split in two, a chain of blocks on one half, all of it joined. With CIB
    as the block it is C2fCIB, which always has the shortcut."""

    def __init__(self, shapes, name, shortcut):
        super().__init__()
        self.cv1 = Conv(shapes, name + ".cv1")
        self.cv2 = Conv(shapes, name + ".cv2")
        self.m = nn.ModuleList()
        while True:
            block = f"{name}.m.{len(self.m)}"
            if block + ".cv1.conv.weight" in shapes:
                self.m.append(Bottleneck(shapes, block, shortcut))
            elif block + ".cv1.0.conv.weight" in shapes:
                self.m.append(CIB(shapes, block))
            else:
                break

    def forward(self, x):
        parts = list(self.cv1(x).chunk(2, 1))
        for block in self.m:
            parts.append(block(parts[-1]))
        return self.cv2(torch.cat(parts, 1))


class SPPF(nn.Module):
    def __init__(self, shapes, name):
        super().__init__()
        self.cv1 = Conv(shapes, name + ".cv1")
        self.cv2 = Conv(shapes, name + ".cv2")

    def forward(self, x):
        parts = [self.cv1(x)]
        for _ in range(3):
            parts.append(F.max_pool2d(parts[-1], 5, 1, 2))
        return self.cv2(torch.cat(parts, 1))


class Attention(nn.Module):
    """Self-attention over all positions; the values, convolved, are added."""

    def __init__(self, shapes, name):
        super().__init__()
        self.qkv = Conv(shapes, name + ".qkv", act=False)
        self.proj = Conv(shapes, name + ".proj", act=False)
        self.pe = Conv(shapes, name + ".pe", act=False)
        channels = self.proj.conv.out_channels
        self.heads = max(1, channels // 64)
        self.head_dim = channels // self.heads
        self.key_dim = self.head_dim // 2

    def forward(self, x):
        b, c, h, w = x.shape
        q, k, v = self.qkv(x).reshape(b, self.heads, -1, h * w).split(
            [self.key_dim, self.key_dim, self.head_dim], 2)
        weights = (q.transpose(2, 3) @ k * self.key_dim ** -0.5).softmax(-1)
        out = (v @ weights.transpose(2, 3)).reshape(b, c, h, w)
        return self.proj(out + self.pe(v.reshape(b, c, h, w)))


class PSA(nn.Module):
    """Half of the channels pass, half go through attention and feed-forward."""

    def __init__(self, shapes, name):
        super().__init__()
        self.cv1 = Conv(shapes, name + ".cv1")
        self.cv2 = Conv(shapes, name + ".cv2")
        self.attn = Attention(shapes, name + ".attn")
        self.ffn = nn.Sequential(Conv(shapes, name + ".ffn.0"),
                                 Conv(shapes, name + ".ffn.1", act=False))

    def forward(self, x):
        a, b = self.cv1(x).chunk(2, 1)
        b = b + self.attn(b)
        return self.cv2(torch.cat((a, b + self.ffn(b)), 1))


def last(shapes, name):
    """The plain 1x1 convolution to logits."""
    out, channels, k, _ = shapes[name + ".weight"]
    return nn.Conv2d(channels, out, k)


class Detect(nn.Module):
    """Box and class branch of each level, in up to two copies: one2many, which
    needs NMS, and one2one, which does not."""

    def __init__(self, shapes, name):
        super().__init__()
        # In training: which heads run, and whether the end-to-end one trains
        # the features.
        self.one2many, self.one2one, self.joint = True, True, False
        for prefix in ("", "one2one_"):
            box, cls = f"{name}.{prefix}cv2", f"{name}.{prefix}cv3"
            if box + ".0.2.weight" not in shapes:
                continue
            setattr(self, prefix + "cv2", nn.ModuleList(nn.Sequential(
                Conv(shapes, f"{box}.{i}.0"), Conv(shapes, f"{box}.{i}.1"),
                last(shapes, f"{box}.{i}.2")) for i in range(3)))
            setattr(self, prefix + "cv3", nn.ModuleList(nn.Sequential(
                nn.Sequential(Conv(shapes, f"{cls}.{i}.0.0"),
                              Conv(shapes, f"{cls}.{i}.0.1")),
                nn.Sequential(Conv(shapes, f"{cls}.{i}.1.0"),
                              Conv(shapes, f"{cls}.{i}.1.1")),
                last(shapes, f"{cls}.{i}.2")) for i in range(3)))

    def logits(self, x, prefix):
        return [(box(level), cls(level)) for level, box, cls in
                zip(x, getattr(self, prefix + "cv2"), getattr(self, prefix + "cv3"))]

    def forward(self, x):
        # In the paper the gradient of the end-to-end copy does not reach the
        # features; only the other one's does.
        if self.training:
            features = x if self.joint else [level.detach() for level in x]
            return (self.logits(x, "") if self.one2many else None,
                    self.logits(features, "one2one_") if self.one2one else None)
        return self.logits(x, "one2one_")


@functools.lru_cache(maxsize=16)
def grid(h, w, bins, device, dtype):
    """The anchors' centres (2, h * w), and the distance of each bin."""
    y, x = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
    centre = torch.stack((x, y)).reshape(2, -1) + 0.5
    steps = torch.arange(bins)[:, None]
    return centre.to(device, dtype), steps.to(device, dtype)


def decode(logits):
    """Logits of all levels to boxes (batch, anchors, x0 y0 x1 y1), in pixels of
    the input, and scores (batch, anchors, classes)."""
    boxes, scores = [], []
    for (box, cls), stride in zip(logits, STRIDES):
        b, _, h, w = box.shape
        bins = box.reshape(b, 4, -1, h * w).softmax(2)
        centre, steps = grid(h, w, bins.shape[2], box.device, box.dtype)
        distance = (bins * steps).sum(2)
        boxes.append(torch.cat((centre - distance[:, :2],
                                centre + distance[:, 2:]), 1) * stride)
        scores.append(cls.flatten(2).sigmoid())
    return torch.cat(boxes, 2).transpose(1, 2), torch.cat(scores, 2).transpose(1, 2)


def top_rows(boxes, scores, n=MAX_ROWS):
    """The best n of all scores: (batch, n, x0 y0 x1 y1 score class). First the
    n best anchors, then the n best of their classes."""
    n = min(n, scores.shape[1])
    anchors = scores.amax(2).topk(n).indices[..., None]
    scores = scores.gather(1, anchors.expand(-1, -1, scores.shape[2]))
    boxes = boxes.gather(1, anchors.expand(-1, -1, 4))
    classes = scores.shape[2]
    best, index = scores.flatten(1).topk(n)
    row = (index // classes)[..., None].expand(-1, -1, 4)
    return torch.cat((boxes.gather(1, row), best[..., None],
                      (index % classes)[..., None].to(boxes.dtype)), 2)


class YOLOv10(nn.Module):
    """shapes: of all tensors, by name, without the checkpoint's prefix."""

    def __init__(self, shapes):
        super().__init__()

        def conv(i, stride):
            return Conv(shapes, f"model.{i}", stride)

        def c2f(i, shortcut):
            return C2f(shapes, f"model.{i}", shortcut)

        none = nn.Identity
        self.model = nn.ModuleList((
            conv(0, 2), conv(1, 2), c2f(2, True), conv(3, 2), c2f(4, True),
            SCDown(shapes, "model.5"), c2f(6, True), SCDown(shapes, "model.7"),
            c2f(8, True), SPPF(shapes, "model.9"), PSA(shapes, "model.10"),
            none(), none(), c2f(13, False), none(), none(), c2f(16, False),
            conv(17, 2), none(), c2f(19, False), SCDown(shapes, "model.20"),
            none(), c2f(22, False), Detect(shapes, "model.23")))

    def layers(self, x):
        """The outputs of the 23 layers before the head."""
        m, out = self.model, []
        for i in range(11):
            x = m[i](x)
            out.append(x)
        # Up through the pyramid, and down again.
        for up, shortcut in ((11, 6), (14, 4)):
            out.append(F.interpolate(out[-1], scale_factor=2.0, mode="nearest"))
            out.append(torch.cat((out[-1], out[shortcut]), 1))
            out.append(m[up + 2](out[-1]))
        for down, shortcut in ((17, 13), (20, 10)):
            out.append(m[down](out[-1]))
            out.append(torch.cat((out[-1], out[shortcut]), 1))
            out.append(m[down + 2](out[-1]))
        return out

    def forward(self, x):
        out = self.layers(x)
        logits = self.model[23]([out[i] for i in (16, 19, 22)])
        return logits if self.training else top_rows(*decode(logits))

    def learn(self, one2many=True, one2one=True, joint=False):
        """For training: selects the heads to train, and whether the end-to-end
        one trains the features. Other modules stay in inference mode."""
        head = self.model[23]
        head.one2many, head.one2one, head.joint = one2many, one2one, joint
        self.train()
        learns = [(module, one2many or joint) for module in self.model[:23]]
        learns += [(getattr(head, name), one2one if name.startswith("one2one") else one2many)
                   for name, _ in head.named_children()]
        for module, yes in learns:
            module.train(yes).requires_grad_(yes)
        return self

    def fuse(self):
        """For inference: folds every BatchNorm, merges every RepVGGDW."""
        for module in list(self.modules()):
            if isinstance(module, (Conv, RepVGGDW)):
                module.fuse()
        return self.eval()


def from_tensors(tensors):
    """A model with these tensors, in float. Ignores constants of the head, and
    the prefixes in which checkpoints differ."""
    clean = {}
    for name, tensor in tensors.items():
        while name.startswith(("model.model.", "module.")):
            name = name.split(".", 1)[1]
        if ".dfl." not in name and not name.endswith("num_batches_tracked"):
            clean[name] = tensor.float()
    model = YOLOv10({name: tuple(t.shape) for name, t in clean.items()})
    lost = model.load_state_dict(clean, strict=False)
    wrong = lost.unexpected_keys + [k for k in lost.missing_keys
                                    if not k.endswith("num_batches_tracked")]
    if wrong:
        raise ValueError(f"{len(wrong)} tensors do not fit, the first {wrong[0]}")
    return model
