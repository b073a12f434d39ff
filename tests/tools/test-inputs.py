#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Inputs of y10 detect (folders, pipes, names in any encoding), its filters, and the files that it
crops."""
import json
import os
import pty
import random
import re
import struct
import subprocess
import urllib.parse

from common import Case, Y10, boxes, jpeg_size, main, need, picture, write_gif, write_png

need("pixbuf")

ESCAPE = "\x1b]0;owned\x07\x1b[31m"


class Inputs(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.png = write_png(cls.path("a.png"), picture(150, 110))

    def y10_bytes(self, *args, **options):
        return subprocess.run([Y10, "detect", "--model", self.model, "--backend", "ref", "--size", "96",
                               *args], capture_output=True, env=self.env, check=False, timeout=240,
                              **options)

    def test_folder(self):
        """A folder's pictures in natural order; a bad one does not affect the others."""
        folder = self.path("many")
        os.mkdir(folder)
        for n in (10, 9, 1, 2):
            write_png(os.path.join(folder, f"img{n}.png"), picture(40 + n, 40, n))
        for name, content in (("img3.png", b"\x89PNG\r\n\x1a\nnothing"), ("notes.txt", b"no"),
                              (".img0.png", b"hidden")):
            with open(os.path.join(folder, name), "wb") as f:
                f.write(content)
        os.mkdir(os.path.join(folder, "deeper.png"))
        os.mkfifo(os.path.join(folder, "img5.png"))
        lines, errors = self.detect(folder, self.png, status=1)
        self.assertEqual([os.path.basename(line["source"]) for line in lines],
                         ["img1.png", "img2.png", "img9.png", "img10.png", "a.png"])
        errors = errors.splitlines()
        self.assertEqual(len(errors), 2, errors)
        self.assertIn("1 file without the extension of a picture or video is skipped (notes.txt)", errors[0])
        self.assertIn("1 pipe, socket or device is skipped", errors[0])
        self.assertIn("1 subfolder is not entered", errors[0])
        self.assertIn("img3.png", errors[1])

    def test_recursive(self):
        """Subfolders after the files, in natural order; links are not followed."""
        folder = self.path("tree")
        names = ["b.png", "a10.tga", "n2/c.pcx", "n2/x/d.jp2", "n10/e.PNG"]
        for name in names:
            os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
            os.link(self.png, os.path.join(folder, name))
        for name in (".hidden.png", "n2/labels.txt", "n2/x/y.xml"):
            with open(os.path.join(folder, name), "wb"):
                pass
        os.symlink(folder, os.path.join(folder, "n10/loop"))
        lines, errors = self.detect("--recursive", folder)
        self.assertEqual([os.path.relpath(line["source"], folder) for line in lines],
                         ["a10.tga", "b.png", "n2/c.pcx", "n2/x/d.jp2", "n10/e.PNG"])
        self.assertIn("2 files without the extension", errors)
        self.assertIn("1 link to a folder is not followed", errors)
        lines, errors = self.detect(folder)
        self.assertEqual(len(lines), 2)
        self.assertIn("2 subfolders are not entered (--recursive enters them)", errors)
        manifest = self.y10("segments", "-r", "--seconds", "0", folder).stdout.splitlines()
        self.assertEqual(len(manifest), 1 + len(names))

    def test_patterns(self):
        """Patterns that the shell left alone, and lists of inputs."""
        folder = self.path("patterns")
        os.makedirs(os.path.join(folder, "sub"))
        for name in ("p10.png", "p2.png", "q[1].png", "sub/r.png", "@at.png"):
            write_png(os.path.join(folder, name), picture(60, 40, len(name)))
        run = lambda *args, **options: [os.path.relpath(line["source"], folder)
                                        for line in self.detect(*args, **options)[0]]
        self.assertEqual(run(folder + "/p*.png"), ["p2.png", "p10.png"])
        self.assertEqual(run(folder + "/*/r.png", folder + "/s?b"), ["sub/r.png", "sub/r.png"])
        # A name that exists is no pattern, and no list.
        self.assertEqual(run(folder + "/q[1].png"), ["q[1].png"])
        self.assertEqual(run("@at.png", cwd=folder), [os.path.relpath("@at.png", folder)])
        with open(self.path("list.txt"), "w", encoding="utf-8") as f:
            f.write(f"{folder}/p10.png\r\n\n{folder}/sub\n{folder}/p2.png")
        self.assertEqual(run("@" + self.path("list.txt")), ["p10.png", "sub/r.png", "p2.png"])
        self.assertEqual(run("@-", input=f"{folder}/p2.png\n"), ["p2.png"])
        for wrong, words in ((folder + "/x*.png", "no file matches"), ("@none.txt", "no such list")):
            errors = self.detect(wrong, self.png, status=1)[1]
            self.assertEqual(len(errors.splitlines()), 1, errors)
            self.assertIn(f"{wrong}: ", errors)
            self.assertIn(words, errors)

    def test_pipe(self):
        """Every kind of standard input gives the same result as the file."""
        expected, _ = self.detect("--confidence", "0.02", self.png)
        with open(self.png, "rb") as f:
            data = f.read()
        fifo = self.path("fifo")
        os.mkfifo(fifo)
        for name, given in (("-", "pipe"), ("/dev/stdin", "pipe"), ("-", "file"), (fifo, "fifo")):
            if given == "pipe":
                done = self.y10_bytes("--confidence", "0.02", name, input=data)
            elif given == "file":
                with open(self.png, "rb") as f:
                    done = self.y10_bytes("--confidence", "0.02", name, stdin=f)
            else:
                with subprocess.Popen(["cp", self.png, fifo]):
                    done = self.y10_bytes("--confidence", "0.02", name)
            self.assertEqual(done.returncode, 0, done.stderr)
            lines = [json.loads(line) for line in done.stdout.splitlines()]
            self.assertEqual([line["source"] for line in lines], [name])
            self.assertEqual(boxes(lines[0]), boxes(expected[0]))
        done = self.y10_bytes("-", input=b"")
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertIn(b"standard input", done.stderr)

    def test_classes_and_most(self):
        every, _ = self.detect("--confidence", "0.02", self.png)
        names = [o["roi_type"] for o in every[0]["objects"]]
        wanted = names[-1]
        number = next(o["detection"]["label_id"] for o in every[0]["objects"] if o["roi_type"] == wanted)
        self.assertGreater(len(set(names)), 1)
        for value in (wanted, str(number), f" {wanted} ,{wanted}"):
            some, _ = self.detect("--confidence", "0.02", "--classes", value, self.png)
            among = [b for b in boxes(every[0]) if b[2] == number]
            # Other classes take none of the 300 places.
            self.assertEqual(boxes(some[0])[:len(among)], among)
            self.assertEqual({b[2] for b in boxes(some[0])}, {number})
        best, _ = self.detect("--confidence", "0.02", "--max-detections", "2", self.png)
        self.assertEqual(boxes(best[0]), boxes(every[0])[:2])

    def test_floats(self):
        """Each number reads back as a float32, in no more digits than that takes."""
        done = self.y10("detect", "--model", self.model, "--backend", "ref", "--size", "96",
                        "--confidence", "0.02", self.png)
        seen = []
        json.loads(done.stdout, parse_float=seen.append)
        self.assertGreater(len(seen), 10)
        for text in seen:
            single = struct.unpack("f", struct.pack("f", float(text)))[0]
            digits = len(text.split("e")[0].replace(".", "").strip("0"))
            self.assertLessEqual(digits, 9, text)
            self.assertLessEqual(abs(single - float(text)), abs(single) * 2 ** -24)

    def test_any_bytes(self):
        """A name that is not UTF-8 becomes a URI that leads back to the file; a name in UTF-8
        stays unchanged."""
        odd = os.path.join(os.fsencode(self.directory.name), b"caf\xe9 %41?#.png")
        os.link(self.png, odd)
        plain = self.path("café %41.png")
        os.link(self.png, plain)
        done = self.y10_bytes(os.path.basename(odd), plain, cwd=self.directory.name)
        self.assertEqual(done.returncode, 0, done.stderr)
        sources = [json.loads(line)["source"] for line in done.stdout.decode("utf-8").splitlines()]
        self.assertEqual(sources[1], plain)
        parts = urllib.parse.urlsplit(sources[0])
        self.assertEqual((parts.scheme, parts.netloc, parts.query, parts.fragment), ("file", "", "", ""))
        self.assertEqual(urllib.parse.unquote_to_bytes(parts.path), os.path.realpath(odd))

    def test_terminals(self):
        """A terminal obeys nothing in a name or a label, wherever it is printed."""
        labels, crops = self.path("labels"), self.path("crops-escape")
        with open(labels, "w", encoding="utf-8") as f:
            f.write(f"{ESCAPE}\nb\x9bc\nd\n")
        hostile = self.path("a" + ESCAPE + "\xff\r.png".encode("latin-1").decode("utf-8", "surrogateescape"))
        os.link(self.png, hostile)
        model = self.path("m" + ESCAPE)
        try:
            parent, child = pty.openpty()
        except OSError as error:
            self.skipTest(f"no pseudo-terminals here (/dev/pts): {error}")
        text = b""
        for command in (["detect", "--model", self.model, "--labels", labels, "--confidence", "0.02",
                         "--size", "96", "--save-crops", crops, hostile, hostile + ".none"],
                        ["detect", "--model", self.model, "--labels", labels, "--classes", ESCAPE + "x",
                         "x"],
                        ["detect", "--model", model, "x"], ["info", "--model", model], [ESCAPE],
                        ["detect", "--" + ESCAPE], ["detect", "--head", ESCAPE, "x"], ["bench", ESCAPE],
                        ["info", "--model", self.model, "--labels", labels, "--size", "96"]):
            with subprocess.Popen([Y10, *command], stdout=child, stderr=child,
                                  env=dict(self.env, TERM="xterm")) as run:
                while run.poll() is None:
                    text += read_available(parent)
            text += read_available(parent)
        os.close(child)
        os.close(parent)
        self.assertIn(b"\\x1b", text)
        for allowed in (b"\r\n", b"\r\x1b[K"):
            text = text.replace(allowed, b"\n")
        self.assertNotRegex(text.decode("utf-8"), "[\x00-\x09\x0b-\x1f\x7f-\x9f]")

    def on_terminal(self, *args):
        """What y10 detect prints to a terminal on stderr."""
        try:
            parent, child = pty.openpty()
        except OSError as error:
            self.skipTest(f"no pseudo-terminals here (/dev/pts): {error}")
        with open(self.path("out"), "wb") as out:
            subprocess.run([Y10, "detect", "--model", self.model, "--backend", "ref", "--confidence", "0.02", *args],
                           stdout=out, stderr=child, env=dict(self.env, TERM="xterm"), check=True)
        text = read_available(parent).decode()
        os.close(child)
        os.close(parent)
        return text

    def test_summary(self):
        """Only on a terminal."""
        text = self.on_terminal("--size", "96", self.png, self.png)
        lines, errors = self.detect("--confidence", "0.02", self.png, self.png)
        self.assertEqual(errors, "")
        self.assertRegex(text, r"2 inputs, 2 frames, [\d.]+ s, [\d.]+ frames/s: ")
        names = [o["roi_type"] for line in lines for o in line["objects"]]
        for name in set(names):
            self.assertIn(f"{names.count(name)} {name}", text)

    def test_progress(self):
        """The bar, which appears after a second, is full at the last of a few pictures, and no fuller."""
        text = self.on_terminal("--size", "640", *[self.png] * 4)
        self.assertRegex(text, r"\r\[#{24}\] 100 %")
        self.assertEqual({len(bar) for bar in re.findall(r"\[([#.]+)\]", text)}, {24})
        self.assertRegex(text, r"4 inputs, 4 frames")

    def test_format_summary(self):
        """Counted over the lines that another run prints."""
        other = write_png(self.path("summary.png"), picture(150, 110, 5))
        inputs = ["--confidence", "0.02", self.png, other, self.png]
        lines, _ = self.detect(*inputs)
        done = self.y10("detect", "--model", self.model, "--backend", "ref", "--size", "96",
                        "--format", "summary", *inputs)
        rows = {row[0]: [float(value) for value in row[1:]] for row in re.findall(
            r"^  (\S.*?) {2,}(\d+) +(\d+) +([01]\.\d\d)$", done.stdout, re.M)}
        expected = {}
        for line in lines:
            names = [o["roi_type"] for o in line["objects"]]
            for o in line["objects"]:
                row = expected.setdefault(o["roi_type"], [0, 0, 0])
                row[1] = max(row[1], names.count(o["roi_type"]))
                row[2] = max(row[2], o["detection"]["confidence"])
            for name in set(names):
                expected[name][0] += 1
        self.assertEqual(rows.keys(), expected.keys())
        for name, row in rows.items():
            self.assertEqual(row[:2], expected[name][:2])
            self.assertAlmostEqual(row[2], expected[name][2], delta=0.0051)
        self.assertTrue(rows)
        self.assertRegex(done.stdout, r"\n3 frames of 150x110 in [\d.]+ s: [\d.]+ frames per second")
        self.assertNotIn("{", done.stdout)
        # Of one picture, how many there are.
        one = self.y10("detect", "--model", self.model, "--backend", "ref", "--size", "96",
                       "--format", "summary", "--confidence", "0.02", self.png).stdout
        found = dict(re.findall(r"^  (\S.*?) {2,}(\d+) +[01]\.\d\d$", one, re.M))
        names = [o["roi_type"] for o in lines[0]["objects"]]
        self.assertEqual(found, {name: str(names.count(name)) for name in set(names)})
        nothing = self.y10("detect", "--model", self.model, "--backend", "ref", "--size", "96",
                           "--format", "summary", "--confidence", "1", self.png).stdout
        self.assertIn("nothing found", nothing)
        self.refused("detect", "--format", "xml", self.png, says=["--format", "xml", "jsonl"])


def read_available(fd):
    text = b""
    os.set_blocking(fd, False)
    try:
        while chunk := os.read(fd, 65536):
            text += chunk
    except (BlockingIOError, OSError):
        pass
    return text


class Crops(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.rows = picture(150, 110)
        cls.png = write_png(cls.path("a.b.png"), cls.rows)

    def test_pixels(self):
        """One file for each object, with the size and, up to JPEG's losses, the pixels of its box.
        A second run overwrites nothing."""
        out = self.path("crops")
        for turn in (1, 2):
            lines, _ = self.detect("--confidence", "0.02", "--save-crops", out, self.png)
            objects = lines[0]["objects"]
            files = sorted(os.path.relpath(os.path.join(d, f), out) for d, _, fs in os.walk(out) for f in fs)
            self.assertEqual(len(files), turn * len(objects), files)
        for n, obj in enumerate(objects, 1):
            jpeg = os.path.join(out, obj["roi_type"], f"a.b-{n}.jpg")
            width, height = jpeg_size(jpeg)
            self.assertEqual((width, height), (obj["w"], obj["h"]))
            again, _ = self.detect(jpeg)
            self.assertEqual(again[0]["resolution"], {"width": obj["w"], "height": obj["h"]})

    def test_stays_inside(self):
        """No class name leads out of the folder."""
        out, labels = self.path("deep/inside"), self.path("labels")
        with open(labels, "w", encoding="utf-8") as f:
            f.write("../../escaped\n..\n/" + 300 * "x" + "\n")
        before = set(os.listdir(self.directory.name))
        lines, _ = self.detect("--confidence", "0.02", "--labels", labels, "--save-crops", out, self.png)
        self.assertEqual(len({o["roi_type"] for o in lines[0]["objects"]}), 3)
        self.assertEqual(set(os.listdir(self.directory.name)) - before, {"deep"})
        self.assertEqual(os.listdir(self.path("deep")), ["inside"])
        self.assertEqual(sorted(os.listdir(out)), sorted(["_._.._escaped", "_.", "_" + 99 * "x"]))

    def test_cannot(self):
        taken = self.path("taken")
        with open(taken, "wb"):
            pass
        lines, errors = self.detect("--save-crops", taken, self.png, status=1)
        self.assertEqual(lines, [])
        self.assertIn(taken, errors)


class Animations(Case):
    def test_every_frame(self):
        """Each frame gives the same result as its picture alone, at the sum of the previous
        delays."""
        rand = random.Random(3)
        frames = [[bytes(rand.randrange(256) for _ in range(60)) for _ in range(40)] for _ in range(5)]
        gif = write_gif(self.path("a.gif"), frames, [10, 25, 4, 50, 10])
        lines, errors = self.detect("--confidence", "0.02", gif)
        self.assertEqual(errors, "")
        self.assertEqual([line["timestamp"] for line in lines],
                         [n * 10**7 for n in (0, 10, 35, 39, 89)])
        for n, rows in enumerate(frames):
            png = write_png(self.path(f"f{n}.png"), rows, 1)
            alone, _ = self.detect("--confidence", "0.02", png)
            self.assertEqual(boxes(lines[n]), boxes(alone[0]))
        some, _ = self.detect("--interval", "2", gif)
        self.assertEqual([line["timestamp"] for line in some], [lines[n]["timestamp"] for n in (0, 2, 4)])
        single, _ = self.detect(write_gif(self.path("one.gif"), frames[:1], [10]))
        self.assertEqual([line["timestamp"] for line in single], [None])
        with open(gif, "rb") as f:
            data = f.read()
        cut = self.path("cut.gif")
        with open(cut, "wb") as f:
            f.write(data[:len(data) * 7 // 10])
        some, errors = self.detect("--confidence", "0.02", cut, status=1)
        self.assertEqual(boxes(some[0]), boxes(lines[0]))
        self.assertIn(cut, errors)
        self.assertIn("damaged", errors)


if __name__ == "__main__":
    main()
