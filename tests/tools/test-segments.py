#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""y10 segments: the results of a video's segments equal those of the whole video, row by row.

FFmpeg makes the videos and counts their frames. With the argument "more" the slow suite tests
those that the default leaves out."""
import json
import os
import random
import subprocess
import sys
import unittest

from common import Case, main, need

need("gst", "ffmpeg", "ffprobe")

SLOW = "more" in sys.argv[1:]
MEDIA = os.path.join(os.environ["Y10_TEST_SOURCE"], "../shared/media")
N_CUTS = 20

X264 = "-c:v libx264 -preset fast -x264-params keyint=12:min-keyint=3:scenecut=0:"
X265 = "-c:v libx265 -preset fast -x265-params log-level=0:keyint=12:min-keyint=3:scenecut=0:"
# Frames at irregular times, and some left out.
VFR = "-vf select='gt(random(3),0.25)',setpts='(N+0.4*sin(N*N))/25/TB' -fps_mode vfr "
# name: (FFmpeg's output options, or those of a second run that copies; whether the video is cut)
CLIPS = {
    "closed.mp4": ([X264 + "open-gop=0:bframes=0"], True),
    "bframes.mp4": ([X264 + "open-gop=0:bframes=3:b-pyramid=normal"], True),
    "open.mp4": ([X264 + "open-gop=1:bframes=3:b-adapt=0"], True),
    "open.mkv": ([X264 + "open-gop=1:bframes=3:b-adapt=0"], True),
    "vfr.mp4": ([VFR + X264 + "open-gop=1:bframes=3"], True),
    "edit.mp4": ([X264 + "open-gop=1:bframes=3", "-ss 1.3|-c copy"], True),
    "offset.mp4": ([X264 + "open-gop=0:bframes=3", "|-c copy -output_ts_offset 3"], True),
    "x265.mp4": ([X265 + "open-gop=1:bframes=4:b-adapt=0"], True),
    "refresh.mp4": ([X264 + "intra-refresh=1:bframes=0"], False),
    "closed.ts": ([X264 + "open-gop=0:bframes=3"], False),
}
MORE = {
    "x265.mkv": ([X265 + "open-gop=1:bframes=4"], True),
    "x265-closed.mp4": ([X265 + "open-gop=0:bframes=4"], True),
    "vfr.mkv": ([VFR + X264 + "open-gop=1:bframes=3"], True),
    "vfr-closed.mp4": ([VFR + X264 + "open-gop=0:bframes=3"], True),
    "offset.mkv": ([X264 + "open-gop=1:bframes=3", "|-c copy -output_ts_offset 3"], True),
    "edit-closed.mp4": ([X264 + "open-gop=0:bframes=3", "-ss 1.3|-c copy"], True),
    "edit-x265.mp4": ([X265 + "open-gop=1:bframes=4", "-ss 1.3|-c copy"], True),
    "end.mp4": ([X264 + "open-gop=1:bframes=3", "|-t 4 -c copy"], True),
    "scene.mp4": (["-c:v libx264 -preset fast -x264-params keyint=60:min-keyint=25:open-gop=1:"
                   "scenecut=80:bframes=5"], True),
    "deep.mp4": ([X264 + "open-gop=1:bframes=8:b-adapt=2:ref=6"], True),
    "fields.mp4": (["-flags +ilme+ildct -top 1 " + X264 + "open-gop=1:bframes=3:tff=1"], True),
    "fast.mp4": (["-tune fastdecode " + X264 + "open-gop=1:bframes=2"], True),
    "vp8.webm": (["-c:v libvpx -g 12 -auto-alt-ref 1 -lag-in-frames 10 -b:v 400k"], True),
    "vp9.webm": (["-c:v libvpx-vp9 -g 12 -auto-alt-ref 1 -lag-in-frames 10 -b:v 400k"], True),
    "mjpeg.mkv": (["-c:v mjpeg -q:v 3"], True),
    "mjpeg.mp4": (["-c:v mjpeg -q:v 3"], True),
    "open.mov": ([X264 + "open-gop=1:bframes=3"], True),
    "fragments.mp4": ([X264 + "open-gop=1:bframes=3 -movflags frag_keyframe+empty_moov"], False),
    "open.avi": ([X264 + "open-gop=1:bframes=3"], False),
    "refresh.mkv": ([X264 + "intra-refresh=1:bframes=2"], False),
    "mpeg4.mp4": (["-c:v mpeg4 -g 12 -bf 2"], False),
    "two.mp4": ([X264 + "bframes=3", "-i {0}|-map 0:v -map 1:v -c copy"], False),
}


def ffmpeg(*args):
    subprocess.run(["ffmpeg", "-v", "error", "-y", *args], check=True, stdin=subprocess.DEVNULL)


def count_frames(path):
    done = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-select_streams", "v:0",
                           "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0", path],
                          check=True, capture_output=True, text=True)
    return int(done.stdout.strip().strip(",").split("\n")[0])


class Segments(Case):
    def encode(self, name, steps):
        """Encodes testsrc2 with noise, so that every frame differs, then copies."""
        path = self.path(name)
        first, rest = steps[0], steps[1:]
        out = path if not rest else self.path("first-" + name)
        filters = "noise=alls=20:allf=t,hue=H=t"
        options = first.split()
        if "-vf" in options:
            at = options.index("-vf") + 1
            filters += "," + options[at]
            del options[at - 1:at + 1]
        ffmpeg("-f", "lavfi", "-i", "testsrc2=size=160x128:rate=25:duration=7.2",
               "-f", "lavfi", "-i", "sine=duration=7.2", "-vf", filters, *options, "-pix_fmt",
               "yuvj420p" if "mjpeg" in first else "yuv420p",
               *([] if name.endswith("webm") else ["-c:a", "aac"]), out)
        for step in rest:
            before, after = step.format(out).split("|")
            ffmpeg(*before.split(), "-i", out, *after.split(), path)
        return path

    @property
    def options(self):
        """Makes a model that finds boxes on every frame, but few."""
        return ["--model", self.model, "--size", "64", "--threads", "1", "--confidence", "0.02",
                "--max-detections", "20"]

    def rows(self, path):
        """The output of y10 detect for the whole video."""
        return self.y10("detect", *self.options, path).stdout.splitlines()

    def stored(self, manifest, source):
        """The rows of all segments of a manifest, with the original source."""
        store = self.path("store")
        done = self.y10("detect", *self.options, "--store", store, "--manifest", manifest)
        rows = []
        for line in done.stdout.splitlines():
            receipt = json.loads(line)
            self.assertEqual(receipt["first_frame"], len(rows))
            with open(os.path.join(store, receipt["file"]), encoding="utf-8") as f:
                rows += [r.replace(receipt["content"], source) for r in f.read().splitlines()]
        return rows

    def write(self, header, entry, cuts, fine, times):
        """A manifest with cuts at arbitrary times. Decoding for a cut starts where y10 would start
        for the segment that contains the time."""
        segments, bounds = [], [fine[0]["start"], *cuts, fine[-1]["end"]]
        for start, end in zip(bounds, bounds[1:]):
            around = [s for s in fine if s["start"] <= start < s["end"]][0]
            segments.append({"start": start, "end": end, "seek": around["seek"],
                             "first_frame": sum(t < start for t in times),
                             "n_frames": sum(start <= t < end for t in times)})
        path = self.path("random.jsonl")
        with open(path, "w", encoding="utf-8") as f:
            print(header, file=f)
            print(json.dumps(dict(entry, segments=segments)), file=f)
        return path

    def compare(self, path, cut):
        whole = self.rows(path)
        manifest = self.path("manifest.jsonl")
        text = self.y10("segments", "--seconds", "0.001", path).stdout
        with open(manifest, "w", encoding="utf-8") as f:
            f.write(text)
        header, line = text.splitlines()
        entry = json.loads(line)
        self.assertEqual(entry["whole"] is None, cut, entry["whole"])
        if not cut:
            print(f"    one segment: {entry['whole']}")
        self.assertEqual(self.stored(manifest, path), whole)
        if not cut:
            return
        times = [json.loads(r)["timestamp"] for r in whole]
        fine, rand = entry["segments"], random.Random(path)
        self.assertGreater(len(fine), 3)
        self.assertEqual(times, sorted(times))
        cuts = sorted(rand.randrange(times[1] + 1, times[-1]) for _ in range(N_CUTS))
        rows = self.stored(self.write(header, entry, cuts, fine, times), path)
        self.assertEqual(len(rows), len(whole))
        wrong = [i for i, (a, b) in enumerate(zip(rows, whole)) if a != b]
        print(f"    {len(fine)} segments at key frames, {N_CUTS + 1} at random: "
              f"{len(wrong)} of {len(whole)} frames differ")
        self.assertEqual(wrong, [])

    def test_clips(self):
        for name, (steps, cut) in (MORE if SLOW else CLIPS).items():
            with self.subTest(name):
                print(f"  {name}")
                path = self.encode(name, steps)
                if "edit" not in name:
                    self.assertEqual(len(self.rows(path)), count_frames(path))
                self.compare(path, cut)

    @unittest.skipIf(SLOW, "runs by default")
    def test_no_index(self):
        """Matroska written to a pipe has no Cues."""
        path = self.path("pipe.mkv")
        with open(path, "wb") as f:
            subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=duration=3",
                            "-c:v", "libx264", "-g", "12", "-f", "matroska", "-"], stdout=f,
                           check=True)
        self.compare(path, False)

    @unittest.skipUnless(os.path.isdir(MEDIA), f"{MEDIA} is missing")
    def test_real(self):
        """Clips from cameras: the original files, and re-encoded with open GOPs."""
        name = "bottle-detection.mp4" if SLOW else "car-detection.mp4"
        self.compare(os.path.join(MEDIA, name), True)
        again = self.path("open-" + name)
        ffmpeg("-i", os.path.join(MEDIA, name), "-t", "15", "-vf", "scale=320:-2",
               *(X264 + "open-gop=1:bframes=4").split(), again)
        self.compare(again, True)


if __name__ == "__main__":
    sys.argv[1:] = [a for a in sys.argv[1:] if a != "more"]
    main()
