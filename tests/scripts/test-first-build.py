#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""usage: test-first-build.py SOURCE

The first build has no tests, and turning them on in the same folder compiles nothing of the
product again: each of its commands and generated headers stays what it was."""
import json
import os
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
        meson(build, source, "-Dtests=disabled", "-Dcuda=disabled")
        first, headers = commands(build), times(build)
        assert len(first) > 300, len(first)
        assert not [name for name in first if name.startswith("tests/")], "the first build has tests"
        meson("--reconfigure", build, source, "-Dtests=enabled")
        then = commands(build)
        assert [name for name in then if name.startswith("tests/")], "there are no tests"
        changed = [name for name in first if then.get(name) != first[name]]
        assert not changed, f"compiled again: {changed[:5]}"
        assert times(build) == headers, "a header is written again"
    print(f"{len(first)} objects stay")


if __name__ == "__main__":
    main(sys.argv[1])
