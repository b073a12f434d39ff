# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Runs the element in a pipeline that starts with the GPU's decoder, or else
with cudaupload. countcopies.c counts the copies between host and device: those
for every frame, minus those of the same pipeline without the element.
"""
import json
import os
import re

FRAMES = 200
SMALLEST = 32768                # bytes; smaller copies cannot be part of a frame
CAPS = "video/x-raw,format=NV12,width=1920,height=1080,framerate=30/1"


def sources(run):
    """(name, elements) by preference."""
    names = run.program("gst-inspect-1.0", ["nvcodec"], 60, quiet=True).out
    video = os.path.join(run.root, "media", "1080p.h264")
    found = []
    if re.search(r"\bnvh264dec:", names) and os.path.exists(video):
        found.append(("nvh264dec", ["filesrc", f"location={video}", "!", "h264parse", "!",
                                    "nvh264dec", "!", "video/x-raw(memory:CUDAMemory)"]))
    if re.search(r"\bcudaupload:", names):
        found.append(("cudaupload", ["videotestsrc", f"num-buffers={FRAMES}", "!", CAPS, "!",
                                     "cudaupload", "!", "video/x-raw(memory:CUDAMemory)"]))
    return found


def read_copies(path, frames):
    """{direction and size: copies a frame} of the copies that occur for each
    frame."""
    out = {}
    try:
        with open(path, encoding="ascii") as f:
            for line in f:
                row = json.loads(line)
                if row["size"] >= SMALLEST and row["count"] >= frames / 2:
                    out[f"{row['direction']} {row['size']}"] = round(row["count"] / frames)
    except OSError:
        return None
    return out


def launch(run, elements, backend, count=True):
    copies = os.path.join(run.out, "copies.jsonl")
    if os.path.exists(copies):
        os.unlink(copies)
    extra = {"COUNTCOPIES": copies, "LD_PRELOAD": os.path.join(
        run.root, "lib", "libcountcopies.so")} if count else {}
    done = run.program("gst-launch-1.0", ["-v", *elements], 150, backend=backend, extra=extra)
    frames = len(re.findall(r"chain +\*{7}", done.out))
    return done, frames, read_copies(copies, max(frames, 1)) if count else None


def detector(model, backend):
    return ["!", "yolov10detect", f"model-file={model}", f"backend={backend}", "name=d"]


SINK = ["!", "fakesink", "silent=false", "sync=false"]


def measure(run, elements, before):
    """Runs a pipeline with the detector and compares its copies with those of
    one without."""
    done, frames, copies = launch(run, elements, "cuda")
    extra = None
    if copies is not None and before is not None:
        extra = sum(n - before.get(k, 0) for k, n in copies.items() if n > before.get(k, 0))
    active = re.search(r"active-backend = (\S+)", done.out)
    last = "o" if "name=o" in elements else "d"
    return {"exit": done.status, "frames": frames,
            "active_backend": active.group(1) if active else None,
            "cuda_memory": bool(re.search(
                rf"GstYolov10\w+:{last}\.GstPad:src: caps = .*memory:CUDAMemory", done.out)),
            "copies_a_frame": copies, "host_copies_of_frames": extra,
            "end": "" if done.status == 0 else done.out[-400:]}


def on_gpu(run):
    tried = []
    for name, elements in sources(run):
        before, frames, copies = launch(run, elements + SINK, "cuda")
        if before.status != 0 or not frames:
            tried.append({"source": name, "exit": before.status, "end": before.out[-400:]})
            continue
        detect = elements + detector(run.model(), "cuda")
        out = {"backend": "cuda", "source": name, "frames_without": frames,
               "copies_without": copies, "tried": tried, **measure(run, detect + SINK, copies)}
        run.keep(out)
        out["overlay"] = measure(run, detect + ["!", "yolov10overlay", "name=o"] + SINK, copies)
        return out
    raise RuntimeError("no source of frames in CUDA memory: " + json.dumps(tried))


def step(run):
    if run.has_gpu:
        return on_gpu(run)
    done, frames, _ = launch(run, [
        "videotestsrc", "num-buffers=5", "!", "videoconvert", "!",
        CAPS] + detector(run.model(), "cpu") + ["!", "yolov10overlay"] + SINK, "cpu", count=False)
    active = re.search(r"active-backend = (\S+)", done.out)
    return {"backend": "cpu", "source": "videotestsrc", "exit": done.status, "frames": frames,
            "active_backend": active.group(1) if active else None,
            "end": "" if done.status == 0 else done.out[-400:]}
