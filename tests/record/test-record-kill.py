#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Programs that record a camera are killed at any time. Of what had reached yolov10record, the frame that waits for its
duration is missing, and what was on its way to the disk in that moment; all files play and seek in FFmpeg and GStreamer, those of H.264 in Chromium.

usage: test-record-kill.py PLUGINS ARRIVALS N [UNITTEST ARGUMENT...]

N programs are killed. With more than 10, as many are of each of GStreamer's own recorders, and a table shows what they
have lost; that is not judged.
"""
import concurrent.futures
import glob
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import threading
import time
import unittest

import gi

from recordings import H264, H265, Recordings, ask, packets, pictures, until
from video import CHROMIUM, Video

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

AT_ONCE = 6
SECONDS = 10        # that a program records at most
# What records: the element with its folder, and its pads.
OURS = "yolov10record"
FILE = "filesink buffer-mode=unbuffered location={}/1.mp4"
RECORDERS = {
    OURS: ("yolov10record name=r location={} file-duration=3000000000", "sink", "audio"),
    "mp4mux": (f"mp4mux name=r ! {FILE}", "video_0", "audio_0"),
    "mp4mux fragment-duration=1000": (f"mp4mux name=r fragment-duration=1000 ! {FILE}", "video_0", "audio_0"),
    "matroskamux": (f"matroskamux name=r ! {FILE}", "video_0", "audio_0"),
    "splitmuxsink": ("splitmuxsink name=r max-size-time=3000000000 location={}/%05d.mp4", "video", "audio_0"),
}


class Film:
    def __init__(self, path, codec):
        self.path, self.codec = path, codec
        self.has_audio = codec == "h264"
        self.packets = packets(path)

    def pipeline(self, recorder, folder, paced=True):
        """A camera that sends it."""
        element, video, audio = RECORDERS[recorder]
        pace = f"sync={paced}"
        sound = f"d.audio_0 ! queue ! aacparse ! identity name=audio {pace} ! r.{audio}" if self.has_audio else ""
        return (f"filesrc location={self.path} ! qtdemux name=d d.video_0 ! queue ! {self.codec}parse ! "
                f"identity name=video {pace} ! r.{video} {sound} {element.format(folder)}")


class Killed:
    """What is left of a program."""
    def __init__(self, test, film, recorder, name, seconds, pauses):
        """Which is killed so long after its first frame; if the camera pauses then, once all but a frame are in files."""
        self.film, self.folder = film, test.path(name)
        os.mkdir(self.folder)
        with subprocess.Popen([ARRIVALS, film.pipeline(recorder, self.folder)], env=test.env,
                              stdout=subprocess.PIPE) as process:
            seen = process.stdout.read(1)
            time.sleep(seconds)
            if pauses:
                os.set_blocking(process.stdout.fileno(), False)
                process.send_signal(signal.SIGUSR1)

                def is_written():
                    nonlocal seen
                    seen += process.stdout.read() or b""
                    return sum(count(path) or 0 for path in self.find()) == seen.count(b"v") - 1
                until(is_written, "more than one frame is missing")
                os.set_blocking(process.stdout.fileno(), True)
            process.send_signal(signal.SIGKILL)
            seen += process.stdout.read()
        assert process.returncode == -signal.SIGKILL, process.returncode
        self.n_reached = seen.count(b"v")
        self.files = self.find()

    def find(self):
        return sorted(glob.glob(self.folder + "/*.mp4"))


def count(path):
    """Frames that FFmpeg finds; None: the file does not open."""
    done = subprocess.run(["ffprobe", "-v", "error", "-count_packets", "-select_streams", "v", "-of", "csv=p=0",
                           "-show_entries", "stream=nb_read_packets", path], capture_output=True, text=True, check=False)
    found = done.stdout.strip().strip(",")
    return int(found) if done.returncode == 0 and found.isdigit() else None


def seek(path, at):
    """A checksum of the picture that is shown then, and FFmpeg's complaints on the way there."""
    done = subprocess.run(["ffmpeg", "-v", "error", "-seek_timestamp", "1", "-ss", f"{at - 0.001:.3f}", "-i", path, "-map", "0:v",
                           "-frames:v", "1", "-f", "framemd5", "-"], capture_output=True, text=True, check=True)
    return done.stdout.split()[-1], done.stderr


class Player:
    """GStreamer's, of the video of a file."""
    def __init__(self, path):
        self.n = 0
        self.pipeline = Gst.parse_launch(f"filesrc location={path} ! decodebin ! video/x-raw ! fakesink name=s sync=false")
        self.sink = self.pipeline.get_by_name("s")
        self.sink.get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, self.on_frame)
        self.bus = self.pipeline.get_bus()
        self.pipeline.set_state(Gst.State.PAUSED)
        self.wait(Gst.MessageType.ASYNC_DONE)

    def on_frame(self, _pad, _info):
        self.n += 1
        return Gst.PadProbeReturn.OK

    def wait(self, what):
        message = self.bus.timed_pop_filtered(Gst.CLOCK_TIME_NONE, what | Gst.MessageType.ERROR)
        if message.type == Gst.MessageType.ERROR:
            raise AssertionError(message.parse_error())

    def count(self):
        """Pictures from here to the end."""
        self.pipeline.set_state(Gst.State.PLAYING)
        self.wait(Gst.MessageType.EOS)
        return self.n

    def seek(self, seconds):
        """When the picture is shown that then is there."""
        self.pipeline.set_state(Gst.State.PAUSED)
        self.pipeline.seek_simple(Gst.Format.TIME, Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE,
                                  round(seconds * Gst.SECOND))
        self.wait(Gst.MessageType.ASYNC_DONE)
        sample = self.sink.get_property("last-sample")
        return sample.get_segment().to_stream_time(Gst.Format.TIME, sample.get_buffer().pts) / Gst.SECOND

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.pipeline.set_state(Gst.State.NULL)


class Kill(Recordings):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        os.environ.update(cls.env)      # also of GStreamer in this process
        Gst.init(None)
        cls.chromium = threading.Lock()

    def films(self):
        sound = ("-f", "lavfi", "-i", f"sine=1000:duration={SECONDS}:sample_rate=48000")
        for codec, encoder, more in (("h264", (*H264, "-c:a", "aac"), sound), ("h265", H265, ())):
            path = self.path(codec + ".mp4")
            os.rename(self.film(*encoder, seconds=SECONDS, sound=more), path)
            yield Film(path, codec)

    def check_file(self, path, part, chance, has_index):
        """It is decoded wholly, and any key frame is found."""
        shown, seen = sorted(p[1] for p in part), pictures(path)
        self.assertEqual(len(seen), len(part))
        at = chance.choice([p[1] for p in part if p[3]])
        if not has_index:
            self.assertEqual(seek(path, at), (seen[shown.index(at)], ""))
        with Player(path) as player:
            self.assertEqual(player.count(), len(part))
            self.assertAlmostEqual(player.seek(at), at, delta=1e-3)
        return at

    def check_sound(self, path, end):
        """It ends where the picture does."""
        part = packets(path, "a")
        self.assertGreater(part[-1][1] if part else 0, end - 0.1)
        if part:
            self.assertEqual(len(pictures(path, "a")), len(part))

    def check(self, killed, chance, video):
        """Returns how many frames are missing."""
        parts = [packets(path) for path in killed.files]
        found = [p[2:] for part in parts for p in part]
        self.assertEqual(found, [p[2:] for p in killed.film.packets[:len(found)]])
        for path, part in zip(killed.files, parts):
            if not part:
                # Killed between the header and the first frame.
                self.assertEqual(path, killed.files[-1])
                continue
            # What players make of the index is for the other tests.
            has_index = path != killed.files[-1]
            at = self.check_file(path, part, chance, has_index)
            if killed.film.has_audio:
                self.check_sound(path, part[-1][0])
            if killed.film.codec == "h264" and video and not has_index:
                end = max(p[1] for p in part)
                with self.chromium:
                    shown = video.look(path, at)
                self.assertAlmostEqual(shown["duration"], end, delta=0.2)
                self.assertAlmostEqual(shown["time"], at, delta=0.1)
                self.assertGreater(shown["colours"], 10)
        return killed.n_reached - len(found)

    def test_kill(self):
        films = list(self.films())
        recorders = list(RECORDERS) if N > 10 else [OURS]
        lost, opened = {name: [] for name in recorders}, {name: [] for name in recorders}
        video = Video() if CHROMIUM else None
        if not video:
            print("without Debian's package chromium")

        def kill(number, recorder):
            chance = random.Random(number)
            killed = Killed(self, films[number % 2], recorder, f"{number}-{recorders.index(recorder)}",
                            chance.uniform(0.2, SECONDS - 3), recorder == OURS and number % 4 == 1)
            if recorder == OURS:
                lost[recorder].append(self.check(killed, chance, video))
                opened[recorder] += [True] * len(killed.files)
            else:
                frames = [count(path) for path in killed.files]
                lost[recorder].append(killed.n_reached - sum(n or 0 for n in frames))
                opened[recorder] += [n is not None for n in frames]
            shutil.rmtree(killed.folder)

        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            for done in [pool.submit(kill, number, recorder) for number in range(N) for recorder in recorders]:
                done.result()
        if video:
            video.close()
        print(f"{N} times killed{'':18}frames lost: median  most   files that open")
        for name in recorders:
            print(f"{name:32} {statistics.median(lost[name]):21} {max(lost[name]):5}   "
                  f"{sum(opened[name])} of {len(opened[name])}", flush=True)
        # Where the camera does not pause, the kill may hit others on their way to the disk; on a busy machine, several.
        self.assertLessEqual(statistics.median(lost[OURS]), 1, lost)

    def test_seek(self):
        """In a file that is complete, any picture is found."""
        film = next(self.films())
        self.launch(film.pipeline(OURS, self.path("out"), False).replace("file-duration=3000000000", ""))
        (path,) = self.recordings()
        # FFmpeg looks for a key frame that is decoded by then, and shows no picture from before it.
        keys = [p[:2] for p in packets(path) if p[3]]
        for at, picture in list(zip(sorted(p[1] for p in packets(path)), pictures(path)))[::9]:
            if any(decoded <= at < shown for decoded, shown in keys):
                continue
            self.assertEqual(seek(path, at), (picture, ""), at)

    @unittest.skipUnless(CHROMIUM, "needs Debian's package chromium")
    def test_ten_minutes(self):
        """A player of ten minutes fetches little more than what it shows."""
        film = self.film(*H264, "-b:v", "200k")
        long = self.path("long.mp4")
        ask("ffmpeg", "-v", "error", "-stream_loop", "29", "-i", film, "-c", "copy", long)
        self.launch(f"filesrc location={long} ! qtdemux ! h264parse ! yolov10record location={self.path('out')} "
                    "ring-bytes=200000000 file-duration=3600000000000")
        (path,) = self.recordings()
        self.assertEqual(len(packets(path)), 15000)
        self.assertGreater(os.path.getsize(path), 15_000_000)
        at = random.Random(1).choice([p[1] for p in packets(path) if p[3]])
        video = Video()
        shown = video.look(path, at)
        video.close()
        print(f"Chromium, of {os.path.getsize(path)} bytes: {shown}")
        self.assertAlmostEqual(shown["duration"], 600, delta=1)
        self.assertAlmostEqual(shown["time"], at, delta=0.1)
        self.assertGreater(shown["colours"], 10)
        self.assertLessEqual(shown["requests"], 6)
        self.assertLessEqual(shown["bytes"], 2_000_000)


Kill.plugins = sys.argv.pop(1)
ARRIVALS = sys.argv.pop(1)
N = int(sys.argv.pop(1))
unittest.main()
