#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""A plugin that was built with an older GStreamer runs with this one.

Y10_OLDER_BUILD is a folder with libgstyolov10.so, liby10.so.1 and
codes.safetensors; without it the test is skipped. If this system lacks a
library that they are linked to, the error names it.
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
import scenes  # noqa: E402


def main():
    folder = os.environ.get("Y10_OLDER_BUILD")
    if not folder:
        print("SKIP: Y10_OLDER_BUILD names no build with an older GStreamer")
        sys.exit(77)
    plugin = os.path.join(folder, "libgstyolov10.so")
    environment = {**os.environ, "GST_PLUGIN_PATH": folder, "GST_PLUGIN_PATH_1_0": folder,
                   "LD_LIBRARY_PATH": folder, "GST_REGISTRY": os.path.join(os.getcwd(), "older")}

    def run(*words):
        return subprocess.run(words, env=environment, text=True, timeout=120, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    missing = re.findall(r"(\S+) => not found", run("ldd", plugin).stdout)
    assert not missing, f"this system lacks what the plugin is linked to: {', '.join(missing)}"
    inspected = run("gst-inspect-1.0", "yolov10detect").stdout
    assert plugin in inspected, inspected
    now = run("gst-inspect-1.0", "--version").stdout
    done = run("gst-launch-1.0", "-m", "filesrc", f"location={scenes.CODES}", "!", "pngdec",
               "!", "videoconvert", "!", "yolov10detect", "post-messages=true",
               f"model-file={folder}/codes.safetensors", "!", "yolov10overlay", "!", "videoconvert",
               "!", "pngenc", "!", "filesink", "location=older.png")
    assert done.returncode == 0, done.stdout
    for label in scenes.PLACES:
        assert re.search(rf'label\W+{label}\W', done.stdout), f"no {label} in {done.stdout}"
    print("built with an older GStreamer, run by", re.search(r"GStreamer \S+", now)[0])


if __name__ == "__main__":
    main()
