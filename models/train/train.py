#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Trains the code detector, or a small part of it.

usage: train.py FOLDER [--recipe full|quick] [--begin MODEL] [--device cpu|cuda]

Generates the pictures, trains in stages of growing size and writes FOLDER/codes.safetensors, for
model-file, and FOLDER/log.json, for curve.py. All other files in FOLDER let the same command
continue after a stop. quick: ball and QR code at 160 pixels, in minutes. Fails if the average
precision is lower than the recipe's minimum. --begin: starts with the weights of an exported model
instead of random ones. Needs torch, opencv-python-headless and zxing-cpp (3 or newer) from PyPI;
reproduce.sh installs them.
"""
import argparse
import json
import math
import multiprocessing
import os
import sys
import time
from typing import NamedTuple

import cv2
import numpy as np
import torch

import data
import evaluate
from codes import LABELS, scene
from yolov10 import loss, model, shapes, weights

SEED = 20261
CONFIDENCE = 0.25
CALIBRATION = (1 << 31, 600)    # first seed, pictures
SETTLING = 20                   # batches
# A network this small gives some objects two boxes: NMS follows (models/README.md).
HEAD = "one2one-nms"


class Set(NamedTuple):
    first_seed: int
    number: int                 # of pictures
    size: int                   # pixels of their longer side
    lures: float = 0.0          # additional share of pictures without a code


class Stage(NamedTuple):
    pictures: str               # the set's name
    sizes: tuple                # input sizes, one drawn per batch
    batch: int
    steps: int
    mosaics: float = 0.0        # share of mosaics
    zooms: float = 0.0          # share of enlarged parts of pictures
    one2one: bool = True        # the head is trained; it starts as a copy of the other head
    joint: bool = False         # its gradient also reaches the features
    many: float = 1.0           # weight of the one2many head's loss; 0: the head is frozen
    cls: float = 1.0            # factor of the classes' weight


class Cycle(NamedTuple):
    rate: float                 # initial learning rate; it falls to a hundredth
    stages: tuple


class Recipe(NamedTuple):
    config: shapes.Config
    labels: tuple
    sets: dict                  # name: Set
    cycles: tuple               # the model is the mean of the last two cycles' results
    imgsz: int
    judge: tuple                # first seed and number of test pictures
    least: float                # the least AP50 on them
    half: bool = True           # train in bfloat16
    one: float = 2.0            # factor of the one2one head's learning rate, as it lags
    kinds: float = 1.0          # share of distinguishing classes in their weight

    @property
    def stages(self):
        return [stage for cycle in self.cycles for stage in cycle.stages]


SMALL = {"widths": (16, 16, 32, 64, 128), "depths": (1, 2, 2, 1), "cib": (22,), "large": (22,),
         "hidden": 16, "box": 32, "cls": 32}


def turn(pictures):
    """Trains everything on new pictures, then only the one2one head, at a third of the cost: it
    still has to learn which of the anchors that detect an object should report it."""
    return Cycle(5e-4, (
        Stage(pictures, (256, 320, 416, 416, 512, 640, 640), 32, 320, 0.0, 0.5, joint=True,
              many=0.5, cls=3.0),
        Stage(pictures, (320, 416, 416, 640), 32, 450, 0.0, 0.35, many=0.0, cls=3.0)))


FULL = Recipe(
    shapes.Config(len(LABELS), **SMALL), LABELS,
    {"small": Set(0, 16000, 320), "large": Set(1 << 20, 20000, 640),
     # Non-codes are learnt last, too.
     **{f"turn{i}": Set(1 << 24 + i, 5000, 640, 0.3) for i in range(1, 4)}},
    (Cycle(2e-3, (
        Stage("small", (160, 192, 224, 256, 288, 320), 32, 2400, 0.15, 0.3, one2one=False),
        Stage("large", (288, 352, 384, 416, 480), 32, 600, 0.1, 0.3, one2one=False),
        # Codes that fill a picture of 640 pixels take long to learn.
        Stage("large", (256, 320, 416, 416, 512, 640), 32, 3300, 0.0, 0.5, joint=True, many=0.5,
              cls=3.0))),
     # By now the network finds the places, but confuses kinds of 2-D codes: it takes codes with
     # many modules for QR codes. Single codes teach the difference, small ones at a tenth of the
     # cost; without large ones, it forgot those.
     Cycle(2e-3, (Stage("large", (128, 160, 192, 192, 256, 256, 320, 640), 32, 3600, 0.0, 1.0,
                        joint=True, cls=6.0),)),
     *[turn(f"turn{i}") for i in range(1, 4)]),
    416, (1 << 30, 300), 0.75)
TINY = {"widths": (16, 16, 32, 64, 64), "depths": (1, 1, 1, 1), "cib": (22,), "hidden": 16,
        "box": 32, "cls": 32}
QUICK = Recipe(
    shapes.Config(2, **TINY), ("ball", "qr-code"), {"small": Set(0, 2000, 160)},
    (Cycle(4e-3, (Stage("small", (128, 160), 32, 240, one2one=False),
                  Stage("small", (160,), 32, 100, joint=True, many=0.5))),
     *[Cycle(1e-3, (Stage("small", (160,), 32, 15, joint=True, many=0.5),
                    Stage("small", (160,), 32, 15, many=0.0)))] * 2),
    # Single precision gives the same result on every CPU. A ball is hardly confused with a code.
    160, (1 << 30, 300), 0.5, half=False, kinds=0.0)
RECIPES = {"full": FULL, "quick": QUICK}


def initialise(net):
    """Initial scores are low, because most anchors are background; initial distances are short."""
    head = net.model[23]
    for prefix in ("", "one2one_"):
        for box, cls, stride in zip(getattr(head, prefix + "cv2"), getattr(head, prefix + "cv3"),
                                    model.STRIDES):
            torch.nn.init.constant_(box[-1].bias, 1.0)
            torch.nn.init.constant_(cls[-1].bias, math.log(5 / cls[-1].out_channels / (640 / stride) ** 2))


def groups(net, recipe):
    """Parameter groups: a higher rate for the one2one head; no weight decay for biases and
    norms."""
    sets = {}
    for name, p in net.named_parameters():
        one = "one2one" in name
        decay = p.ndim > 1
        sets.setdefault((one, decay), []).append(p)
    return [{"params": ps, "scale": recipe.one if one else 1.0, "one": one,
             "weight_decay": 0.03 if decay else 0.0} for (one, decay), ps in sets.items()]


class Trainer:
    def __init__(self, folder, recipe, device, begin=None):
        self.folder, self.recipe, self.device = folder, recipe, device
        torch.manual_seed(SEED)
        self.net = model.YOLOv10(shapes.shapes(recipe.config)).to(device, memory_format=torch.channels_last)
        initialise(self.net)
        if begin:
            # Tensors whose shape depends on the number of classes keep their initial values.
            own = self.net.state_dict()
            self.net.load_state_dict({k: v for k, v in weights.read(begin).items()
                                      if k in own and v.shape == own[k].shape}, strict=False)
        self.average = {k: v.clone() for k, v in self.net.state_dict().items()}
        self.optimizer = torch.optim.AdamW(groups(self.net, recipe))
        self.step, self.seconds, self.log, self.ends = 0, 0.0, [], []
        self.total = sum(s.steps for s in recipe.stages)

    @property
    def state_path(self):
        return os.path.join(self.folder, "state.pt")

    def save(self):
        state = {"net": self.net.state_dict(), "average": self.average, "step": self.step,
                 "optimizer": self.optimizer.state_dict(), "seconds": self.seconds, "log": self.log,
                 "ends": self.ends}
        torch.save(state, self.state_path + ".new")
        os.replace(self.state_path + ".new", self.state_path)

    def load(self):
        if not os.path.exists(self.state_path):
            return
        state = torch.load(self.state_path, map_location=self.device, weights_only=False)
        self.net.load_state_dict(state["net"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.average, self.step = state["average"], state["step"]
        self.seconds, self.log, self.ends = state["seconds"], state["log"], state["ends"]
        print(f"going on at step {self.step} of {self.total}", flush=True)

    def rates(self, cycle, begin):
        step, steps = self.step - begin, sum(stage.steps for stage in cycle.stages)
        warm = min(1.0, (step + 1) / min(300, steps / 10))
        # Flatter than a cosine, because the large pictures come late.
        fall = 0.01 + 0.99 * math.cos(math.pi / 2 * step / steps)
        for group in self.optimizer.param_groups:
            group["lr"] = cycle.rate * group["scale"] * warm * fall

    def begin_one2one(self):
        """Starts the one2one head as a copy of the one2many head, which detects objects by now: it
        still has to learn which anchor should report them."""
        for tensors in (self.net.state_dict(), self.average):
            for name, value in tensors.items():
                if ".one2one_" in name:
                    value.copy_(tensors[name.replace(".one2one_", ".")])

    def update_average(self):
        # Averages the last hundred steps: large pictures were learnt only in the last few hundred.
        keep = 0.99 * (1 - math.exp(-(self.step + 1) / 300))
        for name, value in self.net.state_dict().items():
            if value.dtype.is_floating_point:
                self.average[name].lerp_(value.to(self.average[name].dtype), 1 - keep)
            else:
                self.average[name].copy_(value)

    def learn(self, x, classes, boxes, stage):
        x = torch.from_numpy(x).to(self.device, memory_format=torch.channels_last)
        classes, boxes = (torch.from_numpy(v).to(self.device) for v in (classes, boxes))
        with torch.autocast(self.device, torch.bfloat16, enabled=self.recipe.half):
            outputs = self.net(x.float() / 255)
        value, parts = loss.loss(outputs, classes, boxes, stage.many, stage.cls,
                                 self.recipe.kinds)
        self.optimizer.zero_grad(set_to_none=True)
        value.backward()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 10.0)
        self.optimizer.step()
        self.update_average()
        self.step += 1
        return parts

    def run(self):
        self.load()
        begin, before, number = 0, None, 0
        for cycle in self.recipe.cycles:
            first = begin
            for stage in cycle.stages:
                if self.step == begin and before:
                    self.change(before, stage)
                if self.step < begin + stage.steps:
                    self.run_stage(number, stage, begin, cycle, first)
                begin, before, number = begin + stage.steps, stage, number + 1

    def change(self, before, stage):
        if stage.one2one and not before.one2one:
            self.begin_one2one()
        # The features are frozen from now on, so they must be the final ones.
        if not stage.many and not stage.joint:
            self.settle(before)

    def run_stage(self, number, stage, begin, cycle, first):
        pictures = data.Pictures(os.path.join(self.folder, stage.pictures), self.recipe.labels)
        self.net.learn(stage.many > 0, stage.one2one, stage.joint)
        sums, n, started, saved = np.zeros(6), 0, time.monotonic(), time.monotonic()
        for x, classes, boxes in data.batches(pictures, stage.sizes, stage.batch, SEED + number,
                                              self.step - begin, stage.steps, stage.mosaics, stage.zooms):
            self.rates(cycle, first)
            sums += self.learn(x, classes, boxes, stage)
            n += 1
            now = time.monotonic()
            ended = self.step == begin + stage.steps
            if self.step % 50 == 0 or ended:
                self.seconds += now - started
                started = now
                self.log.append((self.step, self.seconds, *(sums / n)))
                print(f"step {self.step}/{self.total} {self.seconds / 60:.1f} min size "
                      f"{x.shape[-1]} loss {' '.join(f'{v / n:.3f}' for v in sums)}", flush=True)
                sums[:], n = 0, 0
            if ended and stage is cycle.stages[-1]:
                self.settle(stage)
                self.ends.append({k: v.clone() for k, v in self.average.items()})
            if now - saved > 120 or ended:
                self.save()
                saved = now

    def settle(self, stage):
        """Loads the average into the network and recomputes the BatchNorm statistics of all
        trained modules: the averaged statistics belong to all earlier weights, and would undo the
        last steps of a short training."""
        self.net.load_state_dict(self.average)
        self.net.learn(stage.many > 0, stage.one2one, stage.joint)
        for module in self.net.modules():
            if isinstance(module, torch.nn.BatchNorm2d) and module.training:
                module.reset_running_stats()
                module.momentum = None  # the mean of all batches
        pictures = data.Pictures(os.path.join(self.folder, stage.pictures), self.recipe.labels)
        with torch.no_grad():
            for x, _classes, _boxes in data.batches(pictures, stage.sizes, stage.batch, SEED - 1, 0,
                                                    SETTLING, stage.mosaics, stage.zooms):
                x = torch.from_numpy(x).to(self.device, memory_format=torch.channels_last)
                self.net(x.float() / 255)
        for module in self.net.modules():
            if isinstance(module, torch.nn.BatchNorm2d):
                module.momentum = model.MOMENTUM
        self.average = {k: v.clone() for k, v in self.net.state_dict().items()}

    def finish(self):
        """The mean of the last two cycles' results is better than either (arXiv:1803.05407);
        earlier cycles were less advanced."""
        for name, value in self.average.items():
            if value.dtype.is_floating_point:
                value.copy_(torch.stack([end[name] for end in self.ends[-2:]]).mean(0))

    def calibrate(self):
        """Stretches the scores of each class around one half, so that CONFIDENCE, the elements'
        default, is the threshold with the best balance of the class's precision and recall,
        measured on pictures of no other set; or that of all classes, if it is lower. Recall weighs
        more (F1.4): a missed object is worse than a duplicate. Scores above one half stay
        above."""
        net = model.from_tensors(self.average).fuse()
        rows, truth = find_synthetic(net, self.recipe, *CALIBRATION)
        each = [evaluate.best_confidence([r[r[:, 5] == c] for r in rows],
                                         [t[t[:, 0] == c] for t in truth])
                for c in range(len(self.recipe.labels))]
        # Near one half the stretching would have no limit.
        best = np.clip(np.minimum(each, evaluate.best_confidence(rows, truth)), 0.01, 0.45)
        stretch = torch.from_numpy(np.log(CONFIDENCE / (1 - CONFIDENCE)) / np.log(best / (1 - best)))
        for name, value in self.average.items():
            if name.startswith("model.23.") and ".cv3." in name.replace("one2one_", "") \
                    and name.endswith((".2.weight", ".2.bias")):
                value *= stretch.to(value).reshape(-1, *[1] * (value.ndim - 1))
        for label, confidence in zip(self.recipe.labels, best):
            print(f"{label}: what was {confidence:.3f} is {CONFIDENCE} now", flush=True)

    def export(self, path):
        """Writes the average with both heads and unfolded BatchNorm, so that training can continue
        from it: matrices in half precision, vectors in single. Returns a model for inference from
        the written file."""
        tensors = {k: v.half() if v.ndim > 1 else v for k, v in self.average.items()
                   if not k.endswith("num_batches_tracked")}
        weights.write(path, tensors, {
            "names": json.dumps(dict(enumerate(self.recipe.labels))),
            "imgsz": str(self.recipe.imgsz), "head": HEAD, "license": "LGPL-2.1-or-later"})
        return model.from_tensors(weights.read(path)).fuse()


def synthetic(job):
    """A picture in the network's input format, and its objects."""
    seed, size, labels = job
    cv2.setNumThreads(1)
    picture, boxes = scene.make(seed, size, labels)
    boxes[:, 0] = [labels.index(scene.LABELS[int(c)]) for c in boxes[:, 0]]
    return data.wanted(*data.letterbox(picture, boxes, size))


@torch.no_grad()
def find_synthetic(net, recipe, first_seed, n):
    """Runs a fused model on n pictures of its input size; returns rows and truth for
    average_precision()."""
    net = net.float().cpu().eval()
    rows, truth = [], []
    jobs = [(seed, recipe.imgsz, recipe.labels) for seed in range(first_seed, first_seed + n)]
    # Not forked: a copy would wait for OpenCV's threads.
    with multiprocessing.get_context("spawn").Pool() as pool:
        for picture, boxes in pool.imap(synthetic, jobs, 8):
            x = torch.from_numpy(picture[:, :, ::-1].transpose(2, 0, 1).copy()).float()[None] / 255
            found = net(x)[0].numpy()
            rows.append(found[found[:, 4] > 0.01])
            truth.append(boxes[:, :5])
    return rows, truth


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1][7:])
    parser.add_argument("folder")
    parser.add_argument("--recipe", choices=RECIPES, default="full")
    parser.add_argument("--begin", metavar="MODEL")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args = parser.parse_args()
    recipe = RECIPES[args.recipe]
    os.makedirs(args.folder, exist_ok=True)
    for name, pictures in recipe.sets.items():
        print(f"{pictures.number} pictures of {pictures.size} pixels", flush=True)
        data.make(os.path.join(args.folder, name), *pictures, recipe.labels)
    trainer = Trainer(args.folder, recipe, args.device, args.begin)
    trainer.run()
    path = os.path.join(args.folder, "codes.safetensors")
    trainer.finish()
    trainer.calibrate()
    net = trainer.export(path)
    with open(os.path.join(args.folder, "log.json"), "w", encoding="utf-8") as f:
        json.dump(trainer.log, f)
    found = evaluate.average_precision(*find_synthetic(net, recipe, *recipe.judge))
    print(f"{path}: {trainer.seconds / 60:.1f} min, AP50 {found:.3f} on {recipe.judge[1]} pictures")
    if found < recipe.least:
        sys.exit(f"worse than expected: AP50 {recipe.least}")


if __name__ == "__main__":
    main()
