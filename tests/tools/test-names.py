#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Class names as Python writes them into a weights file: json.dumps with and without escapes, for
the names and for the header around them, and repr as Ultralytics does. y10 must read Python's
output, and print valid JSON for any contents."""
import json
import struct
import unittest

import common

NAMES = ["\U0001f600 grin", "\U00020bb7\u91ce\u5bb6", 'b\u00e4r\'s "\\" \u05d0\u05d1\u0627']


class Names(common.Case):
    def classes(self, names, ascii_header, refused=False):
        with open(self.model, "rb") as f:
            size, = struct.unpack("<Q", f.read(8))
            header, data = json.loads(f.read(size)), f.read()
        header["__metadata__"] = {"names": names}
        text = json.dumps(header, ensure_ascii=ascii_header).encode("utf-8", "surrogatepass")
        path = self.path("names.safetensors")
        with open(path, "wb") as f:
            f.write(struct.pack("<Q", len(text)) + text + data)
        done = common.subprocess.run([common.Y10, "info", "--json", "-s", "32", "-m", path],
                                     env=self.env, stdout=common.subprocess.PIPE,
                                     stderr=common.subprocess.PIPE)
        if refused:
            self.assertEqual((done.returncode, done.stdout), (3, b""))
            self.assertIn("is not JSON", done.stderr.decode("utf-8", "strict"))
            return None
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return json.loads(done.stdout.decode("utf-8", "strict"))["classes"]

    def test_python(self):
        numbered = {str(i): name for i, name in enumerate(NAMES)}
        for ascii_header in True, False:
            for names in (json.dumps(NAMES), json.dumps(NAMES, ensure_ascii=False),
                          json.dumps(numbered), json.dumps(numbered, ensure_ascii=False),
                          repr(NAMES), repr(dict(enumerate(NAMES))), ascii(NAMES), repr(tuple(NAMES)),
                          repr({str(i): name for i, name in enumerate(NAMES)})):
                with self.subTest(names=names, ascii_header=ascii_header):
                    self.assertEqual(self.classes(names, ascii_header), NAMES)

    def test_lone_surrogates(self):
        """json.dumps escapes lone surrogates, which y10 replaces by U+FFFD."""
        names = json.dumps(["a\ud83d", "\ude00b", "c"])
        self.assertEqual(self.classes(names, True), ["a\ufffd", "\ufffdb", "c"])

    def test_lone_surrogates_in_header(self):
        """Here the escapes are in the header itself: JSON that encodes no valid text."""
        self.assertIsNone(self.classes('["a\ud83d", "\ude00b", "c"]', True, refused=True))


if __name__ == "__main__":
    unittest.main()
