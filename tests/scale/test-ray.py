#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""python -m y10.archive on a Ray cluster of three nodes on this machine. In the middle of the work one
node is killed, one is frozen, and so is one worker of the third, which is left; two of the inputs
are broken. The merged output has the bytes that y10 detect prints without a cluster."""
import contextlib
import json
import os
import signal
import sys
import tempfile
import time

from common import (N_SEGMENTS, SOURCE, archive, check_results, count_stored, find_below, find_y10, is_y10,
                    make_inputs, one_machine, read, until)

# Ray gives up a node that does not answer after about twenty seconds, not after a minute.
os.environ.update(RAY_health_check_initial_delay_ms="2000", RAY_health_check_period_ms="1000",
                  RAY_health_check_timeout_ms="3000", RAY_health_check_failure_threshold="5",
                  RAY_USAGE_STATS_ENABLED="0")
from ray.cluster_utils import Cluster  # noqa: E402


def raylet(node):
    return node.all_processes["raylet"][0].process.pid


def finish(process, out, expected, broken, seconds=150):
    status = process.wait(seconds)
    log = read(f"{out}.log").decode()
    assert status == 1, log
    print("  " + log.splitlines()[-1].split(":")[0])
    check_results(out, expected, broken)


def check_parquet(out):
    """The rows have the detections of the JSON lines."""
    import pyarrow.parquet
    rows = pyarrow.parquet.read_table(os.path.join(out, "detections.parquet")).to_pylist()
    lines = [json.loads(line) for line in read(out, "results.jsonl").splitlines()]
    expected = [(line["source"], line["timestamp"], found["detection"]["label"])
                for line in lines for found in line["objects"]]
    assert len(expected) > 1000 and expected == [
        (row["source"], row["timestamp"], row["label"]) for row in rows]
    print(f"  Parquet: {len(rows)} detections, as in the JSON lines")


def break_nodes(process, left, killed, frozen, store):
    """Kills one node, freezes another, and a worker of the one that is left, each while it has a y10 at
    work. Returns the frozen processes."""
    until(lambda: count_stored(store) >= N_SEGMENTS // 4, "a quarter of the work")
    until(lambda: find_y10(raylet(killed)), "work on the node to kill")
    running = find_y10(raylet(killed))
    os.kill(raylet(killed), signal.SIGKILL)
    print(f"  {count_stored(store)} of {N_SEGMENTS} stored: killed node 2 at work")
    until(lambda: not any(map(is_y10, running)), "the y10 of the killed node to die")
    print("  its y10 died with it")
    until(lambda: find_y10(raylet(frozen)), "work on the node to freeze")
    stopped = find_below(raylet(frozen))
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    print(f"  {count_stored(store)} of {N_SEGMENTS} stored: froze node 3 at work, "
          f"{len(stopped)} processes")
    until(lambda: find_y10(raylet(left)), "work on the node that is left")
    worker = next(pid for pid in find_below(raylet(left))
                  if any(is_y10(child) for child in find_below(pid)[1:2]))
    signal_all(find_below(worker), signal.SIGSTOP)
    stopped += find_below(worker)
    print(f"  {count_stored(store)} of {N_SEGMENTS} stored: froze a worker of node 1, which lives on")
    assert process.poll() is None, "the work ended too early to test anything"
    return stopped


def signal_all(pids, number):
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def test_cluster(folder, inputs, broken, expected):
    out = os.path.join(folder, "ray")
    store = os.path.join(out, "store")
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2})
    killed, frozen = cluster.add_node(num_cpus=1), cluster.add_node(num_cpus=1)
    process, stopped = None, []
    try:
        cluster.wait_for_nodes()
        began = time.monotonic()
        process = archive(out, inputs, "--address", cluster.address, "--patience", "5", "--parquet")
        stopped = break_nodes(process, cluster.head_node, killed, frozen, store)
        finish(process, out, expected, broken)
        print(f"  three nodes, one of which is left: {time.monotonic() - began:.1f} s, the same bytes")
        assert count_stored(store) == N_SEGMENTS
        check_parquet(out)
        # The frozen node comes back, and its y10 publishes nothing a second time.
        signal_all(stopped, signal.SIGCONT)
        time.sleep(3)
        assert count_stored(store) == N_SEGMENTS
        began = time.monotonic()
        finish(archive(out, inputs, "--address", cluster.address, "--parquet"), out, expected, broken)
        print(f"  the frozen node came back; again, with nothing to do: {time.monotonic() - began:.1f} s")
    finally:
        if process:
            process.kill()
        signal_all(stopped, signal.SIGKILL)
        cluster.shutdown()


def test_slots(folder):
    """How many tasks run at once on a node with four CPUs and a GPU."""
    sys.path.insert(0, os.path.join(SOURCE, "python/y10"))
    from archive.cluster import Ray
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 4, "num_gpus": 1})
    try:
        for gpus, wants, slots in ((None, True, 1), (None, False, 4), (0.25, True, 4), (0.5, True, 2),
                                   (2, True, 0)):
            executor = Ray(cluster.address, 1, gpus, wants, os.path.join(folder, "running"))
            assert executor.slots() == slots, (gpus, wants, executor.slots())
            executor.close()
        print("  tasks at once: one for each GPU, or fractions")
    finally:
        cluster.shutdown()


def main():
    with tempfile.TemporaryDirectory() as folder:
        inputs, broken = make_inputs(folder)
        began = time.monotonic()
        expected = one_machine(inputs, broken)
        print(f"  one process without segments: {time.monotonic() - began:.1f} s")
        began = time.monotonic()
        out = os.path.join(folder, "local")
        finish(archive(out, inputs, "--local", "2", "--parquet"), out, expected, broken)
        print(f"  --local 2: {time.monotonic() - began:.1f} s, the same bytes")
        test_cluster(folder, inputs, broken, expected)
        test_slots(folder)
        print("PASS")


if __name__ == "__main__":
    main()
