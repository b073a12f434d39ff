# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Detections as a table of pandas."""
from __future__ import annotations

from typing import Any, Dict, List

COLUMNS = ("source", "width", "height", "label_id", "label", "confidence",
           "x_min", "y_min", "x_max", "y_max")


def to_df(results: Any) -> Any:
    """A pandas.DataFrame of @results, a Result or a list of them: a row for each object, with
    the columns of `y10 detect --format csv`. Corners are in pixels, and source is the path,
    where the image was one."""
    try:
        import pandas
    except ImportError:
        raise ImportError("to_df() needs pandas, which is not installed (pip install pandas)") from None
    rows: List[Dict[str, Any]] = []
    for result in results if isinstance(results, (list, tuple)) else [results]:
        for found, label in zip(result.array, result.labels):
            box = [float(found[name]) for name in ("x0", "y0", "x1", "y1")]
            rows.append(dict(zip(COLUMNS, (
                result.source, result.width, result.height, int(found["class_id"]), label,
                float(found["confidence"]), *box))))
    return pandas.DataFrame(rows, columns=list(COLUMNS))
