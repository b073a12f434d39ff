#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""docs/plugin/ equals the output of gst-inspect-1.0 for the elements.

usage: test-inspect.py [--write] PLUGIN-DIR

--write regenerates the files, and with them the tables of properties in docs/ (properties.py). They
come from GStreamer 1.22, because each version prints differently: with another version the test is
skipped. They include the caps of CUDA memory, which are left out for a build without CUDA memory.
"""
import difflib
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import properties

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
VERSION = "1.22"
ELEMENTS = ["yolov10detect", "yolov10overlay", "yolov10publish", "yolov10record", "yolov10track", "yolov10zones"]
# The caps of CUDA memory in a pad's list.
CUDA = re.compile(r"^ {6}video/x-raw\(memory:CUDAMemory\)\n(?: {7,}.*\n)+", re.M)


def inspect(plugins, *words):
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "GST_PLUGIN_PATH": plugins, "GST_PLUGIN_SYSTEM_PATH_1_0": "",
                       "GST_REGISTRY": os.path.join(folder, "registry"), "LC_ALL": "C"}
        return subprocess.run(["gst-inspect-1.0", "--no-colors", *words], env=environment,
                              text=True, check=True, stdout=subprocess.PIPE, timeout=60).stdout


def dump(plugins, element):
    """Removes text that depends on the machine, and trailing blanks."""
    lines = [line.rstrip() for line in inspect(plugins, element).splitlines()
             if not line.startswith("  Filename ")]
    return "\n".join(lines).strip() + "\n"


def main():
    write = "--write" in sys.argv
    plugins = sys.argv[-1]
    version = re.search(r"GStreamer (\d+\.\d+)", inspect(plugins, "--version"))[1]
    if version != VERSION:
        print(f"SKIP: this is GStreamer {version}, and docs/plugin is what {VERSION} prints")
        return 77
    stale = 0
    for element in ELEMENTS:
        name = f"docs/plugin/{element}.txt"
        path = os.path.join(ROOT, name)
        now = dump(plugins, element)
        if write:
            if element == "yolov10detect" and not CUDA.search(now):
                sys.exit("this build has no frames in CUDA memory (-Dgstcuda=enabled)")
            with open(path, "w", encoding="utf-8") as file:
                file.write(now)
            continue
        with open(path, encoding="utf-8") as file:
            then = file.read()
        if not CUDA.search(now):
            then = CUDA.sub("", then)
        difference = list(difflib.unified_diff(then.splitlines(), now.splitlines(), name,
                                               "gst-inspect-1.0", lineterm=""))
        stale += bool(difference)
        print("\n".join(difference) if difference else f"{name} is up to date")
    if write:
        return properties.main()
    if stale:
        print("tests/docs/test-inspect.py --write build/gst makes them anew")
    return 1 if stale else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main())
