#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""y10 detect on videos, and the copies that --draw writes of videos and pictures."""
import os
import shutil
import struct
import unittest

from common import (Case, FEATURES, PLUGIN_DIR, boxes, lacking, launch, main, need, picture, read_png,
                    write_png)

need("gst", "pixbuf", "gst-launch-1.0", "gst-inspect-1.0")


MISSING = lacking("jpegenc", "avimux", "avidemux", "jpegdec", "videoflip", "uridecodebin")


@unittest.skipIf(MISSING, f"GStreamer lacks {', '.join(MISSING)}")
class Videos(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.avi = cls.path("a.avi")
        launch(cls, "videotestsrc num-buffers=12 pattern=ball ! "
               "video/x-raw,width=80,height=62,framerate=25/1 ! jpegenc ! avimux ! "
               f"filesink location={cls.avi}")

    def test_frames(self):
        """A line for each frame, with the frame's time."""
        lines, _ = self.detect("--confidence", "0.02", self.avi)
        self.assertEqual([line["timestamp"] for line in lines], [n * 40000000 for n in range(12)])
        for line in lines:
            self.assertEqual(line["source"], self.avi)
            self.assertEqual(line["resolution"], {"width": 80, "height": 62})
        self.assertGreater(len({repr(boxes(line)) for line in lines}), 6)

    def test_uri_and_mixture(self):
        """URIs work, too, and pictures before and after a video keep their place."""
        png = write_png(self.path("p.png"), picture(64, 48))
        lines, _ = self.detect(png, "file://" + self.avi, png)
        self.assertEqual([line["timestamp"] is None for line in lines], [True] + [False] * 12 + [True])

    def test_sound(self):
        """Sound beside the video does no harm; sound alone is an error."""
        both, sound = self.path("both.avi"), self.path("sound.wav")
        missing = lacking("wavenc", "audiotestsrc")
        if missing:
            self.skipTest(f"GStreamer lacks {missing}")
        launch(self, f"avimux name=mux ! filesink location={both} videotestsrc num-buffers=5 ! "
               "video/x-raw,width=64,height=48,framerate=10/1 ! jpegenc ! mux. "
               "audiotestsrc num-buffers=20 ! audio/x-raw,rate=44100,channels=1 ! mux.")
        launch(self, f"audiotestsrc num-buffers=5 ! wavenc ! filesink location={sound}")
        lines, _ = self.detect(both)
        self.assertEqual(len(lines), 5)
        lines, errors = self.detect(sound, self.avi, status=1)
        self.assertEqual(len(lines), 12)
        self.assertIn("no picture or video", errors)

    def test_turned(self):
        """A telephone stores rotated frames and marks them in the track's header."""
        missing = lacking("mp4mux", "qtdemux")
        if missing:
            self.skipTest(f"GStreamer lacks {missing}")
        path = self.path("turned.mp4")
        launch(self, "videotestsrc num-buffers=3 ! video/x-raw,width=96,height=64 ! jpegenc ! "
               f"qtmux ! filesink location={path}")
        with open(path, "r+b") as f:
            data = f.read()
            f.seek(data.index(b"tkhd") + 44)         # the matrix of ISO/IEC 14496-12, 8.3.2
            f.write(struct.pack(">9i", 0, 1 << 16, 0, -1 << 16, 0, 0, 64 << 16, 0, 1 << 30))
        lines, _ = self.detect(path)
        self.assertEqual([line["resolution"] for line in lines], [{"width": 64, "height": 96}] * 3)

    def test_not_a_video(self):
        path = self.path("notes.txt")
        with open(path, "w", encoding="utf-8") as f:
            f.write("Dear diary,\n" * 100)
        lines, errors = self.detect(path, self.avi, status=1)
        self.assertEqual(len(lines), 12)
        self.assertEqual(len(errors.splitlines()), 1)
        self.assertIn(path, errors)


class DrawWithoutPlugin(Case):
    def test_says_what_is_missing(self):
        if not lacking("yolov10overlay"):
            self.skipTest("the plugin is installed on this system")
        png = write_png(self.path("a.png"), picture(64, 48))
        lines, errors = self.detect("--draw", self.path("out"), png, status=1)
        self.assertEqual(lines, [])
        self.assertIn("yolov10overlay", errors)
        self.assertIn("y10 doctor", errors)


@unittest.skipUnless("overlay" in FEATURES, "built without yolov10overlay")
class Draw(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.env["GST_PLUGIN_PATH"] = PLUGIN_DIR
        cls.env.pop("GST_PLUGIN_PATH_1_0")
        cls.rows = picture(150, 110)
        cls.png = write_png(cls.path("a.png"), cls.rows)

    def test_picture(self):
        """The copy differs at the boxes and nowhere else."""
        out = self.path("drawn")
        lines, _ = self.detect("--confidence", "0.02", "--draw", out, self.png)
        self.assertGreater(len(lines[0]["objects"]), 0)
        rows, channels = read_png(os.path.join(out, "a.png"))
        self.assertEqual((len(rows), len(rows[0]) // channels), (110, 150))
        self.assertNotEqual(rows, self.rows)
        self.detect("--confidence", "1", "--draw", out, self.png)
        self.assertEqual(read_png(os.path.join(out, "a.png"))[0], self.rows)

    def test_names(self):
        """Two inputs of the same name get two files, and no input is overwritten."""
        other, out = self.path("other"), self.path("names")
        os.mkdir(other)
        twin = write_png(os.path.join(other, "a.png"), picture(50, 40))
        self.detect("--draw", out, self.png, twin)
        self.assertEqual(sorted(os.listdir(out)), ["a-2.png", "a.png"])
        self.assertEqual(len(read_png(os.path.join(out, "a-2.png"))[0]), 40)
        before = os.stat(twin).st_mtime_ns
        lines, errors = self.detect("--draw", other, twin, status=1)
        self.assertIn("overwrite", errors)
        self.assertEqual(len(lines), 1)
        self.assertEqual(os.stat(twin).st_mtime_ns, before)

    @unittest.skipIf(MISSING, f"GStreamer lacks {', '.join(MISSING)}")
    def test_video(self):
        """The copy has the same number of frames; an odd height loses one line."""
        avi, out = self.path("v.avi"), self.path("video")
        launch(self, "videotestsrc num-buffers=12 ! video/x-raw,width=96,height=63,framerate=25/1 ! "
               f"jpegenc ! avimux ! filesink location={avi}")
        self.detect("--confidence", "0.02", "--draw", out, avi)
        written = os.listdir(out)
        self.assertEqual(len(written), 1)
        lines, _ = self.detect(os.path.join(out, written[0]))
        self.assertEqual(len(lines), 12)
        self.assertEqual(lines[0]["resolution"], {"width": 96, "height": 62})

    def test_picture_by_name(self):
        """The same copy, under a name of the user's."""
        out = self.path("named")
        self.detect("--confidence", "0.02", "--draw", out, self.png)
        for name in ("b.PNG", "c.png"):
            self.detect("--confidence", "0.02", "--draw", self.path(name), self.png)
            self.assertEqual(read_png(self.path(name)), read_png(os.path.join(out, "a.png")))
        # A folder may be called so.
        os.makedirs(self.path("d.png"))
        self.detect("--draw", self.path("d.png"), self.png)
        self.assertEqual(os.listdir(self.path("d.png")), ["a.png"])

    def test_names_that_do_not_fit(self):
        before = os.stat(self.png).st_mtime_ns
        for path, words in (("e.mp4", "expected to be .png or .jpg"),
                            ("none/e.png", "there is no folder"), ("a.png", "would overwrite it")):
            _, errors = self.detect("--draw", self.path(path), self.png, status=1)
            self.assertIn(self.path(path), errors)
            self.assertIn(words, errors)
            self.assertEqual(len(errors.splitlines()), 1, errors)
            self.assertTrue(path == "a.png" or not os.path.exists(self.path(path)))
        self.assertEqual(os.stat(self.png).st_mtime_ns, before)
        self.refused("detect", "--draw", self.path("e.png"), self.png, self.png, says=["2 inputs"])

    @unittest.skipIf(MISSING or lacking("x264enc", "mp4mux", "matroskamux", "qtdemux", "matroskademux"),
                     "GStreamer lacks codecs")
    def test_video_by_name(self):
        """The extension says which container."""
        avi = self.path("w.avi")
        launch(self, "videotestsrc num-buffers=12 ! video/x-raw,width=96,height=64,framerate=25/1 ! "
               f"jpegenc ! avimux ! filesink location={avi}")
        for name, magic in (("w.mkv", b"\x1a\x45\xdf\xa3"), ("w.MP4", b"ftyp"), ("v2.avi", b"RIFF")):
            self.detect("--draw", self.path(name), avi)
            with open(self.path(name), "rb") as f:
                self.assertIn(magic, f.read(12))
            lines, _ = self.detect(self.path(name))
            self.assertEqual(len(lines), 12)
        _, errors = self.detect("--draw", self.path("w.png"), avi, status=1)
        self.assertIn("cannot be .png; expected .mp4, .mkv, .webm or .avi", errors)

    @unittest.skipIf(os.geteuid() == 0 and not os.path.exists("/proc/version"), "no place to fail")
    def test_no_such_place(self):
        lines, errors = self.detect("--draw", "/proc/version/out", self.png, status=1)
        self.assertEqual(lines, [])
        self.assertIn("/proc/version/out", errors)
        shutil.rmtree(self.path("drawn"), ignore_errors=True)


if __name__ == "__main__":
    main()
