#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""What training rests on: the variants' tensors, the assigner, the losses."""
import json
import math
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../models/train"))
from yolov10 import shapes  # noqa: E402  pylint: disable=wrong-import-position

try:
    import torch
    from yolov10 import loss, model
except ImportError:
    torch = None


class Shapes(unittest.TestCase):
    """Against those of the original checkpoints."""

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
        # As much as its best anchor overlaps it, which is the surest one; the
        # others by how well they fit beside it: the root of the scores.
        self.assertAlmostEqual(float(weight[0, 6]), 1, 4)
        self.assertAlmostEqual(float(weight[0, 0]), 1 / 3, 4)
        self.assertAlmostEqual(float(weight[0, 3]), 1, 4)
        # The one2one head takes the best of what the other one takes.
        owner, weight = loss.assign(scores, boxes, points, classes, truth, 1)
        self.assertEqual([i for i in range(8) if owner[0, i] == 0], [6])
        self.assertEqual(sum(int(o) == 1 for o in owner[0]), 1)

    def test_learns(self):
        """Three pictures of noise by heart: loss falls, boxes come back."""
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


if __name__ == "__main__":
    unittest.main()
