# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Shared by the tests of archives on several nodes: inputs, and the y10 processes of a node."""
import json
import os
import subprocess
import sys

Y10 = os.environ["Y10"]
SOURCE = os.environ["Y10_TEST_SOURCE"]
sys.path.insert(0, os.path.join(SOURCE, "tests/common"))
from programs import free_port, skip, until  # noqa: E402,F401

SHARED = os.path.join(SOURCE, "../shared")
MODEL = os.path.join(SHARED, "models/yolov10n-coco.safetensors")
CLIPS = [os.path.join(SHARED, "media", name) for name in ("bottle-detection.mp4", "car-detection.mp4")]
N_SEGMENTS = 40
OPTIONS = ["--model", MODEL, "--size", "256", "--backend", "cpu", "--threads", "1"]


def skip_without(*paths):
    for path in paths:
        if not os.path.exists(path):
            skip(f"{path} is missing")


def make_inputs(folder):
    """Returns inputs that have 40 segments of at least a second, and of these the two that are
    broken: a real clip without its end, and one that is not a video."""
    skip_without(MODEL, *CLIPS)
    again = os.path.join(folder, "bottle again.mp4")
    # 28 more segments: the clips have key frames only every five to eight seconds.
    subprocess.run(["ffmpeg", "-v", "error", "-i", CLIPS[0], "-frames:v", str(28 * 30), "-c:v", "libx264",
                    "-preset", "ultrafast", "-g", "30", "-sc_threshold", "0", "-bf", "0", again], check=True)
    short, notes = os.path.join(folder, "short.mp4"), os.path.join(folder, "notes.mp4")
    with open(CLIPS[1], "rb") as f, open(short, "wb") as g:
        g.write(f.read()[:-300000])
    with open(notes, "w", encoding="utf-8") as f:
        f.write("Dear diary,\n" * 1000)
    return [CLIPS[0], short, again, notes, CLIPS[1]], [short, notes]


def one_machine(inputs, broken):
    """The output of y10 detect without segments, store or cluster."""
    good = [path for path in inputs if path not in broken]
    return subprocess.run([Y10, "detect", *OPTIONS, *good], check=True, capture_output=True).stdout


def archive(out, inputs, *where, y10=Y10):
    """Starts python -m y10.archive; its messages go to OUT.log."""
    command = [sys.executable, "-m", "y10.archive", out, *inputs, "--seconds", "1", "--y10", y10, *where,
               "--", *OPTIONS]
    env = dict(os.environ, PYTHONPATH=os.path.join(SOURCE, "python"), PYTHONDONTWRITEBYTECODE="1")
    with open(f"{out}.log", "wb") as log:
        return subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=log)


def read(*path):
    with open(os.path.join(*path), "rb") as f:
        return f.read()


def check_results(out, expected, broken):
    """Compares the results with one machine's, and prints the reports of the broken inputs."""
    assert read(out, "results.jsonl") == expected, f"{out}/results.jsonl differs"
    failed = [json.loads(line) for line in read(out, "failed.jsonl").splitlines()]
    assert [f["source"] for f in failed] == broken, failed
    for f in failed:
        print(f"  reported: {os.path.basename(f['source'])}: {f['errors'][0][:90]}")


def find_below(pid):
    """The process and all below it."""
    above, found = {}, [pid]
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            above[int(name)] = int(read("/proc", name, "stat").rsplit(b")", 1)[1].split()[1])
        except (OSError, IndexError):
            pass
    for parent in found:
        found += [child for child, its_parent in above.items() if its_parent == parent]
    return found


def is_y10(pid):
    try:
        return os.path.realpath(f"/proc/{pid}/exe") == os.path.realpath(Y10)
    except OSError:
        return False


def find_y10(pid):
    """The y10 processes below a process."""
    return list(filter(is_y10, find_below(pid)))


def count_stored(store):
    return sum(name.endswith(".jsonl") for folder, _, names in os.walk(store) for name in names
               if not folder.endswith("/.tmp"))
