#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Measures the delay of cameras' frames behind a detector that is three times too slow for one.

A camera-like server (gst-rtsp-server, in a separate process) sends a clip of 30 frames a second
that was encoded in advance, each frame on time. Each frame contains its number as blocks of luma,
which the sink after the detector reads back; both processes use the same clock. The backend is the
tests' fake GPU, set to 95 ms per inference, and all cameras share it.

usage: delay.py BACKEND-DIR MODEL --labels FILE [--minutes N] [--cameras N]
see delay.sh
"""
import argparse
import array
import multiprocessing
import os
import statistics
import sys
import threading
import time

try:
    import gi
    gi.require_version("Gst", "1.0")
    gi.require_version("GstApp", "1.0")
    gi.require_version("GstRtspServer", "1.0")
    from gi.repository import GLib, Gst, GstApp, GstRtspServer
except (ImportError, ValueError) as why:
    print("SKIP: gst-rtsp-server for Python (gir1.2-gst-rtsp-server-1.0):", why)
    sys.exit(77)

FPS = 30
WIDTH, HEIGHT = 320, 240
BLOCK, BITS = 16, 20            # blocks of a row; the number and its complement
STEP_MS = 95
SETTLED = 15                    # seconds; eight inferences of each of eight cameras take 6
NETWORK_MS = 200                # the limit for the rest of the pipeline


def stamp(number):
    """A gray picture in I420 with a number in its two topmost rows of blocks."""
    luma = bytearray(b"\x80") * (WIDTH * HEIGHT)
    for row, value in ((0, number), (1, ~number)):
        line = b"".join((b"\xeb" if value >> bit & 1 else b"\x10") * BLOCK
                        for bit in range(BITS))
        for y in range(row * BLOCK, (row + 1) * BLOCK):
            luma[y * WIDTH:y * WIDTH + len(line)] = line
    return bytes(luma) + b"\x80" * (WIDTH * HEIGHT // 2)


def read_stamp(buffer):
    """The number, or None if the blocks contradict each other."""
    ok, info = buffer.map(Gst.MapFlags.READ)
    if not ok:
        return None
    number = check = 0
    for bit in range(BITS):
        x = bit * BLOCK + BLOCK // 2
        number |= (info.data[BLOCK // 2 * WIDTH + x] > 128) << bit
        check |= (info.data[BLOCK * 3 // 2 * WIDTH + x] > 128) << bit
    buffer.unmap(info)
    return number if number ^ check == (1 << BITS) - 1 else None


def encode(n_frames):
    """The clip as a list of access units."""
    pipeline = Gst.parse_launch(
        f"appsrc name=in format=time block=true max-bytes=4000000 caps=video/x-raw,format=I420,"
        f"width={WIDTH},height={HEIGHT},framerate={FPS}/1 ! x264enc tune=zerolatency "
        f"speed-preset=ultrafast bitrate=1500 key-int-max={FPS} ! "
        "video/x-h264,stream-format=byte-stream,alignment=au ! appsink name=out sync=false")
    source, sink = pipeline.get_by_name("in"), pipeline.get_by_name("out")
    pipeline.set_state(Gst.State.PLAYING)

    def feed():
        for i in range(n_frames):
            buffer = Gst.Buffer.new_wrapped(stamp(i))
            buffer.pts = i * Gst.SECOND // FPS
            buffer.duration = Gst.SECOND // FPS
            source.push_buffer(buffer)
        source.end_of_stream()

    threading.Thread(target=feed, daemon=True).start()
    units = []
    while True:
        sample = sink.pull_sample()
        if not sample:
            break
        buffer = sample.get_buffer()
        units.append(buffer.extract_dup(0, buffer.get_size()))
    pipeline.set_state(Gst.State.NULL)
    if len(units) != n_frames:
        raise RuntimeError(f"{len(units)} of {n_frames} frames were encoded")
    return units


def serve(n_frames, n_cameras, port, sent):
    """Serves the cameras. @sent: the time at which each frame of each was sent, in monotonic
    seconds."""
    Gst.init(None)
    units = encode(n_frames)
    server = GstRtspServer.RTSPServer.new()
    server.set_address("127.0.0.1")
    server.set_service("0")

    def send(source, first):
        begin = time.monotonic()
        for i, unit in enumerate(units):
            left = begin + i / FPS - time.monotonic()
            if left > 0:
                time.sleep(left)
            sent[first + i] = time.monotonic()
            if source.push_buffer(Gst.Buffer.new_wrapped(unit)) != Gst.FlowReturn.OK:
                return
        source.end_of_stream()

    def configure(_factory, media, first):
        source = media.get_element().get_by_name_recurse_up("camera")
        threading.Thread(target=send, args=(source, first), daemon=True).start()

    for camera in range(n_cameras):
        factory = GstRtspServer.RTSPMediaFactory.new()
        factory.set_shared(True)
        factory.set_latency(0)
        factory.set_launch(
            "( appsrc name=camera is-live=true do-timestamp=true format=time "
            "caps=video/x-h264,stream-format=byte-stream,alignment=au ! h264parse ! "
            "rtph264pay name=pay0 pt=96 config-interval=-1 )")
        factory.connect("media-configure", configure, camera * n_frames)
        server.get_mount_points().add_factory(f"/camera{camera}", factory)
    server.attach(None)
    port.value = server.get_bound_port()
    GLib.MainLoop().run()


class Client:
    """A pipeline under test, and its output frames."""

    def __init__(self, port, camera, model, labels):
        self.frames = []        # (when, number, pts, inference, age)
        self.entered = self.dropped = self.dropped_late = 0
        self.pipeline = Gst.parse_launch(
            f"rtspsrc location=rtsp://127.0.0.1:{port}/camera{camera} latency=100 ! rtph264depay ! "
            "h264parse ! avdec_h264 max-threads=1 ! yolov10detect name=detector backend=cuda "
            f"model-file={model} label-file={labels} input-size=96 ! fakesink name=sink sync=true qos=true max-lateness=20000000 "
            "signal-handoffs=true "
            "enable-last-sample=false")
        self.detector = self.pipeline.get_by_name("detector")
        self.detector.get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, self.enter)
        self.pipeline.get_by_name("sink").connect("handoff", self.leave)

    def enter(self, _pad, _info):
        self.entered += 1
        return Gst.PadProbeReturn.OK

    def leave(self, _sink, buffer, _pad):
        now = time.monotonic()
        meta = buffer.get_custom_meta("GstYolov10FrameMeta").get_structure()
        self.frames.append((now, read_stamp(buffer), buffer.pts, meta.get_string("inference"),
                            meta.get_uint64("age").value))

    def run(self, limit):
        self.pipeline.set_state(Gst.State.PLAYING)
        bus = self.pipeline.get_bus()
        begin = time.monotonic()
        end = begin + limit
        while time.monotonic() < end:
            message = bus.timed_pop_filtered(
                Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR | Gst.MessageType.LATENCY
                | Gst.MessageType.QOS)
            if not message:
                continue
            if message.type == Gst.MessageType.QOS:
                self.dropped += 1
                self.dropped_late += time.monotonic() > begin + SETTLED
                continue
            if message.type == Gst.MessageType.LATENCY:
                self.pipeline.recalculate_latency()
                continue
            if message.type == Gst.MessageType.ERROR:
                raise RuntimeError(message.parse_error()[0].message)
            break
        self.stats = self.detector.props.stats
        self.engine_stats = self.detector.props.engine_stats

    def stop(self):
        self.pipeline.set_state(Gst.State.NULL)


def ages_are_exact(frames):
    """Whether each age is the difference to an earlier frame, and these frames never go back in
    time."""
    seen, latest = set(), -1
    for _, _, pts, inference, age in frames:
        seen.add(pts)
        if inference == "skipped":
            continue
        if pts - age not in seen or pts - age < latest or (inference == "fresh") != (age == 0):
            return False
        latest = pts - age
    return True


def judge(client, n_cameras, sent, minutes):
    stats = client.stats
    frames = client.frames
    numbers = [frame[1] for frame in frames]
    inference = stats.get_uint64("inference-median").value / 1e6
    fresh = 100 * sum(frame[3] == "fresh" for frame in frames) / len(frames)
    checks = []

    def check(name, ok, text):
        checks.append(ok)
        print(f"{'ok  ' if ok else 'BAD '} {name}: {text}")

    # The engine runs two steps if other cameras' frames wait: the second one ends two inferences
    # after it began.
    taken = inference * (2 if n_cameras > 1 else 1)
    medians = []
    first = min(1.0, minutes / 4)
    for name, minute in (("early", first), ("late", minutes)):
        begin, end = (minute * 60 - min(10, minutes * 15)) * FPS, minute * 60 * FPS
        delays = sorted(1000 * (when - sent[number]) for when, number, *_ in frames
                        if number is not None and begin <= number < end)
        if not delays:
            check(f"delay, minute {minute:g}", False, "no frames")
            continue
        p95 = delays[len(delays) * 95 // 100]
        check(f"delay, minute {minute:g} ({name})", p95 <= NETWORK_MS + taken + 1000 / FPS,
              f"median {statistics.median(delays):.0f} ms, p95 {p95:.0f} ms, max "
              f"{delays[-1]:.0f} ms; at most {NETWORK_MS} + {taken:.0f} + {1000 / FPS:.0f} ms")
        medians.append(statistics.median(delays))
    check("growth", len(medians) == 2 and medians[1] - medians[0] <= 1000 / FPS,
          " to ".join(f"{median:.0f} ms" for median in medians))
    check("qos", client.dropped_late == 0, f"{client.dropped_late} frames dropped as too late, and "
          f"{client.dropped - client.dropped_late} before the latency was known")
    check("frames", client.entered == len(frames) + client.dropped
          == stats.get_uint64("sent").value, f"{client.entered} in, {len(frames)} out")
    check("order", None not in numbers and numbers == sorted(set(numbers))
          and len(numbers) + client.dropped == numbers[-1] - numbers[0] + 1,
          f"numbers {numbers[0]} to {numbers[-1]}")
    if n_cameras == 1:
        check("fresh", 30 <= fresh <= 36, f"{fresh:.1f} %")
    check("ages", ages_are_exact(frames), "each is the difference of two PTS")
    check("inference", 90 <= inference <= 100, f"{inference:.1f} ms")
    return all(checks)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("backend")
    parser.add_argument("model")
    parser.add_argument("--labels")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--cameras", type=int, default=1)
    args = parser.parse_args()
    os.environ["Y10_BACKEND_PATH"] = args.backend
    os.environ["Y10_FAKE_STEP_MS"] = str(STEP_MS)
    n_frames = int(args.minutes * 60 * FPS)
    context = multiprocessing.get_context("spawn")
    sent = context.Array("d", n_frames * args.cameras, lock=False)
    port = context.Value("i", 0)
    server = context.Process(target=serve, args=(n_frames, args.cameras, port, sent), daemon=True)
    server.start()
    while not port.value and server.is_alive():
        time.sleep(0.1)
    if not server.is_alive():
        print("FAIL: no server")
        return 1
    Gst.init(None)
    for name in ("rtspsrc", "rtph264depay", "h264parse", "avdec_h264", "yolov10detect"):
        if not Gst.ElementFactory.find(name):
            print("SKIP: no element", name)
            return 77
    clients = [Client(port.value, i, args.model, args.labels) for i in range(args.cameras)]
    threads = [threading.Thread(target=client.run, args=(args.minutes * 60 + 30,))
               for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    server.terminate()
    ok = True
    for i, client in enumerate(clients):
        if args.cameras > 1:
            print(f"camera {i}: {client.stats.get_uint64('inferences').value} inferences")
        first = i * n_frames
        ok &= bool(client.frames) and judge(
            client, args.cameras, array.array("d", sent[first:first + n_frames]), args.minutes)
    if args.cameras > 1:
        counts = [client.stats.get_uint64("inferences").value for client in clients]
        busy = clients[0].engine_stats.get_double("busy").value
        print(f"inferences: {min(counts)} to {max(counts)} a camera, engine busy {100 * busy:.1f} %")
        ok &= max(counts) - min(counts) <= 2 + max(counts) // 20
    for client in clients:
        client.stop()
    print("PASS" if ok else "FAIL")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
