#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""y10 bench --cameras. A backend whose inferences last a known time says how many there can be; how
fast the machine is decides nothing here."""
import json
import os
import signal
import subprocess
import unittest

from common import Case, PATIENCE, PLUGIN_DIR, Y10, lacking, launch, main, need

need("gst", "gst-launch-1.0")
if MISSING := lacking("x264enc", "avdec_h264", "h264parse", "mp4mux", "jpegenc", "jpegdec"):
    print("GStreamer lacks", *MISSING)
    raise SystemExit(77)

FAKE = os.environ.get("Y10_TEST_FAKE_BACKEND")
SLOW = 1000                     # ms of an inference, with which no camera gets enough
PLUGINS = subprocess.run(["pkg-config", "--variable=pluginsdir", "gstreamer-1.0"], text=True,
                         capture_output=True, check=False).stdout.strip()


@unittest.skipUnless(FAKE, "there is no backend for tests")
class Cameras(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.env.update(GST_PLUGIN_PATH_1_0=PLUGIN_DIR, Y10_BACKEND_PATH=FAKE)

    def args(self, *more, fps="=15", source="320x240"):
        return ["bench", f"--cameras{fps}", "--model", self.model, "--size", "64", "--backend", "cuda",
                "--source", source, "--seconds", "2", "--min-inferences", "4", "--max-delay", "60000",
                *more]

    def measure(self, step_ms, *more, env=None, **options):
        done = self.y10(*self.args("--json", *more, **options),
                        env=dict(env or {}, Y10_FAKE_STEP_MS=str(step_ms)))
        self.assertEqual(done.stderr, "")
        return json.loads(done.stdout)

    def check_tries(self, out, step_ms):
        """All counts agree with each other and with the time that an inference takes."""
        for a_try in out["tries"]:
            n = a_try["cameras"]
            self.assertEqual(a_try["frames_in"], n * 2 * out["source"]["fps"], a_try)
            self.assertLessEqual(a_try["frames_out"], a_try["frames_in"], a_try)
            # One was running when the time began, one is counted as it ends.
            self.assertLessEqual(a_try["inferences"], a_try["seconds"] * 1000 / step_ms + 2, a_try)
            self.assertLessEqual(abs(a_try["inferences"] - a_try["engine_inferences"]), 2, a_try)
            each = a_try["inferences"] / a_try["seconds"] / n
            self.assertLessEqual(a_try["least_inferences_per_second"], each + 1e-6)
            self.assertGreater(a_try["cpus_used"], 0)
            delay = a_try["delay_ms"]
            self.assertTrue(0 < delay["median"] <= delay["p95"] <= delay["max"], delay)
            self.assertEqual(a_try["carried"], a_try["reason"] is None)
        carried = [t["cameras"] for t in out["tries"] if t["carried"]]
        not_carried = [t["cameras"] for t in out["tries"] if not t["carried"]]
        self.assertEqual(out["cameras"], max(carried, default=0))
        self.assertEqual(min(not_carried), out["cameras"] + 1)
        self.assertFalse(out["at_least"])

    def test_steps(self):
        """Fewer cameras are carried the longer an inference takes."""
        fast = self.measure(100)
        self.check_tries(fast, 100)
        self.assertEqual((fast["tries"][0]["frames_in"], fast["tries"][0]["frames_out"]), (30, 30))
        # 20 inferences in 2 s, and each camera needs 7 or 8.
        self.assertIn(fast["cameras"], (1, 2, 3))
        slow = self.measure(SLOW)
        self.check_tries(slow, SLOW)
        self.assertEqual((slow["cameras"], len(slow["tries"])), (0, 1))
        self.assertIn("less than 4 inferences/s", slow["tries"][0]["reason"])
        self.assertEqual(slow["source"]["codec"], "H.264")
        self.assertEqual(slow["source"]["decoder"], "avdec_h264")
        self.assertEqual(slow["source"]["size"], {"width": 320, "height": 240})
        self.assertEqual((slow["backend"], slow["min_inferences"]), ("cuda", 4))

    def test_bounds(self):
        """No frame comes within a millisecond of an inference of 100; a camera of 2 frames a second
        cannot get four inferences."""
        out = self.measure(100, "--max-delay", "1")
        self.assertEqual(out["cameras"], 0)
        self.assertIn("delay", out["tries"][0]["reason"])
        out = self.measure(SLOW, fps="=2")
        self.assertEqual(out["min_inferences"], 2)
        self.check_tries(out, SLOW)

    def test_file(self):
        """With B frames, a frame waits in the decoder for one that is sent after it."""
        path = self.path("b.mp4")
        launch(self, "videotestsrc num-buffers=36 ! video/x-raw,width=320,height=240,framerate=12/1 ! "
               "x264enc bframes=2 b-adapt=false key-int-max=12 option-string=scenecut=0 ! "
               f"video/x-h264,profile=main ! mp4mux ! filesink location={path}")
        out = self.measure(SLOW, source=path, fps="")
        self.assertEqual((out["source"]["fps"], out["source"]["file"]), (12, path))
        self.assertIsNone(out["source"]["encoder"])
        self.check_tries(out, SLOW)
        first = out["tries"][0]
        self.assertEqual(first["frames_out"], first["frames_in"])
        self.assertGreaterEqual(first["delay_ms"]["max"], 1000 / 12)

    @unittest.skipUnless(PLUGINS, "pkg-config does not know GStreamer's plugins")
    def test_without_encoder(self):
        """Other codecs are used where there is none of H.264, and said."""
        folder = self.path("plugins")
        os.mkdir(folder)
        for name in ("coreelements", "app", "playback", "videoconvertscale", "typefindfunctions", "jpeg"):
            file = os.path.join(PLUGINS, f"libgst{name}.so")
            if not os.path.exists(file):
                self.skipTest(f"there is no {file}")
            os.symlink(file, os.path.join(folder, f"libgst{name}.so"))
        env = {"GST_PLUGIN_SYSTEM_PATH_1_0": folder, "GST_REGISTRY": self.path("few.bin"),
               "Y10_FAKE_STEP_MS": str(SLOW)}
        done = self.y10(*self.args(), env=env)
        self.assertIn("no H.264 encoder", done.stdout)
        self.assertIn("Motion JPEG", done.stdout)
        self.assertIn("decoded by jpegdec", done.stdout)
        os.remove(os.path.join(folder, "libgstjpeg.so"))
        done = self.y10(*self.args(), env=env, status=1)
        self.assertIn("no encoder", done.stderr)
        self.assertIn("x264enc", done.stderr)

    def test_text(self):
        done = self.y10(*self.args(), env={"Y10_FAKE_STEP_MS": str(SLOW)})
        self.assertRegex(done.stdout, r"\n      1       30      30 .* no: less than 4 inferences/s\n")
        self.assertRegex(done.stdout.splitlines()[-1], r"^This machine carries no camera of 320x240 at 15 "
                         r"FPS with .* \(cuda, fp32, \d+ threads?\): less than 4 inferences/s\.$")

    def test_interrupted(self):
        with subprocess.Popen([Y10, *self.args()], env=dict(self.env, Y10_FAKE_STEP_MS="100"), text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as p:
            for line in p.stdout:
                if line.startswith("      1 "):
                    break
            p.send_signal(signal.SIGINT)
            out, errors = p.communicate(timeout=PATIENCE)
        self.assertEqual((p.returncode, errors), (130, ""))
        self.assertNotIn("This machine", out)

    def test_wrong(self):
        for fps in ("0", "241", "fast", "15fps", "-5"):
            self.refused(*self.args(fps="=" + fps), says=["--cameras", fps, "1 to 240"])
        for size in ("33x32", "30x30", "9000x32"):
            self.refused(*self.args(source=size), says=["--source", size, "1280x720"])
        self.refused("bench", "--source", "x", says=["need --cameras"])
        self.refused(*self.args("--with-preprocess"), says=["--with-preprocess"])
        self.refused(*self.args("--min-inferences", "0"), says=["--min-inferences"])
        self.refused(*self.args("--max-delay", "0"), says=["--max-delay"])
        self.refused(*self.args("--model", self.path("none")), says=["none"], status=3)
        sound, text, picture = (self.path(n) for n in ("sound.wav", "text.txt", "picture.jpg"))
        launch(self, f"audiotestsrc num-buffers=9 ! wavenc ! filesink location={sound}")
        launch(self, f"videotestsrc num-buffers=1 ! jpegenc ! filesink location={picture}")
        with open(text, "w", encoding="ascii") as f:
            f.write("no video\n" * 100)
        self.refused(*self.args(source=sound), says=["sound.wav", "no video"], status=1)
        self.refused(*self.args(source=picture), says=["picture.jpg", "a picture"], status=1)
        self.refused(*self.args(source=text), says=["text.txt", "video"], status=1)
        self.refused(*self.args(source=self.path("none.mp4")), says=["none.mp4", "No such file"],
                     status=1)


if __name__ == "__main__":
    main()
