#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Measures y10 serve: how old a picture is when a viewer has it, and what cameras cost.

Cameras (tests/serve/scene.py, a process each) send by RTSP, on this machine, frames with the time
in blocks of luma. Delay: from there through H.264, detector, tracker, overlay and MJPEG until a
viewer has received and decoded the picture; with Chromium, until its page can draw it. CPU and
memory: of the process, beside gst-launch-1.0 with the same pipelines. Nothing is asserted.

usage: serve-delay.py BUILD [--seconds N] [--cameras N] [--size WxH] [--fps N] [--model FILE]
                      [--viewers N,N…] [--no-browser] [--no-cost]
"""
import argparse
import contextlib
import io
import os
import re
import statistics
import subprocess
import sys
import threading
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
sys.path.insert(0, os.path.join(ROOT, "tests/serve"))
SETTLED = 5                         # seconds until a connection counts
RUN = " ! yolov10detect {model} ! yolov10track ! yolov10zones ! "
SHOWN = "yolov10overlay ! videoconvert ! video/x-raw,format=I420 ! jpegenc quality=80 ! "
# What scene.read does, in the page; the median of three channels is luma's, nearly.
PAGE = """new Promise((done) => {
  const img = document.querySelector(".camera img"), canvas = document.createElement("canvas");
  const pen = canvas.getContext("2d", { willReadFrequently: true }), found = [];
  const end = Date.now() + 1000 * %(seconds)d;
  let last = -1;
  const look = () => {
    canvas.width = 320; canvas.height = 64;
    const scale = img.naturalWidth / 640;
    pen.drawImage(img, 16 * scale, 296 * scale, 320 * scale, 64 * scale, 0, 0, 320, 64);
    const now = Date.now() - %(offset)d, pixels = pen.getImageData(0, 0, 320, 64).data, value = [0, 0, 0, 0];
    for (let row = 0; row < 4; row++)
      for (let bit = 0; bit < 20; bit++)
        value[row] += (pixels[4 * (320 * (row * 16 + 8) + bit * 16 + 8)] > 125 ? 1 : 0) * 2 ** bit;
    if (value[0] + value[1] === 1048575 && value[2] + value[3] === 1048575 && value[0] !== last) {
      last = value[0];
      found.push(((now - value[2]) %% 1048576 + 1048576) %% 1048576);
    }
    if (Date.now() < end) requestAnimationFrame(look); else done(found);
  };
  look();
})"""


def parse():
    parser = argparse.ArgumentParser(usage=__doc__.partition("usage: ")[2].replace("%", "%%"))
    parser.add_argument("build")
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--cameras", type=int, default=4)
    parser.add_argument("--size", default="1280x720")
    parser.add_argument("--fps", type=int, default=15)
    parser.add_argument("--model")
    parser.add_argument("--viewers", default="1,4")
    parser.add_argument("--no-browser", action="store_true")
    parser.add_argument("--no-cost", action="store_true")
    return parser.parse_args()


ARGS = parse()
os.environ["Y10"] = os.path.join(os.path.abspath(ARGS.build), "tools/y10")
os.environ["Y10_TEST_SOURCE"] = ROOT
# pylint: disable=wrong-import-position
from scene import RANGE, SIZE, now, read      # noqa: E402
from server import Image, Server, Stream, scene  # noqa: E402


def row(what, *columns):
    print(f"| {what} | " + " | ".join(columns) + " |", flush=True)


def percentiles(delays):
    """ms"""
    delays = sorted(delays)
    if not delays:
        return "none", "", ""
    return (f"{statistics.median(delays):.0f}", f"{delays[len(delays) * 95 // 100]:.0f}",
            f"{delays[-1]:.0f}")


@contextlib.contextmanager
def cameras(count):
    """Yields their addresses."""
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(scene(ARGS.size, ARGS.fps)).uri for _ in range(count)]


@contextlib.contextmanager
def serving(sources, more=""):
    config = "[serve]\n" + (f"model={os.path.abspath(ARGS.model)}\n" if ARGS.model else "")
    for i, source in enumerate(sources):
        config += f"\n[camera c{i}]\nname=c{i}\nsource={source}\n{more}"
    with Server(config=config) as server:
        for i in range(len(sources)):
            server.live(f"c{i}")
        time.sleep(SETTLED)
        yield server


class Viewer(threading.Thread):
    """Has the ages of the pictures that it gets, in ms."""

    def __init__(self, server, camera):
        super().__init__(daemon=True)
        self.stream = Stream(server, camera)
        self.delays, self.ended = [], False
        self.start()

    def run(self):
        begin = time.monotonic() + 2
        while not self.ended:
            picture = Image.open(io.BytesIO(self.stream.picture()))
            picture.draft("L", SIZE)    # as browsers do, in a process that has other work
            picture.load()
            at = now()
            found = read(picture) if time.monotonic() > begin else None
            if found:
                self.delays.append((at - found[1]) % RANGE)

    def stop(self):
        self.ended = True
        self.join()
        self.stream.close()


def measure_viewers(server, count):
    viewers = [Viewer(server, "c0") for _ in range(count)]
    time.sleep(2 + ARGS.seconds)
    for viewer in viewers:
        viewer.stop()
    delays = [delay for viewer in viewers for delay in viewer.delays]
    return (*percentiles(delays), f"{len(delays) / ARGS.seconds / count:.1f}")


def measure_browser(server):
    from browser import Browser     # it exits where there is none
    with Browser() as browser:
        browser.open(f"http://127.0.0.1:{server.port}/#t={server.token}")
        browser.until("document.querySelector('.camera img')?.naturalWidth > 0")
        offset = round((time.time() - time.monotonic()) * 1000)
        delays = browser.run(PAGE % {"seconds": ARGS.seconds, "offset": offset})
    return (*percentiles(delays), f"{len(delays) / ARGS.seconds:.1f}")


def measure_delays():
    print(f"Delay, ms: one camera of {ARGS.size} at {ARGS.fps} fps, {ARGS.seconds} s\n")
    row("viewers", "p50", "p95", "max", "pictures/s each")
    row("---", "---", "---", "---", "---")
    with cameras(1) as sources:
        for what, more in (("", ""), (", privacy", "privacy=true\n")):
            with serving(sources, more) as server:
                for count in ARGS.viewers.split(","):
                    row(count + what, *measure_viewers(server, int(count)))
                if not ARGS.no_browser:
                    row("Chromium, its page" + what, *measure_browser(server))


def spent(pid):
    """Seconds of CPU time."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        words = file.read().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def cost(pid):
    """CPU in per cent of a core, and MiB."""
    began, before = time.monotonic(), spent(pid)
    time.sleep(ARGS.seconds)
    cpu = 100 * (spent(pid) - before) / (time.monotonic() - began)
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        kib = int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1))
    return f"{cpu:.0f}", f"{kib / 1024:.0f}"


def launch(sources, shown, env):
    """The same pipelines in gst-launch-1.0."""
    text = []
    for source in sources:
        model = f"model-file={os.path.abspath(ARGS.model)}" if ARGS.model else "input-size=640"
        text.append(f"rtspsrc location={source} latency=200 protocols=tcp ! decodebin ! videoconvert"
                    + RUN.format(model=model) + "queue leaky=downstream max-size-buffers=2 ! "
                    + (SHOWN if shown else "") + "fakesink sync=false async=false")
    process = subprocess.Popen(["gst-launch-1.0", "-q", *" ".join(text).split()], env=env)
    try:
        time.sleep(2 * SETTLED)
        if process.poll() is not None:
            raise SystemExit(f"gst-launch-1.0 ended with {process.returncode}")
        return cost(process.pid)
    finally:
        process.terminate()
        process.wait()


def measure_serve(server, what):
    def fps():
        return ", ".join(f"{camera['fps']:.1f}" for camera in server.cameras().values())
    row("y10 serve, nobody looks" + what, *cost(server.process.pid), fps())
    viewers = [Viewer(server, camera) for camera in server.cameras()]
    row("y10 serve, a viewer each" + what, *cost(server.process.pid), fps())
    for viewer in viewers:
        viewer.stop()


def measure_cost():
    print(f"\nCost: {ARGS.cameras} cameras of {ARGS.size} at {ARGS.fps} fps, {ARGS.seconds} s; CPU in per cent of a core\n")
    row("", "CPU", "RSS, MiB", "fps of each camera")
    row("---", "---", "---", "---")
    with cameras(ARGS.cameras) as sources:
        for what, more in (("", ""), (", privacy", "privacy=true\n")):
            with serving(sources, more) as server:
                measure_serve(server, what)
                env = dict(server.env, GST_PLUGIN_PATH_1_0=os.path.join(os.path.abspath(ARGS.build), "gst"))
        row("gst-launch-1.0, no pictures", *launch(sources, False, env), "")
        row("gst-launch-1.0, pictures encoded", *launch(sources, True, env), "")


def main():
    if not os.access(os.environ["Y10"], os.X_OK):
        sys.exit(f"serve-delay.py: {os.environ['Y10']} is missing")
    measure_delays()
    if not ARGS.no_cost:
        measure_cost()


if __name__ == "__main__":
    main()
