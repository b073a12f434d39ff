#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""y10 serve for half an hour, with cameras that fail and viewers that come and go: what it takes of the
machine, and whether a camera loses frames.

usage: soak.py [MINUTES]

By default 30 minutes; the first five, or a third of fewer, are a warm-up. Twelve RTSP cameras of
320×240 at 5 frames a second, of which two end and come back every 40 seconds and one is never
there. One viewer never reads; others come, look and go. Prints a line every 15 seconds,
as the kernel and /metrics say it. Fails if the resident memory of the last third is more than
2 % above that after the warm-up, if descriptors or threads grow, or if a steady camera
lost a frame. Runs alone on a machine, since a busy one loses frames.
"""
import os
import re
import statistics
import sys
import threading
import time

from server import Server, Stream, filmed, until

FPS = 5
STEADY, FLAKY = [f"s{n}" for n in range(9)], ["f0", "f1"]
EVERY = 15          # s
FAILS = (30, 10)    # s that flaky cameras are there, and are not


class Company(threading.Thread):
    """Calls something again and again until the end; what goes wrong is counted."""

    def __init__(self, what, done):
        super().__init__(daemon=True)
        self.what, self.done, self.n, self.failures = what, done, 0, []
        self.start()

    def run(self):
        while not self.done.is_set():
            try:
                self.what()
                self.n += 1
            except Exception as error:      # pylint: disable=broad-except
                self.failures.append(repr(error))
                time.sleep(1)


def look(server, camera, n):
    """A viewer who looks at some pictures and goes."""
    stream = Stream(server, camera)
    for _ in range(n):
        assert stream.picture()[:2] == b"\xff\xd8"
    stream.close()


def fail_and_return(servers, done):
    """Ends a flaky server and starts it again."""
    if done.wait(FAILS[0]):
        return
    servers[0].kill()
    done.wait(FAILS[1])
    servers[0] = filmed(fps=FPS, port=servers[0].port)


def sample(server):
    """What the kernel and the server say now."""
    folder = f"/proc/{server.process.pid}"
    with open(folder + "/status", encoding="ascii") as file:
        status = file.read()
    with open(folder + "/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    metrics = {}
    for line in server.ask("GET", "/metrics")[2].decode().splitlines():
        found = re.match(r'y10_camera_(\w+)\{camera="(\w+)".*\} (\S+)$', line)
        if found:
            metrics[found[1], found[2]] = float(found[3])
    return {
        "rss": int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024,
        "threads": int(re.search(r"Threads:\s+(\d+)", status)[1]),
        "fds": len(os.listdir(folder + "/fd")),
        "cpu": (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"),
        "time": time.monotonic(),
        "frames": {camera: metrics["frames_total", camera] for camera in STEADY},
        "reconnects": {camera: metrics["reconnects_total", camera] for camera in (*STEADY, *FLAKY)},
        "live": sum(metrics["up", camera] for camera in (*STEADY, *FLAKY, "never")),
        "viewers": sum(metrics["viewers", camera] for camera in (*STEADY, *FLAKY)),
    }


def show(first, before, now):
    """A line of the table."""
    seconds = now["time"] - before["time"]
    rates = [(now["frames"][camera] - before["frames"][camera]) / seconds for camera in STEADY]
    print(f"{(now['time'] - first['time']) / 60:6.2f} {now['rss']:8.1f} {now['fds']:5d} {now['threads']:8d} "
          f"{(now['cpu'] - before['cpu']) / seconds:6.2f} {now['live']:5.0f} {now['viewers']:8.0f} "
          f"{min(rates):7.2f} {max(rates):7.2f} {sum(now['reconnects'][c] for c in FLAKY):8.0f}", flush=True)


def judge(samples, warm):
    """Returns what is wrong."""
    first = next(s for s in samples if s["time"] >= samples[0]["time"] + warm)
    last = samples[-max(1, len(samples) // 3):]
    wrong = []
    # Flaky cameras take some at one time and nothing at another: what counts is when all are there, and
    # the median, since at times a connection ends while the next one begins.
    begin = [s for s in samples if first["time"] - warm / 5 <= s["time"] <= first["time"] + warm * 3 / 5]
    for name, most in (("rss", 1.02), ("fds", 1.1), ("threads", 1.1)):
        early, late = (statistics.median([s[name] for s in some if s["live"] == len(STEADY + FLAKY)]
                                         or [s[name] for s in some]) for some in (begin, last))
        print(f"{name}: {early:.1f} at the end of the warm-up, {late:.1f} in the last third ({late / early - 1:+.1%})")
        if late > early * most:
            wrong.append(f"{name} grew")
    for camera in STEADY:
        got = samples[-1]["frames"][camera] - first["frames"][camera]
        due = (samples[-1]["time"] - first["time"]) * FPS
        if samples[-1]["reconnects"][camera] or got < due - 2 * FPS:
            wrong.append(f"{camera}: {got:.0f} of {due:.0f} frames, {samples[-1]['reconnects'][camera]:.0f} reconnects")
    return wrong


def soak(server, minutes, flaky):
    """Returns the samples and what went wrong with viewers."""
    done = threading.Event()
    idle = Stream(server, "s0")     # It is never read.
    company = [Company(lambda: look(server, "s1", 40), done), Company(lambda: look(server, "s2", 5), done),
               Company(lambda: server.snapshot("s3"), done),
               Company(lambda: server.ask("GET", "/api/events") and time.sleep(1), done),
               Company(lambda: server.ask("GET", "/", token=False) and time.sleep(0.5), done),
               Company(lambda: fail_and_return(flaky, done), done)]
    samples = [sample(server)]
    print(f"{'minute':>6} {'RSS MiB':>8} {'fds':>5} {'threads':>8} {'CPUs':>6} {'live':>5} {'viewers':>8} {'least':>7} "
          f"{'most':>7} {'returns':>8}\n{'':49} {'fps of steady ones':>15}")
    while samples[-1]["time"] < samples[0]["time"] + minutes * 60:
        time.sleep(EVERY)
        samples.append(sample(server))
        show(samples[0], samples[-2], samples[-1])
    done.set()
    for one in company:
        one.join(60)
    idle.close()
    print("requests and views:", *(one.n for one in company))
    return samples, [failure for one in company for failure in one.failures]


def main():
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 30
    steady, flaky = filmed(fps=FPS), [filmed(fps=FPS)]
    config = "".join(f"[camera {camera}]\nsource={steady.uri}\n" for camera in STEADY)
    config += "".join(f"[camera {camera}]\nsource={flaky[0].uri}\n" for camera in FLAKY)
    config += "[camera never]\nsource=rtsp://127.0.0.1:1/none\n"
    try:
        with Server(config=config) as server:
            for camera in (*STEADY, *FLAKY):
                server.live(camera)
            samples, wrong = soak(server, minutes, flaky)
            wrong += judge(samples, min(300, minutes * 20))
            until(lambda: sample(server)["viewers"] == 0, "all viewers are gone")
            wrong += [line for line in server.warnings() if " camera " not in line]
    finally:
        steady.kill()
        flaky[0].kill()
    for line in wrong:
        print("WRONG:", line)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
