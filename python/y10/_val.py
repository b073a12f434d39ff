# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Accuracy on annotated pictures, measured by the command y10 val."""
from __future__ import annotations

import json
import os
import subprocess
import warnings
from typing import Any, Dict, Optional

from ._command import COMMAND
from ._weights import PathLike

#: What Ultralytics calls the arguments of val().
HINTS = {"imgsz": "size", "device": "backend", "half": "precision", "weights": "model",
         "save_json": "save_detections", "plots": "plot", "conf": "confidence",
         "max_det": "max_detections", "agnostic_nms": "class_agnostic_nms"}
OPTIONS = ("labels", "images", "detections", "save_detections", "plot", "backend", "precision",
           "head", "size", "threads", "confidence", "classes", "max_detections", "iou",
           "class_agnostic_nms", "split")


def val(data: PathLike, model: Optional[PathLike] = None, *, command: str = COMMAND,
        **options: Any) -> Dict[str, Any]:
    """How well a model finds the objects that are known to be in pictures: what
    `y10 val --json -` prints, with ap, ap50, classes, confusion and more. Pictures that cannot
    be read are left out, with a warning; their number is unread.

    Args:
        data: a JSON file of COCO, or a data.yaml of Ultralytics.
        model: weights; None for the bundled model.
        command: the command y10, or its path; by default that of the package.
        options: those of `y10 val` with _ for -: labels, images, detections, save_detections,
            plot, backend, precision, head, size, threads, confidence, classes (text),
            max_detections, iou, class_agnostic_nms (True or False), split.

    Raises:
        FileNotFoundError: the command is not installed.
        RuntimeError: the command failed; the message is its own.
        TypeError: there is no such option.
    """
    arguments = [command, "val", "--json", "-"]
    for name, value in dict(options, model=model).items():
        if name not in OPTIONS + ("model",):
            hint = f"; did you mean {HINTS[name]}?" if name in HINTS else ""
            raise TypeError(f"val() has no argument {name!r}{hint}")
        if value is True:
            arguments.append(f"--{name.replace('_', '-')}")
        elif value is not None and value is not False:
            text = value if isinstance(value, (int, float)) else os.fspath(value)
            arguments.append(f"--{name.replace('_', '-')}={os.fsdecode(str(text))}")
    try:
        done = subprocess.run(arguments + ["--", os.fsdecode(data)], check=False,
                              capture_output=True, text=True)
    except FileNotFoundError:
        raise FileNotFoundError(f"val() runs the command {command}, which is not installed; the "
                                "argument command takes its path") from None
    if not done.stdout:
        raise RuntimeError(done.stderr.strip() or f"{command} ended with status {done.returncode}")
    result: Dict[str, Any] = json.loads(done.stdout)
    if done.returncode:
        warnings.warn(done.stderr.strip(), RuntimeWarning, stacklevel=2)
    return result
