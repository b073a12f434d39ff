#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Compares yolov10track with ByteTrack of the package `trackers`, on the same detections.

usage: evaluate.py [--seeds N | --seeds FIRST-LAST] [--options "PROPERTIES"] [--scene MODEL PICTURE]
                   [--ioutracker COMMAND] BUILD

The ground truth is that of TUD-Stadtmitte and TUD-Campus, which the package motmetrics has:
people who walk past and behind each other. Detections are made of it: 10 % are missing, edges
jitter by 4 %, confidences vary, and there are false ones. Ours go through the element, with
metadata in and metadata out; those below 0.4 are the weak ones. Frames without a result are not
shown to `trackers`, which counts in frames. A late result is judged by the truth of the frame that
shows it: `trackers` has the boxes as they were, ours are where they are expected by then.

Printed are the means over all seeds of HOTA, IDF1 and the number of switched identities; then
the IoU with the truth of frames without a result, of held boxes and of the places that the
tracker expects; then the time that the element takes for a frame. With --scene, the people of the
picture walk behind pillars, and what the model detects is followed with and without the weak boxes.
With --ioutracker, GStreamer's tracker of that name (1.26) follows the same confident boxes, with its
defaults and in the frames that have a result. COMMAND runs the replay of a build against such a
GStreamer, such as "chroot DIR /src/build/tests/track/replay".

Needs the packages trackers, motmetrics and trackeval.
"""
import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
import warnings

warnings.filterwarnings("ignore")
import numpy as np

# Packages of the time before NumPy 2.
for kind in (float, int, bool):
    if kind.__name__ not in np.__dict__:
        setattr(np, kind.__name__, kind)
if "asfarray" not in np.__dict__:
    np.asfarray = lambda a, dtype=float: np.asarray(a, dtype=dtype)

import cv2
import motmetrics
import supervision
import trackeval
from trackers import ByteTrackTracker

SEQUENCES = ("TUD-Stadtmitte", "TUD-Campus")
SIZE = (640, 480)
FRAME = 40_000_000      # nanoseconds, at 25 frames/s
CONFIDENT, LEAST = 0.4, 0.1
OPTIONS = f"track-thresh={CONFIDENT} new-thresh={CONFIDENT} weak-thresh={LEAST}"
NONE = np.zeros((0, 5))


def truth(sequence):
    """Rows of frame, identity, left, top, width, height."""
    folder = os.path.join(os.path.dirname(motmetrics.__file__), "data")
    return np.loadtxt(os.path.join(folder, sequence, "gt.txt"), delimiter=",")[:, :6]


def detect(rows, seed):
    """{frame: (boxes of left, top, right, bottom; confidences)}"""
    random, found = np.random.default_rng(seed), {}
    for frame in range(1, int(rows[:, 0].max()) + 1):
        boxes = rows[rows[:, 0] == frame][:, 2:6]
        boxes = boxes[random.random(len(boxes)) > 0.1]
        jitter = random.normal(0, 0.04, (len(boxes), 4)) * boxes[:, [2, 3, 2, 3]]
        boxes = boxes + jitter
        confidence = np.clip(random.normal(0.7, 0.2, len(boxes)), 0.12, 0.98)
        n = random.poisson(0.3)
        false = np.c_[random.uniform(0, 560, n), random.uniform(0, 300, n),
                      random.uniform(30, 80, n), random.uniform(80, 200, n)]
        boxes = np.r_[boxes, false]
        confidence = np.r_[confidence, random.uniform(LEAST, 0.6, n)]
        boxes = np.c_[boxes[:, :2], boxes[:, :2] + boxes[:, 2:]]
        boxes = np.clip(boxes, 0, [SIZE[0], SIZE[1]] * 2)
        keep = (boxes[:, 2] - boxes[:, 0] >= 1) & (boxes[:, 3] - boxes[:, 1] >= 1)
        found[frame] = boxes[keep], confidence[keep]
    return found


def plain(rows):
    """Left, top, right, bottom as left, top, width, height."""
    return np.c_[rows[:, :2], rows[:, 2:4] - rows[:, :2]]


def follow_theirs(detections, inferred, confident=CONFIDENT):
    tracker = ByteTrackTracker(frame_rate=25, track_activation_threshold=confident,
                               high_conf_det_threshold=confident)
    found = {}
    for frame in inferred:
        boxes, confidence = detections[frame]
        out = tracker.update(supervision.Detections(
            xyxy=boxes.astype(np.float32), confidence=confidence.astype(np.float32),
            class_id=np.zeros(len(boxes), int)))
        ids = np.zeros(0) if out.tracker_id is None else np.array(out.tracker_id)
        found[frame] = np.c_[ids, plain(out.xyxy)][ids >= 0] if len(ids) else NONE
    return found


def replay(command, element, frames, confident=CONFIDENT):
    """Runs the element. @frames: (time, age, boxes, confidences) each, in nanoseconds. Returns
    (ids of confident detections, objects, nanoseconds) of each."""
    lines = []
    for time, age, boxes, confidence in frames:
        strong = confidence >= confident
        lines.append(f"{time} {age} {strong.sum()} {(~strong).sum()}")
        lines += [" ".join(f"{x:.4f}" for x in (*box, c)) for chosen in (strong, ~strong)
                  for box, c in zip(boxes[chosen], confidence[chosen])]
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "GST_REGISTRY": os.path.join(folder, "registry")}
        if len(command) == 1:
            environment |= {"GST_PLUGIN_PATH": os.path.join(os.path.dirname(command[0]), "../../gst"),
                            "GST_PLUGIN_SYSTEM_PATH_1_0": ""}
        out = subprocess.run([*command, *map(str, SIZE), *element.split()], input="\n".join(lines) + "\n",
                             text=True, check=True, stdout=subprocess.PIPE, env=environment).stdout
    words, results = iter(out.split()), []
    for _ in frames:
        assert next(words) == "frame"
        n_boxes, n_objects, time = int(next(words)), int(next(words)), int(next(words))
        ids = [int(next(words)) for _ in range(n_boxes)]
        objects = np.array([[float(next(words)) for _ in range(5)] for _ in range(n_objects)]).reshape(-1, 5)
        objects[:, 3:] -= objects[:, 1:3]
        results.append((ids, objects, time))
    return results


def follow_iou(command, detections, inferred):
    """What ioutracker follows."""
    found = {}
    sent = [(frame * FRAME, 0, *detections[frame]) for frame in inferred]
    for frame, (ids, _, _) in zip(inferred, replay(command, "ioutracker", sent)):
        boxes, confidence = detections[frame]
        found[frame] = np.c_[ids, plain(boxes[confidence >= CONFIDENT])][np.array(ids, int) >= 0] if ids else NONE
    assert any(len(boxes) for boxes in found.values()), "ioutracker gives no ids"
    return found


def ours(build, options):
    """What runs the element with these properties."""
    return [os.path.join(build, "tests/track/replay")], f"yolov10track {options}"


def follow_ours(build, options, detections, inferred, late):
    """Returns what was followed in the inferred frames, and of the others the held boxes and the
    expected places."""
    frames = sorted(detections)
    shown = {}          # the frame whose result each frame shows
    for frame in frames:
        done = [f for f in inferred if f + late <= frame]
        shown[frame] = done[-1] if done else None
    nothing = np.zeros((0, 4)), np.zeros(0)
    sent = [(frame * FRAME, -1 if shown[frame] is None else (frame - shown[frame]) * FRAME,
             *(nothing if shown[frame] is None else detections[shown[frame]])) for frame in frames]
    found, held, expected = {}, {}, {}
    for frame, (ids, objects, _), (_, _, boxes, confidence) in zip(frames, replay(*ours(build, options), sent), sent):
        strong = boxes[confidence >= CONFIDENT]
        assert len(ids) == len(strong), f"frame {frame}: {len(ids)} detections of {len(strong)}"
        held[frame] = np.c_[ids, plain(strong)][np.array(ids, int) >= 0] if ids else NONE
        expected[frame] = objects
        if shown[frame] == frame - late:
            # Detections with ids, and the places of objects that a weak box continued.
            weak = objects[[i not in ids for i in objects[:, 0].astype(int)]]
            found[frame] = objects if late else np.r_[held[frame], weak]
    return found, held, expected, shown


def iou(a, b):
    if not len(a) or not len(b):
        return np.zeros((len(a), len(b)))
    low = np.maximum(a[:, None, :2], b[None, :, :2])
    high = np.minimum(a[:, None, :2] + a[:, None, 2:], b[None, :, :2] + b[None, :, 2:])
    both = np.clip(high - low, 0, None).prod(2)
    return both / (a[:, 2:].prod(1)[:, None] + b[:, 2:].prod(1)[None] - both)


def score(rows, found, frames):
    """HOTA, IDF1, switches."""
    events = motmetrics.MOTAccumulator(auto_id=True)
    numbers, theirs = {}, {}
    data = {"gt_ids": [], "tracker_ids": [], "similarity_scores": [], "num_gt_dets": 0, "num_tracker_dets": 0}
    for frame in frames:
        real, seen = rows[rows[:, 0] == frame], found.get(frame, NONE)
        same = iou(real[:, 2:6], seen[:, 1:5])
        events.update(real[:, 1].astype(int).tolist(), seen[:, 0].astype(int).tolist(),
                      np.where(same >= 0.5, 1 - same, np.nan))
        data["gt_ids"].append(np.array([numbers.setdefault(int(i), len(numbers)) for i in real[:, 1]], int))
        data["tracker_ids"].append(np.array([theirs.setdefault(int(i), len(theirs)) for i in seen[:, 0]], int))
        data["similarity_scores"].append(same)
        data["num_gt_dets"] += len(real)
        data["num_tracker_dets"] += len(seen)
    data.update(num_gt_ids=len(numbers), num_tracker_ids=len(theirs), num_timesteps=len(frames))
    hota = trackeval.metrics.HOTA().eval_sequence(data)["HOTA"].mean()
    events = motmetrics.metrics.create().compute(events, metrics=["idf1", "num_switches"], name="all").iloc[0]
    return np.array([hota, events.idf1, events.num_switches])


def overlaps(rows, held, expected, shown):
    """The IoU with the truth, of held boxes and of expected places, in frames that show an earlier
    result. Who is who is decided in the frame of the result, where held boxes belong."""
    pairs = []
    for frame, earlier in shown.items():
        if earlier in (None, frame):
            continue
        then, now = rows[rows[:, 0] == earlier], rows[rows[:, 0] == frame]
        places = {row[0]: row[1:] for row in expected[frame]}
        for found in held[frame]:
            same = iou(found[None, 1:], then[:, 2:6])[0]
            real = now[now[:, 1] == then[same.argmax(), 1]] if same.max(initial=0) >= 0.5 else now[:0]
            if len(real) and found[0] in places:
                pairs.append((iou(real[:, 2:6], found[None, 1:])[0, 0],
                              iou(real[:, 2:6], places[found[0]][None])[0, 0]))
    return pairs


def infer(build, model, path, confidence):
    """(boxes, confidences) of the people in each picture or frame."""
    out = subprocess.run([os.path.join(build, "tools/y10"), "detect", "--model", model, "--classes", "person",
                          "--confidence", str(confidence), path],
                         check=True, stdout=subprocess.PIPE, text=True).stdout
    found = []
    for line in out.splitlines():
        line = json.loads(line)
        people = [o["detection"] for o in line["objects"]]
        boxes = [[p["bounding_box"][k] for k in ("x_min", "y_min", "x_max", "y_max")] for p in people]
        size = [line["resolution"]["width"], line["resolution"]["height"]] * 2
        found.append((np.array(boxes).reshape(-1, 4) * size, np.array([p["confidence"] for p in people])))
    return found


def render(path, people):
    """Writes a video in which people walk behind pillars and each other. Returns the truth."""
    (width, height), rows = SIZE, []
    with open(path, "wb") as file:
        file.write(f"YUV4MPEG2 W{width} H{height} F25:1 Ip A1:1 C420jpeg\n".encode())
        for n in range(200):
            canvas = np.full((height, width, 3), 190, np.uint8)
            for i, (start, y, step) in enumerate(((0, 10, 2.6), (40, 165, 2.2), (520, 170, -1.9), (560, 325, -2.7))):
                person = people[i % len(people)]
                person = cv2.resize(person, (int(person.shape[1] * 145 / person.shape[0]), 145))
                x = int(start + step * n)
                left, right = max(x, 0), min(x + person.shape[1], width)
                if right - left < person.shape[1] / 2:
                    continue
                canvas[y:y + 145, left:right] = person[:, left - x:right - x]
                rows.append((n + 1, i + 1, left, y, right - left, 145))
            for left in (140, 300, 460):
                canvas[:, left:left + 32] = 90
            file.write(b"FRAME\n" + cv2.cvtColor(canvas, cv2.COLOR_BGR2YUV_I420).tobytes())
    return np.array(rows, float)


def occlude(build, model, picture):
    """Real detections of people who are hidden, with and without the weak ones."""
    image = cv2.imread(picture)
    boxes, _ = infer(build, model, picture, 0.5)[0]
    people = [image[int(y0):int(y1), int(x0):int(x1)] for x0, y0, x1, y1 in boxes[:3]]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "scene.y4m")
        rows = render(path, people)
        found = infer(build, model, path, LEAST)
    frames = [((i + 1) * FRAME, 0, *one) for i, one in enumerate(found)]
    n_weak = sum(int((confidence < 0.25).sum()) for _, confidence in found)
    print(f"\npeople behind pillars, {len(frames)} frames, {n_weak} weak boxes: HOTA, IDF1, switched "
          "identities, ids")
    theirs = follow_theirs({n + 1: one for n, one in enumerate(found)}, range(1, len(found) + 1), 0.25)
    for title, options in (("trackers", None), ("with weak boxes", f"weak-thresh={LEAST}"),
                           ("without", "weak-thresh=1")):
        if options:
            results = replay(*ours(build, f"track-thresh=0.25 new-thresh=0.25 {options}"), frames, 0.25)
            found = {n + 1: objects for n, (_, objects, _) in enumerate(results)}
        else:
            found = theirs
        mean = score(rows, found, list(found))
        n_ids = len({i for objects in found.values() for i in objects[:, 0]})
        print(f"  {title:16} {mean[0]:.4f} {mean[1]:.4f} {mean[2]:3.0f} {n_ids:3}")


def measure(build):
    print("\nprocessor time of the element for a frame with a new result, in µs")
    for n in (10, 100, 300):
        random = np.random.default_rng(n)
        columns = int(np.ceil(np.sqrt(n)))
        place = np.array([(i % columns, i // columns) for i in range(n)], float)
        cell = np.array(SIZE) / columns
        frames = []
        for i in range(100):
            at = place * cell + random.normal(0, 0.02, (n, 2)) * cell + 0.1 * cell * np.sin(i / 10)
            at = np.clip(at, 0, np.array(SIZE) - 0.7 * cell)
            frames.append((i * FRAME, 0, np.c_[at, at + 0.7 * cell], random.uniform(0.5, 0.9, n)))
        results = replay(*ours(build, OPTIONS), frames)
        times = sorted(time for _, _, time in results[10:])
        kept = len({i for ids, _, _ in results for i in ids})
        print(f"  {n:3} objects: median {times[len(times) // 2] / 1000:6.0f}, "
              f"95 % {times[len(times) * 95 // 100] / 1000:6.0f} ({kept} ids)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="10")
    parser.add_argument("--options", default="")
    parser.add_argument("--scene", nargs=2, metavar=("MODEL", "PICTURE"))
    parser.add_argument("--ioutracker", metavar="COMMAND", type=shlex.split)
    parser.add_argument("build")
    given = parser.parse_args()
    build = os.path.abspath(given.build)
    first, _, last = given.seeds.rpartition("-")
    seeds = range(int(first), int(last) + 1) if first else range(int(last))
    options = f"{OPTIONS} {given.options}"
    failed = False
    print(f"{len(seeds)} seeds from {seeds[0]}: HOTA, IDF1, switched identities\n")
    for title, every, late in (("every frame", 1, 0), ("every third frame", 3, 0),
                               ("every third frame, two frames late", 3, 2)):
        names = ["trackers", "yolov10track"] + ["ioutracker"] * bool(given.ioutracker)
        pairs, means = [], {name: [] for name in names}
        for sequence in SEQUENCES:
            rows, scores = truth(sequence), {name: [] for name in names}
            for seed in seeds:
                detections = detect(rows, seed)
                # Late results of the last frames never come.
                inferred = [f for f in sorted(detections) if (f - 1) % every == 0 and f + late <= max(detections)]
                # Each against the truth of the frame that shows the result.
                frames = [f + late for f in inferred]
                theirs = follow_theirs(detections, inferred)
                scores["trackers"].append(score(rows, {f + late: b for f, b in theirs.items()}, frames))
                found, held, expected, shown = follow_ours(build, options, detections, inferred, late)
                scores["yolov10track"].append(score(rows, found, frames))
                pairs += overlaps(rows, held, expected, shown)
                if given.ioutracker:
                    found = follow_iou(given.ioutracker, detections, inferred)
                    scores["ioutracker"].append(score(rows, {f + late: b for f, b in found.items()}, frames))
            for name, values in scores.items():
                mean = np.mean(values, 0)
                means[name].append(mean)
                print(f"{title:36} {sequence:16} {name:13} {mean[0]:.4f} {mean[1]:.4f} {mean[2]:5.2f}", flush=True)
        behind = np.mean(means["trackers"], 0)[0] - np.mean(means["yolov10track"], 0)[0]
        failed |= behind > 0.005
        if pairs:
            old, new = np.mean(pairs, 0)
            failed |= new <= old
            print(f"{title:36} {len(pairs)} boxes of earlier results: IoU held {old:.3f}, "
                  f"expected {new:.3f}")
    if given.scene:
        occlude(build, *given.scene)
    measure(build)
    print("\nHOTA is more than 0.005 below, or held boxes are nearer" if failed else "\nas good or better")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
