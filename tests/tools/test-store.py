#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""y10 detect --store: every file of a store is published once and complete, whatever happens to
its writers.

With the argument "more" the slow suite repeats the races more often."""
import contextlib
import glob
import hashlib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
import unittest

from common import Case, Y10, lacking, main, need, picture, write_gif, write_png

need("gst", "pixbuf", "ffmpeg")

SLOW = "more" in sys.argv[1:]
NO_LINK = os.path.join(os.environ["Y10_TEST_FAKES"], "libnolink.so")


class Store(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.clip = cls.path("clip.mp4")
        subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=96x64:duration=4",
                        "-c:v", "libx264", "-x264-params", "keyint=25:scenecut=0:log-level=none",
                        cls.clip], check=True)
        cls.options = ["--model", cls.model, "--size", "64", "--threads", "1",
                       "--confidence", "0.02", "--max-detections", "5"]
        cls.n = 0

    def setUp(self):
        Store.n += 1
        self.store = self.path(f"store{self.n}")

    def command(self, *args):
        return [Y10, "detect", *self.options, "--store", self.store, *args]

    def run_store(self, *args, status=0, **options):
        done = self.y10("detect", *self.options, "--store", self.store, *args, status=status, **options)
        return [json.loads(line) for line in done.stdout.splitlines()], done.stderr

    def rows(self, *args):
        return self.y10("detect", *self.options, *args).stdout

    def read(self, receipt):
        with open(os.path.join(self.store, receipt["file"]), encoding="utf-8") as f:
            return f.read()

    def manifest(self, *args, seconds="1", status=0):
        path = self.path("manifest.jsonl")
        done = self.y10("segments", "--seconds", seconds, *args, status=status)
        with open(path, "w", encoding="utf-8") as f:
            f.write(done.stdout)
        return path, [json.loads(line) for line in done.stdout.splitlines()]

    def entries(self):
        """Published files, and files in .tmp."""
        published = [os.path.join(d, f) for d, _, files in os.walk(self.store) for f in files
                     if not d.endswith("/.tmp")]
        tmp = os.path.join(self.store, ".tmp")
        return sorted(published), os.listdir(tmp) if os.path.isdir(tmp) else []

    def test_whole(self):
        """Stores any input once; the same content under another name counts as done."""
        png = write_png(self.path("a.png"), picture(64, 48))
        gif = write_gif(self.path("a.gif"), [picture(40, 30, i, 1) for i in range(3)], [10] * 3)
        receipts, _ = self.run_store(png, gif, self.clip)
        self.assertEqual([r["status"] for r in receipts], ["stored"] * 3)
        for path, receipt in zip((png, gif, self.clip), receipts):
            with open(path, "rb") as f:
                self.assertEqual(receipt["content"], "sha256:" + hashlib.sha256(f.read()).hexdigest())
            self.assertEqual(self.read(receipt).replace(receipt["content"], path), self.rows(path))
        twin = shutil.copy(png, self.path("twin.png"))
        receipts2, _ = self.run_store(twin, gif, self.clip)
        self.assertEqual([r["status"] for r in receipts2], ["exists"] * 3)
        self.assertEqual([r["file"] for r in receipts2], [r["file"] for r in receipts])
        self.assertEqual(self.entries()[1], [])

    def test_key(self):
        """Options that change the results change the key; others do not."""
        png = write_png(self.path("key.png"), picture(64, 48))
        labels = self.path("labels.txt")
        with open(labels, "w", encoding="utf-8") as f:
            f.write("one\ntwo\nthree\n")
        info = json.loads(self.y10("info", "--json", *self.options[:4]).stdout)
        best, isa = info["precision"], info["device"].split(", ")[2]
        files = {self.run_store(png, *options)[0][0]["file"] for options in (
            (), ("--confidence", "0.03"), ("--classes", "0,1"), ("--backend", "ref"),
            ("--head", "one2many"), ("--max-detections", "6"), ("--min-size", "10"),
            ("--size", "96"), ("--labels", labels), ("--interval", "2"), ("--tiles", "2x2"), ("--region", "0,0 0.5,1"),
            # On a CPU without bfloat16, backend "cpu" has no other precision.
            ("--precision", "fp32", "--backend", "ref" if best == "fp32" else "cpu",
             "--size", "96"))}
        self.assertEqual(len(files), 13)
        for options in (("--threads", "2"), ("--classes", "2,1,0"), ("--backend", "auto"),
                        ("--precision", best),
                        ("--class-confidence", "*=0.02")):
            self.assertIn(self.run_store(png, *options)[0][0]["file"], files)
        portable = self.run_store(png, env={"Y10_MAX_CPU_ISA": "c"})[0][0]
        self.assertEqual(portable["status"], "exists" if isa == "c" else "stored")

    def start_watched(self, path, *args):
        """A process that has @path open."""
        p = subprocess.Popen(self.command(*args), env=dict(self.env, Y10_NO_SUPERVISOR="1"), text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        fds = f"/proc/{p.pid}/fd"
        while p.poll() is None:
            with contextlib.suppress(OSError):
                if path in (os.readlink(os.path.join(fds, fd)) for fd in os.listdir(fds)):
                    break
        return p

    def test_model_replaced(self):
        """Another model takes the name of the one that was loaded: nothing is stored under its
        key."""
        png, model = write_png(self.path("m.png"), picture(64, 48)), self.path("m.safetensors")
        shutil.copy(self.model, model)
        with open(self.model, "rb") as f:
            other = bytearray(f.read())
        for i in range(8 + int.from_bytes(other[:8], "little"), len(other), 97):
            other[i] ^= 1
        with open(self.path("other.safetensors"), "wb") as f:
            f.write(other)
        p = self.start_watched(model, "--model", model, png)
        os.replace(f.name, model)
        out, _ = p.communicate()
        receipts, _ = self.run_store("--model", model, png)
        self.assertEqual(receipts[0]["status"], "stored")
        self.assertNotEqual(json.loads(out).get("file"), receipts[0]["file"])

    def test_input_replaced(self):
        """Another file of the same size and date takes the input's name while it is read."""
        clip, tmp = shutil.copy2(self.clip, self.path("replaced.mp4")), os.path.join(self.store, ".tmp")
        info = os.stat(clip)
        with open(clip, "rb") as f:
            data = f.read()
        with open(clip + ".new", "wb") as f:
            f.write(data)
        os.utime(f.name, ns=(info.st_atime_ns, info.st_mtime_ns))
        # The plain C backend at this size takes seconds for the clip.
        command = self.command("--backend", "ref", "--size", "320", clip)
        with subprocess.Popen(command, env=self.env, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as p:
            while p.poll() is None and not [n for n in glob.glob(os.path.join(tmp, "*~*"))
                                            if not os.path.basename(n).startswith("time~")]:
                time.sleep(0.001)
            os.replace(f.name, clip)
            receipt = json.loads(p.communicate()[0])
        self.assertEqual(receipt["status"], "failed")
        self.assertIn("changed", receipt["error"])
        self.assertEqual(self.entries(), ([], []))

    def test_segments(self):
        """Stores all segments or some; existing ones are skipped. --interval counts across
        segments."""
        path, lines = self.manifest(self.clip)
        self.assertEqual(len(lines[1]["segments"]), 4)
        receipts, _ = self.run_store("--manifest", path, "--segments", "1,3", "--interval", "3")
        self.assertEqual([(r["segment"], r["first_frame"], r["status"]) for r in receipts],
                         [(1, 25, "stored"), (3, 75, "stored")])
        receipts, _ = self.run_store("--manifest", path, "--interval", "3")
        self.assertEqual([r["status"] for r in receipts], ["stored", "exists"] * 2)
        self.assertEqual("".join(self.read(r).replace(r["content"], self.clip) for r in receipts),
                         self.rows("--interval", "3", self.clip))
        with open(path, "rb") as f:
            receipts, _ = self.run_store("--manifest", "-", "--interval", "3", stdin=f)
        self.assertEqual({r["status"] for r in receipts}, {"exists"})

    def test_usage(self):
        path, _ = self.manifest(self.clip)
        for args, says in (
                (["--store", self.store, "--draw", "x", self.clip], ["--draw"]),
                (["--manifest", path], ["--store"]),
                (["--store", self.store, "--manifest", path, self.clip], ["--manifest"]),
                (["--store", self.store, "--manifest", path, "--segments", "4"], ["'4'", "below 4"]),
                (["--store", self.store, "--manifest", path, "--segments", "2-"], ["'2-'"]),
                (["--store", self.store, "-"], ["standard input"]),
                (["--store", self.store, "http://localhost/x.mp4"], ["--content-id"]),
                (["--store", self.store, "--content-id", "x", self.clip], ["--content-id"])):
            self.refused("detect", *self.options, *args, says=says)

    def test_uri(self):
        """A URI uses the given name as its content; live sources are rejected."""
        receipts, _ = self.run_store("--content-id", "clip-1", "file://" + self.clip)
        self.assertEqual(receipts[0]["content"], "id:clip-1")
        self.assertEqual(self.read(receipts[0]).count("\n"), 100)
        self.assertEqual(self.run_store("--content-id", "clip-1", "file:///gone.mp4")[0][0]["status"],
                         "exists")
        self.assertEqual(self.entries()[1], [])

    @unittest.skipIf(lacking("testsrcbin"), "GStreamer lacks testsrcbin")
    def test_live(self):
        """Live and endless inputs are rejected as soon as that is known."""
        receipts, errors = self.run_store("--content-id", "x", "testbin://video,width=64,height=48",
                                          status=1)
        self.assertEqual(receipts[0]["status"], "failed")
        self.assertIn("is live or has no known end", errors)
        self.assertEqual(self.entries(), ([], []))

    def test_failures(self):
        """A bad input is named and leaves no file; the others are still stored."""
        notes = self.path("notes.txt")
        with open(notes, "w", encoding="utf-8") as f:
            f.write("Dear diary,\n" * 100)
        half = self.path("half.mp4")
        with open(self.clip, "rb") as f, open(half, "wb") as g:
            g.write(f.read()[:-3000])
        path, lines = self.manifest(notes, half, self.path("gone.mp4"), self.clip, status=1)
        self.assertIn("truncated", lines[2]["error"])
        self.assertIn("gone.mp4", lines[3]["error"])
        receipts, errors = self.run_store("--manifest", path, status=1)
        self.assertEqual([r["status"] for r in receipts], ["failed"] * 3 + ["stored"] * 4)
        for receipt, name in zip(receipts, ("notes.txt", "half.mp4", "gone.mp4")):
            self.assertIn(name, receipt["source"])
            self.assertTrue(receipt["error"])
            self.assertIn(name, errors)
        self.assertEqual((len(self.entries()[0]), self.entries()[1]), (4, []))
        receipts, _ = self.run_store(half, status=1)
        self.assertEqual(receipts[0]["status"], "failed")

    def test_changed(self):
        """A file that differs from the manifest's."""
        clip = shutil.copy(self.clip, self.path("changed.mp4"))
        path, _ = self.manifest(clip)
        os.utime(clip, ns=(0, 10 ** 9))
        receipts, errors = self.run_store("--manifest", path, "--segments", "2", status=1)
        self.assertEqual(receipts[0]["status"], "failed")
        self.assertIn("has changed", errors)
        self.assertEqual(self.entries(), ([], []))

    def test_wrong_manifests(self):
        """An error is one line that names the file, the line and the member; a wrong number of
        frames is noticed."""
        path, lines = self.manifest(self.clip)
        header, entry = lines
        good = json.dumps(header)

        def segments(**changes):
            changed = [dict(s) for s in entry["segments"]]
            changed[1].update(changes)
            return good + "\n" + json.dumps(dict(entry, segments=changed))
        for text, says in (
                ("", "is empty"), ("\0", "line 1"), ("[" * 100000, "line 1"), ("{}", '"format"'),
                ('{"format":"y10-manifest","version":2}', '"version" is 2'),
                ('{"format":"y10-manifest","version":1,"seconds":1}', '"inputs"'),
                (good + "\n{", "line 2"), (good + "\n[]", "line 2"), (good + "\n\xff{}", "line 2"),
                (good + "\n" + json.dumps(dict(entry, path="clip.mp4")), '"path"'),
                (good + "\n" + json.dumps(dict(entry, content="sha256:12")), '"content"'),
                (good + "\n" + json.dumps(dict(entry, size="12")), '"size"'),
                (good + "\n" + json.dumps(dict(entry, size=-1)), '"size"'),
                (good + "\n" + json.dumps(dict(entry, segments=[])), '"segments"'),
                (good + "\n" + json.dumps(dict(entry, segments=[None])), '"segments"'),
                (good + "\n" + json.dumps(dict(entry, whole="x")), '"segments"'),
                (segments(start=5), "segment 1"), (segments(end=5), '"end"'),
                (segments(seek=10 ** 18), '"seek"'), (segments(seek=-2), '"seek"'),
                (segments(first_frame=24), '"first_frame"'),
                (segments(n_frames=1e3), '"n_frames"'), (segments(start=2 ** 70), '"start"')):
            with open(path, "w", encoding="latin-1") as f:
                f.write(text)
            self.refused("detect", *self.options, "--store", self.store, "--manifest", path,
                         says=[path, says], status=1)
        with open(path, "w", encoding="utf-8") as f:
            changed = [dict(s) for s in entry["segments"]]
            changed[1]["n_frames"] += 1
            for s in changed[2:]:
                s["first_frame"] += 1
            f.write(good + "\n" + json.dumps(dict(entry, segments=changed)))
        receipts, errors = self.run_store("--manifest", path, status=1)
        self.assertEqual([r["status"] for r in receipts], ["stored", "failed", "stored", "stored"])
        self.assertIn("25 frames were decoded", errors)
        self.assertIn("expected 26", errors)

    def test_cut_manifest(self):
        """A manifest that lost lines, as on a full disk, is not taken for a shorter one."""
        pngs = [write_png(self.path(f"cut{i}.png"), picture(64, 48, i)) for i in range(3)]
        path, lines = self.manifest(*pngs, "http://localhost/x.mp4", status=1)
        self.assertEqual((len(lines), lines[0]["inputs"]), (5, 4))
        with open(path, encoding="utf-8") as f:
            whole = f.readlines()
        for n in range(1, 5):
            with open(path, "w", encoding="utf-8") as f:
                f.writelines(whole[:n])
            self.refused("detect", *self.options, "--store", self.store, "--manifest", path,
                         says=[path, f"ends with {n - 1} inputs", '"inputs":4'], status=1)

    def test_race(self):
        """Two processes with one key at the same time: one file, and both succeed."""
        expected = None
        n_raced = 0
        for _ in range(50 if SLOW else 8):
            shutil.rmtree(self.store, ignore_errors=True)
            both = [subprocess.Popen(self.command(self.clip), env=self.env, text=True,
                                     stdout=subprocess.PIPE) for _ in range(2)]
            receipts = [json.loads(p.communicate()[0]) for p in both]
            self.assertEqual([p.returncode for p in both], [0, 0])
            self.assertEqual(len({r["file"] for r in receipts}), 1)
            self.assertEqual(sorted(r["status"] for r in receipts), ["exists", "stored"])
            published, tmp = self.entries()
            self.assertEqual((len(published), tmp), (1, []))
            expected = expected or self.read(receipts[0])
            self.assertEqual(self.read(receipts[0]), expected)
            n_raced += 1
        print(f"    {n_raced} pairs: one file each, always the same bytes")

    def test_killed(self):
        """kill -9 at any moment: published files are complete, and the next run removes the
        rest."""
        receipts, _ = self.run_store(self.clip)
        expected, name = self.read(receipts[0]), receipts[0]["file"]
        began = time.monotonic()
        shutil.rmtree(self.store)
        self.run_store(self.clip)
        length = time.monotonic() - began
        rand, n_killed, n_orphans, n_published = random.Random(1), 0, 0, 0
        for _ in range(80 if SLOW else 15):
            shutil.rmtree(self.store, ignore_errors=True)
            # The writer itself is killed, not a parent with which it dies a moment later.
            with subprocess.Popen(self.command(self.clip), env=dict(self.env, Y10_NO_SUPERVISOR="1"),
                                  stdout=subprocess.DEVNULL) as p:
                try:
                    p.wait(rand.uniform(0.3, 1.1) * length)
                except subprocess.TimeoutExpired:
                    p.send_signal(signal.SIGKILL)
                    n_killed += 1
            published, tmp = self.entries()
            n_orphans += len(tmp)
            if published:
                n_published += 1
                self.assertEqual([os.path.relpath(p, self.store) for p in published], [name])
                self.assertEqual(self.read({"file": name}), expected)
            if tmp:
                receipts, _ = self.run_store(self.clip)
                self.assertEqual(self.read(receipts[0]), expected)
                self.assertEqual(self.entries()[1], [])
        print(f"    {n_killed} killed, {n_orphans} orphans swept, {n_published} published whole, "
              "none partial")

    def test_sweep(self):
        """Only files that certainly have no owner are removed: a file of a living process of this
        host stays, and one of another host for 24 hours."""
        os.makedirs(os.path.join(self.store, ".tmp"))
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as f:
            boot = f.read().strip()
        with open("/proc/self/stat", encoding="utf-8") as f:
            start = f.read().rsplit(")", 1)[1].split()[19]
        host, space = os.uname().nodename, os.readlink("/proc/self/ns/pid")
        for c in ":[]":
            space = space.replace(c, "_")
        me, dead = os.getpid(), subprocess.Popen(["true"])
        dead.wait()
        cases = {f"k~{host}~{boot}~{space}~{me}~{start}~1": True,
                 f"k~{host}~{boot}~{space}~{me}~1~1": False,
                 f"k~{host}~{boot}~{space}~{dead.pid}~1~1": False,
                 f"k~{host}~{boot}~pid__1_~{dead.pid}~1~1": True,
                 f"k~{host}~0-0~{space}~{me}~{start}~1": False,
                 f"k~elsewhere~{boot}~{space}~{dead.pid}~1~1": True,
                 "unknown": True}
        for name in cases:
            with open(os.path.join(self.store, ".tmp", name), "w", encoding="ascii"):
                pass
        old = os.path.join(self.store, ".tmp", "k~elsewhere~0~0~1~1~1")
        with open(old, "w", encoding="ascii"):
            pass
        for path in (old, os.path.join(self.store, ".tmp", next(iter(cases)))):
            os.utime(path, (time.time() - 25 * 3600,) * 2)
        png = write_png(self.path("sweep.png"), picture(64, 48))
        self.run_store(png)
        self.assertEqual(set(self.entries()[1]), {n for n, stays in cases.items() if stays})

    def test_no_hard_links(self):
        """If link(2) does not work, a rename that must not replace is used; if neither works, an
        error."""
        png = write_png(self.path("nolink.png"), picture(64, 48))
        env = {"LD_PRELOAD": NO_LINK, "ASAN_OPTIONS": "verify_asan_link_order=0"}
        receipts, _ = self.run_store(png, env=env)
        self.assertEqual(receipts[0]["status"], "stored")
        self.assertEqual(self.entries()[1], [])
        kept = self.read(receipts[0])
        # Another process published in the meantime: its file stays.
        late = dict(env, NOLINK_LATE=os.path.join(self.store, receipts[0]["file"]))
        os.unlink(late["NOLINK_LATE"])
        receipts, _ = self.run_store(png, env=late)
        self.assertEqual((receipts[0]["status"], self.read(receipts[0])), ("exists", "first\n"))
        self.assertTrue(kept)
        os.unlink(late["NOLINK_LATE"])
        receipts, errors = self.run_store(png, status=1, env=dict(env, NOLINK_RENAME="1"))
        self.assertEqual(receipts[0]["status"], "failed")
        self.assertIn("without replacing", errors)
        self.assertEqual(self.entries(), ([], []))

    def test_full(self):
        """A file that cannot be written completely is not published."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        receipts, errors = self.run_store(self.clip, status=1, preexec_fn=limit)
        self.assertEqual(receipts[0]["status"], "failed")
        self.assertIn("cannot be written", errors)
        self.assertEqual(self.entries(), ([], []))

    @unittest.skipUnless(os.geteuid() == 0, "needs root for a file system of 64 KiB")
    def test_full_disk(self):
        os.makedirs(self.store)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", self.store],
                          check=False, capture_output=True).returncode:
            self.skipTest("a file system cannot be mounted here")
        try:
            receipts, errors = self.run_store(self.clip, status=1)
            self.assertIn("No space left", errors)
            self.assertEqual(receipts[0]["status"], "failed")
            self.assertEqual(self.entries(), ([], []))
            subprocess.run(["mount", "-o", "remount,ro", self.store], check=True)
            receipts, errors = self.run_store(self.clip, status=1)
            self.assertIn("Read-only", errors)
        finally:
            subprocess.run(["umount", self.store], check=True)

    def test_bad_place(self):
        self.store = "/proc/version/x"
        receipts, errors = self.run_store(self.clip, status=1)
        self.assertEqual(receipts, [])
        self.assertIn("/proc/version/x", errors)


if __name__ == "__main__":
    sys.argv[1:] = [a for a in sys.argv[1:] if a != "more"]
    main()
