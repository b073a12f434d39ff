#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Home Assistant is told of zones and lines, by the rules of its MQTT discovery.

usage: test-home-assistant.py FEED [TEST…]

The rules are those of its documentation. If Y10_HOMEASSISTANT names a Python that has the package
homeassistant, its own schemas and templates judge, too (homeassistant-schema.py).
"""
import json
import os
import re
import subprocess
import sys
import time
import unittest

from broker import Broker, Case, Feed, Subscriber, need_broker, until

FEED = sys.argv.pop(1)
PYTHON = os.environ.get("Y10_HOMEASSISTANT")

# What the documentation of each integration requires and allows (those that are used).
KEYS = {
    "sensor": ({"state_topic"}, {"state_class", "value_template"}),
    "binary_sensor": ({"state_topic"}, {"device_class", "value_template"}),
    "event": ({"state_topic", "event_types"}, {"value_template"}),
    "device_automation": ({"automation_type", "topic", "type", "subtype"},
                          {"payload", "value_template"}),
}
OF_ENTITIES = {"name", "unique_id", "availability_topic", "device", "origin"}
# <discovery_prefix>/<component>/[<node_id>/]<object_id>/config
TOPIC = re.compile(r"homeassistant/(\w+)/([a-zA-Z0-9_-]+)/([a-zA-Z0-9_-]+)/config")


class HomeAssistant(Case):
    def run_feed(self, zone, *options):
        broker = self.start(Broker(self.folder))
        got = self.start(Subscriber(self.folder, broker.port))
        feed = Feed(FEED, self.path("spool"), f"mqtt://127.0.0.1:{broker.port}/y10",
                    "--home-assistant", "--zone", zone, "--linger", 600000, *options)
        self.assertEqual(feed.wait(), 0, feed.output)
        until(lambda: got.of("y10/door/state")[-1:] == ["offline"])
        return got

    @staticmethod
    def configs(got):
        return {topic: json.loads(payload) for _, topic, payload in got.messages()
                if topic.startswith("homeassistant/")}

    def check(self, configs):
        ids = set()
        for topic, config in configs.items():
            match = TOPIC.fullmatch(topic)
            self.assertTrue(match, topic)
            needed, allowed = KEYS[match[1]]
            self.assertLessEqual(needed, set(config), topic)
            if match[1] == "device_automation":
                self.assertLessEqual(set(config), needed | allowed | {"device", "origin"})
                self.assertEqual(config["automation_type"], "trigger")
            else:
                self.assertLessEqual(set(config), needed | allowed | OF_ENTITIES)
                ids.add(config["unique_id"])
            self.assertTrue(config["device"]["identifiers"])
            # Whole names: schemas of abbreviations know others.
            self.assertLessEqual({"name"}, set(config["origin"]))
            self.assertLessEqual(set(config["origin"]), {"name", "sw_version", "support_url"})
            self.assertLessEqual(set(config["device"]),
                                 {"identifiers", "name", "manufacturer", "model", "sw_version"})
        self.assertEqual(len(ids), sum("unique_id" in config for config in configs.values()))
        self.assertEqual(len({json.dumps(c["device"]) for c in configs.values()}), 1)

    def test_discovery(self):
        got = self.run_feed("yard", "--announce", "--count", 3)
        configs = self.configs(got)
        self.check(configs)
        self.assertEqual(len(configs), 7, list(configs))
        states = {c["state_topic"] for c in configs.values() if "state_topic" in c}
        self.assertEqual(states, {"y10/door/zone/yard/occupancy", "y10/door/event",
                                  "y10/door/line/gate/crossings"})
        # Told before the states and events that they are about.
        order = [topic for _, topic, _ in got.messages()]
        self.assertLess(max(order.index(topic) for topic in configs if "zone" in topic),
                        min(order.index(topic) for topic in states if "zone" in topic))
        for topic in states:
            self.assertIn(topic, order)

    def test_names(self):
        """Whatever a zone is called, topics and templates are sound."""
        # As JSON has it.
        zone = r'B\u00fcro \"1/2\" {{ 7*7 }} \\ +#'
        got = self.run_feed(zone, "--count", 2)
        configs = self.configs(got)
        self.check(configs)
        self.assertEqual(len(configs), 5)
        trigger = next(c for t, c in configs.items() if "device_automation" in t)
        self.assertEqual(trigger["subtype"], json.loads(f'"{zone}"'))
        if PYTHON:
            self.judge(configs, got, 1)

    def broker(self):
        """A broker, and who knows what it keeps."""
        broker = self.start(Broker(self.folder))
        self.got = self.start(Subscriber(self.folder, broker.port))
        return broker

    def kept(self):
        """What the broker keeps of zones, lines and streams, and what it tells Home Assistant."""
        last = {topic: payload for _, topic, payload in self.got.messages()}
        return {topic for topic, payload in last.items() if payload}

    def run_zone(self, broker, spool, zone, *options, seconds=0.0, then=None):
        feed = Feed(FEED, self.path(spool), f"mqtt://127.0.0.1:{broker.port}/y10", "--home-assistant",
                    "--announce", "--zone", zone, "--linger", 600000, *options)
        self.addCleanup(lambda: feed.process.poll() is None and feed.kill())
        until(lambda: any(f"/zone/{zone}/" in t for t in self.kept()), what="the zone")
        time.sleep(seconds)
        if then:
            until(then, what="what the broker keeps")
        return feed

    def test_zone_gone(self):
        """What was told of a zone is taken back when it is gone, also by the next process, with another
        folder, and without Home Assistant; what others have told stays."""
        broker = self.broker()
        self.assertEqual(self.run_zone(broker, "other", "pool", "--stream", "garden").stop(), 0)
        others = self.kept()
        self.assertEqual(len(others), 10)

        def gone(name):
            return lambda: not any(name in t for t in self.kept())
        self.assertEqual(self.run_zone(broker, "spool", "yard").stop(), 0)
        self.assertFalse(gone("yard")())
        self.assertEqual(self.run_zone(broker, "spool", "lawn", then=gone("yard")).stop(), 0)
        self.assertEqual(self.run_zone(broker, "new", "path", then=gone("lawn")).stop(), 0)
        kept = self.kept()
        self.assertLess(others, kept)
        self.assertEqual(len(kept), 20)

    def test_stream_gone(self):
        """A stream that does not come back is taken back, unless another process has it now."""
        broker = self.broker()
        self.assertEqual(self.run_zone(broker, "spool", "yard").stop(), 0)
        first = self.kept()
        self.assertEqual(self.run_zone(broker, "spool", "lawn", "--stream", "gate",
                                       then=lambda: not self.kept() & first).stop(), 0)
        owner = self.run_zone(broker, "other", "lawn", "--stream", "gate")
        kept = self.kept()
        # Long enough to be sure that no stream comes back; if not, a defect is missed.
        self.assertEqual(self.run_zone(broker, "spool", "yard", seconds=4).stop(), 0)
        self.assertLess(kept, self.kept())
        self.assertEqual(owner.stop(), 0)

    def test_schemas(self):
        if not PYTHON:
            self.skipTest("Y10_HOMEASSISTANT names no Python with homeassistant")
        got = self.run_feed("yard", "--announce", "--count", 4)
        self.judge(self.configs(got), got, 2)

    def judge(self, configs, got, n_enters):
        """By Home Assistant's own code: an enter triggers once, and what is replayed not."""
        events = [json.loads(m) for m in got.of("y10/door/event")]
        old = [dict(e, n=e["n"] + 100, replayed=True) for e in events]
        other = [dict(e, n=e["n"] + 200, zone="other") for e in events]
        text = "".join(json.dumps(pair) + "\n" for pair in
                       list(configs.items()) + [("event", events + old + other)])
        run = subprocess.run([PYTHON, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                                   "homeassistant-schema.py")],
                             input=text, capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        made = [json.loads(line) for line in run.stdout.splitlines()]
        self.assertEqual(made.pop(), ["schemas", len(configs)])
        fired = [n for topic, n, text in made if topic.endswith("_enter/config") and text == "enter"]
        self.assertEqual(fired, [e["n"] for e in events if e["event"] == "enter"])
        self.assertEqual(len(fired), n_enters)
        entity = [(n, json.loads(text)["event_type"]) for topic, n, text in made
                  if "/event/" in topic and text]
        self.assertEqual(entity, [(e["n"], e["event"]) for e in events])


need_broker()
unittest.main()
