#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""An input that crashes the process costs itself only. A FIFO holds y10 at that input, where a
signal ends it as a fault in a decoder would; GStreamer 1.22 has such a fault, too."""
import hashlib
import json
import os
import signal
import subprocess
import time

from common import Case, PATIENCE, PLUGIN_DIR, Y10, main, need, picture, until, write_png

need("gst", "pixbuf", "ffmpeg")


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
        return [int(c) for c in f.read().split()]


def is_opening(pid):
    """Whether a process waits for a writer of a FIFO."""
    try:
        with open(f"/proc/{pid}/wchan", encoding="ascii") as f:
            if f.read() in ("wait_for_partner", "fifo_open"):
                return True
        with open(f"/proc/{pid}/syscall", encoding="ascii") as f:
            return f.read().split()[0] == "257"  # openat of x86-64
    except OSError:
        return False


class Crash(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.env["GST_PLUGIN_PATH_1_0"] = PLUGIN_DIR
        cls.pictures = [write_png(cls.path(f"{i}.png"), picture(64, 48, i)) for i in range(3)]
        # A phone took this one.
        cls.pictures.append(os.path.join(os.environ["Y10_TEST_SOURCE"], "docs/gallery/03-station.jpg"))
        cls.fifos = [cls.path(f"fifo{i}") for i in range(3)]
        for fifo in cls.fifos:
            os.mkfifo(fifo)
        cls.options = ["--model", cls.model, "--size", "64", "--threads", "1", "--confidence", "0.02",
                       "--max-detections", "5"]

    def start(self, *args, command="detect", options=None):
        return subprocess.Popen([Y10, command, *(self.options if options is None else options), *args],
                                env=self.env, text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)

    def wait_for_child(self, p, *, but=()):
        """The child that waits for a FIFO."""
        def waits(child):
            """Twice: an ordinary file is open a moment later."""
            return is_opening(child) and (time.sleep(0.1) or is_opening(child))
        return until(lambda: next((child for child in children(p.pid) if child not in but and waits(child)), None),
                     "a child that waits")

    def crash(self, p, number=signal.SIGSEGV, times=1):
        """Ends as many children; returns the parent's output."""
        killed = []
        for _ in range(times):
            killed.append(self.wait_for_child(p, but=killed))
            os.kill(killed[-1], number)
        return p.communicate(timeout=PATIENCE)

    def test_others(self):
        """The inputs before and behind the bad one have one line each."""
        expected = [json.loads(line) for line in self.y10("detect", *self.options, *self.pictures)
                    .stdout.splitlines()]
        for number, name in ((signal.SIGSEGV, "11 (Segmentation fault)"), (signal.SIGABRT, "6 (Aborted)"),
                             (signal.SIGKILL, "without enough memory")):
            with self.start(*self.pictures[:2], self.fifos[0], *self.pictures[2:]) as p:
                out, errors = self.crash(p, number)
            self.assertEqual(p.returncode, 1)
            self.assertEqual([json.loads(line) for line in out.splitlines()], expected)
            self.assertEqual(len(errors.splitlines()), 1, errors)
            self.assertIn(self.fifos[0], errors)
            self.assertIn(name, errors)

    def test_in_a_row(self):
        """After three in a row, nothing follows; not in a row, all are done."""
        with self.start(self.pictures[0], *self.fifos, self.pictures[1]) as p:
            out, errors = self.crash(p, times=3)
        self.assertEqual((p.returncode, out.count("\n")), (1, 1))
        self.assertIn("stopping after 3 inputs in a row", errors)
        self.assertIn("1 input is left", errors)
        with self.start(self.fifos[0], self.fifos[1], self.pictures[0], self.fifos[2],
                        self.pictures[1]) as p:
            out, errors = self.crash(p, times=3)
        self.assertEqual((p.returncode, out.count("\n")), (1, 2), errors)

    def test_copies(self):
        """Copies and crops of the first child stay."""
        os.makedirs(self.path("twin"), exist_ok=True)
        twin = write_png(self.path("twin/0.png"), picture(48, 64, 9))
        out = self.path("drawn")
        with self.start("--draw", out, self.pictures[0], self.pictures[1], self.fifos[0], twin) as p:
            self.crash(p)
        self.assertEqual(sorted(os.listdir(out)), ["0-2.png", "0.png", "1.png"])

    def test_document(self):
        """All children write one document, one sequence and one table."""
        inputs = [self.pictures[0], self.fifos[0], *self.pictures[1:3]]
        for form in ("coco", "csv", "mot", "summary"):
            expected, out = self.path("whole"), self.path("parts")
            self.y10("detect", *self.options, "--format", form, "--output", expected, *self.pictures[:3])
            with self.start("--format", form, "--output", out, *inputs) as p:
                self.crash(p)
            texts = []
            for path in (expected, out):
                with open(path, encoding="utf-8") as f:
                    texts.append(f.read())
            if form == "mot":
                # The bad input has a number, too.
                texts[0] = "".join(str(int(n) + (n > "1")) + "," + rest for n, rest in (
                    line.split(",", 1) for line in texts[0].splitlines(True)))
            if form == "summary":
                texts = [text[:text.rindex(" in ")] for text in texts]
            self.assertEqual(texts[0], texts[1])

    def test_decoder(self):
        """GStreamer 1.22 crashes on this file; newer ones may refuse or play it."""
        bad = self.path("gray10.mkv")
        subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=96x64:duration=1",
                        "-c:v", "ffv1", "-pix_fmt", "gray10le", bad], check=True)
        done = subprocess.run([Y10, "detect", *self.options, self.pictures[0], bad, self.pictures[1]],
                              env=self.env, check=False, capture_output=True, text=True, timeout=PATIENCE)
        sources = [json.loads(line)["source"] for line in done.stdout.splitlines()]
        self.assertEqual([s for s in sources if s != bad], self.pictures[:2])
        self.assertEqual(done.returncode, 0 if bad in sources else 1)
        receipts = []
        for _ in range(2):
            done = subprocess.run(
                [Y10, "detect", *self.options, "--store", self.path("store2"), self.pictures[0], bad,
                 self.pictures[1]], env=self.env, check=False, capture_output=True, text=True, timeout=PATIENCE)
            receipts.append([json.loads(line) for line in done.stdout.splitlines()])
            self.assertEqual([r["source"] for r in receipts[-1]],
                             [self.pictures[0], bad, self.pictures[1]])
            if receipts[-1][1]["status"] == "failed":
                self.assertTrue(receipts[-1][1]["error"])
                self.assertIn(bad, done.stderr)
        self.assertEqual([r["status"] for r in receipts[0]][::2], ["stored"] * 2)
        self.assertEqual([r["status"] for r in receipts[1]][::2], ["exists"] * 2)
        lines = [json.loads(line) for line in subprocess.run(
            [Y10, "segments", self.pictures[0], bad, self.pictures[1]], env=self.env, check=False,
            capture_output=True, text=True, timeout=PATIENCE).stdout.splitlines()]
        self.assertEqual([line["source"] for line in lines[1:]],
                         [self.pictures[0], bad, self.pictures[1]])

    def test_segments(self):
        """One video of a manifest crashes: its tasks are given up, and the others are done."""
        bad = self.path("bad.mkv")
        for clip, codec in ((bad, ["-c:v", "ffv1", "-pix_fmt", "gray10le"]),
                            (self.path("good.mp4"), ["-c:v", "libx264", "-g", "25"])):
            subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=96x64:duration=5",
                            *codec, clip], check=True)
        manifest = self.path("manifest.jsonl")
        lines = [json.loads(line) for line in self.y10("segments", "--seconds", "1", clip).stdout
                 .splitlines()]
        with open(bad, "rb") as f:
            digest = "sha256:" + hashlib.sha256(f.read()).hexdigest()
        info = os.stat(bad)
        entry = dict(lines[1], source=bad, path=bad, content=digest, size=info.st_size,
                     mtime=info.st_mtime_ns)
        n = len(entry["segments"])
        self.assertGreater(n, 3)
        with open(manifest, "w", encoding="utf-8") as f:
            for line in (dict(lines[0], inputs=2), entry, lines[1]):
                f.write(json.dumps(line) + "\n")
        done = subprocess.run([Y10, "detect", *self.options, "--store", self.path("store3"), "--manifest",
                               manifest], env=self.env, check=False, capture_output=True, text=True,
                              timeout=PATIENCE)
        receipts = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([r["segment"] for r in receipts], list(range(2 * n)), done.stderr)
        self.assertEqual({r["status"] for r in receipts[n:]}, {"stored"}, done.stderr)
        if "signal" in done.stderr:
            self.assertEqual({r["status"] for r in receipts[:n]}, {"failed"})

    def test_header(self):
        """A picture that crashes in the probe, before anything is read; and one that calls exit()."""
        source, library = self.path("fault.c"), self.path("libfault.so")
        with open(source, "w", encoding="utf-8") as f:
            f.write("""#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
FILE *fopen (const char *path, const char *mode)
{
  FILE *(*real) (const char *, const char *) = dlsym (RTLD_NEXT, "fopen");
  if (strstr (path, "segv"))
    raise (SIGSEGV);
  if (strstr (path, "exit"))
    exit (0);
  return real (path, mode);
}
FILE *fopen64 (const char *path, const char *mode)
{
  return fopen (path, mode);
}
""")
        if subprocess.run(["cc", "-shared", "-fPIC", source, "-o", library, "-ldl"], check=False).returncode:
            self.skipTest("there is no C compiler")
        env = dict(self.env, LD_PRELOAD=library, ASAN_OPTIONS="verify_asan_link_order=0")
        for name, says in (("segv.png", "signal 11"), ("exit.png", "with status 0")):
            bad = write_png(self.path(name), picture(64, 48))
            for command, options in (("detect", self.options), ("segments", [])):
                done = subprocess.run([Y10, command, *options, self.pictures[0], bad, self.pictures[1]],
                                      env=env, check=False, capture_output=True, text=True, timeout=PATIENCE)
                sources = [json.loads(line).get("source") for line in done.stdout.splitlines()]
                if command == "detect":
                    self.assertEqual(sources, self.pictures[:2], done.stderr)
                    self.assertEqual(done.returncode, 1)
                    self.assertIn(f"{bad}: reading it ended the process", done.stderr)
                    self.assertIn(says, done.stderr)
                else:
                    self.assertEqual(sources[1:], [self.pictures[0], bad, self.pictures[1]])

    def test_interrupted_later(self):
        """A signal reaches the child behind a crash, too."""
        with self.start(self.fifos[0], self.fifos[1], command="detect") as p:
            first = self.wait_for_child(p)
            os.kill(first, signal.SIGSEGV)
            self.wait_for_child(p, but=[first])
            p.send_signal(signal.SIGTERM)
            _, errors = p.communicate(timeout=PATIENCE)
            self.assertEqual(p.returncode, 130, errors)

    def test_signals(self):
        """Whoever ends the parent ends the child."""
        with self.start(self.pictures[0], self.fifos[0]) as p:
            child = self.wait_for_child(p)
            p.send_signal(signal.SIGTERM)
            _, errors = p.communicate(timeout=PATIENCE)
            self.assertEqual(p.returncode, 130, errors)
        with self.start(self.pictures[0], self.fifos[0]) as p:
            child = self.wait_for_child(p)
            p.kill()
            p.communicate(timeout=PATIENCE)
        until(lambda: not os.path.exists(f"/proc/{child}"), "the child's end")


if __name__ == "__main__":
    main()
