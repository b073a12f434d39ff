#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Measures the cost of several streams that share an engine, and how fairly they share it.

Each stream is a pipeline, "appsrc ! yolov10detect ! fakesink", that gets pictures of 1280x720
decoded in advance: first one stream and then --streams of them at full speed, each run in a
separate process; then one stream at full speed among others that send two frames a second.

usage: streams.py [MODEL] [--streams N] [--seconds S] [--rounds R] [--backend B] [--properties P]

Measures the plugin in build/, unless GST_PLUGIN_PATH_1_0 is set. Prints figures, and PASS or FAIL
for the properties that do not depend on time: there is one engine; each stream has no thread but
its pad's; every frame of a slow stream is inferred after at most one frame of each other stream
and one that was running.
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import threading
import time

SYSTEM_PYTHON = "/usr/bin/python3"      # Debian's Python, for its bindings
BUILD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../build")
os.environ.setdefault("GST_PLUGIN_PATH_1_0", os.path.join(BUILD, "gst"))

try:
    import gi
    gi.require_version("Gst", "1.0")
    gi.require_version("GstApp", "1.0")
    from gi.repository import Gst, GstApp  # noqa: F401: appsrc's methods
except (ImportError, ValueError) as why:
    if os.path.realpath(sys.executable) != os.path.realpath(SYSTEM_PYTHON) \
            and os.path.exists(SYSTEM_PYTHON):
        os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON] + sys.argv)
    print("SKIP: Python's GStreamer bindings (python3-gi, gir1.2-gst-plugins-base-1.0):", why)
    sys.exit(77)

CAPS = "video/x-raw,format=NV12,width=1280,height=720,framerate=30/1"
PICTURES = 16
SLOW_FPS = 2


def decode():
    """Pictures of a moving ball on noise."""
    pipeline = Gst.parse_launch(
        f"videotestsrc pattern=ball num-buffers={PICTURES} ! {CAPS} ! "
        "appsink name=s sync=false max-buffers=64")
    pipeline.set_state(Gst.State.PLAYING)
    sink = pipeline.get_by_name("s")
    pictures = [sink.emit("pull-sample").get_buffer() for _ in range(PICTURES)]
    pipeline.set_state(Gst.State.NULL)
    return pictures


class Stream:
    def __init__(self, number, args, pictures):
        model = f"model-file={args.model}" if args.model else ""
        self.pipeline = Gst.parse_launch(
            f"appsrc name=a{number} block=true max-buffers=2 format=time caps={CAPS} ! "
            f"yolov10detect name=d{number} {model} backend={args.backend} {args.properties} "
            "late-policy=infer-all ! fakesink sync=false")
        self.source = self.pipeline.get_by_name(f"a{number}")
        self.detect = self.pipeline.get_by_name(f"d{number}")
        self.pictures, self.sent = pictures, 0
        if self.pipeline.set_state(Gst.State.PAUSED) == Gst.StateChangeReturn.FAILURE:
            message = self.pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
            sys.exit(message.parse_error()[0].message)

    def push(self):
        buffer = self.pictures[self.sent % PICTURES].copy()
        buffer.pts = self.sent * Gst.SECOND // 30
        self.sent += 1
        return self.source.emit("push-buffer", buffer) == Gst.FlowReturn.OK

    def feed(self, until, fps=None):
        start = time.monotonic()
        while time.monotonic() < until:
            if fps:
                time.sleep(max(0.0, start + self.sent / fps - time.monotonic()))
            if not self.push():
                return

    def __del__(self):
        self.pipeline.set_state(Gst.State.NULL)

    def stat(self, name):
        return self.detect.get_property("stats").get_value(name)

    def engine_stat(self, name):
        return self.detect.get_property("engine-stats").get_value(name)


def play(streams, seconds, slow=()):
    """Runs all of them for so long; the first part is a warm-up."""
    for stream in streams:
        stream.pipeline.set_state(Gst.State.PLAYING)
    until = time.monotonic() + seconds + 1
    threads = [threading.Thread(target=s.feed, args=(until, SLOW_FPS if s in slow else None))
               for s in streams]
    for thread in threads:
        thread.start()
    time.sleep(1)
    before, began = streams[0].engine_stat("inferences"), time.monotonic()
    time.sleep(max(0.0, until - time.monotonic() - 0.2))
    rate = (streams[0].engine_stat("inferences") - before) / (time.monotonic() - began)
    tasks = collections.Counter()
    for task in os.listdir("/proc/self/task"):
        with open(f"/proc/self/task/{task}/comm", encoding="utf-8") as f:
            tasks[f.read().strip().rstrip("0123456789").split(":")[0].rstrip("0123456789")] += 1
    for thread in threads:
        thread.join()
    return rate, tasks


def resident():
    with open("/proc/self/status", encoding="utf-8") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmRSS:"))


def drain(streams):
    """Waits until all frames have come out."""
    until = time.monotonic() + 60
    while time.monotonic() < until and any(s.stat("sent") < s.sent for s in streams):
        time.sleep(0.01)


def flat_out(args, pictures):
    streams = [Stream(i, args, pictures) for i in range(args.streams)]
    rate, tasks = play(streams, args.seconds)
    return {"rate": rate, "resident": resident(), "tasks": tasks,
            "sharing": streams[0].engine_stat("streams"),
            "weights": streams[0].engine_stat("weights-host"),
            "arenas": streams[0].engine_stat("arenas-host")}


def fair(args, pictures):
    streams = [Stream(i, args, pictures) for i in range(args.streams)]
    rate, _tasks = play(streams, args.seconds, streams[1:])
    drain(streams)
    longest = max(s.stat("preprocess-max") + s.stat("inference-max") for s in streams)
    slow = [{"sent": s.sent, "inferred": s.stat("inferred"), "turns": s.stat("most-turns"),
             "waited": s.stat("wait-max")} for s in streams[1:]]
    return {"rate": rate, "longest": longest / 1e6, "slow": slow,
            "fast": streams[0].stat("inferred")}


def child(args, what, streams):
    command = [sys.executable, __file__, "--what", what, "--streams", str(streams), "--seconds",
               str(args.seconds), "--backend", args.backend, "--properties", args.properties]
    out = subprocess.run(command + ([args.model] if args.model else []), stdout=subprocess.PIPE,
                         check=True, text=True).stdout
    return json.loads(out.splitlines()[-1])


def report(args):
    n = args.streams
    pairs = [(child(args, "flat", 1), child(args, "flat", n)) for _ in range(args.rounds)]
    ratios = sorted(many["rate"] / one["rate"] for one, many in pairs)
    for one, many in pairs:
        print(f"inferences a second: {one['rate']:.1f} of one stream, {many['rate']:.1f} of {n}")
    print(f"the latter {ratios[len(ratios) // 2]:.3f} times the former, the median of {len(ratios)}")
    one, many = pairs[-1]
    growth = many["resident"] - one["resident"]
    frame = 1280 * 720 * 1.5 / 1024
    print(f"resident: {one['resident']} KiB with one, {many['resident']} with {n}: {growth:+d} KiB; "
          f"weights are {many['weights'] // 1024}, arenas {many['arenas'] // 1024}, a frame "
          f"{frame:.0f} KiB")
    print(f"elements that share the engine of the first: {many['sharing']}")
    extra = {k: v - one["tasks"].get(k, 0) for k, v in many["tasks"].items()
             if v != one["tasks"].get(k, 0)}
    print(f"threads that {n - 1} streams add (a: of appsrc, d: of yolov10detect, python: of this "
          f"program): {extra}")
    even = child(args, "fair", n)
    slow = even["slow"]
    print(f"one stream as fast as it can be: {even['fast']} inferred, while {n - 1} of {SLOW_FPS} "
          f"frames a second had {sum(s['inferred'] for s in slow)} of "
          f"{sum(s['sent'] for s in slow)}; these waited for {max(s['turns'] for s in slow)} others "
          f"at most, {max(s['waited'] for s in slow) / 1e6:.1f} ms where the longest inference took "
          f"{even['longest']:.1f}; {even['rate']:.1f} inferences a second in all")
    return (many["sharing"] == n and extra.get("d") == n - 1
            and sum(extra.values()) == 3 * (n - 1)
            and all(s["inferred"] == s["sent"] and s["turns"] <= n for s in slow))


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[2][7:])
    parser.add_argument("model", nargs="?")
    parser.add_argument("--streams", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--properties", default="")
    parser.add_argument("--what", choices=("flat", "fair"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    Gst.init(None)
    if args.what:
        print(json.dumps({"flat": flat_out, "fair": fair}[args.what](args, decode())), flush=True)
        return 0
    ok = report(args)
    print("PASS" if ok else "FAIL")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
