# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Pictures with codes at known places: zint encodes them, and plain Python draws them."""
import struct
import subprocess
import tempfile
import zlib


def write_png(path, rows):
    """A PNG from rows of gray bytes."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 0, 0, 0, 0)
    with open(path, "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)
                + chunk(b"IDAT", zlib.compress(b"".join(b"\0" + bytes(row) for row in rows)))
                + chunk(b"IEND", b""))
    return path


def read_bmp(data):
    """The rows of gray bytes of a BMP of two colours or of 24 bits."""
    offset, = struct.unpack_from("<I", data, 10)
    width, height, _planes, bits = struct.unpack_from("<iiHH", data, 18)
    stride = (width * bits + 31) // 32 * 4
    rows = []
    for y in range(height):
        row = data[offset + (height - 1 - y) * stride:][:stride]
        if bits == 24:
            rows.append(bytes(row[3 * x] for x in range(width)))
        else:
            palette = data[offset - 8], data[offset - 4]
            rows.append(bytes(palette[row[x // 8] >> (7 - x % 8) & 1] for x in range(width)))
    return rows


def symbol(kind, text, scale, *options):
    """The symbol that zint makes of a text, as rows of gray bytes, @scale pixels a module, without
    margins."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(text.encode())
        file.flush()
        done = subprocess.run(["zint", f"--barcode={kind}", f"--input={file.name}", "--direct",
                               "--filetype=BMP", "--notext", f"--scale={scale / 2}", *options],
                              stdout=subprocess.PIPE, check=True)
    rows = read_bmp(done.stdout)
    inked = [y for y, row in enumerate(rows) if min(row) < 128]
    columns = [x for x in range(len(rows[0])) if any(row[x] < 128 for row in rows)]
    return [row[columns[0]:columns[-1] + 1] for row in rows[inked[0]:inked[-1] + 1]]


def page(width, height, *placed):
    """A white picture with symbols at (x, y), and the box of each."""
    rows = [bytearray(b"\xff" * width) for _ in range(height)]
    boxes = []
    for code, x, y in placed:
        for i, row in enumerate(code):
            rows[y + i][x:x + len(row)] = row
        boxes.append((x, y, x + len(code[0]), y + len(code)))
    return rows, boxes


def iou(a, b):
    """The IoU of boxes x0 y0 x1 y1."""
    width, height = (min(a[i + 2], b[i + 2]) - max(a[i], b[i]) for i in (0, 1))
    overlap = max(width, 0) * max(height, 0)
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (a, b)]
    return overlap / (sum(areas) - overlap)
