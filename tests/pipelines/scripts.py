#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Runs every script of pipelines/; see run.sh. Decodes the output, counts frames and compares them
with the input: boxes are where codes.png has its codes, and nothing else has changed.

usage: scripts.py --work DIR [--sheet FILE] [SCRIPT…]       Y10_BUILD is the build
"""
import argparse
import glob
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

import media
from media import Gst, numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
from programs import ROOT, filmed, streamed, until  # noqa: E402

PIPELINES = os.path.join(ROOT, "pipelines")
BUILD = os.environ.get("Y10_BUILD", "")
CORNER = 48                                 # size of a red square that marks the upper left corner
LIMIT = 280                                 # seconds; a machine may be slow


class Cases:
    """One method for each script: runs it, checks it, and returns a summary."""

    def __init__(self, work):
        self.work = work
        self.tiles = []
        self.codes = media.read_picture(os.path.join(PIPELINES, "codes.png"))
        self.marked = self.codes.copy()
        self.marked[:CORNER, :CORNER] = (255, 0, 0)
        self.model = os.path.join(BUILD, "models/codes.safetensors")

    def path(self, name):
        return os.path.join(self.work, name)

    def script(self, name, *arguments, status=0):
        """Runs a script and returns its output."""
        done = subprocess.run([os.path.join(PIPELINES, name), *arguments], cwd=self.work,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=LIMIT, check=False)
        assert done.returncode == status or status is None and done.returncode, f"exit status {done.returncode}:\n{done.stdout}"
        assert "Traceback" not in done.stdout, done.stdout
        return done.stdout

    def refuses(self, reason, name, *arguments, status=None):
        text = self.script(name, *arguments, status=status)
        assert reason in text, f"'{reason}' is not in:\n{text}"

    def tile(self, caption, picture):
        self.tiles.append((caption, picture))

    # The scripts.

    def demo(self):
        self.script("demo.sh", os.path.join(PIPELINES, "codes.png"), "demo.png")
        drawn = media.read_picture(self.path("demo.png"))
        found = media.check_boxes(drawn, self.codes)
        self.tile("demo.sh codes.png", drawn)
        return f"picture 640x540, {found}"

    def small_objects(self):
        """A canvas so large that its codes are too small for the network as a whole."""
        canvas = numpy.full((1620, 1920, 3), 230, numpy.uint8)
        canvas[100:640, 100:740] = self.codes
        canvas[1000:1540, 1200:1840] = self.codes
        media.write(self.path("large.png"), canvas, "pngenc")
        found = {}
        for script in ("demo.sh", "small-objects.sh"):
            text = self.script(script, "cpu", "large.png", "drawn.png")
            rows = re.findall(r"^  [a-z0-9-]+ +(\d+) +[01]\.\d+$", text, re.M)
            found[script] = sum(int(n) for n in rows)
        # Each part of the canvas has seven.
        assert found["small-objects.sh"] >= 10, found
        assert found["small-objects.sh"] >= found["demo.sh"] + 4, found
        return f"{found['small-objects.sh']} objects, {found['demo.sh']} without tiles"

    def read_codes(self):
        text = self.script("read-codes.sh", "cpu", os.path.join(PIPELINES, "codes.png"), "read.png")
        assert re.search(r"\tbarcode\t4006381333931$", text, re.M), text
        drawn = media.read_picture(self.path("read.png"))
        found = media.check_boxes(drawn, self.codes)
        self.tile("read-codes.sh codes.png", drawn)
        return f"read EAN 4006381333931, {found}"

    def count(self):
        """The ball goes up and down across the line; its way is that of videotestsrc."""
        text = self.script("count.sh", "cpu")
        events = [json.loads(line) for line in text.splitlines() if line.startswith('{"event"')]
        assert {event["event"] for event in events} == {"cross"}, text
        assert {event["label"] for event in events} == {"ball"}, text
        assert [event["direction"] for event in events] == ["out", "in"], text
        assert (events[-1]["in"], events[-1]["out"]) == (1, 1), text
        frames = media.read_video(self.path("count-yolov10.mkv"), lambda n: n == 120).frames
        self.tile("count.sh", frames[0])
        return "1 in, 1 out"

    def dwell(self):
        text = self.script("dwell.sh", "cpu")
        events = [json.loads(line) for line in text.splitlines() if line.startswith('{"event"')]
        told = sorted((event["label"], event["event"], event.get("reason")) for event in events)
        codes = ("barcode", "data-matrix", "pdf417", "qr-code")
        assert told == [(code, *rest) for code in codes
                        for rest in (("dwell", None), ("enter", None), ("leave", "ended"))], text
        assert {event["timestamp"] for event in events if event["event"] == "dwell"} == {2 * 10**9}, text
        frames = media.read_video(self.path("dwell-yolov10.mkv"), lambda n: n == 80).frames
        self.tile("dwell.sh", frames[0])
        return f"{len(codes)} stayed for 2 s"

    def events(self):
        text = self.script("events.sh", "cpu")
        with open(self.path("events-yolov10.jsonl"), encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        told = sorted((line["label"], line["event"]) for line in lines)
        codes = ("barcode", "data-matrix", "pdf417", "qr-code")
        assert told == [(code, event) for code in codes for event in ("dwell", "enter", "leave")], told
        # What the broker has passed on: the same, and how many were inside at the end.
        sent = [json.loads(line) for line in re.findall(r"^yolov10/events/event (.+)$", text, re.M)]
        if "uri=" not in text:
            assert not sent, text
            return "12 lines; mosquitto is not installed"
        assert sorted((line["label"], line["event"]) for line in sent) == told, text
        counts = re.findall(r"^yolov10/events/zone/left/occupancy (\d+)$", text, re.M)
        assert (counts[0], max(counts), counts[-1]) == ("0", "4", "0"), text
        return "12 lines, which a broker has passed on"

    def record(self):
        text = self.script("record.sh", "cpu")
        folder = self.path("record-yolov10")
        names = sorted(name for name in os.listdir(folder) if name.endswith(".mp4"))
        # All of it, of which the objects that are there from the beginning have a clip.
        whole, *clips = [media.read_video(os.path.join(folder, name), lambda n: n == 100).frames for name in names]
        assert len(whole) == 120, f"{len(whole)} frames"
        assert clips and all(name.endswith("_clip.mp4") for name in names[1:]), names
        assert len(re.findall(r"^\d{8}_\S+\.mp4 .* complete ", text, re.M)) == len(names), text
        self.tile("record.sh", whole[0])
        return f"120 frames, {len(clips)} clips"

    def scene(self, name, file, least=90):
        """Checks a script with its default scene of three seconds, 30 frames a second."""
        frames = media.read_video(self.path(file), lambda n: n >= 45).frames
        assert least <= len(frames) <= 90, f"{len(frames)} frames"
        return self.scene_frame(name, frames)

    def scene_frame(self, name, frames):
        """Returns a frame with boxes: if the machine is too slow for the camera, some have
        none."""
        frame = next((frame for frame in frames[45:] if media.any_box(frame, self.codes)), frames[-1])
        assert frame.shape == (540, 960, 3), frame.shape
        found = media.check_boxes(frame, self.codes)
        self.tile(name, frame)
        return f"{len(frames)} frames 960x540, {found}"

    def webcam(self):
        self.refuses("/dev/video99", "webcam.sh", "/dev/video99")
        if os.path.exists("/dev/video0"):
            return "not run without arguments: this machine has a camera"
        self.script("webcam.sh")
        return self.scene("webcam.sh", "webcam-yolov10.mkv")

    def serve(self):
        """Serves the scene with boxes around the codes."""
        if subprocess.run([os.path.join(BUILD, "tools/y10"), "serve", "--help"], capture_output=True,
                          check=False).returncode:
            return "not run: y10 was built without libsoup"
        self.refuses("--listen", "serve.sh", "nowhere", status=2)
        settings = self.path("serve.ini")
        with subprocess.Popen([os.path.join(PIPELINES, "serve.sh"), "127.0.0.1:0", settings], cwd=self.work,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as script:
            try:
                address = script.stdout.readline().strip()
                assert re.fullmatch(r"http://127\.0\.0\.1:[0-9]+/", address), address
                with open(settings + ".token", encoding="ascii") as file:
                    token = file.read().strip()
                request = urllib.request.Request(address + "snapshot/demo.jpg",
                                                 headers={"Authorization": "Bearer " + token})
                picture = self.path("serve.jpg")
                # A busy machine may have no frame yet.
                for _ in range(12):
                    try:
                        with urllib.request.urlopen(request, timeout=30) as reply, open(picture, "wb") as file:
                            file.write(reply.read())
                        break
                    except urllib.error.HTTPError:
                        pass
                frame = media.read_picture(picture)
            finally:
                script.terminate()
        assert script.returncode == 0, script.returncode
        found = media.check_boxes(frame, self.codes)
        self.tile("serve.sh", frame)
        return f"a picture of {frame.shape[1]}x{frame.shape[0]}, {found}"

    def file(self):
        self.refuses("none.mp4: no such file", "file.sh", "none.mp4")
        self.script("file.sh")
        video = media.read_video(self.path("file-test-yolov10.mp4"), lambda n: n == 60)
        assert video.count == 90 and abs(video.audio - 3) < 0.1, video[1:]
        media.check_boxes(video.frames[60], self.codes)
        self.tile("file.sh", video.frames[60])

        media.write_video(self.path("upright.mp4"), self.marked)
        self.script("file.sh", self.model, "cpu", "upright.mp4", "drawn.mp4")
        upright, found = self.same_as_filmed("drawn.mp4", sound=True)

        # Stored rotated, like a telephone's video, at a few frames a second, without sound.
        media.write_video(self.path("a side.mp4"), numpy.rot90(self.marked), n_frames=12, fps=3,
                          sound=False)
        media.turn(self.path("a side.mp4"))
        stored = media.read_video(self.path("a side.mp4"), lambda n: n == 5)
        assert stored.frames[5].shape == (640, 540, 3) and "rotate-90" in stored.tags, stored.tags
        self.script("file.sh", "a side.mp4")
        turned, _ = self.same_as_filmed("a side-yolov10.mp4", 12, 3, sound=False)
        self.tile("file.sh, filmed with the camera turned", turned.middle())
        return f"{upright.count} frames 640x540, audio {upright.audio:.1f} s, turned by 90° " \
            f"where it says so, {found}"

    def same_as_filmed(self, name, count=30, fps=15, sound=False):
        video = media.read_video(self.path(name), lambda n: n == count // 2)
        frame = video.middle()
        assert frame.shape == (540, 640, 3), frame.shape
        assert video.count == count and abs(video.seconds - count / fps) < 0.2, \
            f"{video.count} frames, {video.seconds} s"
        corner = frame[4:CORNER - 4, 4:CORNER - 4].mean(axis=(0, 1))
        assert corner[0] > 200 and corner[1] < 60, f"the red corner is elsewhere: {corner}"
        assert not re.search(r"rotate-(90|180|270)", video.tags), video.tags
        if sound:
            assert abs(video.audio - count / fps) < 0.1, f"{video.audio} s of sound"
            tone = media.pitch(media.read_sound(self.path(name)))
            assert abs(tone - 440) < 3, f"a tone of {tone} Hz"
        else:
            assert not video.audio
        return video, media.check_boxes(frame, self.marked)

    def images(self):
        self.refuses("none: no such file", "images.sh", "none")
        os.mkdir(self.path("empty"))
        self.refuses("no pictures or videos in this folder", "images.sh", "empty")
        self.script("images.sh")
        assert os.listdir(self.path("images-yolov10")) == ["codes.png"]
        folder = self.path("three")
        os.mkdir(folder)
        half = self.marked[::2, ::2]
        media.write(os.path.join(folder, "a b.png"), self.codes, "pngenc")
        media.write(os.path.join(folder, "b.jpg"), self.marked, "jpegenc quality=95")
        media.write(os.path.join(folder, "b.png"), half, "pngenc")
        with open(os.path.join(folder, "c.txt"), "w", encoding="utf-8") as file:
            file.write("no picture\n")
        self.script("images.sh", "auto", "three", "out")
        written = sorted(os.listdir(self.path("out")))
        assert written == ["a b.png", "b.jpg", "b.png"], written
        first, second, third = (media.read_picture(os.path.join(self.path("out"), name))
                                for name in written)
        found = media.check_boxes(first, self.codes)
        media.check_boxes(second, self.marked)
        assert third.shape == half.shape, third.shape
        self.tile("images.sh", second)
        return f"3 pictures of two sizes, {found}; {self.photographs()}"

    def photographs(self):
        """JPEGs of many sizes, rotated according to EXIF, and unreadable files among them."""
        folder, upright = self.path("photographs"), self.marked
        os.mkdir(folder)
        # The transformation from the stored to the displayed picture, for orientations 1, 3, 6 and
        # 8.
        for number, turns in ((1, 0), (3, 2), (6, 1), (8, 3)):
            path = os.path.join(folder, f"exif{number}.jpg")
            media.write(path, numpy.rot90(upright, turns), "jpegenc quality=95")
            media.orient(path, number)
        with open(os.path.join(folder, "exif1.jpg"), "rb") as file:
            data = file.read()
        for name, part in (("half.jpg", data[:len(data) // 2]), ("none.jpg", b""),
                           ("noise.png", bytes(range(256))), ("a\\b \x1b\"'%d.jpg", data)):
            with open(os.path.join(folder, name), "wb") as file:
                file.write(part)
        text = self.script("images.sh", self.model, "cpu", "photographs", "turned", status=1)
        for name in ("half.jpg: damaged", "none.jpg", "noise.png"):
            assert f"/{name}" in text, text
        assert text.count("y10: ") == 3 and "\x1b" not in text, text
        written = sorted(os.listdir(self.path("turned")))
        assert written == ["a\\b \x1b\"'%d.jpg", "exif1.jpg", "exif3.jpg", "exif6.jpg",
                           "exif8.jpg", "half.jpg"], written
        for number in (1, 3, 6, 8):
            drawn = media.read_picture(self.path(f"turned/exif{number}.jpg"))
            assert drawn.shape == upright.shape, drawn.shape
            assert drawn[8:CORNER - 8, 8:CORNER - 8, 0].mean() > 200, f"exif{number}.jpg"
            media.check_boxes(drawn, upright)
        real = sorted(glob.glob(os.path.join(ROOT, "../shared/coco80/images/*.jpg")))[:6] \
            + sorted(glob.glob(os.path.join(ROOT, "../shared/codes/images/*.jpg")))[:6]
        if not real:
            return "turned as EXIF says, 3 bad ones named; ../shared has no photographs"
        os.mkdir(self.path("real"))
        for path in real:
            os.symlink(path, os.path.join(self.path("real"), os.path.basename(path)))
        text = self.script("images.sh", self.model, "cpu", "real", "real-drawn")
        assert "y10: " not in text, text
        for path in real:
            name = os.path.basename(path)
            assert media.read_picture(self.path(f"real-drawn/{name}")).shape[2] == 3
        return f"{len(real)} photographs, turned as EXIF says, 3 bad ones named"

    def rtsp_camera(self):
        self.refuses("Could not open resource", "rtsp-camera.sh", "rtsp://127.0.0.1:1/none", "no.mkv")
        self.script("rtsp-camera.sh")
        found = self.scene("rtsp-camera.sh", "rtsp-camera-yolov10.mkv", least=80)
        return f"{found}; {self.interrupted()}"

    def interrupted(self):
        """An endless camera: Ctrl-C must finish the MP4."""
        output = self.path("endless.mp4")
        with filmed(fps=15) as server:
            process = subprocess.Popen(
                [os.path.join(PIPELINES, "rtsp-camera.sh"), self.model, "cpu", server.uri, output],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                text=True, cwd=self.work, start_new_session=True)
            until(lambda: process.poll() is not None or os.path.exists(output) and os.path.getsize(output) > 5000,
                  "that it films")
            assert process.poll() is None, "it films nothing"
            os.killpg(process.pid, signal.SIGINT)
            text = process.communicate(timeout=LIMIT / 2)[0]
        count = media.read_video(output).count
        assert process.returncode == 0 and count > 0, text
        return "an MP4 ended by Ctrl-C can be read"

    def inputs(self):
        """Every script's messages for invalid inputs."""
        for name, encoder in (("tone.mp4", "avenc_aac ! mp4mux"), ("tone.ogg", "vorbisenc ! oggmux"),
                              ("tone.mkv", "vorbisenc ! matroskamux")):
            media.run("audiotestsrc num-buffers=40 ! audioconvert ! "
                      f"{encoder} ! filesink location={self.path(name)}")
            for script in ("file.sh", "demo.sh", "read-codes.sh", "bench.sh", "many-cameras.sh") \
                    if name == "tone.mp4" else ("bench.sh", "many-cameras.sh"):
                self.refuses({"file.sh": "it contains no picture or video", "demo.sh": "it contains no picture or video",
                              "many-cameras.sh": "not-linked"}.get(script, "error: no video was found"),
                             script, self.model, "cpu", name)
        with streamed("audiotestsrc is-live=true ! audioconvert ! rtpL16pay name=pay0") as server:
            self.refuses("not-linked", "rtsp-camera.sh", self.model, "cpu", server.uri, "tone-drawn.mkv")
        return self.damaged() + "; " + self.names()

    def damaged(self):
        media.write_video(self.path("whole.mp4"), self.marked, n_frames=45, sound=False)
        media.run(f"filesrc location={self.path('whole.mp4')} ! qtdemux ! h264parse ! matroskamux ! "
                  f"filesink location={self.path('whole.mkv')}")
        with open(self.path("whole.mkv"), "rb") as file:
            data = file.read()
        # Behind the first frame, which is most of the file.
        late = len(data) * 97 // 100
        with open(self.path("short.mkv"), "wb") as file:
            file.write(data[:late])
        noise = bytes(n * 37 % 256 for n in range(200))
        with open(self.path("noise.mkv"), "wb") as file:
            file.write(data[:late] + noise + data[late + len(noise):])
        with open(self.path("begun.mkv"), "wb") as file:
            file.write(data[:len(data) // 2])
        for name in ("whole.mp4", "whole.mkv"):
            text = self.script("file.sh", self.model, "cpu", name, "drawn.mkv")
            assert "damaged" not in text, text
        self.refuses("begun.mkv: no frame can be decoded", "file.sh", self.model, "cpu", "begun.mkv", "drawn.mkv")
        for name in ("short.mkv", "noise.mkv"):
            text = self.script("file.sh", self.model, "cpu", name, "drawn.mkv", status=1)
            assert f"y10: {name}: damaged" in text, text
            assert media.read_video(self.path("drawn.mkv")).count > 0, text
        return "damaged files named"

    def names(self):
        name = "a\\b \"c' %d\x1b[31m\n.mkv"
        os.rename(self.path("whole.mkv"), self.path(name))
        for script in ("bench.sh", "file.sh", "demo.sh"):
            text = self.script(script, self.model, "cpu", name)
            assert "\x1b" not in text and " frames of 640x540" in text, text
        self.refuses("unknown option --verbose", "demo.sh", "--verbose")
        self.refuses("unknown option -v", "file.sh", self.model, "-v")
        return "names with any characters"

    def rtsp_restream(self):
        self.refuses("not of the form", "rtsp-restream.sh", "rtsp://127.0.0.1:1/x", "here", status=2)
        process = subprocess.Popen(
            [os.path.join(PIPELINES, "rtsp-restream.sh"), "", "rtsp://127.0.0.1:0/boxes"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, cwd=self.work,
            start_new_session=True)
        try:
            address = None
            for line in process.stdout:
                if line.startswith("serving "):
                    address = line.split()[1]
                    break
            assert address, "it serves nothing"
            frames = media.frames_of(
                f"rtspsrc location={address} protocols=tcp ! application/x-rtp,media=video",
                lambda n: n >= 45)
        finally:
            os.killpg(process.pid, signal.SIGINT)
            process.communicate(timeout=LIMIT)
        assert process.returncode == 0, process.returncode
        assert 80 <= len(frames) <= 90, f"{len(frames)} frames"
        return "a client got " + self.scene_frame("rtsp-restream.sh, as its client sees it", frames)

    def many_cameras(self):
        self.refuses('No such file "none.mp4"', "many-cameras.sh", "none.mp4,none.mp4")
        text = self.script("many-cameras.sh")
        # The reference comes from the printed command, with our elements removed.
        command = text[text.index("GST_PLUGIN_PATH="):].split("\n\n")[0]
        command = "\n".join(line for line in command.split("\n") if " yolov10" not in line)
        command = command.replace("many-cameras-yolov10.mkv", "plain.mkv")
        subprocess.run(["bash", "-c", command], check=True, stdout=subprocess.DEVNULL, timeout=LIMIT, cwd=self.work)
        drawn = media.read_video(self.path("many-cameras-yolov10.mkv"), lambda n: n == 22)
        plain = media.read_video(self.path("plain.mkv"), lambda n: n == 22)
        assert drawn.count == plain.count == 45, f"{drawn.count}, {plain.count} frames"
        frame = drawn.frames[22]
        assert frame.shape == (720, 1280, 3), frame.shape
        for at in ((0, 0), (640, 0), (0, 360), (640, 360)):
            found = media.check_boxes(frame, plain.frames[22], 2 / 3, at)
        self.tile("many-cameras.sh", frame)

        media.write_video(self.path("one.mp4"), self.marked, n_frames=15)
        self.script("many-cameras.sh", "cpu", "one.mp4,one.mp4,one.mp4", "three.mp4")
        three = media.read_video(self.path("three.mp4"), lambda n: n == 7)
        assert three.count == 15, f"{three.count} frames"
        # The last of four places stays empty.
        assert three.frames[7][370:, 650:].max() < 40
        assert three.frames[7][370:, :630].max() > 200
        return f"45 frames 1280x720, in each of 4 pictures {found}; 3 videos"

    def nvidia(self):
        self.refuses("frames in CUDA memory", "nvidia.sh", "cpu")
        done = subprocess.run([os.path.join(PIPELINES, "nvidia.sh")], cwd=self.work, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=LIMIT, check=False)
        if done.returncode == 77:
            assert re.fullmatch(r"nvidia\.sh: .+ has details\n", done.stdout), done.stdout
            return "here it says: " + done.stdout.split(": ", 1)[1].split(";")[0].strip()
        assert done.returncode == 0, done.stdout
        return self.scene("nvidia.sh", "nvidia-test-yolov10.mp4")

    def bench(self):
        text = self.script("bench.sh", "cpu", "", "bench.txt")
        with open(self.path("bench.txt"), encoding="utf-8") as file:
            assert text.endswith(file.read()), text
        match = re.search(r"^(\d+) frames of 640x540 in ([\d.]+) s: ([\d.]+) frames per second",
                          text, re.M)
        assert match, text
        frames, seconds, fps = (float(value) for value in match.groups())
        # As printed, in hundredths of a second and tenths of a frame.
        assert frames == 300 and abs(frames - fps * seconds) < 0.051 * seconds + 0.0051 * fps + 0.001, match.group()
        rows = {row[0]: [float(value) for value in row[1:]] for row in re.findall(
            r"^(\w+) +([\d.]+) +([\d.]+) +([\d.]+)$", text, re.M)}
        assert set(rows) == {"wait", "preprocess", "inference", "postprocess", "delay"}, rows
        assert all(row[0] <= row[1] <= row[2] for row in rows.values()), rows
        assert "300 inferred" in text, text
        return f"300 frames, {fps:.0f} a second, inference {rows['inference'][0]:.1f} ms"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", required=True)
    parser.add_argument("--sheet")
    parser.add_argument("scripts", nargs="*")
    args = parser.parse_args()
    Gst.init(None)
    missing = [name for name in ("x264enc", "avdec_h264", "avenc_aac", "rtspsrc", "gdkpixbufoverlay",
                                 "rsvgdec") if not Gst.ElementFactory.find(name)]
    if missing:
        print("SKIP: GStreamer has no", ", ".join(missing))
        return 77
    there = {os.path.basename(path) for path in glob.glob(os.path.join(PIPELINES, "*.sh"))
             if os.access(path, os.X_OK)}
    cases = Cases(args.work)
    failed = 0
    for name in args.scripts or [*sorted(there), "inputs"]:
        started = time.monotonic()
        try:
            case = getattr(cases, name.removesuffix(".sh").replace("-", "_"), None)
            assert case, "nothing tests it"
            result, found = "PASS", case()
        except (AssertionError, subprocess.SubprocessError) as why:
            result, found, failed = "FAIL", why, failed + 1
        print(f"{result} {name}: {found} ({time.monotonic() - started:.1f} s)", flush=True)
    if args.sheet:
        media.sheet(args.sheet, cases.tiles, args.work)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
