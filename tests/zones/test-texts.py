#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Zones as text, as JSON and in files: what is read, and what is refused with which words.

usage: test-texts.py TRACE [SEED]
"""
import json
import os
import tempfile
import unittest

from tracing import events, main, new, run, see


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
                (("zones", 2, "points", 1), [0.5, 1.5], "zones[2].points[1][1] is 1.5", "0 to 1"),
                (("zones", 2, "points", 1), [0.5, None], "zones[2].points[1][1] is null", "0 to 1"),
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
        """Neither the parser's stack nor memory is what a file decides."""
        deep = b"[" * 300000
        for data, part in ((b'{"version": 1,\n"zones": ' + deep, "line 2 is not JSON: it nests"),
                           (b'{"version": 1, "zones": ' + b'{"a":' * 300000, "it nests"),
                           (b"{'\"': " + deep, "unexpected character"),
                           (b'{"version": 1, "\\ud800" ": ' + deep, "escape"),
                           (b'{"version": 1, "\\u00" ": ' + deep, "escape"),
                           (b'{"version": 1} ' + b"var a = " * 100000, "unexpected character"),
                           (b'{"version": 1, "zones": [{"name": "\\udc00", "points": [[0, 0], [1, 1]]}]}', "escape"),
                           (b'{"version": 1, "zones": [{"name": "a\\u0000", "points": [[0, 0], [1, 1]]}]}',
                            'zones[0].name is "a\\u0000"; expected a name'),
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


if __name__ == "__main__":
    main(__doc__)
