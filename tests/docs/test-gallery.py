#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""docs/gallery.jpg shows what the bundled model detects and the overlay draws today, and
docs/gallery/gallery.py notices when it does not.

usage: test-gallery.py BUILD
"""
import copy
import os
import sys
import unittest

try:
    from PIL import Image  # noqa: F401
except ImportError:
    print("Pillow (python3-pil) is missing")
    sys.exit(77)

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/gallery"))
sys.dont_write_bytecode = True
import gallery

BUILD = sys.argv.pop()


class Gallery(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shown, cls.tiles = gallery.detect(BUILD)

    def differences(self, i, change):
        """What is found in a montage of which tile @i is changed."""
        tiles = [tile.copy() for tile in self.tiles]
        change(tiles[i])
        return gallery.compare_tiles(gallery.montage(self.tiles), gallery.montage(tiles), tiles[0].size)

    def test_is_of_today(self):
        self.assertEqual(gallery.check(BUILD), [])

    def test_notices_a_change_of_the_drawing(self):
        i = gallery.names().index("12-ball.png")
        x, y = self.shown["12-ball.png"][0]["box"][:2]
        badge = (x, y - 16, x + 60, y - 2)
        self.assertEqual(self.differences(i, lambda tile: None), [])
        # A label that moves, and one of another colour.
        self.assertEqual(len(self.differences(
            i, lambda tile: tile.paste(tile.crop(badge), (x, y + 50)))), 1)
        self.assertEqual(len(self.differences(
            i, lambda tile: tile.paste((30, 60, 230), badge))), 1)

    def test_notices_other_detections(self):
        old = self.shown["01-hand.jpg"]
        for key, value in (("label", "aztec"), ("confidence", old[0]["confidence"] - 0.03),
                           ("box", [v + 3 for v in old[0]["box"]])):
            new = copy.deepcopy(old)
            new[0][key] = value
            self.assertEqual(len(gallery.compare_objects("01", old, new)), 1, key)
        self.assertEqual(len(gallery.compare_objects("01", old, [])), 1)


if __name__ == "__main__":
    unittest.main()
