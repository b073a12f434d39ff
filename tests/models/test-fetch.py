#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""models/fetch.sh, against a server on this machine.

usage: test-fetch.py BUILD SEEDED DATA

The server records all requests and answers, and the tests check them; the downloaded file must
equal the server's, byte by byte.
"""
import contextlib
import errno
import hashlib
import os
import pty
import re
import shutil
import signal
import socket
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../weights"), os.path.join(HERE, "../common")]
import torchlike
from fetchcommon import (BUILD, COCO_NAMES, FETCH, KNOWN, NAME_CLASSES, FetchCase, join, read,
                         seeded, split, write)
from waiting import until


class Good(FetchCase):
    def test_download(self):
        server = self.serve()
        said_before = []
        log = self.path("log")
        server.on_request = lambda n: said_before.append(read(log, "r"))
        with open(log, "w", encoding="utf-8") as out:
            subprocess.run([FETCH, "n"], cwd=self.dir, env=self.environment(server.url),
                           check=True, stdin=subprocess.DEVNULL, stdout=out,
                           stderr=subprocess.STDOUT, timeout=120)
        self.assertEqual(len(server.requests), 1)
        self.assertIn("AGPL-3.0", said_before[0])
        self.assertIn("not part of this\nproject", said_before[0])
        self.assert_good()
        said = read(log, "r")
        self.assertIn(hashlib.sha256(self.body).hexdigest(), said)
        self.assertIn(f"kept in {self.file}.sha256", said)
        subprocess.run(["sha256sum", "--quiet", "--strict", "-c", "yolov10n.safetensors.sha256"],
                       cwd=self.dir, check=True)

        out, _ = self.fetch(server.url)
        self.assertIn("there already", out)
        self.assertEqual(len(server.requests), 1)
        out, _ = self.fetch(server.url, "--again", "n")
        self.assertIn("the same as the first", out)
        self.assertEqual(len(server.requests), 2)
        self.assert_good()

    def test_checkpoint(self):
        """--pt keeps the authors' file unchanged."""
        source, file = self.path("weights"), self.path("yolov10n.pt")
        write(source, self.body)
        names = {i: f"thing {i}" for i in range(80)}
        torchlike.save(self.path("checkpoint"), {"model": torchlike.as_module(
            torchlike.read_safetensors(source), names)})
        body = read(self.path("checkpoint"))
        server = self.serve(body)
        server.path = "/yolov10n.pt"
        self.fetch(server.url, "--pt", "n")
        self.assertEqual([entry["path"] for entry in server.requests], ["/yolov10n.pt"])
        self.assertEqual(read(file), body)
        self.assertEqual(self.names(file=file), list(names.values()))
        self.assertIn(hashlib.sha256(body).hexdigest(), read(file + ".sha256", "r"))
        self.assert_only(file, file + ".sha256")
        subprocess.run(["sha256sum", "--quiet", "--strict", "-c", file + ".sha256"], cwd=self.dir,
                       check=True)
        out, _ = self.fetch(server.url, "--pt", "n")
        self.assertIn("there already", out)

        # Another file under the same name is rejected.
        server.body = body[:-1] + b"!"
        self.fails(server.url, "--pt", "--again", "n", says=["the first download of yolov10n had"])
        self.assertEqual(read(file), body)
        other = hashlib.sha256(b"other").hexdigest()
        self.fails(server.url, "--pt", "--sha256", other, "n", "other.pt",
                   says=["expected " + other])
        server.body = body[:200000]
        os.remove(self.path("other.pt.part"))
        self.fails(server.url, "--pt", "n", "cut.pt", says=["not a valid zip", "removed"])

    def test_names(self):
        server = self.serve()
        self.fetch(server.url)
        names = self.names()
        self.assertEqual({i: names[i] for i in KNOWN}, KNOWN)
        self.assertEqual(len(set(names)), 80)
        labels = self.path("labels.txt")
        write(labels, "".join(f"thing {i}\n" for i in range(80)).encode())
        self.assertEqual(self.names("--labels", labels), [f"thing {i}" for i in range(80)])

    def test_path_with_blanks_and_variants(self):
        body = seeded("yolov10s-nc80")
        server = self.serve(body, "s")
        os.mkdir(self.path("some where"))
        self.fetch(server.url + "/", "--sha256", hashlib.sha256(body).hexdigest(), "s",
                   "some where/small one.safetensors")
        self.assert_good(body, self.path("some where/small one.safetensors"))
        os.unlink(self.path("some where/small one.safetensors"))
        # The same file name for another variant: its old hash must not be compared.
        server.path, server.body = server.path.replace("10s", "10n"), self.body
        self.fetch(server.url, "n", "some where/small one.safetensors")
        self.assert_good(self.body, self.path("some where/small one.safetensors"))
        self.assertEqual(sorted(os.listdir(self.path("some where"))),
                         ["small one.safetensors", "small one.safetensors.sha256"])

    def test_redirected_and_cut(self):
        """Like the Hub: the redirection has other headers than the file."""
        server = self.serve()
        server.redirect, server.cuts = True, [4000000]
        self.fetch(server.url)
        self.assert_good()
        self.assertEqual([entry["range"] for entry in server.requests][2:], ["bytes=4000000-"] * 2)
        self.assertEqual(server.sent, len(self.body))

    def test_unknown_length(self):
        server = self.serve()
        server.chunked = True
        self.fetch(server.url)
        self.assert_good()


class Resumed(FetchCase):
    def test_cut_several_times(self):
        server = self.serve()
        # More than five attempts without a byte, but never five in a row.
        server.cuts = [1000000, 0, 0, 1, 2000000, 0, 0, 0, 3000000]
        out, _ = self.fetch(server.url)
        self.assert_good()
        self.assertEqual([entry["range"] for entry in server.requests],
                         [None] + [f"bytes={n}-" for n in
                                   (1000000,) * 3 + (1000001,) + (3000001,) * 4 + (6000001,)])
        self.assertEqual(server.sent, len(self.body))
        self.assertIn("interrupted after 6000001 of", out)

    def test_cut_before_anything(self):
        server = self.serve()
        server.cuts = [0]
        self.fetch(server.url)
        self.assert_good()
        self.assertEqual([entry["range"] for entry in server.requests], [None, None])

    def test_cut_until_it_gives_up(self):
        server = self.serve()
        server.cuts = [700000] + [0] * 50
        self.fails(server.url, says=["5 times in a row", f"700000 of {len(self.body)} bytes",
                                     "to continue"])
        self.assertEqual(os.path.getsize(self.part), 700000)
        server.cuts = []
        self.fetch(server.url)
        self.assert_good()
        self.assertEqual(server.sent, len(self.body))

    def test_server_in_trouble(self):
        server = self.serve()
        server.errors, server.cuts = [503, 429], [1000000]
        self.fetch(server.url)
        self.assert_good()
        self.assertEqual(len(server.requests), 4)

    def stopped(self, number, least=1000000):
        """Ends the script by a signal in the middle of the download; returns its output."""
        server = self.serve()
        server.stalls = [least]
        process = subprocess.Popen([FETCH, "n"], cwd=self.dir, env=self.environment(server.url),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                                   stderr=subprocess.STDOUT, start_new_session=True,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        until(lambda: process.poll() is not None
              or os.path.exists(self.part) and os.path.getsize(self.part) >= least, "so many bytes")
        os.killpg(process.pid, number)
        text = process.communicate(timeout=60)[0]
        had = os.path.getsize(self.part)
        self.assertTrue(least <= had < len(self.body), text)
        self.assertFalse(os.path.exists(self.file))
        server.free.set()
        del server.requests[:]
        out, _ = self.fetch(server.url)
        self.assertIn(f"from byte {had} on", out)
        self.assertEqual([entry["range"] for entry in server.requests], [f"bytes={had}-"])
        self.assertEqual(server.sent, len(self.body) - had)
        self.assert_good()
        return process.returncode, text

    def test_stopped_by_a_person(self):
        status, text = self.stopped(signal.SIGINT)
        self.assertEqual(status, 1, text)
        self.assertTrue(text.rstrip().endswith("stopped; run the same command to continue"), text)

    def test_killed(self):
        self.assertEqual(self.stopped(signal.SIGKILL)[0], -signal.SIGKILL)

    def test_complete_but_not_renamed(self):
        for ranges in (True, False):
            with self.subTest(ranges=ranges):
                server = self.serve()
                server.ranges = ranges
                write(self.part, self.body)
                self.fetch(server.url)
                self.assert_good()
                self.assertEqual([entry["range"] for entry in server.requests],
                                 [f"bytes={len(self.body)}-"])
                if ranges:
                    self.assertEqual(server.sent, 0)
                os.unlink(self.file)

    def test_server_without_ranges(self):
        server = self.serve()
        server.ranges, server.cuts = False, [3000000]
        out, _ = self.fetch(server.url)
        self.assertIn("restarting from the beginning", out)
        self.assert_good()
        self.assertEqual([entry["range"] for entry in server.requests],
                         [None, "bytes=3000000-", None])

    def test_server_without_ranges_that_always_cuts(self):
        server = self.serve()
        server.ranges, server.cuts = False, [300000] * 100
        self.fails(server.url, says=["cannot continue", "5 times"])
        self.assertLess(len(server.requests), 20)

    def test_another_file_in_the_middle(self):
        """The end of a new file is never appended to the beginning of the old one."""
        new = self.body[:-4] + b"\0\0\0\0"
        self.assertNotEqual(new, self.body)
        for etag, old in (('"second"', self.body), (None, self.body + b"more")):
            with self.subTest(etag=etag):
                server = self.serve(old)
                server.etag = server.etag if etag else None
                server.cuts = [2000000]

                def replace(n, server=server, etag=etag):
                    if n == 2:
                        server.body, server.etag = new, etag
                server.on_request = replace
                out, _ = self.fetch(server.url)
                self.assertIn("another file now", out)
                self.assert_good(new)
                self.assertEqual(len(server.requests), 3)
                os.unlink(self.file)
                os.unlink(self.file + ".sha256")


class Refused(FetchCase):
    def refused(self, body, *says, variant="n", **settings):
        """Asserts an error with the words; an existing good file stays, the bad one is removed."""
        good = self.path(f"yolov10{variant}.safetensors")
        write(good, b"as it was")
        server = self.serve(body, variant)
        for key, value in settings.items():
            setattr(server, key, value)
        self.fails(server.url, "--again", variant, says=[good, "removed", *says])
        self.assertEqual(read(good), b"as it was")
        self.assert_only(good)

    def test_web_page(self):
        self.refused(b"\n<!DOCTYPE HTML>\n<html><body>Log in first</body></html>", "is a web page",
                     "expected yolov10n with 80 classes")
        self.refused(b"version https://git-lfs.github.com/spec/v1\n", "expected safetensors",
                     "expected yolov10n with 80 classes")

    def test_truncated(self):
        """Truncated on the server, so that the length shows nothing."""
        self.refused(self.body[:-1000], "truncated", "expected yolov10n")
        self.refused(self.body[:5000], "header", "expected yolov10n")
        self.refused(b"", "is empty")

    def test_other_classes(self):
        self.refused(seeded("yolov10n-nc80", "--classes", "79"), "holds yolov10n with 79 classes",
                     "expected yolov10n with 80 classes")
        self.refused(seeded("tiny-nc3"), "with 3 classes", "expected yolov10n with 80 classes")

    def test_other_variant(self):
        self.refused(self.body, "holds yolov10n with 80 classes",
                     "expected yolov10s with 80 classes", variant="s")

    def test_other_shapes(self):
        header, data = split(self.body)
        shape = header["model.0.conv.weight"]["shape"]
        header["model.0.conv.weight"]["shape"] = [shape[0], shape[1], 1, 9]
        self.refused(join(header, data), "model.0.conv.weight", "expected yolov10n")

    def test_longer_than_announced(self):
        # Noticed by the Content-Range header, or by the table of tensors if no length is
        # announced.
        write(self.part, self.body[:1000])
        self.refused(self.body, f"announced {len(self.body)}", f"{len(self.body) + 3} bytes",
                     extra=b"end")
        self.refused(self.body, f"{len(self.body) + 3} bytes", "tensors end at", extra=b"end",
                     chunked=True)
        # The partial file is longer than the file already.
        write(self.part, self.body + b"end")
        self.refused(self.body, f"announced {len(self.body)}", f"{len(self.body) + 3} bytes")

    def test_other_hash(self):
        server = self.serve()
        self.fetch(server.url)
        before = read(self.file), read(self.file + ".sha256")
        server.body, server.etag = self.body[:-4] + b"\0\0\0\0", '"second"'
        old, new = (hashlib.sha256(body).hexdigest() for body in (self.body, server.body))
        for _ in range(2):
            self.fails(server.url, "--again", "n", says=[old, new, "To accept it remove",
                                                         self.file + ".sha256", self.part])
            self.assertEqual((read(self.file), read(self.file + ".sha256")), before)
        sent = server.sent
        os.unlink(self.file + ".sha256")             # as the message suggests
        self.fetch(server.url, "--again", "n")
        self.assert_good(server.body)
        self.assertEqual(server.sent, sent, "accepting it took another download")

    def test_other_hash_than_announced(self):
        """The Hub announces the hash, and another server sends the file."""
        good = hashlib.sha256(self.body).hexdigest()
        damaged = self.body[:-4] + b"\0\0\0\0"
        self.refused(damaged, good, hashlib.sha256(damaged).hexdigest(), "announced",
                     redirect=True, linked=good)
        os.unlink(self.file)
        server = self.serve()
        server.redirect, server.linked, server.cuts = True, good, [3000000]
        out, _ = self.fetch(server.url)
        self.assertIn("- the server announced", out)
        self.assert_good()

    def test_another_file_by_its_announced_hash(self):
        """The file changes during the download: same length, no etag."""
        new = self.body[:-4] + b"\0\0\0\0"
        server = self.serve()
        server.redirect, server.etag, server.cuts = True, None, [3000000]
        server.linked = hashlib.sha256(self.body).hexdigest()

        def replace(n):
            if n == 3:
                server.body, server.linked = new, hashlib.sha256(new).hexdigest()
        server.on_request = replace
        out, _ = self.fetch(server.url)
        self.assertIn("another file now", out)
        self.assert_good(new)

    def test_other_hash_than_published(self):
        """The server's file has another hash than the Hub's page for s."""
        body = seeded("yolov10s-nc80")
        server = self.serve(body, "s")
        good, part = self.path("yolov10s.safetensors"), self.path("yolov10s.safetensors.part")
        found = hashlib.sha256(body).hexdigest()
        self.fails(server.url, "s", says=[
            found, "the Hub published fed9933de8736a90a7a63f088504247018e15219b20bc414702e1ee7d61468e2",
            f"--sha256 {found}", f"remove {part}"])
        self.assertFalse(os.path.exists(good))
        out, _ = self.fetch(server.url, "s", "--sha256", found)
        self.assertIn("- --sha256 asks for", out)
        self.assert_good(body, good)
        self.assertEqual(server.sent, len(body), "accepting it took another download")

    def test_hash_asked_for(self):
        server = self.serve()
        good, other = hashlib.sha256(self.body).hexdigest(), hashlib.sha256(b"").hexdigest()
        self.fails(server.url, "--sha256", other, "n", says=[good, other, self.part])
        self.assertFalse(os.path.exists(self.file))
        self.fetch(server.url, "--sha256=" + good.upper(), "n")
        self.assert_good()
        self.fetch(server.url, "--sha256", good, "n")
        self.fails(server.url, "--sha256", other, "n", says=[good, other, "stays"])
        for wrong in ((), ("abc", "n"), (good + "0", "n")):
            _, error = self.fetch(server.url, "--sha256", *wrong, status=2)
            self.assertIn("sha256", error.splitlines()[-1])

    def test_file_is_something_else(self):
        server = self.serve()
        self.fetch(server.url)
        self.fails(server.url, "s", "yolov10n.safetensors",
                   says=["holds yolov10n with 80 classes", "expected yolov10s", "stays", "--again"])
        self.assert_good()
        write(self.path("yolov10m.safetensors"), b"nothing")
        self.fails(server.url, "m", says=["yolov10m.safetensors", "not a supported weights file", "stays"])
        self.assertEqual(len(server.requests), 1)


class Without(FetchCase):
    def test_no_such_file(self):
        server = self.serve()
        self.fails(server.url, "x", says=[server.url, "yolov10x", "404"])
        self.assert_only()
        server.errors = [403]
        self.fails(server.url, says=["403"])
        self.assertEqual(len(server.requests), 2)
        self.assert_only()

    def test_no_network(self):
        with socket.socket() as closed:              # bound, so that no other process gets it
            closed.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{closed.getsockname()[1]}"
            out, _ = self.fails(url, says=[f"no way to {url}", "network"])
            self.assertIn("AGPL-3.0", out)
            self.assert_only()
            write(self.part, self.body[:1000])
            self.fails(url, says=["no way to", "to continue"])
            self.assertEqual(read(self.part), self.body[:1000])
        self.fails("http://nowhere.invalid", says=["no way to http://nowhere.invalid"])

    def on_terminal(self, url):
        """Runs it on a terminal; returns the exit status and the text."""
        try:
            parent, child = pty.openpty()
        except OSError as error:
            self.skipTest(f"no pseudo-terminals here (/dev/pts): {error}")
        process = subprocess.Popen([FETCH, "n"], cwd=self.dir, env=self.environment(url),
                                   stdin=subprocess.DEVNULL, stdout=child, stderr=child)
        os.close(child)
        text = b""
        with contextlib.suppress(OSError):           # EIO: the other end is closed
            while chunk := os.read(parent, 65536):
                text += chunk
        os.close(parent)
        return process.wait(timeout=60), text.decode()

    def test_terminal(self):
        """A terminal shows progress; there, too, errors appear once."""
        server = self.serve()
        server.cuts = [3000000]
        status, text = self.on_terminal(server.url)
        self.assertEqual(status, 0, text)
        self.assertRegex(text, r"\r#+ +100\.0%\r\n")
        self.assertNotIn("curl:", text)
        self.assert_good()
        os.unlink(self.file)
        server.close()
        status, text = self.on_terminal(server.url)
        self.assertEqual(status, 1, text)
        after = text[re.search(r"downloading .*\r\n", text).end():]
        self.assertEqual(len(after.splitlines()), 1, text)
        self.assertIn("no way to", after)

    def test_network_goes_away(self):
        """The network fails during the download: the script retries."""
        server = self.serve()
        server.cuts = [1000000]
        server.on_request = lambda n: server.socket.close()
        self.fails(server.url, says=["5 times in a row", "1000000 of"])
        self.assertEqual(os.path.getsize(self.part), 1000000)

    def test_disk_full(self):
        server = self.serve()
        os.symlink("/dev/full", self.part)
        self.fails(server.url, says=["cannot write", self.part, "disk full"])
        self.assertEqual(len(server.requests), 1)
        self.assert_only()

    def test_disk_full_afterwards(self):
        """If there is no room for the file with names, the downloaded file stays."""
        server = self.serve()
        os.symlink("/dev/full", self.part + ".named.new")
        self.fails(server.url, says=[os.strerror(errno.ENOSPC), self.part])
        self.assertEqual(read(self.part), self.body)
        self.assertFalse(os.path.exists(self.file))

    def test_nowhere_to_write(self):
        server = self.serve()
        os.mkdir(self.path("folder"))
        write(self.path("plain"), b"")
        os.mkdir(self.path("taken.part"))
        self.fails(server.url, "n", "folder", says=["folder is a directory"])
        self.fails(server.url, "n", "none/file", says=["there is no directory", "none"])
        self.fails(server.url, "n", "plain/file", says=["there is no directory", "plain"])
        self.fails(server.url, "n", "taken", says=["cannot write", "taken.part"])
        self.assertEqual(server.requests, [])

    def test_two_at_once(self):
        server = self.serve()
        write(self.part, b"")
        with open(self.part, "rb") as held:
            lock = subprocess.Popen(["flock", "-n", self.part, "sh", "-c", "echo held; read line"],
                                    stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self.assertEqual(lock.stdout.readline(), b"held\n")
            self.fails(server.url, says=["already"])
            lock.communicate(b"\n")
            self.assertEqual(os.fstat(held.fileno()).st_nlink, 1)
        self.assertEqual(server.requests, [])

    def test_installed_tool(self):
        """A copy without build/ uses the y10 in PATH and compiles nothing, as it cannot where it was
        installed."""
        copy, tools = self.path("clone"), self.path("bin")
        os.makedirs(os.path.join(copy, "models"))
        os.mkdir(tools)
        for name in ("fetch.sh", "name_classes.py", "coco.names"):
            shutil.copy(os.path.join(os.path.dirname(FETCH), name), os.path.join(copy, "models"))
        server = self.serve()
        env = self.environment(server.url, PATH=tools + ":" + os.environ["PATH"])
        del env["Y10_BUILD"]
        if not shutil.which("y10"):
            done = subprocess.run([os.path.join(copy, "models/fetch.sh"), "n"], cwd=self.dir, env=env,
                                  check=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, text=True, timeout=60)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stderr, "fetch.sh: there is no y10, which checks the weights\n")
        os.symlink(os.path.join(BUILD, "tools/y10"), os.path.join(tools, "y10"))
        subprocess.run([os.path.join(copy, "models/fetch.sh"), "n"], cwd=self.dir, env=env,
                       check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=60)
        self.assert_good()

    def test_no_curl(self):
        tools = self.path("bin")
        os.mkdir(tools)
        for folder in ("/bin", "/usr/bin"):
            for name in os.listdir(folder):
                if name != "curl":
                    with contextlib.suppress(FileExistsError):
                        os.symlink(os.path.join(folder, name), os.path.join(tools, name))
        server = self.serve()
        self.fails(server.url, says=["curl is missing", "apt-get install curl"], PATH=tools)
        self.assertEqual(server.requests, [])

    def test_no_build(self):
        server = self.serve()
        self.fails(server.url, says=["tools/y10", "there is no"], Y10_BUILD=self.dir)
        self.assertEqual(server.requests, [])

    def test_builds_first(self):
        """Without Y10_BUILD, by tools/setup.sh of the clone that the script lies in."""
        clone = self.path("clone")
        for folder in ("models", "tools"):
            os.makedirs(os.path.join(clone, folder))
        for name in (FETCH, NAME_CLASSES, COCO_NAMES):
            shutil.copy(name, os.path.join(clone, "models"))
        setup = os.path.join(clone, "tools/setup.sh")
        write(setup, f"#!/bin/sh\nln -s '{BUILD}' '{clone}/build'\n".encode())
        os.chmod(setup, 0o755)
        server = self.serve()
        env = self.environment(server.url)
        del env["Y10_BUILD"]
        subprocess.run([os.path.join(clone, "models/fetch.sh"), "n"], cwd=self.dir, env=env,
                       check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=120)
        self.assert_good()

    def test_usage(self):
        server = self.serve()
        out, error = self.fetch(server.url, "--help")
        self.assertIn("usage: models/fetch.sh", out)
        self.assertEqual(error, "")
        for arguments, says in (([""], "variant ''"), (["yolov8n"], "variant 'yolov8n'"),
                                (["nn"], "variant"), (["--hash", "n"], "option '--hash'"),
                                (["n", "a", "b"], "too many"), (["--again"], "which VARIANT")):
            _, error = self.fetch(server.url, *arguments, status=2)
            self.assertIn(says, error.splitlines()[-1])
        self.assertEqual(server.requests, [])
        self.assert_only()


if __name__ == "__main__":
    if not shutil.which("curl"):
        print("curl is not installed")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
