#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Runs a program in which something was taken out, in five orders of work: it
has to fail in all of them, and to say in at least one what went wrong, by a
pattern. Others may fall to pieces before they can say anything.

usage: expect-failure.py PATTERN PROGRAM [ARGUMENT...]
"""
import os
import re
import subprocess
import sys

ORDERS = 5


def main():
    pattern, command = sys.argv[1], sys.argv[2:]
    said = unnoticed = 0
    for seed in range(ORDERS):
        env = dict(os.environ, Y10_SIM_SEED=str(seed), Y10_SIM_EXIT="0")
        done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", check=False)
        found = re.search(f".*({pattern}).*", done.stdout)
        if done.returncode in (77, 127):
            print(done.stdout)
            return done.returncode
        unnoticed += done.returncode == 0
        said += bool(found)
        print(f"order {seed}: exit status {done.returncode}, {found.group(0) if found else 'no word'}")
    if unnoticed or not said:
        print(f"NOT NOTICED: {unnoticed} of {ORDERS} went well, {said} said what was wrong")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
