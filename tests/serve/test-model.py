#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""y10 serve: another model while cameras run. Events of the ball in the demo scene tell by which model it was
found."""
import json
import os
import stat
import threading
import unittest

from models import BUNDLED, TOYS, Folder
from server import WebSocket, until

# A ball goes up and down in the scene, and crosses one of these lines within few seconds.
ZONES = {"version": 1, "zones": [], "lines": [
    {"name": name, "points": [[0, y], [1, y]]}
    for name, y in (("middle", 0.5), ("a", 0.2), ("b", 0.3), ("c", 0.4), ("d", 0.6), ("e", 0.7), ("f", 0.8))]}


class Live(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Folder().start()
        cls.server.live("one")
        cls.server.patch("one", zones=ZONES)

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def same(self, model="codes.safetensors"):
        found = self.server.model()
        self.assertEqual((found["file"], found["name"], found["change"]), (model, model, None))
        self.assertEqual(os.path.basename(self.server.kept()["model"]), model)
        self.assertEqual(self.server.cameras()["one"]["reconnects"], 0)

    def test_changes(self):
        """Detections have other classes, without a new connection; and so after the next start."""
        server = self.server
        self.assertEqual(server.model()["models"], ["codes.safetensors", "link.safetensors", "nan.safetensors",
                                                    "outside.safetensors", "short.safetensors", "text.pt",
                                                    "toys.safetensors"])
        self.assertEqual((server.model()["bundled"], server.model()["option"]), (False, False))
        server.until_label("ball")
        page = WebSocket(server, Authorization="Bearer " + server.token)
        frames = server.cameras()["one"]["frames"]
        status, model = server.change("toys.safetensors")
        self.assertEqual((status, model["file"], model["classes"]), (200, "toys.safetensors", TOYS))
        self.assertTrue(all(model[name] for name in ("backend", "device", "precision")), model)
        # Pages heard that it was coming, and that it is there.
        told = [page.until(lambda message: message["type"] == "model" and bool(message["change"]) == under_way)
                for under_way in (True, False)]
        self.assertEqual(told[0]["change"]["model"], "toys.safetensors")
        self.assertEqual((told[1]["name"], told[1]["problem"]), ("toys.safetensors", None))
        page.close()
        server.until_label("kite")
        server.patch("one", classes="kite,toy")
        self.same("toys.safetensors")
        self.assertGreater(server.cameras()["one"]["frames"], frames)
        self.assertEqual(stat.S_IMODE(os.stat(server.config).st_mode), 0o600)
        with open(server.config, encoding="utf-8") as file:
            self.assertIn("# mine", file.read())
        server.stop()
        server.start()
        server.live("one")
        self.same("toys.safetensors")
        server.until_label("kite")
        server.patch("one", classes=None)
        # A link below the folder is as good as a file.
        self.assertEqual(server.change("link.safetensors")[0], 200)
        server.until_label("ball")
        # The bundled model has no file, so the settings name none.
        status, model = server.change(None)
        self.assertEqual((status, model["bundled"], model["file"]), (200, True, None))
        self.assertNotIn("model", server.kept())
        server.until_label("ball")
        self.assertEqual(server.change("codes.safetensors")[0], 200)
        server.until_label("ball")
        self.same()

    def test_file_replaced(self):
        """The same name again is another file."""
        server = self.server
        os.rename(server.path("codes.safetensors"), server.path("codes.old"))
        os.link(server.path("toys.safetensors"), server.path("codes.safetensors"))
        try:
            status, model = server.change("codes.safetensors")
            self.assertEqual((status, model["classes"]), (200, TOYS))
            server.until_label("kite")
        finally:
            os.replace(server.path("codes.old"), server.path("codes.safetensors"))
            self.assertEqual(server.change("codes.safetensors")[0], 200)
        server.until_label("ball")

    def test_classes_are_missing(self):
        """Whoever asks for a class that it does not have keeps it off; the error says who, and which."""
        server = self.server
        counted = json.loads(json.dumps(ZONES))
        counted["lines"][0]["classes"] = ["barcode", "ball"]
        for members, says in (({"classes": "barcode,ball"}, ('the camera "Gate"', '"ball"')),
                              ({"zones": counted}, ('the camera "Gate"', '"middle"', '"ball"'))):
            server.patch("one", **members)
            status, reply = server.change("toys.safetensors")
            self.assertEqual(status, 400, reply)
            for words in (*says, "toys.safetensors", '"kite"'):
                self.assertIn(words, reply["error"])
            self.same()
            server.patch("one", classes=None, zones=ZONES)
        server.until_label("ball")

    def test_broken_files(self):
        """What cannot be loaded changes nothing, whoever notices; a file of good form has no numbers in it."""
        for name, expected, says in (("text.pt", 400, "text.pt"), ("short.safetensors", 400, "short.safetensors"),
                                     ("nan.safetensors", 409, "model.0.conv")):
            status, reply = self.server.change(name)
            self.assertEqual(status, expected, name)
            self.assertIn(says, reply["error"])
            self.assertNotIn("\n", reply["error"])
            self.same()
        self.server.until_label("ball")

    def test_names_only(self):
        """No path leads anywhere, no link outside, and what is not listed is none."""
        for name, says in (("../serve.ini", "expected the name"), (BUNDLED, "expected the name"),
                           ("models/codes.safetensors", "expected the name"), ("..", "expected the name"),
                           ("", "expected the name"), (".hidden.pt", "expected the name"),
                           ("readme.txt", "expected the name"), ("codes.safetensors/", "expected the name"),
                           ("x" * 300 + ".pt", "expected the name"), ("outside.safetensors", "leads outside"),
                           ("folder.pt", "no regular file"), ("none.pt", "No such file")):
            status, reply = self.server.change(name)
            self.assertEqual((status, list(reply)), (400, ["error"]), name)
            self.assertIn(says, reply["error"], name)
        for body in ({}, {"model": 3}, {"model": ["codes.safetensors"]}, {"file": "codes.safetensors"}, b"[]",
                     {"model": "codes.safetensors", "classes": "ball"}, b'{"model": "codes.safetensors\\u0000.pt"}'):
            status, _, data = self.server.ask("PATCH", "/api/model", body)
            self.assertEqual((status, list(json.loads(data))), (400, ["error"]), body)
        self.same()

    def test_one_at_a_time(self):
        """Of many requests at once each has one answer, and the settings are those of the last that did it."""
        answers = []
        names = ["toys.safetensors", "codes.safetensors"] * 4
        threads = [threading.Thread(target=lambda name=name: answers.append(self.server.change(name)))
                   for name in names]
        for thread in threads:
            thread.start()
        # One that does not wait for its answer is no reason to stop.
        hasty = self.server.connect()
        hasty.request("PATCH", "/api/model", '{"model": "toys.safetensors"}',
                      {"Authorization": "Bearer " + self.server.token})
        hasty.close()
        for thread in threads:
            thread.join()
        self.assertLessEqual({status for status, _ in answers}, {200, 409})
        self.assertEqual(len(answers), len(names))
        self.assertIn(200, {status for status, _ in answers})
        until(lambda: self.server.model()["change"] is None, "it is over")
        self.assertEqual(self.server.change("codes.safetensors")[0], 200)
        self.server.until_label("ball")
        self.same()


class Settings(unittest.TestCase):
    def start(self, server):
        self.addCleanup(server.__exit__)
        return server.start()

    def test_without_cameras(self):
        """The file is read all the same."""
        server = self.start(Folder(cameras=""))
        for name in ("text.pt", "short.safetensors", "nan.safetensors"):
            self.assertEqual(server.change(name)[0], 400, name)
        status, model = server.change("toys.safetensors")
        self.assertEqual((status, model["classes"], model["backend"]), (200, TOYS, None))
        self.assertEqual(server.kept()["model"], server.path("toys.safetensors"))

    def test_without_a_folder(self):
        server = self.start(Folder("confidence=0.5", cameras=""))
        self.assertEqual((server.model()["models"], server.model()["bundled"]), (None, True))
        status, reply = server.change("codes.safetensors")
        self.assertEqual(status, 409)
        self.assertIn("models=DIR", reply["error"])
        self.assertIn("--models DIR", reply["error"])

    def test_options(self):
        """--models stands in place of the settings' folder, and --model decides."""
        server = Folder("models=/nowhere", cameras="")
        server.options = ("--models", server.models)
        self.start(server)
        self.assertEqual(server.change("toys.safetensors")[0], 200)
        server.stop()
        server.options = ("--model", server.path("codes.safetensors"))
        server.start()
        model = server.model()
        self.assertEqual((model["name"], model["option"], model["models"]), ("codes.safetensors", True, []))
        status, reply = server.change("toys.safetensors")
        self.assertEqual(status, 409)
        self.assertIn("--model", reply["error"])
        self.assertEqual(server.kept()["model"], server.path("toys.safetensors"))

    def test_settings_cannot_be_written(self):
        """What is not kept does not apply."""
        server = self.start(Folder())
        server.live("one")
        os.rename(server.config, server.config + ".old")
        os.mkdir(server.config)
        status, reply = server.change("toys.safetensors")
        self.assertEqual((status, server.model()["file"]), (500, "codes.safetensors"), reply)
        os.rmdir(server.config)
        os.rename(server.config + ".old", server.config)
        server.patch("one", zones=ZONES)
        server.until_label("ball")
        self.assertEqual(server.change("toys.safetensors")[0], 200)
        server.until_label("kite")

    def test_end_meanwhile(self):
        """The end is not held up, and whoever waits gets an answer or sees the connection end."""
        server = self.start(Folder())
        server.live("one")
        answers = []

        def change():
            try:
                answers.append(server.change("toys.safetensors")[0])
            except ConnectionError:
                answers.append(503)
        thread = threading.Thread(target=change)
        thread.start()
        until(lambda: server.model()["change"] or answers, "it has begun")
        status = server.stop()
        self.assertEqual(status, 0)
        thread.join()
        self.assertIn(answers, ([200], [503]))


if __name__ == "__main__":
    unittest.main()
