# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Backgrounds of codes, and objects that look like codes but are none: noise,
gradients, text, halftones, gratings, weaves, mazes, shelves, tables, heaps.
Every function returns a picture of height x width x 3 bytes."""
import string

import cv2
import numpy as np

FONTS = (cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_PLAIN, cv2.FONT_HERSHEY_DUPLEX,
         cv2.FONT_HERSHEY_COMPLEX, cv2.FONT_HERSHEY_TRIPLEX, cv2.FONT_HERSHEY_SCRIPT_SIMPLEX)
LETTERS = list(string.ascii_letters + string.digits * 2 + "     .,-:/&%()")


def color(rng, low=0, high=255, gray=0.35):
    """A colour, often near gray like most objects."""
    base = rng.uniform(low, high)
    spread = rng.uniform(0, 14) if rng.random() < gray else 90
    return np.clip(base + rng.uniform(-spread, spread, 3), low, high)


def two_colors(rng, contrast=50):
    while True:
        a, b = color(rng), color(rng)
        if abs(a.mean() - b.mean()) > contrast:
            return a, b


def smooth(rng, h, w, cells, low=0.0, high=1.0):
    """Random values on a coarse grid, interpolated: (h, w) floats."""
    n = max(2, int(cells))
    small = rng.random((n, max(2, int(n * w / max(h, 1)))), np.float32)
    return cv2.resize(small, (w, h), interpolation=cv2.INTER_CUBIC) * (high - low) + low


def mix(mask, a, b):
    """b where the mask is 1, a where it is 0."""
    a, b = np.asarray(a, np.float32), np.asarray(b, np.float32)
    steps = np.linspace(0, 1, 256, dtype=np.float32)[:, None, None]
    table = np.clip(a + steps * (b - a), 0, 255).astype(np.uint8)
    return cv2.applyColorMap((np.asarray(mask, np.float32) * 255).astype(np.uint8), table)


def plain(rng, h, w):
    return np.broadcast_to(color(rng).astype(np.uint8), (h, w, 3)).copy()


def gradient(rng, h, w):
    return mix(np.clip(smooth(rng, h, w, 2), 0, 1), color(rng), color(rng))


def clouds(rng, h, w):
    m, weight, total = 0, 1.0, 0
    for cells in 2 ** np.arange(1, int(rng.integers(4, 8))):
        m = m + weight * smooth(rng, h // 2, w // 2, cells)
        total += weight
        weight *= rng.uniform(0.4, 0.9)
    m = np.clip((m / total - 0.5) * rng.uniform(1, 3) + 0.5, 0, 1)
    return cv2.resize(mix(m, color(rng), color(rng)), (w, h), interpolation=cv2.INTER_LINEAR)


def plane(rng, h, w, period):
    """Coordinates rotated by a random angle, in periods."""
    a = rng.choice([0, np.pi / 2, rng.uniform(0, np.pi)]) + rng.normal(0, 0.03)
    y, x = np.mgrid[0:h, 0:w].astype(np.float32)
    wave = smooth(rng, h, w, 3) * rng.choice([0, 0, rng.uniform(0, 40)])
    u = (x * np.cos(a) + y * np.sin(a) + wave) / period
    return u, (y * np.cos(a) - x * np.sin(a) + wave) / period


def grating(rng, h, w):
    """Even stripes: fences, blinds, corrugated sheet, cloth."""
    u, _ = plane(rng, h, w, np.exp(rng.uniform(np.log(3), np.log(60))))
    duty = rng.uniform(0.2, 0.8)
    soft = rng.uniform(0.02, 0.5)
    f = u - np.floor(u)
    m = np.clip((duty - np.abs(2 * f - 1)) / soft + 0.5, 0, 1)
    return mix(m, *two_colors(rng, 20))


def stripes(rng, h, w):
    """Uneven stripes like books, boards and pipes, in many colours."""
    u, v = plane(rng, h, w, 1)
    at = np.cumsum(np.exp(rng.uniform(np.log(4), np.log(70), 200)))
    table = np.stack([color(rng) for _ in range(201)]).astype(np.uint8)
    row = np.floor((v - v.min()) / max(h / rng.integers(1, 5), 1)).astype(int)
    index = np.searchsorted(at, (u - u.min()).ravel()).reshape(h, w) + 37 * row
    return table[index % 201]


def checks(rng, h, w):
    u, v = plane(rng, h, w, np.exp(rng.uniform(np.log(4), np.log(60))))
    return mix((np.floor(u) + np.floor(v)) % 2, *two_colors(rng, 20))


def weave(rng, h, w):
    """Strands that go over and under in turn: baskets, carpets, cloth."""
    u, v = plane(rng, h, w, np.exp(rng.uniform(np.log(5), np.log(50))))
    over = (np.floor(u) + np.floor(v)) % 2
    fu, fv = u - np.floor(u), v - np.floor(v)
    m = np.where(over > 0, np.sin(np.pi * fu), np.sin(np.pi * fv))
    gap = rng.uniform(0.0, 0.25)
    side = np.where(over > 0, fv, fu)
    m = m * ((side > gap) & (side < 1 - gap))
    return mix(m ** rng.uniform(0.3, 1.5), *two_colors(rng, 25))


def dots(rng, h, w):
    """Halftone, perforated sheet, keys: a grid of discs."""
    u, v = plane(rng, h, w, np.exp(rng.uniform(np.log(4), np.log(50))))
    d = np.hypot(u - np.floor(u) - 0.5, v - np.floor(v) - 0.5)
    size = smooth(rng, h, w, 4, 0.1, 0.5) if rng.random() < 0.5 else rng.uniform(0.15, 0.45)
    return mix(np.clip((size - d) * 12 + 0.5, 0, 1), *two_colors(rng, 20))


def modules(rng, h, w, cell=None):
    """Random squares without any symbol's frame; now and then joined into a
    maze, or into blobs."""
    cell = cell or np.exp(rng.uniform(np.log(2.5), np.log(30)))
    ny, nx = max(2, int(h / cell) + 1), max(2, int(w / cell) + 1)
    kind = rng.random()
    if kind < 0.35:
        m = (rng.random((ny, nx)) < rng.uniform(0.2, 0.8)).astype(np.float32)
    elif kind < 0.7:
        # A maze: walls between cells, of which each keeps one to a neighbour.
        m = np.zeros((ny, nx), np.float32)
        m[::2, ::2] = 1
        y, x = np.mgrid[0:ny:2, 0:nx:2]
        down = rng.random(y.shape) < rng.uniform(0.2, 0.8)
        m[np.minimum(y + down, ny - 1), np.minimum(x + ~down, nx - 1)] = 1
    else:
        m = (smooth(rng, ny, nx, min(ny, nx) / 2) > 0.5).astype(np.float32)
    how = cv2.INTER_CUBIC if rng.random() < 0.3 else cv2.INTER_NEAREST
    m = cv2.resize(m, (int(nx * cell) + 1, int(ny * cell) + 1), interpolation=how)
    return mix(np.clip(m[:h, :w], 0, 1), *two_colors(rng, 40))


def speckle(rng, h, w):
    """Noise of one grain: gravel, carpet, terrazzo, leaves; hard-edged it is
    the worms and mazes of camouflage."""
    fine = np.exp(rng.uniform(np.log(0.6), np.log(8)))
    n = max(1.0, fine / 1.5)
    m = rng.random((int(h / n) + 2, int(w / n) + 2), np.float32)
    m = cv2.GaussianBlur(m, (0, 0), fine / n) - cv2.GaussianBlur(m, (0, 0), 1.7 * fine / n)
    m = m / (m.std() + 1e-6) * np.exp(rng.uniform(np.log(0.2), np.log(4))) + 0.5
    m = cv2.resize(np.clip(m, 0, 1), (w, h), interpolation=cv2.INTER_LINEAR)
    return mix(m, *two_colors(rng, 30))


def worms(rng, h, w):
    """Two colours in winding bands or blobs of one width: camouflage, marbled
    and cracked paint, hides, coral."""
    fine = np.exp(rng.uniform(np.log(2), np.log(max(3, max(h, w) / 30))))
    n = max(1.0, fine / 3)
    m = rng.random((int(h / n) + 2, int(w / n) + 2), np.float32)
    for _ in range(2):
        m = cv2.GaussianBlur(m, (0, 0), fine / n) - cv2.GaussianBlur(m, (0, 0), 2 * fine / n)
    m = cv2.resize(m / (m.std() + 1e-9), (w, h), interpolation=cv2.INTER_LINEAR)
    if rng.random() < 0.3:
        m = rng.uniform(0.3, 0.8) - np.abs(m)   # their outlines
    return mix(np.clip((m - rng.normal(0, 0.5)) * rng.uniform(1, 8) + 0.5, 0, 1), *two_colors(rng, 40))


def patches(rng, h, w):
    """Pieces of two textures, or of one in two directions: parquet, fans, seams."""
    make = (grating, grating, cloth, weave, stripes)[int(rng.integers(5))]
    u, v = plane(rng, h, w, np.exp(rng.uniform(np.log(20), np.log(250))))
    v = v * rng.uniform(0.3, 1)
    return np.where(((np.floor(u) + np.floor(v)) % 2 > 0)[..., None], make(rng, h, w), make(rng, h, w))


def ribs(rng, h, w):
    """Stacks of ribs with seams between them, side by side: knitwear, corduroy,
    corrugated board, brushes, radiators. A barcode has no two even bars."""
    u, v = plane(rng, h, w, np.exp(rng.uniform(np.log(3), np.log(16))))
    column = np.floor((u - u.min()) / np.exp(rng.uniform(np.log(8), np.log(60)))).astype(int)
    shift = np.cumsum(rng.uniform(0, 9, column.max() + 1)) * rng.choice([0, 1, 1])
    v = v - v.min() + shift[column].astype(np.float32)
    seams = np.cumsum(np.exp(rng.uniform(np.log(1.5), np.log(14), 1 + int(v.max()))))
    row = np.searchsorted(seams, v.ravel()).reshape(h, w)
    from_seam = np.minimum(np.abs(v - seams[row]), np.abs(v - np.where(row, seams[row - 1], 0)))
    strength = rng.uniform(0, 1, (61, 67))[row % 61, column % 67] * rng.uniform(0.2, 1)
    m = 0.5 - strength * np.abs(np.sin(np.pi * u)) ** rng.uniform(0.4, 2)
    seam = np.exp(-(from_seam / rng.uniform(0.1, 0.6)) ** 2) * rng.uniform(0, 0.5)
    return mix(np.clip(m + 0.4 * strength + seam, 0, 1), *two_colors(rng, 40))


def cloth(rng, h, w):
    """Threads along and across, in patches or mixed: linen, denim, tweed,
    carpet, bast."""
    thread = np.exp(rng.uniform(np.log(1), np.log(5)))
    long = thread * rng.uniform(4, 40)
    sh, sw = int(h / thread) + 2, int(w / thread) + 2
    noise = rng.random((2, sh, sw), np.float32)
    run = max(1, int(long / thread))
    across, along = cv2.blur(noise[0], (run, 1)), cv2.blur(noise[1], (1, run))
    if rng.random() < 0.6:
        u, v = plane(rng, sh, sw, np.exp(rng.uniform(np.log(3), np.log(60))))
        m = np.where((np.floor(u) + np.floor(v)) % 2 > 0, across, along)
    else:
        m = (across + along) / 2
    m = np.clip((m - m.mean()) / (m.std() + 1e-6) * rng.uniform(0.1, 0.5) + 0.5, 0, 1)
    return cv2.resize(mix(m, *two_colors(rng, 20)), (w, h), interpolation=cv2.INTER_LINEAR)


def writing(rng, h, w):
    """Lines of words, as on paper, boxes and signs."""
    paper, ink = two_colors(rng, 60)
    picture = np.broadcast_to(paper.astype(np.uint8), (h, w, 3)).copy()
    y = 0
    while y < h:
        scale = float(np.exp(rng.uniform(np.log(0.25), np.log(2.2))))
        font = int(rng.choice(FONTS))
        thick = int(rng.choice([1, 1, 2, max(1, int(3 * scale))]))
        height = int(cv2.getTextSize("Ag", font, scale, thick)[0][1] * rng.uniform(1.2, 2)) + 3
        for _ in range(int(rng.integers(1, 8))):
            y += height
            line = "".join(rng.choice(LETTERS, int(rng.integers(3, 60))))
            x = int(rng.integers(-20, max(1, w // 3)))
            cv2.putText(picture, line, (x, y), font, scale, ink.tolist(), thick, cv2.LINE_AA)
            if y > h:
                break
        y += int(rng.integers(0, 40))
    return picture


def table(rng, h, w):
    """Cells with lines between them, some with a word: forms, shelves, tiles,
    windows, keyboards."""
    paper, ink = two_colors(rng, 40)
    picture = np.broadcast_to(paper.astype(np.uint8), (h, w, 3)).copy()
    dy, dx = (int(np.exp(rng.uniform(np.log(8), np.log(120)))) for _ in range(2))
    line = int(rng.integers(1, 4))
    fill = rng.random() < 0.5
    for y in range(int(rng.integers(-dy, 1)), h, dy):
        for x in range(int(rng.integers(-dx, 1)), w, dx):
            if fill:
                shade = (ink + rng.normal(0, 25, 3)).clip(0, 255).tolist()
                cv2.rectangle(picture, (x + line, y + line), (x + dx - line, y + dy - line), shade, -1)
            elif rng.random() < 0.3:
                word = "".join(rng.choice(LETTERS, int(rng.integers(1, 10))))
                cv2.putText(picture, word, (x + 3, y + dy - 4), int(rng.choice(FONTS)),
                            max(0.25, dy / 60), ink.tolist(), 1, cv2.LINE_AA)
            if not fill:
                cv2.rectangle(picture, (x, y), (x + dx, y + dy), ink.tolist(), line)
    return picture


def shapes(rng, h, w):
    """Random polygons, discs and lines on any texture."""
    picture = (gradient if rng.random() < 0.6 else clouds)(rng, h, w)
    for _ in range(int(rng.integers(3, 40))):
        c = color(rng).tolist()
        kind = rng.random()
        centre = np.array([rng.uniform(0, w), rng.uniform(0, h)])
        r = np.exp(rng.uniform(np.log(3), np.log(max(h, w) / 2)))
        if kind < 0.4:
            turn = np.sort(rng.uniform(0, 2 * np.pi, int(rng.integers(3, 8))))
            points = centre + r * np.stack((np.cos(turn), np.sin(turn)), 1)
            cv2.fillPoly(picture, [points.astype(np.int32)], c, cv2.LINE_AA)
        elif kind < 0.7:
            axes = (int(r) + 1, int(r * rng.uniform(0.2, 1)) + 1)
            cv2.ellipse(picture, centre.astype(int).tolist(), axes, rng.uniform(0, 180), 0, 360, c,
                        -1 if rng.random() < 0.7 else int(rng.integers(1, 8)), cv2.LINE_AA)
        else:
            end = centre + rng.normal(0, r, 2)
            cv2.line(picture, centre.astype(int).tolist(), end.astype(int).tolist(), c,
                     int(rng.integers(1, 12)), cv2.LINE_AA)
    return picture


def sign(rng, h, w):
    """One word as large as its sign, which has an edge or two."""
    paper, ink = two_colors(rng, 60)
    picture = np.broadcast_to(paper.astype(np.uint8), (h, w, 3)).copy()
    word = "".join(rng.choice(LETTERS[:62], int(rng.integers(2, 12))))
    word = word.upper() if rng.random() < 0.7 else word
    font = int(rng.choice(FONTS))
    (tw, th), _ = cv2.getTextSize(word, font, 1, 1)
    scale = min(w * rng.uniform(0.6, 1.0) / tw, h * rng.uniform(0.3, 0.9) / th)
    at = int((w - tw * scale) / 2), int(h / 2 + th * scale * rng.uniform(0.2, 0.8))
    cv2.putText(picture, word, at, font, scale, ink.tolist(),
                max(1, int(scale * rng.uniform(1, 8))), cv2.LINE_AA)
    for _ in range(int(rng.integers(0, 3))):
        y = int(rng.uniform(0, h))
        cv2.rectangle(picture, (0, y), (w, y + int(h * rng.uniform(0.01, 0.15)) + 1), ink.tolist(), -1)
    return picture


def heap(rng, h, w):
    """Many small things on a plate, in a bowl, in a crown of leaves; or rings
    in one another."""
    under, rim = two_colors(rng, 20)
    picture = np.broadcast_to(under.astype(np.uint8), (h, w, 3)).copy()
    centre, reach = np.array([w, h]) / 2, np.array([w, h]) * rng.uniform(0.35, 0.5)
    cv2.ellipse(picture, centre.astype(int).tolist(), reach.astype(int).tolist(), 0, 0, 360,
                rim.tolist(), -1, cv2.LINE_AA)
    if rng.random() < 0.45:
        for f in np.sort(rng.uniform(0.1, 0.9, int(rng.integers(1, 5))))[::-1]:
            cv2.ellipse(picture, centre.astype(int).tolist(), (reach * f).astype(int).tolist(), 0, 0,
                        360, color(rng).tolist(), -1, cv2.LINE_AA)
        soft = min(h, w) * rng.uniform(0.005, 0.08)
        return cv2.GaussianBlur(picture, (0, 0), soft) if rng.random() < 0.6 else picture
    palette = [color(rng).tolist() for _ in range(int(rng.integers(2, 6)))]
    grain = min(h, w) * np.exp(rng.uniform(np.log(0.015), np.log(0.12)))
    for _ in range(int(rng.integers(60, 400))):
        a, r = rng.uniform(0, 2 * np.pi), np.sqrt(rng.random())
        at = centre + reach * r * rng.uniform(0.7, 1.0) * (np.cos(a), np.sin(a))
        axes = (1 + grain * rng.uniform(0.4, 1.2, 2)).astype(int).tolist()
        cv2.ellipse(picture, at.astype(int).tolist(), axes, rng.uniform(0, 180), 0, 360,
                    palette[int(rng.integers(len(palette)))], -1, cv2.LINE_AA)
    return picture


def strands(rng, h, w):
    """Fine lines that flow: hair, grass, fur, stems, water, grain of wood."""
    fine = np.exp(rng.uniform(np.log(0.7), np.log(max(2, max(h, w) / 60))))
    long = fine * rng.uniform(8, 60)
    across = (fine, long) if rng.random() < 0.5 else (long, fine)
    m = cv2.GaussianBlur(rng.random((h, w), np.float32), (0, 0), sigmaX=across[0], sigmaY=across[1])
    reach = float(max(h, w) * rng.uniform(0.02, 0.3))
    y, x = np.mgrid[0:h, 0:w].astype(np.float32)
    cells = rng.uniform(2, 6)
    m = cv2.remap(m, x + smooth(rng, h, w, cells, -reach, reach),
                  y + smooth(rng, h, w, cells, -reach, reach), cv2.INTER_LINEAR,
                  borderMode=cv2.BORDER_REFLECT)
    m = (m - m.mean()) / (m.std() + 1e-9) * rng.uniform(0.15, 0.9) + 0.5
    return mix(np.clip(m, 0, 1), *two_colors(rng, 30))


def tiles(rng, h, w):
    """A mosaic: tiles of a few colours, with joints between them."""
    cell = np.exp(rng.uniform(np.log(3), np.log(max(4, min(h, w) / 6))))
    ny, nx = int(h / cell) + 1, int(w / cell) + 1
    ground = color(rng)
    spread = np.exp(rng.uniform(np.log(8), np.log(90)))
    palette = np.clip(ground + rng.normal(0, spread, (int(rng.integers(2, 6)), 3))
                      + rng.normal(0, 15), 0, 255).astype(np.uint8)
    picture = palette[rng.integers(len(palette), size=(ny, nx))]
    picture = cv2.resize(picture, (int(nx * cell) + 1, int(ny * cell) + 1),
                         interpolation=cv2.INTER_NEAREST)[:h, :w]
    y, x = np.mgrid[0:picture.shape[0], 0:picture.shape[1]].astype(np.float32)
    from_joint = np.minimum(np.abs(x / cell - np.round(x / cell)), np.abs(y / cell - np.round(y / cell)))
    gap = from_joint < rng.uniform(0, 0.15)
    picture = np.where(gap[..., None], color(rng).astype(np.uint8), picture)
    return cv2.resize(picture, (w, h), interpolation=cv2.INTER_LINEAR)


def keys(rng, h, w):
    """A keyboard, a remote control, a rack: rows of keys, some with a letter."""
    body, key = two_colors(rng, 12)
    ink = color(rng).tolist()
    picture = np.broadcast_to(body.astype(np.uint8), (h, w, 3)).copy()
    dy = max(4, int(h / rng.integers(3, 8)))
    gap = max(1, int(dy * rng.uniform(0.03, 0.3)))
    for y in range(gap, h, dy):
        x = gap
        while x < w:
            wide = max(4, int(dy * rng.choice([1, 1, 1, 1, 1.5, 2, 5]) * rng.uniform(0.9, 1.1)))
            shade = np.clip(key + rng.normal(0, 8), 0, 255).tolist()
            cv2.rectangle(picture, (x, y), (x + wide - gap, y + dy - gap), shade, -1)
            if rng.random() < 0.6:
                cv2.putText(picture, str(rng.choice(LETTERS)), (x + gap + 1, y + dy - 2 * gap - 1),
                            int(rng.choice(FONTS)), dy / 60, ink, 1, cv2.LINE_AA)
            x += wide
    return picture


def device(rng, h, w):
    """A dark frame about something: a phone, a screen, a window with panes."""
    frame = color(rng, 0, 70) if rng.random() < 0.75 else color(rng)
    picture = np.broadcast_to(frame.astype(np.uint8), (h, w, 3)).copy()
    edges = (np.array([h, w, h, w]) * rng.uniform(0.02, 0.2, 4)).astype(int) + 1
    ih, iw = h - edges[0] - edges[2], w - edges[1] - edges[3]
    if ih > 4 and iw > 4:
        make = (shapes, shapes, clouds, writing, table, strands)[int(rng.integers(6))]
        inner = make(rng, int(ih), int(iw))
        picture[edges[0]:edges[0] + ih, edges[1]:edges[1] + iw] = inner
    bar = max(1, int(min(h, w) * rng.uniform(0.005, 0.05)))
    for _ in range(int(rng.choice([0, 0, 1, 2, 3]))):
        at = rng.uniform(0.1, 0.9)
        end = (int(at * w), h), (w, int(at * h))
        start = (int(at * w), 0), (0, int(at * h))
        across = int(rng.integers(2))
        cv2.line(picture, start[across], end[across], frame.tolist(), bar)
    return picture


def disc(rng, h, w):
    """One round object on a plain background, dark or bright, with a rim, holes
    or slots around its centre, or letters: drains, wheels, lenses, mice,
    logos."""
    ground, body = two_colors(rng, 30)
    picture = np.broadcast_to(ground.astype(np.uint8), (h, w, 3)).copy()
    centre = (int(w / 2), int(h / 2))
    reach = np.array([w, h]) / 2 * rng.uniform(0.55, 0.95, 2)
    if rng.random() < 0.6:
        reach[:] = reach.min()
    turn = rng.uniform(0, 180)
    cv2.ellipse(picture, centre, reach.astype(int).tolist(), turn, 0, 360, body.tolist(), -1,
                cv2.LINE_AA)
    for f in np.sort(rng.uniform(0.2, 0.95, int(rng.integers(1, 5))))[::-1]:
        cv2.ellipse(picture, centre, (reach * f).astype(int).tolist(), turn, 0, 360,
                    color(rng).tolist(), -1 if rng.random() < 0.6 else max(1, int(reach.min() * 0.05)),
                    cv2.LINE_AA)
    kind = rng.random()
    if kind < 0.4:
        n, c, size = int(rng.integers(4, 20)), color(rng).tolist(), rng.uniform(0.03, 0.12)
        for a in np.arange(n) * 2 * np.pi / n:
            at = np.array([w, h]) / 2 + reach * rng.uniform(0.6, 0.7) * (np.cos(a), np.sin(a))
            cv2.circle(picture, at.astype(int).tolist(), 1 + int(reach.min() * size), c, -1, cv2.LINE_AA)
    elif kind < 0.7:
        word = "".join(rng.choice(LETTERS[:62], int(rng.integers(1, 4)))).upper()
        font, thick = int(rng.choice(FONTS)), max(1, int(reach.min() * rng.uniform(0.03, 0.12)))
        (tw, th), _ = cv2.getTextSize(word, font, 1, 1)
        scale = float(min(reach[0] * 1.2 / tw, reach[1] / th))
        cv2.putText(picture, word, (int(w / 2 - tw * scale / 2), int(h / 2 + th * scale / 2)), font,
                    scale, color(rng).tolist(), thick, cv2.LINE_AA)
    soft = min(h, w) * rng.uniform(0.003, 0.06)
    return cv2.GaussianBlur(picture, (0, 0), soft) if rng.random() < 0.6 else picture


# The frequency of each as the background; codes mostly lie on the first four,
# and a detector takes the others for codes.
BACKGROUNDS = ((plain, 6), (gradient, 12), (clouds, 22), (shapes, 20), (writing, 8), (table, 7),
               (grating, 5), (stripes, 6), (checks, 3), (weave, 5), (dots, 4), (modules, 4),
               (speckle, 8), (cloth, 9), (worms, 4), (patches, 4), (strands, 6), (tiles, 3))
# Textures that may be taken for a code, as a whole picture or in part.
CONFUSING = (grating, stripes, checks, weave, weave, dots, modules, modules, speckle, speckle, cloth,
             cloth, worms, worms, worms, patches, patches, table, strands, strands, strands, tiles,
             tiles, keys, device)
# Others that were, as whole pictures.
LURES = CONFUSING + (ribs, ribs, ribs, ribs, ribs, worms)

DECOYS = (modules, modules, modules, weave, grating, dots, checks, writing, writing, table, stripes,
          speckle, cloth, sign, sign, sign, heap, heap, worms, patches, strands, strands, tiles, tiles,
          keys, keys, device, device, device, disc, disc, disc, disc)


def background(rng, h, w):
    p = np.array([weight for _, weight in BACKGROUNDS], float)
    make = BACKGROUNDS[int(rng.choice(len(p), p=p / p.sum()))][0]
    picture = make(rng, h, w)
    if rng.random() < 0.35:
        # Half one, half another: an object on a table, a wall behind a shelf.
        other = BACKGROUNDS[int(rng.integers(len(p)))][0](rng, h, w)
        u, _ = plane(rng, h, w, 1)
        picture = np.where((u > np.quantile(u[::16, ::16], rng.uniform(0.2, 0.8)))[..., None],
                           picture, other)
    return picture


def decoy(rng, h, w):
    """An object that looks like a code but is none."""
    make = DECOYS[int(rng.integers(len(DECOYS)))]
    return make(rng, h, w)
