# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""The version is the project's, in meson.build."""
import pathlib
import re

from setuptools import setup

MESON = pathlib.Path(__file__).resolve().parent.parent / "meson.build"
setup(version=re.search(r"^\s*version: '([0-9.]+)'", MESON.read_text(), re.M)[1])
