# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Makes and decodes the pictures and videos for tests of pipelines/, without using the project's
code."""
import html
import os
import struct
import sys
from typing import NamedTuple

try:
    import gi
    gi.require_version("Gst", "1.0")
    gi.require_version("GstPbutils", "1.0")
    gi.require_version("GstRtspServer", "1.0")
    from gi.repository import Gst, GstPbutils
    import numpy
except (ImportError, ValueError) as missing:
    print(f"SKIP: {missing} (tools/setup.sh --tests)")
    sys.exit(77)

LIMIT = 120 * Gst.SECOND


class Video(NamedTuple):
    frames: list            # RGB arrays; None for frames that were not requested
    seconds: float
    audio: float            # seconds of sound, 0 without sound
    tags: str

    @property
    def count(self):
        return len(self.frames)

    def middle(self):
        return self.frames[len(self.frames) // 2]


def pulled(description, each):
    """Runs a pipeline that ends in an appsink called out; @each gets its samples."""
    pipeline = Gst.parse_launch(description)
    sink = pipeline.get_by_name("out")
    pipeline.set_state(Gst.State.PLAYING)
    try:
        while True:
            sample = sink.emit("try-pull-sample", LIMIT)
            if not sample:
                break
            each(sample)
        error = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
        if error:
            raise AssertionError(f"cannot be decoded: {error.parse_error()[0].message}")
        if not sink.get_property("eos"):
            raise AssertionError("decoding did not end")
    finally:
        pipeline.set_state(Gst.State.NULL)


def picture_of(sample):
    caps = sample.get_caps().get_structure(0)
    width, height = caps.get_int("width")[1], caps.get_int("height")[1]
    buffer = sample.get_buffer()
    rows = numpy.frombuffer(buffer.extract_dup(0, buffer.get_size()), numpy.uint8)
    return rows.reshape(height, -1)[:, :3 * width].reshape(height, width, 3)


def frames_of(source, wanted=None):
    """The decoded frames of a source; None for those whose number is not in @wanted."""
    frames = []

    def each(sample):
        keep = wanted is None or wanted(len(frames))
        frames.append(picture_of(sample) if keep else None)

    pulled(f"{source} ! decodebin ! videoconvert ! video/x-raw,format=RGB ! "
           "appsink name=out sync=false max-buffers=4", each)
    return frames


def quoted(path):
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'


def read_picture(path):
    frames = frames_of(f"filesrc location={quoted(path)}")
    assert len(frames) == 1, f"{path}: {len(frames)} pictures"
    return frames[0]


def read_video(path, wanted=None):
    info = GstPbutils.Discoverer.new(30 * Gst.SECOND).discover_uri(Gst.filename_to_uri(path))
    tags = "".join((stream.get_tags().to_string() if stream.get_tags() else "")
                   for stream in info.get_stream_list())
    return Video(frames_of(f"filesrc location={quoted(path)}", wanted),
                 info.get_duration() / Gst.SECOND,
                 len(read_sound(path)) / 44100 if info.get_audio_streams() else 0.0, tags)


def read_sound(path):
    """The sound's samples, at 44100 Hz."""
    parts = []

    def each(sample):
        buffer = sample.get_buffer()
        parts.append(numpy.frombuffer(buffer.extract_dup(0, buffer.get_size()), numpy.float32))

    pulled(f"filesrc location={quoted(path)} ! decodebin ! audioconvert ! audioresample ! "
           "audio/x-raw,format=F32LE,channels=1,rate=44100 ! appsink name=out sync=false", each)
    return numpy.concatenate(parts)


def pitch(samples):
    """The strongest frequency, Hz."""
    strength = numpy.abs(numpy.fft.rfft(samples * numpy.hanning(len(samples))))
    return float(strength.argmax()) * 44100 / len(samples)


def run(description, feed=()):
    """Runs a pipeline to its end and pushes the pictures @feed into its appsrc called in."""
    pipeline = Gst.parse_launch(description)
    source = pipeline.get_by_name("in")
    pipeline.set_state(Gst.State.PLAYING)
    for buffer in feed:
        source.emit("push-buffer", buffer)
    if source:
        source.emit("end-of-stream")
    message = pipeline.get_bus().timed_pop_filtered(
        LIMIT, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    assert message and message.type == Gst.MessageType.EOS, \
        f"{description}: {message.parse_error() if message else 'no end'}"


def write(path, picture, encoder, n_frames=1, fps=15, sound=""):
    """A picture, or a video that shows it for @n_frames."""
    height, width = picture.shape[:2]
    padded = numpy.zeros((height, (3 * width + 3) // 4 * 4), numpy.uint8)
    padded[:, :3 * width] = picture.reshape(height, -1)
    data = padded.tobytes()

    def feed():
        for i in range(n_frames):
            buffer = Gst.Buffer.new_wrapped(data)
            buffer.pts, buffer.duration = i * Gst.SECOND // fps, Gst.SECOND // fps
            yield buffer

    run(f"appsrc name=in format=time block=true caps=video/x-raw,format=RGB,width={width},"
        f"height={height},framerate={fps}/1 ! videoconvert ! {encoder} ! "
        f"filesink location={quoted(path)} {sound}", feed())


def turn(path):
    """Marks an MP4 with one track as rotated clockwise by 90°, like a telephone, by the matrix of
    the track's header, which GStreamer 1.22 reads, but does not write."""
    with open(path, "r+b") as file:
        data = file.read()
        header = data.index(b"tkhd") + 4
        assert data[header] == 0 and data.count(b"tkhd") == 1
        file.seek(header + 40)
        file.write(struct.pack(">9i", 0, 1 << 16, 0, -1 << 16, 0, 0, 0, 0, 1 << 30))


def orient(path, number):
    """Writes EXIF's orientation, 1 to 8, into a JPEG, like a camera."""
    tag = b"Exif\0\0II*\0\x08\0\0\0\x01\0" + struct.pack("<HHIHHI", 0x112, 3, 1, number, 0, 0)
    with open(path, "r+b") as file:
        data = file.read()
        file.seek(2)
        file.write(b"\xff\xe1" + struct.pack(">H", len(tag) + 2) + tag + data[2:])


def write_video(path, picture, n_frames=30, fps=15, sound=True):
    tone = f"audiotestsrc freq=440 num-buffers={44100 * n_frames // fps // 1024 + 1} ! " \
        "audioconvert ! avenc_aac ! mux." if sound else ""
    write(path, picture, "video/x-raw,format=I420 ! x264enc speed-preset=veryfast pass=qual "
          "quantizer=15 ! mp4mux name=mux",
          n_frames, fps, tone)


def sheet(path, tiles, work, columns=3, width=480, height=270):
    """All of [(caption, picture)] side by side in one JPEG."""
    strip, gap = 26, 6
    rows = -(-len(tiles) // columns)
    canvas = numpy.full((rows * (height + strip + gap) + gap, columns * (width + gap) + gap, 3),
                        48, numpy.uint8)
    for i, (caption, picture) in enumerate(tiles):
        with open(os.path.join(work, "caption.svg"), "w", encoding="utf-8") as file:
            file.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{strip}">'
                       f'<rect width="{width}" height="{strip}" fill="#303030"/><text x="4" y="18" '
                       'font-family="DejaVu Sans" font-size="14" fill="#ffffff">'
                       f'{html.escape(caption)}</text></svg>')
        write(os.path.join(work, "tile.png"), picture,
              "videoscale add-borders=true method=lanczos ! video/x-raw,pixel-aspect-ratio=1/1,"
              f"width={width},height={height} ! pngenc")
        y, x = i // columns * (height + strip + gap) + gap, i % columns * (width + gap) + gap
        for name in ("caption.svg", "tile.png"):
            part = read_picture(os.path.join(work, name))
            canvas[y:y + part.shape[0], x:x + width] = part
            y += part.shape[0]
    # A JPEG's full range; 4:2:0 has half the size of full colour.
    write(path, canvas, "video/x-raw,format=I420,colorimetry=1:4:0:0 ! jpegenc quality=85")


# The codes in codes.png, 640x540: x and y of two corners.
CODES = {
    "qr-code": (63, 68, 188, 193), "aztec": (454, 64, 587, 197),
    "pdf417": (70, 268, 310, 341), "barcode": (115, 400, 305, 490),
}
# These need a larger network input, so boxes are optional.
SMALL = ((265, 70, 385, 190), (448, 248, 552, 352), (446, 396, 554, 504))


def scaled(box, scale, at=(0, 0)):
    return [round(value * scale + at[i % 2]) for i, value in enumerate(box)]


def changed(drawn, plain):
    """Which pixels differ by more than an encoder's error."""
    return (numpy.abs(drawn.astype(int) - plain.astype(int)) > 70).any(axis=2)


def sides_drawn(mask, box):
    """The minimum over a box's four sides of the share with something drawn near it."""
    x0, y0, x1, y1 = box
    near = max(4, round(0.07 * min(x1 - x0, y1 - y0)))

    def side(along, across, transpose):
        begin, end = along
        cut = (end - begin) // 10
        rows = mask.T if transpose else mask
        band = rows[max(0, across - near):across + near + 1, begin + cut:end - cut]
        return band.any(axis=0).mean()

    return min(side((x0, x1), y0, False), side((x0, x1), y1, False),
               side((y0, y1), x0, True), side((y0, y1), x1, True))


def any_box(drawn, plain):
    """Whether a frame with codes.png in its corner has any boxes."""
    height, width = min(drawn.shape[0], plain.shape[0]), min(drawn.shape[1], plain.shape[1])
    mask = changed(drawn[:height, :width], plain[:height, :width])
    return any(sides_drawn(mask, box) >= 0.8 for box in CODES.values())


def check_boxes(drawn, plain, scale=1.0, at=(0, 0)):
    """Asserts that boxes are drawn around the codes and nothing elsewhere; returns which. @drawn
    and @plain are frames, or codes.png itself, scaled and moved @at a place in them."""
    height, width = min(drawn.shape[0], plain.shape[0]), min(drawn.shape[1], plain.shape[1])
    area = scaled((0, 0, 640, 540), scale, at)
    mask = changed(drawn[:height, :width], plain[:height, :width])
    for label, box in CODES.items():
        covered = sides_drawn(mask, scaled(box, scale, at))
        assert covered >= 0.8, f"the box of {label} has only {covered:.0%} of a side"
    elsewhere = numpy.zeros(mask.shape, bool)
    elsewhere[area[1]:area[3], area[0]:area[2]] = True
    margin, label_height = 16 * scale, 24 * scale
    for box in (*CODES.values(), *SMALL):
        x0, y0, x1, y1 = scaled(box, scale, at)
        inside = mask[round(y0 + margin):round(y1 - margin), round(x0 + margin):round(x1 - margin)]
        assert inside.mean() < 0.05, f"{inside.mean():.1%} changed inside the box at {x0},{y0}"
        elsewhere[max(0, round(y0 - margin - label_height)):round(y1 + margin),
                  max(0, round(x0 - margin)):round(x1 + margin)] = False
    assert mask[elsewhere].mean() < 0.002, f"{mask[elsewhere].mean():.2%} changed outside boxes"
    return "boxes on " + ", ".join(CODES)
