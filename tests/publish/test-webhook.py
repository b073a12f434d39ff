#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""What a spool has accepted arrives at a web server that fails in all ways, in order.

usage: test-webhook.py FEED [TEST...]

Y10_PUBLISH_N in the environment: how many lines (default: 600).
"""
import json
import os
import sys
import time
import unittest

from broker import Case, Feed, check, free_port, lines_of, make_certificates, wait_for
from receiver import Server

FEED = sys.argv.pop(1)
N_LINES = int(os.environ.get("Y10_PUBLISH_N", 600))


class Webhook(Case):
    def feed(self, server, *options, path="/hook?key=1", settings="", env=None):
        feed = Feed(FEED, self.path("spool"),
                    f"http://127.0.0.1:{server.port}{path}{settings and '#' + settings}", *options,
                    env=env)
        self.addCleanup(lambda: feed.process.poll() is None and feed.kill())
        return feed

    def test_one_by_one(self):
        server = self.start(Server())
        feed = self.feed(server, "--count", 5, "--linger", 60000,
                         env={"Y10_PUBLISH_USER": "cam", "Y10_PUBLISH_PASSWORD": "a:b"})
        self.assertEqual(feed.wait(), 0)
        self.assertEqual([m["n"] for m in server.lines()], [0, 1, 2, 3, 4])
        path, headers, _ = server.requests[0][1]
        self.assertEqual(path, "/hook?key=1")
        self.assertEqual(headers["Content-Type"], "application/json")
        self.assertEqual(headers["Authorization"], "Basic Y2FtOmE6Yg==")

    def test_token_and_batches(self):
        server = self.start(Server())
        token = self.write("token", "[publish]\ntoken=abc.d-e\n")
        for n, (settings, kind) in enumerate([("batch=50&format=ndjson", "application/x-ndjson"),
                                              ("batch=50", "application/json")]):
            del server.requests[:]
            feed = self.feed(server, "--from", 200 * n, "--count", 200, "--linger", 60000,
                             "--credentials", token, settings=settings)
            self.assertEqual(feed.wait(), 0)
            self.assertEqual([m["n"] for m in server.lines()],
                             list(range(200 * n, 200 * n + 200)))
            self.assertLess(len(server.requests), 100)
            for _, (path, headers, _) in server.requests:
                self.assertEqual(path, "/hook?key=1")
                self.assertEqual(headers["Content-Type"], kind)
                self.assertEqual(headers["Authorization"], "Bearer abc.d-e")

    def test_tls(self):
        """Only a server of the authority that is named, by its own name, gets lines."""
        make_certificates(self)
        server = self.start(Server(certificate=self.path("server")))
        ours = f"#cafile={self.path('ca.pem')}"

        def publish(n, host, settings, count):
            return Feed(FEED, self.path("spool"), f"https://{host}:{server.port}/hook{settings}",
                        "--from", n, "--count", count, "--linger", 60000)
        feed = publish(0, "localhost", ours, 10)
        self.assertEqual(feed.wait(), 0)
        self.assertEqual((feed.stats["acknowledged"], feed.states), (10, []))
        self.assertEqual([m["n"] for m in server.lines()], list(range(10)))
        for host, settings in (("localhost", ""), ("127.0.0.1", ours)):
            feed = publish(10, host, settings, 1)
            wait_for(lambda feed=feed: feed.states, "a warning")
            feed.kill()
            self.assertRegex(feed.states[0], "(?i)tls|certificate")
        self.assertEqual(len(server.requests), 10)

    def test_refused(self):
        """What a server refuses is counted, told once and not sent again; order goes on."""
        server = self.start(Server())
        server.answer = lambda n, request: 400 if json.loads(request[2])["n"] in (3, 4) else 204
        feed = self.feed(server, "--count", 8, "--linger", 60000)
        self.assertEqual(feed.wait(), 0)
        self.assertEqual([m["n"] for m in server.lines((204, 400))], list(range(8)))
        self.assertEqual((feed.stats["failed"], feed.stats["acknowledged"]), (2, 8))
        self.assertEqual(len(feed.states), 2)
        self.assertIn("400", feed.states[0])
        self.assertEqual(feed.states[1], "works")

    def test_busy(self):
        """A server that says when to come back is not asked earlier; others are not lost."""
        server = self.start(Server())
        times = []

        def answer(n, request):
            times.append(time.monotonic())
            return {0: (503, {"Retry-After": "2"}), 1: 429, 2: (302, {"Location": "/away"})
                    }.get(n, 200)
        server.answer = answer
        feed = self.feed(server, "--count", 2, "--linger", 60000)
        self.assertEqual(feed.wait(), 0)
        self.assertEqual([m["n"] for m in server.lines()], [0, 1])
        self.assertGreaterEqual(times[1] - times[0], 2)
        self.assertTrue(all(r[1][0] == "/hook?key=1" for r in server.requests))
        self.assertTrue(server.lines()[0]["replayed"])
        self.assertEqual(feed.stats["reconnects"], 3)
        self.assertEqual((len(feed.states), feed.states[-1]), (2, "works"))

    def test_everything_fails(self):
        """The server fails, hangs up and is away; the publisher is killed."""
        port = free_port()
        server, taken, accepted, n, kills = Server(port), [], [], 0, 0
        settings = "batch=20"

        def answer(_, request):
            return self.random.choice([200] * 12 + [500, None, 200])
        server.answer = answer
        while n < N_LINES:
            feed = self.feed(server, "--from", n, "--count", N_LINES - n, "--rate", 150,
                             settings=settings)
            end = time.monotonic() + self.random.uniform(1, 3)
            while time.monotonic() < end and feed.process.poll() is None:
                time.sleep(self.random.uniform(0.1, 0.5))
                if self.random.randrange(4) == 0:
                    server.close()
                    time.sleep(0.1)
                    taken += server.lines()
                    server = Server(port)
                    server.answer = answer
            synced = feed.kill()
            kills += 1
            accepted += range(n, n + synced)
            # What was written but not synced has numbers, too.
            n = max([n - 1 + synced] + list(lines_of(self.path('spool')))) + 1
        server.answer = lambda *_: 200
        feed = self.feed(server, "--from", n, "--count", 1, "--linger", 60000, settings=settings)
        self.assertEqual(feed.wait(), 0)
        server.close()
        taken += server.lines()
        doubles = check(self, taken, accepted + [n])
        print(f"{len(accepted)} accepted, {kills} kills: {len(taken)} received, 0 missing, "
              f"{doubles} doubles")

    def test_away(self):
        """Nobody is there: it is told once, and what comes too late is left out."""
        port = free_port()
        server = type("", (), {"port": port})()
        feed = self.feed(server, "--count", 3, "--rate", 3, "--linger", 60000, "--max-delay", 3)
        wait_for(lambda: feed.states and feed.synced == 3, what="a warning, and all lines")
        time.sleep(4)
        self.assertEqual(len(feed.states), 1)
        server = self.start(Server(port))
        wait_for(lambda: feed.process.poll() is not None, what="the end")
        feed.wait()
        self.assertEqual((feed.stats["skipped"], feed.stats["acknowledged"]), (3, 3))
        self.assertEqual(server.requests, [])


unittest.main()
