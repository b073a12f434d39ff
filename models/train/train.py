#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Trains the code detector, or a small part of it.

usage: train.py FOLDER [--quick] [--device cpu|cuda]

Makes the pictures, trains in stages of growing size and writes
FOLDER/codes.safetensors, which model-file takes. Everything else in FOLDER is
for going on after a stop: the same command again. --quick: ball and QR code at
160 pixels, in minutes. Needs torch, opencv-python-headless and zxing-cpp (3 or
newer) from PyPI. The full recipe has not been run to its end yet.
"""
import argparse
import json
import math
import os
import time
from typing import NamedTuple

import numpy as np
import torch

import data
import evaluate
from codes import LABELS
from yolov10 import loss, model, shapes, weights

SEED = 20261


class Stage(NamedTuple):
    pictures: str               # which set
    sizes: tuple                # of the input, one drawn a batch
    batch: int
    steps: int
    mosaics: float = 0.0        # share of them
    heads: bool = False         # only the one2one head learns


class Recipe(NamedTuple):
    config: shapes.Config
    labels: tuple
    sets: dict                  # name: (first seed, pictures, size)
    stages: tuple
    imgsz: int
    rate: float = 2e-3
    one: float = 3.0            # times the rate: the one2one head lags


SMALL = {"widths": (16, 16, 32, 64, 128), "depths": (1, 2, 2, 1), "cib": (22,), "large": (22,),
         "hidden": 16, "box": 32, "cls": 32}
FULL = Recipe(
    shapes.Config(len(LABELS), **SMALL), LABELS,
    {"small": (0, 24000, 320), "large": (1 << 20, 18000, 640)},
    (Stage("small", (224, 256, 288), 32, 4200, 0.15),
     Stage("large", (352, 384, 416, 448), 32, 2000, 0.1),
     Stage("large", (384, 416, 416, 448, 512, 576, 640), 24, 1900),
     Stage("large", (416, 416, 640), 24, 300, heads=True)),
    416)
QUICK = Recipe(
    shapes.Config(2, (16, 16, 32, 64, 64), (1, 1, 1, 1), (22,), (), hidden=16, box=32, cls=32),
    ("ball", "qr-code"), {"small": (0, 3000, 160)},
    (Stage("small", (160,), 32, 600),), 160, rate=4e-3)


def initialise(net):
    """Scores begin low, as most anchors are background; distances short."""
    head = net.model[23]
    for prefix in ("", "one2one_"):
        for box, cls, stride in zip(getattr(head, prefix + "cv2"), getattr(head, prefix + "cv3"),
                                    model.STRIDES):
            torch.nn.init.constant_(box[-1].bias, 1.0)
            torch.nn.init.constant_(cls[-1].bias, math.log(5 / cls[-1].out_channels / (640 / stride) ** 2))


def groups(net, recipe):
    """The one2one head learns faster; biases and norms do not decay."""
    sets = {}
    for name, p in net.named_parameters():
        one = "one2one" in name
        decay = p.ndim > 1
        sets.setdefault((one, decay), []).append(p)
    return [{"params": ps, "lr": recipe.rate, "scale": recipe.one if one else 1.0, "one": one,
             "weight_decay": 0.03 if decay else 0.0} for (one, decay), ps in sets.items()]


class Trainer:
    def __init__(self, folder, recipe, device):
        self.folder, self.recipe, self.device = folder, recipe, device
        torch.manual_seed(SEED)
        self.net = model.YOLOv10(shapes.shapes(recipe.config)).to(device, memory_format=torch.channels_last)
        initialise(self.net)
        self.average = {k: v.clone() for k, v in self.net.state_dict().items()}
        self.optimizer = torch.optim.AdamW(groups(self.net, recipe))
        self.step, self.seconds, self.log = 0, 0.0, []
        self.total = sum(s.steps for s in recipe.stages)

    @property
    def state_path(self):
        return os.path.join(self.folder, "state.pt")

    def save(self):
        state = {"net": self.net.state_dict(), "average": self.average, "step": self.step,
                 "optimizer": self.optimizer.state_dict(), "seconds": self.seconds, "log": self.log}
        torch.save(state, self.state_path + ".new")
        os.replace(self.state_path + ".new", self.state_path)

    def load(self):
        if not os.path.exists(self.state_path):
            return
        state = torch.load(self.state_path, map_location=self.device, weights_only=False)
        self.net.load_state_dict(state["net"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.average, self.step = state["average"], state["step"]
        self.seconds, self.log = state["seconds"], state["log"]
        print(f"going on at step {self.step} of {self.total}", flush=True)

    def rates(self, heads):
        warm = min(1.0, (self.step + 1) / min(300, self.total / 10))
        cosine = 0.02 + 0.98 * (1 + math.cos(math.pi * self.step / self.total)) / 2
        for group in self.optimizer.param_groups:
            own = group["one"] or not heads
            group["lr"] = self.recipe.rate * group["scale"] * warm * cosine * own

    def update_average(self):
        keep = 0.9985 * (1 - math.exp(-(self.step + 1) / 300))
        for name, value in self.net.state_dict().items():
            if value.dtype.is_floating_point:
                self.average[name].lerp_(value.to(self.average[name].dtype), 1 - keep)
            else:
                self.average[name].copy_(value)

    def learn(self, x, classes, boxes, heads):
        x = torch.from_numpy(x).to(self.device, memory_format=torch.channels_last)
        classes, boxes = (torch.from_numpy(v).to(self.device) for v in (classes, boxes))
        self.rates(heads)
        with torch.autocast(self.device, torch.bfloat16):
            outputs = self.net(x.float() / 255)
        value, parts = loss.loss(outputs, classes, boxes)
        self.optimizer.zero_grad(set_to_none=True)
        value.backward()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 10.0)
        self.optimizer.step()
        self.update_average()
        self.step += 1
        return parts

    def run(self):
        self.load()
        begin = 0
        for number, stage in enumerate(self.recipe.stages):
            end = begin + stage.steps
            if self.step < end:
                self.run_stage(number, stage, begin)
            begin = end

    def run_stage(self, number, stage, begin):
        pictures = data.Pictures(os.path.join(self.folder, stage.pictures))
        self.net.train()
        if stage.heads:
            # What the other head has found must not move under this one.
            for name, module in self.net.named_modules():
                if isinstance(module, torch.nn.BatchNorm2d) and "one2one" not in name:
                    module.eval()
        sums, started, saved = np.zeros(6), time.monotonic(), time.monotonic()
        for x, classes, boxes in data.batches(pictures, stage.sizes, stage.batch, SEED + number,
                                              self.step - begin, stage.steps, stage.mosaics):
            sums += self.learn(x, classes, boxes, stage.heads)
            now = time.monotonic()
            if self.step % 50 == 0 or self.step == begin + stage.steps:
                self.seconds += now - started
                started = now
                self.log.append((self.step, self.seconds, *(sums / 50)))
                print(f"step {self.step}/{self.total} {self.seconds / 60:.1f} min size "
                      f"{x.shape[-1]} loss {' '.join(f'{v / 50:.3f}' for v in sums)}", flush=True)
                sums[:] = 0
            if now - saved > 120 or self.step == begin + stage.steps:
                self.save()
                saved = now

    def export(self, path):
        """The average, BatchNorm folded, in half precision."""
        net = model.from_tensors(self.average).fuse()
        tensors = {k: v.half() for k, v in net.state_dict().items()}
        weights.write(path, tensors, {
            "names": json.dumps(dict(enumerate(self.recipe.labels))),
            "imgsz": str(self.recipe.imgsz), "license": "LGPL-2.1-or-later"})
        return net


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1][7:])
    parser.add_argument("folder")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args = parser.parse_args()
    recipe = QUICK if args.quick else FULL
    os.makedirs(args.folder, exist_ok=True)
    for name, (seed, n, size) in recipe.sets.items():
        print(f"{n} pictures of {size} pixels", flush=True)
        data.make(os.path.join(args.folder, name), seed, n, size, recipe.labels)
    trainer = Trainer(args.folder, recipe, args.device)
    trainer.run()
    path = os.path.join(args.folder, "codes.safetensors")
    net = trainer.export(path)
    found = evaluate.synthetic(net, recipe, 1 << 30, 300)
    print(f"{path}: {trainer.seconds / 60:.1f} min, AP50 {found:.3f} on 300 new pictures")


if __name__ == "__main__":
    main()
