# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""liby10 by ctypes: structs, prototypes, and the search for the library file.

tests/test_abi.py compiles the prototypes against the C headers, and compares the structs and enums
below with the C compiler's.
"""
from __future__ import annotations

import ctypes
import os
import re
from ctypes import POINTER, Structure, c_char_p, c_float, c_int, c_int64, c_size_t, c_uint, \
    c_uint64, c_void_p

from ._errors import Error, ErrorCode

BUNDLED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib", "liby10-bundled.so")
SONAME = "liby10.so.1"

# The positions here are the values of the options in C.
BACKENDS = ("auto", "ref", "cpu", "cuda")
PRECISIONS = ("auto", "fp32", "tf32", "fp16", "bf16", "int8")
HEADS = ("auto", "one2one", "one2many", "one2one-nms")
# The values of Y10PixelFormat that arrays can have.
PIXEL_FORMATS = {"RGB": 0, "BGR": 1, "RGBA": 6, "BGRA": 7, "ARGB": 8, "ABGR": 9, "RGBP": 11,
                 "GRAY8": 20}


class GError(Structure):
    _fields_ = [("domain", ctypes.c_uint32), ("code", c_int), ("message", c_char_p)]


class Y10EngineConfig(Structure):
    _fields_ = [("size", c_size_t), ("backend", c_int), ("precision", c_int), ("head", c_int),
                ("width", c_uint), ("height", c_uint), ("max_batch", c_uint),
                ("n_slots", c_uint), ("threads", c_uint), ("max_detections", c_uint),
                ("device_id", c_int), ("cuda_graphs", c_int), ("tune", c_int),
                ("cuda_context", c_void_p), ("batch_timeout", c_uint),
                ("multi_label", c_int), ("auto_size", c_int)]


class Y10Image(Structure):
    _fields_ = [("size", c_size_t), ("format", c_int), ("memory", c_int), ("matrix", c_int),
                ("full_range", c_int), ("x", c_uint), ("y", c_uint), ("width", c_uint),
                ("height", c_uint), ("plane", c_void_p * 4), ("stride", c_size_t * 4),
                ("cuda_stream", c_void_p), ("par_n", c_uint), ("par_d", c_uint)]


class Y10HeadParams(Structure):
    _fields_ = [("size", c_size_t), ("confidence", c_float), ("iou", c_float),
                ("class_agnostic", c_int), ("max_detections", c_uint), ("classes", c_char_p),
                ("class_confidence", POINTER(c_float)), ("min_width", c_float),
                ("min_height", c_float), ("max_width", c_float), ("max_height", c_float)]


class Y10Step(Structure):
    _fields_ = [("engine", c_void_p), ("slot", c_uint), ("generation", c_uint64)]


class Y10StepTimes(Structure):
    _fields_ = [("size", c_size_t), ("preprocess", c_int64), ("inference", c_int64),
                ("postprocess", c_int64)]


class Y10Report(Structure):
    _fields_ = [("size", c_size_t), ("source", c_char_p), ("timestamp", c_int64),
                ("width", c_uint), ("height", c_uint), ("inference", c_char_p),
                ("detections", c_void_p), ("n_detections", c_uint), ("ids", c_void_p),
                ("labels", c_void_p)]


STRUCTS = (GError, Y10EngineConfig, Y10Image, Y10HeadParams, Y10Step, Y10StepTimes, Y10Report)

PROTOTYPES = """
Y10Model *y10_model_load (const char *path, const char *label_path, GError **error);
Y10Model *y10_model_ref (Y10Model *model);
void y10_model_unref (Y10Model *model);
const char *y10_model_get_format (const Y10Model *model);
gboolean y10_model_save (const Y10Model *model, const char *path, GError **error);
const char *y10_model_get_path (const Y10Model *model);
const char *y10_model_get_variant (const Y10Model *model);
guint y10_model_get_n_classes (const Y10Model *model);
const char *y10_model_get_class_name (const Y10Model *model, guint class_id);
const char *y10_model_get_labels_note (const Y10Model *model);
guint y10_model_get_coco_id (const Y10Model *model, guint class_id);
guint64 y10_model_get_n_parameters (const Y10Model *model);
void y10_engine_config_init (Y10EngineConfig *config, gsize size);
Y10Engine *y10_engine_new (Y10Model *model, const Y10EngineConfig *config, GCancellable *cancellable, GError **error);
Y10Engine *y10_engine_ref (Y10Engine *engine);
void y10_engine_unref (Y10Engine *engine);
Y10BackendKind y10_engine_get_backend (const Y10Engine *engine);
const char *y10_engine_get_device (const Y10Engine *engine);
Y10Precision y10_engine_get_precision (const Y10Engine *engine);
Y10Head y10_engine_get_head (const Y10Engine *engine);
void y10_engine_get_input_size (const Y10Engine *engine, guint *width, guint *height);
guint y10_engine_get_threads (const Y10Engine *engine);
guint y10_engine_get_max_detections (const Y10Engine *engine);
gboolean y10_step_begin (Y10Engine *engine, gint64 until, Y10Step *step, GError **error);
gboolean y10_step_add (const Y10Step *step, const Y10Image *image, const Y10HeadParams *params, GError **error);
gboolean y10_step_submit (const Y10Step *step, GError **error);
gboolean y10_step_wait (const Y10Step *step, gint64 until, GError **error);
gint y10_step_read (const Y10Step *step, guint image, Y10Detection *detections, guint max_detections, GError **error);
gboolean y10_step_get_times (const Y10Step *step, Y10StepTimes *times, GError **error);
void y10_step_end (const Y10Step *step);
char *y10_report_to_json (const Y10Model *model, const Y10Report *report);
"""

# The bundled library hides its GLib, except for these functions, which it exports as
# y10_bundled_NAME.
GLIB_PROTOTYPES = """
void g_error_free (GError *error);
void g_free (gpointer mem);
GCancellable *g_cancellable_new (void);
void g_cancellable_cancel (GCancellable *cancellable);
void g_object_unref (gpointer object);
"""

_TYPES = {
    "void": None, "gboolean": c_int, "gint": c_int, "guint": c_uint, "gint64": c_int64,
    "guint64": c_uint64, "gsize": c_size_t, "gpointer": c_void_p, "Y10BackendKind": c_int,
    "Y10Precision": c_int, "Y10Head": c_int, "const char *": c_char_p,
    # To be freed: not converted to bytes.
    "char *": c_void_p, "guint *": POINTER(c_uint), "GError *": POINTER(GError),
    "GError **": POINTER(POINTER(GError)),
}
_TYPES.update({struct.__name__ + " *": POINTER(struct) for struct in STRUCTS[1:]})
_OPAQUE = ("Y10Model *", "Y10Engine *", "GCancellable *", "Y10Detection *")


def _ctype(c_type: str):
    """The ctypes type of the C type @c_type; None for void."""
    c_type = c_type.strip()
    if c_type in _TYPES:
        return _TYPES[c_type]
    c_type = c_type.replace("const ", "")
    return c_void_p if c_type in _OPAQUE else _TYPES[c_type]


def parse_prototypes(text: str):
    """Yields the name, result and arguments as ctypes types for each line of @text."""
    for result, name, arguments in re.findall(r"^(.+?)(\w+) \((.*)\);$", text, re.M):
        types = [re.sub(r"\w+$", "", argument) for argument in arguments.split(", ")
                 if argument != "void"]
        yield name, _ctype(result), [_ctype(c_type) for c_type in types]


def _open() -> ctypes.CDLL:
    """Loads the library in this package, else the one that Y10_LIBRARY names, else the
    system's."""
    path = BUNDLED if os.path.exists(BUNDLED) else os.environ.get("Y10_LIBRARY") or SONAME
    try:
        return ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(
            f"y10 cannot load liby10: {error}. This package looked for {BUNDLED}, the file that "
            f"the environment variable Y10_LIBRARY names, and {SONAME} where the system has its "
            "libraries") from None


def to_c_string(name: str, value) -> bytes:
    """The bytes of the file name or text @value, which is called @name. C would take it to end at
    the first NUL."""
    text = os.fsencode(value)
    if b"\0" in text:
        raise ValueError(f"{name} is {value!r}; expected a name without NUL")
    return text


class Library:
    """The functions of PROTOTYPES and GLIB_PROTOTYPES as attributes."""

    def __init__(self) -> None:
        self._cdll = _open()
        self.path = self._cdll._name
        for name, result, arguments in parse_prototypes(PROTOTYPES):
            self._declare(name, getattr(self._cdll, name), result, arguments)
        for name, result, arguments in parse_prototypes(GLIB_PROTOTYPES):
            # For a library that is not bundled, the GLib that it is linked to has them.
            bundled = getattr(self._cdll, "y10_bundled_" + name, None)
            self._declare(name, bundled or getattr(self._cdll, name), result, arguments)

    def _declare(self, name, function, result, arguments) -> None:
        function.restype = result
        function.argtypes = arguments
        setattr(self, name, function)

    def call(self, function, *arguments):
        """Calls @function, whose last argument is a GError **, and returns its result, or raises
        Error if it failed: returned FALSE, NULL or -1."""
        error = POINTER(GError)()
        result = function(*arguments, ctypes.byref(error))
        if not error:
            return result
        code, message = error.contents.code, error.contents.message
        self.g_error_free(error)
        raise Error(message.decode("utf-8", "replace"), code)


library = Library()

__all__ = ["BACKENDS", "Error", "ErrorCode", "HEADS", "PIXEL_FORMATS", "PRECISIONS", "Y10EngineConfig",
           "Y10HeadParams", "Y10Image", "Y10Report", "Y10Step", "Y10StepTimes", "library",
           "to_c_string"]
