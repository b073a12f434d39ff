# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Runs `y10 info` on a file: exit status, message, MB."""

import os
import subprocess
import sys

SANITIZED = os.environ.get("Y10_TEST_SANITIZED") == "1"

# Runs from a small separate process: the peak memory of a process includes the
# time before exec(), when it was a copy of its parent. What takes far longer than any
# file may, by the CPU's time, is killed. A sanitizer's shadow memory exceeds the limit.
RUN = """
import os, resource, sys
read, write = os.pipe()
pid = os.fork()
if pid == 0:
    os.dup2(write, 2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    if sys.argv[1] == "limited":
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
        resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
    os.execv(sys.argv[2], sys.argv[2:])
os.close(write)
message = b""
while data := os.read(read, 65536):
    message += data
_, status, usage = os.wait4(pid, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss / 1024)
sys.stdout.flush()
os.write(1, message)
"""


def measure(y10, path):
    command = [sys.executable, "-S", "-c", RUN, "free" if SANITIZED else "limited", y10, "info",
               str(path)]
    output = subprocess.run(command, capture_output=True, text=True, errors="replace",
                            check=True).stdout
    first, message = output.split("\n", 1)
    status, mb = first.split()
    return int(status), message, float(mb)
