# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""YOLO object detection: liby10 for Python.

    import y10

    with y10.Model("yolov10n.safetensors") as model:
        result = model.detect("bus.jpg", confidence=0.4)
    for x0, y0, x1, y1 in result.xyxy:
        ...

:class:`Model` loads weights, :meth:`Model.detect` takes NumPy arrays, PIL
images and paths and returns a :class:`Result`. Errors of liby10 raise
:class:`Error`.
"""
from ._errors import Error, ErrorCode
from ._model import Model
from ._result import DETECTION, Result, Times
from ._table import to_df
from ._val import val

__all__ = ["DETECTION", "Error", "ErrorCode", "Model", "Result", "Times", "to_df", "val"]


def __getattr__(name: str) -> str:
    # The package's metadata take the version from meson.build.
    if name == "__version__":
        from importlib import metadata
        try:
            return metadata.version("yolov10detect")
        except metadata.PackageNotFoundError:
            return "0+not.installed"
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
