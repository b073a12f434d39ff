#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""usage: test-first-build.py SOURCE

The first build has neither tests nor kernels for other CPUs. Adding them in the same folder
compiles nothing of the product again: each of its commands and generated headers stays what it
was, but for that which tells three files what kernels there are."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile


def meson(*arguments):
    subprocess.run(["meson", "setup", *arguments], check=True, stdout=subprocess.DEVNULL)


def commands(build):
    """The command that makes each object."""
    done = subprocess.run(["ninja", "-C", build, "-t", "compdb"], check=True,
                          stdout=subprocess.PIPE, text=True)
    return {step["output"]: step["command"] for step in json.loads(done.stdout)
            if step["output"].endswith((".o", ".gch"))}


def times(build):
    """When each header that the product includes was written."""
    return {name: os.stat(os.path.join(build, name)).st_mtime_ns
            for name in ("config.h", "dirs.h", "engine/include/y10/version.h")}


def main(source):
    with tempfile.TemporaryDirectory() as build:
        meson(build, source, "-Dtests=disabled", "-Dcuda=disabled", "-Dcpu-kernels=native")
        first, headers = commands(build), times(build)
        assert len(first) > 300, len(first)
        assert not [name for name in first if name.startswith("tests/")], "the first build has tests"
        meson("--reconfigure", build, source, "-Dtests=enabled", "-Dcpu-kernels=all")
        then = commands(build)
        assert [name for name in then if name.startswith("tests/")], "there are no tests"
        added = [name for name in then if name not in first and not name.startswith("tests/")]
        assert added and all(re.match("engine/cpu/liby10-(kernels|preprocess)-", name)
                             for name in added), added
        changed = [name for name in first if then.get(name) != first[name]]
        assert not changed, f"compiled again: {changed[:5]}"
        assert times(build) == headers, "a header is written again"
        readers = []
        for path in glob.glob(os.path.join(source, "engine/**/*.[ch]"), recursive=True):
            with open(path, encoding="utf-8") as file:
                readers += [path] if '"cpu/cpu-kernels.h"' in file.read() else []
        assert len(readers) == 3, readers
    print(f"{len(first)} objects stay")


if __name__ == "__main__":
    main(sys.argv[1])
