#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""y10 detect --track: who keeps an id when codes are half hidden, change their kind, or come after
a gap in the video; and that drawn copies show the ids that the elements show."""
import csv
import glob
import io
import json
import os
import subprocess

from common import DATA, FEATURES, PLUGIN_DIR, Case, lacking, main, need, read_png, write_png

need("gst", "gst-launch-1.0")
SIZE = WIDTH, HEIGHT = 320, 200
# Where symbols are in pipelines/codes.png, by its pixels: left, top, right, bottom.
PLACES = {"qr-code": (63, 68, 188, 193), "aztec": (454, 64, 588, 198)}
AT = 57, 30


class Tracks(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        rows, channels = read_png(os.path.join(DATA, "../../pipelines/codes.png"))
        cls.codes = [row[::channels] for row in rows]

    def frame(self, label, hidden=0, left=AT[0]):
        """A code on white; the upper part of it is covered. No label: nothing."""
        rows = [bytearray(b"\xff" * WIDTH) for _ in range(HEIGHT)]
        if label:
            x0, y0, x1, y1 = PLACES[label]
            for y in range(y0, y1):
                grey = y - y0 < hidden * (y1 - y0)
                rows[AT[1] + y - y0][left:left + x1 - x0] = b"\x80" * (x1 - x0) if grey else self.codes[y][x0:x1]
        return b"".join(rows)

    def video(self, frames, rate="25:1"):
        path = self.path("video.y4m")
        with open(path, "wb") as file:
            file.write(f"YUV4MPEG2 W{WIDTH} H{HEIGHT} F{rate} Ip A1:1 C420jpeg\n".encode())
            for frame in frames:
                file.write(b"FRAME\n" + frame + b"\x80" * (WIDTH * HEIGHT // 2))
        return path

    def follow(self, path, *options):
        """[(id, label)] of the objects of each inferred frame."""
        done = self.y10("detect", "--track", *options, path)
        return [[(o["id"], o["detection"]["label"]) for o in json.loads(line)["objects"]]
                for line in done.stdout.splitlines()]

    def test_weak(self):
        """Hidden for two seconds, longer than an id is kept, a code is no object but its id stays;
        gone for as long, it has another one. What is never more than weak is nobody."""
        whole, half, none = self.frame("aztec"), self.frame("aztec", 0.3), self.frame(None)
        for between, after in ((half, 1), (none, 2)):
            path = self.video([whole] * 10 + [between] * 50 + [whole] * 10)
            found = self.follow(path, "--confidence", "0.6")
            self.assertEqual(found[:60], [[(1, "aztec")]] * 10 + [[]] * 50)
            self.assertEqual(found[-5:], [[(after, "aztec")]] * 5)
        # The same where only the class has that limit.
        path = self.video([whole] * 5 + [half] * 30 + [whole] * 5)
        found = self.follow(path, "--class-confidence", "aztec=0.6", "--max-detections", "1")
        self.assertEqual(found, [[(1, "aztec")]] * 5 + [[]] * 30 + [[(1, "aztec")]] * 5)
        path = self.video([none] + [half] * 10)
        self.assertEqual(self.follow(path, "--confidence", "0.6"), [[]] * 11)
        self.assertTrue(all(label == "aztec" for [(_, label)] in self.follow(path)[1:]))

    def test_class_groups(self):
        kinds = ["aztec"] * 3 + ["qr-code"] * 2 + ["aztec"] * 2
        path = self.video([self.frame(kind) for kind in kinds])
        for groups, ids in (("aztec, qr-code", {1}), ("*", {1}), ("aztec;*", {1, 2}), ("", {1, 2})):
            found = self.follow(path, "--class-groups", groups)
            self.assertEqual([label for [(_, label)] in found], kinds)
            self.assertEqual({number for [(number, _)] in found} - {0}, ids, groups)
        # What happens in zones happens to what an object is most of the time.
        zones = self.path("zones")
        with open(zones, "w", encoding="utf-8") as file:
            file.write("room=0,0 1,1")
        done = self.y10("detect", "--zones", zones, "--class-groups", "*", path)
        events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"event"')]
        self.assertEqual([(event["event"], event["id"], event["label"]) for event in events],
                         [("enter", 1, "aztec"), ("leave", 1, "aztec")])

    def test_formats(self):
        """The ids of jsonl in the other formats, by a reader of CSV, in MOTChallenge's ten columns
        and in the columns of Ultralytics' save_txt."""
        path = self.video([self.frame("aztec")] * 3 + [self.frame(None)] * 2 + [self.frame("qr-code")] * 3)
        self.assertEqual([len(objects) for objects in self.follow(path)], [1, 1, 1, 0, 0, 1, 1, 1])
        expected = [(i, *found[0]) for i, found in enumerate(self.follow(path)) if found]
        done = self.y10("detect", "--track", "--format", "csv", path)
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        self.assertEqual([(int(r["frame"]), int(r["id"]), r["label"]) for r in rows], expected)
        done = self.y10("detect", "--track", "--format", "mot", path)
        lines = [line.split(",") for line in done.stdout.splitlines()]
        self.assertEqual({len(line) for line in lines}, {10})
        self.assertEqual([(int(line[0]) - 1, max(0, int(line[1]))) for line in lines], [e[:2] for e in expected])
        for options, confidence in (((), []), (("--save-conf",), [5])):
            folder = self.path("labels" + "".join(options))
            self.y10("detect", "--track", *options, "--format", "yolo", "--output", folder, path)
            for frame, number, _ in expected:
                with open(f"{folder}/video_{frame + 1}.txt", encoding="utf-8") as file:
                    values = file.read().split()
                self.assertEqual(len(values), 6 + len(confidence))
                self.assertEqual(int(values[-1]), number)
                for i in confidence:
                    self.assertAlmostEqual(float(values[i]),
                                           float(next(r for r in rows if int(r["frame"]) == frame)["confidence"]),
                                           delta=1e-4)
        done = self.y10("detect", "--format", "csv", path)
        self.assertNotIn("id", done.stdout.splitlines()[0].split(","))

    def test_events(self):
        """CSV has the members of the JSON of events; what a table would take for a formula is text."""
        name = '=HYPERLINK("http://x"),"y"'
        zones = self.path("zones.json")
        with open(zones, "w", encoding="utf-8") as file:
            json.dump({"version": 1, "zones": [{"name": name, "points": [[0, 0], [1, 1]], "dwell": 0.2}]}, file)
        path = self.video([self.frame("aztec")] * 20)
        done = self.y10("detect", "--zones", zones, path)
        events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"event"')]
        self.assertEqual([event["event"] for event in events], ["enter", "dwell", "leave"])
        done = self.y10("detect", "--zones", zones, "--format", "csv", path)
        rows = list(csv.DictReader(io.StringIO(done.stdout, newline="")))
        self.assertEqual(len(rows), len(events))
        for row, event in zip(rows, events):
            self.assertEqual(set(event) - set(row), set())
            self.assertEqual(row.pop("zone"), "'" + name)
            for member in ("timestamp", "duration"):
                if row[member]:
                    self.assertAlmostEqual(float(row[member]), event[member] / 1e9, delta=1e-9)
            for member, text in row.items():
                if isinstance(event.get(member), float):
                    self.assertEqual(text, f"{event[member]:.4f}")
                elif member not in ("timestamp", "duration"):
                    self.assertEqual(text, str(event.get(member, "")), member)

    def test_refusals(self):
        path = self.video([self.frame("aztec")])
        self.refused("detect", "--class-groups", "a,b", path, says=["--class-groups needs --track or --zones"])
        self.refused("detect", "--track", "--format", "coco", path, says=["expected jsonl, csv, yolo or mot"])
        self.refused("detect", "--zones", path, "--format", "mot", path, says=["expected jsonl or csv"])
        self.refused("detect", "--save-conf", path, says=["--save-conf is for --format yolo"])
        self.refused("detect", "--track", "--class-groups", "a,,b", path, status=1,
                     says=['--class-groups "a,,b" has an empty name'])
        self.refused("detect", "--track", "--class-groups", "a;b,a", path, status=1, says=['names "a" twice'])

    def test_unknown_classes(self):
        """What no object can be is refused, whoever names it, in the same words."""
        path, zones = self.video([self.frame("aztec")]), self.path("zones.json")
        known = 'expected one of its 7 classes, 0 "'
        for kind, points in (("zones", [[0, 0], [1, 1]]), ("lines", [[0, 0], [1, 1]])):
            for name, meant in (("Aztec", "aztec"), ("qr code", "qr-code"), ("person", None)):
                with open(zones, "w", encoding="utf-8") as file:
                    json.dump({"version": 1, kind: [{"name": "yard", "points": points, "classes": ["aztec", name]}]},
                              file)
                says = [f'"{name}" is not a class of', known, *([f'did you mean "{meant}"?'] if meant else [])]
                self.refused("detect", "--zones", zones, path, status=1, says=[zones, 'yard"', *says])
                self.refused("detect", "--track", "--class-groups", f"aztec;{name},*", path, status=1,
                             says=["--class-groups", *says])
                self.refused("detect", "--classes", f"aztec,{name}", path, says=["--classes", *says])

    def sequence(self, name, pictures, rate=None):
        """A folder as the MOT Challenge has them."""
        folder = self.path(name)
        os.makedirs(os.path.join(folder, "img1"))
        for number, frame in enumerate(pictures, 1):
            rows = [frame[y * WIDTH:(y + 1) * WIDTH] for y in range(HEIGHT)]
            write_png(os.path.join(folder, "img1", f"{number:06}.png"), rows, 1)
        if rate:
            with open(os.path.join(folder, "seqinfo.ini"), "w", encoding="ascii") as file:
                file.write(f"[Sequence]\nname={name}\nimDir=img1\nframeRate={rate}\nimExt=.png\n")
        return os.path.join(folder, "img1")

    def test_sequence(self):
        """Pictures of a folder are frames of a video, in the order of their names."""
        pictures = [self.frame("aztec", left=AT[0] + 4 * n) for n in range(11)]
        whole, other = self.sequence("A", pictures, 10), self.sequence("B", pictures[:3])
        done = self.y10("detect", "--track", whole, other)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([os.path.basename(line["source"]) for line in lines],
                         [f"{n:06}.png" for n in [*range(1, 12), *range(1, 4)]])
        self.assertEqual([line["timestamp"] for line in lines],
                         [n * 100000000 for n in range(11)] + [n * 1000000000 // 30 for n in range(3)])
        # As the video of the same frames.
        ids = [[o["id"] for o in line["objects"]] for line in lines]
        self.assertEqual(ids[:11], [[number for number, _ in frame]
                                    for frame in self.follow(self.video(pictures, "10:1"))])
        self.assertEqual(set(sum(ids, [])), {1})
        done = self.y10("detect", "--track", "--fps", "5", *sorted(glob.glob(os.path.join(whole, "*.png"))))
        self.assertEqual([json.loads(line)["timestamp"] for line in done.stdout.splitlines()],
                         [n * 200000000 for n in range(11)])
        # Their numbers are those of MOTChallenge's own files.
        done = self.y10("detect", "--track", "--format", "mot", whole)
        self.assertEqual([line.split(",")[:2] for line in done.stdout.splitlines()],
                         [[str(n), "1"] for n in range(1, 12)])
        done = self.y10("detect", "--track", "--format", "mot", whole, other, status=1)
        self.assertIn("pictures of one folder", done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 11)
        zones = self.path("zones")
        with open(zones, "w", encoding="utf-8") as file:
            file.write("room=0,0 1,1")
        done = self.y10("detect", "--zones", zones, whole)
        events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"event"')]
        self.assertEqual([(event["event"], event["timestamp"]) for event in events][-1], ("leave", 1000000000))
        self.refused("detect", "--fps", "5", whole, says=["--fps needs --track or --zones"])

    def test_gap(self):
        """Ids are new after more than a second without a frame, but not where frames are passed
        over."""
        frames = [self.frame("aztec")] * 4
        for rate, options, ids in (("1:1", (), [1, 1, 1, 1]), ("1:2", (), [1, 2, 3, 4])):
            found = self.follow(self.video(frames, rate), *options)
            self.assertEqual([number for [(number, _)] in found], ids, rate)
        found = self.follow(self.video(frames * 20), "--interval", "30")
        self.assertEqual([number for [(number, _)] in found], [1, 1, 1])

    def raw(self, source):
        path = self.path("raw")
        subprocess.run(["gst-launch-1.0", "-q", *source.split(), "!", "videoconvert", "!", "video/x-raw,format=GRAY8",
                        "!", "filesink", f"location={path}"], check=True, timeout=120,
                       env={**self.env, "GST_PLUGIN_PATH_1_0": PLUGIN_DIR})
        with open(path, "rb") as file:
            data = file.read()
        return [data[i:i + WIDTH * HEIGHT] for i in range(0, len(data), WIDTH * HEIGHT)]

    def test_draw(self):
        """A copy looks like what the elements draw, also in frames that were not inferred, and not
        like one without ids. It shows them, since a code is gone for long before it comes back."""
        if "overlay" not in FEATURES:
            self.skipTest("there is no overlay")
        if lacking("y4mdec", "avimux"):
            self.skipTest("y4mdec or avimux is missing")
        path = self.video([self.frame("aztec")] * 8 + [self.frame(None)] * 32 + [self.frame("aztec")] * 8)
        drawn = self.path("drawn.avi")
        copies = []
        for options in (["--track"], []):
            self.y10("detect", *options, "--interval", "4", "--draw", drawn, path,
                     env={"GST_PLUGIN_PATH_1_0": PLUGIN_DIR})
            copies.append(self.raw(f"filesrc location={drawn} ! decodebin"))
            os.remove(drawn)
        drawn = self.raw(f"filesrc location={path} ! y4mdec ! videoconvert ! yolov10detect ! yolov10track ! "
                         "yolov10overlay")
        with_ids, without = copies
        self.assertEqual([len(frames) for frames in (with_ids, without, drawn)], [48] * 3)

        def far(a, b):
            return sum(abs(x - y) > 60 for x, y in zip(a, b))
        # What the encoder changes: nobody has an id yet when the code comes back. In the first
        # frames the id is 1, in the last 2.
        coded = far(without[40], drawn[40])
        for n in (1, 4, 45, 47):
            self.assertLess(far(with_ids[n], drawn[n]), coded + 40)
            self.assertGreater(far(without[n], drawn[n]), coded + 100)
        self.assertGreater(far(with_ids[1], with_ids[47]), 10)


main()
