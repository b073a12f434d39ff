#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""y10 detect gives every frame of a video, or says how many are missing. FFmpeg makes and cuts the
videos without encoding them again, and counts the frames that they present."""
import json
import os
import struct
import subprocess
import unittest

from common import Case, lacking, main, need

need("gst", "ffmpeg", "ffprobe")

H264 = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -g 12 -bf 2"
# name: FFmpeg's output options
WHOLE = {
    "h264.mp4": H264, "h264.mov": H264, "h264.mkv": H264, "h264.avi": H264, "h264.ts": H264,
    "h264.flv": H264,
    "fast.mp4": H264 + " -movflags faststart",
    "fragments.mp4": H264 + " -movflags frag_keyframe+empty_moov",
    "cmaf.mp4": H264 + " -movflags cmaf",
    "negative.mp4": H264 + " -movflags negative_cts_offsets",
    "no-edits.mp4": H264 + " -use_editlist 0",
    "vfr.mp4": "-vf select='gt(random(3),0.25)' -fps_mode vfr " + H264,
    "h265.mp4": "-c:v libx265 -preset ultrafast -x265-params log-level=0:keyint=12:bframes=3",
    "mpeg4.avi": "-c:v mpeg4 -bf 2 -g 12",
    "mjpeg.avi": "-c:v mjpeg -pix_fmt yuvj420p",
    "vp8.webm": "-c:v libvpx -deadline realtime -cpu-used 8 -g 12 -auto-alt-ref 1 -lag-in-frames 10",
    "vp9.mkv": "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 12 -auto-alt-ref 1",
    "prores.mov": "-c:v prores",
}
OPEN = "-c:v libx264 -preset ultrafast -x264-params keyint=12:open-gop=1:bframes=3:b-adapt=0"
OPEN_265 = ("-c:v libx265 -preset ultrafast -x265-params "
            "log-level=0:keyint=12:open-gop=1:bframes=3:b-adapt=0")
CUTS = (0.5, 1.3, 2.0, 2.9, 3.3)


def ffmpeg(*args):
    subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", *args], check=True)


def count_frames(path, what="frames"):
    done = subprocess.run(["ffprobe", "-v", "quiet", f"-count_{what}", "-select_streams", "v:0",
                           "-show_entries", f"stream=nb_read_{what}", "-of", "csv=p=0", path],
                          check=True, capture_output=True, text=True)
    return int(done.stdout.split("\n")[0].strip(","))


def boxes(data, at, end):
    while at + 8 <= end:
        size, = struct.unpack(">I", data[at:at + 4])
        yield data[at + 4:at + 8], at, size
        at += size


def with_edits(data, at, size, edits):
    """The box at @at with another edit list for its video track: pairs of a duration in the
    movie's timescale and a media time."""
    out = b""
    for kind, start, n in boxes(data, at + 8, at + size):
        body = data[start:start + n]
        if kind == b"trak":
            body = with_edits(data, start, n, edits)
        elif kind == b"edts" and b"vide" in data[at:at + size]:
            entries = b"".join(struct.pack(">IiI", *edit, 1 << 16) for edit in edits)
            elst = struct.pack(">I4sII", 16 + len(entries), b"elst", 0, len(edits)) + entries
            body = struct.pack(">I4s", 8 + len(elst), b"edts") + elst
        elif kind == b"mvhd":
            body = body[:24] + struct.pack(">I", sum(e[0] for e in edits)) + body[28:]
        out += body
    return struct.pack(">I4s", 8 + len(out), data[at + 4:at + 8]) + out


@unittest.skipIf(lacking("uridecodebin", "qtdemux", "avdec_h264"), "GStreamer lacks a demuxer or decoder")
class Counts(Case):
    backend = "cpu"

    def make(self, name, options, seconds="4"):
        path = self.path(name)
        ffmpeg("-f", "lavfi", "-i", f"testsrc2=size=96x64:rate=25:duration={seconds}",
               *options.split(), path)
        return path

    def frames(self, path, **options):
        lines, errors = self.detect("--size", "32", "--threads", "1", path, **options)
        return len(lines), errors

    def planned(self, path):
        """The frames of a manifest, which are those of the file."""
        done = self.y10("segments", "--seconds", "0.5", path)
        entry = json.loads(done.stdout.splitlines()[1])
        return None if entry["whole"] else sum(s["n_frames"] for s in entry["segments"])

    def stored(self, path):
        """The frames of all segments, each decoded by itself."""
        manifest, store = self.path("manifest.jsonl"), self.path("store")
        with open(manifest, "w", encoding="utf-8") as f:
            f.write(self.y10("segments", "--seconds", "0.5", path).stdout)
        done = self.y10("detect", "--model", self.model, "--size", "32", "--store", store,
                        "--manifest", manifest)
        n = 0
        for line in done.stdout.splitlines():
            with open(os.path.join(store, json.loads(line)["file"]), encoding="utf-8") as f:
                n += len(f.read().splitlines())
        return n

    def test_whole(self):
        for name, options in WHOLE.items():
            with self.subTest(name):
                path = self.make(name, options)
                self.assertEqual(self.frames(path), (count_frames(path), ""))

    def test_trimmed(self):
        """A frame that is shown in part at the beginning counts here and not in FFmpeg."""
        # The second is the file of a public report: key frames far apart.
        for source, cuts, more in ((self.make("a.mp4", H264), CUTS, ""),
                                   (self.make("long.mp4", "-c:v libx264 -g 40 -bf 0 -r 10", "22"),
                                    (3.95, 4), "-an"),
                                   (self.make("open.mp4", OPEN), CUTS, ""),
                                   (self.make("open265.mp4", OPEN_265), (3.3,), "")):
            for cut in cuts:
                for suffix in (".mp4", ".mov", "-fast.mp4"):
                    path = f"{source}-{cut}{suffix}"
                    ffmpeg("-ss", str(cut), "-i", source, "-c", "copy", *more.split(),
                           *(["-movflags", "faststart"] if "fast" in suffix else []), path)
                    expected = count_frames(path)
                    with self.subTest(path):
                        n, errors = self.frames(path)
                        self.assertEqual(errors, "")
                        self.assertIn(n, (expected, expected + 1))
                        self.assertIn(self.planned(path), (n, None))
                with open(path, "rb") as f:
                    self.assertEqual(len(self.detect("--size", "32", "-", stdin=f)[0]), n)
            self.assertEqual(self.stored(path), n)

    def test_open_gop(self):
        """What is decoded from a key frame on that refers to nothing before it has the pixels that
        it has in the whole video."""
        for name, options in (("gop264.mp4", OPEN), ("gop265.mp4", OPEN_265)):
            source = self.make(name, options)
            whole = [row["objects"] for row in self.detect("--confidence", "0.01", source)[0]]
            self.assertGreater(len({str(objects) for objects in whole}), len(whole) // 2)
            for cut in CUTS:
                path = f"{source}-{cut}.mp4"
                ffmpeg("-ss", str(cut), "-i", source, "-c", "copy", path)
                n = count_frames(path)
                with self.subTest(path):
                    rows = self.detect("--confidence", "0.01", path)[0]
                    self.assertGreaterEqual(len(rows), n)
                    self.assertEqual([row["objects"] for row in rows[-n:]], whole[-n:])

    def test_cut_off(self):
        """Frames that refer to some that were cut off, and that no edit list hides."""
        for name, options in (("off264.mp4", OPEN), ("off265.mp4", OPEN_265)):
            source = self.make(name, options)
            for more in ("-use_editlist 0 {}.mp4", "{}.mkv"):
                path = more.format(source + "-off").split()[-1]
                ffmpeg("-ss", "2", "-i", source, "-c", "copy", *more.format(source + "-off").split())
                shown, decodable = count_frames(path, "packets"), count_frames(path)
                self.assertLess(decodable, shown)
                with self.subTest(path):
                    n, errors = self.frames(path, status=1)
                    self.assertIn(f"marked {shown - decodable} frames as damaged" if n == shown
                                  else f"the decoder gave {decodable} of the {shown} frames", errors)

    def test_several_edits(self):
        """All frames of several parts, or how many of them GStreamer's demuxer leaves out."""
        source = self.make("n.mp4", "-c:v libx264 -g 12 -bf 2", "7.2")
        with open(source, "rb") as f:
            data = f.read()
        kind, at, size = [b for b in boxes(data, 0, len(data)) if b[0] == b"moov"][0]
        self.assertEqual(at + size, len(data))
        for n, edits in enumerate(([(3000, 1024)], [(2000, 0), (2000, 61440)],
                                   [(1000, -1), (2000, 12800)], [(1000, 51200), (1000, 1024)])):
            path = self.path(f"edits{n}.mp4")
            with open(path, "wb") as f:
                f.write(data[:at] + with_edits(data, at, size, edits))
            expected = count_frames(path)
            with self.subTest(edits):
                done = subprocess.run([os.environ["Y10"], "detect", "--model", self.model, "--size", "32",
                                       path], capture_output=True, text=True, env=self.env, check=False)
                if done.returncode == 0:
                    self.assertEqual(len(done.stdout.splitlines()), expected)
                else:
                    self.assertIn(f"of the {expected} frames", done.stderr)
                    plan = self.y10("segments", path, status=1)
                    self.assertIn(f"of the {expected} frames", plan.stderr)

    def test_missing_chunk(self):
        """Frames that an index leaves out."""
        path = self.make("b.avi", "-c:v mjpeg -pix_fmt yuvj420p", "2")
        with open(path, "r+b") as f:
            data = f.read()
            at = data.index(b"idx1")
            size, = struct.unpack("<I", data[at + 4:at + 8])
            f.seek(at + 4)                           # the last three entries become padding
            f.write(struct.pack("<I", size - 48))
            f.seek(at + 8 + size - 48)
            f.write(b"JUNK" + struct.pack("<I", 40))
        n, errors = self.frames(path, status=1)
        self.assertEqual(n, 47)
        self.assertIn("47 of the 50 frames", errors)


if __name__ == "__main__":
    main()
