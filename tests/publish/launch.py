# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Pipelines of gst-launch-1.0 that publish, and a folder for what they write."""
import os
import shlex
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
from waiting import PATIENCE, until  # noqa: E402,F401


class Launching(unittest.TestCase):
    plugins = None      # the folder of the plugins, which a subclass sets

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.env = {**os.environ, "GST_PLUGIN_PATH_1_0": cls.plugins, "LC_ALL": "C.UTF-8",
                   "GST_REGISTRY": os.path.join(cls.folder.name, "registry")}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, f"{self._testMethodName}-{name}")

    def launch(self, pipeline, *options, fails=False, **more):
        done = subprocess.run(["gst-launch-1.0", *options, *shlex.split(pipeline)], env=self.env, check=False,
                              capture_output=True, text=True, timeout=PATIENCE, **more)
        self.assertEqual(done.returncode != 0, fails, done.stderr + done.stdout)
        return done
