#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""The supervisor of python -m y10.archive on nodes that die, freeze and fail, in simulated time: every
run ends, with a result or a reason for each call."""
import collections
import os
import sys
import unittest

# The package y10 itself needs NumPy; archive does not.
sys.path.insert(0, os.path.join(os.environ["Y10_TEST_SOURCE"], "python/y10"))
from archive.supervise import LOST_TRIES, Call, Supervisor  # noqa: E402
from archive.tasks import Wrong  # noqa: E402

HOUR = 3600
PATIENCE, LIMIT = 60, 24 * HOUR


class Nodes:
    """An executor with as many nodes as there are slots. A call's arguments are the fates of its
    attempts, one after the other, of which the last one repeats: a number of seconds until there
    is a result, or "lost", "wrong", "dies" or "hangs"."""
    repeats = True

    def __init__(self, n):
        self.n, self.now = n, 0.0
        self.running, self.queue = {}, collections.deque()
        self.tried = collections.Counter()
        self.most = self.dropped = 0

    def clock(self):
        return self.now

    def slots(self):
        return self.n

    def submit(self, function, args):
        handle = object()
        fate = args[min(self.tried[args], len(args) - 1)]
        self.tried[args] += 1
        self.queue.append((handle, fate))
        return handle

    def wait(self, handles, seconds):
        while self.queue and len(self.running) < self.n:
            handle, fate = self.queue.popleft()
            self.running[handle] = fate, self.now
        self.most = max(self.most, len(handles))
        self.now += seconds
        ended = []
        for handle, (fate, start) in list(self.running.items()):
            if isinstance(fate, (int, float)) and start + fate <= self.now:
                ended.append((handle, ("done", (fate, f"{fate} s"))))
            elif fate in ("lost", "wrong"):
                ended.append((handle, (fate, f"it is {fate}")))
            else:
                continue
            del self.running[handle]
        return ended

    def find_dead(self, handles):
        return [h for h in handles if self.running.get(h, [0])[0] == "dies"]

    def drop(self, handle):
        self.dropped += 1
        self.queue = collections.deque(q for q in self.queue if q[0] is not handle)
        if self.running.get(handle, [0])[0] != "hangs":  # a frozen node stays frozen
            self.running.pop(handle, None)


def fail(*args):
    return f"failed: {args[-1]}"


class Supervise(unittest.TestCase):
    def supervise(self, nodes, *fates):
        done = []
        calls = [Call(1, None, fail, fate if isinstance(fate, tuple) else (fate,)) for fate in fates]
        results = Supervisor(nodes, calls, PATIENCE, LIMIT, done.append, nodes.clock).run()
        self.assertEqual(sum(done), len(fates))
        return results

    def test_order(self):
        """Results are in the order of the calls, whenever they end."""
        nodes = Nodes(3)
        self.assertEqual(self.supervise(nodes, 9, 2, 5, 1), ["9 s", "2 s", "5 s", "1 s"])
        self.assertEqual(nodes.dropped, 0)
        self.assertLess(nodes.now, 15)

    def test_queue(self):
        """Attempts are not all submitted at once."""
        nodes = Nodes(4)
        self.supervise(nodes, *range(1, 200))
        self.assertEqual(nodes.most, 8)

    def test_lost(self):
        """Lost attempts are repeated, at most LOST_TRIES times."""
        nodes = Nodes(2)
        self.assertEqual(self.supervise(nodes, ("lost", "lost", 3), ("lost",), 4),
                         ["3 s", f"failed: it is lost, {LOST_TRIES} times", "4 s"])
        self.assertEqual(nodes.tried[("lost",)], LOST_TRIES)

    def test_dead(self):
        """Attempts on dead nodes are repeated at once."""
        nodes = Nodes(2)
        self.assertEqual(self.supervise(nodes, ("dies", 3), 4, ("dies", "dies", 2)),
                         ["3 s", "4 s", "2 s"])
        self.assertLess(nodes.now, PATIENCE)

    def test_frozen(self):
        """A node that looks alive and never answers: another node repeats its task."""
        nodes = Nodes(3)
        self.assertEqual(self.supervise(nodes, *[5] * 20, ("hangs", 7), *[5] * 19)[20], "7 s")
        self.assertLess(nodes.now, 5 * PATIENCE)
        self.assertEqual(nodes.tried[("hangs", 7)], 2)

    def test_all_but_one_frozen(self):
        """One node is enough."""
        nodes = Nodes(3)
        results = self.supervise(nodes, ("hangs", 5), ("hangs", 6), *range(7, 47))
        self.assertEqual(results, [f"{i} s" for i in range(5, 47)])
        self.assertLess(nodes.now, 2 * HOUR)

    def test_hangs_everywhere(self):
        """A call that hangs wherever it runs fails in the end, and the others are not affected."""
        nodes = Nodes(20)
        results = self.supervise(nodes, "hangs", *[5] * 50)
        self.assertRegex(results[0], "failed: no answer within 86460 s")
        self.assertEqual(results[1:], ["5 s"] * 50)
        self.assertLessEqual(nodes.tried[("hangs",)], LOST_TRIES + 2)

    def test_long(self):
        """A call that is slow, but no more than that, is tried a few times at most."""
        nodes = Nodes(4)
        self.assertEqual(self.supervise(nodes, 5 * HOUR, *[5] * 20)[0], f"{5 * HOUR} s")
        self.assertLessEqual(nodes.tried[(5 * HOUR,)], 3)
        self.assertLess(nodes.now, 5 * HOUR + 60)

    def test_no_repeats(self):
        """Where a second attempt cannot help, there is none."""
        nodes = Nodes(2)
        nodes.repeats = False
        self.supervise(nodes, 5 * HOUR, 5)
        self.assertEqual(nodes.tried[(5 * HOUR,)], 1)

    def test_wrong(self):
        """A node that cannot run y10 does not stop the rest, unless no node can."""
        nodes = Nodes(1)
        self.assertEqual(self.supervise(nodes, 3, ("wrong", 4), 5), ["3 s", "4 s", "5 s"])
        with self.assertRaisesRegex(Wrong, "it is wrong"):
            self.supervise(Nodes(1), "wrong", 3)
        with self.assertRaisesRegex(Wrong, "it is wrong"):
            self.supervise(Nodes(1), 3, "wrong", 4)

    def test_no_nodes(self):
        """Without a node for a task, the run ends with the reason."""
        nodes = Nodes(0)
        with self.assertRaisesRegex(Wrong, "no node has had room for a task for 300 s"):
            self.supervise(nodes, 3)
        self.assertLess(nodes.now, HOUR)


if __name__ == "__main__":
    unittest.main(verbosity=2)
