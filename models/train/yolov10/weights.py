# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""safetensors files, read without the package of that name: eight bytes with
the header's length, a JSON header, the tensors."""
import json
import struct

import torch

# And the bytes of each.
TYPES = {"F64": (torch.float64, 8), "F32": (torch.float32, 4), "F16": (torch.float16, 2),
         "BF16": (torch.bfloat16, 2), "I64": (torch.int64, 8)}


def _header(f):
    length, = struct.unpack("<Q", f.read(8))
    return json.loads(f.read(length))


def metadata(path):
    """{str: str}"""
    with open(path, "rb") as f:
        return _header(f).get("__metadata__", {})


def read(path):
    """{name: tensor}"""
    with open(path, "rb") as f:
        header = _header(f)
        data = bytearray(f.read())
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        start, end = entry["data_offsets"]
        dtype, size = TYPES[entry["dtype"]]
        if end == start:
            tensors[name] = torch.zeros(entry["shape"], dtype=dtype)
            continue
        tensors[name] = torch.frombuffer(
            data, dtype=dtype, offset=start,
            count=(end - start) // size).reshape(entry["shape"])
    return tensors


def write(path, tensors, metadata):
    """tensors: {name: tensor}; metadata: {str: str}"""
    names = {dtype: name for name, (dtype, _) in TYPES.items()}
    header, end = {"__metadata__": metadata}, 0
    for name, t in tensors.items():
        begin, end = end, end + t.numel() * t.element_size()
        header[name] = {"dtype": names[t.dtype], "shape": list(t.shape), "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)))
        f.write(text)
        for t in tensors.values():
            f.write(t.cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes())
