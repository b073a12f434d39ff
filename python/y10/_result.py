# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""The detections of one image."""
from __future__ import annotations

import ctypes
import os
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple, Union

import numpy as np

from ._draw import draw
from ._image import check_array, to_array
from ._library import Y10Report, library, to_c_string
from ._table import to_df
from ._weights import Weights

#: One detection, as Y10Detection is in C. Box in pixels of the image, confidence 0 to 1,
#: index of the class, index of the grid cell that found it.
DETECTION = np.dtype([("x0", np.float32), ("y0", np.float32), ("x1", np.float32),
                      ("y1", np.float32), ("confidence", np.float32), ("class_id", np.int32),
                      ("anchor", np.uint32)])


class Times(NamedTuple):
    """Durations of a step's stages, in nanoseconds, for all its images together."""

    preprocess: int
    inference: int
    postprocess: int


class Result:
    """The detections of one image, by descending confidence.

    Attributes:
        array: structured array of shape (N,) and type :data:`DETECTION`; xyxy, confidence
            and class_id are views of it.
        names: names of the model's classes; class_id is an index of it.
        width, height: size of the image, pixels.
        source: the path as given, where the image was a path, else None.
        times: durations of the step that the image was in.
    """

    __slots__ = ("array", "names", "width", "height", "source", "times", "_weights")

    def __init__(self, array: np.ndarray, weights: Weights, width: int, height: int,
                 source: Optional[str], times: Times) -> None:
        self.array = array
        self.names: Tuple[str, ...] = weights.names
        self.width = width
        self.height = height
        self.source = source
        self.times = times
        self._weights = weights

    @property
    def xyxy(self) -> np.ndarray:
        """Boxes: float32 of shape (N, 4); left, upper, right and lower edge, pixels."""
        return self.array.view(np.float32).reshape(-1, DETECTION.itemsize // 4)[:, :4]

    @property
    def confidence(self) -> np.ndarray:
        """Confidences: float32 of shape (N,), 0 to 1."""
        return self.array["confidence"]

    @property
    def class_id(self) -> np.ndarray:
        """Classes: int32 of shape (N,), indices of names."""
        return self.array["class_id"]

    @property
    def labels(self) -> Tuple[str, ...]:
        """Name of the class of each detection."""
        return tuple(self.names[i] for i in self.class_id)

    def __len__(self) -> int:
        return len(self.array)

    def __iter__(self) -> Iterator[np.void]:
        return iter(self.array)

    def __repr__(self) -> str:
        return f"<y10.Result: {len(self)} objects in {self.width}x{self.height}>"

    def plot(self, image: Any = None, order: str = "RGB") -> np.ndarray:
        """The image with boxes and labels drawn, as RGB of shape (height, width, 3). @image is
        what :meth:`Model.detect` got; None: the path, where it was one. Needs Pillow."""
        if image is None:
            if self.source is None:
                raise ValueError("the result is not of a path; plot(image) takes the image itself")
            image = self.source
        array, order, _ = to_array(image, order)
        array = check_array(array)
        if array.ndim == 3:
            array = array[:, :, :3] if order == "RGB" else array[:, :, 2::-1]
        return draw(np.ascontiguousarray(array), self)

    def save(self, path: Union[str, "os.PathLike[str]"], image: Any = None,
             order: str = "RGB") -> None:
        """Writes what :meth:`plot` draws as a picture, in the format of the name's extension."""
        from PIL import Image
        Image.fromarray(self.plot(image, order)).save(path)

    def to_coco(self, image_id: Union[int, str],
                category_ids: Optional[Mapping[str, int]] = None) -> List[Dict[str, Any]]:
        """Entries of COCO's list of results, which pycocotools and `y10 val --detections` read.

        Args:
            image_id: id of the image in the annotations.
            category_ids: ids of the classes by name, of which others are left out, such as
                those of your annotations; None: as `y10 detect --format coco` has them, which
                are those of COCO's annotations for its 80 classes, else the number of the
                class plus one.
        """
        ids = {name: library.y10_model_get_coco_id(self._weights.handle, i)
               for i, name in enumerate(self.names)} if category_ids is None else category_ids
        return [{"image_id": image_id, "category_id": ids[label],
                 "bbox": [float(found["x0"]), float(found["y0"]), float(found["x1"] - found["x0"]),
                          float(found["y1"] - found["y0"])],
                 "score": float(found["confidence"])}
                for found, label in zip(self, self.labels) if label in ids]

    def to_df(self) -> Any:
        """A pandas.DataFrame with a row for each object; :func:`y10.to_df` takes several
        results."""
        return to_df(self)

    def to_json(self, source: Optional[str] = None) -> str:
        """The JSON object that `y10 detect` prints. @source names the image where it was not
        a path."""
        name = source if source is not None else self.source or ""
        array = np.ascontiguousarray(self.array)
        report = Y10Report(size=ctypes.sizeof(Y10Report),
                           source=to_c_string("source", name).decode("utf-8", "replace").encode(),
                           timestamp=-1, width=self.width, height=self.height,
                           detections=array.ctypes.data, n_detections=len(array))
        text = library.y10_report_to_json(self._weights.handle, ctypes.byref(report))
        try:
            return ctypes.string_at(text).decode()
        finally:
            library.g_free(text)
