#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""yolov10record, read by FFmpeg: every frame is there as it was encoded, and whatever ends the
program, the file can be played.

usage: test-record.py PLUGINS [UNITTEST ARGUMENT...]
"""
import os
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import time
import unittest

from recordings import H264, H265, PATIENCE, Recordings, ask, packets, pictures, until

FULL = 100_000      # bytes that a disk has


class Record(Recordings):
    def check_same(self, film, parse):
        self.record(film, parse, "file-duration=6000000000")
        found = self.recordings()
        self.assertEqual(len(found), 4)
        expected, shown = packets(film), pictures(film)
        for path in found:
            part = packets(path)
            begin = expected[0]
            self.assertTrue(part[0][3])
            for got, want in zip(part, expected):
                self.assertEqual(got[2:], want[2:])
                for i in range(2):
                    self.assertAlmostEqual(got[i] - part[0][0], want[i] - begin[0], delta=1e-3)
            self.assertEqual(pictures(path), shown[:len(part)])
            del expected[:len(part)], shown[:len(part)]
        self.assertEqual(expected, [])

    def test_h264(self):
        """With B-frames, cut at key frames: no packet, time or picture differs."""
        self.check_same(self.film(*H264), "h264parse")

    def test_h265(self):
        self.check_same(self.film(*H265), "h265parse")

    def test_audio(self):
        """Sound is in the file that has its moment."""
        for codec, parse, delay in (("aac", "aacparse", 200_000_000), ("libopus", "opusparse", -200_000_000)):
            film = self.film(*H264, "-c:a", codec, seconds=10,
                             sound=("-f", "lavfi", "-i", "sine=1000:duration=10:sample_rate=48000"))
            self.launch(f"filesrc location={film} ! qtdemux name=d d.video_0 ! queue ! h264parse ! identity sync=true ! "
                        f"yolov10record name=r location={self.path('out')} file-duration=3000000000 "
                        f"d.audio_0 ! queue ! {parse} ! identity sync=true ts-offset={delay} ! r.audio")
            files, sound = self.recordings(), []
            self.assertEqual(len(files), 4)
            self.assertEqual([p[2:] for path in files for p in packets(path)], [p[2:] for p in packets(film)])
            for path in files:
                part = packets(path, "a")
                # A frame of sound is 20 ms or 1024 samples; the picture is first shown 80 ms after it is decoded.
                self.assertLess(part[0][1], 0.1 + (path == files[0]) * max(0, -delay / 1e9))
                self.assertLess(abs(part[-1][1] - packets(path)[-1][0]), 0.1)
                self.assertEqual(len(pictures(path, "a")), len(part))
                sound += [p[2] for p in part]
            expected = [p[2] for p in packets(film, "a")]
            # What comes before the first picture may be missing.
            self.assertIn(" ".join(map(str, sound)), " ".join(map(str, expected)))
            self.assertGreater(len(sound), len(expected) - 20)
            for path in files:
                os.unlink(path)

    def test_seek(self):
        """An index leads to any second: players read a part of the file alone."""
        self.record(self.film("-c:v", "libx264", "-g", "25"), "h264parse")
        (path,) = self.recordings()
        stream = ask("ffprobe", "-v", "error", "-of", "csv=p=0", "-show_entries", "stream=duration,nb_frames", path)
        self.assertAlmostEqual(float(stream[0].split(",")[0]), 20, delta=0.2)
        lines = ask("ffprobe", "-v", "error", "-of", "csv=p=0", "-show_entries", "packet=pts_time,pos",
                    "-read_intervals", "17.5%+#1", path)
        self.assertAlmostEqual(float(lines[0].split(",")[0]), 17, delta=0.1)
        with open(path, "rb") as f:
            self.assertIn(b"sidx", f.read(16384))

    def pause(self, seconds, *encoder):
        film = self.film("-c:v", "libx264", "-g", "25", *encoder, "-vf", f"setpts=PTS+gte(N\\,250)*{seconds}/TB",
                         "-vsync", "vfr")
        self.record(film, "h264parse")
        return packets(film), [packets(path) for path in self.recordings()]

    def test_pause(self):
        """A stream that pauses for twenty seconds goes on in its file, at its time."""
        expected, (found,) = self.pause(20)
        self.assertGreater(expected[-1][1], 38)
        self.assertEqual(len(found), len(expected))
        for got, want in zip(found, expected):
            self.assertAlmostEqual(got[1] - found[0][1], want[1] - expected[0][1], delta=1e-3)

    def test_long_pause(self):
        """After more than an hour, it goes on in another file."""
        expected, parts = self.pause(4000, "-bf", "0")
        self.assertGreater(expected[-1][1], 4000)
        self.assertEqual([len(part) for part in parts], [250, 250])
        self.assertTrue(parts[1][0][3])
        self.assertLess(max(part[-1][1] - part[0][1] for part in parts), 10)

    def test_many(self):
        """More groups of pictures than the index has room for share its lines."""
        self.record(self.film("-c:v", "libx264", "-g", "1", "-preset", "ultrafast", "-s", "64x48", seconds=100), "h264parse")
        (path,) = self.recordings()
        with open(path, "rb") as f:
            head = f.read(16384)
        at = head.index(b"sidx")
        (n,) = struct.unpack_from(">H", head, at + 34)
        self.assertTrue(512 <= n <= 1024, n)
        sizes = [struct.unpack_from(">I", head, at + 36 + 12 * i)[0] for i in range(n)]
        # They cover the file from behind the room of the index to its end.
        end = head.index(b"moof") - 4 + sum(sizes)
        self.assertEqual(end, os.path.getsize(path))
        lines = ask("ffprobe", "-v", "error", "-of", "csv=p=0", "-show_entries", "packet=pts_time",
                    "-read_intervals", "83%+#1", path)
        self.assertAlmostEqual(float(lines[0].strip(",")), 83, delta=0.2)

    def test_numbers(self):
        """Files are numbered on after a restart."""
        film = self.film("-c:v", "libx264", seconds=1)
        self.record(film, "h264parse")
        self.record(film, "h264parse")
        self.assertEqual([os.path.basename(path)[:9] for path in self.recordings()], ["00000001_", "00000002_"])

    def test_retention(self):
        """The oldest recordings go first, and nothing else does."""
        film = self.film("-c:v", "libx264", "-g", "25", "-preset", "ultrafast")
        os.mkdir(self.path("out"))
        others = ["notes.mp4", "00000000_2026-01-31T08-00-00Z.mp4", "00000002_2026-01-31T08-00-00Z.mp4.part", "7.mp4"]
        for name in others:
            with open(os.path.join(self.path("out"), name), "wb") as f:
                f.write(bytes(100_000))
        def numbers():
            found = set(os.listdir(self.path("out"))) - set(others)
            # The index of each is beside it, and is deleted with it.
            self.assertEqual({name[:-4] for name in found if name.endswith(".mp4")},
                             {name[:-9] for name in found if name.endswith(".jsonl.gz")})
            return sorted(int(name[:8]) for name in found if name.endswith(".mp4"))
        self.record(film, "h264parse", "file-duration=2000000000")
        self.assertEqual(numbers(), list(range(1, 11)))
        size = sum(os.path.getsize(path) for path in self.recordings() if os.path.basename(path) not in others)
        self.record(film, "h264parse", f"file-duration=2000000000 max-bytes={size}")
        left = [path for path in self.recordings() if os.path.basename(path) not in others]
        self.assertTrue(5 < len(left) <= 10, left)
        self.assertEqual(numbers(), list(range(21 - len(left), 21)))
        self.assertLessEqual(sum(os.path.getsize(path) for path in left), size)
        for path in left[:-1]:
            os.utime(path, (1, 1))
        self.record(film, "h264parse", "max-age=3600000000000 file-duration=2000000000")
        self.assertEqual(numbers(), list(range(20, 31)))
        self.assertTrue(set(others) <= set(os.listdir(self.path("out"))))

    def start(self, **more):
        """A camera that is recorded, and beside it what its encoder gave."""
        raw = self.path("raw.h264")
        process = subprocess.Popen(
            ["gst-launch-1.0", "-e", *("videotestsrc is-live=true pattern=ball ! video/x-raw,width=160,height=120,"
             "framerate=50/1 ! x264enc speed-preset=ultrafast bframes=2 b-adapt=false key-int-max=25 ! tee name=t "
             f"t. ! queue ! h264parse ! video/x-h264,stream-format=byte-stream ! filesink buffer-mode=unbuffered location={raw} "
             f"t. ! queue ! h264parse ! yolov10record location={self.path('out')} file-duration=1000000000").split()],
            env=self.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process, raw

    def test_killed(self):
        """Of a program that is killed at any time, only the frame that waits for its duration is missing, and
        what the encoder wrote while it died."""
        chance = random.Random(4)
        for _ in range(4):
            process, raw = self.start()
            until(self.recordings, "no recording")
            time.sleep(chance.uniform(0.5, 3))      # at any time
            process.send_signal(signal.SIGKILL)
            process.wait()
            lines = ask("ffprobe", "-v", "error", "-count_packets", "-of", "csv=p=0", "-show_entries",
                        "stream=nb_read_packets", raw)
            n = sum(len(packets(path)) for path in self.recordings())
            self.assertGreaterEqual(n, int(lines[0].strip(",")) - 3)
            for path in self.recordings():
                self.assertEqual(len(pictures(path)), len(packets(path)))
                os.unlink(path)

    def test_full(self):
        """Where a disk is full, recording stops with one warning, the stream goes on, and what is there plays."""
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (FULL, FULL))
        film = self.film("-c:v", "libx264", "-g", "25", "-b:v", "800k")
        done = self.launch(f"filesrc location={film} ! qtdemux ! h264parse ! yolov10record location={self.path('out')}",
                           preexec_fn=limit)
        self.assertEqual(done.stdout.count("WARNING"), 1, done.stdout)
        self.assertIn("File too large", done.stdout)
        (path,) = self.recordings()
        n = len(packets(path))
        self.assertGreater(n, 25)
        self.assertEqual([p[2:] for p in packets(path)], [p[2:] for p in packets(film)[:n]])
        # The last ones refer to pictures that are missing.
        self.assertEqual(pictures(path)[:n - 4], pictures(film)[:n - 4])

    def test_size(self):
        """A camera that changes its size has another file, and no frame is lost."""
        films = []
        for size in ("160x120", "320x240"):
            path = self.film("-c:v", "libx264", "-g", "25", "-s", size, seconds=3)
            films.append(path.replace("film", size))
            os.rename(path, films[-1])
        sources = " ".join(f"filesrc location={film} ! qtdemux ! h264parse ! c." for film in films)
        self.launch(f"concat name=c ! h264parse ! yolov10record location={self.path('out')} {sources}")
        self.assertEqual([pictures(path) for path in self.recordings()], [pictures(film) for film in films])

    def test_two(self):
        """Two recorders do not share a folder."""
        self.start()
        until(self.recordings, "no recording")
        done = self.launch(f"videotestsrc num-buffers=9 ! x264enc ! h264parse ! yolov10record location={self.path('out')}",
                           fails=True)
        self.assertIn("in use by another yolov10record", done.stderr + done.stdout)

    def test_folder(self):
        """Where the folder is removed, recording goes on in another one at its place, behind the old numbers."""
        process, _ = self.start()
        until(lambda: len(self.recordings()) >= 2, "no recordings")
        last = int(os.path.basename(self.recordings()[-1])[:8])
        shutil.rmtree(self.path("out"))
        until(lambda: len(self.recordings()) >= 2, "no recordings in another folder")
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=PATIENCE)
        self.assertEqual(said.count("the folder was removed or replaced"), 1, said)
        self.assertGreater(int(os.path.basename(self.recordings()[0])[:8]), last)
        for path in self.recordings():
            self.assertEqual(len(pictures(path)), len(packets(path)))

    def test_refused(self):
        """A folder that cannot be made, and none at all."""
        taken = self.path("taken")
        with open(taken, "w", encoding="utf-8"):
            pass
        for location, said in ((f"location={taken}", "taken: Not a directory"), ("", "location is not set")):
            done = self.launch(f"videotestsrc num-buffers=9 ! x264enc ! h264parse ! yolov10record {location}", fails=True)
            self.assertIn(said, done.stderr + done.stdout)


Record.plugins = sys.argv.pop(1)
unittest.main()
