#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""y10 serve: with privacy, what is detected is in no picture that leaves, from the first one on. Here it is
the codes of the demo scene; y10 detect looks for them in what came out."""
import fcntl
import json
import os
import select
import subprocess
import sys
import termios
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

    def patch(self, server, privacy):
        status, _, data = server.ask("PATCH", "/api/cameras/one", {"privacy": privacy})
        self.assertEqual((status, json.loads(data)["privacy"]), (200, privacy))

    def test_from_the_start(self):
        """The first picture of all, and those that follow."""
        with Server(config=CONFIG + "privacy=true\n") as server:
            stream = Stream(server, "one")
            pictures = [stream.picture() for _ in range(20)] + [server.jpeg("one")]
            stream.close()
            self.assertEqual(self.found(server, pictures), 0)

    def test_switched_on_and_off(self):
        """While viewers look: who asks after the answer gets nothing from before it."""
        with Server(config=CONFIG) as server:
            server.live("one")
            until(lambda: self.found(server, [server.jpeg("one")]) > 0, "codes without privacy")
            for _ in range(3):
                old = Stream(server, "one")
                old.picture()
                self.patch(server, True)
                new, taken = Stream(server, "one"), []
                others = [threading.Thread(target=lambda: taken.append(server.jpeg("one"))) for _ in range(4)]
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
                until(lambda: self.found(server, [server.jpeg("one")]) > 0, "codes again")

    def test_views_go_on(self):
        """A view that has taken all its pictures goes on with covered ones, in that order."""
        with Server(config=CONFIG) as server:
            server.live("one")
            until(lambda: self.found(server, [server.jpeg("one")]) > 0, "codes without privacy")
            stream = Stream(server, "one")
            taken = [stream.picture() for _ in range(6)]
            self.assertGreater(self.found(server, taken), 0)
            while select.select([stream.reply], [], [], 0)[0]:
                stream.picture()
            self.patch(server, True)
            # Those that were sent before the answer, of which one may be on its way.
            waiting = fcntl.ioctl(stream.reply, termios.FIONREAD, bytes(4))
            left = int.from_bytes(waiting, sys.byteorder)
            while left > 0:
                left -= len(stream.picture())
            stream.picture()
            pictures = [stream.picture() for _ in range(10)]
            stream.close()
            self.assertEqual(self.found(server, pictures), 0)


if __name__ == "__main__":
    unittest.main()
