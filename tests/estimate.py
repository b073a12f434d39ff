#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Estimates how long tests will take, from their earlier durations in this build.

usage: meson test -C BUILD --list … | estimate.py before BUILD
       estimate.py after BUILD

"before" reads the names of the tests that will run and prints one line. "after" saves the
durations of Meson's logs in BUILD/test-durations.json. The exit status is 0 even without earlier
durations.
"""
import json
import os
import sys

# The default for a machine without durations: seconds of an average test of a whole run on one
# core of a server of 2023, 662 s for 164 tests.
USUAL = 4.0
RESULTS = ("OK", "EXPECTEDFAIL", "FAIL", "UNEXPECTEDPASS")
# What tests/run.sh writes.
LOGS = ("testlog.json", "waits.json")


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def durations_of(build):
    try:
        known = json.loads(read(os.path.join(build, "test-durations.json")) or "{}")
        return {name: float(seconds) for name, seconds in known.items()}
    except (ValueError, AttributeError, TypeError):
        return {}  # not written by this script; it will be replaced


def words(seconds):
    if seconds < 90:
        return f"about {max(10, -(-int(seconds) // 10) * 10)} s"
    return f"about {-(-int(seconds) // 60)} min"


def before(build):
    names = [line.strip() for line in sys.stdin if " / " in line]
    cores = len(os.sched_getaffinity(0))
    # Meson's own variable; more than there are cores where some tests wait.
    at_once = max(1, int(os.environ.get("MESON_TESTTHREADS") or cores))
    known = durations_of(build)
    have = [known[name] for name in names if name in known]
    missing = len(names) - len(have)
    if not names:
        return
    # A new test counts as the average of the others.
    each = sum(have) / len(have) if have else USUAL
    tests = json.loads(read(os.path.join(build, "meson-info/intro-tests.json")) or "[]")

    def sum_of(which):
        those = {test["name"] for test in tests if which(test)}
        return sum(known.get(name, each) for name in names if name.rsplit(" / ", 1)[-1] in those)

    alone = sum_of(lambda test: not test["is_parallel"])
    # tests/run.sh starts three times as many of these as there are cores.
    waits = sum_of(lambda test: test["is_parallel"]
                   and any(suite.endswith(":waits") for suite in test["suite"]))
    total = sum(have) + missing * each
    seconds = alone + waits / (3 * cores) + (total - alone - waits) / at_once
    if missing * 2 > len(names):
        why = "if nothing else runs; the first run shows how long they take here"
    else:
        why = "as long as they took last time"
    print(f"{len(names)} tests on {cores} cores: {words(seconds)}, {why}", flush=True)


def after(build):
    known = durations_of(build)
    for log in LOGS:
        for line in read(os.path.join(build, "meson-logs", log)).splitlines():
            test = json.loads(line)
            if test["result"] in RESULTS:
                known[test["name"]] = round(test["duration"], 2)
    path = os.path.join(build, "test-durations.json")
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(known, file, indent=0, sort_keys=True)
    os.replace(path + ".new", path)


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("before", "after"):
        sys.exit(__doc__)
    {"before": before, "after": after}[sys.argv[1]](sys.argv[2])
