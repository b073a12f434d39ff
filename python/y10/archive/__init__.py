# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Detects objects in an archive of videos and pictures, on a Ray cluster or on this machine.

    python -m y10.archive OUT INPUT... --local 4 -- --model best.pt
    python -m y10.archive OUT INPUT... --address auto -- --model best.pt

``y10 segments`` cuts the inputs, tasks run ``y10 detect --store`` on the segments, and the results
of all inputs are merged in order into ``OUT/results.jsonl``, which has the bytes that ``y10 detect``
prints on one machine, and with ``--parquet`` into ``OUT/detections.parquet``. The store makes tasks
safe to repeat: those of a dead node run again elsewhere, and a second run of the same command only
does what is missing. Inputs that fail are listed in ``OUT/failed.jsonl`` and do not stop the rest.

On a cluster, OUT, the inputs and the model must have the same paths on every node, and every node
needs ``y10`` and ``setpriv`` (util-linux), but not this package.
"""
