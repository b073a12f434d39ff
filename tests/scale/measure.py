#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""The figures of docs/scale.md: the time of one, two and three nodes for the same 40 segments, and what
a segment costs beside its own work. Run by tests/scale/run.sh measure, on a machine that does nothing
else. All nodes are on this machine, so more nodes than CPUs are no faster."""
import contextlib
import os
import resource
import subprocess
import tempfile
import time

from common import (N_SEGMENTS, OPTIONS, Y10, archive, count_stored, make_inputs, one_machine, read)

from ray.cluster_utils import Cluster

EMPTY = """#!/bin/sh
# A y10 that does nothing.
if [ "$1" = segments ]; then
  echo '{"seconds":1.0,"inputs":1}'
  printf '{"source":"empty","segments":[null'
  i=1
  while [ $i -lt %d ]; do printf ',null'; i=$((i + 1)); done
  echo ']}'
fi
"""
FEW, MANY = 20, 220


def get_cpu():
    """CPU seconds of all children that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def timed(process, status):
    began = time.monotonic()
    assert process.wait(300) == status, read(process.args[3] + ".log").decode()
    return time.monotonic() - began


def print_row(name, function, *args):
    """A row with wall and CPU seconds; those of Ray's workers are not known here."""
    began, cpu = time.monotonic(), get_cpu()
    function(*args)
    wall, cpu = time.monotonic() - began, get_cpu() - cpu
    print(f"| {name} | {wall:.1f} s | {'' if 'Ray' in name else f'{cpu:.1f} s'} |")


@contextlib.contextmanager
def ray_cluster(n):
    """A Ray cluster of n nodes with a CPU each; yields its address."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    try:
        for _ in range(n - 1):
            cluster.add_node(num_cpus=1)
        cluster.wait_for_nodes()
        yield cluster.address
    finally:
        cluster.shutdown()


def measure_empty(folder, name, n_nodes, *where):
    """Milliseconds of one slot for a segment whose y10 does nothing."""
    seconds = []
    for n in (FEW, MANY):
        empty = os.path.join(folder, f"empty-{n}")
        with open(empty, "w", encoding="ascii") as f:
            f.write(EMPTY % n)
        os.chmod(empty, 0o755)
        out = os.path.join(folder, f"empty-{name}-{n}")
        seconds.append(timed(archive(out, ["empty"], *where, y10=empty), 1))
    print(f"| {name} | {(seconds[1] - seconds[0]) / (MANY - FEW) * n_nodes * 1000:.0f} ms |")


def measure_done(folder, name, n_nodes, inputs, *where):
    """Milliseconds of one slot for a segment that is already stored."""
    seconds = timed(archive(os.path.join(folder, name), inputs, *where), 0)
    print(f"| {name}, stored before | {seconds / N_SEGMENTS * n_nodes * 1000:.0f} ms, "
          f"start and merge included |")


def main():
    with tempfile.TemporaryDirectory() as folder:
        inputs, broken = make_inputs(folder)
        inputs = [path for path in inputs if path not in broken]
        print(f"{os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}\n")
        print(f"| {N_SEGMENTS} segments | time | CPU time |\n|---|---|---|")
        print_row("y10 detect, one thread", one_machine, inputs, [])
        for n in (1, 2, 3):
            out = os.path.join(folder, f"local-{n}")
            print_row(f"--local {n}", lambda: timed(archive(out, inputs, "--local", str(n)), 0))
        for n in (1, 2, 3):
            with ray_cluster(n) as address:
                out = os.path.join(folder, f"ray-{n}")
                print_row(f"Ray, nodes: {n}",
                          lambda: timed(archive(out, inputs, "--address", address), 0))
                assert count_stored(os.path.join(out, "store")) == N_SEGMENTS
        print("\n| overhead of a segment | |\n|---|---|")
        command = [Y10, "detect", *OPTIONS, "--store", os.path.join(folder, "local-1", "store"),
                   "--manifest", os.path.join(folder, "local-1", "manifest.jsonl"), "--segments", "0"]
        began = time.monotonic()
        for _ in range(20):
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        print(f"| y10, segment stored before | {(time.monotonic() - began) / 20 * 1000:.0f} ms |")
        measure_empty(folder, "--local 2", 2, "--local", "2")
        measure_done(folder, "local-2", 2, inputs, "--local", "2")
        with ray_cluster(2) as address:
            measure_empty(folder, "Ray, 2 nodes", 2, "--address", address)
            os.rename(os.path.join(folder, "ray-2"), os.path.join(folder, "Ray"))
            measure_done(folder, "Ray", 2, inputs, "--address", address)


if __name__ == "__main__":
    main()
