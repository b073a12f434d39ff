# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Consistent dual assignment (YOLOv10, section 3.1): the same matching metric
chooses ten anchors per object for the one2many head and one for the one2one
head, so that the best anchor of the first is that of the second. Losses: binary
cross entropy of the classes, CIoU (Zheng et al., 2020) and distribution focal
loss (Li et al., 2020) of the boxes; the assigner and the soft targets are those
of TOOD (Feng et al., 2021)."""
import math

import torch
from torch.nn import functional as F

from .model import STRIDES

ALPHA, BETA = 0.5, 6.0          # exponents of score and IoU in the matching metric
BOX, CLS, DFL = 7.5, 0.5, 1.5   # weights of the losses


def anchors(logits):
    """Centres (anchors, 2) and strides (anchors, 1), in pixels."""
    points, strides = [], []
    for (box, _), stride in zip(logits, STRIDES):
        h, w = box.shape[2:]
        y, x = torch.meshgrid(torch.arange(h, device=box.device) + 0.5,
                              torch.arange(w, device=box.device) + 0.5, indexing="ij")
        points.append(torch.stack((x, y), -1).reshape(-1, 2) * stride)
        strides.append(torch.full((h * w, 1), float(stride), device=box.device))
    return torch.cat(points), torch.cat(strides)


def flatten(logits):
    """Bins (batch, anchors, 4, bins) and classes (batch, anchors, classes)."""
    # Avoids a copy of channels-last tensors.
    bins, classes = (torch.cat([x.permute(0, 2, 3, 1).flatten(1, 2) for x in part], 1)
                     for part in zip(*logits))
    return bins.unflatten(2, (4, -1)), classes.float()


def decode(bins, points, strides):
    """Boxes x0 y0 x1 y1 in pixels from the distances' bins (..., 4, bins)."""
    steps = torch.arange(bins.shape[-1], device=bins.device, dtype=bins.dtype)
    distance = (bins.softmax(-1) * steps).sum(-1)
    return torch.cat((points - distance[..., :2] * strides, points + distance[..., 2:] * strides), -1)


def iou(a, b, complete=False):
    """IoU of boxes x0 y0 x1 y1, element by element; CIoU if complete."""
    low, high = torch.maximum(a[..., :2], b[..., :2]), torch.minimum(a[..., 2:], b[..., 2:])
    overlap = (high - low).clamp(min=0).prod(-1)
    size_a, size_b = a[..., 2:] - a[..., :2], b[..., 2:] - b[..., :2]
    value = overlap / (size_a.prod(-1) + size_b.prod(-1) - overlap + 1e-7)
    if not complete:
        return value
    hull = torch.maximum(a[..., 2:], b[..., 2:]) - torch.minimum(a[..., :2], b[..., :2])
    apart = (a[..., :2] + a[..., 2:] - b[..., :2] - b[..., 2:]).square().sum(-1) / 4
    shape = (torch.atan(size_b[..., 0] / (size_b[..., 1] + 1e-7))
             - torch.atan(size_a[..., 0] / (size_a[..., 1] + 1e-7))).square() * 4 / math.pi ** 2
    with torch.no_grad():
        weight = shape / (shape - value + 1 + 1e-7)
    return value - apart / (hull.square().sum(-1) + 1e-7) - weight * shape


@torch.no_grad()
def assign(scores, boxes, points, classes, truth, n):
    """Assigns an object to each anchor.

    scores (batch, anchors, classes) and boxes (batch, anchors, 4) as predicted;
    classes (batch, objects), -1 where there is none, and truth (batch, objects,
    4). Gives the object's index (batch, anchors), -1: none, and the class's
    target, which is 1 where an object's anchors fit best."""
    real = classes >= 0
    score = scores.gather(2, classes.clamp(min=0)[:, None].expand(-1, scores.shape[1], -1))
    overlap = iou(truth[:, :, None], boxes[:, None]).clamp(min=0)
    fit = score.transpose(1, 2) ** ALPHA * overlap ** BETA
    inside = ((points > truth[:, :, None, :2]) & (points < truth[:, :, None, 2:])).all(-1)
    fit = fit * (inside & real[..., None])
    # An object smaller than a stride may have no centre inside it.
    top = fit.topk(min(n, fit.shape[2]), 2)
    chosen = torch.zeros_like(fit).scatter_(2, top.indices, (top.values > 0).float())
    # An anchor that matches several objects goes to the one it overlaps most.
    rank = torch.where(chosen > 0, overlap + 1e-6, torch.zeros_like(overlap))
    best, owner = rank.max(1)
    owner = torch.where(best > 0, owner, torch.full_like(owner, -1))
    mine = F.one_hot(owner.clamp(min=0), fit.shape[1]).transpose(1, 2) * (owner >= 0)[:, None]
    fit = fit * mine
    target = fit * (overlap * mine).amax(2, keepdim=True) / (fit.amax(2, keepdim=True) + 1e-9)
    return owner, target.sum(1)


def head_loss(logits, classes, truth, n, kinds=0.0):
    """(box, class, DFL) of one head, which assigns n anchors to each object;
    kinds: weight of a cross entropy among the classes of these anchors, an
    addition to the method."""
    points, strides = anchors(logits)
    bins, cls = flatten(logits)
    with torch.no_grad():
        owner, weight = assign(cls.sigmoid(), decode(bins.float(), points, strides), points,
                               classes, truth, n)

    target = torch.zeros_like(cls)
    found = owner >= 0
    label = classes.gather(1, owner.clamp(min=0)).clamp(min=0)
    target.scatter_(2, label[..., None], (weight * found)[..., None])
    total = target.sum().clamp(min=1)
    cls_loss = F.binary_cross_entropy_with_logits(cls, target, reduction="sum") / total
    if not found.any():
        return bins.sum() * 0, cls_loss, bins.sum() * 0

    where = owner.clamp(min=0)[..., None].expand(-1, -1, 4)
    wanted = truth.gather(1, where)[found]
    weight = weight[found]
    if kinds:
        # Restricted to the anchors of objects, unlike the gradient of the
        # background.
        apart = F.cross_entropy(cls[found], label[found], reduction="none")
        cls_loss = cls_loss + kinds * (apart * weight).sum() / total
    at, stride = points.expand(len(cls), -1, -1)[found], strides.expand(len(cls), -1, -1)[found]
    # Only these anchors have a gradient, which takes a tenth of the time.
    bins = bins[found].float()
    box_loss = ((1 - iou(decode(bins, at, stride), wanted, True)) * weight).sum() / total
    sides = torch.cat((at - wanted[:, :2], wanted[:, 2:] - at), 1) / stride
    sides = sides.clamp(0, bins.shape[-1] - 1.01)
    low = sides.long()
    part = sides - low
    each = bins.flatten(0, 1)
    dfl = (F.cross_entropy(each, low.flatten(), reduction="none") * (1 - part.flatten())
           + F.cross_entropy(each, low.flatten() + 1, reduction="none") * part.flatten())
    return box_loss, cls_loss, (dfl.reshape(-1, 4).mean(1) * weight).sum() / total


def loss(outputs, classes, truth, many=1.0, cls=1.0, kinds=0.0):
    """The sum of both heads' losses, and its parts for the log, zero for a
    missing head. outputs: what a model in training gives; classes (batch,
    objects), -1 behind the last; truth (batch, objects, 4) in pixels of the
    input; many: weight of the one2many head; cls: times the classes' weight;
    kinds: as for head_loss()."""
    parts = []
    for logits, n, share in zip(outputs, (10, 1), (many, 1.0)):
        values = head_loss(logits, classes, truth, n, kinds) if logits is not None else torch.zeros(3)
        parts += [weight * share * value for weight, value in zip((BOX, cls * CLS, DFL), values)]
    return sum(parts), [float(p.detach()) for p in parts]
