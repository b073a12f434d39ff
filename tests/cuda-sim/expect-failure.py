#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Runs a program whose protection is switched off, in several orders of work.
Every run must fail, and the output of at least one must match PATTERN: a run may
crash before it prints anything, so up to MAX_ORDERS more are made until one does.

usage: expect-failure.py PATTERN PROGRAM [ARGUMENT...]
"""
import os
import re
import subprocess
import sys

MIN_ORDERS, MAX_ORDERS = 5, 40


def main():
    pattern, command = sys.argv[1], sys.argv[2:]
    said = unnoticed = seed = 0
    while seed < MIN_ORDERS or (seed < MAX_ORDERS and not said):
        env = dict(os.environ, Y10_SIM_SEED=str(seed), Y10_SIM_EXIT="0")
        done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", check=False)
        found = re.search(f".*({pattern}).*", done.stdout)
        if done.returncode in (77, 127):
            print(done.stdout)
            return done.returncode
        unnoticed += done.returncode == 0
        said += bool(found)
        print(f"order {seed}: exit status {done.returncode}, {found.group(0) if found else 'no match'}")
        seed += 1
    if unnoticed or not said:
        print(f"NOT NOTICED: {unnoticed} of {seed} runs succeeded, {said} printed a match")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
