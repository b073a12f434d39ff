#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Of many events, one in a hundred of which is refused, all others arrive, whatever the other side
answers meanwhile; those that were refused are kept with the reason.

usage: test-arrival.py FEED [KAFKAMOCK] [TEST…]

Y10_PUBLISH_N in the environment: how many events (default: 10000).
"""
import datetime
import email.utils
import json
import os
import shutil
import subprocess
import sys
import threading
import time
import unittest

import broker
from broker import (MOSQUITTO, Broker, Case, Feed, Subscriber, free_port, make_spool, refused_of,
                    until)
from kafkadoor import Cluster
from receiver import Server

broker.PATIENCE = 900
FEED = sys.argv.pop(1)
MOCK = sys.argv.pop(1) if len(sys.argv) > 1 and os.path.exists(sys.argv[1]) else None
N = int(os.environ.get("Y10_PUBLISH_N", 10000))
NGINX = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
SMALL, LIMIT = 65536, 1000000   # bytes: of what a receiver takes, and of what Kafka does


def now():
    return datetime.datetime.now(datetime.timezone.utc)


class Arrival(Case):
    def fill(self, size):
        """A spool with N events, one in a hundred of them with so many bytes."""
        make_spool(self.path("spool"),
                   [{"snapshot-jpeg": "A" * size} if n in self.large() else {} for n in range(N)])

    @staticmethod
    def large():
        return range(50, N, 100)

    def follow(self, uri, *options):
        began = time.monotonic()
        feed = Feed(FEED, self.path("spool"), uri, "--expect", N, "--linger", 900000, *options)
        self.addCleanup(lambda: feed.process.poll() is None and feed.kill())
        self.assertEqual(feed.wait(), 0)
        self.seconds = time.monotonic() - began
        return feed

    def judge(self, feed, received):
        """received: the lines, in the order in which they came."""
        refused = refused_of(self.path("spool"))
        named = sorted(r["line"]["n"] for r in refused)
        self.assertEqual(named, list(self.large()))
        for r in refused:
            self.assertTrue(r["refused"])
            self.assertEqual((r["line"]["producer"], r["line"]["segment"]), ("0123456789abcdef", 1))
        wanted = set(range(N)) - set(self.large())
        numbers = {m["n"] for m in received}
        self.assertEqual(sorted(wanted - numbers), [], "lines are missing")
        self.assertEqual(numbers - wanted, set())
        self.assertEqual((feed.stats["acknowledged"], feed.stats["failed"]), (N, len(refused)))
        first = list(dict.fromkeys(m["n"] for m in received))
        late = sum(n < max(first[:i], default=-1) for i, n in enumerate(first)) if N <= 2000 else "?"
        print(f"{self.id()}: {N} events in {self.seconds:.0f} s: {len(numbers)} arrived, 0 missing, "
              f"{len(received) - len(numbers)} doubles, {late} overtaken, {len(refused)} refused as "
              f"\"{refused[0]['refused']}\"", flush=True)

    def mqtt(self, extra):
        if not MOSQUITTO:
            self.skipTest("mosquitto is missing (Debian: mosquitto, mosquitto-clients)")
        self.fill(SMALL)
        mosquitto = self.start(Broker(self.folder, f"allow_anonymous true\n{extra}"))
        got = self.start(Subscriber(self.folder, mosquitto.port, "y10/door/event"))
        feed = self.follow(f"mqtt://127.0.0.1:{mosquitto.port}/y10")
        until(lambda: len(got.of("y10/door/event")) >= N - len(self.large()), what="all events")
        self.judge(feed, list(map(json.loads, got.of("y10/door/event"))))

    def test_mqtt_message_size(self):
        self.mqtt(f"message_size_limit {SMALL}")

    def test_mqtt_packet_size(self):
        self.mqtt(f"max_packet_size {SMALL}")

    def test_webhook(self):
        """A receiver that restarts, is busy until a date, is slow, and takes small requests only."""
        self.fill(SMALL)
        server = self.start(Server())
        began, dates, lock = time.monotonic(), [], threading.Lock()
        slow = {n for n in (N // 5, N // 3, N // 2) if n not in self.large()}

        def busy():
            """Each of the three forms of a date once, two seconds ahead."""
            then = now() + datetime.timedelta(seconds=2)
            return (503, {"Retry-After": (
                email.utils.format_datetime(then, usegmt=True),
                then.strftime("%A, %d-%b-%y %H:%M:%S GMT"),
                then.strftime("%a %b ") + f"{then.day:2d}" + then.strftime(" %H:%M:%S %Y"))[len(dates)]})

        def answer(n, request):
            lines = json.loads(request[2])
            if time.monotonic() - began < 60:
                return 404
            with lock:
                if len(dates) < 3 and n % 10 == 9:
                    status = busy()
                    dates.append(time.monotonic())
                    return status
            if len(request[2]) > SMALL:
                return 413
            if slow & {m["n"] for m in lines}:
                time.sleep(25)
            return 200
        server.answer = answer
        feed = self.follow(f"http://127.0.0.1:{server.port}/hook#batch=50")
        self.judge(feed, server.lines((200,)))
        self.assertEqual(len(dates), 3)
        self.assertLessEqual(max(len(json.loads(r[1][2])) for r in server.requests), 50)
        counts = {}
        for status, _ in server.requests:
            status = status if isinstance(status, int) else status[0]
            counts[status] = counts.get(status, 0) + 1
        print(f"answers: {counts}; warnings: {sum(s != 'works' for s in feed.states)}")

    def test_nginx(self):
        """Its limit of a request's body, in front of a receiver that is away for a while."""
        if not NGINX:
            self.skipTest("nginx is missing (Debian: nginx-light)")
        self.fill(SMALL)
        port, near = free_port(), free_port()
        self.write("nginx.conf", f"""
            daemon off; pid {self.path('nginx.pid')}; error_log {self.path('error.log')};
            events {{}}
            http {{ access_log off; client_max_body_size {SMALL};
              client_body_temp_path {self.path('body')}; proxy_temp_path {self.path('proxy')};
              fastcgi_temp_path {self.path('f')}; uwsgi_temp_path {self.path('u')};
              scgi_temp_path {self.path('s')};
              server {{ listen 127.0.0.1:{near};
                location / {{ proxy_pass http://127.0.0.1:{port}; }} }} }}""")
        with subprocess.Popen([NGINX, "-c", self.path("nginx.conf"), "-p", self.folder],
                              stderr=subprocess.DEVNULL) as nginx:
            self.addCleanup(nginx.terminate)
            until(lambda: broker.answers(near), what="nginx")
            threading.Timer(10, lambda: servers.append(self.start(Server(port)))).start()
            servers = []
            feed = self.follow(f"http://127.0.0.1:{near}/hook#batch=50&format=ndjson")
            nginx.terminate()
        self.judge(feed, servers[0].lines())

    def test_kafka(self):
        """A line beyond the limit of a message, and requests that are refused for one of their lines."""
        if not MOCK:
            self.skipTest("librdkafka is missing")
        self.fill(LIMIT)
        cluster = self.start(Cluster(MOCK))
        cluster.tell("refuse 5")
        feed = self.follow(f"kafka://{cluster.address}/y10")
        self.judge(feed, [m for _, m in cluster.messages()])


unittest.main()
