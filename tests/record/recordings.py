# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Films, recordings of them by yolov10record, and what FFmpeg reads in both."""
import datetime
import glob
import gzip
import json
import os
import shutil
import struct
import subprocess
import sys
import time
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../publish"))
from launch import PATIENCE, Launching, until  # noqa: E402,F401

if not shutil.which("ffmpeg"):
    print("ffmpeg is not installed")
    sys.exit(77)

H264 = ("-c:v", "libx264", "-bf", "2", "-g", "25")
H265 = ("-c:v", "libx265", "-tag:v", "hvc1",
        "-x265-params", "bframes=3:keyint=25:min-keyint=25:open-gop=0:scenecut=0:log-level=error")


def ask(*args):
    """Lines of ffprobe or ffmpeg, which must have nothing to complain about."""
    done = subprocess.run(args, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
    assert not done.stderr, done.stderr
    return done.stdout.splitlines()


def packets(path, track="v"):
    """(decoded, shown, bytes, key) of each packet, in seconds."""
    lines = ask("ffprobe", "-v", "error", "-select_streams", track, "-of", "csv=p=0",
                "-show_entries", "packet=pts_time,dts_time,size,flags", path)
    found = [line.split(",") for line in lines if line]
    return [(float(dts), float(pts), int(size), flags.startswith("K")) for pts, dts, size, flags, *_ in found]


def pictures(path, track="v"):
    """A checksum of each decoded picture, in the order in which they are shown; or of each frame of sound."""
    return [line.split(",")[-1].strip() for line in ask("ffmpeg", "-v", "error", "-i", path, "-map", f"0:{track}",
                                                        "-f", "framemd5", "-") if not line.startswith("#")]


class Recordings(Launching):
    def film(self, *encoder, seconds=20, sound=()):
        path = self.path("film.mp4")
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i",
                        f"testsrc2=size=160x120:rate=25:duration={seconds}", *sound, "-pix_fmt", "yuv420p", *encoder, path],
                       check=True, stdin=subprocess.DEVNULL)
        return path

    def recordings(self):
        return sorted(glob.glob(self.path("out") + "/*.mp4"))

    def record(self, film, parse, more=""):
        self.launch(f"filesrc location={film} ! qtdemux ! {parse} ! yolov10record location={self.path('out')} {more}")


class Fragment:
    """A moof and its mdat, with one run of samples of one track."""
    def __init__(self, data, at, moof, mdat):
        self.offset, self.size = at, len(moof) + mdat
        self.track = self.time = self.duration = self.shown = self.key = None
        for name, body in boxes(moof[8:]):
            for name, body in boxes(body) if name == b"traf" else ():
                if name == b"tfhd":
                    (self.track,) = struct.unpack_from(">I", body, 4)
                elif name == b"tfdt":
                    (self.time,) = struct.unpack_from(">Q", body, 4)
                elif name == b"trun":
                    (n,) = struct.unpack_from(">I", body, 4)
                    samples = [struct.unpack_from(">IIIi", body, 12 + 16 * i) for i in range(n)]
                    self.duration = sum(sample[0] for sample in samples)
                    self.shown = self.time + samples[0][3]
                    self.key = not samples[0][2] & 0x10000
        self.payload = data[at + len(moof) + 8:at + self.size]


def boxes(data):
    """(name, what is inside) of each."""
    at = 0
    while at + 8 <= len(data):
        size, name = struct.unpack_from(">I4s", data, at)
        if size < 8 or at + size > len(data):
            return
        yield name, data[at + 8:at + size]
        at += size


def fragments(path):
    """Those of a file up to its end, or to where it is damaged."""
    with open(path, "rb") as f:
        data = f.read()
    found, at, moof = [], 0, None
    while at + 8 <= len(data):
        size, name = struct.unpack_from(">I4s", data, at)
        if size < 8 or at + size > len(data) or not name.isalpha():
            break
        if name == b"mdat":
            found.append(Fragment(data, at - len(moof), moof, size))
        moof = data[at:at + size]
        at += size
    return found


def write_lines(path, lines, whole=True):
    """An index: each line is flushed."""
    packer = zlib.compressobj(wbits=31)
    with open(path, "wb") as f:
        for line in lines:
            f.write(packer.compress((line if isinstance(line, str) else json.dumps(line)).encode() + b"\n"))
            f.write(packer.flush(zlib.Z_SYNC_FLUSH))
        if whole:
            f.write(packer.flush())


def read_lines(path):
    with gzip.open(path, "rt", encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def index_of(path):
    return path[:-len("mp4")] + "jsonl.gz"


def utc(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def tell(spool, name="enter", **more):
    """Publishes an event as another process does. Returns when."""
    at = time.time()
    line = {"event": name, "zone": "yard", "source": "zones0", "timestamp": 0, "id": 1, "label": "ball",
            "stream": "yard", "utc": utc(at), **more}
    os.makedirs(spool, exist_ok=True)
    with open(os.path.join(spool, "00000001.jsonl"), "a", encoding="utf-8") as f:
        f.write(json.dumps(line, separators=(",", ":")) + "\n")
    return at


def nanoseconds(ticks):
    return (ticks * 10**9 + 45000) // 90000


def lines_of(path, begin, more=(), first=0):
    """The lines of a recording whose beginning was taken at @begin, in seconds since 1970, and has @first in the
    pipeline, in ns."""
    video = [f for f in fragments(path) if f.track == 1]
    gops = [{"pts": first + nanoseconds(f.shown), "time": nanoseconds(f.shown), "offset": f.offset,
             "utc": utc(begin + f.shown / 90000)} for f in video if f.key]
    end = {"end": nanoseconds(video[-1].time + video[-1].duration), "bytes": os.path.getsize(path)}
    return [{"recording": os.path.basename(path), "stream": "yard"}, *gops, *more, end]
