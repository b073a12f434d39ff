#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Tests the pipeline step without a GPU: GStreamer's own cudaupload runs on the
libcuda of tests/gst/fakecuda, the element on the reference. The only copies
between host and device are cudaupload's, two planes a frame. If frames are
copied to the host for the element, the step must report it.

usage: test-pipeline.py COUNTCOPIES NVCUVID FAKE-LIBCUDA FAKE-BACKEND PLUGIN
SEEDED Exits with 77 if GStreamer has no nvcodec plugin.
"""
import collections
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import pipeline  # noqa: E402

Done = collections.namedtuple("Done", "status out")


class Run:
    """The part of driver.Run that the step uses."""

    def __init__(self, folder, libraries):
        count, nvcuvid, cuda, backend, plugin, self.seeded = libraries
        self.out = self.root = folder
        os.mkdir(os.path.join(folder, "lib"))
        shutil.copy(count, os.path.join(folder, "lib", "libcountcopies.so"))
        shutil.copy(nvcuvid, os.path.join(folder, "libnvcuvid.so.1"))
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("GST_", "Y10_"))}
        self.env.update(
            LD_LIBRARY_PATH=f"{os.path.dirname(cuda)}:{folder}", LC_ALL="C.UTF-8",
            GST_REGISTRY=os.path.join(folder, "registry.bin"), GST_REGISTRY_FORK="no",
            GST_PLUGIN_PATH=os.path.dirname(plugin), Y10_BACKEND_PATH=os.path.dirname(backend))
        self.kept = {}

    def program(self, name, arguments, timeout, backend=None, extra=None, quiet=False):
        done = subprocess.run([name, *arguments], env=dict(self.env, **(extra or {})), text=True,
                              capture_output=True, timeout=timeout, check=False)
        return Done(done.returncode, done.stdout + ("" if quiet else done.stderr))

    def keep(self, values):
        self.kept.update(values)

    def model(self):
        path = os.path.join(self.out, "tiny.safetensors")
        subprocess.run([self.seeded, os.path.join(HERE, "../data/tiny-nc3.shapes.json"), path],
                       check=True)
        return path


def main():
    libraries = [os.path.abspath(p) for p in sys.argv[1:]]
    if not shutil.which("gst-launch-1.0"):
        print("SKIP: no gst-launch-1.0")
        return 77
    pipeline.FRAMES = 4
    with tempfile.TemporaryDirectory() as folder:
        run = Run(folder, libraries)
        found = pipeline.sources(run)
        if not found:
            print("SKIP: GStreamer has no cudaupload")
            return 77
        pipeline.on_gpu(run)
        planes = {"htd 2073600": 1, "htd 1036800": 1}
        assert run.kept["exit"] == 0, run.kept
        assert run.kept["source"] == "cudaupload" and run.kept["frames"] == 4, run.kept
        assert run.kept["active_backend"] == "cuda" and run.kept["cuda_memory"], run.kept
        assert run.kept["copies_without"] == planes == run.kept["copies_a_frame"], run.kept
        assert run.kept["host_copies_of_frames"] == 0, run.kept

        elements = found[0][1] + ["!", "cudadownload", "!", "video/x-raw"]
        down = pipeline.measure(
            run, elements + pipeline.detector(run.model(), "cuda") + pipeline.SINK, planes)
        assert down["exit"] == 0 and down["frames"] == 4 and not down["cuda_memory"], down
        assert down["host_copies_of_frames"] == 2, down
    print("no plane of a frame is copied; two are, where they are asked for")
    return 0


if __name__ == "__main__":
    sys.exit(main())
