#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""What happens in 1,000 seeded scenes, beside a second implementation of the rules, which has no
state: it computes the events from the whole list of observations. With supervision installed, also
its PolygonZone and LineZone.

usage: test-scenes.py TRACE [SEED]
"""
import json
import random
import sys
import unittest
from fractions import Fraction

import tracing
from tracing import MS, events, main, new, run, see


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


def clear(line, place, size):
    """Whether a box stands a quarter of itself from all of a line, or halfway to where no picture is."""
    width, height = size

    def offset(x, y):
        (ax, ay), (bx, by) = line
        return (bx - ax) * (y - ay) - (by - ay) * (x - ax)
    at = offset(*place)
    room = [offset(x, y) for x in (0, 1) for y in (0, 1)]
    if not width or not height or (at >= max(0, *room) / 2 if at >= 0 else at <= min(0, *room) / 2):
        return True
    (ax, ay), (bx, by), (px, py) = [(u / width, v / height) for u, v in (*line, place)]
    along = Fraction((bx - ax) * (px - ax) + (by - ay) * (py - ay), (bx - ax)**2 + (by - ay)**2)
    along = min(max(along, 0), 1)
    nearest = ax + along * (bx - ax), ay + along * (by - ay)
    return (px - nearest[0])**2 + (py - nearest[1])**2 >= Fraction(1, 16)


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


def expect_line(line, size, part, lost, rules):
    """Cut into visits to a side. One that begins with a way across the line is a crossing if it was
    clear of it and lasts; if it was not, the next one is the way back from nowhere."""
    visits, told, is_return = [], [], False
    (ax, ay), (bx, by) = line
    for n, (time, (x, y)) in enumerate(part):
        side = (bx - ax) * (y - ay) >= (by - ay) * (x - ax)
        if not visits or visits[-1][0] != side:
            visits.append((side, crossing(line, part[n - 1][1], (x, y)) if n else 0, []))
        visits[-1][2].append((time, clear(line, (x, y), size)))
    for n, (_, way, seen) in enumerate(visits):
        if not way or is_return:
            is_return = False
            continue
        begin = seen[0][0]
        whens = [time for i, (time, _) in enumerate(seen)
                 if time - begin >= rules["hysteresis"] and any(c for _, c in seen[:i + 1])]
        if n + 1 == len(visits):
            whens.append(lost[0])
        elif visits[n + 1][2][0][0] - begin > rules["hysteresis"] and any(c for _, c in seen):
            whens.append(visits[n + 1][2][0][0])
        if whens:
            told.append((whens[0], "cross", begin, way))
        is_return = not whens
    return told


class Scenes(unittest.TestCase):
    def scene(self, rng):
        """Objects that walk, jump and vanish on a coarse grid, so that they touch borders."""
        grid = rng.choice((8, 16, 64, None))

        def number():
            return rng.randrange(grid + 1) / grid if grid else round(rng.random(), 6)

        def place():
            """Not on the frame's right or lower edge: 1 - 1e-9 is not exact next to a slope."""
            return rng.randrange(grid) / grid if grid else rng.randrange(2**20) / 2**20
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
        ways, sizes = {}, {}
        for i in range(1, rng.randrange(2, 6)):
            x, y, ways[i] = place(), place(), []
            sizes[i] = rng.choice(((0, 0), (1 / 16, 1 / 4), (1 / 2, 1 / 8), (1, 2)))
            for time in times:
                move = rng.random()
                if move < 0.2:
                    x, y = place(), place()
                elif move < 0.5 and x and y:
                    # On a grid that has exact middles.
                    x, y = (min(max(v + rng.randrange(-4, 5) / 128, 0), 127 / 128) for v in (x, y))
                if rng.random() < 0.75:
                    ways[i].append((time, (x, y)))
        return rules, polygons, lines, times, ways, sizes

    def expected(self, rules, polygons, lines, times, ways, sizes):
        found = []
        for i, sightings in ways.items():
            exact = [(time, tuple(map(Fraction, place))) for time, place in sightings]
            parts = episodes(exact, times, rules["grace"])
            size = tuple(map(Fraction, sizes[i]))
            for part in parts:
                when = known_lost(part[-1][0], times, rules["grace"])
                lost = (when, "lost") if when is not None else (times[-1] + 1, "ended")
                for n, polygon in enumerate(polygons):
                    corners = [tuple(map(Fraction, p)) for p in polygon]
                    found += [(e[0], f"z{n}", i, *e[1:]) for e in expect_zone(corners, part, lost, rules)]
                for n, line in enumerate(lines):
                    ends = [tuple(map(Fraction, p)) for p in line]
                    found += [(e[0], f"l{n}", i, *e[1:]) for e in expect_line(ends, size, part, lost, rules)]
        return sorted(found, key=repr)

    def commands(self, rules, polygons, lines, times, ways, sizes):
        def text(points, between):
            return between.join(f"{x!r},{y!r}" for x, y in points)
        commands = [new(**rules), "zones " + ";".join(
            [f"z{n}={text(p + (p[:1] if len(p) == 2 else []), ' ')}" for n, p in enumerate(polygons)]
            + [f"l{n}={text(p, '->')}" for n, p in enumerate(lines)])]
        for time in times:
            # In numbers of two's powers, the anchor is exactly the place.
            commands += [f"see {i} {x - sizes[i][0] / 2!r} {y - sizes[i][1]!r} {x + sizes[i][0] / 2!r} {y!r} person"
                         for i, way in ways.items() for at, (x, y) in way if at == time]
            commands.append(f"observe {time}")
        return commands + ["end"]

    def test_scenes(self):
        n_events = 0
        commands, scenes, starts = [], [], []
        for seed in range(tracing.SEED, tracing.SEED + 1000):
            scene = self.scene(random.Random(seed))
            starts.append(sum(not c.startswith("see") for c in commands))
            commands += self.commands(*scene)
            scenes.append(scene)
        answers = run(commands)
        for seed, (scene, start) in enumerate(zip(scenes, starts), tracing.SEED):
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
        print(f"1000 scenes from seed {tracing.SEED}, {n_events} events", file=sys.stderr)

    def test_regions(self):
        """A zone has the same points as a detector's region."""
        rng = random.Random(tracing.SEED)
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
        rng = random.Random(tracing.SEED)
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
        rng = random.Random(tracing.SEED)
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
    main(__doc__)
