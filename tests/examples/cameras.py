#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Eight RTSP cameras that fail in eight ways, watched by examples/cameras.c.

Each camera is a process (server.py) that stamps numbers into its pictures. The
program's --sink writes one pixel per block of each frame that leaves the
detector, from which this script reads the numbers. Faults overlap: during a
fault, the cameras without one must not miss a frame.

usage: cameras.py --program FILE --picture FILE [--work DIR] [--reconnects N]

Afterwards it cuts the connections of four cameras repeatedly and measures the
resident memory; --reconnects runs only this part, with N reconnections in total.
"""
import argparse
import contextlib
import glob
import json
import os
import signal
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../common"))
import programs                 # noqa: E402
import stamp                    # noqa: E402
from proxy import Proxy         # noqa: E402

BACK = 10                       # seconds within which a camera must be back
PATIENCE = 60                   # until a test gives up waiting
HOUR = 3600 * 90000             # of RTP's clock for video
# KiB, of a process of some 100 MiB. On a busy machine frames pile up in queues, and those of eight
# cameras have room for many.
MOST_GROWTH = 32 << 10
# Growth over the last two thirds of the reconnections. A pipeline that is stopped but not freed
# leaks 140 KiB each time.
MOST_GROWTH_RECONNECTING = 12 << 10
RECONNECTS = 240
STRIP = ("videoscale method=nearest-neighbour ! videoconvert ! video/x-raw,format=GRAY8,"
         f"width={stamp.COLUMNS},height={stamp.ROWS} ! "
         "filesink buffer-mode=unbuffered append=true location={name}.strip")
CODECS = {"stalled": "h265", "late": "jpeg"}


class Server(programs.Program):
    """A camera's server process."""

    def __init__(self, name, picture, t0):
        super().__init__()
        self.port = programs.free_port()
        self.log = open(f"{name}.server", "w", encoding="utf-8")
        self.command = [sys.executable, os.path.join(HERE, "server.py"), "--port",
                        str(self.port), "--t0", str(t0), "--picture", picture,
                        "--codec", CODECS.get(name, "h264")]

    def start(self):
        """Starts it and returns the time at which it listens."""
        self.run(*self.command, stdin=subprocess.PIPE, stderr=self.log)
        if self.line() != "ready":
            raise RuntimeError(f"no server: see {self.log.name}")
        return time.monotonic()


class Program(programs.Program):
    """The program under test and its output, with the time at which each line was read."""

    def __init__(self, command):
        self.errors = open("program.errors", "w+", encoding="utf-8")
        self.changed = threading.Condition()
        self.states = []        # (time, camera, state, reason)
        self.frames = {}        # camera: [(time, resolution, labels)]
        self.stills = []        # (camera, path)
        self.lines = open("program.lines", "w", encoding="utf-8")
        # Threads come and go with pipelines. Each uses one of glibc's heaps, and free memory of
        # one heap is of no use to the others: with a single heap the resident size shows the
        # memory in use.
        super().__init__(*command, stdin=subprocess.PIPE, stderr=self.errors,
                         env={**os.environ, "MALLOC_ARENA_MAX": "1"})
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for text in self.process.stdout:
            now = time.monotonic()
            line = json.loads(text)
            self.lines.write(f"{now:.3f} {text}")
            with self.changed:
                if "state" in line:
                    self.states.append((now, line["camera"], line["state"], line.get("reason")))
                elif "still" in line:
                    self.stills.append((line["camera"], line["still"]))
                elif "source" in line:
                    size = line["resolution"]
                    self.frames.setdefault(line["source"], []).append(
                        (now, (size["width"], size["height"]),
                         [o["detection"]["label"] for o in line["objects"]]))
                else:
                    raise ValueError(text)
                self.changed.notify_all()

    def wait_for(self, what, found, limit=PATIENCE):
        """Waits until found() returns something other than None."""
        with self.changed:
            self.changed.wait_for(lambda: found() is not None, limit)
            result = found()
        if result is None:
            raise TimeoutError(f"{what}: not within {limit} s")
        return result

    def wait_state(self, camera, state, since, limit=PATIENCE):
        """Waits for a camera's state after a time and returns when it was printed."""
        return self.wait_for(f"{camera} {state}", lambda: next(
            (t for t, c, s, _ in self.states if c == camera and s == state and t >= since),
            None), limit)

    def wait_size(self, camera, size, since):
        return self.wait_for(f"{camera} {size}", lambda: next(
            (t for t, s, _ in self.frames.get(camera, ()) if s == size and t >= since), None))

    def resident(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:"))

    def longest_silence(self, camera, begin, end):
        with self.changed:
            times = [t for t, *_ in self.frames[camera] if begin <= t <= end]
        times = [begin, *times, end]
        return max(b - a for a, b in zip(times, times[1:]))


class Strips(threading.Thread):
    """Reads the numbers of the frames that leave the detector, and their times, from the files
    that the program writes."""
    SIZE = stamp.COLUMNS * stamp.ROWS

    def __init__(self, names):
        super().__init__(daemon=True)
        self.seen = {name: [] for name in names}        # [(time, number or None)]

    def run(self):
        while True:
            now = time.monotonic()
            for name, seen in self.seen.items():
                with contextlib.suppress(FileNotFoundError), open(f"{name}.strip", "rb") as file:
                    file.seek(len(seen) * self.SIZE)
                    data = file.read()
                    seen += [(now, stamp.read(data[i:i + self.SIZE])) for i in
                             range(0, len(data) - self.SIZE + 1, self.SIZE)]
            time.sleep(0.05)

    def wait(self, name, number):
        """Waits until a frame with that number or a later one is out."""
        end = time.monotonic() + PATIENCE
        while not any(n is not None and n >= number for _, n in self.seen[name][-20:]):
            if time.monotonic() > end:
                raise TimeoutError(f"{name}: no frame {number} within {PATIENCE} s")
            time.sleep(0.1)

    def missing(self, name, since, until):
        """[(time, number of frames)] of the gaps, each at the time of the frame after it."""
        holes = []
        last = None
        for when, number in list(self.seen[name]):
            if when > until:
                break
            if number is None:
                continue
            if last is not None and number > last + 1 and when >= since:
                holes.append((when, number - last - 1))
            last = number
        return holes

    def count(self, name):
        return sum(number is not None for _, number in self.seen[name])


class Fault:
    """A fault of one camera, on a separate thread. result: the text to print; window: the time in
    which its own frames may be missing."""

    def __init__(self, name, act):
        self.name, self.act = name, act
        self.window = self.result = None
        self.ok = False
        self.thread = threading.Thread(target=self.run, daemon=True)

    def run(self):
        begin = time.monotonic()
        try:
            end, self.ok, self.result = self.act(begin)
        except (TimeoutError, RuntimeError, OSError) as error:
            end, self.result = time.monotonic(), str(error)
        # A gap shows with the next frame, which may have come up to 50 ms before it is read.
        self.window = begin, end + 0.5


class Test:
    """The servers, the program and the test's output."""

    def __init__(self):
        self.servers, self.program, self.failed = {}, None, 0

    def say(self, ok, text):
        self.failed += not ok
        print("PASS" if ok else "FAIL", text, flush=True)

    def clean(self):
        for program in (*self.servers.values(), self.program):
            if program and program.process:
                program.kill()


class Faults(Test):
    def __init__(self, args):
        super().__init__()
        self.t0 = time.monotonic()
        names = ("control", "killed", "cut", "resized", "stalled", "lossy", "jumped", "late")
        self.servers = {name: Server(name, args.picture, self.t0) for name in names}
        self.proxies = {name: Proxy(self.servers[name].port) for name in ("cut", "jumped")}
        self.uris = {}
        for name, server in self.servers.items():
            port = self.proxies[name].port if name in self.proxies else server.port
            # The server needs no password; the program must not print this one.
            user = "user:secret@" if name == "killed" else ""
            self.uris[name] = f"rtsp://{user}127.0.0.1:{port}/camera"
        self.command = [args.program, "--interval", "10", "--classes", "qr-code",
                        "--still", "stills", "--still-pause", "5", "--sink", STRIP]
        self.strips = Strips(self.servers)

    def number_now(self):
        return int((time.monotonic() - self.t0) * stamp.FPS)

    # The faults. Each returns its end, whether the camera recovered, and a text.

    def back(self, name, lost, begin, returned):
        back = self.program.wait_state(name, "connected", returned)
        return back, back - returned <= BACK, (
            f"lost after {lost - begin:.1f} s, back {back - returned:.1f} s after its server")

    def killed(self, begin):
        server = self.servers["killed"]
        server.kill()
        lost = self.program.wait_state("killed", "lost", begin)
        time.sleep(max(0, begin + 4 - time.monotonic()))
        return self.back("killed", lost, begin, server.start())

    def cut(self, begin):
        self.proxies["cut"].leave()
        lost = self.program.wait_state("cut", "lost", begin)
        time.sleep(max(0, begin + 3 - time.monotonic()))
        returned = time.monotonic()
        self.proxies["cut"].listen()
        end, ok, text = self.back("cut", lost, begin, returned)
        return end, ok and self.proxies["cut"].cuts == 1, text

    def stalled(self, begin):
        process = self.servers["stalled"].process
        process.send_signal(signal.SIGSTOP)
        try:
            lost = self.program.wait_state("stalled", "lost", begin, 19)
            time.sleep(max(0, begin + 20 - time.monotonic()))
        finally:
            process.send_signal(signal.SIGCONT)
        return self.back("stalled", lost, begin, time.monotonic())

    def late(self, begin):
        self.program.wait_state("late", "retry", begin)
        time.sleep(6)
        returned = self.servers["late"].start()
        back = self.program.wait_state("late", "connected", returned)
        return back, back - returned <= BACK, f"there {back - returned:.1f} s after its server"

    def resized(self, begin):
        self.servers["resized"].tell("size 640 480")
        seen = self.program.wait_size("resized", (640, 480), begin)
        return seen, seen - begin <= BACK, f"640x480 after {seen - begin:.1f} s"

    def going_on(self, name, begin, seconds):
        """Ten seconds later frames come again, whether the connection was lost or not."""
        time.sleep(seconds)
        end = time.monotonic()
        silence = self.program.longest_silence(name, begin, end)
        with self.program.changed:
            lost = sum(c == name and s == "lost" and t >= begin
                       for t, c, s, _ in self.program.states)
        return end, silence <= BACK, (
            f"lost {lost} times, longest silence {silence:.1f} s")

    def lossy(self, begin):
        self.servers["lossy"].tell("loss 0.05")
        _, ok, text = self.going_on("lossy", begin, 12)
        self.servers["lossy"].tell("loss 0")
        # Losses are visible until the next keyframe, a second later.
        self.strips.wait("lossy", self.number_now() + 3 * stamp.FPS)
        return time.monotonic(), ok, text

    def jumped(self, begin):
        self.proxies["jumped"].jump = 3 * HOUR
        self.going_on("jumped", begin, BACK)
        self.proxies["jumped"].jump = -3 * HOUR
        end, ok, text = self.going_on("jumped", begin, BACK)
        return end, ok and self.proxies["jumped"].jumps == 2, text

    # The verdict.

    def judge(self, faults, begin, end):
        holes = {name: self.strips.missing(name, begin, end) for name in self.servers}
        windows = {fault.name: fault.window for fault in faults}

        def own(name, t):
            return name in windows and windows[name][0] <= t <= windows[name][1]

        for fault in faults:
            first, last = fault.window
            others = {name: n for name, found in holes.items() if name != fault.name
                      and (n := sum(k for t, k in found
                                    if first <= t <= last and not own(name, t)))}
            mine = sum(k for t, k in holes[fault.name] if own(fault.name, t))
            ok = fault.ok and not others
            if fault.name == "lossy" and not mine:
                ok, fault.result = False, fault.result + "; no packet was lost"
            self.say(ok, f"{fault.name}: {fault.result}; its own frames missing: {mine}, of "
                     f"others: {sum(others.values())} {others or ''}")
        stray = {name: n for name, found in holes.items()
                 if (n := sum(k for t, k in found if not own(name, t)))}
        count = self.strips.count("control")
        self.say(not stray and count > 100, f"control: {count} frames; missing at times "
                 f"without a fault, all cameras: {sum(stray.values())} {stray or ''}")

    def judge_lines(self):
        with self.program.changed:
            labels = {label for frames in self.program.frames.values()
                      for *_, found in frames for label in found}
            empty = [name for name, frames in self.program.frames.items()
                     if not any(found for *_, found in frames)]
            stills = list(self.program.stills)
        self.say(labels == {"qr-code"} and not empty,
                 f"detections: {labels}" + (f", none by {empty}" if empty else ""))
        latest = dict(stills)
        drawn = [name for name, path in latest.items() if is_drawn_on(path)]
        self.say(set(drawn) == set(self.servers),
                 f"stills: {len(stills)} of {len(latest)} cameras, boxes drawn on the latest of "
                 f"{len(drawn)}")

    def come_and_go(self):
        program, now = self.program, time.monotonic()
        program.tell("remove late")
        program.wait_state("late", "removed", now)
        time.sleep(2)
        with program.changed:
            after = len(program.frames["late"])
        program.tell(f"add late {self.uris['late']}")
        back = program.wait_state("late", "connected", now)
        first = program.wait_for("a frame of late", lambda: next(
            (t for t, *_ in program.frames["late"][after:]), None))
        self.say(first >= now + 2 and back - now - 2 <= BACK,
                 f"late is removed, and {back - now - 2:.1f} s after it was added again there")

    def leave(self):
        self.program.process.send_signal(signal.SIGTERM)
        began = time.monotonic()
        status = self.program.process.wait(PATIENCE)
        self.program.errors.seek(0)
        errors = self.program.errors.read()
        secret = "secret" in errors or any(
            "secret" in str(reason) for *_, reason in self.program.states)
        parts = glob.glob("stills/*.part")
        self.say(status == 0 and not secret and not parts,
                 f"the program ends {time.monotonic() - began:.1f} s after SIGTERM, exit status "
                 f"{status}, stills left unfinished {len(parts)}, password "
                 f"{'' if secret else 'not '}printed")
        if errors.strip():
            print(errors.strip())

    def run(self):
        os.mkdir("stills")
        for name, server in self.servers.items():
            if name != "late":
                server.start()
        began = time.monotonic()
        self.program = Program(self.command + [
            f"{name}={uri}" for name, uri in self.uris.items()])
        for name in self.servers:
            if name != "late":
                self.program.wait_state(name, "connected", began)
        self.strips.start()
        # At first they may lag, because all start at the same time.
        for name in self.servers:
            if name != "late":
                self.strips.wait(name, self.number_now() - stamp.FPS)
        begin = time.monotonic()
        late = Fault("late", self.late)
        late.run()
        time.sleep(3)
        before = self.program.resident()
        faults = [Fault(name, getattr(self, name)) for name in
                  ("killed", "cut", "stalled", "resized", "lossy", "jumped")]
        for fault in faults:
            fault.thread.start()
            time.sleep(1)
        for fault in faults:
            fault.thread.join()
        end = time.monotonic() + 2
        time.sleep(4)
        after = self.program.resident()
        self.judge([late, *faults], begin, end)
        self.judge_lines()
        self.say(after - before <= MOST_GROWTH, f"resident before {before} KiB, after {after} KiB: "
                 f"{after - before:+d} KiB, at most {MOST_GROWTH}")
        self.come_and_go()
        self.leave()


def is_drawn_on(path):
    """Whether a JPEG of a gray camera has colours, which only drawn boxes have."""
    out = subprocess.run(
        ["gst-launch-1.0", "-q", "filesrc", f"location={path}", "!", "jpegdec", "!",
         "videoconvert", "!", "video/x-raw,format=Y444", "!", "fdsink"],
        capture_output=True, check=False).stdout
    chroma = out[len(out) // 3:]
    return sum(abs(c - 128) > 40 for c in chroma) > 500


class Reconnects(Test):
    """Cuts the cameras' connections as soon as they are established, again and again. The first
    third, in which allocators and threads reach their usual size, does not count."""
    CAMERAS = 4

    def __init__(self, args):
        super().__init__()
        self.n_reconnects = args.reconnects
        self.server = self.servers["camera"] = Server("camera", args.picture, time.monotonic())
        self.proxies = {f"camera-{i}": Proxy(self.server.port) for i in range(self.CAMERAS)}
        self.command = [args.program, "--interval", "10", "--most-pause", "0.1",
                        "--timeout", "30"] + [
            f"{name}=rtsp://127.0.0.1:{proxy.port}/camera" for name, proxy in self.proxies.items()]
        self.n_connected = self.n_read = 0

    def reached(self, n):
        """The resident size after so many connections."""
        states = self.program.states
        while self.n_connected < n:
            self.program.wait_for("a connection", lambda: len(states) > self.n_read or None)
            _, name, state, _ = states[self.n_read]
            self.n_read += 1
            if state == "connected":
                self.n_connected += 1
                self.proxies[name].cut()
        return self.program.resident()

    def run(self):
        self.server.start()
        self.program = Program(self.command)
        samples = [self.reached(self.n_reconnects * i // 6) for i in range(2, 7)]
        growth = samples[-1] - samples[0]
        self.say(growth <= MOST_GROWTH_RECONNECTING,
                 f"{self.n_connected} connections, all but the last few cut: resident "
                 f"{' '.join(map(str, samples))} KiB, {growth:+d} KiB, at most "
                 f"{MOST_GROWTH_RECONNECTING}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--picture", required=True)
    parser.add_argument("--work", default=".")
    parser.add_argument("--reconnects", type=int)
    args = parser.parse_args()
    os.chdir(args.work)
    tests = [Reconnects] if args.reconnects else [Faults, Reconnects]
    args.reconnects = args.reconnects or RECONNECTS
    failed = 0
    for make in tests:
        test = make(args)
        try:
            test.run()
        except (TimeoutError, RuntimeError) as error:
            test.say(False, str(error))
        finally:
            test.clean()
        failed += test.failed
    print(f"{failed} failed" if failed else "all passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
