#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Splits a trace of tracekernels.c into steps and prints the median one: when
each kernel began, how long it ran, how long no kernel had run before it, and
sums by kernel.

usage: timeline.py TRACE [--json]
"""
import collections
import json
import re
import sys

FIRST, LAST = ("y10_preprocess", "y10_stem"), ("y10_head_select", "y10_head_nms", "y10_head_nms_pairs")
KERNEL = re.compile(r"(\d+) (\d+) (\d+) (\S+) (\S+) (\d+) (.*)")

Node = collections.namedtuple("Node", "start end stream grid block registers name")


def read(path):
    nodes = []
    with open(path, encoding="utf-8", errors="replace") as f:
        for line in f:
            found = KERNEL.match(line)
            if found:
                g = found.groups()
                nodes.append(Node(int(g[0]), int(g[1]), int(g[2]), g[3], g[4], int(g[5]), g[6]))
    return sorted(nodes)


def steps(nodes):
    """Each from the first reading of a picture to the end of the head; only
    complete ones."""
    out, step, ended = [], [], True
    for node in nodes:
        if node.name.startswith(FIRST) and ended:
            step, ended = [], False
        if not ended:
            step.append(node)
        if node.name.startswith(LAST) and not ended:
            out.append(step)
            ended = True
    # The tuner measures with the same kernels: a step has the usual number of nodes.
    usual = collections.Counter(len(s) for s in out).most_common(1)[0][0] if out else 0
    return [s for s in out if len(s) == usual]


def short(name):
    """cuDNN's names without the common beginning, ours without parameters."""
    return name.replace("cudnn_generated_fort_native_", "").split("(")[0][:90]


def summary(step):
    begin = step[0].start
    busy = idle = 0
    end = begin
    nodes = []
    sums = collections.defaultdict(lambda: [0, 0])
    for node in step:
        gap = max(0, node.start - end)
        idle += gap
        busy += max(0, node.end - max(end, node.start))
        end = max(end, node.end)
        nodes.append({"at_us": (node.start - begin) / 1e3, "us": (node.end - node.start) / 1e3,
                      "gap_us": gap / 1e3, "stream": node.stream, "grid": node.grid,
                      "block": node.block, "registers": node.registers,
                      "kernel": short(node.name)})
        total = sums[short(node.name)]
        total[0] += 1
        total[1] += node.end - node.start
    return {"nodes": nodes, "span_us": (end - begin) / 1e3, "busy_us": busy / 1e3,
            "idle_us": idle / 1e3,
            "kernels": [{"kernel": k, "launches": n, "us": ns / 1e3}
                        for k, (n, ns) in sorted(sums.items(), key=lambda i: -i[1][1])]}


def median_step(path):
    found = steps(read(path))
    if not found:
        return None
    found.sort(key=lambda s: s[-1].end - s[0].start)
    return dict(summary(found[len(found) // 2]), steps=len(found))


def show(step):
    lines = ["%d nodes, %.1f us: busy %.1f, idle %.1f; median of %d steps" % (
        len(step["nodes"]), step["span_us"], step["busy_us"], step["idle_us"], step["steps"])]
    lines += ["%4d %8.1f us  %s" % (k["launches"], k["us"], k["kernel"])
              for k in step["kernels"]]
    lines += ["%8s %6s %5s" % ("at", "us", "gap")]
    lines += ["%8.1f %6.1f %5.1f s%-3d %-12s %-10s %3d %s" % (
        n["at_us"], n["us"], n["gap_us"], n["stream"], n["grid"], n["block"], n["registers"],
        n["kernel"]) for n in step["nodes"]]
    return "\n".join(lines) + "\n"


def main():
    step = median_step(sys.argv[1])
    if not step:
        sys.exit("no complete step in the trace")
    print(json.dumps(step) if "--json" in sys.argv else show(step), end="")


if __name__ == "__main__":
    main()
