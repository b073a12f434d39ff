#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""The foundations of training: the variants' tensors, the assigner, the
losses."""
import json
import math
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../models/train"))
from yolov10 import shapes  # noqa: E402  pylint: disable=wrong-import-position

try:
    import numpy as np
    import torch
    import evaluate
    from yolov10 import loss, model
except ImportError:
    torch = None


class Shapes(unittest.TestCase):
    """Compares with the original checkpoints' tensors."""

    def test_variants(self):
        for name in shapes.VARIANTS:
            with self.subTest(name), open(os.path.join(
                    HERE, f"../data/yolov10{name}-nc80.shapes.json"), encoding="utf-8") as f:
                expected = {key: tuple(shape) for key, shape in json.load(f).items()
                            if ".dfl." not in key and not key.endswith("num_batches_tracked")}
                self.assertEqual(shapes.shapes(shapes.variant(name, 80)), expected)


@unittest.skipUnless(torch, "PyTorch is not installed (Debian: python3-torch)")
class Loss(unittest.TestCase):

    def test_iou(self):
        a = torch.tensor([[0., 0, 10, 10]])
        self.assertAlmostEqual(float(loss.iou(a, a, True)), 1, 5)
        # Half of it: 50 / 150; centres 5 apart, the hull is 15 x 10.
        b = torch.tensor([[5., 0, 15, 10]])
        self.assertAlmostEqual(float(loss.iou(a, b)), 1 / 3, 5)
        self.assertAlmostEqual(float(loss.iou(a, b, True)), 1 / 3 - 25 / 325, 5)
        # Far apart, and of another shape.
        c = torch.tensor([[20., 0, 40, 10]])
        v = 4 / math.pi ** 2 * (math.atan(2) - math.atan(1)) ** 2
        self.assertAlmostEqual(float(loss.iou(a, c, True)),
                               -25 ** 2 / (40 ** 2 + 10 ** 2) - v * v / (1 + v), 5)

    def test_assign(self):
        """Two objects on a row of anchors, the second hidden in the first."""
        points = torch.stack((torch.arange(8) * 10. + 5, torch.full((8,), 5.)), 1)
        truth = torch.tensor([[[0., 0, 80, 10], [30, 0, 50, 10], [0, 0, 0, 0]]])
        classes = torch.tensor([[0, 1, -1]])
        boxes = truth[:, [0, 0, 0, 1, 1, 0, 0, 0]]
        scores = torch.full((1, 8, 2), 0.1)
        scores[0, 6, 0] = 0.9
        owner, weight = loss.assign(scores, boxes, points, classes, truth, 10)
        self.assertEqual(owner[0].tolist(), [0, 0, 0, 1, 1, 0, 0, 0])
        # The best-fitting anchor's target is its overlap; the other anchors'
        # are in proportion to their fit: the root of the scores.
        self.assertAlmostEqual(float(weight[0, 6]), 1, 4)
        self.assertAlmostEqual(float(weight[0, 0]), 1 / 3, 4)
        self.assertAlmostEqual(float(weight[0, 3]), 1, 4)
        # The one2one head takes the best of the other head's anchors.
        owner, weight = loss.assign(scores, boxes, points, classes, truth, 1)
        self.assertEqual([i for i in range(8) if owner[0, i] == 0], [6])
        self.assertEqual(sum(int(o) == 1 for o in owner[0]), 1)

    def head(self, kinds=0.0):
        """One object on a grid of one anchor at stride 8 (and none that it can
        use at 16 and 32), with arbitrary logits."""
        torch.manual_seed(3)
        box = torch.randn(1, 4 * 8, 1, 1, requires_grad=True)
        cls = torch.randn(1, 3, 1, 1, requires_grad=True)
        none = [(torch.zeros(1, 32, 0, 0), torch.zeros(1, 3, 0, 0))] * 2
        classes, truth = torch.tensor([[1]]), torch.tensor([[[-12., -6, 30, 21]]])
        return box, cls, loss.head_loss([(box, cls), *none], classes, truth, 1, kinds)

    def test_gradient_of_classes(self):
        """Binary cross entropy: sigmoid - target; the only anchor of an object
        has its IoU as the target, and the divisor is at least 1. Distinguishing
        classes: softmax - one-hot, times the object's weight."""
        box, cls, (_box, value, _dfl) = self.head()
        grad, = torch.autograd.grad(value, cls)
        steps = (box.detach().reshape(4, 8).softmax(1) * torch.arange(8)).sum(1) * 8
        found = torch.stack((4 - steps[0], 4 - steps[1], 4 + steps[2], 4 + steps[3]))
        target = torch.zeros(3)
        target[1] = loss.iou(found, torch.tensor([-12., -6, 30, 21]))
        expected = cls.detach().flatten().sigmoid() - target
        self.assertLess(float((grad.flatten() - expected).abs().max()), 1e-5)
        _box, cls, (_box, value, _dfl) = self.head(kinds=2.0)
        grad, = torch.autograd.grad(value, cls)
        kinds = cls.detach().flatten().softmax(0) * target[1] - target
        self.assertLess(float((grad.flatten() - expected - 2 * kinds).abs().max()), 1e-5)

    def test_gradient_of_distances(self):
        """Distribution focal loss, equation 6: softmax - the two bins around the
        distance, each as much as the other is far; the mean of four sides, by
        the object's weight."""
        box, _cls, (_box, _value, value) = self.head()
        grad, = torch.autograd.grad(value, box)
        p = box.detach().reshape(4, 8).softmax(1)
        steps = (p * torch.arange(8)).sum(1) * 8
        found = torch.stack((4 - steps[0], 4 - steps[1], 4 + steps[2], 4 + steps[3]))
        weight = loss.iou(found, torch.tensor([-12., -6, 30, 21]))
        for side, distance in enumerate((2.0, 1.25, 3.25, 2.125)):
            target = torch.zeros(8)
            low = int(distance)
            target[low], target[low + 1] = low + 1 - distance, distance - low
            expected = (p[side] - target) * weight / 4
            self.assertLess(float((grad.flatten()[8 * side:8 * side + 8] - expected).abs().max()), 1e-5)

    def test_gradient_of_boxes(self):
        """CIoU by differences. Its weight of the shape is a constant in the
        paper's gradient, equation 12, as it is for a box of the right shape."""
        wanted = torch.tensor([[10., 20, 50, 60]], dtype=torch.double)
        found = torch.tensor([[14., 18, 54, 58]], dtype=torch.double, requires_grad=True)
        grad, = torch.autograd.grad(loss.iou(found, wanted, True).sum(), found)
        for k in range(4):
            step = torch.zeros(1, 4, dtype=torch.double)
            step[0, k] = 1e-4
            low, high = (float(loss.iou(found.detach() + d, wanted, True)) for d in (-step, step))
            self.assertAlmostEqual(float(grad[0, k]), (high - low) / 2e-4, 6)

    def test_who_moves_the_features(self):
        """The one2one head alone does not, unless both are trained jointly."""
        torch.manual_seed(0)
        net = model.YOLOv10(shapes.shapes(shapes.Config(
            2, (8, 16, 16, 32, 32), (1, 1, 1, 1), box=16, cls=16, bins=8)))
        first = net.model[0].conv.weight
        x = torch.rand(1, 3, 64, 64)
        for one2one, joint, moves in ((True, False, False), (True, True, True), (False, False, None)):
            many, one = net.learn(True, one2one, joint)(x)
            if moves is None:
                self.assertIsNone(one)
                classes, truth = torch.tensor([[0]]), torch.tensor([[[10., 10, 50, 50]]])
                value, parts = loss.loss((many, one), classes, truth)
                self.assertGreater(float(value.detach()), 0)
                self.assertEqual(parts[3:], [0, 0, 0])
                continue
            grad, = torch.autograd.grad(sum(c.sum() for _, c in one), first, allow_unused=True)
            self.assertEqual(grad is not None and float(grad.abs().max()) > 0, moves)

    def test_one2one_alone(self):
        """Only that head changes, both by gradients and by BatchNorm."""
        torch.manual_seed(0)
        net = model.YOLOv10(shapes.shapes(shapes.Config(
            2, (8, 16, 16, 32, 32), (1, 1, 1, 1), box=16, cls=16, bins=8)))
        before = {k: v.clone() for k, v in net.state_dict().items()}
        optimizer = torch.optim.AdamW(net.parameters(), 4e-3)
        classes, truth = torch.tensor([[0]]), torch.tensor([[[10., 10, 50, 50]]])
        many, one = net.learn(one2many=False)(torch.rand(2, 3, 64, 64))
        self.assertIsNone(many)
        value, parts = loss.loss((many, one), classes.repeat(2, 1), truth.repeat(2, 1, 1))
        self.assertEqual(parts[:3], [0, 0, 0])
        value.backward()
        optimizer.step()
        moved = {name for name, tensor in net.state_dict().items() if (tensor != before[name]).any()}
        self.assertIn("model.23.one2one_cv3.1.0.0.conv.weight", moved)
        self.assertEqual([name for name in moved if "one2one" not in name], [])

    def test_learns(self):
        """Learns three pictures of noise by heart: the loss falls, and the
        boxes are reproduced."""
        torch.manual_seed(0)
        net = model.YOLOv10(shapes.shapes(shapes.Config(
            2, (8, 16, 16, 32, 32), (1, 1, 1, 1), box=16, cls=16, bins=8))).train()
        x = torch.rand(3, 3, 96, 96)
        truth = torch.tensor([[[10., 10, 60, 50]], [[30, 30, 90, 80]], [[0, 0, 0, 0]]])
        classes = torch.tensor([[0], [1], [-1]])
        optimizer = torch.optim.AdamW(net.parameters(), 4e-3)
        first = None
        for _ in range(120):
            value, _parts = loss.loss(net(x), classes, truth)
            first = first or float(value.detach())
            optimizer.zero_grad()
            value.backward()
            optimizer.step()
        self.assertTrue(math.isfinite(float(value.detach())))
        self.assertLess(float(value.detach()), first / 3)
        with torch.no_grad():
            _many, one = net(x)
        boxes, scores = model.decode(one)
        for i in range(2):
            best = int(scores[i].max(1).values.argmax())
            self.assertEqual(int(scores[i, best].argmax()), int(classes[i, 0]))
            self.assertGreater(float(loss.iou(boxes[i, best].detach(), truth[i, 0])), 0.7)

    def test_eight_by_heart(self):
        """Eight pictures with two kinds of objects on noise: the end-to-end
        head finds each of them once."""
        rng = np.random.default_rng(3)
        torch.manual_seed(0)
        y, x = np.mgrid[0:96, 0:96] + 0.5
        pictures = rng.uniform(0.3, 0.7, (8, 3, 96, 96))
        classes, boxes = np.full((8, 3), -1), np.zeros((8, 3, 4))
        for picture, labels, places in zip(pictures, classes, boxes):
            # One in each of three quarters, so that none hides another.
            for k in range(rng.integers(1, 4)):
                size = rng.uniform(20, 44, 2)
                low = (k % 2 * 48, k // 2 * 48) + rng.uniform(1, 47 - size)
                middle, labels[k], places[k] = low + size / 2, rng.integers(2), (*low, *(low + size))
                away = np.abs(x - middle[0]) / size[0], np.abs(y - middle[1]) / size[1]
                inside = np.hypot(*away) < 0.5 if labels[k] else np.maximum(*away) < 0.5
                picture[:, inside] = rng.uniform(0, 0.2, (3, 1)) if k % 2 else rng.uniform(0.8, 1, (3, 1))
        net = model.YOLOv10(shapes.shapes(shapes.Config(
            2, (8, 16, 16, 32, 32), (1, 1, 1, 1), box=16, cls=16, bins=8))).train()
        optimizer = torch.optim.AdamW(net.parameters(), 4e-3)
        net.learn(joint=True)
        x, truth = torch.from_numpy(pictures).float(), torch.from_numpy(boxes).float()
        for k in range(400):
            for group in optimizer.param_groups:
                group["lr"] = 4e-3 * (1 - k / 400)
            value, _parts = loss.loss(net(x), torch.from_numpy(classes), truth)
            optimizer.zero_grad()
            value.backward()
            optimizer.step()
        with torch.no_grad():
            rows = net.eval()(x).numpy()
        wanted = [np.concatenate((c[:, None], b), 1)[c >= 0] for c, b in zip(classes, boxes)]
        self.assertGreater(evaluate.average_precision([r[r[:, 4] > 0.05] for r in rows], wanted), 0.9)

    def test_fused(self):
        """The names of merged checkpoints give the same rows."""
        torch.manual_seed(0)
        net = model.YOLOv10(shapes.shapes(shapes.Config(
            2, (8, 16, 16, 32, 32), (1, 1, 1, 1), large=(22,), box=16, cls=16, bins=8))).eval()
        x = torch.rand(1, 3, 96, 96)
        with torch.no_grad():
            expected = net(x)
            tensors = net.fuse().state_dict()
            self.assertIn("model.22.m.0.cv1.2.conv.weight", tensors)
            self.assertFalse([name for name in tensors if ".bn." in name or ".conv1." in name
                              or ".conv.conv." in name])
            for rows in (net(x), model.from_tensors(tensors).eval()(x)):
                self.assertLess(float((rows - expected).abs().max()), 1e-3)


if __name__ == "__main__":
    passed = unittest.main(exit=False).result.wasSuccessful()
    if passed and not torch:
        print("SKIP: PyTorch is not installed (Debian: python3-torch); only the tensors' shapes "
              "were looked at")
        sys.exit(77)
    sys.exit(not passed)
