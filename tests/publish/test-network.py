#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""yolov10publish with a uri: elements share a connection, and what is wrong is one error.

usage: test-network.py PLUGINS [TEST…]
"""
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import unittest

from broker import PATIENCE, Broker, Case, Subscriber, need_broker, until

PLUGINS = sys.argv.pop(1)
CODES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../pipelines/codes.png")
# Codes that stand still: for a second, or until all is as a test expects it.
SCENE = (f"multifilesrc location={CODES} {{frames}} caps=image/png,framerate=10/1 ! pngdec ! "
         "videoconvert ! yolov10detect input-size=640 ! yolov10track ! "
         "yolov10zones 'zones={zone}=0,0 1,1' dwell=500000000 ! "
         "yolov10publish content=events {options} ! fakesink")


class Network(Case):
    def launch(self, *branches, shown=None):
        """Ends the scene where shown() is true: what is sent then has a connection."""
        frames = "loop=true" if shown else "num-buffers=10"
        words = " ".join(SCENE.format(zone=zone, options=options, frames=frames)
                         for zone, options in branches)
        env = {**os.environ, "GST_PLUGIN_PATH": PLUGINS, "GST_REGISTRY": self.path("registry"),
               "LANGUAGE": "en"}
        command = ["gst-launch-1.0", "-e", *shlex.split(words)]
        with subprocess.Popen(command, env=env, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            try:
                if shown:
                    until(shown, what="what the scene shows")
                    process.send_signal(signal.SIGINT)
                out, err = process.communicate(timeout=PATIENCE)
            finally:
                process.kill()
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    def errors(self, run):
        return re.findall(r"^ERROR: from element .*?: (.*)$", run.stderr, re.M)

    def test_two_places(self):
        """A second element sends the lines of the first to another place, and writes none."""
        broker = self.start(Broker(self.folder))
        got = self.start(Subscriber(self.folder, broker.port))
        spool, uri = self.path("spool"), f"mqtt://127.0.0.1:{broker.port}"

        def names(prefix):
            return [(e["segment"], e["offset"]) for e in map(json.loads, got.of(f"{prefix}/door/event"))]
        run = self.launch(("yard", f"stream=door spool={spool} uri={uri}/one ! yolov10publish content=none stream=door "
                           f"spool={spool} uri={uri}/two follower=second"),
                          shown=lambda: len(names("one")) >= 4 and names("one") == names("two"))
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(len(set(names("two"))), len(names("two")))

    def test_two_streams(self):
        broker = self.start(Broker(self.folder))
        got = self.start(Subscriber(self.folder, broker.port))
        network = f"spool={self.path('spool')} uri=mqtt://127.0.0.1:{broker.port}/y10"

        def seen(stream):
            """What happened, and how many were inside, each time that it was told."""
            events = [json.loads(m) for m in got.of(f"y10/{stream}/event")]
            self.assertLessEqual({e["stream"] for e in events}, {stream})
            return ([e["event"] for e in events],
                    [int(n) for n in got.of(f"y10/{stream}/zone/yard/occupancy")])

        def all_inside():
            return all(counts and 0 < kinds.count("enter") == kinds.count("dwell") == counts[-1]
                       for kinds, counts in map(seen, ("door", "gate")))

        run = self.launch(("yard", f"stream=door {network}"), ("yard", f"stream=gate {network}"),
                          shown=all_inside)
        self.assertEqual(run.returncode, 0, run.stderr)
        for stream in "door", "gate":
            until(lambda: got.of(f"y10/{stream}/state")[-1:] == ["offline"])
            until(lambda: seen(stream)[0].count("leave") == seen(stream)[0].count("enter"))
            until(lambda: seen(stream)[1][-1] == 0)
            # The state is there before anything happens, and follows it.
            kinds, counts = seen(stream)
            self.assertEqual((counts[0], max(counts)), (0, kinds.count("enter")))
        with open(self.path("mosquitto.log"), encoding="utf-8") as f:
            names = re.findall(r"as (y10-\S+) ", f.read())
        # One that carries lines and the presence of the first stream, and one for that of
        # the second.
        self.assertEqual(len(names), 2, names)

    def test_no_broker(self):
        """Playing goes on, one warning tells why nothing arrives, and nothing is lost."""
        spool = f"stream=door spool={self.path('spool')}"
        run = self.launch(
            ("yard", f"{spool} location={self.path('lines')} uri=mqtt://127.0.0.1:1/y10"))
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(len(re.findall("^WARNING: from", run.stdout + run.stderr, re.M)), 1)
        with open(self.path("lines"), encoding="utf-8") as f:
            before = [json.loads(line)["event"] for line in f]
        self.assertIn("dwell", before)
        broker = self.start(Broker(self.folder))
        got = self.start(Subscriber(self.folder, broker.port))

        def events():
            return [json.loads(m) for m in got.of("y10/door/event")]

        def all_inside():
            now = [e["event"] for e in events()[len(before):]]
            return now.count("dwell") == before.count("dwell")

        run = self.launch(("yard", f"{spool} uri=mqtt://127.0.0.1:{broker.port}/y10"),
                          shown=all_inside)
        self.assertEqual(run.returncode, 0, run.stderr)
        until(lambda: len(events()) == 2 * len(before))
        until(lambda: got.of("y10/door/state")[-1:] == ["offline"])
        self.assertEqual([e["event"] for e in events()], 2 * before)
        self.assertEqual([bool(e.get("replayed")) for e in events()],
                         [True] * len(before) + [False] * len(before))

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
