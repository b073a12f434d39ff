#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""y10 serve: with privacy, what is detected is in no picture that leaves, from the first one on. Here it is
the codes of the demo scene; y10 detect looks for them in what came out."""
import json
import os
import subprocess
import threading
import unittest

from server import Server, Stream, Y10, until

CONFIG = "[camera one]\nname=One\nsource=demo\n"


class Privacy(unittest.TestCase):
    def found(self, server, pictures):
        """How many codes there are in all of these JPEGs."""
        folder = os.path.join(server.directory.name, "pictures")
        os.makedirs(folder, exist_ok=True)
        names = []
        for i, picture in enumerate(pictures):
            names.append(os.path.join(folder, f"{i}.jpg"))
            with open(names[-1], "wb") as file:
                file.write(picture)
        done = subprocess.run([Y10, "detect", "--format", "jsonl", "--confidence", "0.25", *names], text=True,
                              capture_output=True, check=True)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(len(lines), len(names))
        return sum(found["detection"]["label"] != "ball" for line in lines for found in line["objects"])

    def snapshot(self, server):
        """The next picture. A busy machine may need more than the 5 s after which 503 says that there is none."""
        for _ in range(6):
            status, _, data = server.ask("GET", "/snapshot/one.jpg")
            if status != 503:
                break
        self.assertEqual(status, 200)
        return data

    def patch(self, server, privacy):
        status, _, data = server.ask("PATCH", "/api/cameras/one", {"privacy": privacy})
        self.assertEqual((status, json.loads(data)["privacy"]), (200, privacy))

    def test_from_the_start(self):
        """The first picture of all, and those that follow."""
        with Server(config=CONFIG + "privacy=true\n") as server:
            stream = Stream(server, "one")
            pictures = [stream.picture() for _ in range(20)] + [self.snapshot(server)]
            stream.close()
            self.assertEqual(self.found(server, pictures), 0)

    def test_switched_on_and_off(self):
        """While viewers look: who asks after the answer gets nothing from before it."""
        with Server(config=CONFIG) as server:
            server.live("one")
            until(lambda: self.found(server, [self.snapshot(server)]) > 0, "codes without privacy")
            for _ in range(3):
                old = Stream(server, "one")
                old.picture()
                self.patch(server, True)
                new, taken = Stream(server, "one"), []
                others = [threading.Thread(target=lambda: taken.append(self.snapshot(server))) for _ in range(4)]
                for thread in others:
                    thread.start()
                pictures = [new.picture() for _ in range(10)]
                for thread in others:
                    thread.join()
                self.assertEqual(len(taken), 4)
                self.assertEqual(self.found(server, pictures + taken), 0)
                new.close()
                old.close()
                self.patch(server, False)
                until(lambda: self.found(server, [self.snapshot(server)]) > 0, "codes again")

    def test_views_go_on(self):
        """A view that has taken all its pictures goes on with covered ones, in that order."""
        with Server(config=CONFIG) as server:
            server.live("one")
            until(lambda: self.found(server, [self.snapshot(server)]) > 0, "codes without privacy")
            stream, pictures, ended = Stream(server, "one"), [], threading.Event()

            def read():
                try:
                    while not ended.is_set():
                        pictures.append(stream.picture())
                except (AssertionError, OSError, ValueError):
                    pass    # it was sending
            reader = threading.Thread(target=read)
            reader.start()
            until(lambda: len(pictures) > 5, "pictures")
            self.patch(server, True)
            after = len(pictures) + 1   # one may be on its way
            self.snapshot(server)
            ended.set()
            reader.join()
            stream.close()
            self.assertEqual(self.found(server, pictures[after:]), 0)


if __name__ == "__main__":
    unittest.main()
