# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Writes checkpoints like torch.save(), using only Python's standard library.

Python's own pickler writes them, from classes with the names of PyTorch's and
Ultralytics'. checkpoints.py does the same with the real ones.
"""

import collections
import io
import json
import pathlib
import pickle
import struct
import sys
import types
import zipfile

STORAGES = {"F32": "FloatStorage", "F16": "HalfStorage", "BF16": "BFloat16Storage", "F64": "DoubleStorage",
            "I64": "LongStorage", "QI8": "QInt8Storage"}
SIZES = {"F32": 4, "F16": 2, "BF16": 2, "F64": 8, "I64": 8, "QI8": 1}


def define(module, name, of=object):
    """A class that pickles as MODULE.NAME."""
    parts = module.split(".")
    for i in range(1, len(parts) + 1):
        sys.modules.setdefault(".".join(parts[:i]), types.ModuleType(".".join(parts[:i])))
    made = type(name, (of,), {"__module__": module})
    setattr(sys.modules[module], name, made)
    return made


def function(module, name):
    define(module, "_unused")

    def called(*_args):
        raise AssertionError("only pickled")
    called.__module__, called.__qualname__, called.__name__ = module, name, name
    setattr(sys.modules[module], name, called)
    return called


REBUILD = function("torch._utils", "_rebuild_tensor_v2")
PARAMETER = function("torch._utils", "_rebuild_parameter")
STORAGE_TYPES = {dtype: define("torch", name) for dtype, name in STORAGES.items()}
MODULES = {name: define(module, name) for module, name in (
    ("torch.nn.modules.container", "Sequential"), ("torch.nn.modules.conv", "Conv2d"),
    ("torch.nn.modules.batchnorm", "BatchNorm2d"), ("torch.nn.modules.activation", "SiLU"),
    ("torch.nn.modules.activation", "ReLU"), ("torch.nn.modules.linear", "Identity"),
    ("ultralytics.nn.tasks", "YOLOv10DetectionModel"), ("ultralytics.nn.modules.conv", "Conv"))}


class Storage:
    def __init__(self, dtype, key, data):
        self.dtype, self.key, self.data = dtype, key, data


class Tensor:
    def __init__(self, storage, offset, shape, stride, parameter=False):
        self.args = (storage, offset, shape, stride, False, collections.OrderedDict())
        self.parameter = parameter

    def __reduce__(self):
        if self.parameter:
            return PARAMETER, (Tensor(*self.args[:4]), True, collections.OrderedDict())
        return REBUILD, self.args


class Pickler(pickle.Pickler):
    def persistent_id(self, value):
        if not isinstance(value, Storage):
            return None
        return ("storage", STORAGE_TYPES[value.dtype], value.key, "cpu",
                len(value.data) // SIZES[value.dtype])


def row_major(shape):
    stride, step = [], 1
    for size in reversed(shape):
        stride.insert(0, step)
        step *= size
    return tuple(stride)


def read_safetensors(path):
    """{name: Tensor}, the storages in the order of the file."""
    data = pathlib.Path(path).read_bytes()
    length, = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    tensors = {}
    for i, (name, entry) in enumerate(header.items()):
        if name == "__metadata__":
            continue
        begin, end = (8 + length + o for o in entry["data_offsets"])
        shape = tuple(entry["shape"])
        tensors[name] = Tensor(Storage(entry["dtype"], str(i), data[begin:end]), 0, shape,
                               row_major(shape))
    return tensors


def module(kind, **state):
    made = MODULES[kind]()
    made.__dict__.update({"training": False, "_parameters": collections.OrderedDict(),
                          "_buffers": collections.OrderedDict(),
                          "_modules": collections.OrderedDict(), **state})
    return made


def as_module(tensors, names, activation=lambda path: None, eps=0.001):
    """The tree of modules that contains these tensors."""
    root = module("YOLOv10DetectionModel", names=names, args={"imgsz": 320})

    def child(parent, path):
        for part in path:
            parent = parent._modules.setdefault(part, module("Sequential"))
        return parent

    for name, tensor in tensors.items():
        *path, leaf = name.split(".")
        owner = child(root, path)
        if leaf.startswith("running_") or leaf == "num_batches_tracked":
            owner._buffers[leaf] = tensor
            owner.eps = eps
        else:
            tensor.parameter = True
            owner._parameters[leaf] = tensor
        kind = activation(".".join(path[:-1]))
        if path[-1] == "conv" and kind:
            child(root, path[:-1])._modules["act"] = module(kind)
    return root


def storages(value, found, seen):
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, Storage):
        found[value.key] = value.data
    elif isinstance(value, Tensor):
        storages(value.args[0], found, seen)
    elif isinstance(value, dict):
        for member in value.values():
            storages(member, found, seen)
    elif hasattr(value, "__dict__"):
        storages(value.__dict__, found, seen)


def save(path, value, protocol=2, root="archive", compression=zipfile.ZIP_STORED):
    out, found = io.BytesIO(), {}
    Pickler(out, protocol=protocol).dump(value)
    storages(value, found, set())
    archive(path, out.getvalue(), found, root, compression)


def archive(path, data, members, root="archive", compression=zipfile.ZIP_STORED,
            byteorder=b"little"):
    with zipfile.ZipFile(path, "w", compression) as z:
        z.writestr(f"{root}/data.pkl", data)
        z.writestr(f"{root}/byteorder", byteorder)
        for key, content in members.items():
            z.writestr(f"{root}/data/{key}", content)
        z.writestr(f"{root}/version", b"3\n")
