#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""tests/estimate.py, with a small project whose tests Meson runs: they sleep."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

ESTIMATE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../estimate.py")
PROJECT = """project('small')
sleep = find_program('sleep')
test('long', sleep, args: '3', suite: 'a')
test('alone', sleep, args: '2', suite: 'a', is_parallel: false)
test('waiting', sleep, args: '0', suite: ['c', 'waits'])
foreach i : range(4)
  test('short @0@'.format(i), sleep, args: '0', suite: 'b')
endforeach
"""


class Estimate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = os.path.join(folder.name, "build")
        with open(os.path.join(folder.name, "meson.build"), "w", encoding="utf-8") as file:
            file.write(PROJECT)
        subprocess.run(["meson", "setup", self.build, folder.name], check=True,
                       stdout=subprocess.DEVNULL)

    def meson(self, *arguments):
        return subprocess.run(["meson", "test", "-C", self.build, "--no-rebuild", *arguments],
                              check=True, stdout=subprocess.PIPE, text=True).stdout

    def before(self, *arguments, cores=None, at_once=None):
        command = [sys.executable, ESTIMATE, "before", self.build]
        env = {name: value for name, value in os.environ.items() if name != "MESON_TESTTHREADS"}
        if at_once:
            env["MESON_TESTTHREADS"] = at_once
        if cores:
            command = ["taskset", "-c", cores, *command]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=env,
                              input=self.meson("--list", *arguments)).stdout

    def after(self):
        subprocess.run([sys.executable, ESTIMATE, "after", self.build], check=True)

    def test_first_time(self):
        said = self.before()
        self.assertRegex(said, r"^7 tests on \d+ cores: about \d+ (s|min), if nothing else runs")
        self.assertEqual(said.count("\n"), 1)
        self.assertRegex(self.before("--suite", "b"), "^4 tests on ")

    def test_as_last_time(self):
        self.meson()
        self.after()
        said = self.before(cores=str(min(os.sched_getaffinity(0))))
        self.assertEqual(said, "7 tests on 1 cores: about 10 s, as long as they took last time\n")
        # A run of some tests keeps the durations of the others.
        self.meson("--suite", "b")
        self.after()
        self.assertIn("last time", self.before("--suite", "a"))

    def test_adds_up(self):
        """Minutes, from the durations of an earlier run; tests that run alone are not divided
        among cores, and three that wait share one."""
        path = os.path.join(self.build, "test-durations.json")
        durations = {"alone": 600, "waiting": 360}
        names = [line for line in self.meson("--list").splitlines() if " / " in line]
        self.assertEqual(len(names), 7)
        with open(path, "w", encoding="utf-8") as file:
            file.write("{" + ", ".join(f'"{name}": {durations.get(name.split(" / ")[-1], 120)}'
                                       for name in names) + "}")
        cpus = sorted(os.sched_getaffinity(0))
        for count in (1, 2):
            if len(cpus) >= count:
                said = self.before(cores=",".join(map(str, cpus[:count])))
                minutes = int(re.search(r"about (\d+) min", said)[1])
                self.assertEqual(minutes, 10 + (2 + 10) // count, said)

    def test_damaged_file(self):
        for text in ("", "[]", "{", '{"a": []}'):
            with open(os.path.join(self.build, "test-durations.json"), "w", encoding="utf-8") as file:
                file.write(text)
            self.assertIn("7 tests on ", self.before())


if __name__ == "__main__":
    unittest.main()
