# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Symbols from well-maintained encoders: zxing-cpp (with zint) for codes,
OpenCV for markers. A symbol is a picture of one pixel a module, dark on light,
0 or 255, without its quiet zone."""
import string
from typing import NamedTuple

import cv2
import numpy as np
import zxingcpp

F = zxingcpp.BarcodeFormat
TEXT = string.ascii_uppercase + string.ascii_lowercase + string.digits + " -./:"
MARKERS = ("4X4_50", "4X4_250", "5X5_100", "5X5_1000", "6X6_250", "7X7_1000", "ARUCO_ORIGINAL",
           "ARUCO_MIP_36H12", "APRILTAG_16H5", "APRILTAG_25H9", "APRILTAG_36H10", "APRILTAG_36H11")

# The frequency of each. A detector learns dense PDF417 and Data Matrix of
# several regions last.
WEIGHTS = {"barcode": 36, "qr-code": 24, "pdf417": 16, "data-matrix": 14, "aztec": 9, "marker": 8}


def digits(rng, n):
    return "".join(map(str, rng.integers(0, 10, n)))


def text(rng, low, high):
    """Mostly short: the length is drawn evenly on a logarithmic scale."""
    n = int(round(np.exp(rng.uniform(np.log(low), np.log(high)))))
    if rng.random() < 0.2:
        return digits(rng, n)
    if rng.random() < 0.15:
        return "https://example.org/" + "".join(rng.choice(list(TEXT[:62]), n))
    return "".join(rng.choice(list(TEXT), n))


class Symbol(NamedTuple):
    label: str
    pixels: np.ndarray
    digits: str = ""            # to print with it; those of an add-on behind a "+"
    ean: bool = False           # number of digits that reach into the bars
    width: int = 0              # of the code proper, before an add-on; 0: all


# For codes with an optional add-on of two or five digits: modules, and the
# digits to give.
ADDABLE = {"EAN13": (95, 12), "UPCA": (95, 11), "UPCE": (51, 6)}


def linear(rng):
    kind = rng.choice(
        ["EAN13", "EAN8", "UPCA", "UPCE", "addon", "Code128", "Code39", "Code93", "ITF", "Codabar",
         "DataBarOmni", "DataBarLtd", "DataBarExp", "DataBarStkOmni", "Telepen"],
        p=np.array([25, 5, 8, 3, 9, 20, 10, 3, 6, 3, 2, 1, 2, 1, 2]) / 100)
    of = str(rng.choice(list(ADDABLE), p=(0.6, 0.2, 0.2))) if kind == "addon" else str(kind)
    upper = list(string.ascii_uppercase + string.digits)
    content = {
        "EAN13": lambda: digits(rng, 12), "EAN8": lambda: digits(rng, 7),
        "UPCA": lambda: digits(rng, 11), "UPCE": lambda: "0" + digits(rng, 6),
        "addon": lambda: "0" * (of == "UPCE") + digits(rng, ADDABLE[of][1]) + "+"
        + digits(rng, int(rng.choice([2, 5]))),
        "Code128": lambda: text(rng, 4, 28), "Code39": lambda: "".join(rng.choice(upper, rng.integers(3, 16))),
        "Code93": lambda: "".join(rng.choice(upper, rng.integers(4, 20))),
        "ITF": lambda: digits(rng, 2 * int(rng.integers(2, 11))),
        "Codabar": lambda: "A" + digits(rng, int(rng.integers(4, 14))) + "B",
        "DataBarLtd": lambda: "0" + digits(rng, 12),
        "DataBarExp": lambda: "[10]" + "".join(rng.choice(upper, rng.integers(3, 16))),
        "Telepen": lambda: "".join(rng.choice(upper, rng.integers(4, 16))),
    }.get(kind, lambda: digits(rng, 13))()
    code = draw(content, getattr(F, of))
    if kind == "DataBarStkOmni":
        return Symbol("barcode", code)
    row = code[code.shape[0] // 2]
    # Only one line matters; the height of the bars is random.
    height = row.size * np.exp(rng.uniform(np.log(0.12), np.log(1.1)))
    bars = np.repeat(row[None], max(8, int(height)), 0)
    return Symbol("barcode", bars, content, of in ("EAN13", "EAN8", "UPCA", "UPCE"),
                  ADDABLE[of][0] if kind == "addon" else 0)


def draw(content, form, **options):
    code = zxingcpp.create_barcode(content, form, **options)
    return np.array(zxingcpp.write_barcode_to_image(code, scale=1, add_quiet_zones=False))


def qr_code(rng):
    kind = rng.random()
    if kind < 0.04:
        return draw(digits(rng, int(rng.integers(3, 12))), F.MicroQRCode)
    if kind < 0.07:
        return draw(digits(rng, int(rng.integers(3, 40))), F.RMQRCode)
    if kind < 0.2:
        # Up to version 40, for which only a symbol that fills the picture has
        # room.
        return draw(text(rng, 300, 1800), F.QRCode, ec_level="L")
    return draw(text(rng, 4, 600), F.QRCode, ec_level=str(rng.choice(list("LMQH"))))


def data_matrix(rng):
    """Versions 10 to 24 are cut into regions, 25 and more are not square."""
    if rng.random() < 0.45:
        version = int(rng.integers(10, 20))
    elif rng.random() < 0.15:
        version = int(rng.integers(25, 31))
    else:
        version = int(rng.integers(1, 10))
    for n in (int(rng.integers(3, 12)), 4, 2):
        try:
            return draw(text(rng, 1, n), F.DataMatrix, version=version)
        except (ValueError, RuntimeError):
            continue
    return draw("1", F.DataMatrix)


def aztec(rng):
    if rng.random() < 0.06:
        return draw(str(rng.integers(0, 255)), F.AztecRune)
    return draw(text(rng, 3, 400), F.Aztec)


def pdf417(rng):
    kind = rng.random()
    if kind < 0.06:
        code = draw(text(rng, 4, 40), F.MicroPDF417)
    else:
        code = draw(text(rng, 8, 500), F.CompactPDF417 if kind < 0.14 else F.PDF417)
    # Rows are 3 modules high as drawn; printers take 2 to 5, some programs 1.
    rows = int(code.shape[0] * (rng.uniform(0.7, 1.7) if rng.random() < 0.8 else rng.uniform(0.34, 0.7)))
    return cv2.resize(code, (code.shape[1], rows), interpolation=cv2.INTER_NEAREST)


def marker(rng):
    table = cv2.aruco.getPredefinedDictionary(
        getattr(cv2.aruco, "DICT_" + str(rng.choice(MARKERS))))
    side = table.markerSize + 2
    return cv2.aruco.generateImageMarker(table, int(rng.integers(0, table.bytesList.shape[0])), side)


MAKE = {"qr-code": qr_code, "data-matrix": data_matrix, "aztec": aztec, "pdf417": pdf417,
        "marker": marker}


def symbol(rng, names):
    """A symbol with one of these labels."""
    p = np.array([WEIGHTS[n] for n in names], float)
    label = str(rng.choice(names, p=p / p.sum()))
    while True:
        try:
            return linear(rng) if label == "barcode" else Symbol(label, MAKE[label](rng))
        except ValueError:  # not every number is an UPC-E
            continue
