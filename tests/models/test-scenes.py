#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""The bundled model detects the right number of objects in video: in the demo's scene and three
others (scenes.py), it never detects more objects of a class than the scene has, detects all of them
in some frame, and detects the codes, which do not move, in every frame.

usage: test-scenes.py BUILD [TESTCASE...]         prints what was found
"""
import os
import shutil
import sys
import tempfile
import unittest

import scenes

# As in pipelines/common.sh; all other properties have their defaults.
DETECTOR = "yolov10detect input-size=640 precision={}"


class Scenes(unittest.TestCase):
    def check(self, name, source, truth):
        # The same instruction set on all CPUs, and the most common one.
        for precision in ("fp32", "auto"):
            frames, found = scenes.count(source, DETECTOR.format(precision))
            print(f"{name}, {precision}: " + ", ".join(
                f"{label} in {seen}, most {most}" for label, (seen, most) in sorted(found.items())))
            with self.subTest(precision):
                self.assertEqual(frames, scenes.FRAMES)
                self.assertEqual({label: most for label, (_seen, most) in found.items()}, truth)
                for label, (seen, _most) in found.items():
                    least = 0.8 * frames if label == "ball" else frames
                    self.assertGreaterEqual(seen, least, label)

    def test_demo(self):
        self.check("demo", *scenes.demo())

    @unittest.skipUnless(shutil.which("zint"), "zint is not installed")
    def test_others(self):
        with tempfile.TemporaryDirectory() as folder:
            for scene in scenes.OTHERS:
                with self.subTest(scene.name):
                    self.check(scene.name, *scenes.build(scene, folder))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    os.environ["GST_PLUGIN_PATH"] = os.path.join(os.path.abspath(sys.argv[1]), "gst")
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
