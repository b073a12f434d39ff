#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""y10 record, on recordings of yolov10record and on what may be left of them; FFmpeg reads what comes out.

usage: test-record-tool.py PLUGINS Y10 [UNITTEST ARGUMENT...]
"""
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import unittest

from recordings import (H264, H265, PATIENCE, Recordings, ask, fragments, index_of, lines_of, packets, pictures,
                        read_lines, until, utc, write_lines)

BEGIN = 1769846400      # 2026-01-31T08:00:00Z
PAGE = 4096


class Tool(Recordings):
    def y10(self, *args, status=0):
        done = subprocess.run([Y10, "record", *map(str, args)], capture_output=True, text=True, check=False,
                              env=self.env, timeout=PATIENCE)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def check(self, *args, status=0):
        return self.y10("check", self.path("out"), *args, status=status).stdout.splitlines()

    def listed(self):
        return [json.loads(line) for line in self.y10("index", self.path("out"), "--json").stdout.splitlines()]

    def make(self, *encoder, parse="h264parse", seconds=20, duration=6):
        """Recordings of a film as if the camera had sent it, each with its index. Returns the film's packets in the
        order of decoding, with times in ticks, and the film."""
        film = self.film(*encoder or H264, seconds=seconds)
        self.record(film, parse, f"file-duration={duration}000000000")
        begin = 0
        for path in self.recordings():
            path = self.named(path, BEGIN + begin / 90000)
            write_lines(index_of(path), lines_of(path, BEGIN + begin / 90000, first=begin * 100000 // 9))
            begin += sum(f.duration for f in fragments(path))
        found = [(round(dts * 90000), round(pts * 90000), *more) for dts, pts, *more in packets(film)]
        # Recordings begin when the first packet is decoded.
        return [(dts - found[0][0], pts - found[0][0], *more) for dts, pts, *more in found], film

    def named(self, path, begin):
        """Renames a recording as if it had begun then."""
        to = os.path.join(self.path("out"), os.path.basename(path)[:9] + utc(begin)[:19].replace(":", "-") + "Z.mp4")
        os.rename(path, to)
        if os.path.exists(index_of(path)):
            os.rename(index_of(path), index_of(to))
        return to

    def one(self, **more):
        """A recording of 20 seconds."""
        self.make(duration=60, **more)
        (path,) = self.recordings()
        return path


class Index(Tool):
    def test_list(self):
        """When each was taken, and what is in it."""
        self.make()
        first, second, third, fourth = self.recordings()
        found = {"label_ids": [5, 5], "labels": ["bus", "bus"], "ids": [1, 2], "boxes": "AAAA"}
        write_lines(index_of(first), lines_of(first, BEGIN, [{"pts": 9, **found},
                                                             {"event": "enter", "timestamp": 9}, {"pts": 10, **found}]))
        # The camera's clock becomes known late, and is behind by a minute.
        lines = lines_of(second, BEGIN + 66)
        lines.insert(4, {"clock": "camera", "pts": 3_000_000_000, "utc": utc(BEGIN + 9), "ahead": 60})
        lines[5:8] = [{**line, "utc": utc(BEGIN + 6 + line["time"] / 1e9)} for line in lines[5:8]]
        write_lines(index_of(second), lines)
        write_lines(index_of(third), lines_of(third, BEGIN + 12)[:-2], whole=False)
        os.unlink(index_of(fourth))
        one, two, three, four = self.listed()
        self.assertEqual(one, {"recording": os.path.basename(first), "clip": False, "from": utc(BEGIN + 0.08), "to": utc(BEGIN + 6.08),
                               "clock": "arrival", "duration": 6.0, "bytes": os.path.getsize(first), "state": "complete",
                               "gops": 6, "boxes": 4, "events": 1})
        self.assertEqual((two["from"], two["to"], two["clock"]), (utc(BEGIN + 6.08), utc(BEGIN + 12.08), "camera"))
        self.assertEqual((three["from"], three["to"], three["gops"]), (utc(BEGIN + 12.08), utc(BEGIN + 18.08), 6))
        self.assertEqual(four["from"], utc(BEGIN + 18))
        self.assertEqual((four["clock"], four["gops"], four["duration"]), ("name", 2, 2.0))
        table = self.y10("index", self.path("out")).stdout.splitlines()
        self.assertEqual(len(table), 5)
        self.assertRegex(table[1], rf"^{one['recording']} +{one['from']} +{one['to']} +arrival +6.0 .* complete +6 +4 +1$")

    def test_cut(self):
        """Of a file that was cut, what is left."""
        path = self.one()
        os.truncate(path, fragments(path)[130].offset + 50)
        (line,) = self.listed()
        self.assertEqual((line["state"], line["gops"], line["duration"]), ("incomplete", 6, 130 / 25))
        self.assertEqual(line["from"], utc(BEGIN + 0.08))

    def test_wrong(self):
        for args, said in ((["index"], "record takes index DIR"), (["index", self.path("none")], "No such file"),
                           (["check", "a", "--json"], "record takes"), (["export", "a", "-o", "b"], "--from: found nothing"),
                           (["export", "a", "--from", "8 o'clock", "--to", "9"], "8 o'clock"),
                           (["export", "a", "--from", "9", "--to", "8", "-o", "b"], "--to is before --from"),
                           (["export", "a", "--from", "8", "--to", "9"], "--output")):
            done = self.y10(*args, status=1 if "No such" in said else 2)
            self.assertIn(said, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1)


class Check(Tool):
    def damage(self, path, change):
        with open(path, "r+b") as f:
            data = bytearray(f.read())
            change(data)
            f.seek(0)
            f.truncate()
            f.write(data)

    def mend(self, n_faults):
        """Both modes find the same; then nothing is wrong."""
        found = self.check(status=1)
        self.assertEqual(len(found), n_faults, found)
        self.assertEqual(self.check("--repair"), [line + " (mended)" for line in found])
        self.assertEqual(self.check(), [])
        return found

    def test_sound(self):
        self.make()
        self.assertEqual(self.check(), [])

    def test_index(self):
        """Whatever is wrong with an index, it leads to the key frames again, and keeps what else it has."""
        path = self.one()
        kept = [{"clock": "arrival", "pts": 0}, {"label": 5, "name": "bus"}, {"event": "enter", "timestamp": 7},
                {"pts": 7, "boxes": [[5, 0.5, 0.1, 0.1, 0.2, 0.2, 1]]}]
        right = lines_of(path, BEGIN, kept, first=77)
        def change(i, **members):
            return right[:i] + [{**right[i], **members}] + right[i + 1:]
        for said, lines, whole in (
                ("is cut off", right[:-1], False), ("1 lines cannot be read", right[:3] + ['{"pts":'] + right[3:], True),
                ("1 lines lead to no key frame", change(3, offset=right[3]["offset"] + 1), True),
                ("1 lines lead to no key frame", change(3, time=right[3]["time"] + 40_000_000), True),
                ("has lines of 19 key frames of 20", right[:5] + right[6:], True),
                ("is of another.mp4", change(0, recording="another.mp4"), True), ("is of no recording", right[1:], True),
                ("ends at 5 ns", change(len(right) - 1, end=5), True),
                ("and 6 bytes", change(len(right) - 1, bytes=6), True)):
            write_lines(index_of(path), lines, whole)
            (fault,) = self.mend(1)
            self.assertTrue(fault.startswith(os.path.basename(index_of(path))), fault)
            self.assertIn(said, fault)
            left = read_lines(index_of(path))
            self.assertEqual(left[0]["recording"], os.path.basename(path))
            self.assertCountEqual([line for line in left if "recording" not in line], right[1:])
        self.assertEqual(left[0]["stream"], "yard")

    def test_no_index(self):
        """Times are those of the file's name, and say so."""
        path = self.one()
        os.unlink(index_of(path))
        (fault,) = self.mend(1)
        self.assertIn("is missing", fault)
        left = read_lines(index_of(path))
        self.assertEqual([left[0], left[1]], [{"recording": os.path.basename(path)}, {"clock": "name"}])
        self.assertEqual(len(left), 2 + 20 + 1)
        self.assertEqual(self.listed()[0]["clock"], "name")

    def test_sidx(self):
        """One that is missing or wrong is made as the recorder made it."""
        path = self.one()
        with open(path, "rb") as f:
            right = f.read()
        at = right.index(b"sidx") - 4
        (size,) = struct.unpack_from(">I", right, at)
        room = right.index(b"moof") - 4 - at
        def remove(data):
            data[at:at + 8] = struct.pack(">I4s", room, b"free")
        def alter(data):
            data[at + 40 + 12 * 3 + 3] ^= 4
        def shorten(data):
            data[at + size - 12 - 6] ^= 1
        for change in (remove, alter, shorten):
            self.damage(path, change)
            (fault,) = self.mend(1)
            self.assertIn("sidx", fault)
            with open(path, "rb") as f:
                self.assertEqual(f.read(), right)

    def test_cut(self):
        """Cut anywhere, a file is its complete frames, which players read without a complaint."""
        path = self.one()
        shutil.copy(path, self.path("copy"))
        all_packets = packets(path)
        chance = random.Random(5)
        for _ in range(12):
            shutil.copy(self.path("copy"), path)
            size = chance.randrange(20000, os.path.getsize(path))
            os.truncate(path, size)
            n = len(fragments(path))
            self.assertEqual(len(self.check(status=1)), 3)
            self.assertEqual(os.path.getsize(path), size)
            self.mend(3)
            self.assertEqual(packets(path), all_packets[:n])
            lines = ask("ffprobe", "-v", "error", "-of", "csv=p=0", "-show_entries", "stream=duration", path)
            self.assertAlmostEqual(float(lines[0].strip(",")), n / 25, delta=0.13)
            (line,) = self.listed()
            self.assertEqual((line["state"], line["from"]), ("complete", utc(BEGIN + 0.08)))

    def test_pages(self):
        """Where a page was never written, its frames are skipped, and those behind it are read at their times."""
        path = self.one()
        shutil.copy(path, self.path("copy"))
        all_packets, before = packets(path), fragments(path)
        size = os.path.getsize(path)
        chance = random.Random(6)
        def remove(data):
            at = data.index(b"sidx") - 4
            data[at:at + 8] = struct.pack(">I4s", data.index(b"moof") - 4 - at, b"free")
        for _ in range(12):
            shutil.copy(self.path("copy"), path)
            self.damage(path, remove)       # else it would be known to be complete
            page = chance.randrange(5, size // PAGE - 1) * PAGE
            with open(path, "r+b") as f:
                f.seek(page)
                f.write(bytes(PAGE))
            faults = self.check("--repair")
            self.assertIn("bytes at", faults[0])
            self.assertEqual(self.check(), [])
            # Of a frame that ends with the page's first bytes, or begins with its last, nobody can tell.
            lost = [i for i, f in enumerate(before) if f.offset < page + PAGE and f.offset + f.size > page]
            sure = [i for i in lost if before[i].offset + before[i].size > page + 8]
            found = packets(path)
            self.assertIn(found, [[p for i, p in enumerate(all_packets) if i not in gone] for gone in (lost, sure)])

    def test_nothing(self):
        """Files in which there is no picture go; what might be another program's stays."""
        path = self.one()
        n = fragments(path)[0].offset
        for size in (0, 5, n, n + 1000):
            other = path.replace("00000001_", "00000007_")
            shutil.copy(path, other)
            write_lines(index_of(other), [])
            os.truncate(other, size)
            if size == 0:
                self.assertIn("is being written", self.check("--repair")[0])
                os.utime(other, (1, 1))
            self.assertEqual(len(self.check(status=1)), 1)
            self.check("--repair")
            self.assertEqual(sorted(os.listdir(self.path("out"))), [os.path.basename(p) for p in (index_of(path), path)])
        film = self.film("-c:v", "libx264", "-movflags", "frag_keyframe")
        shutil.copy(film, other)
        (said,) = self.check("--repair", status=1)
        self.assertIn("no key frame", said)
        self.assertEqual(os.path.getsize(other), os.path.getsize(film))

    def test_written(self):
        """A file that is being written is left alone, and is complete in the end."""
        pipeline = ("videotestsrc is-live=true ! video/x-raw,width=160,height=120,framerate=25/1 ! x264enc key-int-max=10 "
                    f"tune=zerolatency ! h264parse ! yolov10record location={self.path('out')}")
        process = subprocess.Popen(["gst-launch-1.0", "-e", *pipeline.split()], env=self.env, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        until(lambda: self.recordings() and fragments(self.recordings()[0]), "no recording")
        (path,) = self.recordings()
        (said,) = self.check("--repair")
        self.assertEqual(said, os.path.basename(path) + ": is being written; not checked")
        self.assertEqual(self.listed()[0]["state"], "recording")
        process.send_signal(signal.SIGINT)
        process.wait()
        self.assertEqual(self.check(), [])
        self.assertEqual(len(packets(path)), len(fragments(path)))


class Export(Tool):
    def export(self, begin, end, **more):
        out = self.path("clip.mp4")
        if os.path.exists(out):
            os.unlink(out)
        done = self.y10("export", self.path("out"), "--from", begin, "--to", end, "-o", out, **more)
        return done.stderr if more else out

    def is_sound(self, clip):
        """A clip is a recording."""
        folder = self.path("clips")
        os.makedirs(folder, exist_ok=True)
        shutil.copy(clip, os.path.join(folder, "1_2026-01-31T08-00-00Z.mp4"))
        self.y10("check", folder, "--repair")
        self.assertEqual(packets(os.path.join(folder, "1_2026-01-31T08-00-00Z.mp4")), packets(clip))
        os.unlink(os.path.join(folder, "1_2026-01-31T08-00-00Z.jsonl.gz"))
        (said,) = self.y10("check", folder, status=1).stdout.splitlines()
        self.assertIn("is missing", said)

    def check_spans(self, *encoder, parse):
        source, film = self.make(*encoder, parse=parse)
        shown = pictures(film)
        order = sorted(range(len(source)), key=lambda i: source[i][1])
        chance = random.Random(7)
        spans = [(0, 99), (5.99, 6.2), *(sorted(chance.uniform(0, 20) for _ in range(2)) for _ in range(10))]
        for begin, end in spans:
            clip = self.export(BEGIN + begin, f"{BEGIN + end:.6f}")
            keys = [i for i, p in enumerate(source) if p[3] and p[1] / 90000 <= begin]
            first = keys[-1] if keys else 0
            last = max([i for i, p in enumerate(source) if p[1] / 90000 <= end], default=first)
            # None is missing in between.
            while last + 1 < len(source) and source[last + 1][1] < max(p[1] for p in source[first:last + 1]):
                last += 1
            expected = source[first:last + 1]
            found = packets(clip)
            self.assertEqual([p[2:] for p in found], [tuple(p[2:]) for p in expected])
            for got, want in zip(found, expected):
                for i in range(2):
                    self.assertAlmostEqual(got[i], (want[i] - expected[0][0]) / 90000, delta=1e-5)
            self.assertEqual(pictures(clip), [shown[order.index(i)] for i in sorted(range(first, last + 1), key=order.index)])
            self.is_sound(clip)

    def test_h264(self):
        """With B-frames, over the borders of files: the source's own packets, times and pictures."""
        self.check_spans(*H264, parse="h264parse")

    def test_h265(self):
        self.check_spans(*H265, parse="h265parse")

    def test_times(self):
        """Local times, offsets and seconds are the same."""
        self.make()
        sizes = set()
        self.env["TZ"] = "Asia/Tokyo"
        for begin, end in ((BEGIN + 2.5, BEGIN + 9), ("2026-01-31T08:00:02.5Z", "2026-01-31T08:00:09Z"),
                           ("2026-01-31T10:00:02.5+02:00", "20260131T080009Z"), ("2026-01-31T17:00:02.5", "2026-01-31T17:00:09")):
            with open(self.export(begin, end), "rb") as f:
                sizes.add(f.read())
        del self.env["TZ"]
        self.assertEqual(len(sizes), 1)

    def test_no_index(self):
        """By the times of names, files that follow each other have no gap."""
        source, _ = self.make()
        for path in self.recordings():
            os.unlink(index_of(path))
        found = packets(self.export(BEGIN, BEGIN + 30))
        self.assertEqual([p[2:] for p in found], [tuple(p[2:]) for p in source])
        self.assertAlmostEqual(found[-1][0], source[-1][0] / 90000, delta=1e-5)

    def test_gap(self):
        """What was not recorded is missing for as long; more than an hour is refused."""
        self.make()
        a, b, c, d = self.recordings()
        # Frames were lost; then the program started again.
        write_lines(index_of(b), lines_of(b, BEGIN + 6 + 1.2, first=6_000_000_000 + 1_200_000_000))
        write_lines(index_of(c), lines_of(c, BEGIN + 100))
        found = packets(self.export(BEGIN, BEGIN + 103))
        steps = [found[i][0] - found[i - 1][0] for i in (150, 300)]
        self.assertAlmostEqual(steps[0], 1.24, delta=1e-4)
        self.assertAlmostEqual(steps[1], 100 - 13.2 + 0.04, delta=1e-3)
        self.is_sound(self.path("clip.mp4"))
        write_lines(index_of(d), lines_of(d, BEGIN + 5000))
        self.assertIn(f"more than an hour is missing before {utc(BEGIN + 5000.08)}", self.export(BEGIN, BEGIN + 9000, status=1))
        self.assertFalse(os.path.exists(self.path("clip.mp4")))

    def test_formats(self):
        """Another format in between is refused, with its time."""
        self.make(*H264)
        self.record(self.film("-c:v", "libx264", "-s", "320x240", seconds=2), "h264parse")
        path = self.named(self.recordings()[-1], BEGIN + 20)
        write_lines(index_of(path), lines_of(path, BEGIN + 20))
        self.assertIn(f"another format from {utc(BEGIN + 20.08)}", self.export(BEGIN + 19, BEGIN + 22, status=1))
        self.assertFalse(os.path.exists(self.path("clip.mp4")))
        self.assertEqual(len(packets(self.export(BEGIN + 20.08, BEGIN + 23))), 50)
        self.assertEqual(len(packets(self.export(BEGIN + 19, BEGIN + 20.07))), 50)

    def test_refused(self):
        path = self.one()
        clip = self.export(BEGIN, BEGIN + 5)
        said = self.y10("export", self.path("out"), "--from", BEGIN, "--to", BEGIN + 1, "-o", clip, status=1).stderr
        self.assertIn("File exists", said)
        self.assertEqual(len(packets(clip)), 124)
        self.assertIn("no picture", self.export(BEGIN + 100, BEGIN + 200, status=1))
        lines = lines_of(path, BEGIN)
        lines[3]["offset"] += 8
        write_lines(index_of(path), lines)
        self.assertIn("y10 record check", self.export(BEGIN + 2.5, BEGIN + 5, status=1))

    def test_sound(self):
        """A second track goes along, in time."""
        path = self.one()
        add_sound(path, self.path("sound.aac"))
        write_lines(index_of(path), lines_of(path, BEGIN))
        self.assertEqual(self.check(), [])
        clip = self.export(BEGIN + 3.5, BEGIN + 8)
        self.assertEqual(len(packets(clip)), 125)
        sound = [float(line.strip(",")) for line in ask("ffprobe", "-v", "error", "-select_streams", "a", "-of", "csv=p=0",
                                                        "-show_entries", "packet=pts_time", clip)]
        self.assertTrue(0 <= sound[0] < 1024 / 8000, sound[0])
        self.assertAlmostEqual(sound[-1], 5, delta=2 * 1024 / 8000)
        self.assertEqual(len(sound), round((sound[-1] - sound[0]) * 8000 / 1024) + 1)
        self.is_sound(clip)


def box(name, *parts):
    body = b"".join(parts)
    return struct.pack(">I4s", 8 + len(body), name) + body


def add_sound(path, aac):
    """Adds a second track, of AAC at 8 kHz in fragments of one frame."""
    ask("ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "sine=frequency=440:sample_rate=8000:duration=20", "-c:a", "aac", aac)
    with open(aac, "rb") as f:
        data = f.read()
    frames, at = [], 0
    while at < len(data):
        size = (data[at + 3] & 3) << 11 | data[at + 4] << 3 | data[at + 5] >> 5
        frames.append(data[at + 7:at + size])
        at += size
    zeros = bytes
    full = zeros(4)
    config = struct.pack(">H", 2 << 11 | 11 << 7 | 1 << 3)
    esds = b"\3\x19\0\0\0\4\x11\x40\x15" + zeros(11) + b"\5\2" + config + b"\6\1\2"
    mp4a = box(b"mp4a", zeros(6), b"\0\1", zeros(8), struct.pack(">HHII", 1, 16, 0, 8000 << 16), box(b"esds", full, esds))
    stbl = box(b"stbl", box(b"stsd", full, b"\0\0\0\1", mp4a), box(b"stts", full, full), box(b"stsc", full, full),
               box(b"stsz", full, full, full), box(b"stco", full, full))
    trak = box(b"trak", box(b"tkhd", b"\0\0\0\3", zeros(8), b"\0\0\0\2", zeros(68)), box(
        b"mdia", box(b"mdhd", full, zeros(8), struct.pack(">I", 8000), full, b"\x55\xc4\0\0"),
        box(b"hdlr", full, full, b"soun", zeros(13)),
        box(b"minf", box(b"smhd", full, full), box(b"dinf", box(b"dref", full, b"\0\0\0\1", box(b"url ", b"\0\0\0\1"))), stbl)))
    trex = box(b"trex", full, b"\0\0\0\2", b"\0\0\0\1", zeros(12))
    video = fragments(path)
    with open(path, "rb") as f:
        data = f.read()
    moov = data.index(b"moov") - 4
    mvex = data.index(b"mvex") - 4
    (size,) = struct.unpack_from(">I", data, mvex)
    head = data[moov + 8:mvex] + trak + box(b"mvex", data[mvex + 8:mvex + size], trex)
    room = mvex + size
    out, n = [data[:moov], box(b"moov", head), data[room:video[0].offset]], 0
    for i, fragment in enumerate(video):
        out.append(data[fragment.offset:fragment.offset + fragment.size])
        while n < len(frames) and n * 1024 / 8000 < fragment.time / 90000:
            moof = box(b"moof", box(b"mfhd", full, struct.pack(">I", i + 1)), box(
                b"traf", box(b"tfhd", b"\0\2\0\0", b"\0\0\0\2"), box(b"tfdt", b"\1\0\0\0", struct.pack(">Q", n * 1024)),
                box(b"trun", b"\1\0\x0f\1", struct.pack(">IIIIII", 1, 112, 1024, len(frames[n]), 0x2000000, 0))))
            out += [moof, box(b"mdat", frames[n])]
            n += 1
    with open(path, "wb") as f:
        f.write(b"".join(out))
    subprocess.run([Y10, "record", "check", os.path.dirname(path), "--repair"], check=True, stdout=subprocess.DEVNULL)


class Fuzz(Tool):
    def test_flips(self):
        """Bytes of a file and of its index that are anything: no crash, and after a repair all agrees."""
        path = self.one(seconds=4)
        with open(path, "rb") as f, open(index_of(path), "rb") as g:
            right, lines = f.read(), g.read()
        chance = random.Random(8)
        parts = [0, right.index(b"sidx"), *(f.offset for f in fragments(path))]
        for i in range(int(os.environ.get("Y10_TEST_FUZZ", 60))):
            data, packed = bytearray(right), bytearray(lines)
            for _ in range(chance.randrange(1, 6)):
                at = chance.choice(parts) + chance.randrange(110) if i % 2 else chance.randrange(len(data))
                data[at] = chance.choice((0, 255, data[at] ^ 1 << chance.randrange(8), chance.randrange(256)))
                if i % 3 == 0:
                    packed[chance.randrange(len(packed))] ^= 1 << chance.randrange(8)
            for name, content in ((path, data), (index_of(path), packed)):
                with open(name, "wb") as f:
                    f.write(content)
            clip = self.path("clip.mp4")
            if os.path.exists(clip):
                os.unlink(clip)
            status, said = [], []
            for args in (["index", self.path("out")], ["check", self.path("out")],
                         ["export", self.path("out"), "--from", "0", "--to", "1e10", "-o", clip],
                         ["check", "--repair", self.path("out")], ["check", self.path("out")]):
                done = subprocess.run([Y10, "record", *args], env=self.env, capture_output=True, timeout=PATIENCE, check=False)
                self.assertIn(done.returncode, (0, 1), (i, args, done.stdout + done.stderr))
                self.assertNotIn(b"Sanitizer", done.stderr, (i, args))
                status.append(done.returncode)
                said.append(done.stdout.decode())
            self.assertEqual(status[3], status[4], (i, said[3:]))
            # Damage of the header cannot be mended.
            self.assertTrue(status[4] == 0 or b"without a header" in done.stdout or b"has no sidx" in done.stdout,
                            (i, done.stdout))


Tool.plugins, Y10 = sys.argv.pop(1), sys.argv.pop(1)
unittest.main()
