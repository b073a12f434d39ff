# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Weights that liby10 has loaded, with the names of their classes."""
from __future__ import annotations

import os
import warnings
import weakref
from typing import Optional, Tuple, Union

from ._library import library, to_c_string

PathLike = Union[str, "os.PathLike[str]"]


class Weights:
    """A Y10Model. Results keep it when their Model is closed."""

    def __init__(self, path: Optional[PathLike], labels: Optional[PathLike]) -> None:
        self.handle = library.call(library.y10_model_load,
                                   None if path is None else to_c_string("path", path),
                                   None if labels is None else to_c_string("labels", labels))
        weakref.finalize(self, library.y10_model_unref, self.handle).atexit = False
        self.names: Tuple[str, ...] = tuple(
            library.y10_model_get_class_name(self.handle, i).decode()
            for i in range(library.y10_model_get_n_classes(self.handle)))
        note = library.y10_model_get_labels_note(self.handle)
        if note:
            warnings.warn(f"{note.decode()} (the argument labels names them)", stacklevel=3)
