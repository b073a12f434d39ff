# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Converts images to liby10's format. It reads rows of packed pixels and separate planes, so most
views of an array need no copy; other views are copied once."""
from __future__ import annotations

import ctypes
import os
import sys
from typing import Any, Optional, Tuple, Union

import numpy as np

from ._library import PIXEL_FORMATS, Y10Image

ORDERS = ("RGB", "BGR")


def _load(path: str) -> np.ndarray:
    """The picture at @path, rotated according to its EXIF data."""
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError:
        raise ImportError("y10 reads picture files with Pillow, which is not installed "
                          "(pip install pillow)") from None
    if os.path.isdir(path):
        raise IsADirectoryError(f"{path} is a folder; detect() takes a picture or a list of them, "
                                "and the command y10 detect takes folders")
    try:
        with Image.open(path) as picture:
            return _from_pil(picture)
    except UnidentifiedImageError:
        raise OSError(f"{path} is no picture that Pillow can read; detect() takes pictures and frames "
                      "as arrays, and the command y10 detect takes videos") from None


def _from_pil(picture: Any) -> np.ndarray:
    """The pixels of @picture, rotated according to its EXIF data."""
    from PIL import ImageOps
    picture = ImageOps.exif_transpose(picture)
    if picture.mode.startswith("I;16"):
        return (np.asarray(picture) >> 8).astype(np.uint8)
    if picture.mode not in ("L", "RGB", "RGBA"):
        picture = picture.convert("RGB")
    return np.asarray(picture)


def to_array(image: Any, order: str) -> Tuple[np.ndarray, str, Optional[str]]:
    """The pixels of @image, the order of their channels and the path they came from."""
    if isinstance(image, (str, os.PathLike)):
        path = os.fspath(image)
        path = os.fsdecode(path) if isinstance(path, bytes) else path
        return _load(path), "RGB", path
    pil = sys.modules.get("PIL.Image")
    if pil and isinstance(image, pil.Image):
        return _from_pil(image), "RGB", None
    if isinstance(image, np.ndarray) or hasattr(image, "__array__"):
        return np.asarray(image), order, None
    raise TypeError(f"an image is a NumPy array, a PIL image or a path, not {type(image).__name__}")


def check_array(array: np.ndarray) -> np.ndarray:
    """Returns @array with shape (H, W) or (H, W, 3 or 4), or raises an error that names its shape
    or type."""
    if array.ndim == 3 and array.shape[2] == 1:
        array = array[:, :, 0]
    if array.ndim not in (2, 3) or array.ndim == 3 and array.shape[2] not in (3, 4):
        raise ValueError("an image has the shape (height, width), or (height, width, channels) with "
                         f"3 or 4 channels, not {array.shape}; a batch is a list of images")
    if array.dtype != np.uint8:
        raise TypeError(f"an image is an array of uint8, 0 to 255, not of {array.dtype}")
    if not array.size:
        raise ValueError(f"an image of shape {array.shape} has no pixels")
    return array


def _layout(array: np.ndarray, order: str) -> Optional[Tuple[str, int, Tuple[int, ...]]]:
    """The name of the pixel format, the stride of rows and the offsets of planes from the address
    of @array; None if no format has this layout."""
    height, width = array.shape[:2]
    n = array.shape[2] if array.ndim == 3 else 1
    # The stride of a dimension of size one has no meaning.
    row = array.strides[0] if height > 1 else abs(array.strides[1] if width > 1 else n) * width
    column = array.strides[1] if width > 1 else None
    if n == 1:
        return ("GRAY8", row, (0,)) if column in (1, None) and row >= width else None
    channel = array.strides[2]
    if column in (n, None) and abs(channel) == 1 and row >= width * n:
        name = order + "A" * (n - 3)
        return (name, row, (0,)) if channel == 1 else (name[::-1], row, (1 - n,))
    if column == 1 and row >= width:
        planes = (0, channel, 2 * channel)
        return "RGBP", row, planes if order == "RGB" else planes[::-1]
    return None


def describe(array: np.ndarray, order: str) -> Tuple[Y10Image, np.ndarray]:
    """The struct for pixels of check_array(), and the array that must live as long as the struct
    is used."""
    layout = _layout(array, order)
    if not layout:
        array = array.copy()
        layout = _layout(array, order)
        assert layout
    name, row, planes = layout
    image = Y10Image(size=ctypes.sizeof(Y10Image), format=PIXEL_FORMATS[name],
                     width=array.shape[1], height=array.shape[0])
    for i, offset in enumerate(planes):
        image.plane[i] = array.ctypes.data + offset
        image.stride[i] = row
    return image, array


ImageLike = Union[np.ndarray, str, "os.PathLike[str]", Any]
