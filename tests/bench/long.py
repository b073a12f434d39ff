#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Measures memory and speed over an hour of video at full speed: the resident memory
after the first minute of video and at the end, and the time for a thousand frames at
the beginning and at the end.

usage: long.py MODEL --labels FILE [--minutes N]     see long.sh
"""
import argparse
import sys
import time

try:
    import gi
    gi.require_version("Gst", "1.0")
    from gi.repository import Gst
except (ImportError, ValueError) as why:
    print("SKIP: GStreamer for Python:", why)
    sys.exit(77)

FPS = 30
MOST_GROWTH = 2048              # KiB


def resident():
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("--labels")
    parser.add_argument("--minutes", type=float, default=60)
    args = parser.parse_args()
    Gst.init(None)
    n_frames = int(args.minutes * 60 * FPS)
    pipeline = Gst.parse_launch(
        f"videotestsrc num-buffers={n_frames} pattern=ball ! video/x-raw,format=NV12,width=320,"
        f"height=240,framerate={FPS}/1 ! yolov10detect name=detector model-file={args.model} "
        f"label-file={args.labels} input-size=96 confidence=0.1 threads=1 backend=cpu "
        "post-messages=false ! fakesink")
    detector = pipeline.get_by_name("detector")
    bus = pipeline.get_bus()
    began = time.monotonic()
    pipeline.set_state(Gst.State.PLAYING)
    # Long enough for two samples on any machine.
    first_minute = min(60 * FPS, n_frames // 4)
    samples = []                # (frames, seconds, KiB)
    printed = 0
    while True:
        message = bus.timed_pop_filtered(100 * Gst.MSECOND,
                                         Gst.MessageType.EOS | Gst.MessageType.ERROR)
        frames = detector.props.stats.get_uint64("inferred").value
        samples.append((frames, time.monotonic() - began, resident()))
        if frames >= printed + n_frames // 6 or message:
            printed = frames
            print(f"{frames / FPS / 60:6.1f} minutes of video: {samples[-1][2]} KiB "
                  f"after {samples[-1][1]:.0f} s", flush=True)
        if message and message.type == Gst.MessageType.ERROR:
            print("FAIL:", message.parse_error()[0].message)
            return 1
        if message:
            break
    pipeline.set_state(Gst.State.NULL)
    early = next(s for s in samples if s[0] >= first_minute)
    late = samples[-1]
    growth = late[2] - early[2]
    # The same number of frames at both ends.
    before = next(s for s in samples if s[0] >= 2 * first_minute)
    after = next(s for s in samples if s[0] >= n_frames - first_minute)
    speed = [(b[0] - a[0]) / max(b[1] - a[1], 1e-3) for a, b in ((early, before), (after, late))]
    print(f"resident after {early[0]} frames {early[2]} KiB, after {late[0]} {late[2]} KiB: "
          f"{growth:+d} KiB")
    print(f"frames a second: {speed[0]:.0f} at first, {speed[1]:.0f} at last")
    ok = late[0] == n_frames and growth <= MOST_GROWTH
    print("PASS" if ok else "FAIL")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
