#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""What happens in zones: exact events of objects whose ways are known, and 1,000 seeded scenes
beside a second implementation of the rules, which has no state: it computes the events from the
whole list of observations. With supervision installed, also its PolygonZone and LineZone.

usage: test-zones.py TRACE [SEED]
"""
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest
from fractions import Fraction

TRACE = SEED = None
MS = 10**6
SECOND = 10**9
BOTTOM = {}


def run(commands):
    """The output of each command, as lists of lines."""
    done = subprocess.run([TRACE], input="\n".join(commands) + "\n", stdout=subprocess.PIPE, text=True,
                          check=True)
    answers, lines = [], []
    for line in done.stdout.splitlines():
        if line == ".":
            answers.append(lines)
            lines = []
        else:
            lines.append(line)
    return answers


def see(i, x, y, label="person"):
    """An object that stands at x, y."""
    return f"see {i} {x - 0.03125!r} {y - 0.125!r} {x + 0.03125!r} {y!r} {label}"


def new(hysteresis=0, grace=SECOND, dwell=0, limit=0):
    return f"new {hysteresis} {grace} {dwell} {limit}"


def events(commands):
    """All events, as tuples of what decides."""
    found = []
    for answer in run(commands):
        for line in answer:
            assert line.startswith('{"event":"'), line
            event = json.loads(line)
            name = event.get("zone") or event.get("line")
            found.append((event["event"], name, event["timestamp"] // MS, *(
                event[key] // MS if key == "duration" else event[key]
                for key in ("id", "reason", "duration", "direction", "count", "over") if key in event)))
    return found


YARD = "zones yard=0.25,0.25 0.75,0.75"
GATE = "zones gate=0.25,0.5 -> 0.75,0.5"


class Events(unittest.TestCase):
    def walk(self, zones, places, *, step=100 * MS, **defaults):
        """The events of one object that is at these places; None: it is not seen."""
        commands = [new(**defaults), zones]
        for i, place in enumerate(places):
            if place:
                commands.append(see(7, *place))
            commands.append(f"observe {i * step}")
        return events(commands)

    def test_enter_and_leave(self):
        self.assertEqual(self.walk(YARD, [(0.1, 0.5), (0.3, 0.5), (0.5, 0.5), (0.8, 0.5)]),
                         [("enter", "yard", 100, 7, 1), ("leave", "yard", 300, 7, "left", 200, 0)])

    def test_hysteresis(self):
        inside, outside = (0.5, 0.5), (0.9, 0.5)
        # Two observations inside are 100 ms, too short; then it stays, and is out for a moment.
        ways = [outside, inside, inside, outside, inside, inside, inside, inside, outside, inside, outside,
                outside, outside]
        self.assertEqual(self.walk(YARD, ways, hysteresis=200 * MS),
                         [("enter", "yard", 400, 7, 1), ("leave", "yard", 1000, 7, "left", 600, 0)])

    def test_grace(self):
        place, away = (0.5, 0.5), None
        self.assertEqual(self.walk(YARD, [place, away, away, place, away, away, away, away], grace=300 * MS,
                                   dwell=250 * MS),
                         [("enter", "yard", 0, 7, 1), ("dwell", "yard", 250, 7, 250, 1),
                          ("leave", "yard", 300, 7, "lost", 300, 0)])
        # Back at the very end of the grace, and a moment after it.
        for late, expected in ((300, []), (301, [("leave", "yard", 0, 7, "lost", 0, 0),
                                                 ("enter", "yard", 301, 7, 1)])):
            self.assertEqual(events([new(grace=300 * MS), YARD, see(7, *place), "observe 0",
                                     f"observe {100 * MS}", see(7, *place), f"observe {late * MS}"])[1:],
                             expected)

    def test_lost_outside(self):
        """One that was already outside, though not long enough, has left by itself."""
        self.assertEqual(self.walk(YARD, [(0.5, 0.5), (0.9, 0.5)] + [None] * 5, hysteresis=200 * MS,
                                   grace=300 * MS), [])
        ways = [(0.5, 0.5)] * 3 + [(0.9, 0.5)] + [None] * 5
        self.assertEqual(self.walk(YARD, ways, hysteresis=200 * MS, grace=300 * MS),
                         [("enter", "yard", 0, 7, 1), ("leave", "yard", 300, 7, "left", 300, 0)])

    def test_silence(self):
        """Without observations an object dwells on; nothing says that it left."""
        answers = run([new(dwell=30 * SECOND), YARD, see(7, 0.5, 0.5), "observe 0", "deadline",
                       f"advance {29 * SECOND}", f"advance {31 * SECOND}", "deadline", f"advance {300 * SECOND}",
                       "end"])
        self.assertEqual(answers[3], [str(30 * SECOND)])
        self.assertEqual(answers[4], [])
        self.assertEqual(json.loads(answers[5][0])["timestamp"], 30 * SECOND)
        self.assertEqual(answers[6], ["-1"])
        self.assertEqual(answers[7], [])
        self.assertEqual(json.loads(answers[8][0])["reason"], "ended")
        # One that was missed is lost when its grace is over, in silence, too.
        self.assertEqual(events([new(grace=SECOND), YARD, see(7, 0.5, 0.5), "observe 0", "observe 1",
                                 f"advance {SECOND}", f"advance {SECOND + 1}"])[1:],
                         [("leave", "yard", 0, 7, "lost", 0, 0)])
        self.assertEqual(run([new(grace=SECOND), YARD, see(7, 0.5, 0.5), "observe 0", "observe 1",
                              "deadline"])[-1], [str(SECOND + 1)])

    def test_end(self):
        self.assertEqual(events([new(limit=1), YARD, see(7, 0.5, 0.5), see(8, 0.5, 0.6), "observe 0",
                                 see(7, 0.5, 0.5), see(8, 0.5, 0.6), f"observe {100 * MS}", "end", "end"]),
                         [("enter", "yard", 0, 7, 1), ("enter", "yard", 0, 8, 2),
                          ("occupancy", "yard", 0, 2, True), ("leave", "yard", 100, 7, "ended", 100, 1),
                          ("leave", "yard", 100, 8, "ended", 100, 0), ("occupancy", "yard", 100, 0, False)])

    def test_exchange_is_no_occupancy(self):
        """One leaves as another enters: never more than the limit."""
        self.assertEqual(events([new(limit=1), YARD, see(7, 0.5, 0.5), see(8, 0.9, 0.5), "observe 0",
                                 see(8, 0.5, 0.5), see(7, 0.9, 0.5), f"observe {100 * MS}"])[1:],
                         [("enter", "yard", 100, 8, 2), ("leave", "yard", 100, 7, "left", 100, 1)])

    def test_classes_and_anchors(self):
        document = {"version": 1, "zones": [
            {"name": name, "points": [[0, 0.5], [1, 1]], "classes": ["person"], "anchor": anchor}
            for name, anchor in (("foot", "bottom-center"), ("middle", "center"), ("head", "top-center"))]}
        found = events([new(), f"zones {json.dumps(document)}", "see 1 0.1 0.45 0.2 0.6 person",
                        "see 2 0.1 0.3 0.2 0.6 person", "see 3 0.1 0.7 0.2 0.9 car",
                        "see 4 0.1 0.7 0.2 1 person", "observe 0"])
        self.assertEqual({(event[1], event[3]) for event in found},
                         {("foot", 1), ("foot", 2), ("middle", 1), ("foot", 4), ("middle", 4), ("head", 4)})

    def test_cross(self):
        sides = json.dumps({"version": 1, "lines": [
            {"name": "gate", "points": [[0.25, 0.5], [0.75, 0.5]], "sides": ["street", "yard"]}]})
        lines = [json.loads(line) for answer in run([
            new(), f"zones {sides}", see(7, 0.5, 0.1), "observe 0", see(7, 0.5, 0.9), "observe 1",
            see(7, 0.4, 0.2), "observe 2", see(7, 0.9, 0.55), "observe 3", "counts"]) for line in answer
            if line[0] == "{"]
        self.assertEqual([(line["timestamp"], line["direction"], line["from"], line["to"], line["in"], line["out"])
                          for line in lines],
                         [(1, "in", "street", "yard", 1, 0), (2, "out", "yard", "street", 1, 1)])

    def test_cross_back(self):
        """A crossing that is taken back is none; one before an object is lost is."""
        up, down = (0.5, 0.4), (0.5, 0.6)
        self.assertEqual(self.walk(GATE, [up, down, up, down, up, up], hysteresis=150 * MS), [])
        self.assertEqual(self.walk(GATE, [up, down, down, down], hysteresis=200 * MS),
                         [("cross", "gate", 100, 7, "in")])
        self.assertEqual(self.walk(GATE, [up, down, None, None, None], hysteresis=SECOND, grace=100 * MS),
                         [("cross", "gate", 100, 7, "in")])
        # Around the end of the line, and across it again in the same direction.
        self.assertEqual(self.walk(GATE, [up, down, (0.9, 0.6), (0.9, 0.4), up, down, down], hysteresis=SECOND),
                         [("cross", "gate", 100, 7, "in")])

    def test_lost_does_not_cross(self):
        """Where it was in between is unknown once it is lost."""
        up, down = (0.5, 0.4), (0.5, 0.6)
        self.assertEqual(self.walk(GATE, [up, None, None, down], grace=300 * MS),
                         [("cross", "gate", 300, 7, "in")])
        self.assertEqual(self.walk(GATE, [up, None, None, down], grace=200 * MS), [])

    def test_borders(self):
        """A border belongs to one of the zones that share it, and a line to its right side."""
        four = "zones " + ";".join(f"z{x}{y}={x / 2},{y / 2} {x / 2 + 0.5},{y / 2 + 0.5}"
                                   for x in (0, 1) for y in (0, 1))
        for x in (0.03125, 0.25, 0.5, 0.75, 1 - 0.03125):
            for y in (0.125, 0.5, 0.75, 1):
                found = events([new(), four, see(7, x, y), "observe 0"])
                self.assertEqual([event[1] for event in found], [f"z{int(x >= 0.5)}{int(y >= 0.5)}"], (x, y))
        on, up, down = (0.5, 0.5), (0.5, 0.375), (0.5, 0.625)
        self.assertEqual(self.walk(GATE, [up, on, down]), [("cross", "gate", 100, 7, "in")])
        self.assertEqual(self.walk(GATE, [down, on, up]), [("cross", "gate", 200, 7, "out")])
        self.assertEqual(self.walk(GATE, [up, on, up]),
                         [("cross", "gate", 100, 7, "in"), ("cross", "gate", 200, 7, "out")])
        self.assertEqual(self.walk(GATE, [down, on, down, on, (0.9, 0.5)]), [])
        # Two lines that share an end are crossed once there, whichever way.
        fence = "zones a=0.25,0.5 -> 0.5,0.5; b=0.5,0.5 -> 0.75,0.5"
        for way in ([up, down], [down, up], [(0.375, 0.375), (0.625, 0.625)], [(0.625, 0.625), (0.375, 0.375)]):
            self.assertEqual(len(self.walk(fence, way)), 1, way)

    def test_change(self):
        """A changed set fires nothing for those inside; a removed zone ends."""
        still = [see(7, 0.5, 0.5), see(8, 0.9, 0.9)]
        commands = [new(dwell=SECOND), YARD, *still, "observe 0",
                    "zones yard=0.25,0.25 0.75,0.75; hall=0,0 1,1", *still, f"observe {100 * MS}",
                    "zones yard=0.5,0.25 1,1; hall=0,0 1,1", *still, f"observe {200 * MS}",
                    "zones hall=0,0 1,1", *still, f"observe {1200 * MS}"]
        self.assertEqual(events(commands),
                         [("enter", "yard", 0, 7, 1), ("leave", "yard", 200, 7, "ended", 200, 1),
                          ("leave", "yard", 200, 8, "ended", 0, 0),
                          ("dwell", "hall", 1100, 7, 1000, 2), ("dwell", "hall", 1100, 8, 1000, 2)])
        # A line keeps its counts by name; a zone of that name is another thing.
        answers = run([new(), GATE, see(7, 0.5, 0.4), "observe 0", see(7, 0.5, 0.6), "observe 1",
                       "zones a=0,0 1,1; gate=0.2,0.5->0.8,0.5", "counts", "zones gate=0,0 1,1", "counts"])
        self.assertEqual(answers[-3], ["0 0 0", "0 1 0"])
        self.assertEqual(answers[-1], ["0 0 0"])

    def test_change_of_limit(self):
        still = [see(i, 0.5, 0.5) for i in (1, 2, 3)]
        commands = [new(), YARD, *still, "observe 0", new()]
        document = {"version": 1, "zones": [{"name": "yard", "points": [[0.25, 0.25], [0.75, 0.75]], "limit": 2}]}
        commands = [new(), YARD, *still, "observe 0", f"zones {json.dumps(document)}", *still, "observe 1",
                    *still[:2], f"observe {SECOND}", *still[:2], f"observe {SECOND + 2}"]
        self.assertEqual(events(commands)[3:], [("leave", "yard", 0, 3, "lost", 0, 2),
                                                ("occupancy", "yard", 1000, 2, False)])

    def test_change_of_dwell(self):
        """Thresholds that were told are not told again, and greater ones are."""
        commands = [new()]
        for second, dwell in enumerate((1, 1, 3, 3, [3, 4])):
            document = {"version": 1, "zones": [{"name": "yard", "points": [[0.25, 0.25], [0.75, 0.75]], "dwell": dwell}]}
            commands += [f"zones {json.dumps(document)}", see(7, 0.5, 0.5), f"observe {second * SECOND}"]
        self.assertEqual([event[2:5] for event in events(commands) if event[0] == "dwell"],
                         [(1000, 7, 1000), (3000, 7, 3000), (4000, 7, 4000)])

    def test_twice(self):
        """An id that is listed twice counts once, at its first place."""
        self.assertEqual(events([new(), YARD, see(7, 0.5, 0.5), see(7, 0.9, 0.5), "observe 0"]),
                         [("enter", "yard", 0, 7, 1)])

    def test_many(self):
        """More objects than are remembered: who was not seen for longest goes."""
        commands = [new(grace=100 * SECOND), "zones hall=0,0 1,1"]
        for i in range(1, 1501):
            commands += [see(i, 0.5, 0.5), f"observe {i}"]
        found = events(commands)
        self.assertEqual(sum(event[0] == "enter" for event in found), 1500)
        self.assertEqual([event[3] for event in found if event[0] == "leave"], list(range(1, 477)))
        many = [see(i, 0.5, 0.5) for i in range(1, 1101)]
        self.assertEqual(len(events([new(), "zones hall=0,0 1,1", *many, "observe 0"])), 1024)


class Texts(unittest.TestCase):
    def check(self, text, *parts):
        answer = run([new(), f"zones {text}"])[1]
        self.assertEqual(len(answer), 1, text)
        self.assertTrue(answer[0].startswith("error: "), answer)
        for part in parts:
            self.assertIn(part, answer[0])

    def test_short(self):
        self.check("0,0 1,1", '"0,0 1,1" has no name')
        self.check("=0,0 1,1", "has no name")
        self.check("a=0,0 1,1; a=0,0 1,1", 'two of the name "a"')
        self.check("a=0,0", 'zone "a"', "corners")
        self.check("a=0,0 1,1.1", '"1,1.1"', "0 to 1")
        for ends in ("0,0->", "0,0->0,0", "0,0->1,1->1,0", "0,0 -> 1", "0,0->1,2", "0,0->0x1,1", "0,0 1,0->1,1",
                     "a,b->c,d", "0,0->nan,1", "-0.1,0->1,1"):
            self.check(f"gate={ends}", 'the line "gate"', "0.1,0.5 -> 0.9,0.5")
        self.check(";".join(f"z{i}=0,0 1,1" for i in range(65)), "at most 64")
        self.assertEqual(run([new(), "zones a=0,0 0.1,0.1; 0.5,0.5 1,1; b=0,1->1,0", see(7, 0.6, 0.6),
                              "observe 0"])[1], [])

    def test_names(self):
        """255 bytes of UTF-8 are enough; characters are not cut."""
        for name in ("x" * 255, "ä" * 127 + "x"):
            self.assertEqual(events([new(), f"zones {name}=0,0 1,1", see(7, 0.5, 0.5), "observe 0"]),
                             [("enter", name, 0, 7, 1)])
        for name in ("x" * 256, "ä" * 128, "ä" * 100000):
            self.check(f"{name}=0,0 1,1", f'the name "{name[:30]}…" has {len(name.encode())} bytes; expected at most 255')

    def test_several_shapes(self):
        self.assertEqual(events([new(), "zones a=0,0 0.25,0.25; 0.5,0.5 1,1", see(7, 0.75, 0.75), see(8, 0.375, 0.375),
                                 see(9, 0.125, 0.125), "observe 0"]),
                         [("enter", "a", 0, 7, 1), ("enter", "a", 0, 9, 2)])

    def document(self, path, value):
        """A good document with one thing changed."""
        document = {"version": 1,
                    "zones": [{"name": "a", "points": [[0, 0], [1, 1]]},
                              {"name": "b", "points": [[0, 0], [1, 0], [1, 1]], "dwell": [1, 2], "limit": 3,
                               "classes": ["person"], "anchor": "center", "hysteresis": 0.2, "grace": 1},
                              {"name": "c", "points": [[0, 0], [1, 0], [1, 1]]}],
                    "lines": [{"name": "d", "points": [[0, 0], [1, 1]], "sides": ["l", "r"]}]}
        at = document
        for key in path[:-1]:
            at = at[key]
        if value is KeyError:
            del at[path[-1]]
        elif path:
            at[path[-1]] = value
        return json.dumps(document)

    def test_json(self):
        self.assertEqual(run([new(), f"zones {self.document((), None)}"])[1], [])
        for path, value, where, expected in (
                (("version",), KeyError, "version is nothing", "expected 1"),
                (("version",), 2, "version is 2", "expected 1"),
                (("version",), "1", 'version is "1"', "expected 1"),
                (("zone",), [], "zone is []", "version, zones, lines"),
                (("zones",), {}, "zones is {}", "an array"),
                (("zones", 1), 3, "zones[1] is 3", "an object"),
                (("zones", 2, "points", 1), [0.5], "zones[2].points[1] is [0.5]", "[X, Y]"),
                (("zones", 2, "points", 1), [0.5, 1.5], "zones[2].points[1] is 1.5", "0 to 1"),
                (("zones", 2, "points", 1), [0.5, None], "zones[2].points[1] is null", "0 to 1"),
                (("zones", 2, "points"), [[0, 0], [0.5, 0.5], [1, 1]], "zones[2].points is", "not in one line"),
                (("zones", 0, "points"), [[0, 0], [0, 1]], "zones[0].points is", "not in one line"),
                (("zones", 2, "points"), KeyError, "zones[2].points is nothing", "expected the points"),
                (("zones", 2, "name"), KeyError, "zones[2].name is nothing", "a name"),
                (("zones", 2, "name"), "a", "zones[2].name", 'two of the name "a"'),
                (("zones", 2, "name"), "x" * 256, "zones[2].name: the name", "at most 255"),
                (("zones", 2, "dwel"), 3, "zones[2].dwel is 3", "dwell, limit"),
                (("zones", 2, "sides"), ["a", "b"], "zones[2].sides", "one of"),
                (("zones", 1, "dwell"), 0, "zones[1].dwell is 0", "above 0"),
                (("zones", 1, "dwell"), [2, 2], "zones[1].dwell[1] is 2", "greater"),
                (("zones", 1, "dwell"), [], "zones[1].dwell is []", "up to 8"),
                (("zones", 1, "limit"), 1.5, "zones[1].limit is 1.5", "whole number"),
                (("zones", 1, "limit"), 0, "zones[1].limit is 0", "1 to 1024"),
                (("zones", 1, "classes"), "person", 'zones[1].classes is "person"', "names of classes"),
                (("zones", 1, "classes", 0), "x" * 64, "zones[1].classes[0]", "63 bytes"),
                (("zones", 1, "anchor"), "bottom", 'zones[1].anchor is "bottom"', "bottom-center"),
                (("zones", 1, "hysteresis"), -1, "zones[1].hysteresis is -1", "seconds"),
                (("zones", 1, "grace"), "1 s", 'zones[1].grace is "1 s"', "seconds"),
                (("lines", 0, "points"), [[0, 0]], "lines[0].points", "two ends"),
                (("lines", 0, "points"), [[0, 0], [0, 0]], "lines[0].points", "two different points"),
                (("lines", 0, "sides", 1), "x" * 256, 'lines[0].sides[1] is "xxx', "at most 255 bytes"),
                (("lines", 0, "sides"), ["l"], "lines[0].sides", "left and the right"),
                (("lines", 0, "dwell"), 1, "lines[0].dwell", "sides")):
            self.check(self.document(path, value), "zones: ", where, expected)

    def test_schema(self):
        """The schema takes what the element takes, as far as a schema can tell."""
        try:
            import jsonschema
        except ImportError:
            self.skipTest("no jsonschema")
        with open(os.path.join(os.path.dirname(__file__), "../../docs/zones.schema.json"), encoding="utf-8") as file:
            schema = json.load(file)
        jsonschema.Draft7Validator.check_schema(schema)
        check = jsonschema.Draft7Validator(schema)
        self.assertTrue(check.is_valid(json.loads(self.document((), None))))
        for path, value in ((("version",), 2), (("version",), KeyError), (("zone",), []), (("zones",), {}),
                            (("zones", 1), 3), (("zones", 2, "points", 1), [0.5]), (("zones", 2, "points", 1), [0, 1.5]),
                            (("zones", 2, "points"), KeyError), (("zones", 2, "name"), KeyError),
                            (("zones", 2, "name"), "x" * 256), (("lines", 0, "sides", 1), "x" * 256),
                            (("zones", 2, "dwel"), 3), (("zones", 2, "sides"), ["a", "b"]), (("zones", 1, "dwell"), 0),
                            (("zones", 1, "dwell"), []), (("zones", 1, "limit"), 1.5), (("zones", 1, "limit"), 0),
                            (("zones", 1, "classes"), "person"), (("zones", 1, "anchor"), "bottom"),
                            (("zones", 1, "hysteresis"), -1), (("lines", 0, "points"), [[0, 0]]),
                            (("lines", 0, "sides"), ["l"]), (("lines", 0, "dwell"), 1)):
            self.assertFalse(check.is_valid(json.loads(self.document(path, value))), (path, value))

    def test_document(self):
        """The example of the documentation."""
        with open(os.path.join(os.path.dirname(__file__), "../../docs/tracking.md"), encoding="utf-8") as file:
            text = file.read().split("### Zones as JSON\n\n```json\n")[1].split("```")[0]
        self.assertEqual(run([new(), "zones " + text.replace("\n", " ")])[1], [])

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "zones.json")
            self.assertIn("zones.json", run([new(), f"load {path}"])[1][0])
            for data, parts in ((b'{"version": 1,\n "zones": [\n  {"name" "a"}]}', ["zones.json: line 3 is not JSON"]),
                                (b'{"version": 1, "zones": [{"name": "a"}]}', ["zones.json: zones[0].points is nothing"]),
                                (b"a=0,0 1,1;\xff=0,0 1,1", ["zones.json: not UTF-8"]),
                                (b"a=0,0 1", ["zones.json: the zone \"a\""])):
                with open(path, "wb") as file:
                    file.write(data)
                answer = run([new(), f"load {path}"])[1]
                self.assertTrue(all(part in answer[0] for part in parts), answer)
            with open(path, "wb") as file:
                file.write(b'{"version": 1,\n "zones": [\n  {"name": "a", "points": [[0, 0], [1, 1]]}]}\n')
            self.assertEqual(run([new(), f"load {path}"])[1], [])

    def test_hostile(self):
        """Neither the parser's stack nor memory is what a file decides. Both of the strings end
        elsewhere for json-glib than for JSON, which hides the lists from whoever counts them."""
        deep = b"[" * 300000
        for data, part in ((b'{"version": 1,\n"zones": ' + deep, "line 2 is not JSON: it nests"),
                           (b'{"version": 1, "zones": ' + b'{"a":' * 300000, "it nests"),
                           (b"{'\"': " + deep, "unexpected character"),
                           (b'{"version": 1, "\\ud800" ": ' + deep, "escape"),
                           (b'{"version": 1, "\\u00" ": ' + deep, "escape"),
                           (b'{"version": 1} ' + b"var a = " * 100000, "unexpected character"),
                           (b'{"version": 1, "zones": [{"name": "\\udc00", "points": [[0, 0], [1, 1]]}]}', "escape"),
                           (b'{"version": 1, "zones": [{"name": "a\\u0000", "points": [[0, 0], [1, 1]]}]}', "escape"),
                           (b"a=0,0 1,1;" + b" " * (4 << 20), "more than 4 MiB")):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "zones")
                with open(path, "wb") as file:
                    file.write(data)
                answer = run([new(), f"load {path}"])[1]
            self.assertTrue(len(answer) == 1 and part in answer[0], (data[:40], answer))
        name = r'"\u00e4\ud83d\ude97\"[\\"'
        self.assertEqual(run([new(), 'zones {"version": 1, "zones": [{"name": %s, "points": [[0, 0], [1, 1]]}]}' % name])[1],
                         [])

    def test_kinds(self):
        """What would block or never end is refused."""
        with tempfile.TemporaryDirectory() as folder:
            fifo = os.path.join(folder, "fifo")
            os.mkfifo(fifo)
            for path in (fifo, folder, "/dev/zero"):
                self.assertIn("regular file", run([new(), f"load {path}"])[1][0])


# The rules again, without state and with exact numbers. Times are nanoseconds.

def inside(polygon, x, y):
    """A ray to the left, whose origin is just right of and below the point."""
    n = 0
    for (ax, ay), (bx, by) in zip(polygon, polygon[1:] + polygon[:1]):
        if ay == by:
            continue
        if ay > by:
            ax, ay, bx, by = bx, by, ax, ay
        if ay <= y < by and ax + (bx - ax) * (y - ay) / (by - ay) <= x:
            n += 1
    return n % 2 == 1


def crossing(line, before, after):
    """1, -1 or 0: on which side of a line both are, and both of its ends of the way."""
    def right(a, b, p):
        return (b[0] - a[0]) * (p[1] - a[1]) >= (b[1] - a[1]) * (p[0] - a[0])
    if right(*line, before) == right(*line, after):
        return 0
    if right(before, after, line[0]) == right(before, after, line[1]):
        return 0
    return 1 if right(*line, after) else -1


def episodes(sightings, times, grace):
    """The sightings of an object, in parts between which it was lost, and when that is known."""
    parts = []
    for time, place in sightings:
        if parts:
            last = parts[-1][-1][0]
            missed = any(last < t < time for t in times)
            if not (missed and time > last + grace):
                parts[-1].append((time, place))
                continue
        parts.append([(time, place)])
    return parts


def known_lost(last, times, grace):
    """The observation that tells that an object is lost, or None."""
    return next((t for t in times if t > last + grace), None)


def expect_zone(polygon, part, lost, rules):
    """(when told, event, time, more) of one object between two losses."""
    is_in = [(time, inside(polygon, *place)) for time, place in part]
    now, since, told = False, None, []
    # Cut into runs of equal sides; a run changes the state if it lasts.
    runs = []
    for time, side in is_in:
        if runs and runs[-1][0] == side:
            runs[-1][1].append(time)
        else:
            runs.append((side, [time]))
    for side, times in runs:
        changed = next((t for t in times if t - times[0] >= rules["hysteresis"]), None)
        if side != now and changed is not None:
            told.append((changed, "enter", times[0]) if side else (changed, "leave", times[0], "left",
                                                                   times[0] - since))
            now, since = side, times[0]
    # Dwells: seen inside at or after the time, between entering and leaving.
    enters = [e for e in told if e[1] == "enter"]
    leaves = [e for e in told if e[1] == "leave"]
    for i, (told_at, _, start) in enumerate(enters):
        until = leaves[i][0] if i < len(leaves) else None
        if rules["dwell"]:
            when = next((t for t, side in is_in if side and t >= told_at and t >= start + rules["dwell"]
                         and (until is None or t < until)), None)
            if when is not None:
                told.append((when, "dwell", start + rules["dwell"], rules["dwell"]))
    if now:
        last_side, last_times = runs[-1]
        when, reason = (part[-1][0], lost[1]) if last_side else (last_times[0], "left")
        told.append((lost[0], "leave", when, reason, when - since))
    return told


def expect_line(line, part, lost, rules):
    told, pending = [], None
    for (_, before), (time, place) in zip(part, part[1:]):
        # A crossing that has lasted is told at the first sighting by then, even if this one crosses.
        way = crossing(line, before, place)
        if way and pending and way != pending[1]:
            pending = None
        elif way:
            if pending:
                told.append((time, "cross", *pending))
            pending = (time, way)
        if pending and time - pending[0] >= rules["hysteresis"]:
            told.append((time, "cross", *pending))
            pending = None
    if pending:
        told.append((lost[0], "cross", *pending))
    return told


class Scenes(unittest.TestCase):
    def scene(self, rng):
        """Objects that walk, jump and vanish on a coarse grid, so that they touch borders."""
        grid = rng.choice((8, 16, 64, None))

        def number():
            return rng.randrange(grid + 1) / grid if grid else round(rng.random(), 6)

        def place():
            """Not on the frame's right or lower edge: 1 - 1e-9 is not exact next to a slope."""
            return rng.randrange(grid) / grid if grid else rng.randrange(10**6) / 10**6
        rules = {"hysteresis": rng.choice((0, 0, 150, 300)) * MS, "grace": rng.choice((0, 200, 1000)) * MS,
                 "dwell": rng.choice((0, 250, 1000)) * MS}
        polygons, lines = [], []
        while len(polygons) < 3:
            points = [(number(), number()) for _ in range(rng.choice((3, 4, 5, 6)))]
            a, b = points[:2]
            if any((b[0] - a[0]) * (p[1] - a[1]) != (b[1] - a[1]) * (p[0] - a[0]) for p in points):
                polygons.append(points)
        while len(lines) < 3:
            ends = [(number(), number()), (number(), number())]
            if ends[0] != ends[1]:
                lines.append(ends)
        times, now = [], 0
        for _ in range(rng.randrange(5, 40)):
            times.append(now)
            now += rng.choice((40, 100, 100, 100, 350)) * MS
        ways = {}
        for i in range(1, rng.randrange(2, 6)):
            x, y, ways[i] = place(), place(), []
            for time in times:
                if rng.random() < 0.3:
                    x, y = place(), place()
                if rng.random() < 0.75:
                    ways[i].append((time, (x, y)))
        return rules, polygons, lines, times, ways

    def expected(self, rules, polygons, lines, times, ways):
        found = []
        for i, sightings in ways.items():
            exact = [(time, tuple(map(Fraction, place))) for time, place in sightings]
            parts = episodes(exact, times, rules["grace"])
            for part in parts:
                when = known_lost(part[-1][0], times, rules["grace"])
                lost = (when, "lost") if when is not None else (times[-1] + 1, "ended")
                for n, polygon in enumerate(polygons):
                    corners = [tuple(map(Fraction, p)) for p in polygon]
                    found += [(e[0], f"z{n}", i, *e[1:]) for e in expect_zone(corners, part, lost, rules)]
                for n, line in enumerate(lines):
                    ends = [tuple(map(Fraction, p)) for p in line]
                    found += [(e[0], f"l{n}", i, *e[1:]) for e in expect_line(ends, part, lost, rules)]
        return sorted(found, key=repr)

    def commands(self, rules, polygons, lines, times, ways):
        def text(points, between):
            return between.join(f"{x!r},{y!r}" for x, y in points)
        commands = [new(**rules), "zones " + ";".join(
            [f"z{n}={text(p + (p[:1] if len(p) == 2 else []), ' ')}" for n, p in enumerate(polygons)]
            + [f"l{n}={text(p, '->')}" for n, p in enumerate(lines)])]
        for time in times:
            # The box has no size: its anchor is exactly the place.
            commands += [f"see {i} {x!r} {y!r} {x!r} {y!r} person" for i, way in ways.items()
                         for at, (x, y) in way if at == time]
            commands.append(f"observe {time}")
        return commands + ["end"]

    def test_scenes(self):
        n_events = 0
        commands, scenes, starts = [], [], []
        for seed in range(SEED, SEED + 1000):
            scene = self.scene(random.Random(seed))
            starts.append(sum(not c.startswith("see") for c in commands))
            commands += self.commands(*scene)
            scenes.append(scene)
        answers = run(commands)
        for seed, (scene, start) in enumerate(zip(scenes, starts), SEED):
            times, found = scene[3], []
            self.assertEqual(answers[start + 1], [])
            told = [*times, times[-1] + 1]
            for when, answer in zip(told, answers[start + 2:start + 2 + len(told)]):
                for event in map(json.loads, answer):
                    more = {"enter": (), "dwell": (event.get("duration"),),
                            "leave": (event.get("reason"), event.get("duration")),
                            "cross": (1 if event.get("direction") == "in" else -1,)}[event["event"]]
                    found.append((when, event.get("zone") or event["line"], event["id"], event["event"],
                                  event["timestamp"], *more))
            self.assertEqual(sorted(found, key=repr), self.expected(*scene), f"seed {seed}")
            n_events += len(found)
        self.assertGreater(n_events, 10000)
        print(f"1000 scenes from seed {SEED}, {n_events} events", file=sys.stderr)

    def test_regions(self):
        """A zone has the same points as a detector's region."""
        rng = random.Random(SEED)
        commands = []
        while len(commands) < 2000:
            grid = rng.choice((4, 16, 1000))
            polygon = [(rng.randrange(grid + 1) / grid, rng.randrange(grid + 1) / grid) for _ in range(rng.randrange(3, 7))]
            a, b = polygon[:2]
            if all((b[0] - a[0]) * (p[1] - a[1]) == (b[1] - a[1]) * (p[0] - a[0]) for p in polygon):
                continue
            place = rng.randrange(grid) / grid, rng.randrange(grid) / grid
            commands.append("point " + " ".join(f"{v!r}" for p in polygon for v in p)
                            + " -- " + " ".join(f"{v!r}" for v in place))
        answers = [answer[0].split() for answer in run(commands)]
        self.assertTrue(all(ours == its for ours, its in answers))
        self.assertGreater(sum(ours == "1" for ours, _ in answers), 200)


class Supervision(unittest.TestCase):
    """Beside roboflow's supervision, on a picture of 1000 × 1000 pixels."""

    def setUp(self):
        try:
            import numpy
            import supervision
        except ImportError:
            self.skipTest("no supervision")
        self.np, self.sv = numpy, supervision

    def detections(self, objects):
        boxes = self.np.array([(x - 20, y - 100, x + 20, y) for _, x, y in objects], dtype=float).reshape(-1, 4)
        return self.sv.Detections(xyxy=boxes, class_id=self.np.zeros(len(objects), int),
                                  tracker_id=self.np.array([i for i, _, _ in objects], dtype=int))

    def test_polygon(self):
        """Its zone is a mask of pixels, so places next to an edge may differ; all others are equal."""
        rng = random.Random(SEED)
        n = different = 0
        for _ in range(20):
            polygon = [(rng.randrange(1000), rng.randrange(1000)) for _ in range(rng.choice((3, 4, 5)))]
            zone = self.sv.PolygonZone(polygon=self.np.array(polygon),
                                       triggering_anchors=(self.sv.Position.BOTTOM_CENTER,))
            places = [(i, rng.randrange(20, 980), rng.randrange(100, 1000)) for i in range(100)]
            theirs = zone.trigger(self.detections(places))
            text = " ".join(f"{x / 1000!r},{y / 1000!r}" for x, y in polygon)
            found = events([new(), f"zones z={text}", *(see(i, x / 1000, y / 1000) for i, x, y in places), "observe 0"])
            ours = {event[3] for event in found}
            for (i, x, y), its in zip(places, theirs):
                near = min(abs((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / max(1, ((bx - ax)**2 + (by - ay)**2)**0.5)
                           for (ax, ay), (bx, by) in zip(polygon, polygon[1:] + polygon[:1]))
                n += 1
                if (i in ours) != bool(its):
                    different += 1
                    self.assertLess(near, 1.5, (polygon, x, y))
        self.assertLess(different, n / 50)
        print(f"PolygonZone: {n} places, {different} next to an edge differ", file=sys.stderr)

    def test_line(self):
        """Its line is crossed by an object that is on the other side and beside the line, however it
        came there; ours by a path through the line. Straight walks across its middle are the same."""
        rng = random.Random(SEED)
        n = 0
        for _ in range(50):
            a, b = ((rng.randrange(100, 900), rng.randrange(200, 900)) for _ in range(2))
            if (a[0] - b[0])**2 + (a[1] - b[1])**2 < 200**2:
                continue
            line = self.sv.LineZone(start=self.sv.Point(*a), end=self.sv.Point(*b),
                                    triggering_anchors=(self.sv.Position.BOTTOM_CENTER,))
            middle = [(p + q) / 2 for p, q in zip(a, b)]
            across = (-(b[1] - a[1]) / 10, (b[0] - a[0]) / 10)
            way = rng.choice((1, -1))
            commands = [new(), "zones l={!r},{!r}->{!r},{!r}".format(*(v / 1000 for v in (*a, *b)))]
            for step in (-3, -2, -1, 1, 2, 3):
                x, y = (m + way * step * d for m, d in zip(middle, across))
                line.trigger(self.detections([(7, x, y)]))
                commands += [see(7, x / 1000, y / 1000), f"observe {step + 3}"]
            counts = run(commands + ["counts"])[-1][0].split()[1:]
            # What it calls in is to the left, seen from the start.
            self.assertEqual([int(count) for count in counts], [line.out_count, line.in_count])
            n += 1
        self.assertGreater(n, 20)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    TRACE = os.path.abspath(sys.argv.pop(1))
    SEED = int(sys.argv.pop(1)) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 0
    unittest.main()
