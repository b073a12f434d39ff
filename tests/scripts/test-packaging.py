#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""What packaging/ names exists: files, tests, packages; and its version is meson.build's.

usage: test-packaging.py BUILD VERSION

Needs neither a network nor root. packaging/build.sh builds the packages and tests them.
"""
import fnmatch
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
PACKAGING = os.path.join(ROOT, "packaging")
DEBIAN = os.path.join(PACKAGING, "debian/debian")
BUILD, VERSION = sys.argv[1:3]


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def introspected(name):
    with open(os.path.join(BUILD, "meson-info", f"intro-{name}.json"), encoding="utf-8") as file:
        return json.load(file)


def option(name):
    return next(o["value"] for o in introspected("buildoptions") if o["name"] == name)


def paragraphs(control):
    """The fields of each paragraph of a Debian control file."""
    return [dict(re.findall(r"^([\w-]+): *((?:.*(?:\n[ \t].*)*))", text, re.M))
            for text in re.split(r"\n\n+", control.strip())]


def installed_files():
    """What the build installs, as paths below / of an installation into /usr."""
    prefix = option("prefix").rstrip("/")
    for path in introspected("installed").values():
        if path.startswith(prefix + "/"):
            path = "usr" + path[len(prefix):]
        yield path.lstrip("/")


def install_patterns(folder):
    """(package, pattern) for each line of debian/*.install."""
    for path in sorted(glob.glob(os.path.join(folder, "*.install"))):
        for line in read(path).splitlines():
            if line.strip():
                yield os.path.basename(path)[:-len(".install")], line.strip()


class Packages(unittest.TestCase):
    def setUp(self):
        self.source, *self.packages = paragraphs(read(DEBIAN, "control"))
        self.names = {package["Package"] for package in self.packages}

    def test_each_installed_file_is_in_one_package(self):
        patterns = list(install_patterns(DEBIAN))
        used = set()
        self.assertTrue(patterns)
        for path in installed_files():
            if re.match(r"usr/lib/([^/]+/)?y10/", path):  # The CUDA module has its own source.
                continue
            # dh_install copies what a pattern matches, folders with their contents.
            found = {(package, pattern) for package, pattern in patterns
                     if any(fnmatch.fnmatchcase("/".join(path.split("/")[:n]), pattern)
                            and pattern.count("/") == n - 1 for n in range(1, path.count("/") + 2))}
            self.assertEqual(len({package for package, _ in found}), 1, f"{path} is in {found}")
            used |= found
        self.assertEqual(set(patterns) - used, set(), "patterns that match nothing")

    def test_packages_are_named_as_they_are(self):
        library = re.search(r"liby10\.so\.(\d+)\b", "\n".join(installed_files()))
        self.assertIn(f"liby10-{library[1]}", self.names, "the package is named by the soname")
        self.assertEqual({package for package, _ in install_patterns(DEBIAN)}, self.names)
        ours = re.compile(r"\b(?:liby10-\w+|gstreamer1\.0-yolov10|y10-data|y10|yolov10detect-\w+)\b")
        tests = "\n".join(t["Depends"] for t in paragraphs(read(DEBIAN, "tests/control")))
        depends = "\n".join(p.get("Depends", "") + p.get("Recommends", "") for p in self.packages)
        for text in (tests, depends):
            self.assertTrue(ours.findall(text))
            self.assertEqual(set(ours.findall(text)) - self.names, set())
        tested = re.search(r"^ours='(.*)'", read(PACKAGING, "debian/test.sh"), re.M)[1].split()
        contained = re.search(r"/bookworm/\{(.*)\}_", read(PACKAGING, "container/build.sh"))[1].split(",")
        # The autopkgtests install these two, with all that they depend on; the container has the
        # scripts from the clone.
        self.assertEqual(set(tested), self.names - {"liby10-dev", "yolov10detect-examples"})
        self.assertEqual(set(contained), self.names - {"liby10-dev", "yolov10detect-examples"})

    def test_the_build_runs_tests_that_exist(self):
        rules = read(DEBIAN, "rules").replace("\\\n", " ")
        tests = introspected("tests")
        suites = {suite.split(":")[-1] for test in tests for suite in test["suite"]}
        lines = re.findall(r"^\tdh_auto_test -- (.*)", rules, re.M)
        self.assertEqual(len(lines), 2)
        for line in lines:
            words = re.sub(r"--(print-errorlogs|timeout-multiplier \d+)", "", line)
            named = re.findall(r"--(?:no-)?suite (\S+)", words)
            self.assertEqual(set(named) - suites, set())
            rest = re.sub(r"--(?:no-)?suite \S+", "", words).split()
            self.assertTrue(named or rest)
            self.assertEqual(set(rest) - {test["name"] for test in tests}, set())

    def test_the_service_is_the_units(self):
        """The file that rules copy exists, for the package and the name that dh_installsystemd is given."""
        rules = read(DEBIAN, "rules")
        source, package, name = re.search(r"^\tcp (\S+) debian/([\w-]+)\.([\w-]+)\.service$", rules, re.M).groups()
        self.assertTrue(os.path.exists(os.path.join(ROOT, source)), source)
        self.assertIn(package, self.names)
        self.assertRegex(rules, f"dh_installsystemd --package={package} --name={name}\\b")
        self.assertEqual(os.path.basename(source), name + ".service")

    def test_autopkgtests_exist(self):
        for folder in (DEBIAN, os.path.join(PACKAGING, "debian-cuda/debian")):
            for test in paragraphs(read(folder, "tests/control")):
                for name in test["Tests"].split():
                    self.assertTrue(os.access(os.path.join(folder, "tests", name), os.X_OK), name)


class Version(unittest.TestCase):
    def test_the_changelog_begins_with_it(self):
        self.assertEqual(re.search(r"^## (\S+)", read(ROOT, "CHANGELOG.md"), re.M)[1], VERSION)

    def test_the_source_package_has_it(self):
        if subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], check=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
            self.skipTest("not a git clone")
        for source in ("yolov10detect", "yolov10detect-cuda"):
            with tempfile.TemporaryDirectory() as folder:
                self.check_source(source, folder)

    def check_source(self, source, folder):
        done = subprocess.run([os.path.join(PACKAGING, "debian/source.sh"), "trixie", folder, source],
                              check=True, stdout=subprocess.PIPE, text=True)
        tree = done.stdout.strip()
        self.assertEqual(os.path.basename(tree), f"{source}-{VERSION}")
        self.assertTrue(os.path.exists(os.path.join(folder, f"{source}_{VERSION}.orig.tar.gz")))
        first = read(tree, "debian/changelog").splitlines()[0]
        self.assertEqual(first, f"{source} ({VERSION}-1~deb13u1) trixie; urgency=medium")
        self.assertIn(f"\nSource: {source}\n", "\n" + read(tree, "debian/control"))
        if shutil.which("dpkg-parsechangelog"):
            done = subprocess.run(["dpkg-parsechangelog", "--all", "-S", "Version", "-l",
                                   os.path.join(tree, "debian/changelog")], check=True, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertEqual((done.stdout.strip(), done.stderr), (f"{VERSION}-1~deb13u1", ""))


class Scripts(unittest.TestCase):
    def test_each_prints_its_usage(self):
        scripts = [path for path in glob.glob(os.path.join(PACKAGING, "**/*.sh"), recursive=True)
                   if os.access(path, os.X_OK)]
        self.assertGreater(len(scripts), 4)
        for path in scripts:
            done = subprocess.run([path, "--help"], check=False, text=True, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            self.assertEqual(done.returncode, 0, path)
            self.assertTrue(done.stdout.startswith(f"usage: {os.path.relpath(path, ROOT)}"), path)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
