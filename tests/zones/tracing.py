# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""What the tests of zones share: the program that tells what happens in them, and what it is told."""
import json
import os
import subprocess
import sys
import unittest

TRACE = SEED = None
MS = 10**6
SECOND = 10**9


def run(commands):
    """The output of each command, as lists of lines."""
    done = subprocess.run([TRACE], input="\n".join(commands) + "\n", stdout=subprocess.PIPE, text=True,
                          check=True)
    answers, lines = [], []
    for line in done.stdout.splitlines():
        if line == ".":
            answers.append(lines)
            lines = []
        else:
            lines.append(line)
    return answers


def see(i, x, y, label="person"):
    """An object that stands at x, y."""
    return f"see {i} {x - 0.03125!r} {y - 0.125!r} {x + 0.03125!r} {y!r} {label}"


def new(hysteresis=0, grace=SECOND, dwell=0, limit=0):
    return f"new {hysteresis} {grace} {dwell} {limit}"


def events(commands):
    """All events, as tuples of what decides."""
    found = []
    for answer in run(commands):
        for line in answer:
            assert line.startswith('{"event":"'), line
            event = json.loads(line)
            name = event.get("zone") or event.get("line")
            found.append((event["event"], name, event["timestamp"] // MS, *(
                event[key] // MS if key == "duration" else event[key]
                for key in ("id", "reason", "duration", "direction", "count", "over") if key in event)))
    return found


YARD = "zones yard=0.25,0.25 0.75,0.75"
GATE = "zones gate=0.25,0.5 -> 0.75,0.5"


def main(doc):
    """Runs the tests of the program; its arguments are the program that traces, and a seed."""
    global TRACE, SEED
    if len(sys.argv) < 2:
        sys.exit(doc)
    TRACE = os.path.abspath(sys.argv.pop(1))
    SEED = int(sys.argv.pop(1)) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 0
    unittest.main()
