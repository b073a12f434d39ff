#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""What happens in zones: exact events of objects whose ways are known.

usage: test-zones.py TRACE [SEED]
"""
import json
import math
import random
import unittest

from tracing import GATE, MS, SECOND, YARD, events, main, new, run, see


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
        # Back around the end of the line, and across it again in the same direction.
        around = [up, down, (0.9, 0.6), (0.9, 0.4), up, down, down]
        self.assertEqual(self.walk(GATE, around, hysteresis=SECOND), [])
        self.assertEqual(self.walk(GATE, around, hysteresis=100 * MS),
                         [("cross", "gate", 100, 7, "in"), ("cross", "gate", 500, 7, "in")])

    def test_few_observations(self):
        """There and back, with a single observation on the other side: by then it has lasted."""
        up, down = (0.5, 0.25), (0.5, 0.75)
        self.assertEqual(self.walk(GATE, [up, down, up, up], step=SECOND, hysteresis=200 * MS),
                         [("cross", "gate", 1000, 7, "in"), ("cross", "gate", 2000, 7, "out")])
        self.assertEqual(self.walk(GATE, [up, down, up, up], step=100 * MS, hysteresis=200 * MS), [])

    def test_stands_on_line(self):
        """Whoever stands on a line or at its end, and moves by less than a quarter of its box each way,
        crosses it once at most: on the way there or on. The box is 1/16 by 1/8."""
        for a, b in (((0.25, 0.5), (0.75, 0.5)), ((0.5, 0.25), (0.5, 0.75)), ((0.25, 0.25), (0.5, 0.5))):
            line = f"zones gate={a[0]},{a[1]} -> {b[0]},{b[1]}"
            for seed in range(20):
                rng = random.Random(seed)
                x, y = rng.choice((((a[0] + b[0]) / 2, (a[1] + b[1]) / 2), b))
                slow = rng.choice((1, 7, 40))
                radius = rng.random()
                stands = []
                for i in range(600):
                    turn = rng.random() if slow == 1 else i / slow
                    stands.append((x + radius / 64 * math.cos(turn * 2 * math.pi) * 0.99,
                                   y + radius / 32 * math.sin(turn * 2 * math.pi) * 0.99))
                for hysteresis in (0, 200 * MS):
                    self.assertEqual(self.walk(line, stands, hysteresis=hysteresis), [], (line, seed))
                    for way, n in (([], 0), ([(x - 0.25, y + 0.125)], 1)):
                        found = self.walk(line, [*way, *stands, *[(x + 0.125, y - 0.25)] * 3], hysteresis=hysteresis)
                        self.assertLessEqual(len(found), 1, (line, seed))
                        if n and (x, y) != b:
                            self.assertEqual(len(found), n, (line, seed))

    def test_clear(self):
        """Straight on, a walk counts as soon as a quarter of the box is across, however the line lies; at
        the edge of the picture, when half of what there is is. The time is that of the crossing."""
        across = 1 / 64
        for line, ways in (("zones gate=0,0.5 -> 1,0.5", [(0.5, 0.5 + i * across) for i in range(-3, 6)]),
                           ("zones gate=0.5,1 -> 0.5,0", [(0.5 + i * across / 2, 0.5) for i in range(-3, 6)])):
            answers = run([new(), line, *(c for i, place in enumerate(ways)
                                          for c in (see(7, *place), f"observe {i * MS}"))])
            told = [i for i, answer in enumerate(answers[2:]) if answer]
            self.assertEqual(told, [5])
            self.assertEqual(json.loads(answers[2 + told[0]][0])["timestamp"], 3 * MS)
        # One that walks out of the picture at the bottom, where boxes end a little before the edge.
        edge = [(0.5, 0.9), (0.5, 0.97), (0.5, 0.998), (0.5, 0.998)]
        self.assertEqual(self.walk("zones gate=0,0.95 -> 1,0.95", edge)[:1], [("cross", "gate", 100, 7, "in")])
        self.assertEqual(self.walk("zones gate=0,0.95 -> 1,0.95", [(0.5, 0.94), (0.5, 0.97)] * 9), [])

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
        # One that turns on the line has not crossed it.
        self.assertEqual(self.walk(GATE, [up, on, up]), [])
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


if __name__ == "__main__":
    main(__doc__)
