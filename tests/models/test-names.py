#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""models/name_classes.py and models/name_head.py: they change the metadata of a file and nothing
else, and reject a file that is not a weights file.

usage: test-names.py BUILD SEEDED DATA
"""
import json
import os
import subprocess
import sys
import unittest

from fetchcommon import BUILD, NAME_CLASSES, NAME_HEAD, Case, join, read, seeded, split, write


class ScriptCase(Case):
    def run_it(self, *arguments, status=0):
        done = subprocess.run([sys.executable, self.script, *arguments], cwd=self.dir, text=True,
                              capture_output=True, timeout=60, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done.stdout + done.stderr


class Names(ScriptCase):
    """models/name_classes.py by itself."""

    script = NAME_CLASSES

    def test_in_place(self):
        header, data = split(seeded("tiny-nc3"))
        header["__metadata__"] = {"imgsz": "64", "names": "['old']", "licence": "é"}
        model, names = self.path("model"), self.path("names")
        write(model, join(header, data))
        write(names, 'dog "Rex"\r\n\\o/ ’n’ 🐕\nit\'s\n\n'.encode("utf-8-sig"))
        self.run_it(model, names)
        expected = ['dog "Rex"', "\\o/ ’n’ 🐕", "it's"]
        self.assertEqual(self.names(file=model), expected)
        new, kept = split(read(model))
        meta = new.pop("__metadata__")
        self.assertEqual(json.loads(meta.pop("names")), dict(zip("012", expected)))
        self.assertEqual(meta, {"imgsz": "64", "licence": "é"})
        del header["__metadata__"]
        self.assertEqual((list(new.items()), kept), (list(header.items()), data))
        self.assertEqual((os.path.getsize(model) - len(data)) % 8, 0)
        self.assertEqual(sorted(os.listdir(self.dir)), ["model", "names"])

    def test_refusals(self):
        model, names = self.path("model"), self.path("names")
        body = seeded("tiny-nc3")
        write(names, b"a\nb\nc\n")
        header, data = split(body)
        for wrong, says in ((b"", "not a safetensors"),
                            (b"<html>a web page</html>", "not a safetensors"),
                            (body[:50], "only the beginning"), (body[:-1], "tensors end at"),
                            (body + b"x", "tensors end at"), (join([1], data), "no table"),
                            (join({"a": 1}, data), "no table"), (join({}, b""), "no table"),
                            (join({**header, "__metadata__": 5}, data), "no table")):
            write(model, wrong)
            self.assertIn(says, self.run_it(model, names, status=1))
            self.assertEqual(read(model), wrong)
        write(model, body)
        for text, says in ((b"a\nb\n", "has 2 names"), (b"", "no names"),
                           (b"a\n\xff\nc", "not UTF-8")):
            write(names, text)
            self.assertIn(says, self.run_it(model, names, status=1))
        write(names, b"a\nb\nc\n")
        self.assertIn("No such file", self.run_it("none", names, status=3))
        self.assertIn("usage", self.run_it(status=2))
        self.assertIn("usage", self.run_it("--help"))
        self.assertEqual(read(model), body)
        self.assertEqual(sorted(os.listdir(self.dir)), ["model", "names"])


class Head(ScriptCase):
    """models/name_head.py, and y10's reading of its output."""

    script = NAME_HEAD

    def info(self, model):
        return subprocess.run([os.path.join(BUILD, "tools/y10"), "info", "--json", "--backend",
                               "ref", "--size", "32", model], cwd=self.dir, text=True,
                              capture_output=True, timeout=60, check=False)

    def test_heads(self):
        header, data = split(seeded("tiny-nc3"))
        header["__metadata__"] = {"imgsz": "64", "licence": "é"}
        write(self.path("model"), join(header, data))
        for head in ("one2many", "one2one-nms", "one2one", "auto"):
            self.assertEqual(self.run_it("model", head), "")
            new, kept = split(read(self.path("model")))
            meta = new.pop("__metadata__")
            self.assertEqual(meta.pop("head", "auto"), head)
            self.assertEqual(meta, header["__metadata__"])
            self.assertEqual(list(new.items()), [item for item in header.items()
                                                 if item[0] != "__metadata__"])
            self.assertEqual(kept, data)
            used = json.loads(self.info("model").stdout)["head"]
            self.assertEqual(used, "one2one" if head == "auto" else head)
        self.run_it("model", "one2many", "other")
        self.assertNotIn("head", split(read(self.path("model")))[0]["__metadata__"])
        self.assertEqual(json.loads(self.info("other").stdout)["head"], "one2many")

    def test_refusals(self):
        header, data = split(seeded("tiny-nc3"))
        body = join({name.replace("one2one_", "none_"): value for name, value in header.items()},
                    data)
        write(self.path("model"), body)
        for head, status, says in (("one2one", 1, "model has no one2one head"),
                                   ("one2one-nms", 1, "model has no one2one head"),
                                   ("two", 2, "HEAD is 'two'; it must be one2one")):
            self.assertIn(says, self.run_it("model", head, status=status))
            self.assertEqual(read(self.path("model")), body)
        self.assertIn("No such file", self.run_it("none", "auto", status=3))
        self.assertIn("usage", self.run_it(status=2))
        self.assertIn("usage", self.run_it("--help"))

    def test_written_by_others(self):
        """A head that the engine does not know, in a header that json.dumps wrote."""
        header, data = split(seeded("tiny-nc3"))
        header["__metadata__"] = {"head": "Detect"}
        write(self.path("model"), join(header, data))
        done = self.info("model")
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertEqual(done.stderr.splitlines(), [
            'y10: model: the metadata "head" is "Detect"; expected "one2one", "one2many" or '
            '"one2one-nms"'])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
