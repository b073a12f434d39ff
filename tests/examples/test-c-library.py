#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Builds examples/detect.c with pkg-config only, against an installed copy. Its detections in
JPEGs must equal those of `y10 detect`, and docs/c-library.md must show its current source.

usage: test-c-library.py BUILD
"""
import glob
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
SHARED = os.path.join(ROOT, "../shared/codes/images")
BUILD = None


def output(*command, **more):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, timeout=200,
                          **more).stdout


class Library(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        work = cls.folder.name
        # Installs without rebuilding: the tests must run on the same build.
        output("meson", "install", "-C", BUILD, "--no-rebuild", "--destdir", work, "--quiet")
        cls.pc = os.path.dirname(glob.glob(f"{work}/**/pkgconfig/y10.pc", recursive=True)[0])
        cls.lib = os.path.dirname(glob.glob(f"{work}/**/liby10.so", recursive=True)[0])
        # Overrides the prefix of y10.pc only; --define-prefix would move GLib, too.
        with open(os.path.join(cls.pc, "y10.pc"), encoding="utf-8") as file:
            text = file.read()
        with open(os.path.join(cls.pc, "y10.pc"), "w", encoding="utf-8") as file:
            file.write(re.sub("^prefix=", f"prefix={work}", text, flags=re.M))
        env = {**os.environ, "PKG_CONFIG_PATH": cls.pc}
        flags = output("pkg-config", "--cflags", "--libs", "y10",
                       "gdk-pixbuf-2.0", env=env)
        cls.program = os.path.join(work, "detect")
        output("cc", os.path.join(ROOT, "examples/detect.c"), "-o", cls.program, "-Wall", "-Wextra",
               "-Werror", "-Wno-missing-field-initializers", *shlex.split(flags), cwd=work)
        cls.model = os.path.join(BUILD, "models/codes.safetensors")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def detect(self, *arguments):
        return subprocess.run([self.program, *arguments], text=True, check=False, timeout=200,
                              env={**os.environ, "LD_LIBRARY_PATH": self.lib},
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def test_page_shows_it(self):
        with open(os.path.join(ROOT, "examples/detect.c"), encoding="utf-8") as file:
            program = file.read()
        with open(os.path.join(ROOT, "docs/c-library.md"), encoding="utf-8") as file:
            self.assertIn("```c\n" + program + "```\n", file.read())

    def same(self, picture):
        """Asserts the same number of objects as the tool, with the same classes, scores and boxes;
        returns the number."""
        done = self.detect(self.model, picture)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [line.rsplit(" ", 5) for line in done.stdout.splitlines()]
        # The tool prints JSON if the output is no terminal.
        report = json.loads(output(os.path.join(BUILD, "tools/y10"), "detect", "-m", self.model,
                                   picture).splitlines()[0])
        found = [each["detection"] for each in report["objects"]]
        size = report["resolution"]
        self.assertEqual([line[0] for line in lines], [each["label"] for each in found])
        for line, its in zip(lines, found):
            self.assertAlmostEqual(float(line[1]), its["confidence"], delta=1e-3)
            for value, edge, scale in zip(line[2:], ("x_min", "y_min", "x_max", "y_max"),
                                          (size["width"], size["height"]) * 2):
                self.assertAlmostEqual(float(value), its["bounding_box"][edge] * scale, delta=0.6)
        return len(lines)

    def test_jpeg_by_gstreamer(self):
        picture = os.path.join(self.folder.name, "codes.jpg")
        output("gst-launch-1.0", "-q", "filesrc", f"location={ROOT}/pipelines/codes.png", "!",
               "pngdec", "!", "videoconvert", "!", "jpegenc", "quality=95", "!", "filesink",
               f"location={picture}")
        self.assertGreaterEqual(self.same(picture), 4)

    def test_photographs(self):
        photographs = sorted(glob.glob(os.path.join(SHARED, "*.jpg")))[:12]
        if not photographs:
            self.skipTest("../shared/codes/images is not here")
        self.assertGreater(sum(self.same(picture) for picture in photographs), 0)

    def test_errors(self):
        for arguments, named in (([self.model, "none.jpg"], "none.jpg"),
                                 (["none.safetensors", f"{ROOT}/pipelines/codes.png"],
                                  "none.safetensors")):
            done = self.detect(*arguments)
            self.assertEqual(done.returncode, 1)
            self.assertIn(named, done.stderr)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    BUILD = os.path.abspath(sys.argv.pop(1))
    unittest.main()
