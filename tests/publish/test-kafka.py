#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""What a spool has accepted arrives in a Kafka topic, in the order of each stream; with TLS and a
password only where both are right.

usage: test-kafka.py FEED KAFKAMOCK [TEST...]

Y10_PUBLISH_N in the environment: how many lines (default: 1500).
"""
import json
import os
import sys
import time
import unittest

from broker import Case, Feed, check, lines_of, make_certificates, make_spool, refused_of, until
from kafkadoor import SASL_AUTHENTICATE, Cluster, Door

FEED, MOCK = sys.argv.pop(1), sys.argv.pop(1)
N_LINES = int(os.environ.get("Y10_PUBLISH_N", 1500))


class Kafka(Case):
    def feed(self, cluster, *options):
        feed = Feed(FEED, self.path("spool"), f"kafka://{cluster.address}/y10", *options)
        self.addCleanup(lambda: feed.process.poll() is None and feed.kill())
        return feed

    def test_streams(self):
        """The stream is the key, so its lines stay in order."""
        cluster = self.start(Cluster(MOCK))
        for n, stream in enumerate(["door", "yard", "gate"]):
            feed = self.feed(cluster, "--from", 100 * n, "--count", 100, "--stream", stream,
                             "--linger", 600000)
            self.assertEqual(feed.wait(), 0)
            self.assertEqual((feed.stats["acknowledged"], feed.stats["failed"]), (100, 0))
        messages = cluster.messages()
        for n, stream in enumerate(["door", "yard", "gate"]):
            self.assertEqual([m["n"] for key, m in messages if key == stream],
                             list(range(100 * n, 100 * n + 100)))

    def test_everything_fails(self):
        """The cluster is down at times, and the publisher killed."""
        cluster = self.start(Cluster(MOCK))
        accepted, n, kills, downs = [], 0, 0, 0
        while n < N_LINES:
            feed = self.feed(cluster, "--from", n, "--count", N_LINES - n, "--rate", 300)
            enough = self.random.randrange(300, 900)
            while feed.synced < enough and feed.process.poll() is None:
                time.sleep(self.random.uniform(0.1, 0.5))       # at any time
                cluster.tell("down")
                downs += 1
                time.sleep(self.random.uniform(0.1, 0.4))
                cluster.tell("up")
            synced = feed.kill()
            kills += 1
            accepted += range(n, n + synced)
            n = max([n - 1 + synced] + list(lines_of(self.path("spool")))) + 1
        feed = self.feed(cluster, "--from", n, "--count", 1, "--linger", 600000)
        self.assertEqual(feed.wait(), 0)
        self.assertEqual(feed.stats["failed"], 0)
        messages = [m for _, m in cluster.messages()]
        doubles = check(self, messages, accepted + [n])
        print(f"{len(accepted)} accepted, {kills} kills, {downs} times down: {len(messages)} "
              f"received, 0 missing, {doubles} doubles")

    def test_refused(self):
        """A line that is too large is given up; a batch that is refused is sent line by line."""
        make_spool(self.path("spool"), [{"fill": "x" * (1000000 if n == 31 else 10)} for n in range(80)])
        cluster = self.start(Cluster(MOCK))
        # One request, whatever librdkafka has put into it; a line that was in two would be given up.
        cluster.tell("refuse 1")
        feed = self.feed(cluster, "--expect", 80, "--linger", 600000)
        self.assertEqual(feed.wait(), 0)
        self.assertEqual(sorted(m["n"] for _, m in cluster.messages()), [n for n in range(80) if n != 31])
        self.assertEqual((feed.stats["acknowledged"], feed.stats["failed"]), (80, 1))
        refused, = refused_of(self.path("spool"))
        # All of it would be too much to keep; its name says where it is.
        self.assertEqual({key: refused["line"].get(key) for key in ("producer", "segment", "n")},
                         {"producer": "0123456789abcdef", "segment": 1, "n": None})
        with open(self.path("spool", "00000001.jsonl"), "rb") as f:
            f.seek(refused["line"]["offset"])
            self.assertEqual(json.loads(f.readline())["n"], 31)
        self.assertIn("too large", refused["refused"].lower())

    def test_down(self):
        """While nobody is there it is told once; then it goes on without doubles."""
        cluster = self.start(Cluster(MOCK))
        cluster.tell("down")
        feed = self.feed(cluster, "--count", 300, "--rate", 300, "--linger", 600000)
        until(lambda: feed.states, what="a warning")
        time.sleep(1)       # for more warnings
        cluster.tell("up")
        self.assertEqual(feed.wait(), 0)
        self.assertEqual([m["n"] for _, m in cluster.messages()], list(range(300)))
        self.assertEqual((len(feed.states), feed.states[-1]), (2, "works"))

    def test_too_late(self):
        """What has waited for longer than max-delay is not delivered later."""
        cluster = self.start(Cluster(MOCK))
        cluster.tell("down")
        feed = self.feed(cluster, "--count", 5, "--max-delay", 2, "--linger", 600000)
        until(lambda: feed.synced == 5, what="lines")
        time.sleep(3)       # longer than that, at least
        cluster.tell("up")
        self.assertEqual(feed.wait(), 0)
        self.assertEqual((feed.stats["skipped"], feed.stats["acknowledged"]), (5, 5))
        self.assertEqual(cluster.messages(), [])

    def door(self, cluster, *options, password=None, query="", **more):
        """A door to the cluster, and what a feed with that uri does there."""
        door = self.start(Door(cluster.address, self.path("server"), password))
        more.setdefault("host", "localhost")
        feed = Feed(FEED, self.path("spool"), f"kafka://{more['host']}:{door.port}/y10{query}", *options)
        self.addCleanup(lambda: feed.process.poll() is None and feed.kill())
        return door, feed

    def test_tls(self):
        """By TLS all arrives; without the authority's certificate, or by another name, nothing does."""
        make_certificates(self)
        cluster, ours = self.start(Cluster(MOCK)), f"?cafile={self.path('ca.pem')}"
        door, feed = self.door(cluster, "--count", 300, "--linger", 600000, query=ours)
        self.assertEqual(feed.wait(), 0)
        self.assertEqual(feed.stats["acknowledged"], 300)
        self.assertTrue(door.ciphers and set(door.ciphers) <= {"TLSv1.2", "TLSv1.3"}, door.ciphers)
        self.assertNotIn(SASL_AUTHENTICATE, door.requests)
        self.assertEqual([m["n"] for _, m in cluster.messages()], list(range(300)))

        def refused(query, host):
            """What is told first."""
            door, feed = self.door(cluster, "--from", 300, "--count", 1, "--linger", 600000, query=query, host=host)
            until(lambda: feed.states, what="a warning")
            self.assertEqual(feed.stop(), 0)
            self.assertEqual(feed.stats["acknowledged"], 0, query)
            self.assertEqual(door.requests, set())
            return feed.states[0].lower()
        for query, host in ("?tls=true", "localhost"), (ours, "127.0.0.1"):
            # On a busy machine, librdkafka may tell first that no broker is left.
            until(lambda query=query, host=host: "certificate" in refused(query, host), "the reason")
        refused("", "localhost")
        self.assertEqual(len(cluster.messages()), 300)

    def test_password(self):
        """Who has the password is let in; who has another one is told so, and the password is not."""
        make_certificates(self)
        cluster, ours = self.start(Cluster(MOCK)), f"?cafile={self.path('ca.pem')}"
        wrong, right = self.write("wrong", "door:f00dcafe\n"), self.write("right", "door:c0ffee:42\n")
        door, feed = self.door(cluster, "--count", 20, "--linger", 600000, "--credentials", wrong,
                               password="door:c0ffee:42", query=ours)
        until(lambda: feed.states, what="a warning")
        self.assertEqual(feed.stop(), 0)
        self.assertEqual(feed.stats["acknowledged"], 0)
        self.assertGreater(door.refused, 0)
        self.assertIn("nobody of that name and password", feed.states[0])
        self.assertNotIn("f00dcafe", "".join(feed.output) + feed.error)
        self.assertEqual(cluster.messages(), [])
        door, feed = self.door(cluster, "--from", 20, "--count", 1, "--linger", 600000, "--credentials", right,
                               password="door:c0ffee:42", query=ours)
        self.assertEqual(feed.wait(), 0)
        self.assertEqual((door.refused, feed.stats["acknowledged"]), (0, 21))
        self.assertEqual([m["n"] for _, m in cluster.messages()], list(range(21)))


unittest.main()
