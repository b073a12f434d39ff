#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Tests coco.py: average precision against values computed by hand."""
import copy
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import coco  # noqa: E402


class Coco(unittest.TestCase):
    """Averages computed by hand."""

    TRUTH = {"images": [{"id": 1, "file_name": "a.jpg"}, {"id": 2, "file_name": "b.jpg"}],
             "categories": [{"id": 7}, {"id": 9}],
             "annotations": [
                 {"image_id": 1, "category_id": 7, "bbox": [0, 0, 100, 100], "iscrowd": 0},
                 {"image_id": 2, "category_id": 7, "bbox": [0, 0, 100, 100], "iscrowd": 0}]}
    BOX = (0, 0, 100, 100)

    def ap(self, a, b, truth=None):
        return coco.average_precision(truth or self.TRUTH, {"a.jpg": a, "b.jpg": b})

    def test_all_found(self):
        self.assertEqual(self.ap([(0.9, self.BOX, 0)], [(0.8, self.BOX, 0)]), (1, 1))

    def test_half_found(self):
        """Recall ends at 0.5, which is 51 of the 101 points."""
        self.assertAlmostEqual(self.ap([(0.9, self.BOX, 0)], [])[0], 51 / 101)

    def test_false_one_first(self):
        ap, _ = self.ap([(0.9, self.BOX, 0), (0.95, (500, 500, 9, 9), 0)], [(0.8, self.BOX, 0)])
        self.assertAlmostEqual(ap, 2 / 3)

    def test_twice(self):
        """The second box on one object is wrong, but ranks behind all right
        ones."""
        ap, _ = self.ap([(0.9, self.BOX, 0), (0.5, self.BOX, 0)], [(0.8, self.BOX, 0)])
        self.assertEqual(ap, 1)

    def test_iou(self):
        """0.72 of the object: right for five of the ten thresholds."""
        ap, at_half = self.ap([(0.9, (0, 0, 100, 72), 0)], [(0.8, (0, 0, 100, 72), 0)])
        self.assertAlmostEqual(ap, 0.5)
        self.assertEqual(at_half, 1)

    def test_other_class(self):
        self.assertEqual(self.ap([(0.9, self.BOX, 1)], [(0.8, self.BOX, 1)]), (0, 0))

    def test_crowd(self):
        """A detection in a crowd is neither right nor wrong."""
        truth = copy.deepcopy(self.TRUTH)
        truth["annotations"].append({"image_id": 1, "category_id": 7, "iscrowd": 1,
                                     "bbox": [200, 0, 300, 300]})
        ap, _ = self.ap([(0.95, (210, 10, 20, 20), 0), (0.9, self.BOX, 0)],
                        [(0.8, self.BOX, 0)], truth)
        self.assertEqual(ap, 1)

    def test_missing_picture(self):
        with self.assertRaises(ValueError):
            coco.average_precision(self.TRUTH, {"a.jpg": []})


if __name__ == "__main__":
    unittest.main()
