#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""tools/setup/installed.py with the real Meson and a small project, below a temporary prefix.

os.walk lists the files before and after.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

INSTALLED = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                         "../../tools/setup/installed.py")
PROJECT = """project('small', version: '1.2')
install_data('data', install_dir: get_option('datadir') / 'y10')
install_data('library', rename: 'liby10.so.0.1', install_dir: get_option('libdir'))
install_data('plugin', rename: 'libgstyolov10.so', install_dir: get_option('libdir') / 'gstreamer-1.0')
install_symlink('liby10.so.0', install_dir: get_option('libdir'), pointing_to: 'liby10.so.0.1')
"""


class Installed(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = os.path.realpath(folder.name)
        self.source, self.build, self.prefix = (os.path.join(self.dir, name)
                                                for name in ("source", "build", "prefix"))
        os.mkdir(self.source)
        os.makedirs(os.path.join(self.prefix, "lib"))
        self.write(os.path.join(self.prefix, "lib/libother.so"), "somebody else's")
        self.write(os.path.join(self.source, "meson.build"), PROJECT)
        for name in ("data", "library", "plugin"):
            self.write(os.path.join(self.source, name), name)
        self.meson("setup", self.build, self.source, "--prefix", self.prefix, "--libdir", "lib")
        self.before = self.files()

    @staticmethod
    def write(path, text):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    @staticmethod
    def meson(*arguments):
        subprocess.run(["meson", *arguments], check=True, stdout=subprocess.DEVNULL)

    def files(self, folder=None):
        folder = folder or self.prefix
        return sorted(os.path.relpath(os.path.join(at, name), folder)
                      for at, folders, files in os.walk(folder) for name in folders + files)

    def call(self, verb, *arguments, status=0, destdir=None):
        environment = {k: v for k, v in os.environ.items() if k != "DESTDIR"}
        if destdir:
            environment["DESTDIR"] = destdir
        done = subprocess.run([sys.executable, INSTALLED, verb, self.build, *arguments], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                              env=environment)
        self.assertEqual(done.returncode, status, done.stdout)
        self.assertNotIn("Traceback", done.stdout)
        return done.stdout

    def install(self, **arguments):
        old = os.path.join(self.dir, "old")
        self.call("before", old, **arguments)
        return self.call("install", old, **arguments)

    def manifest(self, destdir=""):
        with open(destdir + os.path.join(self.prefix, "share/y10/manifest"),
                  encoding="utf-8") as file:
            return file.read()

    def test_uninstall_leaves_what_was_there(self):
        self.install()
        self.assertIn("share/y10/data", self.files())
        for path in self.files():
            if path != "share/y10/manifest" and path not in self.before:
                self.assertIn(f" {self.prefix}/{path}\n", self.manifest())
        said = self.call("uninstall")
        self.assertEqual(said, "setup: deleted 4 files\n")
        self.assertEqual(self.files(), self.before)
        self.assertIn("nothing to uninstall", self.call("uninstall", status=1))

    def test_twice_then_uninstall(self):
        """The second time Meson creates no folders, so its log lists none."""
        self.install()
        self.install()
        self.call("uninstall")
        self.assertEqual(self.files(), self.before)

    def test_hashes_are_those_of_sha256sum(self):
        self.install()
        sums = [line.split(" ", 2)[1:] for line in self.manifest().splitlines()
                if line.startswith("file ")]
        self.assertEqual(len(sums), 3)
        subprocess.run(["sha256sum", "--check", "--strict", "--quiet"], check=True, text=True,
                       input="".join(f"{sha}  {path}\n" for sha, path in sums))

    def test_what_changed_stays(self):
        self.install()
        data = os.path.join(self.prefix, "share/y10/data")
        self.write(data, "edited")
        said = self.call("uninstall")
        self.assertIn("deleted 3 files\n", said)
        self.assertIn(f"left {data}: it has changed", said)
        self.assertEqual(said.count("left "), 1, said)
        self.assertEqual(self.files(), sorted(self.before + ["share", "share/y10", "share/y10/data",
                                                             "share/y10/manifest"]))
        # No file of it is forgotten.
        self.write(data, "data")
        self.call("uninstall")
        self.assertEqual(self.files(), self.before)

    def test_a_link_and_a_folder_that_changed_stay(self):
        self.install()
        link = os.path.join(self.prefix, "lib/liby10.so.0")
        os.unlink(link)
        os.symlink("libother.so", link)
        self.write(os.path.join(self.prefix, "lib/gstreamer-1.0/other.so"), "")
        said = self.call("uninstall")
        self.assertIn(f"left {link}: it has changed", said)
        self.assertIn("lib/gstreamer-1.0: it is not empty", said)
        self.assertEqual(said.count("left "), 2, said)
        self.assertTrue(os.path.islink(link))

    def test_another_libdir_deletes_the_stale_copy(self):
        self.install()
        old = self.call("show", "libdir").strip()
        self.meson("configure", self.build, "-Dlibdir=lib/multi")
        self.meson("setup", "--reconfigure", self.build, self.source)
        said = self.install()
        self.assertIn("deleted 3 files of an earlier installation", said)
        self.assertEqual((old, self.call("show", "libdir").strip()), ("lib", "lib/multi"))
        self.assertEqual([path for path in self.files() if "10.so" in path],
                         ["lib/multi/gstreamer-1.0/libgstyolov10.so", "lib/multi/liby10.so.0",
                          "lib/multi/liby10.so.0.1"])
        self.assertFalse(os.path.exists(os.path.join(self.prefix, "lib/gstreamer-1.0")))
        self.call("uninstall")
        self.assertEqual(self.files(), self.before)

    def test_a_copy_from_before_there_was_a_manifest(self):
        """Uses the earlier log of Meson after the build was configured for another folder."""
        shutil.rmtree(self.build)
        self.meson("setup", self.build, self.source, "--prefix", self.prefix, "--libdir", "lib64")
        self.meson("install", "-C", self.build)
        old = os.path.join(self.dir, "old")
        self.call("before", old)
        self.meson("setup", "--reconfigure", self.build, self.source, "-Dlibdir=lib")
        self.call("install", old)
        self.assertFalse(os.path.exists(os.path.join(self.prefix, "lib64")))
        self.call("uninstall")
        self.assertEqual(self.files(), self.before)

    def test_uninstall_by_mesons_log(self):
        self.meson("install", "-C", self.build)
        said = self.call("uninstall")
        self.assertIn("there is no", said)
        self.assertIn("deleted 4 files", said)
        self.assertEqual(self.files(), self.before)

    def test_the_log_of_another_folder_is_not_taken(self):
        """After an installation below DESTDIR, files below the prefix are unknown."""
        self.meson("install", "-C", self.build)
        there = self.files()
        subprocess.run(["meson", "install", "-C", self.build], check=True,
                       stdout=subprocess.DEVNULL,
                       env={**os.environ, "DESTDIR": os.path.join(self.dir, "staged")})
        self.assertIn("nothing to uninstall", self.call("uninstall", status=1))
        self.assertEqual(self.files(), there)

    def test_destdir(self):
        staged = os.path.join(self.dir, "staged")
        self.install(destdir=staged)
        self.assertEqual(self.files(), self.before)
        self.assertNotIn("staged", self.manifest(staged))
        self.call("uninstall", destdir=staged)
        self.assertEqual([path for path in self.files(staged) if os.path.isfile(
            os.path.join(staged, path))], [])
        self.assertEqual(self.files(), self.before)

    def test_a_damaged_manifest_deletes_nothing(self):
        self.install()
        path = os.path.join(self.prefix, "share/y10/manifest")
        there = self.files()
        for line in ("file", "file - relative", "pipe - /dev/null"):
            self.write(path, self.manifest() + line + "\n")
            said = self.call("uninstall", status=1)
            self.assertIn(f"{path}: '{line}' is no line of a manifest", said)
            self.assertEqual(self.files(), there)
            self.write(path, self.manifest()[:-len(line) - 1])

    def test_gstreamer_looks_at_the_plugin_again(self):
        plugin = os.path.join(self.prefix, "lib/gstreamer-1.0/libgstyolov10.so")
        os.utime(os.path.join(self.source, "plugin"), (1e9, 1e9))
        self.install()
        self.assertGreater(os.stat(plugin).st_mtime, 1e9)


if __name__ == "__main__":
    unittest.main()
