# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""A model and its engine.

All calls of liby10 release the interpreter lock. No call waits for longer than WAIT_SLICE, so that
Python can handle signals, such as Ctrl-C. Engines have threads, which do not survive os.fork(): a
child never touches the parent's engine.
"""
from __future__ import annotations

import ctypes
import os
import threading
import time
import weakref
from typing import Any, Callable, Iterable, List, Mapping, Optional, Sequence, Tuple, TypeVar, Union, overload

import numpy as np

from ._image import ORDERS, ImageLike, check_array, describe, to_array
from ._library import BACKENDS, HEADS, PRECISIONS, Error, ErrorCode, Y10EngineConfig, \
    Y10HeadParams, Y10Step, Y10StepTimes, library
from ._result import DETECTION, Result, Times
from ._weights import PathLike, Weights

WAIT_SLICE = 0.1  # seconds

T = TypeVar("T")


def _release(engine: int, process: int) -> None:
    """Unrefs @engine, whose threads exist in @process only."""
    if os.getpid() == process:
        library.y10_engine_unref(engine)


def _choose(name: str, value: str, choices: Sequence[str]) -> int:
    try:
        return choices.index(value)
    except ValueError:
        raise ValueError(f"{name} is {value!r}; expected one of {', '.join(choices)}") from None


def _integer(name: str, value: Any, least: int = 0) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} is {value!r}; expected an integer")
    value = value.__index__()
    # Rejects values that do not fit into C; the library checks all others.
    if not least <= value < 2 ** 31:
        raise ValueError(f"{name} is {value}; expected {least} or more")
    return value


def _config(**options: Any) -> Y10EngineConfig:
    config = Y10EngineConfig()
    library.y10_engine_config_init(ctypes.byref(config), ctypes.sizeof(config))
    for name, value in options.items():
        if value is not None:
            setattr(config, name, value)
    return config


def _interruptible(work: Callable[[int], T]) -> T:
    """Runs @work (cancellable), in another thread if this one handles signals: an exception of a
    signal handler can then cancel work that takes seconds."""
    cancellable = library.g_cancellable_new()
    done: List[Any] = []

    def run() -> None:
        try:
            done.append((work(cancellable), None))
        except BaseException as error:  # pylint: disable=broad-except
            done.append((None, error))

    try:
        if threading.current_thread() is not threading.main_thread():
            return work(cancellable)
        thread = threading.Thread(target=run, name="y10", daemon=True)
        thread.start()
        try:
            thread.join()
        except BaseException:
            library.g_cancellable_cancel(cancellable)
            thread.join()
            if done and done[0][0]:
                library.y10_engine_unref(done[0][0])
            raise
        result, error = done[0]
        if error:
            raise error
        return result
    finally:
        library.g_object_unref(cancellable)


#: What Ultralytics calls the arguments of detect().
HINTS = {"conf": "confidence", "max_det": "max_detections", "agnostic_nms": "class_agnostic",
         "imgsz": "input_size, an argument of Model", "device": "backend, an argument of Model",
         "half": "precision, an argument of Model", "source": "the first argument"}
#: And of its constructor.
MODEL_HINTS = {"imgsz": "input_size", "half": "precision", "model": "path", "weights": "path",
               "names": "labels", "batch": "max_batch", "max_det": "max_detections",
               "conf": "confidence, an argument of detect()",
               **{name: f"{name}, an argument of detect()" for name in ("confidence", "iou", "classes")}}


class Model:
    """Weights of a YOLOv8, YOLOv10, YOLO11 or YOLO26, ready to detect objects.

    Creating one takes from a tenth of a second to several seconds and allocates the memory
    of the network; create it once and keep it. Any number of threads may call
    :meth:`detect` at the same time. A context manager; :meth:`close` frees the memory.

    After os.fork() a Model works in the process that created it only; in the other one its
    methods raise RuntimeError.

    Args:
        path: weights: safetensors, a PyTorch checkpoint (best.pt) or ONNX; None for the
            bundled model, which finds codes and markers.
        labels: file with one class name a line, instead of the names in the weights.
        backend: "auto", "cpu", "ref" (plain C, slow) or "cuda".
        precision: "auto", "fp32", "tf32", "fp16", "bf16" or "int8".
        head: "auto", "one2one", "one2many" or "one2one-nms".
        input_size: input of the network, pixels: one number or (width, height), multiples
            of 32; None for the model's; "auto" for the smallest that holds each image at the
            scale of the model's, as Ultralytics' predict has it (not on backend "cuda").
        threads: CPU threads, 1 to 256; 0: one for each core that the process may use.
        max_batch: maximum batch size, 1 to 64, if :meth:`detect` gets a list; 0: 1. Larger
            batches need more memory and speed up GPUs.
        n_slots: batches that can run at once, 1 to 16; 0: as many as keep the backend busy.
        max_detections: most detections of an image, 1 to 8400.
        device: number of the GPU; None for any.
        cuda_graphs: whether CUDA launches the network as one graph.
        tune: whether CUDA searches for faster convolution plans while the network runs.

    Raises:
        Error: the weights cannot be read or are of another network, or the backend cannot run here
            with these options.
        TypeError, ValueError: an option has no such value.
    """

    def __init__(self, path: Optional[PathLike] = None, *, labels: Optional[PathLike] = None,
                 backend: str = "auto", precision: str = "auto", head: str = "auto",
                 input_size: Union[None, int, Tuple[int, int], str] = None, threads: int = 0,
                 max_batch: int = 0, n_slots: int = 0, max_detections: int = 300,
                 device: Optional[int] = None, cuda_graphs: bool = True,
                 tune: bool = True, **unknown: Any) -> None:
        if unknown:
            name = next(iter(unknown))
            hint = f"; did you mean {MODEL_HINTS[name]}?" if name in MODEL_HINTS else ""
            raise TypeError(f"Model() has no argument {name!r}{hint}")
        if isinstance(device, str):
            raise TypeError(f"device is {device!r}; expected the number of a GPU; the argument backend "
                            'is "cpu" or "cuda"')
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._engine: Optional[int] = None
        auto = isinstance(input_size, str)
        if auto and input_size != "auto":
            raise ValueError(f'input_size is {input_size!r}; expected a number, (width, height), None '
                             'or "auto"')
        size = (0, 0) if input_size is None or auto else input_size
        width, height = (size, size) if hasattr(size, "__index__") else size  # type: ignore[misc]
        config = _config(
            backend=_choose("backend", backend, BACKENDS),
            precision=_choose("precision", precision, PRECISIONS),
            head=_choose("head", head, HEADS), width=_integer("input_size", width),
            height=_integer("input_size", height), threads=_integer("threads", threads),
            max_batch=_integer("max_batch", max_batch) or 1, n_slots=_integer("n_slots", n_slots),
            max_detections=_integer("max_detections", max_detections),
            device_id=None if device is None else _integer("device", device),
            cuda_graphs=bool(cuda_graphs), tune=bool(tune), auto_size=auto)
        # A step has images of one input size, and the backends with auto gain nothing from more.
        self._max_batch = 1 if auto else config.max_batch
        self._weights = Weights(path, labels)
        self._engine = _interruptible(lambda cancellable: library.call(
            library.y10_engine_new, self._weights.handle, ctypes.byref(config), cancellable))
        self._finalizer = weakref.finalize(self, _release, self._engine, self._process)
        self._describe(self._engine)

    def _describe(self, engine: int) -> None:
        handle = self._weights.handle
        width, height = ctypes.c_uint(), ctypes.c_uint()
        library.y10_engine_get_input_size(engine, ctypes.byref(width), ctypes.byref(height))
        #: Names of the classes, by class id.
        self.names: Tuple[str, ...] = self._weights.names
        #: Path of the weights file.
        self.path: str = os.fsdecode(library.y10_model_get_path(handle))
        #: Format of that file: "safetensors", "PyTorch" or "ONNX".
        self.format: str = library.y10_model_get_format(handle).decode()
        #: The network's family and size, such as "yolov10n" or "yolo11s".
        self.variant: str = library.y10_model_get_variant(handle).decode()
        #: Number of parameters in the file.
        self.n_parameters: int = library.y10_model_get_n_parameters(handle)
        #: (width, height) of the network's input, pixels; with "auto", the largest.
        self.input_size: Tuple[int, int] = (width.value, height.value)
        #: The backend, as chosen for "auto".
        self.backend: str = BACKENDS[library.y10_engine_get_backend(engine)]
        #: The precision in use.
        self.precision: str = PRECISIONS[library.y10_engine_get_precision(engine)]
        #: The head in use.
        self.head: str = HEADS[library.y10_engine_get_head(engine)]
        #: Description of the processor.
        self.device: str = library.y10_engine_get_device(engine).decode()
        #: CPU threads in use.
        self.threads: int = library.y10_engine_get_threads(engine)
        #: Most detections of an image.
        self.max_detections: int = library.y10_engine_get_max_detections(engine)

    def _check_process(self) -> None:
        if os.getpid() != self._process:
            raise RuntimeError(
                f"this y10.Model belongs to process {self._process}; its threads do not exist in "
                f"process {os.getpid()}, which os.fork made. Create the Model after the fork, or "
                'use the start method "spawn" of multiprocessing')

    def _ref(self) -> int:
        """The engine with a reference for the caller, so that close() can be called meanwhile."""
        self._check_process()
        with self._lock:
            if self._engine is None:
                raise RuntimeError("this y10.Model is closed")
            return library.y10_engine_ref(self._engine)

    def close(self) -> None:
        """Frees the engine, once calls of :meth:`detect` in other threads have returned. Closing
        a Model again does nothing."""
        self._check_process()
        with self._lock:
            self._engine = None
        self._finalizer()

    def __enter__(self) -> "Model":
        return self

    def __exit__(self, *_: object) -> None:
        # A child that leaves the block has nothing to close.
        if os.getpid() == self._process:
            self.close()

    def __repr__(self) -> str:
        width, height = self.input_size
        return (f"<y10.Model {self.variant}, {len(self.names)} classes, {width}x{height}, "
                f"{self.backend} {self.precision}>")

    def _classes(self, classes: Optional[Iterable[Union[int, str]]]) -> Optional[bytes]:
        """One byte for each class, for Y10HeadParams."""
        if classes is None:
            return None
        if isinstance(classes, (str, bytes)):
            raise TypeError(f"classes is {classes!r}; expected a list of names or numbers")
        wanted = bytearray(len(self.names))
        for value in classes:
            for i in self._class_ids(value):
                wanted[i] = 1
        return bytes(wanted)

    def _class_ids(self, value: Union[int, str]) -> List[int]:
        if isinstance(value, str):
            ids = [i for i, name in enumerate(self.names) if name == value]
        else:
            ids = [i for i in [_integer("a class", value)] if i < len(self.names)]
        if not ids:
            raise ValueError(f"there is no class {value!r}; {self.path} has {len(self.names)}: "
                             f"{', '.join(self.names[:10])}{', …' * (len(self.names) > 10)}")
        return ids

    def _class_confidence(self, confidence: Optional[Mapping[Union[int, str], float]]) -> Any:
        """One float for each class, for Y10HeadParams; None if there are none."""
        if not confidence:
            return None
        each = (ctypes.c_float * len(self.names))(*[-1.0] * len(self.names))
        for value, least in confidence.items():
            for i in self._class_ids(value):
                each[i] = least
        return each

    @overload
    def detect(self, image: List[ImageLike], **options: Any) -> List[Result]: ...

    @overload
    def detect(self, image: ImageLike, **options: Any) -> Result: ...

    def detect(self, image: Any, *, confidence: float = 0.25, iou: float = 0.7,
               class_agnostic: bool = False, max_detections: Optional[int] = None,
               classes: Optional[Iterable[Union[int, str]]] = None, order: str = "RGB",
               class_confidence: Optional[Mapping[Union[int, str], float]] = None,
               **unknown: Any) -> Any:
        """Detects objects in an image, or in each image of a list or tuple.

        An image is one of

        - a NumPy array of uint8, or what np.asarray makes one of, of shape
          (height, width, 3): color, in the order of channels that `order` gives;
          (height, width, 4): the fourth channel is ignored;
          (height, width) or (height, width, 1): gray. Rows may have any stride; views with
          reversed or separate channels are read without a copy;
        - a PIL image, or a path of a picture file, which Pillow decodes; both are turned as
          their EXIF data say, and boxes are those of the turned picture.

        Args:
            image: the image, or a list of images, which may be of different kinds and sizes.
            confidence: minimum confidence, 0 to 1.
            iou: heads with NMS only: of two boxes that overlap by more than this, 0 to 1,
                the weaker is dropped.
            class_agnostic: heads with NMS only: boxes of different classes compete, too.
            max_detections: most detections of an image; None for the model's.
            classes: names or numbers of the classes that are wanted; None for all.
            class_confidence: minimum confidence of single classes by name or number, in place
                of `confidence`.
            order: "RGB", or "BGR" for arrays from OpenCV. Ignored for PIL images and paths.

        Returns:
            A Result; for a list, a list of them, in the same order.

        Raises:
            Error: liby10 refused an argument or failed.
            RuntimeError: the Model is closed, or was created before os.fork().
            TypeError, ValueError: an image or an option is not one.
            OSError: Pillow cannot read a file.
        """
        if unknown:
            name = next(iter(unknown))
            hint = f"; did you mean {HINTS[name]}?" if name in HINTS else ""
            raise TypeError(f"detect() has no argument {name!r}{hint}")
        if order not in ORDERS:
            raise ValueError(f"order is {order!r}; expected one of {', '.join(ORDERS)}")
        params = Y10HeadParams(
            size=ctypes.sizeof(Y10HeadParams), confidence=confidence, iou=iou,
            class_agnostic=bool(class_agnostic), classes=self._classes(classes),
            class_confidence=self._class_confidence(class_confidence),
            max_detections=self.max_detections if max_detections is None
            else _integer("max_detections", max_detections))
        images = image if isinstance(image, (list, tuple)) else [image]
        engine = self._ref()
        try:
            results: List[Result] = []
            for i in range(0, len(images), self._max_batch):
                results += self._step(engine, images[i:i + self._max_batch], order, params)
        finally:
            library.y10_engine_unref(engine)
        return results if images is image else results[0]

    def _step(self, engine: int, images: Sequence[Any], order: str,
              params: Y10HeadParams) -> List[Result]:
        """One step of the engine: at most max_batch images."""
        sources = [to_array(image, order) for image in images]
        arrays = [check_array(array) for array, _, _ in sources]
        # The objects described here live until the step has ended.
        described = [describe(array, name) for array, (_, name, _) in zip(arrays, sources)]
        found = np.empty(params.max_detections, DETECTION)
        step, times = Y10Step(), Y10StepTimes(size=ctypes.sizeof(Y10StepTimes))
        by_step = ctypes.byref(step)
        results = []
        try:
            self._wait(library.y10_step_begin, ErrorCode.BUSY, engine, by_step)
            for described_image, _ in described:
                library.call(library.y10_step_add, by_step, ctypes.byref(described_image),
                             ctypes.byref(params))
            library.call(library.y10_step_submit, by_step)
            self._wait(library.y10_step_wait, ErrorCode.TIMED_OUT, by_step)
            library.call(library.y10_step_get_times, by_step, ctypes.byref(times))
            for i, (array, (_, _, path)) in enumerate(zip(arrays, sources)):
                n = library.call(library.y10_step_read, by_step, i, found.ctypes.data, len(found))
                results.append(Result(found[:n].copy(), self._weights, array.shape[1],
                                      array.shape[0], path,
                                      Times(times.preprocess, times.inference, times.postprocess)))
        finally:
            # Set by y10_step_begin, so it is valid even if a signal arrives right after the call.
            if step.engine and os.getpid() == self._process:
                library.y10_step_end(by_step)
        return results

    @staticmethod
    def _wait(function: Any, late: ErrorCode, subject: Any, *arguments: Any) -> None:
        """Calls @function (@subject, until, @arguments) until it succeeds or fails with another
        error than @late."""
        while True:
            # The clock of g_get_monotonic_time().
            until = int((time.monotonic() + WAIT_SLICE) * 1e6)
            try:
                library.call(function, subject, until, *arguments)
                return
            except Error as error:
                if error.code != late:
                    raise
