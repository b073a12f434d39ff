# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Numbers in pictures: a block of luma for each bit in the topmost row of blocks,
the complement in the one below."""
COLUMNS, ROWS = 20, 15          # blocks of a picture
BLOCK = 16
FPS = 10
MASK = (1 << COLUMNS) - 1


def stamped(picture, number):
    """Gray pixels of COLUMNS x ROWS blocks with the number in them."""
    rows = b""
    for value in (number, ~number):
        line = b"".join((b"\xeb" if value >> bit & 1 else b"\x10") * BLOCK
                        for bit in range(COLUMNS))
        rows += line * BLOCK
    return rows + picture[len(rows):]


def read(pixels):
    """The number in a picture of a pixel for each block; None where the two rows
    contradict each other."""
    number, check = (sum((pixels[row * COLUMNS + bit] > 128) << bit for bit in range(COLUMNS))
                     for row in (0, 1))
    return number if number ^ check == MASK else None
