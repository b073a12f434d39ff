#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Identity and zones behind an RTSP camera that restarts or falls silent: ids never come again, no
stay and no dwell bridges the time without a camera, and who was inside leaves. Each connection shows
the same scene from its beginning: one code stays, another one crosses the gate, and vanishes.

usage: test-cameras.py BUILD
"""
import json
import os
import signal
import sys
import tempfile
import time
import unittest

BUILD = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else sys.exit(__doc__)
FOLDER = tempfile.TemporaryDirectory()
os.environ.update(GST_PLUGIN_PATH_1_0=os.path.join(BUILD, "gst"), GST_REGISTRY=os.path.join(FOLDER.name, "registry"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
import scenes  # noqa: E402
from programs import PATIENCE, no_rtsp, skip, streamed  # noqa: E402
from scenes import Gst  # noqa: E402

WIDTH, HEIGHT, RATE, SECONDS = 480, 360, 10, 60
SECOND = 10**9
CROSSES, VANISHES = 2, 4            # seconds of the scene
DWELL = 6 * SECOND
ZONES = "room=0,0 1,1; gate=0,0.75 -> 1,0.75"


def write_scene(path):
    """The QR code above stays; the Aztec code goes down the right side, and is hidden from VANISHES on."""
    picture = scenes.pull(f"filesrc location={scenes.CODES} ! pngdec", "GRAY8")[0][1]
    with open(path, "wb") as file:
        for n in range(SECONDS * RATE):
            frame = bytearray(b"\xff" * (WIDTH * HEIGHT))
            step = round((HEIGHT * 0.75 - 30 - 134) / (CROSSES * RATE))
            places = [("qr-code", 40, 30)]
            if n < VANISHES * RATE:
                places.append(("aztec", 300, min(30 + step * n, HEIGHT - 150)))
            for label, left, top in places:
                x0, y0, x1, y1 = scenes.PLACES[label]
                for y in range(y0, y1):
                    at = (top + y - y0) * WIDTH + left
                    frame[at:at + x1 - x0] = picture[y * scenes.CODES_SIZE[0] + x0:][:x1 - x0]
            file.write(frame)


def camera(scene):
    return streamed(
        f"filesrc location={scene} ! rawvideoparse format=gray8 width={WIDTH} height={HEIGHT} framerate={RATE}/1 "
        "! videoconvert ! video/x-raw,format=I420 ! x264enc tune=zerolatency speed-preset=ultrafast "
        f"key-int-max={RATE} ! rtph264pay name=pay0")


class Cameras(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scene = os.path.join(FOLDER.name, "scene")
        write_scene(cls.scene)

    def setUp(self):
        self.pipeline = Gst.parse_launch(
            "videoconvert name=in ! yolov10detect ! yolov10track name=t ! yolov10zones name=z hysteresis=0 "
            f"grace=500000000 dwell={DWELL} ! fakesink name=out sync=false")
        self.pipeline.get_by_name("z").set_property("zones", ZONES)
        self.bus = self.pipeline.get_bus()
        self.connections = []       # the events of each
        self.last = 0               # PTS of the last frame
        self.source = self.camera = None
        pad = self.pipeline.get_by_name("out").get_static_pad("sink")
        pad.add_probe(Gst.PadProbeType.BUFFER, self.on_frame)

    def tearDown(self):
        self.pipeline.set_state(Gst.State.NULL)
        self.camera.kill()

    def on_frame(self, _pad, info):
        self.last = info.get_buffer().pts
        return Gst.PadProbeReturn.OK

    def connect_source(self):
        """A new source in front of the elements that stay. What ends it does not end them."""
        self.source = Gst.parse_bin_from_description(
            f"rtspsrc location={self.camera.uri} protocols=tcp latency=100 ! rtph264depay ! avdec_h264 ! queue name=out", False)
        pad = Gst.GhostPad.new("src", self.source.get_by_name("out").get_static_pad("src"))
        self.source.add_pad(pad)
        pad.add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM,
                      lambda _pad, info: Gst.PadProbeReturn.DROP if info.get_event().type == Gst.EventType.EOS
                      else Gst.PadProbeReturn.OK)
        self.pipeline.add(self.source)
        self.source.link(self.pipeline.get_by_name("in"))
        self.source.sync_state_with_parent()

    def begin(self):
        self.camera = camera(self.scene)
        self.connect_source()
        self.pipeline.set_state(Gst.State.PLAYING)
        self.connections.append([])

    def take(self, message):
        structure = message.get_structure()
        if message.type == Gst.MessageType.ELEMENT and structure.has_name("yolov10-event"):
            self.connections[-1].append(json.loads(structure.get_value("json")))

    def wait_for(self, kind, place=None, reason=None, seconds=PATIENCE):
        """Waits for such an event of the connection at hand, and returns it."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for event in self.connections[-1]:
                if event["event"] == kind and event.get("label", "qr-code") == (place or event.get("label", "qr-code")) \
                        and reason in (None, event.get("reason")):
                    return event
            message = self.bus.timed_pop(Gst.SECOND // 10)
            if message:
                self.take(message)
        self.fail(f"no {kind} {place} {reason} within {seconds} s: {self.connections}")

    def drain(self):
        while message := self.bus.pop():
            self.take(message)

    def stop(self):
        """In READY, elements have told everything, and the bus keeps messages."""
        self.pipeline.set_state(Gst.State.READY)
        self.drain()
        self.pipeline.set_state(Gst.State.NULL)

    def replace_source(self):
        """The camera is gone: another connection, to the elements that have played all the time."""
        self.source.set_state(Gst.State.NULL)
        self.pipeline.remove(self.source)
        self.camera.kill()
        self.drain()
        time.sleep(DWELL / SECOND / 2)      # as long as it is away
        self.drain()
        self.camera = camera(self.scene)
        before = self.connections[-1]
        self.connections.append([])
        self.connect_source()
        self.wait_for("enter", "qr-code")
        # Who was inside leaves as the new stream begins, before anybody enters.
        first = next(i for i, event in enumerate(self.connections[-1]) if event["event"] == "enter")
        before += self.connections[-1][:first]
        del self.connections[-1][:first]

    def check(self):
        """What holds for all events: ids grow, stays end once and within their connection."""
        ids, told = set(), []
        for events in self.connections:
            told += events
            inside, here = {}, {event["id"] for event in events}
            self.assertTrue(not ids or min(here) > max(ids), (ids, here))
            ids |= here
            for event in events:
                number = event["id"]
                if event["event"] == "enter":
                    self.assertNotIn(number, inside)
                    inside[number] = event["timestamp"]
                elif event["event"] == "dwell":
                    self.assertEqual(event["timestamp"], inside[number] + DWELL)
                elif event["event"] == "leave":
                    self.assertEqual(event["duration"], event["timestamp"] - inside.pop(number))
            self.assertEqual(inside, {}, events)
        return told

    def watch_scene(self):
        """Waits until the second code has crossed the gate, and is lost."""
        self.assertEqual(self.wait_for("cross")["direction"], "in")
        gone = self.wait_for("leave", "aztec", "lost")
        stays = next(event for event in self.connections[-1]
                     if event["event"] == "enter" and event["id"] == gone["id"])
        # By the camera's time, of which the tracker needs two frames and x264enc one.
        self.assertAlmostEqual((gone["timestamp"] - stays["timestamp"]) / SECOND, VANISHES, delta=0.5)

    def kinds(self, events, label="qr-code"):
        return [(event["event"], event.get("reason")) for event in events if event["label"] == label]

    def test_restart(self):
        """The camera restarts twice, first with another source in front of the tracker, then with
        the whole pipeline started again. The stays together are longer than DWELL."""
        self.begin()
        self.watch_scene()
        self.replace_source()
        self.watch_scene()
        self.stop()
        self.pipeline.remove(self.source)
        self.camera.kill()
        self.begin()
        self.watch_scene()
        self.assertEqual(self.kinds([self.wait_for("dwell")]), [("dwell", None)])
        self.stop()
        self.check()
        for events in self.connections[:2]:
            stays = [event for event in events if event["event"] == "leave" and event["label"] == "qr-code"]
            self.assertEqual([event["reason"] for event in stays], ["ended"])
        # Only in silence may a dwell be told of a shorter stay; else of none, but on a slow machine.
        self.assertEqual(any(event["event"] == "dwell" for event in self.connections[1]), stays[0]["duration"] >= DWELL)
        self.assertEqual(self.kinds(self.connections[2]), [("enter", None), ("dwell", None), ("leave", "ended")])

    def test_silence(self):
        """A camera that hangs: the stay goes on, which the clock tells, until the connection ends;
        then it was over with the last frame."""
        self.begin()
        entered = self.wait_for("enter", "qr-code")
        self.wait_for("cross")
        self.camera.process.send_signal(signal.SIGSTOP)
        self.assertEqual(self.wait_for("dwell", "qr-code")["id"], entered["id"])
        last = self.last
        self.replace_source()
        self.watch_scene()
        self.stop()
        self.check()
        stays = [event for event in self.connections[0] if event["event"] == "leave"]
        self.assertEqual([(event["reason"], event["timestamp"]) for event in stays], [("ended", last)] * 2)


def missing():
    return no_rtsp() or next((f"the element {name} is missing" for name in (
        "rtspsrc", "x264enc", "rtph264pay", "avdec_h264", "rawvideoparse") if not Gst.ElementFactory.find(name)), None)


if __name__ == "__main__":
    Gst.init(None)
    if missing():
        skip(missing())
    unittest.main()
