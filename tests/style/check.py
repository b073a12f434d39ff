#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Rules of the source tree that a compiler does not check.

usage: check.py layering|sizes|license|text SOURCE_ROOT
       check.py format SOURCE_ROOT CLANG_FORMAT
       check.py exports LIBRARY PREFIX [PREFIX...]

layering  which part, and in some which file, may include which (docs/design.md)
sizes     no source file over 1000 lines
license   two SPDX lines on top of every source file
text      no trailing blanks, tabs in C, missing last newline, invisible
          characters
format    every C, C++ and CUDA file is as clang-format leaves it
exports   every symbol a library defines for others starts with a PREFIX
"""
import fnmatch
import os
import re
import subprocess
import sys
import unicodedata

MAX_LINES = 1000
SOURCES = (".c", ".h", ".cu", ".cuh", ".py", ".sh", ".in", ".build")
# Files that programs write; tests compare them byte by byte with the program's
# output.
GENERATED = re.compile(r"^tests/data/|^docs/plugin/")


def files(root):
    """Paths of the project's own files, relative to its root."""
    git = subprocess.run(["git", "-C", root, "ls-files", "-z"],
                         capture_output=True, text=True)
    if git.returncode == 0 and git.stdout:
        names = git.stdout.rstrip("\0").split("\0")
    else:
        names = []
        for directory, below, found in os.walk(root):
            below[:] = [d for d in below
                        if d != ".git" and not d.startswith("build")]
            names += [os.path.relpath(os.path.join(directory, f), root)
                      for f in found]
    return sorted(n for n in names if os.path.isfile(os.path.join(root, n)))


def is_source(name):
    base = os.path.basename(name)
    return name.endswith(SOURCES) or base in ("run", "y10.bash")


def read(root, name):
    with open(os.path.join(root, name), encoding="utf-8") as f:
        return f.read()


# The linker makes these, when a library that is linked exports its own.
OF_THE_LINKER = ("__bss_start", "_edata", "_end")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)

# Each room (folder) and those that its files may include besides itself. The public
# headers, engine/include/y10, are open to all.
ROOMS = {
    "engine/base": (),
    "engine/weights": ("engine/base",),
    "engine/core": ("engine/base", "engine/weights"),
    "engine/model": ("engine/base", "engine/weights", "engine/core"),
    "engine/ref": ("engine/base", "engine/core"),
    "engine/cpu/kernels": (),
    "engine/cpu": ("engine/base", "engine/core", "engine/cpu/kernels"),
    "engine/run": ("engine/base", "engine/weights", "engine/core", "engine/model"),
    "engine/stream": ("engine/base", "engine/model", "engine/run"),
    "engine/draw": ("engine/base", "engine/core"),
    "cuda/kernels": (),
    "cuda/driver": ("cuda/kernels",),
    "cuda/conv": ("engine/base", "cuda/kernels", "cuda/driver"),
    "cuda/paint": ("engine/core", "cuda/driver", "cuda/kernels"),
    "cuda/autotune": ("engine/base", "cuda/kernels", "cuda/driver", "cuda/conv"),
    "cuda": ("engine/base", "engine/core", "cuda/kernels", "cuda/driver", "cuda/conv",
             "cuda/autotune"),
    "gst/common": (),
    "gst/meta": ("gst/common",),
    "gst/paint": ("gst/common",),
    "gst/infer": ("gst/common", "gst/meta"),
    "gst/detect": ("gst/common", "gst/meta", "gst/infer"),
    "gst/overlay": ("gst/common", "gst/meta", "gst/paint"),
    "gst/track": ("gst/common", "gst/meta"),
    "gst/zones": ("gst/common", "gst/meta"),
    # Knows GLib only.
    "gst/spool": (),
    "gst/send": ("gst/common", "gst/spool"),
    # A plugin of its own.
    "gst/publish": ("gst/common", "gst/meta", "gst/spool", "gst/send"),
    # Files of fragmented MP4, which other programs write, too; knows GLib only.
    "gst/mp4": (),
    # A plugin of its own, without the engine.
    "gst/record": ("gst/common", "gst/mp4", "gst/spool"),
    "gst": ("gst/meta", "gst/detect", "gst/overlay", "gst/track", "gst/zones"),
    # What files are is judged as in the engine.
    "tools/y10/base": ("engine/base",),
    "tools/y10/media": ("tools/y10/base", "gst/common"),
    "tools/y10/draw": ("tools/y10/base", "tools/y10/media", "gst/common", "gst/meta", "gst/paint"),
    "tools/y10/archive": ("tools/y10/base", "tools/y10/media"),
    "tools/y10/detect": ("tools/y10/base", "tools/y10/media", "tools/y10/draw",
                         "tools/y10/archive", "gst/track", "gst/zones"),
    "tools/y10/val": ("tools/y10/base", "tools/y10/media", "tools/y10/detect"),
    "tools/y10/model": ("tools/y10/base", "tools/y10/media"),
    "tools/y10/bench": ("tools/y10/base", "tools/y10/media"),
    "tools/y10/camera": ("tools/y10/base", "tools/y10/media"),
    # Who may ask, and for what; it knows nothing of what is answered.
    "tools/y10/http": ("tools/y10/base", "engine/base"),
    # Reads the spool that yolov10publish writes.
    "tools/y10/events": ("tools/y10/base", "tools/y10/http", "gst/spool", "engine/base"),
    # Reads what yolov10record writes.
    "tools/y10/record": ("tools/y10/base", "gst/mp4", "gst/spool"),
    # Reads zones before yolov10zones does.
    "tools/y10/serve": ("tools/y10/base", "tools/y10/media", "tools/y10/camera", "tools/y10/http",
                        "tools/y10/events", "gst/spool", "gst/zones", "engine/base"),
    # Says how many threads the engine takes, by the engine's own code.
    "tools/y10/doctor": ("tools/y10/base", "tools/y10/media", "engine/base"),
    "tools/y10": ("tools/y10/base",),
}
# The folders that contain rooms; a quoted name may be relative to them.
ROOTS = ("engine", "cuda", "gst", "tools/y10")

# In these rooms the files have an order, too: each may include only those before it.
# A name stands for its .c and its .h.
ORDERS = {
    "gst/infer": ("framequeue", "latency", "partrules", "configuration", "classrules", "session", "job",
                  "hold", "policy", "queuedframe", "stats", "weakrequests"),
    "gst/detect": ("element", "messages", "reload", "recovery", "output", "lifecycle", "input",
                   "pads", "props", "detect"),
}

# (file, header): why it may be included against that order.
EXCEPTIONS = {
    ("cuda/autotune/autotune.h", "cuda/program.h"):
        "autotuning runs the backend's own ops, so it needs their device and plans",
    ("gst/*", "engine/base/json-cursor.h"): "JSON is read in one place",
    ("tools/y10/*", "engine/base/json-cursor.h"): "JSON is read in one place",
    ("tools/y10/*", "gst/common/classes.h"):
        "names of classes are judged in one place, for elements and commands",
    ("tools/y10/media/*.c", "engine/base/text.h"):
        "what messages show is cut in one place",
    ("gst/*", "engine/base/json.h"): "JSON is written in one place",
    ("tools/y10/*", "engine/base/json.h"): "JSON is written in one place",
    **{(name, "engine/base/text.h"): "what messages show is cut in one place, into whole letters"
       for name in ("gst/zones/json.c", "tools/y10/camera/reach.c", "tools/y10/val/labels.c", "tools/y10/val/yaml.c")},
    ("tools/y10/val/labels.c", "engine/base/coco.h"):
        "the ids of COCO's categories are decided in one place, also for data sets",
}

# (files, headers they must not include, why). The first column matches the
# including file's path; the second what stands between the quotes.
FORBIDDEN = [
    (r"^engine/", r"^(gst/|gst[a-z0-9]*\.h)", "the engine knows no GStreamer"),
    (r"^(?!cuda/|tests/)", r"(^|/)(cudnn|cublas|nvrtc)[a-z_0-9]*\.h$|^cuda[a-z_0-9]*\.h$",
     "CUDA stays in cuda"),
    (r"^(?!gst/common/cuda\.c$|tests/)", r"^gst/cuda/",
     "GStreamer's CUDA library stays in gst/common/cuda.c"),
    (r"^engine/cpu/kernels/(?!isa\.)", r"^(glib|gio|y10/|config\.h)",
     "kernels know neither GLib nor the engine"),
    (r"^cuda/kernels/", r"^(glib|gio|y10/|config\.h)",
     "kernels know neither GLib nor the engine"),
    (r"^engine/stream/turns\.", r"^(?!config\.h$|glib\.h$|stream/turns\.h$)",
     "whose turn is next depends on no lock, thread, clock or engine"),
    (r"^engine/include/", r"^(?!glib\.h$|gio/gio\.h$|y10/)",
     "public headers stand on GLib alone"),
]


def room_of(path):
    """The innermost room that a file lies in, or None."""
    while path:
        path = os.path.dirname(path)
        if path in ROOMS:
            return path
    return None


def find_header(root, name, header):
    """Path of a header of ours, as the compiler finds it from @name; None: not ours."""
    # Two roots may have a room of the same name.
    own = tuple(root for root in ROOTS if name.startswith(root + "/"))
    for base in (os.path.dirname(name),) + own + ROOTS:
        path = os.path.normpath(os.path.join(base, header))
        if os.path.isfile(os.path.join(root, path)):
            return path
    return None


def is_exception(name, path):
    return any(fnmatch.fnmatch(name, where) and path == what for where, what in EXCEPTIONS)


def check_rooms(root, name, header):
    """Whether one quoted include goes down, or stays in its room."""
    room, path = room_of(name), find_header(root, name, header)
    if room is None or path is None or "/include/" in name or is_exception(name, path):
        return
    other = room_of(path)
    if other is None or path.startswith("engine/include/"):
        return
    if other != room and other not in ROOMS[room]:
        yield f"{name} includes {header}: {room} stands on {', '.join(ROOMS[room]) or 'nothing'}"
    elif other == room and room in ORDERS:
        yield from check_place(name, path, ORDERS[room])


def check_place(name, path, order):
    """Whether a file includes one of its room that stands before it in @order."""
    places = [os.path.splitext(os.path.basename(p))[0] for p in (name, path)]
    for place in places:
        if place not in order:
            yield f"{name}: {place} has no place in ORDERS of tests/style/check.py"
            return
    if order.index(places[1]) > order.index(places[0]):
        yield f"{name} includes {path}, which stands on it: {' < '.join(order)}"


def check_order():
    """Checks that the table itself has no circle."""
    done = []
    while len(done) < len(ROOMS):
        ready = [room for room, below in ROOMS.items()
                 if room not in done and all(b in done for b in below)]
        if not ready:
            yield f"rooms need each other in a circle: {sorted(set(ROOMS) - set(done))}"
            return
        done += ready


def check_layering(root):
    n = 0
    yield from check_order()
    for name in files(root):
        if not name.endswith((".c", ".h", ".cu", ".cuh", ".h.in")):
            continue
        if (name.startswith("gst/") and name.endswith(".h")
                and re.search(r"#\s*if.*\bHAVE_", read(root, name))):
            yield f"{name} asks for HAVE_...: files may not all include config.h"
        for quote, header in INCLUDE.findall(read(root, name)):
            n += 1
            for where, what, why in FORBIDDEN:
                if re.search(where, name) and re.search(what, header):
                    yield f"{name} includes {header}: {why}"
            if quote != '"':
                continue
            yield from check_rooms(root, name, header)
            # The headers a quoted include in gst/ finds are gst's own, with exceptions.
            if (name.startswith("gst/") and header != "config.h"
                    and not is_exception(name, find_header(root, name, header))
                    and not os.path.exists(os.path.join(root, "gst", header))):
                yield f'{name} includes "{header}", which is not in gst/'
    if n < 100:
        yield f"only {n} includes found below {root}"


def check_sizes(root):
    for name in files(root):
        if is_source(name) and not GENERATED.search(name):
            lines = read(root, name).count("\n")
            if lines > MAX_LINES:
                yield f"{name} has {lines} lines; at most {MAX_LINES}"


def check_license(root):
    for name in files(root):
        if not is_source(name) or GENERATED.search(name) \
                and not name.endswith(".py"):
            continue
        head = "\n".join(read(root, name).split("\n")[:6])
        if "SPDX-License-Identifier: LGPL-2.1-or-later" not in head:
            yield f"{name}: no SPDX-License-Identifier on top"
        elif not name.endswith("meson.build") \
                and "SPDX-FileCopyrightText:" not in head:
            yield f"{name}: no SPDX-FileCopyrightText on top"


def check_text(root):
    for name in files(root):
        if GENERATED.search(name) or not (is_source(name) or name.endswith(
                (".md", ".txt", ".yml", "meson_options.txt"))):
            continue
        text = read(root, name)
        if text and not text.endswith("\n"):
            yield f"{name}: no newline at its end"
        for i, line in enumerate(text.split("\n"), 1):
            if line != line.rstrip():
                yield f"{name}:{i}: trailing blanks"
            if "\t" in line and name.endswith((".c", ".h", ".cu", ".cuh")):
                yield f"{name}:{i}: a tab"
            for c in line:
                if c != "\t" and unicodedata.category(c) in ("Cc", "Cf", "Co"):
                    yield f"{name}:{i}: invisible character U+{ord(c):04X}"


def check_format(root, clang_format):
    code = [n for n in files(root) if n.endswith((".c", ".h", ".cpp", ".cu", ".cuh"))]
    out = subprocess.run([clang_format, "--dry-run", "--style=file", *code], cwd=root,
                         capture_output=True, text=True)
    if out.returncode != 0:
        yield out.stderr
    for place in re.findall(r"^(\S+:\d+):\d+: warning: code should be clang-formatted",
                            out.stderr, re.M):
        yield f"{place} is not as clang-format leaves it: run {clang_format} -i on it"


def check_exports(library, prefixes):
    out = subprocess.run(["nm", "-D", "--defined-only", library], check=True,
                         capture_output=True, text=True).stdout
    symbols = [line.split()[-1].split("@")[0] for line in out.splitlines()]
    if not symbols:
        yield f"{library} exports nothing"
    for symbol in symbols:
        if not symbol.startswith(tuple(prefixes)) \
                and symbol not in OF_THE_LINKER:
            yield f"{library} exports {symbol}; only {', '.join(prefixes)}"


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    if sys.argv[1] == "exports":
        bad = list(check_exports(sys.argv[2], sys.argv[3:]))
    elif sys.argv[1] == "format":
        bad = list(check_format(*sys.argv[2:]))
    else:
        check = {"layering": check_layering, "sizes": check_sizes,
                 "license": check_license, "text": check_text}[sys.argv[1]]
        bad = list(check(sys.argv[2]))
    for line in bad:
        print(line)
    print(f"{sys.argv[1]}: {len(bad)} found")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
