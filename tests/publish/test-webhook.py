#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""What a spool has accepted arrives at a web server that fails in all ways, in order.

usage: test-webhook.py FEED [TEST...]

Y10_PUBLISH_N in the environment: how many lines (default: 600).
"""
import datetime
import email.utils
import json
import os
import sys
import threading
import time
import unittest

from broker import (Case, Feed, check, free_port, lines_of, make_certificates, make_spool, refused_of,
                    until)
from receiver import Server

FEED = sys.argv.pop(1)
N_LINES = int(os.environ.get("Y10_PUBLISH_N", 600))


class Webhook(Case):
    def feed(self, server, *options, path="/hook?key=1", settings="", env=None, spool="spool"):
        feed = Feed(FEED, self.path(spool),
                    f"http://127.0.0.1:{server.port}{path}{settings and '#' + settings}", *options,
                    env=env)
        self.addCleanup(lambda: feed.process.poll() is None and feed.kill())
        return feed

    def test_one_by_one(self):
        server = self.start(Server())
        feed = self.feed(server, "--count", 5, "--linger", 600000,
                         env={"Y10_PUBLISH_USER": "cam", "Y10_PUBLISH_PASSWORD": "a:b"})
        self.assertEqual(feed.wait(), 0)
        self.assertEqual([m["n"] for m in server.lines()], [0, 1, 2, 3, 4])
        path, headers, _ = server.requests[0][1]
        self.assertEqual(path, "/hook?key=1")
        self.assertEqual(headers["Content-Type"], "application/json")
        self.assertEqual(headers["Authorization"], "Basic Y2FtOmE6Yg==")

    def test_two_followers(self):
        """One whose server is away neither blocks the other nor loses a line, across SIGKILL; and what it needs
        stays, though the other has it."""
        live, port = self.start(Server()), free_port()
        away = ("--beside", f"http://127.0.0.1:{port}/hook")
        feed = self.feed(live, "--count", N_LINES, "--rate", 1000, "--linger", 600000, *away)
        until(lambda: len(live.lines()) > N_LINES // 2)
        feed.kill()
        stored = sorted(lines_of(self.path("spool")))
        feed = self.feed(live, "--from", N_LINES, "--count", 10, "--linger", 600000, "--expect", 1000000, *away)
        until(lambda: {m["n"] for m in live.lines()} >= {*stored, *range(N_LINES, N_LINES + 10)})
        # Its position was never written, so it begins in front of all; the other one's was.
        feed.kill()
        self.assertFalse(os.path.exists(self.path("spool", "acknowledged.b")))
        dead = self.start(Server(port))
        feed = self.feed(live, "--from", N_LINES + 10, "--count", 1, "--linger", 600000, "--expect", 1000000, *away)
        until(lambda: len({m["n"] for m in dead.lines()}) == len(stored) + 11)
        self.assertEqual(sorted({m["n"] for m in dead.lines()}), [*stored, *range(N_LINES, N_LINES + 11)])
        until(lambda: os.path.exists(self.path("spool", "acknowledged.b")))
        before = len(dead.requests)
        feed.kill()
        feed = self.feed(live, "--from", N_LINES + 11, "--count", 1, "--linger", 600000, "--expect", 1000000, *away)
        until(lambda: dead.lines()[-1]["n"] == N_LINES + 11)
        self.assertLess(len(dead.requests) - before, N_LINES // 2)
        feed.kill()

    def test_token_and_batches(self):
        server = self.start(Server())
        token = self.write("token", "[publish]\ntoken=abc.d-e\n")
        for n, (settings, kind) in enumerate([("batch=50&format=ndjson", "application/x-ndjson"),
                                              ("batch=50", "application/json")]):
            del server.requests[:]
            feed = self.feed(server, "--from", 200 * n, "--count", 200, "--linger", 600000,
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
                        "--from", n, "--count", count, "--linger", 600000)
        feed = publish(0, "localhost", ours, 10)
        self.assertEqual(feed.wait(), 0)
        self.assertEqual((feed.stats["acknowledged"], feed.states), (10, []))
        self.assertEqual([m["n"] for m in server.lines()], list(range(10)))
        for host, settings in (("localhost", ""), ("127.0.0.1", ours)):
            feed = publish(10, host, settings, 1)
            until(lambda feed=feed: feed.states, "a warning")
            feed.kill()
            self.assertRegex(feed.states[0], "(?i)tls|certificate")
        self.assertEqual(len(server.requests), 10)

    def test_refused(self):
        """What a server refuses is counted, told once and not sent again; order goes on."""
        server = self.start(Server())
        server.answer = lambda n, request: 400 if json.loads(request[2])["n"] in (3, 4) else 204
        feed = self.feed(server, "--count", 8, "--linger", 600000)
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
        feed = self.feed(server, "--count", 2, "--linger", 600000)
        self.assertEqual(feed.wait(), 0)
        self.assertEqual([m["n"] for m in server.lines()], [0, 1])
        self.assertGreaterEqual(times[1] - times[0], 2)
        self.assertTrue(all(r[1][0] == "/hook?key=1" for r in server.requests))
        self.assertTrue(server.lines()[0]["replayed"])
        self.assertEqual(feed.stats["reconnects"], 3)
        self.assertEqual((len(feed.states), feed.states[-1]), (2, "works"))

    def spool(self, *events):
        make_spool(self.path("spool"), events)

    @staticmethod
    def numbers(request):
        value = json.loads(request[2])
        return [m["n"] for m in (value if isinstance(value, list) else [value])]

    def test_batches(self):
        """However many lines wait, a request keeps its limits of lines and of bytes."""
        self.spool(*[{"fill": "x" * (n % 5 * 60000)} for n in range(120)])
        server = self.start(Server())
        feed = self.feed(server, "--expect", 120, "--linger", 600000, settings="batch=12")
        self.assertEqual(feed.wait(), 0)
        self.assertEqual([m["n"] for m in server.lines()], list(range(120)))
        self.assertLessEqual(max(len(self.numbers(r)) for _, r in server.requests), 12)
        self.assertLessEqual(max(len(r[2]) for _, r in server.requests), 1 << 20)
        self.assertGreater(max(len(self.numbers(r)) for _, r in server.requests), 6)

    def test_too_large(self):
        """Of a batch that is too large, only what is so by itself is given up, and kept."""
        large = 17, 40
        self.spool(*[{"snapshot-jpeg": "A" * (90000 if n in large else 9000)} for n in range(60)])
        server = self.start(Server())
        server.answer = lambda n, request: 413 if len(request[2]) > 50000 else 200
        feed = self.feed(server, "--expect", 60, "--linger", 600000, settings="batch=50")
        self.assertEqual(feed.wait(), 0)
        self.assertEqual([m["n"] for m in server.lines()], [n for n in range(60) if n not in large])
        self.assertEqual((feed.stats["failed"], feed.stats["acknowledged"]), (2, 60))
        refused = refused_of(self.path("spool"))
        self.assertEqual([r["line"]["n"] for r in refused], list(large))
        self.assertIn("413", refused[0]["refused"])
        self.assertNotIn("snapshot-jpeg", refused[0]["line"])
        self.assertEqual((refused[0]["line"]["producer"], refused[0]["line"]["segment"]),
                         ("0123456789abcdef", 1))
        # It knows the limit by then.
        self.assertLess(sum(status == 413 for status, _ in server.requests), 12)

    def test_refused_in_batch(self):
        """A line that is refused takes no other with it, whatever the answer to that."""
        runs = []
        for i, status in enumerate((400, 409, 415, 422, 431)):
            server = self.start(Server())
            server.answer = lambda _, request, status=status: status if 31 in self.numbers(request) else 200
            runs.append((status, f"spool-{i}", server, self.feed(
                server, "--count", 100, "--linger", 600000, settings="batch=20", spool=f"spool-{i}")))
        for status, spool, server, feed in runs:
            with self.subTest(status=status):
                self.assertEqual(feed.wait(), 0)
                self.assertEqual([m["n"] for m in server.lines()], [n for n in range(100) if n != 31])
                self.assertEqual(feed.stats["failed"], 1)
                refused, = refused_of(self.path(spool))
                self.assertEqual(refused["line"]["n"], 31)
                self.assertIn(str(status), refused["refused"])

    def test_harm(self):
        """Lines for which the server fails hold up no others, and come when it has been mended."""
        self.spool(*[{}] * 40)
        server, mended = self.start(Server()), threading.Event()
        harm = {3: 500, 11: None, 20: 502, 33: 404}

        def answer(n, request):
            bad = [harm[i] for i in self.numbers(request) if i in harm]
            return bad[0] if bad and not mended.is_set() else 200
        server.answer = answer
        feed = self.feed(server, "--expect", 40, "--linger", 600000, settings="batch=8")

        def taken():
            return {m["n"] for m in server.lines((200,))}
        until(lambda: taken() == set(range(40)) - set(harm), what="all others")
        mended.set()
        self.assertEqual(feed.wait(), 0)
        self.assertEqual(taken(), set(range(40)))
        self.assertEqual((feed.stats["failed"], refused_of(self.path("spool"))), (0, []))

    def test_late(self):
        """An answer that is late holds up no other line, and counts when it comes."""
        self.spool(*[{}] * 8)
        server, tries = self.start(Server()), []

        def answer(n, request):
            number, = self.numbers(request)
            tries.append(number)
            if number == 2:
                until(lambda: feed.states, "a warning that an answer is late")
            if number == 5 and tries.count(5) == 1:
                until(lambda: tries.count(5) == 2, "another try")
            return 200
        server.answer = answer
        feed = self.feed(server, "--expect", 8, "--linger", 600000, "--timeout", 1000)
        self.assertEqual(feed.wait(), 0)
        self.assertEqual([n for n in tries if n != 5], [0, 1, 2, 3, 4, 6, 7])
        self.assertEqual(tries.count(5), 2)
        self.assertLess(tries.index(7), len(tries) - 1)
        self.assertRegex("".join(feed.states), "no answer within 1 s")
        self.assertEqual(feed.stats["failed"], 0)

    def each(self, cases, *options, ahead=lambda case: 0, **more):
        """A server and a feed of its own for each case, all at once. answer(n, case, server) says what
        the server answers. Returns (case, server, feed, times of requests) of each."""
        found = []
        for i, (case, answer) in enumerate(cases):
            server, times = self.start(Server()), []
            server.ahead = ahead(case)

            def reply(n, _, case=case, answer=answer, times=times, server=server):
                times.append(time.monotonic())
                return answer(n, case, server)
            server.answer = reply
            found.append((case, server, self.feed(server, *options, spool=f"spool-{i}", **more), times))
        return found

    def test_restart(self):
        """Answers of what stands in for a server while it restarts lose nothing."""
        def answer(n, status, _):
            return (status, {"Location": "http://127.0.0.1:9/secret"}) if n < 2 else 200
        answers = 301, 401, 403, 404, 405, 407, 408, 410, 425, 502, 308
        for status, server, feed, _ in self.each([(status, answer) for status in answers],
                                                 "--count", 10, "--linger", 600000):
            with self.subTest(status=status):
                self.assertEqual(feed.wait(), 0)
                self.assertEqual([m["n"] for m in server.lines()], list(range(10)))
                self.assertEqual((feed.stats["failed"], len(feed.states)), (0, 2))
                self.assertIn(str(status), feed.states[0])
                self.assertNotIn("secret", feed.states[0])
                self.assertNotIn("key=1", feed.states[0])

    def test_elsewhere(self):
        """No line and no password goes where a server redirects to."""
        other = self.start(Server())

        def answer(n, status, _):
            return (status, {"Location": f"http://127.0.0.1:{other.port}/hook"}) if n < 2 else 200
        for status, server, feed, _ in self.each([(status, answer) for status in (301, 302, 303, 307, 308)],
                                                 "--count", 1, "--linger", 600000,
                                                 env={"Y10_PUBLISH_TOKEN": "abc"}):
            with self.subTest(status=status):
                self.assertEqual(feed.wait(), 0)
                self.assertEqual(len(server.requests), 3)
                self.assertIn(f"127.0.0.1:{other.port}", feed.states[0])
        self.assertEqual(other.requests, [])

    def test_retry_after(self):
        """Seconds and all three forms of a date that RFC 9110 has, by the server's clock."""
        forms = {"IMF": lambda t: email.utils.format_datetime(t, usegmt=True),
                 "RFC 850": lambda t: t.strftime("%A, %d-%b-%y %H:%M:%S GMT"),
                 "asctime": lambda t: t.strftime("%a %b ") + f"{t.day:2d}" + t.strftime(" %H:%M:%S %Y"),
                 "seconds": lambda t: "3"}

        def answer(n, case, server):
            if n:
                return 200
            then = datetime.datetime.fromtimestamp(time.time() + server.ahead + 3, datetime.timezone.utc)
            return case[2], {"Retry-After": forms[case[0]](then)}
        cases = [(form, ahead, 503) for form in forms for ahead in (0, 86400, -86400)]
        cases += [("seconds", 0, status) for status in (404, 413, 429)]
        for case, _, feed, times in self.each([(case, answer) for case in cases], "--count", 1, "--linger",
                                              600000, ahead=lambda case: case[1]):
            with self.subTest(case=case):
                self.assertEqual(feed.wait(), 0)
                # The dates have whole seconds.
                self.assertGreaterEqual(times[1] - times[0], 1.9)

    def test_retry_after_nonsense(self):
        """What has no meaning, or lies in the past, does not keep lines back; what is far away does."""
        def answer(n, value, _):
            return 200 if n else (503, {"Retry-After": value})
        short = "-5", "soon", "1.5", "Sun, 06 Nov 1994 08:49:37 GMT", "0", ""
        for value, server, feed, _ in self.each([(value, answer) for value in short], "--count", 1, "--linger",
                                                600000):
            with self.subTest(value=value):
                self.assertEqual(feed.wait(), 0)
                self.assertEqual(len(server.requests), 2)
        for value, server, feed, _ in self.each([(value, answer) for value in (
                "99999999999999999999", "7200", "Fri, 31 Dec 9999 23:59:59 GMT")], "--from", 10, "--count", 1):
            with self.subTest(value=value):
                until(lambda server=server: server.requests, what="a request")
                time.sleep(1)       # for others
                feed.kill()
                self.assertEqual(len(server.requests), 1)

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
            enough = self.random.randrange(150, 450)
            while feed.synced < enough and feed.process.poll() is None:
                time.sleep(self.random.uniform(0.1, 0.5))       # at any time
                if self.random.randrange(4) == 0:
                    server.close()
                    time.sleep(0.1)     # away
                    taken += server.lines()
                    server = Server(port)
                    server.answer = answer
            synced = feed.kill()
            kills += 1
            accepted += range(n, n + synced)
            # What was written but not synced has numbers, too.
            n = max([n - 1 + synced] + list(lines_of(self.path('spool')))) + 1
        server.answer = lambda *_: 200
        feed = self.feed(server, "--from", n, "--count", 1, "--linger", 600000, settings=settings)
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
        feed = self.feed(server, "--count", 3, "--rate", 3, "--linger", 600000, "--max-delay", 3)
        until(lambda: feed.states and feed.synced == 3, what="a warning, and all lines")
        time.sleep(4)       # longer than lines may wait
        self.assertEqual(len(feed.states), 1)
        server = self.start(Server(port))
        until(lambda: feed.process.poll() is not None, what="the end")
        feed.wait()
        self.assertEqual((feed.stats["skipped"], feed.stats["acknowledged"]), (3, 3))
        self.assertEqual(server.requests, [])


unittest.main()
