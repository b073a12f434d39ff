#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""yolov10publish with a uri: elements share a connection, and what is wrong is one error.

usage: test-network.py PLUGINS [TEST…]
"""
import itertools
import json
import os
import re
import shlex
import subprocess
import sys
import unittest

from broker import Broker, Case, Subscriber, need_broker, wait_for

PLUGINS = sys.argv.pop(1)
CODES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../pipelines/codes.png")
# Codes that stand still, and stay for three quarters of a second.
SCENE = (f"filesrc location={CODES} ! pngdec ! imagefreeze num-buffers=10 ! "
         "video/x-raw,framerate=10/1 ! videoconvert ! yolov10detect input-size=640 ! yolov10track ! "
         "yolov10zones 'zones={zone}=0,0 1,1' dwell=500000000 ! "
         "yolov10publish content=events {options} ! fakesink")


class Network(Case):
    def launch(self, *branches):
        words = " ".join(SCENE.format(zone=zone, options=options) for zone, options in branches)
        env = {**os.environ, "GST_PLUGIN_PATH": PLUGINS, "GST_REGISTRY": self.path("registry"),
               "LANGUAGE": "en"}
        return subprocess.run(["gst-launch-1.0", *shlex.split(words)], env=env, text=True,
                              capture_output=True, timeout=120, check=False)

    def errors(self, run):
        return re.findall(r"^ERROR: from element .*?: (.*)$", run.stderr, re.M)

    def test_two_streams(self):
        broker = self.start(Broker(self.folder))
        got = self.start(Subscriber(self.folder, broker.port))
        network = f"spool={self.path('spool')} uri=mqtt://127.0.0.1:{broker.port}/y10"
        run = self.launch(("yard", f"stream=door {network}"), ("yard", f"stream=gate {network}"))
        self.assertEqual(run.returncode, 0, run.stderr)
        for stream in "door", "gate":
            wait_for(lambda: got.of(f"y10/{stream}/state")[-1:] == ["offline"])
            events = [json.loads(m) for m in got.of(f"y10/{stream}/event")]
            self.assertEqual({e["stream"] for e in events}, {stream})
            kinds = [e["event"] for e in events]
            self.assertEqual(kinds.count("enter"), kinds.count("leave"))
            self.assertGreater(kinds.count("dwell"), 0)
            # The state is there before anything happens, follows it, but for what was over
            # before it was sent, and is right at the end.
            counts = [int(n) for n in got.of(f"y10/{stream}/zone/yard/occupancy")]
            self.assertEqual((counts[0], counts[-1]), (0, 0))
            inside = iter(itertools.accumulate(
                ({"enter": 1, "leave": -1}.get(kind, 0) for kind in kinds), initial=0))
            self.assertTrue(all(n in inside for n, _ in itertools.groupby(counts)),
                            f"{counts} after {kinds}")
        with open(self.path("mosquitto.log"), encoding="utf-8") as f:
            names = re.findall(r"as (y10-\S+) ", f.read())
        # One that carries lines, and those for the presence of streams that it was not
        # opened for.
        self.assertIn(len(names), (2, 3), names)

    def test_no_broker(self):
        """Playing goes on, one warning tells why nothing arrives, and nothing is lost."""
        run = self.launch(("yard", f"spool={self.path('spool')} uri=mqtt://127.0.0.1:1/y10"))
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(len(re.findall("^WARNING: from", run.stdout + run.stderr, re.M)), 1)
        broker = self.start(Broker(self.folder))
        got = self.start(Subscriber(self.folder, broker.port))
        run = self.launch(
            ("yard", f"spool={self.path('spool')} uri=mqtt://127.0.0.1:{broker.port}/y10"))
        events = wait_for(lambda: got.of("y10/yolov10publish0/event"))
        wait_for(lambda: got.of("y10/yolov10publish0/state")[-1:] == ["offline"])
        events = [json.loads(m) for m in got.of("y10/yolov10publish0/event")]
        half = len(events) // 2
        self.assertEqual([e["event"] for e in events[:half]], [e["event"] for e in events[half:]])
        self.assertTrue(all(e.get("replayed") for e in events[:half]))
        self.assertFalse(any(e.get("replayed") for e in events[half:]))

    def test_errors(self):
        spool = f"spool={self.path('spool')}"
        for branches, expected in (
                ([("a", "uri=mqtt://host/y10")], "spool is empty"),
                ([("a", f"{spool} uri=mqtt://me:secret@host/y10")], "user or password"),
                ([("a", f"{spool} uri=amqp://host/y10")], "amqp"),
                ([("a", f"{spool} uri=mqtt://127.0.0.1:1/y"), ("b", f"{spool} uri=mqtt://127.0.0.1:1/z")],
                 "another uri")):
            run = self.launch(*branches)
            self.assertNotEqual(run.returncode, 0, run.stdout)
            errors = self.errors(run)
            self.assertEqual(len(errors), 1, run.stderr)
            self.assertIn(expected, errors[0])
            self.assertNotIn("secret", errors[0])


need_broker()
unittest.main()
