#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Counts the results in Meson's test logs.

usage: count.py [--passed=N] [--failed=N] [--slowest=N] testlog.json…

Lists failed tests with the end of their output, and skipped tests with the
reason, then ends with one line,
"N passed, N failed, N skipped", over all the logs. --passed and --failed
add what is in no log, such as builds. --slowest lists the N tests that took the
longest, and how long all of them took one after the other. Exit status 0 only
when something passed and nothing failed.
"""
import json
import re
import sys

PASSED = {"OK", "EXPECTEDFAIL"}
SKIPPED = {"SKIP", "IGNORED"}
# Lines of a failed test's output, each stream apart: enough for a failed assertion
# behind other messages, or a sanitizer's report.
N_LINES = 25


def lines_of(test, stream):
    return [line.strip() for line in test.get(stream, "").splitlines() if line.strip()]


def output(test):
    return lines_of(test, "stdout") + lines_of(test, "stderr")


def skip_reason(test):
    """The line that says why, which those of a test library may follow, else the last one."""
    said = [line for line in output(test) if re.match("skip(ped)?:", line, re.I)] \
        or output(test) or ["no output"]
    return re.sub("^skip(ped)?: *", "", said[-1], flags=re.I)


def main():
    passed, failed, skipped, slowest, durations = 0, 0, 0, 0, []
    for argument in sys.argv[1:]:
        if argument.startswith("--passed="):
            passed += int(argument.split("=")[1])
            continue
        if argument.startswith("--failed="):
            failed += int(argument.split("=")[1])
            continue
        if argument.startswith("--slowest="):
            slowest = int(argument.split("=")[1])
            continue
        with open(argument, encoding="utf-8") as log:
            for line in log:
                test = json.loads(line)
                durations.append((test.get("duration", 0), test["name"]))
                if test["result"] in PASSED:
                    passed += 1
                elif test["result"] in SKIPPED:
                    skipped += 1
                    print(f"skipped: {test['name']}: {skip_reason(test)}")
                else:
                    failed += 1
                    print(f"failed: {test['name']}: {test['result']}")
                    for stream in ("stdout", "stderr"):
                        for line in lines_of(test, stream)[-N_LINES:]:
                            print(f"  {line}")
    if slowest and durations:
        print(f"{sum(seconds for seconds, _ in durations):.0f} s of tests; the slowest:")
        for seconds, name in sorted(durations, reverse=True)[:slowest]:
            print(f"{seconds:7.1f} s  {name}")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
