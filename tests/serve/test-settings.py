#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""y10 serve: settings of a camera that change while it runs. What changed is seen in its pictures, where
boxes and zones are coloured and the scene is not."""
import configparser
import hashlib
import json
import os
import subprocess
import time
import unittest

from server import Server, Stream, until

CONFIG = "[camera one]\nname=One\nsource=demo\n\n[camera two]\nname=Two\nsource=test:ball\n"
CODES = (0, 0, 640, 540)    # where the demo scene has them, black on white
ZONES = {"version": 1, "zones": [{"name": "yard \"ü\"", "points": [[0.7, 0.1], [0.95, 0.1], [0.95, 0.4]],
                                  "classes": ["ball"], "dwell": [2, 5]}],
         "lines": [{"name": "gate", "points": [[0.7, 0.8], [0.95, 0.8]], "sides": ["a", "b"]}]}


def coloured(picture, box):
    """The number of pixels that are no grey."""
    return sum(max(pixel) - min(pixel) > 80 for pixel in picture.crop(box).getdata())


class Settings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(config=CONFIG).start()
        cls.server.live("one")

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def patch(self, body, camera="one"):
        status, _, data = self.server.ask("PATCH", "/api/cameras/" + camera, body)
        return status, json.loads(data)

    def boxes(self, box=CODES):
        return coloured(self.server.snapshot("one"), box)

    def kept(self, camera="one"):
        parser = configparser.ConfigParser(interpolation=None)
        parser.read(self.server.config, encoding="utf-8")
        return dict(parser["camera " + camera])

    def test_classes_and_confidence(self):
        """Boxes of the codes go and come, without a new connection."""
        until(lambda: self.boxes() > 1000, "boxes around the codes")
        for off in ({"classes": "ball"}, {"confidence": 1}):
            status, camera = self.patch(off)
            self.assertEqual(status, 200, camera)
            for name, value in off.items():
                self.assertEqual(camera[name], value)
                self.assertIn(name, self.kept())
            until(lambda: self.boxes() == 0, f"no boxes with {off}")
            self.assertEqual(self.patch({name: None for name in off})[0], 200)
            until(lambda: self.boxes() > 1000, "boxes again")
            self.assertEqual(sorted(self.kept()), ["name", "source"])
        camera = self.server.cameras()["one"]
        self.assertEqual((camera["state"], camera["reconnects"]), ("live", 0))

    def test_tiles(self):
        """Tiles find what they did without, in a frame of the scene's size."""
        status, camera = self.patch({"tiles": "2x1"})
        self.assertEqual((status, camera["tiles"]), (200, "2x1"))
        until(lambda: self.boxes() > 1000, "boxes with tiles")
        self.assertEqual(self.patch({"tiles": None})[1]["tiles"], None)

    def test_zones(self):
        """They are drawn where they are, and kept as they came."""
        right = (660, 30, 930, 240)
        self.patch({"classes": "qr-code"})  # no ball comes there
        until(lambda: self.boxes(right) == 0, "nothing on the right")
        status, camera = self.patch({"zones": ZONES})
        self.assertEqual((status, camera["zones"]), (200, ZONES))
        until(lambda: self.boxes(right) > 200, "the zone in the picture")
        self.assertEqual(self.server.cameras()["one"]["zones"], ZONES)
        self.assertEqual(self.patch({"zones": "yard=0,0.5 1,1"})[1]["zones"], "yard=0,0.5 1,1")
        until(lambda: self.boxes(right) == 0, "it is elsewhere")
        self.assertEqual(self.patch({"zones": ZONES})[0], 200)
        # They are there after the next start.
        self.server.stop()
        self.server.start()
        self.server.live("one")
        self.assertEqual(self.server.cameras()["one"]["zones"], ZONES)
        until(lambda: self.boxes(right) > 200, "the zone in the picture")
        self.assertEqual(self.patch({"zones": None, "classes": None})[1]["zones"], None)
        self.assertNotIn("zones", self.kept())

    def test_numbers(self):
        """They are written with no more digits than they need, in the answer and in the settings; in names they
        stay as they are."""
        places = (0.3, 0.29, 0.1234, 0.1 + 0.2, 1 / 3, 1e-7, 0.9999, 0.0, 1.0)
        points = ", ".join(f"[{a!r}, {b!r}]" for a, b in zip(places, places[1:]))
        text = ('{"version": 1, "zones": [{"name": "0.29999999999999999 \\" 1e5", "points": [%s], "grace": 0.7, '
                '"dwell": [2, 2.5]}]}' % points)
        plain = text.replace(", ", ",").replace(": ", ":")
        status, _, data = self.server.ask("PATCH", "/api/cameras/two", '{"zones": %s}' % text, Content_Type="application/json")
        self.assertEqual(status, 200, data)
        self.assertIn(plain, data.decode())
        self.assertEqual(self.kept("two")["zones"].replace("\\\\", "\\"), plain)
        refused = self.patch({"zones": {"version": 1, "zones": [{"name": "a", "points": [[0.3, 1.7], [1, 1]]}]}}, "two")
        self.assertEqual(refused[0], 400)
        self.assertIn("is 1.7; expected", refused[1]["error"])
        self.assertEqual(self.patch({"zones": None, "confidence": 0.7}, "two")[0], 200)
        self.assertIn(b'"confidence":0.7,', self.server.ask("GET", "/api/cameras/two")[2])
        self.assertEqual(self.kept("two")["confidence"], "0.7")
        self.patch({"confidence": None}, "two")

    def test_name_and_source(self):
        status, camera = self.patch({"name": "Other", "source": "test:snow"}, "two")
        self.assertEqual((status, camera["name"], camera["source"]), (200, "Other", "test:snow"))
        self.server.live("two")
        self.assertEqual(self.kept("two"), {"name": "Other", "source": "test:snow"})
        secret = "rtsp://admin:s3cret@127.0.0.1:1/hidden"
        self.assertEqual(self.patch({"source": secret}, "two")[1]["source"], "rtsp://127.0.0.1:1")
        self.assertEqual(self.patch({"source": "test:ball", "name": "Two"}, "two")[0], 200)

    def test_refused(self):
        """One clear error, and nothing of the request applies."""
        before = self.server.cameras()["one"]
        line = {"name": "a", "points": [[0, 0], [1, 1]]}
        for body, says in ((b"[]", "JSON object"), (b"", "JSON object"), ({"colour": "red"}, "'colour'"),
                           ({"id": "x"}, "'id'"), ({"confidence": 0}, "confidence is 0; expected a number"),
                           ({"confidence": 1.5}, "confidence is 1.5"), ({"confidence": "high"}, 'is "high"'),
                           ({"classes": ["ball"]}, "classes is"), ({"classes": "cat"}, '"cat"'),
                           ({"classes": "999"}, "expected one of its"), ({"tiles": "0x2"}, "0x2"),
                           ({"tiles": 2}, "tiles is 2"), ({"privacy": "yes"}, "expected true or false"),
                           ({"privacy": None}, "privacy is null"), ({"zones": 3}, "zones is 3"),
                           ({"zones": "yard"}, "yard"), ({"zones": {}}, "version"),
                           ({"zones": {"version": 1, "zones": [dict(line, classes=["aztec", "Ball"])]}},
                            'zone "a": "Ball" is not a class of codes.safetensors'),
                           ({"zones": {"version": 1, "lines": [dict(line, classes=["cat"])]}}, 'line "a": "cat"'),
                           ({"zones": {"version": 1, "zones": [{"name": "a"}]}}, "zones[0].points"),
                           ({"zones": {"version": 1, "zones": [{"name": "a", "points": [[0, 0], [2, 1]]}]}},
                            "zones[0].points[1]"),
                           ({"zones": {"version": 1, "lines": [line, line]}}, "a"),
                           ({"zones": {"version": 1, "lines": [dict(line, anchor="left")]}}, "anchor"),
                           ({"name": ""}, "name"), ({"name": None}, "name"), ({"source": None}, "source"),
                           ({"source": "ftp://x/"}, "ftp: address; expected rtsp://"),
                           ({"source": "x"}, "source is unknown"), ({"source": 3}, "source is no text"),
                           ({"transport": "sctp"}, "expected auto, tcp, udp"), ({"stream": 0}, "stream is 0"),
                           ({"fingerprint": "ab:cd"}, "64 hexadecimal digits"), ({"stream": "1"}, "a number"),
                           ({"name": "changed", "tiles": "x"}, "x"), ("[" * 4000, "JSON object")):
            status, reply = self.patch(body)
            self.assertEqual((status, list(reply)), (400, ["error"]), body)
            self.assertIn(says, reply["error"], body)
            self.assertNotIn("\n", reply["error"])
        after = self.server.cameras()["one"]
        for field in ("name", "source", "classes", "confidence", "tiles", "zones", "privacy", "reconnects"):
            self.assertEqual(after[field], before[field])
        for path in ("/api/cameras/none", "/api/cameras/", "/api/none"):
            self.assertEqual(self.server.ask("PATCH", path, {"privacy": True})[0], 404)
        self.assertEqual(self.server.ask("PATCH", "/api/cameras", {})[0], 405)
        self.assertEqual(self.server.ask("PATCH", "/api/cameras/one", "{" + " " * 70000 + "}")[0], 413)

    def test_model(self):
        status, _, data = self.server.ask("GET", "/api/model")
        model = json.loads(data)
        self.assertEqual((status, model["name"]), (200, "codes.safetensors"))
        self.assertIn("qr-code", model["classes"])
        self.assertTrue(all(model[name] for name in ("backend", "device", "precision")), model)
        self.assertEqual(self.server.ask("DELETE", "/api/model")[0], 405)


class Unwritable(unittest.TestCase):
    """Where the settings cannot be written, nothing changes, now and after a restart."""

    def setUp(self):
        self.server = Server()
        self.folder = os.path.join(self.server.directory.name, "settings")
        self.server.config = os.path.join(self.folder, "serve.ini")
        os.mkdir(self.folder)
        bad = "bad/" + hashlib.sha256(b"test:snow").hexdigest()[:16]
        self.write("serve.ini", "# A comment\n[serve]\nlast-id=3\nspool=\nmodels=" + self.folder + "\n" + CONFIG
                   + "other=stays\n\n[camera bad]\nname=Bad\nsource=test:snow\n")
        self.write("serve.ini.crashes", "".join(f"crash {int(time.time())} 11 {bad}\n" for _ in range(3)))
        self.server.start()

    def tearDown(self):
        self.server.__exit__()

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(file.name, 0o600)

    def read(self):
        files = {}
        for name in os.listdir(self.folder):
            with open(os.path.join(self.folder, name), encoding="utf-8") as file:
                files[name] = [line for line in file.read().splitlines() if line]
        return files

    def describe(self):
        fields = ("name", "source", "state", "reason", "classes", "confidence", "tiles", "zones", "privacy", "reconnects")
        return {key: {name: camera[name] for name in fields} for key, camera in self.server.cameras().items()}

    def test_all_or_nothing(self):
        for camera in ("one", "two"):
            self.server.live(camera)
        before, files = self.describe(), self.read()
        self.assertEqual(before["bad"]["state"], "quarantined")
        stream = Stream(self.server, "two")
        stream.picture()
        frames = self.server.cameras()["two"]["frames"]
        # No folder can be made where a file is. Root may write to what is read-only.
        os.rename(self.folder, self.folder + ".away")
        with open(self.folder, "w", encoding="ascii"):
            pass
        for method, path, body in (("POST", "cameras", {"name": "New", "source": "test:"}),
                                   ("PATCH", "cameras/two", {"name": "Other", "privacy": True, "source": "test:snow"}),
                                   ("PATCH", "cameras/two", {"zones": ZONES, "classes": "ball"}),
                                   ("DELETE", "cameras/two", None), ("DELETE", "cameras/bad", None),
                                   ("POST", "cameras/bad/release", None), ("PATCH", "model", {"model": None})):
            head = {} if body else {"Content_Length": "0"}
            status, _, data = self.server.ask(method, "/api/" + path, body, **head)
            self.assertEqual((status, list(json.loads(data))), (500, ["error"]), (method, path))
            self.assertEqual(self.describe(), before, (method, path))
        stream.picture()    # No view has ended, and no camera was connected anew.
        stream.close()
        self.assertGreaterEqual(self.server.cameras()["two"]["frames"], frames)
        os.unlink(self.folder)
        os.rename(self.folder + ".away", self.folder)
        self.assertEqual(self.read(), files)
        # What was refused leaves nothing behind, when something else is written.
        self.assertEqual(self.server.ask("PATCH", "/api/cameras/one", {"tiles": "2x1"})[0], 200)
        self.assertEqual([line for line in self.read()["serve.ini"] if line != "tiles=2x1"], files["serve.ini"])
        self.assertEqual(self.server.add("New", "test:")[1]["id"], "c4")
        self.assertEqual(self.server.ask("DELETE", "/api/cameras/c4")[0], 204)
        self.assertEqual(self.server.ask("PATCH", "/api/cameras/one", {"tiles": None})[0], 200)
        self.server.stop()
        self.server.start()
        for camera in ("one", "two"):
            self.server.live(camera)
        self.assertEqual(self.describe(), before)
        self.assertEqual(self.server.ask("POST", "/api/cameras/bad/release", Content_Length="0")[0], 204)
        self.server.live("bad")


class Files(unittest.TestCase):
    def test_wrong_settings(self):
        """What a file says wrongly is told at the start, with the camera."""
        for line, says in (("confidence=2", "confidence"), ("classes=cat", "cat"), ("tiles=x", "tiles"),
                           ("zones=yard", "yard"), ("privacy=maybe", "privacy"),
                           ('zones={"version":1,"zones":[{"name":"a","points":[[0,0],[1,1]],"classes":["cat"]}]}',
                            '"cat" is not a class of')):
            server = Server(config=f"[camera one]\nsource=demo\n{line}\n")
            done = subprocess.run(server.command(), env=server.env, capture_output=True, text=True, timeout=60,
                                  check=False)
            self.assertEqual(done.returncode, 1, line)
            self.assertIn("[camera one]", done.stderr)
            self.assertIn(says, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            server.directory.cleanup()
        # What is no file is neither waited for nor read without an end.
        for name, kind in (("", "FIFO"), ("", "device"), (".token", "FIFO"), (".token", "device")):
            server = Server(config=None if not name else "")
            if kind == "FIFO":
                os.mkfifo(server.config + name, 0o600)
            else:
                os.symlink("/dev/zero", server.config + name)
            done = subprocess.run(server.command(), env=server.env, capture_output=True, text=True, timeout=60,
                                  check=False)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(f"{server.config}{name}: it is a ", done.stderr)
            self.assertIn(kind, done.stderr)
            server.directory.cleanup()
        with Server(config="") as server:
            server.stop()
            os.unlink(server.config + ".crashes")
            os.mkfifo(server.config + ".crashes")
            server.start()
        server = Server(config="[serve]\nclasses=cat\n")
        done = subprocess.run(server.command(), env=server.env, capture_output=True, text=True, timeout=60,
                              check=False)
        self.assertIn("[serve]", done.stderr)
        self.assertIn("cat", done.stderr)
        server.directory.cleanup()


if __name__ == "__main__":
    unittest.main()
