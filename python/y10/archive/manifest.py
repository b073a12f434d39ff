# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""The manifest of an archive: made once, and kept for inputs that have not changed."""
import contextlib
import json
import os

from . import tasks
from .files import write_whole
from .supervise import Call
from .tasks import Wrong


def is_unchanged(entry):
    try:
        info = os.stat(entry["path"])
    except (OSError, ValueError):
        return False
    return (info.st_size, info.st_mtime_ns) == (entry.get("size"), entry.get("mtime"))


def make_header(header, n):
    """The header of another y10 manifest, for one of n inputs."""
    return json.dumps({**json.loads(header), "inputs": n}, separators=(",", ":"))


def load_known(path, seconds, folder):
    """The header of an earlier manifest with segments of this length, and its lines by source as far
    as the files are those that the sources name in folder, and unchanged; or None and nothing."""
    header, known = None, {}
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError), \
            open(path, encoding="utf-8") as f:
        line = f.readline().rstrip("\n")
        if json.loads(line)["seconds"] == seconds:
            header = line
            for line in f:
                entry = json.loads(line)
                if "error" not in entry and is_unchanged(entry) \
                        and entry["path"] == os.path.abspath(os.path.join(folder, entry["source"])):
                    known[entry["source"]] = line.rstrip("\n")
    return header, known


def make(run, job, sources, seconds, path):
    """Returns the header of a manifest with one input, and one line for each input; run(calls, unit)
    runs calls."""
    header, known = load_known(path, seconds, job.folder)
    found = run([Call(1, tasks.cut, tasks.fail_cut, (job, seconds, source))
                 for source in sources if source not in known], "input")
    header = next((f[0] for f in found if f[0]), header)
    if header is None:
        raise Wrong("y10 segments failed for all inputs: " + json.loads(found[0][1])["error"])
    found, lines = iter(found), []
    for source in sources:
        lines += [known[source]] if source in known else next(found)[1:]
    write_whole(path, [make_header(header, len(lines)), *lines])
    return make_header(header, 1), lines
