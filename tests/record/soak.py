#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Cameras that are recorded for long, all the time and with clips of events, on a busy machine; or what recording costs.

usage: soak.py BUILD [--minutes 30] [--cameras 4] [--busy 2]
       soak.py BUILD --cpu ROUNDS [--minutes 1] [--cameras 4]

The first serves so many cameras by RTSP, whose pictures have numbers, and tells of events at random times, while so many
processes keep processors busy. Then each picture of each file is decoded. Fails if one that reached yolov10record is missing
or there twice, a clip does not begin five seconds before its event with a key frame, or the recorder's memory has grown by a
tenth since the first fifth of the time.

The second feeds the same streams to yolov10record, to splitmuxsink and to nothing, in turn, and prints the CPU time that
each takes for a minute. Both are about the machine, so it should do nothing else.
"""
import argparse
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../serve"))
from PIL import Image  # noqa: E402
from programs import no_rtsp, scene, skip  # noqa: E402
from recordings import H264, packets, tell  # noqa: E402
from scene import RANGE, now, read  # noqa: E402

FPS, SIZE = 25, (320, 180)
BEFORE = AFTER = 5      # s of a clip
EVERY = 15              # s between events of a camera, on average; so some share a clip
FILE = 60               # s of a file
GROWTH = 1.1
ELEMENT = "yolov10record location={} file-duration=60000000000"
RECORDERS = {
    "yolov10record": ELEMENT,
    "splitmuxsink": "splitmuxsink max-size-time=60000000000 location={}/%05d.mp4",
    "splitmuxsink, fragments": "splitmuxsink max-size-time=60000000000 location={}/%05d.mp4 muxer-factory=mp4mux "
                               "muxer-properties=properties,fragment-duration=1000",
    "fakesink": "fakesink async=false",
}


def since(a, b):
    """a - b, of numbers or times that start again at RANGE."""
    return (a - b + RANGE // 2) % RANGE - RANGE // 2


def stamps(path):
    """(number, when it was sent) of each picture of a file."""
    size = SIZE[0] * SIZE[1]
    with subprocess.Popen(["ffmpeg", "-v", "error", "-i", path, "-map", "0:v", "-vsync", "passthrough", "-enc_time_base", "-1", "-f",
                           "rawvideo", "-pix_fmt", "gray", "-"], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL) as process:
        while data := process.stdout.read(size):
            yield read(Image.frombytes("L", SIZE, data))
    assert process.returncode == 0, path


class Camera:
    """One that is recorded, and what is to be found of it."""
    def __init__(self, name, folder):
        self.name, self.events = name, []
        self.out, self.spool = os.path.join(folder, name), os.path.join(folder, name + "-spool")
        self.server = scene("{}x{}".format(*SIZE), FPS)

    def pipeline(self):
        return (f"rtspsrc location={self.server.uri} protocols=tcp latency=200 add-reference-timestamp-meta=true ! rtph264depay ! "
                f"h264parse ! h264timestamper ! identity name={self.name} ! {ELEMENT.format(self.out)} mode=both "
                f"events={self.spool}#{self.name} before={BEFORE}000000000 after={AFTER}000000000")

    def happen(self, done, end):
        """Tells of events, as another process does, until the end comes near."""
        chance = random.Random(self.name)
        # From when on there are five seconds before one.
        pause = BEFORE + 5
        while time.monotonic() + pause < end - AFTER and not done.wait(pause):
            self.events.append(now())
            tell(self.spool, stream=self.name)
            pause = chance.expovariate(1 / EVERY)

    def files(self, clips):
        return sorted(os.path.join(self.out, name) for name in os.listdir(self.out)
                      if name.endswith(".mp4") and name.endswith("_clip.mp4") == clips)

    def check(self, n_reached):
        """Returns a line of the table, and what is wrong."""
        wrong, clips = [], []
        files = self.files(False)
        numbers = [stamp and stamp[0] for path in files for stamp in stamps(path)]
        steps = [since(b, a) for a, b in zip(numbers, numbers[1:]) if None not in (a, b)]
        if None in numbers:
            wrong.append(f"{numbers.count(None)} pictures are damaged")
        if len(numbers) != n_reached:
            wrong.append(f"{n_reached} frames reached the recorder, {len(numbers)} are in its files")
        if min(steps) < 1:
            wrong.append("a frame is there twice, or before an earlier one")
        for path in self.files(True):
            part = list(stamps(path))
            begin = numbers.index(part[0][0]) if part and part[0] and part[0][0] in numbers else len(numbers)
            if not packets(path)[0][3]:
                wrong.append(f"{path} does not begin with a key frame")
            if [stamp and stamp[0] for stamp in part] != numbers[begin:begin + len(part)]:
                wrong.append(f"{path} is not as the continuous recording")
            else:
                clips.append((part[0][1], part[-1][1]))
        least = BEFORE * 1000
        margins = [max((since(at, first) for first, last in clips if since(at, first) >= least and since(last, at) >= 0),
                       default=None) for at in self.events]
        if None in margins:
            wrong.append(f"{margins.count(None)} of {len(margins)} events have no clip from {BEFORE} s before")
        margins = [margin / 1000 for margin in margins if margin is not None]
        # What never reached it was left out by the camera, which does not wait either.
        line = (f"{self.name:>6} {len(files):6} {n_reached:8} {n_reached - len(numbers):5} {sum(steps) - len(steps):8} "
                f"{len(self.events):7} {len(clips):6} {min(margins, default=0):9.2f} {max(margins, default=0):5.2f}")
        return line, wrong


def rss(pid):
    """MiB."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1]) / 1024


def soak(build, env, folder, options):
    cameras = [Camera(chr(ord("a") + number), folder) for number in range(options.cameras)]
    reached, done, threads = [], threading.Event(), []
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(options.busy)]
    try:
        with subprocess.Popen([os.path.join(build, "tests/record/arrivals"), " ".join(camera.pipeline() for camera in cameras)],
                              env=env, stdout=subprocess.PIPE) as process:
            threads.append(threading.Thread(target=lambda: reached.append(process.stdout.read())))
            threads[0].start()
            begin = time.monotonic()
            end = begin + options.minutes * 60
            for camera in cameras:
                threads.append(threading.Thread(target=camera.happen, args=(done, end)))
                threads[-1].start()
            time.sleep((end - begin) / 5)
            early = rss(process.pid)
            while time.monotonic() < end and process.poll() is None:
                time.sleep(min(1, max(0, end - time.monotonic())))
            late = rss(process.pid)
            process.send_signal(signal.SIGINT)
            process.wait()
    finally:
        done.set()
        for one in busy:
            one.kill()
            one.wait()
        for thread in threads:
            thread.join()
        for camera in cameras:
            camera.server.kill()
    wrong = [] if process.returncode == 0 else [f"the recorder ended with {process.returncode}"]
    print(f"{'camera':>6} {'files':>6} {'reached':>8} {'lost':>5} {'skipped':>8} {'events':>7} {'clips':>6} "
          f"{'s before: least':>15} {'most':>5}".replace("s before: least", "before, s"))
    for camera in cameras:
        line, more = camera.check(reached[0].count(camera.name.encode()))
        print(line, flush=True)
        wrong += [f"{camera.name}: {one}" for one in more]
    print(f"memory of the recorder: {early:.1f} MiB after {options.minutes / 5:g} minutes, {late:.1f} MiB at the end "
          f"({late / early - 1:+.1%})")
    if late > early * GROWTH:
        wrong.append("its memory grew")
    return wrong


def measure(env, folder, options):
    """CPU seconds for a minute of all streams."""
    short, film = os.path.join(folder, "short.mp4"), os.path.join(folder, "film.mp4")
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"testsrc2=size=1280x720:rate={FPS}:duration=10", *H264, "-preset",
                    "veryfast", "-b:v", "4M", "-pix_fmt", "yuv420p", short], check=True)
    subprocess.run(["ffmpeg", "-v", "error", "-stream_loop", str(round(options.minutes * 6) - 1), "-i", short, "-c", "copy", film],
                   check=True)
    # The registry of plugins is made by whoever comes first.
    subprocess.run(["gst-inspect-1.0", "yolov10record"], env=env, check=True, stdout=subprocess.DEVNULL)
    costs = {name: [] for name in RECORDERS}
    for _ in range(options.cpu):
        for name, recorder in RECORDERS.items():
            chains = []
            for number in range(options.cameras):
                out = os.path.join(folder, f"out{number}")
                os.makedirs(out)
                chains.append(f"filesrc location={film} ! qtdemux ! h264parse ! identity sync=true ! {recorder.format(out)}")
            with subprocess.Popen(["gst-launch-1.0", "-q", *" ".join(chains).split()], env=env) as process:
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
            assert process.returncode == 0, name
            costs[name].append((usage.ru_utime + usage.ru_stime) / options.minutes)
            for number in range(options.cameras):
                shutil.rmtree(os.path.join(folder, f"out{number}"))
    nothing = statistics.median(costs["fakesink"])
    ours = statistics.median(costs["yolov10record"])
    print(f"{options.cameras} streams of 4 Mbit/s, {options.cpu} rounds\n"
          f"{'':24} {'CPU s a minute':>14} {'least':>6} {'most':>6} {'without fakesink':>17} {'yolov10record by it':>20}")
    for name, found in costs.items():
        alone = statistics.median(found) - nothing
        print(f"{name:24} {statistics.median(found):14.2f} {min(found):6.2f} {max(found):6.2f} {alone:17.2f} "
              f"{ours / statistics.median(found):20.2f}")
    return []


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build")
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--cameras", type=int, default=4)
    parser.add_argument("--busy", type=int, default=2)
    parser.add_argument("--cpu", type=int)
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    options.minutes = options.minutes or (1 if options.cpu else 30)
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "GST_PLUGIN_PATH_1_0": os.path.join(options.build, "gst"),
               "GST_REGISTRY": os.path.join(folder, "registry")}
        if options.cpu:
            wrong = measure(env, folder, options)
        elif no_rtsp():
            skip(no_rtsp())
        else:
            wrong = soak(options.build, env, folder, options)
    for line in wrong:
        print("WRONG:", line)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
