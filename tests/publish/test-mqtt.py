#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""What a spool has accepted arrives at an MQTT broker, in order, whoever dies meanwhile.

usage: test-mqtt.py FEED [TEST...]

Y10_PUBLISH_N in the environment: how many lines are sent while everything fails (default:
1500).
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest

from broker import (Broker, Case, Feed, Picky, Subscriber, check, lines_of, make_certificates,
                    make_spool, need_broker, refused_of, servers, until)

FEED = sys.argv.pop(1)
N_LINES = int(os.environ.get("Y10_PUBLISH_N", 1500))


class Mqtt(Case):
    def setUp(self):
        super().setUp()
        self.spool = self.path("spool")

    def broker(self, extra=""):
        self.broker_ = self.start(Broker(self.folder, extra))
        return self.broker_

    def feed(self, uri, *options, env=None):
        feed = Feed(FEED, self.spool, uri, *options, env=env)
        self.addCleanup(lambda: feed.process.poll() is None and feed.kill())
        return feed

    def run_feed(self, uri, *options, env=None):
        feed = self.feed(uri, *options, env=env)
        self.assertEqual(feed.wait(), 0, feed.error if hasattr(feed, "error") else "")
        return feed

    def test_everything_fails(self):
        """The publisher is killed, the broker stopped and the connection cut at random."""
        broker = self.broker()
        got = self.start(Subscriber(self.folder, broker.port, "y10/door/event"))
        proxy = self.start(servers.Relay(broker.port))
        uri = f"mqtt://127.0.0.1:{proxy.port}/y10"
        accepted, n, kills, cuts, stops, unsafe = [], 0, 0, 0, 0, 0
        while n < N_LINES:
            feed = self.feed(uri, "--from", n, "--count", N_LINES - n, "--rate",
                             400)
            enough = self.random.randrange(100, 600)
            while feed.synced < enough and feed.process.poll() is None:
                time.sleep(self.random.uniform(0.02, 0.4))      # at any time
                what = self.random.randrange(5)
                if what < 2:
                    proxy.cut()
                    cuts += 1
                elif what == 2:
                    broker.stop()
                    broker.start()
                    stops += 1
            synced = feed.kill()
            kills += 1
            accepted += range(n, n + synced)
            # Lines that were written but not yet synced are the loss window. The next one
            # begins behind those that the files have.
            have = [m for m in lines_of(self.spool) if m >= n]
            unsafe += len(have) - synced
            n = max([n - 1 + synced] + have) + 1
        last = self.run_feed(uri, "--from", n, "--count", 1, "--linger", 600000)
        until(lambda: any(m["n"] == n for m in map(json.loads, got.of("y10/door/event"))),
                 what="the last line")
        messages = list(map(json.loads, got.of("y10/door/event")))
        doubles = check(self, messages, accepted + [n])
        # Each double is told as such, but for those that the broker itself makes.
        seen = {}
        for m in messages:
            first = seen.setdefault((m["segment"], m["offset"]), m)
            self.assertTrue(m == first or m.get("replayed"), m)
        print(f"{len(accepted)} accepted of {n}, {kills} kills, {cuts} cuts, {stops} stops of "
              f"the broker: {len(messages)} received, 0 missing, {doubles} doubles, "
              f"{unsafe} written but not synced when killed; {last.stats}")

    def test_topics(self):
        """Lines, presence and states have their topics, and presence is told by the will."""
        broker = self.broker()
        got = self.start(Subscriber(self.folder, broker.port))
        uri = f"mqtt://127.0.0.1:{broker.port}/home/y10/"
        # Until it is killed: one that ends says by itself that it is gone.
        feed = self.feed(uri, "--count", 3, "--announce", "--linger", 600000, "--expect", 100, "--also",
                         "yard", "--rate", 10)
        until(lambda: len(got.of("home/y10/door/event")) == 3, what="events")
        until(lambda: got.of("home/y10/door/zone/yard/occupancy")[-1:] == ["2"])
        self.assertEqual(got.of("home/y10/door/line/gate/crossings"), ['{"in":0,"out":0}'])
        event = json.loads(got.of("home/y10/door/event")[0])
        self.assertEqual(event["n"], 0)
        self.assertNotIn("replayed", event)
        self.assertEqual(list(event)[-3:], ["producer", "segment", "offset"])
        for stream in "door", "yard":
            until(lambda: got.of(f"home/y10/{stream}/state")[-1:] == ["online"])
        feed.kill()
        for stream in "door", "yard":
            until(lambda: got.of(f"home/y10/{stream}/state")[-1:] == ["offline"],
                     what="the will")
        # Retained, so that who comes later knows it, too.
        late = self.late(broker, "home/y10/#", "1\thome/y10/door/state\toffline",
                         "1\thome/y10/door/zone/yard/occupancy\t2")
        self.assertFalse([m for m in late if "event" in m])
        # Whoever begins anew sees nobody.
        feed = self.feed(uri, "--announce", "--linger", 600000)
        until(lambda: got.of("home/y10/door/zone/yard/occupancy")[-1:] == ["0"])
        self.assertEqual(feed.stop(), 0)
        self.late(broker, "home/y10/#", "1\thome/y10/door/zone/yard/occupancy\t0",
                  "1\thome/y10/door/state\toffline")

    @staticmethod
    def late(broker, topic, *expected):
        """What a broker has kept, where that has these lines; it has a second to tell."""
        def kept():
            run = subprocess.run(["mosquitto_sub", "-h", "127.0.0.1", "-p", str(broker.port), "-t",
                                  topic, "-W", "1", "-F", "%r\t%t\t%p"], capture_output=True,
                                 text=True, check=False)
            found = run.stdout.splitlines()
            return set(expected) <= set(found) and found
        return until(kept, what=expected)

    def test_state_after_crash(self):
        """A state is that of the last line, not of those that are sent before it."""
        broker = self.broker()
        proxy = self.start(servers.Relay(broker.port))
        uri = f"mqtt://127.0.0.1:{proxy.port}/y10"
        proxy.leave()
        feed = self.feed(uri, "--count", 12, "--linger", 600000)
        until(lambda: feed.synced == 12)
        feed.kill()
        got = self.start(Subscriber(self.folder, broker.port))
        proxy.listen()
        feed = self.feed(uri, "--linger", 600000)
        until(lambda: len(got.of("y10/door/event")) == 12, what="events")
        until(lambda: got.of("y10/door/zone/yard/occupancy"), what="the state")
        self.assertEqual(got.of("y10/door/zone/yard/occupancy"), ["4"])
        self.assertTrue(all(json.loads(m)["replayed"] for m in got.of("y10/door/event")))
        feed.kill()

    def numbers(self, got, topic="y10/door/event"):
        return [json.loads(m)["n"] for m in got.of(topic)]

    def test_too_large(self):
        """Only a line beyond the broker's limit is given up, and told; the broker says so in MQTT 5."""
        for i, limit in enumerate(("message_size_limit 4000", "max_packet_size 4000")):
            with self.subTest(limit=limit):
                folder, spool = self.path(f"broker-{i}"), self.path(f"spool-{i}")
                os.mkdir(folder)
                broker = self.start(Broker(folder, f"allow_anonymous true\n{limit}"))
                got = self.start(Subscriber(folder, broker.port, "y10/door/event"))
                make_spool(spool, [{"fill": "x" * (5000 if n == 7 else 10)} for n in range(60)])
                feed = self.start_feed(spool, f"mqtt://127.0.0.1:{broker.port}/y10", "--expect", 60)
                self.assertEqual(feed.wait(), 0)
                until(lambda got=got: len(set(self.numbers(got))) == 59, what="all others")
                self.assertNotIn(7, self.numbers(got))
                self.assertEqual((feed.stats["failed"], feed.stats["acknowledged"]), (1, 60))
                refused, = refused_of(spool)
                self.assertEqual(refused["line"]["n"], 7)
                self.assertIn("larger" if i else "large", refused["refused"])

    def start_feed(self, spool, uri, *options):
        feed = Feed(FEED, spool, uri, "--linger", 600000, *options)
        self.addCleanup(lambda: feed.process.poll() is None and feed.kill())
        return feed

    def test_old_broker(self):
        """A broker from before MQTT 5 gets everything, whether it says what it lacks or hangs up."""
        broker = self.broker()
        got = self.start(Subscriber(self.folder, broker.port, "y10/door/event"))
        for i, refuses in enumerate((True, False)):
            old = self.start(Picky(broker.port, refuses=refuses))
            self.run_feed(f"mqtt://127.0.0.1:{old.port}/y10", "--from", 50 * i, "--count", 50,
                          "--linger", 600000)
        until(lambda: set(self.numbers(got)) == set(range(100)), what="all lines")

    def test_harm(self):
        """A line at which the broker hangs up holds up no others, and comes once it is taken."""
        make_spool(self.spool, [{"mark": "harm-7" if n == 7 else ""} for n in range(150)])
        broker = self.broker()
        got = self.start(Subscriber(self.folder, broker.port, "y10/door/event"))
        picky = self.start(Picky(broker.port, mark=b"harm-7"))
        feed = self.feed(f"mqtt://127.0.0.1:{picky.port}/y10", "--expect", 150, "--linger", 600000)
        until(lambda: set(self.numbers(got)) == set(range(150)) - {7}, what="all others")
        self.assertGreater(picky.cuts, 2)
        picky.mark = None
        self.assertEqual(feed.wait(), 0)
        until(lambda: 7 in self.numbers(got), what="the line")
        self.assertEqual((feed.stats["failed"], refused_of(self.spool)), (0, []))

    def test_no_right(self):
        """A topic that the broker does not allow holds up no others, and loses nothing."""
        make_spool(self.spool, [{"stream": "door" if n % 10 else "gate"} for n in range(100)])
        rules = self.write("rules", "topic readwrite y10/door/#\ntopic read #\n", 0o644)
        # Without this limit, mosquitto 2.0.11 hangs up besides.
        broker = self.broker(f"allow_anonymous true\nmax_queued_messages 5000\nacl_file {rules}")
        got = self.start(Subscriber(self.folder, broker.port))
        feed = self.feed(f"mqtt://127.0.0.1:{broker.port}/y10", "--expect", 100, "--linger", 600000)
        until(lambda: len(set(self.numbers(got))) == 90, what="what is allowed")
        self.assertIn("not authorized", "".join(feed.states).lower())
        self.write("rules", "topic readwrite #\n", 0o644)
        broker.process.send_signal(signal.SIGHUP)
        self.assertEqual(feed.wait(), 0)
        until(lambda: len(set(self.numbers(got, "y10/gate/event"))) == 10, what="the rest")
        self.assertEqual(feed.stats["failed"], 0)

    def state(self, spool):
        with open(os.path.join(spool, "state"), encoding="utf-8") as f:
            return dict(line.rstrip("\n").split("=", 1) for line in f)

    def test_copy(self):
        """A copy of a spool has a producer of its own, and names of lines stay names."""
        broker = self.broker()
        got = self.start(Subscriber(self.folder, broker.port, "y10/door/event"))
        uri = f"mqtt://127.0.0.1:{broker.port}/y10"
        away = self.feed("mqtt://127.0.0.1:1/y10", "--count", 20)
        until(lambda: away.synced == 20, what="lines")
        away.kill()
        original, copy, moved = self.spool, self.path("copy"), self.path("moved")
        shutil.copytree(original, copy)
        feeds = [self.start_feed(spool, uri, "--from", n, "--count", 20, "--expect", 40)
                 for spool, n in ((original, 100), (copy, 200))]
        for feed in feeds:
            self.assertEqual(feed.wait(), 0)
            self.assertEqual(feed.stats["reconnects"], 0)
        until(lambda: {m["n"] for m in map(json.loads, got.of("y10/door/event"))}
                 == {*range(20), *range(100, 120), *range(200, 220)}, what="all lines")
        messages = list(map(json.loads, got.of("y10/door/event")))
        names = {}
        for m in messages:
            names.setdefault((m["producer"], m["segment"], m["offset"]), set()).add(m["n"])
        self.assertTrue(all(len(numbers) == 1 for numbers in names.values()), names)
        # What both have is the same to a consumer that leaves out names that it has seen.
        self.assertEqual(len(names), 60)
        with open(self.path("mosquitto.log"), encoding="utf-8") as f:
            self.assertNotIn("already connected", f.read())
        # A folder that has another name is the same one.
        producer = self.state(original)["producer"]
        self.assertNotEqual(producer, self.state(copy)["producer"])
        os.rename(original, moved)
        self.assertEqual(self.start_feed(moved, uri, "--from", 300, "--count", 1).wait(), 0)
        self.assertEqual(self.state(moved)["producer"], producer)

    def test_frames(self):
        broker = self.broker()
        got = self.start(Subscriber(self.folder, broker.port))
        uri = f"mqtt://localhost:{broker.port}"
        self.run_feed(uri, "--frames", "--count", 5, "--linger", 600000, "--stream", "a/b+\\u00e9")
        until(lambda: len(got.of("a%2Fb%2Bé/frame")) >= 5, what="frames")
        frames = [json.loads(m) for m in got.of("a%2Fb%2Bé/frame")]
        self.assertEqual([m["n"] for m in frames], [0, 1, 2, 3, 4])
        self.assertEqual(frames[0]["objects"], [{"label": 'a,}"]'}])

    def test_names(self):
        """Different names have different topics."""
        names = ["Tor/1", "Tor_1", "Tor%2F1", "Tor+1", "Tor#1", "$Tor", "_Tor", "%24Tor", "", "_", "%00", "T\u0085r",
                 "T_r", "Tür 1"]
        make_spool(self.spool, [{"stream": name, "zone": zone} for name in names for zone in names])
        broker = self.broker()
        got = self.start(Subscriber(self.folder, broker.port))
        self.run_feed(f"mqtt://127.0.0.1:{broker.port}/y10", "--expect", len(names) ** 2, "--linger", 600000)

        def topics(end):
            return {t for _, t, _ in got.messages() if t.endswith(end)}
        until(lambda: len(topics("/event")) == len(names), what="events")
        until(lambda: len(topics("/occupancy")) == len(names) ** 2, what="states")
        self.assertIn("y10/Tür 1/zone/Tor_1/occupancy", topics("/occupancy"))

    def test_old_lines(self):
        """What is older than max-delay is skipped, counted and acknowledged."""
        broker = self.broker()
        got = self.start(Subscriber(self.folder, broker.port))
        uri = f"mqtt://127.0.0.1:{broker.port}/y10"
        feed = self.run_feed(uri, "--count", 8, "--age", 3600, "--max-delay", 60, "--linger", 600000)
        self.assertEqual((feed.stats["skipped"], feed.stats["acknowledged"]), (8, 8))
        feed = self.run_feed(uri, "--from", 8, "--count", 1, "--age", 30, "--max-delay", 600,
                             "--linger", 600000)
        messages = list(map(json.loads, until(lambda: got.of("y10/door/event"))))
        self.assertEqual([m["n"] for m in messages], [8])
        self.assertTrue(messages[0]["replayed"], "30 s old, so it is no news")

    def test_nothing_twice(self):
        """What was acknowledged is not sent again by the next process."""
        broker = self.broker()
        got = self.start(Subscriber(self.folder, broker.port))
        uri = f"mqtt://127.0.0.1:{broker.port}/y10"
        for begin in range(0, 200, 50):
            self.run_feed(uri, "--from", begin, "--count", 50)
        until(lambda: len(got.of("y10/door/event")) >= 200)
        numbers = [json.loads(m)["n"] for m in got.of("y10/door/event")]
        self.assertEqual(numbers, list(range(200)))

    def test_password(self):
        self.write("passwords", "")
        subprocess.run(["mosquitto_passwd", "-b", self.path("passwords"), "cam", "se:cret"],
                       check=True)
        broker = self.broker(f"allow_anonymous false\npassword_file {self.path('passwords')}")
        uri = f"mqtt://127.0.0.1:{broker.port}/y10"
        key_file = self.write("key", "[publish]\nuser=cam\npassword=se:cret\n")
        line_file = self.write("line", "cam:se:cret\n")
        for n, (options, env) in enumerate([
                (["--credentials", key_file], {}), (["--credentials", line_file], {}),
                ([], {"Y10_PUBLISH_USER": "cam", "Y10_PUBLISH_PASSWORD": "se:cret"})]):
            feed = self.run_feed(uri, "--from", n, "--count", 1, "--linger", 600000, *options,
                                 env=env)
            self.assertEqual(feed.stats["acknowledged"], 1, feed.output)
        feed = self.feed(uri, "--from", 9, "--count", 1, "--linger", 600000, "--credentials",
                         self.write("wrong", "cam:wrong"))
        until(lambda: feed.states, what="a warning")
        self.assertEqual(feed.stop(), 0)
        self.assertEqual(feed.stats["acknowledged"], 0)
        self.assertRegex(feed.states[0].lower(), "not authori[sz]ed")
        self.assertNotIn("wrong", "".join(feed.output))

    def test_tls(self):
        make_certificates(self)
        broker = self.broker(f"allow_anonymous true\ncafile {self.path('ca.pem')}\n"
                             f"certfile {self.path('server.pem')}\n"
                             f"keyfile {self.path('server.key')}")
        got = self.start(Subscriber(self.folder, broker.port, options=[
            "--cafile", self.path("ca.pem"), "--insecure"]))
        uri = f"mqtts://localhost:{broker.port}/y10"
        feed = self.run_feed(f"{uri}?cafile={self.path('ca.pem')}", "--count", 300, "--linger",
                             600000)
        self.assertEqual(feed.stats["acknowledged"], 300, feed.output)
        until(lambda: len(got.of("y10/door/event")) == 300)
        # Of an authority that nobody knows, and for another name.
        for other in uri, f"{uri}?cafile={self.path('ca.pem')}".replace("localhost", "127.0.0.1"):
            feed = self.feed(other, "--from", 300, "--count", 1, "--linger", 600000)
            until(lambda feed=feed: feed.states, what="a warning")
            self.assertEqual(feed.stop(), 0)
            self.assertEqual(feed.stats["acknowledged"], 0, feed.output)
            self.assertRegex(feed.states[0], "(?i)tls|certificate")


need_broker()
unittest.main()
