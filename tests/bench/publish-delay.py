#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""What yolov10publish costs four live streams: the longest time that a frame spent in it, and the age
of the oldest frame behind it, with the broker there, away and hanging, on a disk that syncs in 200 ms,
and with pictures of events.

usage: tests/bench/publish-delay.py [--build DIR] [--seconds N] [--streams N] [--fps N]

Prints a table, times in milliseconds. Fails where a frame is missing behind the element, or where lines
that came are neither in the spool nor counted as dropped, or pictures are not those counted; times are not judged. Exits with 77 if
mosquitto is missing.
"""
import argparse
import glob
import json
import os
import signal
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests/publish"))
from broker import Broker, free_port, need_broker  # pylint: disable=wrong-import-position

COLUMNS = ("frames", "events", "in it", "oldest", "accepted", "drop.fr.", "drop.ev.", "acked",
           "pictures", "without", "sync")


def run(options, name, publish, slow=False):
    """Returns what publish-streams prints, and checks that no line is missing."""
    environment = {**os.environ, "GST_PLUGIN_PATH": os.path.join(options.build, "gst")}
    if slow:
        environment["LD_PRELOAD"] = os.path.join(options.build, "tests/bench/libslow-sync.so")
    with tempfile.TemporaryDirectory() as folder:
        words = [os.path.join(options.build, "tests/bench/publish-streams"), "--streams", options.streams,
                 "--seconds", options.seconds, "--fps", options.fps]
        if publish is not None:
            words.append(f"--publish=spool={folder}/spool snapshots={folder}/pictures {publish}"
                         if "pictures" in name else f"--publish=spool={folder}/spool {publish}")
        found = json.loads(subprocess.run(words, env=environment, check=True, text=True,
                                          stdout=subprocess.PIPE).stdout)
        lines = 0
        for path in glob.glob(f"{folder}/spool/0*.jsonl"):
            with open(path, encoding="utf-8") as file:
                lines += sum(bool(json.loads(line)) for line in file)
        pictures = len(glob.glob(f"{folder}/pictures/*.jpg"))
    expected = int(options.streams) * int(options.seconds) * int(options.fps)
    if (found["in"], found["out"]) != (expected, expected):
        sys.exit(f"{name}: {expected} frames were sent, {found['in']} came, {found['out']} left")
    if publish is None:
        return found
    dropped = found["dropped-frames"] + found["dropped-events"]
    if lines != found["accepted"] or lines + dropped != found["in"] + found["events"]:
        sys.exit(f"{name}: of {found['in']} frames and {found['events']} events, {lines} lines are in the "
                 f"spool, {found['accepted']} were accepted and {dropped} dropped")
    # Events of one frame share a picture.
    if found["snapshots"] < pictures or bool(found["snapshots"]) != bool(pictures):
        sys.exit(f"{name}: {found['snapshots']} events have a picture, and there are {pictures}")
    return found


def show(name, found):
    stats = [found.get(key, 0) for key in
             ("accepted", "dropped-frames", "dropped-events", "acknowledged", "snapshots",
              "snapshots-dropped")]
    print(f"{name:34}", *(f"{value:>9}" for value in (
        found["out"], found["events"], found["longest"], found["oldest"], *stats,
        round(found.get("longest-sync", 0) / 1e6, 1))), flush=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--seconds", default="20")
    parser.add_argument("--streams", default="4")
    parser.add_argument("--fps", default="15")
    options = parser.parse_args()
    need_broker()
    with tempfile.TemporaryDirectory() as folder:
        broker = Broker(folder)
        there = f"uri=mqtt://127.0.0.1:{broker.port}/y10"
        print(f"{'':34}", *(f"{name:>9}" for name in COLUMNS))
        try:
            for name, publish, slow in (
                    ("identity instead", None, False),
                    ("no network", "", False),
                    ("broker there", there, False),
                    ("broker away", f"uri=mqtt://127.0.0.1:{free_port()}/y10", False),
                    ("broker there, slow disk", there, True),
                    ("broker there, pictures", there, False),
                    ("broker there, slow disk, pictures", there, True)):
                show(name, run(options, name, publish, slow))
            broker.process.send_signal(signal.SIGSTOP)
            show("broker hanging", run(options, "broker hanging", there))
        finally:
            broker.process.send_signal(signal.SIGCONT)
            broker.close()


if __name__ == "__main__":
    main()
