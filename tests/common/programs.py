# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Programs that a test starts, talks to and ends, and what a test needs to start them."""
import os
import re
import signal
import socket
import subprocess
import sys

from waiting import PATIENCE, until     # noqa: F401

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
PYTHON = "/usr/bin/python3"             # which has Debian's packages


def skip(why):
    print("SKIP:", why)
    sys.exit(77)


def lacking(*elements):
    return [e for e in elements if subprocess.run(["gst-inspect-1.0", "--exists", e], check=False).returncode]


def no_rtsp():
    """Why this machine has no RTSP server, or None."""
    found = subprocess.run([PYTHON, "-c", "import gi; gi.require_version('GstRtspServer', '1.0')"], check=False,
                           capture_output=True).returncode == 0
    return None if found else "GstRtspServer is missing (Debian: gir1.2-gst-rtsp-server-1.0)"


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def answers(port):
    with socket.socket() as s:
        return s.connect_ex(("127.0.0.1", port)) == 0


class Program:
    """A process, from whose standard output lines are read; "with" kills it."""
    process = None

    def __init__(self, *command, **options):
        if command:
            self.run(*command, **options)

    def run(self, *command, **options):
        self.process = subprocess.Popen(command, text=True, **{"stdout": subprocess.PIPE, **options})

    def line(self):
        return self.process.stdout.readline().strip()

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def wait(self):
        """Returns its exit status."""
        status = self.process.wait(PATIENCE)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe:
                pipe.close()
        return status

    def stop(self, number=signal.SIGTERM):
        """Ends it, if it has not ended, and returns its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.wait()

    def kill(self):
        return self.stop(signal.SIGKILL)

    def close(self):
        self.stop()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()


class Rtsp(Program):
    """A camera: a script that prints its address. uri and port are None if it cannot be one."""

    def __init__(self, script, *options):
        super().__init__(PYTHON, os.path.join(ROOT, script), *map(str, options), stderr=subprocess.DEVNULL)
        found = re.search(r"rtsp://127\.0\.0\.1:(\d+)/\S+", self.line())
        self.uri, self.port = found and found[0], found and int(found[1])


def filmed(pattern="ball", fps=30, port=0):
    """A camera of 320x240, which starts when it is watched."""
    return streamed(f"videotestsrc is-live=true pattern={pattern} ! "
                    f"video/x-raw,width=320,height=240,framerate={fps}/1 ! x264enc tune=zerolatency "
                    f"speed-preset=ultrafast key-int-max={fps} ! rtph264pay name=pay0", port)


def streamed(pipeline, port=0):
    """A camera that sends what a pipeline makes."""
    return Rtsp("pipelines/rtsp_server.py", f"rtsp://127.0.0.1:{port}/camera", *pipeline.split())


def scene(size="640x360", fps=10, port=0):
    """A camera whose frames have numbers, tests/serve/scene.py."""
    return Rtsp("tests/serve/scene.py", port, size, fps)
