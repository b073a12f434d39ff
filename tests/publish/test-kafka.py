#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""What a spool has accepted arrives in a Kafka topic, in the order of each stream.

usage: test-kafka.py FEED KAFKAMOCK [TEST...]

Y10_PUBLISH_N in the environment: how many lines (default: 1500).
"""
import json
import os
import subprocess
import sys
import time
import unittest

from broker import PATIENCE, Case, Feed, check, lines_of, wait_for

FEED, MOCK = sys.argv.pop(1), sys.argv.pop(1)
N_LINES = int(os.environ.get("Y10_PUBLISH_N", 1500))


class Cluster:
    """librdkafka's own mock."""

    def __init__(self):
        self.process = subprocess.Popen([MOCK], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)
        self.address = self.process.stdout.readline().strip()

    def tell(self, word):
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()

    def messages(self):
        """(key, line) of each message."""
        self.tell("read")
        found = []
        while (line := self.process.stdout.readline()) != "end\n":
            key, _, value = line.rstrip("\n").partition("\t")
            found.append((key, json.loads(value)))
        return found

    def close(self):
        self.process.stdin.close()
        self.process.wait(PATIENCE)
        self.process.stdout.close()


class Kafka(Case):
    def feed(self, cluster, *options):
        feed = Feed(FEED, self.path("spool"), f"kafka://{cluster.address}/y10", *options)
        self.addCleanup(lambda: feed.process.poll() is None and feed.kill())
        return feed

    def test_streams(self):
        """The stream is the key, so its lines stay in order."""
        cluster = self.start(Cluster())
        for n, stream in enumerate(["door", "yard", "gate"]):
            feed = self.feed(cluster, "--from", 100 * n, "--count", 100, "--stream", stream,
                             "--linger", 60000)
            self.assertEqual(feed.wait(), 0)
            self.assertEqual((feed.stats["acknowledged"], feed.stats["failed"]), (100, 0))
        messages = cluster.messages()
        for n, stream in enumerate(["door", "yard", "gate"]):
            self.assertEqual([m["n"] for key, m in messages if key == stream],
                             list(range(100 * n, 100 * n + 100)))

    def test_everything_fails(self):
        """The cluster is down at times, and the publisher killed."""
        cluster = self.start(Cluster())
        accepted, n, kills, downs = [], 0, 0, 0
        while n < N_LINES:
            feed = self.feed(cluster, "--from", n, "--count", N_LINES - n, "--rate", 300)
            end = time.monotonic() + self.random.uniform(1, 3)
            while time.monotonic() < end and feed.process.poll() is None:
                time.sleep(self.random.uniform(0.1, 0.5))
                cluster.tell("down")
                downs += 1
                time.sleep(self.random.uniform(0.1, 0.4))
                cluster.tell("up")
            synced = feed.kill()
            kills += 1
            accepted += range(n, n + synced)
            n = max([n - 1 + synced] + list(lines_of(self.path("spool")))) + 1
        feed = self.feed(cluster, "--from", n, "--count", 1, "--linger", 60000)
        self.assertEqual(feed.wait(), 0)
        self.assertEqual(feed.stats["failed"], 0)
        messages = [m for _, m in cluster.messages()]
        doubles = check(self, messages, accepted + [n])
        print(f"{len(accepted)} accepted, {kills} kills, {downs} times down: {len(messages)} "
              f"received, 0 missing, {doubles} doubles")

    def test_down(self):
        """While nobody is there it is told once; then it goes on without doubles."""
        cluster = self.start(Cluster())
        cluster.tell("down")
        feed = self.feed(cluster, "--count", 300, "--rate", 300, "--linger", 60000)
        wait_for(lambda: feed.states, what="a warning")
        time.sleep(1)
        cluster.tell("up")
        self.assertEqual(feed.wait(), 0)
        self.assertEqual([m["n"] for _, m in cluster.messages()], list(range(300)))
        self.assertEqual((len(feed.states), feed.states[-1]), (2, "works"))

    def test_too_late(self):
        """What has waited for longer than max-delay is not delivered later."""
        cluster = self.start(Cluster())
        cluster.tell("down")
        feed = self.feed(cluster, "--count", 5, "--max-delay", 2, "--linger", 60000)
        wait_for(lambda: feed.synced == 5, what="lines")
        time.sleep(3)
        cluster.tell("up")
        self.assertEqual(feed.wait(), 0)
        self.assertEqual((feed.stats["skipped"], feed.stats["acknowledged"]), (5, 5))
        self.assertEqual(cluster.messages(), [])


unittest.main()
