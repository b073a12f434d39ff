#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Plots the losses of a training.

usage: curve.py LOG.json OUT.png
"""
import json
import sys

import matplotlib
matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402  pylint: disable=wrong-import-position

PARTS = ("box (CIoU)", "classes", "box (DFL)")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as f:
        log = json.load(f)
    minutes = [row[1] / 60 for row in log]
    figure, axes = pyplot.subplots(1, 3, figsize=(10, 3), sharex=True)
    for k, (name, axis) in enumerate(zip(PARTS, axes)):
        for head, first in (("one2many", 2), ("one2one", 5)):
            # A head that is not trained yet has no loss.
            values = [row[first + k] or float("nan") for row in log]
            axis.plot(minutes, values, linewidth=1, label=head)
        axis.set_title(name, fontsize=9)
        axis.set_xlabel("minutes", fontsize=8)
        axis.tick_params(labelsize=7)
    axes[0].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(sys.argv[2], dpi=80)


if __name__ == "__main__":
    main()
