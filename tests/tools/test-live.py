#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""y10 detect on cameras, ended by signals, and the videos that it draws meanwhile. FFmpeg counts
frames. With the argument "long", only the delay behind a camera for which the model is ten times
too slow, at 5 s and at 85 s."""
import fcntl
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import termios
import time
import unittest

from common import (Case, PATIENCE, PLUGIN_DIR, Rtsp, Y10, filmed, lacking, main, need, no_rtsp, servers,
                    until)

need("gst", "overlay", "ffmpeg", "/usr/bin/python3")

SOURCE = os.environ["Y10_TEST_SOURCE"]
NO_RTSP = no_rtsp()
MISSING = lacking("x264enc", "mp4mux", "avenc_aac", "rtph264pay")


def probe(path, stream="v:0", entry="nb_read_frames"):
    return subprocess.run(
        ["ffprobe", "-v", "error", "-count_frames", "-select_streams", stream, "-show_entries",
         f"stream={entry}", "-of", "csv=p=0", path], check=True, capture_output=True,
        text=True).stdout.strip()


def cpu_seconds(pid):
    """The CPU time of a process and its children."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as stat, \
            open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as children:
        ticks = sum(int(n) for n in stat.read().rpartition(")")[2].split()[11:13])
        return ticks / os.sysconf("SC_CLK_TCK") + sum(map(cpu_seconds, children.read().split()))


class Mjpeg(servers.Quiet):
    """A camera that sends JPEGs one after the other, in what FFmpeg's muxer makes of them."""
    rate = 10

    def do_GET(self):
        parts = self.server.stream.split(b"--ffmpeg\r\n")[1:]
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=ffmpeg")
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            for part in parts:
                self.wfile.write(b"--ffmpeg\r\n" + part)
                time.sleep(1 / self.rate)   # as a camera does
        except OSError:
            pass


class Live(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.env["GST_PLUGIN_PATH_1_0"] = PLUGIN_DIR
        cls.clip = cls.path("clip.mp4")
        subprocess.run(
            ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=320x240:duration=20", "-f",
             "lavfi", "-i", "sine=duration=20", "-c:v", "libx264", "-c:a", "aac", cls.clip], check=True)
        cls.slow = ["--model", cls.model, "--backend", "ref", "--threads", "1", "--size", "320",
                    "--confidence", "0.02", "--max-detections", "5"]

    def start(self, *args, **options):
        return subprocess.Popen([Y10, "detect", *args], env=self.env, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def end(self, process, number, status=130):
        process.send_signal(number)
        out, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, status, errors)
        return out, errors

    @unittest.skipIf(NO_RTSP, NO_RTSP)
    def test_follow(self):
        """Frames are skipped; each of them is drawn."""
        out = self.path("live")
        with filmed() as server, self.start(*self.slow, "--draw", out, server.uri) as p:
            stamps = []
            for line in p.stdout:
                stamps.append(json.loads(line)["timestamp"] / 1e9)
                if stamps[-1] - stamps[0] > 8:
                    break
            rest, errors = self.end(p, signal.SIGINT)
        found = re.search(r"live, (\d+) frames in [\d.]+ s: (\d+) inferred, (\d+) skipped"
                          r"(?:, (\d+) not recorded)?", errors)
        seen, inferred, skipped, lost = (int(n or 0) for n in found.groups())
        self.assertEqual(inferred, len(stamps) + rest.count("\n"))
        self.assertEqual(seen, inferred + skipped)
        self.assertGreater(skipped, inferred)
        self.assertEqual(len(errors.splitlines()), 2, errors)
        self.assertIn("interrupted after 1 input", errors)
        drawn, = os.listdir(out)
        self.assertEqual(int(probe(os.path.join(out, drawn))), seen - lost, errors)

    def test_multipart(self):
        """A camera over HTTP is followed like one over RTSP, up to its end."""
        with servers.Server(Mjpeg) as server:
            server.stream = subprocess.run(
                ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=320x240:rate=10:duration=3",
                 "-f", "mpjpeg", "-"], check=True, capture_output=True).stdout
            out, errors = self.start(
                *self.slow, f"http://127.0.0.1:{server.port}/camera").communicate(timeout=PATIENCE)
        found = re.search(r"live, 30 frames in .*: (\d+) inferred, (\d+) skipped", errors)
        self.assertTrue(found, errors)
        self.assertEqual(len(out.splitlines()), int(found[1]))
        self.assertEqual(int(found[1]) + int(found[2]), 30)

    @unittest.skipIf(NO_RTSP, NO_RTSP)
    def test_interval(self):
        """Every Nth frame of a camera is a candidate."""
        with filmed() as server, self.start("--model", self.model, "--size", "64", "--interval", "10",
                                            server.uri) as p:
            stamps = [json.loads(p.stdout.readline())["timestamp"] for _ in range(5)]
            self.end(p, signal.SIGTERM)
        # RTP stamps follow the server's clock, and a busy one films late: by a frame or two, not ten.
        for a, b in zip(stamps, stamps[1:]):
            self.assertGreater((b - a) / (1e9 / 30), 7)

    @unittest.skipIf(NO_RTSP, NO_RTSP)
    def test_cameras(self):
        """Of those that take no TCP, and of those with two videos, one that is always the same."""
        def first(options, *more, scheme="rtsp"):
            """The size of the first frame, or what is said without one."""
            with Rtsp("tests/tools/rtspcamera.py", *options) as server, \
                    self.start("--model", self.model, "--size", "64", *more, f"{scheme}{server.uri[4:]}") as p:
                line = p.stdout.readline()
                if line:
                    p.terminate()
                said = p.communicate(timeout=PATIENCE)[1]
            size = json.loads(line)["resolution"] if line else None
            return (size["width"], size["height"]) if size else said
        self.assertEqual(first(["--transport", "UDP"]), (320, 240))
        self.assertIn("does not send by tcp", first(["--transport", "UDP"], "--transport", "tcp"))
        self.assertEqual(first(["160x120", "320x240"], scheme="RTSP"), (160, 120))
        self.assertEqual(first(["160x120", "320x240"], "--stream", "2"), (320, 240))
        self.assertIn("describes 1 video", first(["160x120"], "--stream", "2"))
        if shutil.which("openssl"):
            cert, key = self.path("cert.pem"), self.path("key.pem")
            subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                            "/CN=camera", "-keyout", key, "-out", cert], capture_output=True, check=True)
            said = subprocess.run(["openssl", "x509", "-in", cert, "-noout", "-fingerprint", "-sha256"],
                                  capture_output=True, check=True, text=True).stdout.strip().rpartition("=")[2]
            tls = ["--cert", cert, "--key", key]
            self.assertIn(said.replace(":", "").lower(), first(tls, scheme="rtsps"))
            self.assertEqual(first(tls, "--fingerprint", said, scheme="rtsps"), (320, 240))

    @unittest.skipIf(MISSING, f"GStreamer lacks {MISSING}")
    def test_interrupted(self):
        """What was drawn until a signal is a whole video."""
        for number in (signal.SIGINT, signal.SIGTERM):
            out = self.path(f"signal{number}")
            with self.start(*self.slow, "--draw", out, self.clip, self.clip) as p:
                lines = [p.stdout.readline() for _ in range(10)]
                rest, errors = self.end(p, number)
            n = len(lines) + rest.count("\n")
            self.assertLess(n, 500)
            self.assertRegex(errors, rf"interrupted after 1 input, {n} frames, .*: \d+ class")
            self.assertEqual(len(errors.splitlines()), 1, errors)
            drawn = os.path.join(out, "clip.mp4")
            self.assertEqual(int(probe(drawn)), n)
            # The sound is at most a queue of 0.2 s and some frames of AAC ahead.
            self.assertAlmostEqual(float(probe(drawn, "a:0", "duration")), n / 25, delta=0.5)

    def test_waiting(self):
        """A signal ends waiting, and a second one ends the process in the middle of a frame."""
        silent, writer = os.pipe()
        with self.start(*self.slow, "-", stdin=silent) as p:
            os.write(writer, b"\x89PNG")
            until(lambda: fcntl.ioctl(silent, termios.FIONREAD, bytes(4)) == bytes(4), "that it reads")
            _, errors = self.end(p, signal.SIGINT)
            self.assertIn("standard input: interrupted", errors)
        os.close(silent)
        os.close(writer)
        with self.start("--model", self.make_model("yolov10s-nc80"), "--backend", "ref", "--threads",
                        "1", "--size", "1920", self.clip) as p:
            # The model is loaded by then, and the frame takes much longer.
            until(lambda: p.poll() is not None or cpu_seconds(p.pid) >= 3, "that it computes")
            p.send_signal(signal.SIGTERM)
            time.sleep(1)       # A shorter sleep may miss a defect.
            self.assertIsNone(p.poll())
            self.end(p, signal.SIGTERM, -signal.SIGTERM)

    @unittest.skipIf(MISSING, f"GStreamer lacks {MISSING}")
    def test_drawn_interval(self):
        """With --interval, the copy has every frame, the boxes of the last inferred one, and the
        sound."""
        still, out = self.path("still.mp4"), self.path("interval")
        subprocess.run(
            ["ffmpeg", "-v", "error", "-loop", "1", "-i", os.path.join(SOURCE, "pipelines/codes.png"),
             "-f", "lavfi", "-i", "sine=duration=2", "-t", "2", "-vf", "scale=320:-2", "-c:v", "libx264",
             "-qp", "0", "-pix_fmt", "yuv420p", "-c:a", "aac", still], check=True)
        lines, errors = self.detect("--confidence", "0.02", "--interval", "20", "--draw", out, still)
        self.assertEqual((len(lines), errors), (3, ""))
        drawn = os.path.join(out, "still.mp4")
        self.assertEqual(int(probe(drawn)), 50)
        self.assertAlmostEqual(float(probe(drawn, "a:0", "duration")), 2, delta=0.1)

        def frames(path):
            data = subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt",
                                   "gray", "-"], check=True, capture_output=True).stdout
            size = len(data) // 50
            return [data[i * size:(i + 1) * size] for i in range(50)]

        def difference(a, b):
            return sum(abs(x - y) for x, y in zip(a[::7], b[::7])) / len(a[::7])
        plain, boxed = frames(still), frames(drawn)
        changed = difference(plain[0], boxed[0])
        self.assertGreater(changed, 2)
        for i in range(1, 50):
            self.assertLess(difference(boxed[0], boxed[i]), changed / 4)
            self.assertGreater(difference(plain[i], boxed[i]), changed / 2)

    def test_descriptors(self):
        """Too few of them are an error and nothing to wait for."""
        for n in (9, 16, 24, 32):
            done = subprocess.run(
                [Y10, "detect", "--model", self.model, "--size", "64", self.clip], env=self.env,
                capture_output=True, text=True, timeout=PATIENCE, check=False,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (n, n)))
            self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
            self.assertIn("clip.mp4", done.stderr)
            self.assertIn("file descriptors", done.stderr)


def print_delay():
    """A camera of 30 frames/s and a model that takes a third of a second."""
    Live.setUpClass()
    with filmed() as server, subprocess.Popen(
            [Y10, "detect", "--model", Live.make_model("yolov10n-nc80"), *sys.argv[2:], server.uri],
            env=Live.env, text=True, stdout=subprocess.PIPE) as p:
        began = first = None
        for n, line in enumerate(p.stdout):
            now, stamp = time.monotonic(), json.loads(line)["timestamp"] / 1e9
            if began is None:
                began, first, wanted = now, stamp, [5, 85]
            if now - began >= wanted[0]:
                print(f"{now - began:.1f} s: result {n}, {now - began - (stamp - first):+.2f} s behind "
                      "the first", flush=True)
                wanted.pop(0)
            if not wanted:
                break
        p.send_signal(signal.SIGINT)
        p.communicate()
    Live.tearDownClass()


if __name__ == "__main__":
    if sys.argv[1:2] == ["long"]:
        print_delay()
    else:
        main()
