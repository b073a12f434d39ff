#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Truncated and overwritten pictures and videos: y10 detect prints the results of the part that can
be decoded, reports the file and exits with 1. Intact files, also those of ../shared, pass silently."""
import glob
import os
import random
import shutil
import subprocess
import unittest

from common import Case, boxes, lacking, launch, main, need

need("gst", "pixbuf", "jpeg", "gst-launch-1.0", "gst-inspect-1.0")

SHARED = os.path.join(os.environ["Y10_TEST_SOURCE"], "..", "shared")
# For these either the container has the length, or the decoder reports errors.
VIDEOS = {
    "h264.mp4": "x264enc key-int-max=25 ! mp4mux",
    "h264.mkv": "x264enc key-int-max=25 ! matroskamux",
    "h264-fast.mp4": "x264enc bframes=3 ! mp4mux faststart=true",
    "vp8.webm": "vp8enc deadline=1 auto-alt-ref=true lag-in-frames=10 ! webmmux",
    "vp9.webm": "vp9enc deadline=1 cpu-used=8 auto-alt-ref=true lag-in-frames=10 ! webmmux",
    "jpeg.avi": "jpegenc ! avimux",
    "jpeg.mov": "jpegenc ! qtmux",
}
# These must pass if intact; missing parts are not always noticed.
OTHERS = {
    "theora.ogv": "theoraenc ! oggmux",
    "h264.ts": "x264enc ! mpegtsmux",
    "h264.m2ts": "x264enc ! mpegtsmux m2ts-mode=true",
    "flash.flv": "avenc_flv ! flvmux",
    # With B frames the first frame is at 80 ms, which mp4mux corrects by an edit list, but not in
    # fragments: there qtdemux drops the two frames after the length in the header.
    "fragments.mp4": "x264enc bframes=0 ! mp4mux fragment-duration=500",
    "live.mkv": "x264enc ! matroskamux streamable=true",
    "live.webm": "vp8enc deadline=1 ! webmmux streamable=true",
    "h265.mp4": "x265enc ! h265parse ! mp4mux",
    "slices.mp4": "x264enc sliced-threads=true ! mp4mux",
}
# If these are overwritten in the middle, their elements, or the units of their frames, no longer
# fit together.
OVERWRITTEN = {
    "h264.mkv": "x264enc key-int-max=25 ! matroskamux",
    "live.mkv": "x264enc ! matroskamux streamable=true",
    "live.webm": "vp8enc deadline=1 ! webmmux streamable=true",
    "theora.mkv": "theoraenc ! matroskamux",
    "h264.mp4": "x264enc key-int-max=25 ! mp4mux",
    "h264-fast.mp4": "x264enc bframes=3 ! mp4mux faststart=true",
    "h265.mp4": "x265enc ! h265parse ! mp4mux",
}


def elements(launch_line):
    return [part.split()[0] for part in launch_line.split("!")]


class Damage(Case):
    # Damage is found before inference, and this is three times as fast as ref.
    backend = "cpu"

    def cut(self, path, part):
        out = self.path(f"cut-{part}-" + os.path.basename(path))
        with open(path, "rb") as f, open(out, "wb") as to:
            to.write(f.read()[:int(os.path.getsize(path) * part)])
        return out

    def overwrite(self, path, at, n):
        out = self.path("over-" + os.path.basename(path))
        shutil.copy(path, out)
        os.chmod(out, 0o644)
        with open(out, "r+b") as f:
            f.seek(int(os.path.getsize(path) * at))
            f.write(random.Random(n).randbytes(n))
        return out

    def warned(self, path, least=1, most=None, words="damaged"):
        """Returns the output lines; asserts one line on stderr that reports the file with
        these words, a regular expression."""
        lines, errors = self.detect("--confidence", "0.02", path, status=1)
        self.assertEqual(len(errors.splitlines()), 1, errors)
        self.assertIn(path, errors)
        self.assertRegex(errors, words)
        self.assertGreaterEqual(len(lines), least, path)
        if most is not None:
            self.assertLessEqual(len(lines), most, path)
        return lines

    def passes(self, *paths):
        lines, errors = self.detect(*paths)
        self.assertEqual(errors, "")
        return lines


class Pictures(Damage):
    def test_made(self):
        """Formats that gdk-pixbuf reads partially, written by GStreamer."""
        for name, encoder in (("a.jpg", "jpegenc"), ("a.png", "pngenc"),
                              ("a.bmp", "avenc_bmp"), ("a.ppm", "pnmenc")):
            if lacking(encoder):
                continue
            path = self.path(name)
            launch(self, "videotestsrc num-buffers=1 pattern=smpte ! video/x-raw,width=320,height=240 ! "
                   f"videoconvert ! {encoder} ! filesink location={path}")
            whole = self.passes(path)
            for part in (0.5, 0.9):
                lines = self.warned(self.cut(path, part), 1, 1)
                self.assertEqual(lines[0]["resolution"], whole[0]["resolution"])
            if name in ("a.jpg", "a.png"):
                self.warned(self.overwrite(path, 0.5, 200), 1, 1)

    def test_all_or_nothing(self):
        """Formats that cannot be read partially."""
        for name, encoder in (("a.tiff", "avenc_tiff"), ("a.webp", "webpenc")):
            if lacking(encoder):
                continue
            path = self.path(name)
            launch(self, "videotestsrc num-buffers=1 pattern=smpte ! video/x-raw,width=320,height=240 ! "
                   f"videoconvert ! {encoder} ! filesink location={path}")
            self.assertEqual(len(self.passes(path)), 1)
            cut = self.cut(path, 0.6)
            lines, errors = self.detect(cut, status=1)
            self.assertEqual(lines, [])
            self.assertEqual(len(errors.splitlines()), 1, errors)
            self.assertEqual(errors.count(cut), 1, errors)

    @unittest.skipUnless(os.path.isdir(SHARED), "there is no ../shared")
    def test_photographs(self):
        """No picture of ../shared is reported as damaged; truncated or overwritten, each is."""
        paths = sorted(glob.glob(SHARED + "/coco80/images/*.jpg")
                       + glob.glob(SHARED + "/codes/images/*.jpg") + glob.glob(SHARED + "/media/*.jpg"))
        self.assertGreater(len(paths), 10)
        self.assertEqual(len(self.passes(*paths)), len(paths))
        for n, path in enumerate(paths[::20]):
            self.warned(self.cut(path, (0.3, 0.5, 0.99)[n % 3]), 1, 1)
            self.warned(self.overwrite(path, 0.5, 500), 1, 1)


@unittest.skipIf(lacking("uridecodebin"), "GStreamer lacks uridecodebin")
class Videos(Damage):
    def make(self, name, encoder):
        missing = lacking(*elements(encoder))
        if missing:
            print(f"{name}: GStreamer lacks {missing}")
            return None
        path = self.path(name)
        launch(self, "videotestsrc num-buffers=100 pattern=ball ! "
               "video/x-raw,format=I420,width=160,height=120,framerate=25/1 ! videoconvert ! "
               f"{encoder} ! filesink location={path}")
        return path

    def test_made(self):
        for name, encoder in VIDEOS.items():
            path = self.make(name, encoder)
            if path:
                self.assertEqual(len(self.passes(path)), 100, name)
                if "h264.mp4" not in name and "mov" not in name:    # these end with the index
                    self.warned(self.cut(path, 0.6), 10, 90)

    def test_others(self):
        for name, encoder in OTHERS.items():
            path = self.make(name, encoder)
            if path:
                self.assertEqual(len(self.passes(path)), 100, name)

    def test_sparse(self):
        """Frames dropped before encoding leave gaps, which are no damage."""
        for name, encoder in (("sparse.mkv", "x264enc ! matroskamux"), ("sparse.mp4", "x264enc ! mp4mux"),
                              ("sparse.webm", "vp8enc deadline=1 ! webmmux")):
            path = self.make(name, "videorate drop-only=true max-rate=2 ! " + encoder)
            if path:
                self.assertIn(len(self.passes(path)), range(6, 12), name)

    def test_overwritten(self):
        for name, encoder in OVERWRITTEN.items():
            path = self.make(name, encoder)
            if path:
                for at in (0.3, 0.5, 0.7):
                    with self.subTest(name=name, at=at):
                        # matroskademux of GStreamer 1.26 also gives up, at some bytes.
                        self.warned(self.overwrite(path, at, os.path.getsize(path) // 10), 1, 100,
                                    "damaged|decoding failed after [0-9]+ frames")

    def test_unit_lengths(self):
        """A wrong length before a unit of a frame, which a decoder tolerates."""
        for name, encoder in (("slices.mp4", OTHERS["slices.mp4"]), ("h264.mp4", VIDEOS["h264.mp4"])):
            path = self.make(name, encoder)
            if not path:
                continue
            with open(path, "rb") as f:
                data = f.read()
            tag = data.index(b"mdat")
            size, at = int.from_bytes(data[tag - 4:tag], "big"), tag + 4
            end = tag - 4 + size
            if size == 1:                # the box has a length of 64 bits
                end, at = tag - 4 + int.from_bytes(data[at:at + 8], "big"), at + 8
            units = []
            while at < end:              # the samples of one track, each of one unit or more
                units.append(at)
                at += 4 + int.from_bytes(data[at:at + 4], "big")
            self.assertEqual(at, end)
            self.assertGreaterEqual(len(units), 100)
            for part in range(1, 10):
                at = units[len(units) * part // 10]
                damaged = self.path(f"unit-{part}-{name}")
                with open(damaged, "wb") as f:
                    f.write(data[:at] + b"\xa5\x17\x3c\x91" + data[at + 4:])
                with self.subTest(name=name, part=part):
                    self.warned(damaged, 1, 100)

    def test_packets(self):
        """Transport streams whose last packet is cut off."""
        for name, size in (("h264.ts", 188), ("h264.m2ts", 192)):
            path = self.make(name, OTHERS[name])
            if path:
                part = (os.path.getsize(path) * 3 // 5 // size * size + 100) / os.path.getsize(path)
                self.warned(self.cut(path, part), 10, 90)

    def test_longer_sound(self):
        """Sound that is longer than the video is no damage."""
        path, encoder = self.path("sound.mkv"), "x264enc ! matroskamux name=mux"
        missing = lacking("x264enc", "matroskamux", "vorbisenc")
        if missing:
            self.skipTest(f"GStreamer lacks {missing}")
        launch(self, "videotestsrc num-buffers=25 ! video/x-raw,width=160,height=120,framerate=25/1 ! "
               f"{encoder} ! filesink location={path} "
               "audiotestsrc num-buffers=300 ! audioconvert ! vorbisenc ! mux.")
        self.assertEqual(len(self.passes(path)), 25)

    def test_pipe(self):
        """Damage is also noticed in a file that comes through a pipe."""
        path = self.make("pipe.mkv", VIDEOS["h264.mkv"])
        if not path:
            self.skipTest("GStreamer lacks an encoder")
        whole, _ = self.detect("--confidence", "0.02", path)
        for name, status in ((path, 0), (self.cut(path, 0.5), 1)):
            with open(name, "rb") as f, subprocess.Popen(["cat"], stdin=f, stdout=subprocess.PIPE) as cat:
                lines, errors = self.detect("--confidence", "0.02", "-", stdin=cat.stdout, status=status)
            for line, expected in zip(lines, whole):
                self.assertEqual(boxes(line), boxes(expected))
            self.assertEqual(len(lines) == len(whole), status == 0)
            self.assertEqual("standard input" in errors, status == 1)

    @unittest.skipUnless(os.path.isdir(SHARED), "there is no ../shared")
    def test_recorded(self):
        """Damage in a camera's MP4, and in the same video in Matroska."""
        for path in sorted(glob.glob(SHARED + "/media/*.mp4")):
            matroska = self.path(os.path.basename(path) + ".mkv")
            launch(self, f"filesrc location={path} ! qtdemux ! h264parse ! matroskamux ! "
                   f"filesink location={matroska}")
            for whole in (path, matroska):
                n = len(self.passes("--interval", "10", whole))
                self.warned_some(self.cut(whole, 0.7), n)
            self.warned_some(self.overwrite(matroska, 0.5, 20000), n + 1)

    def warned_some(self, path, less_than):
        lines, errors = self.detect("--interval", "10", path, status=1)
        self.assertIn(path, errors)
        if "damaged" in errors:
            self.assertTrue(0 < len(lines) < less_than, (path, len(lines), less_than))
        else:                            # an MP4 whose index was in the missing part
            self.assertEqual(lines, [])
            self.assertIn("truncated", errors)


class Connections(Case):
    def test_refused(self):
        """The error names the connection, not the video."""
        missing = lacking("souphttpsrc")
        if missing:
            self.skipTest(f"GStreamer lacks {missing}")
        lines, errors = self.detect("http://127.0.0.1:1/x.mp4", status=1)
        self.assertEqual(lines, [])
        self.assertIn("http://127.0.0.1:1/x.mp4: the connection failed", errors)
        self.assertNotIn("not a picture", errors)


if __name__ == "__main__":
    main()
