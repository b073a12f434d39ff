#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""tests/count.py on logs as Meson writes them: one JSON object a line and test."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

COUNT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../count.py")


def count(*logs, failed=None):
    """(exit status, lines printed) for logs given as lists of (result, output)."""
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for i, log in enumerate(logs):
            paths.append(os.path.join(folder, f"{i}.json"))
            with open(paths[-1], "w", encoding="utf-8") as file:
                for result, output, *errors in log:
                    file.write(json.dumps({"name": "a test", "result": result, "stdout": output,
                                           "stderr": "".join(errors)}) + "\n")
        extra = [] if failed is None else [f"--failed={failed}"]
        done = subprocess.run([sys.executable, COUNT, *extra, *paths], text=True, check=False,
                              stdout=subprocess.PIPE)
    return done.returncode, done.stdout.splitlines()


class Count(unittest.TestCase):
    def test_sums_over_all_logs(self):
        status, lines = count([("OK", ""), ("OK", "")], [("EXPECTEDFAIL", "")])
        self.assertEqual((status, lines), (0, ["3 passed, 0 failed, 0 skipped"]))

    def test_a_skip_says_why(self):
        status, lines = count([("OK", ""), ("SKIP", "looking\nno camera here\n\n")])
        self.assertEqual(status, 0)
        self.assertEqual(lines, ["skipped: a test: no camera here",
                                 "1 passed, 0 failed, 1 skipped"])

    def test_a_skip_says_why_before_other_lines(self):
        """unittest writes its summary to stderr, which Meson keeps apart from the reason."""
        lines = count([("SKIP", "SKIP: no PyTorch\n", "...\nRan 9 tests\n\nOK (skipped=8)\n")])[1]
        self.assertEqual(lines[0], "skipped: a test: no PyTorch")

    def test_everything_else_is_a_failure(self):
        for result in ("FAIL", "ERROR", "TIMEOUT", "INTERRUPT", "UNEXPECTEDPASS", "RUNNING"):
            status, lines = count([("OK", ""), (result, "oops")])
            self.assertEqual((status, lines[-1]), (1, "1 passed, 1 failed, 0 skipped"))

    def test_a_failure_says_why(self):
        """The assertion stands in one stream, a summary last in the other."""
        lines = count([("OK", ""), ("FAIL", "\n".join(f"line {i}" for i in range(100)),
                                    "test-a.c:12: found 3, expected 4\nran in 10 s\n")])[1]
        self.assertEqual(lines[0], "failed: a test: FAIL")
        self.assertIn("  line 99", lines)
        self.assertNotIn("  line 2", lines)
        self.assertIn("  test-a.c:12: found 3, expected 4", lines)

    def test_broken_builds_count(self):
        self.assertEqual(count([("OK", "")], failed=2), (1, ["1 passed, 2 failed, 0 skipped"]))

    def test_no_test_is_no_success(self):
        self.assertEqual(count([]), (1, ["0 passed, 0 failed, 0 skipped"]))
        self.assertEqual(count([("SKIP", "x")])[0], 1)


if __name__ == "__main__":
    unittest.main()
