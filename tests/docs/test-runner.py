#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""test-blocks.py on made-up documents: it must report each kind of error in a block."""
import importlib.util
import os
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SPEC = importlib.util.spec_from_file_location("blocks", os.path.join(HERE, "test-blocks.py"))
BLOCKS = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(BLOCKS)


class Runner(unittest.TestCase):
    def check(self, text):
        """(ran, wrong) of a document."""
        with tempfile.TemporaryDirectory() as folder:
            inputs = os.path.join(folder, "inputs")
            os.mkdir(inputs)
            with open(os.path.join(inputs, "given.txt"), "w", encoding="utf-8") as file:
                file.write("given\n")
            document = os.path.join(folder, "made-up.md")
            with open(document, "w", encoding="utf-8") as file:
                file.write(text)
            return BLOCKS.check(document, folder, inputs)

    def test_what_is_right(self):
        self.assertEqual(self.check("```sh\ntest -f given.txt\n```\n"), (1, 0))
        self.assertEqual(self.check("<!-- not run: no -->\n```sh\nfalse\n```\n"), (0, 0))
        self.assertEqual(self.check("<!-- run with: s/false/true/ -->\n```sh\nfalse\n```\n"), (1, 0))
        self.assertEqual(self.check("<!-- prints: ^gi -->\n```sh\ncat given.txt\n```\n"), (1, 0))
        self.assertEqual(self.check("<!-- needs: false -->\n```sh\nfalse\n```\n"), (0, 0))
        self.assertEqual(self.check("<!-- needs: true -->\n```sh\nfalse\n```\n"), (0, 1))
        self.assertEqual(self.check("```text\nnothing\n```\n```json\n{\n```\n"), (0, 0))
        self.assertEqual(self.check("- a list\n\n    goes on\n\n- here\n"), (0, 0))
        # Parts of one file, and files that a block leaves for the next one.
        self.assertEqual(self.check(
            "<!-- file: a.py -->\n```python\nx = 1\n```\n<!-- file: a.py -->\n```python\n"
            "print(x + 1)\n```\n<!-- prints: ^2$ -->\n```sh\npython3 a.py; cp a.py b\n```\n"
            "```sh\ncmp a.py b\n```\n"), (2, 0))

    def test_what_is_wrong(self):
        for text in ("```sh\nfalse\n```\n",
                     "```sh\nfalse\ntrue\n```\n",
                     "```sh\nfalse | true\n```\n",
                     "<!-- prints: other -->\n```sh\ncat given.txt\n```\n",
                     "<!-- run with: s/none/true/ -->\n```sh\nfalse\n```\n",
                     "<!-- run with: s/ -->\n```sh\ntrue\n```\n",
                     "<!-- not run: too far away -->\n\n```sh\nfalse\n```\n",
                     "```python\nx = 1\n```\n",
                     "```c\nint x;\n```\n",
                     "```\nno language\n```\n",
                     "Text.\n\n    indented --code\n"):
            self.assertEqual(self.check(text)[1], 1, text)

    def test_documents_of_their_own(self):
        """The project's documents have blocks, and all marks are valid."""
        for name in ("README.md", "docs/testing.md"):
            blocks, wrong = BLOCKS.blocks_of(os.path.join(BLOCKS.ROOT, name))
            self.assertTrue(blocks)
            self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
