# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Synthetic pictures of codes and markers, generated from a seed."""

# In the order of the model's outputs.
LABELS = ("ball", "barcode", "qr-code", "data-matrix", "aztec", "pdf417", "marker")
