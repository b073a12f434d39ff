# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""The tasks of an archive: each runs y10 once, on any node, any number of times.

Ray sends this module's functions to workers that may not have the package, so it imports nothing
of it. Tasks return plain data and raise nothing that they expect."""
import dataclasses
import json
import os
import socket
import subprocess
import time

#: Times that y10 is started for a task if a signal killed it, for example because memory ran out.
KILLED_TRIES = 3
#: Exit statuses of y10 with which every task would fail: a wrong command line, a model that does
#: not load; and those of setpriv and env for a command that cannot be run.
WRONG_STATUSES = (2, 3, 126, 127)


@dataclasses.dataclass(frozen=True)
class Job:
    """What all tasks of a run have in common."""
    y10: str
    store: str
    options: tuple  # of y10 detect
    folder: str  # working directory: paths may be relative to it
    environment: dict  # variables of the driver that change results
    limit: float  # seconds that a task may take


class Wrong(Exception):
    """The command line, the model or the installation is wrong, so that every task would fail."""


def run_y10(job, arguments, text=""):
    """Returns (lines of stdout, stderr). Raises Wrong if no task can succeed on this node.

    The kernel kills y10 when the caller's thread dies: a killed worker cannot stop its child,
    which would go on computing what another node already repeats."""
    command = ["setpriv", "--pdeathsig", "KILL", job.y10, *arguments]
    end = time.monotonic() + job.limit
    for attempt in range(KILLED_TRIES):
        try:
            done = subprocess.run(
                command, input=text, capture_output=True, encoding="utf-8", check=False,
                errors="surrogateescape", cwd=job.folder, env={**os.environ, **job.environment},
                timeout=max(end - time.monotonic(), 1))
        except OSError as e:
            raise Wrong(f"cannot run {job.y10} in {job.folder}: {e}") from None
        except subprocess.TimeoutExpired:
            return [], f"y10 did not finish within {job.limit:g} s"
        if done.returncode >= 0:
            break
    errors = done.stderr.strip()
    if done.returncode in WRONG_STATUSES:
        raise Wrong(errors)
    if done.returncode < 0:
        errors += f"y10 was killed by signal {-done.returncode}, {attempt + 1} times"
    # Not splitlines(): a name in the JSON may contain other characters that end a line.
    return done.stdout.removesuffix("\n").split("\n"), errors


def parse(lines):
    """(the JSON objects, what is wrong with the first line that is none)."""
    objects = []
    for line in filter(None, lines):
        try:
            value = json.loads(line)
        except ValueError:
            value = None
        if not isinstance(value, dict):
            return objects, f"{line[:200]!r} in the output of y10 is not a JSON object"
        objects.append(value)
    return objects, ""


def fail_cut(job, seconds, source, error):
    """What cut() returns if it fails."""
    return [None, json.dumps({"source": source, "path": os.path.join(job.folder, source),
                              "error": error})]


def cut(job, seconds, source):
    """The lines of the manifest for one argument; the first is the header, or None."""
    lines, errors = run_y10(job, ["segments", "--seconds", str(seconds), "--", source])
    objects, wrong = parse(lines)
    if not wrong and (not objects or objects[0].get("inputs") != len(objects) - 1):
        wrong = "y10 segments did not finish its output"
    return fail_cut(job, seconds, source, errors or wrong) if wrong else lines


def fail_detect(job, header, line, first, last, error):
    """What detect() returns if it fails."""
    return [{"status": "failed", "error": error} for _ in range(first, last + 1)]


def detect(job, header, line, first, last):
    """The receipts of segments first to last of one input, in order. header is that of a manifest
    with one input."""
    lines, errors = run_y10(job, ["detect", "--store", job.store, "--manifest", "-", "--segments",
                                  f"{first}-{last}", *job.options], f"{header}\n{line}\n")
    objects, wrong = parse(lines)
    receipts = {r.get("segment"): r for r in objects}
    failed = fail_detect(job, header, line, first, last,
                         errors or wrong or "y10 printed no receipt")
    return [receipts.get(i, failed[i - first]) for i in range(first, last + 1)]


def run(function, *args):
    """("done", (seconds, what function returned)), or ("wrong", why)."""
    began = time.monotonic()
    try:
        result = function(*args)
    except Wrong as e:
        return "wrong", f"{socket.gethostname()}: {e}"
    return "done", (time.monotonic() - began, result)


def run_marked(folder, number, node, function, *args):
    """run(), with a file in folder that names the node while the attempt is running."""
    marker = os.path.join(folder, f"{number}.{node}")
    try:
        with open(marker, "xb"):
            pass
    except OSError as e:
        return "wrong", f"{socket.gethostname()}: {e}: all nodes must share this folder"
    try:
        return run(function, *args)
    finally:
        try:
            os.unlink(marker)
        except OSError:
            pass
