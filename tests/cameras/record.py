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
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
CAMERA = ("videotestsrc is-live=true pattern=ball ! video/x-raw,width=320,height=240,framerate=25/1 ! "
          "x264enc tune=zerolatency speed-preset=ultrafast key-int-max=25 ! rtph264pay name=pay0").split()


def recipe():
    """The value of --sink in docs/cameras.md."""
    with open(os.path.join(ROOT, "docs/cameras.md"), encoding="utf-8") as f:
        block = re.search(r"## Recording.*?```sh\n(.*?)```", f.read(), re.S).group(1)
    words = shlex.split(block.replace("\\\n", " "))
    return words[words.index("--sink") + 1]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def serve(port):
    p = subprocess.Popen(["/usr/bin/python3", os.path.join(ROOT, "pipelines/rtsp_server.py"),
                          f"rtsp://127.0.0.1:{port}/camera", *CAMERA], stdout=subprocess.PIPE, text=True)
    p.stdout.readline()
    return p


def wait_for(lines, state, count, seconds=40):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with open(lines, encoding="utf-8") as f:
            found = [json.loads(line) for line in f.read().splitlines() if line.startswith("{")]
        if sum(line.get("state") == state for line in found) >= count:
            return found
        time.sleep(0.1)
    sys.exit(f"no state {state}, {count} times, within {seconds} s")


def run(cameras, env, folder, sink, port):
    log = os.path.join(folder, "lines")
    with open(log, "w", encoding="utf-8") as out:
        return log, subprocess.Popen([cameras, "--timeout", "3", "--sink", sink,
                                      f"door=rtsp://127.0.0.1:{port}/camera"], env=env, stdout=out,
                                     stdin=subprocess.DEVNULL, cwd=folder)


def check_recording(cameras, env, folder):
    os.mkdir(os.path.join(folder, "rec"))
    port = free_port()
    server = serve(port)
    log, p = run(cameras, env, folder, recipe(), port)
    try:
        for n in (1, 2):
            wait_for(log, "connected", n)
            time.sleep(3)
            if n == 1:
                server.kill()
                server.wait()
                wait_for(log, "retry", 1)
                server = serve(port)
        p.send_signal(signal.SIGTERM)
        assert p.wait(timeout=30) == 0
    finally:
        p.kill()
        server.kill()
        server.wait()
    files = sorted(glob.glob(os.path.join(folder, "rec/door-*.mp4")))
    assert len(files) == 2, files
    for path in files:
        n = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries",
                            "stream=nb_read_frames", "-of", "csv=p=0", path], check=True,
                           capture_output=True, text=True).stdout
        print(f"{os.path.basename(path)}: {n.strip()} frames")
        assert int(n) > 25, path


def check_sink(cameras, env, folder):
    """A sink that fails is not a camera that is lost."""
    port = free_port()
    server = serve(port)
    log, p = run(cameras, env, folder, "videoconvert ! x264enc tune=zerolatency ! h264parse ! mp4mux ! "
                 "filesink location=/dev/full", port)
    try:
        lines = wait_for(log, "retry", 1)
    finally:
        p.kill()
        server.kill()
        server.wait()
    states = [line["state"] for line in lines if "state" in line]
    assert "lost" not in states, states
    assert "sink-failed" in states or "connected" not in states, states
    print("a full disk:", states, next(line["reason"] for line in lines if "reason" in line))


def main():
    env = dict(os.environ, GST_PLUGIN_PATH_1_0=sys.argv[2])
    try:
        import gi
        gi.require_version("GstRtspServer", "1.0")
    except (ImportError, ValueError):
        if subprocess.run(["/usr/bin/python3", "-c", "import gi; gi.require_version('GstRtspServer', '1.0')"],
                          check=False, capture_output=True).returncode:
            print("GstRtspServer is missing (Debian: gir1.2-gst-rtsp-server-1.0)")
            sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        env["GST_REGISTRY"] = os.path.join(folder, "registry")
        cameras = os.path.abspath(sys.argv[1])
        check_recording(cameras, env, folder)
        check_sink(cameras, env, folder)


if __name__ == "__main__":
    main()
