#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Recording with examples/cameras, by the command of docs/cameras.md, while the camera's server is
killed and comes back: every file is a whole video, by ffprobe, and none is overwritten.

usage: record.py CAMERAS PLUGIN_DIR"""
import glob
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
from programs import ROOT, Program, filmed, lacking, no_rtsp, skip, until  # noqa: E402


def recipe():
    """The value of --sink in docs/cameras.md."""
    with open(os.path.join(ROOT, "docs/cameras.md"), encoding="utf-8") as f:
        block = re.search(r"## Recording.*?```sh\n(.*?)```", f.read(), re.S).group(1)
    words = shlex.split(block.replace("\\\n", " "))
    return words[words.index("--sink") + 1]


def wait_for(lines, state, count):
    """Returns all lines, once there are so many of that state."""
    def find():
        with open(lines, encoding="utf-8") as f:
            found = [json.loads(line) for line in f.read().split("\n")[:-1]
                     if line.startswith("{")]
        return sum(line.get("state") == state for line in found) >= count and found
    return until(find, f"state {state}, {count} times", 100)


def run(cameras, env, folder, sink, uri):
    log = os.path.join(folder, "lines")
    with open(log, "w", encoding="utf-8") as out:
        return log, Program(cameras, "--timeout", "3", "--sink", sink, f"door={uri}", env=env, stdout=out,
                            stdin=subprocess.DEVNULL, cwd=folder)


def check_recording(cameras, env, folder):
    os.mkdir(os.path.join(folder, "rec"))
    server = filmed(fps=25)
    sink = recipe()
    for long, short in (("max-size-time=60000000000", "max-size-time=1000000000"),
                        ("key-int-max=60", "key-int-max=25")):
        assert long in sink, sink
        sink = sink.replace(long, short)
    log, p = run(cameras, env, folder, sink, server.uri)
    try:
        for n in (1, 2):
            wait_for(log, "connected", n)
            # Two files that are over, and another one.
            until(lambda n=n: len(glob.glob(os.path.join(folder, "rec/door-*.mp4"))) >= 3 * n, "files", 100)
            if n == 1:
                server.kill()
                wait_for(log, "lost", 1)
                server = filmed(fps=25, port=server.port)
        assert p.stop() == 0
    finally:
        p.kill()
        server.kill()
    files = sorted(glob.glob(os.path.join(folder, "rec/door-*.mp4")))
    starts = {path.rsplit("-", 1)[0] for path in files}
    assert len(starts) == 2 and len(files) >= 4, files
    total = 0
    for path in files:
        n = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries",
                            "stream=nb_read_frames", "-of", "csv=p=0", path], check=True,
                           capture_output=True, text=True).stdout
        print(f"{os.path.basename(path)}: {n.strip()} frames")
        assert int(n) > 0, path
        total += int(n)
    assert total > 50, total


# Each sink and whether it stops the camera by itself.
SINKS = {
    "a full disk": ("videoconvert ! x264enc tune=zerolatency ! h264parse ! mp4mux ! "
                    "filesink location=/dev/full", True),
    "no folder": ("filesink location=missing/file", True),
    "another size": ("video/x-raw,width=17 ! fakesink", True),
    "nothing linked": ("tee", True),
    "enough frames": ("fakesink num-buffers=20", True),
    "a full disk at the end": ("videoconvert ! x264enc tune=zerolatency ! h264parse ! mp4mux ! "
                               "filesink location=/dev/full buffer-size=100000000", False),
}


def check_sinks(cameras, env, folder):
    """A sink that fails is not a camera that is lost."""
    with filmed(fps=25) as server:
        for name, (sink, stops) in SINKS.items():
            log, p = run(cameras, env, folder, sink, server.uri)
            with p:
                if not stops:
                    wait_for(log, "connected", 1)
                    p.process.send_signal(signal.SIGTERM)
                lines = wait_for(log, "sink-failed", 1)
            states = [line["state"] for line in lines if "state" in line]
            assert "lost" not in states, (name, states)
            print(f"{name}:", next(line["reason"] for line in lines if "reason" in line))


def main():
    env = dict(os.environ, GST_PLUGIN_PATH_1_0=sys.argv[2])
    missing = no_rtsp() or lacking("x264enc") or not shutil.which("ffprobe") and "no ffprobe (Debian: ffmpeg)"
    if missing:
        skip(missing)
    with tempfile.TemporaryDirectory() as folder:
        env["GST_REGISTRY"] = os.path.join(folder, "registry")
        cameras = os.path.abspath(sys.argv[1])
        check_recording(cameras, env, folder)
        check_sinks(cameras, env, folder)


if __name__ == "__main__":
    main()
