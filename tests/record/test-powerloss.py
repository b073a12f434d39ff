#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""The power fails while a camera is recorded. Of what was written since the last sync of a file, each page may be on
the disk or not, and the file may be shorter; a file whose folder was not synced may be missing. What was synced is
there: y10 record check --repair makes it a recording that any player reads.

usage: test-powerloss.py PLUGINS Y10 DISK N [UNITTEST ARGUMENT...]
"""
import os
import random
import shutil
import statistics
import subprocess
import sys
import unittest

from recordings import PATIENCE, Recordings, fragments, packets

PAGE = 4096
SAMPLE = 30     # of the variants, which FFmpeg reads, too


class Image:
    """A file, as the program sees it and as it is on the disk for certain."""
    def __init__(self):
        self.data, self.synced, self.is_named = bytearray(), b"", False

    def write(self, offset, data):
        self.data.extend(bytes(max(0, offset + len(data) - len(self.data))))
        self.data[offset:offset + len(data)] = data

    def lose(self, chance):
        """What may be left of it; None: not even its name."""
        if not self.is_named and chance.random() < 0.5:
            return None
        pages = chance.choice((0, 1, chance.random(), 0.99))     # how likely a page is there
        low, high = sorted((len(self.synced), len(self.data)))
        size = chance.choice((low, high, chance.randint(low, high)))
        left = bytearray(self.data[:size].ljust(size, b"\0"))
        for at in range(0, size, PAGE):
            if chance.random() >= pages:
                left[at:at + PAGE] = self.synced[at:min(at + PAGE, size)].ljust(min(PAGE, size - at), b"\0")
        return bytes(left)


class Disk:
    """A folder, whose history is gone through."""
    def __init__(self, log):
        self.files, self.log, self.at = {}, log, 0

    def step(self):
        """Returns what was done and to which file; None at the end."""
        if self.at >= len(self.log):
            return None
        end = self.log.index(b"\n", self.at)
        what, name, *numbers = self.log[self.at:end].decode().split()
        numbers = [int(number) for number in numbers]
        self.at = end + 1
        if what == "create":
            self.files[name] = Image()
        elif what == "write":
            self.files.setdefault(name, Image()).write(numbers[0], self.log[self.at:self.at + numbers[1]])
            self.at += numbers[1]
        elif what == "truncate":
            del self.files[name].data[numbers[0]:]
        elif what == "unlink":
            del self.files[name]
        elif name == ".":
            for image in self.files.values():
                image.is_named = True
        else:
            self.files[name].synced = bytes(self.files[name].data)
        return what, name


def frames(data, path):
    with open(path, "wb") as f:
        f.write(data)
    return [(f.time, f.duration, f.payload) for f in fragments(path)]


class PowerLoss(Recordings):
    def y10(self, folder, *args):
        done = subprocess.run([Y10, "record", "check", folder, *args], capture_output=True, text=True, check=False,
                              env=self.env, timeout=PATIENCE)
        return done.returncode, done.stdout + done.stderr

    def write(self):
        """Records four files from a camera; returns the log."""
        log, folder = self.path("log"), self.path("out")
        self.env = {**self.env, "LD_PRELOAD": DISK, "DISK_LOG": log, "DISK_FOLDER": os.path.realpath(folder)}
        self.launch("videotestsrc is-live=true num-buffers=300 pattern=smpte ! video/x-raw,width=320,height=240,framerate=25/1 ! "
                    "x264enc speed-preset=ultrafast bframes=2 b-adapt=false key-int-max=25 bitrate=1000 ! h264parse ! "
                    f"yolov10record location={folder} file-duration=3000000000")
        del self.env["LD_PRELOAD"]
        with open(log, "rb") as f:
            return f.read()

    def history(self, log):
        """Steps at which the power may fail, those at which a file begins or ends more often; and how much film
        there is between syncs."""
        disk, steps, special, lengths, ends = Disk(log), 0, [], [], {}
        while done := disk.step():
            steps += 1
            what, name = done
            image = disk.files.get(name)
            if what == "create" or (what == "write" and image.synced and len(image.data) == len(image.synced)):
                special += range(max(steps - 4, 1), steps + 6)
            if what == "sync" and name.endswith(".mp4"):
                end = sum(frame[1] for frame in frames(image.synced, self.path("x")))
                if end > ends.get(name, 0):
                    lengths.append((end - ends.get(name, 0)) / 90000)
                ends[name] = end
        return [step for step in special if step <= steps], steps, lengths

    def test_power_loss(self):
        log = self.write()
        special, steps, lengths = self.history(log)
        # A second between syncs; a busy machine may make some longer.
        self.assertLess(statistics.median(lengths), 1.3, lengths)
        chance = random.Random(9)
        moments = sorted(chance.choice(special) if i % 3 == 0 else chance.randint(1, steps) for i in range(N))
        sampled = set(chance.sample(range(N), min(SAMPLE, N)))
        disk, step, n_lost, n_mended = Disk(log), 0, [], 0
        for i, moment in enumerate(moments):
            while step < moment:
                disk.step()
                step += 1
            lost, mended = self.lose_power(disk, chance, i in sampled)
            n_lost.append(lost)
            n_mended += mended
        self.assertGreater(n_mended, N / 4)     # else nothing was tried
        print(f"{N} variants, {n_mended} with damage; of frames that were written, lost: median "
              f"{statistics.median(n_lost)}, at most {max(n_lost)}; film between syncs: at most {max(lengths):.2f} s")

    def lose_power(self, disk, chance, is_sampled):
        """Returns how many frames are lost, and whether something was damaged."""
        folder = self.path("left")
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
        for name, image in disk.files.items():
            left = image.lose(chance)
            if left is not None:
                with open(os.path.join(folder, name), "wb") as f:
                    f.write(left)
                # An empty file might be one that is being made.
                os.utime(os.path.join(folder, name), (1, 1))
        status, said = self.y10(folder, "--repair")
        self.assertEqual(status, 0, said)
        self.assertEqual(self.y10(folder), (0, ""))
        n_lost = 0
        for name, image in disk.files.items():
            if not name.endswith(".mp4"):
                continue
            path = os.path.join(folder, name)
            written = frames(image.data, self.path("x"))
            synced = frames(image.synced, self.path("x"))
            if not os.path.exists(path):
                self.assertEqual(synced, [])
                n_lost += len(written)
                continue
            found = [(f.time, f.duration, f.payload) for f in fragments(path)]
            self.assertEqual(found[:len(synced)], synced)
            # Behind that, what is there is right. Nobody can tell of a frame's last bytes in a page that is lost.
            right = {(time, duration): payload for time, duration, payload in written}
            for time, duration, payload in found[len(synced):]:
                self.assertEqual(payload[:-8], right[time, duration][:-8])
            if is_sampled:
                self.assertEqual(len(packets(path)), len(found))
            n_lost += len(written) - len(found)
        return n_lost, "damaged" in said or "no key frame" in said or "without a header" in said


PowerLoss.plugins, Y10, DISK, N = sys.argv.pop(1), sys.argv.pop(1), sys.argv.pop(1), int(sys.argv.pop(1))
unittest.main()
