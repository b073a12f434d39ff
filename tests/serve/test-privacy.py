#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""y10 serve: with privacy, what is detected is in no picture that leaves, from the first one on. Here it is
the codes of the demo scene; y10 detect looks for them in what came out."""
import fcntl
import json
import os
import select
import socket
import subprocess
import sys
import termios
import threading
import time
import unittest

from PIL import Image

from server import PATIENCE, Server, Stream, Y10, until

CONFIG = "[camera one]\nname=One\nsource=demo\n"


def arrived(file):
    """How many bytes the kernel has for a reader."""
    return int.from_bytes(fcntl.ioctl(file, termios.FIONREAD, bytes(4)), sys.byteorder)


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

    def goes_on(self, server):
        """Whether a view goes on, with covered pictures; else it has ended."""
        stream = Stream(server, "one")
        try:
            taken = [stream.picture() for _ in range(6)]
            self.assertGreater(self.found(server, taken), 0)
            while select.select([stream.reply], [], [], 0)[0]:
                stream.picture()
            self.patch(server, True)
            # Those that were sent before the answer, of which one may be on its way.
            left = arrived(stream.reply)
            while left > 0:
                left -= len(stream.picture())
            stream.picture()
            pictures = [stream.picture() for _ in range(10)]
            self.assertEqual(self.found(server, pictures), 0)
            return True
        except (ConnectionError, ValueError, KeyError):
            return False
        finally:
            stream.close()

    def test_views_go_on(self):
        """A view that has taken all its pictures goes on with covered ones, in that order."""
        with Server(config=CONFIG) as server:
            server.live("one")
            for _ in range(20):
                until(lambda: self.found(server, [server.jpeg("one")]) > 0, "codes without privacy")
                if self.goes_on(server):
                    return
                self.patch(server, False)
            self.fail("no view has gone on")

    def test_other_classes(self):
        """What is covered follows the settings at once: no picture is asked for after the answer that is older."""
        with Server(config=CONFIG + "privacy=true\n") as server:
            server.live("one")
            for off, on in (({"classes": "ball"}, {"classes": None}), ({"confidence": 1}, {"confidence": 0.25})):
                self.assertEqual(server.ask("PATCH", "/api/cameras/one", off)[0], 200)
                until(lambda: self.found(server, [server.jpeg("one")]) > 0, f"codes with {off}")
                view = Stream(server, "one")
                view.picture()
                self.assertEqual(server.ask("PATCH", "/api/cameras/one", on)[0], 200)
                self.assertEqual(self.found(server, [server.jpeg("one") for _ in range(5)]), 0)
                view.close()

    def slow(self, server, path, head="", version="1.1"):
        """Asks for a picture and reads some of its first bytes; the kernel of the server has the others."""
        client = socket.socket()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        client.settimeout(PATIENCE)
        client.connect(("127.0.0.1", server.port))
        client.sendall(f"GET {path} HTTP/{version}\r\nHost: 127.0.0.1:{server.port}\r\n{head}"
                       f"Authorization: Bearer {server.token}\r\n\r\n".encode())
        until(lambda: b"\xff\xd8\xff" in client.recv(512), "a picture has begun")
        return client

    def rest(self, client, most=1 << 20):
        """What comes, up to about so much, and whether the connection was reset then."""
        data = b""
        try:
            while len(data) <= most and (part := client.recv(65536)):
                data += part
        except ConnectionResetError:
            return data, True
        return data, False

    def test_nothing_leaves(self):
        """What a slow client has not got when privacy was answered, it does not get: not from a view nor from a
        picture, also of a connection that the server has closed already."""
        with Server(config=CONFIG) as server:
            server.live("one")
            until(lambda: self.found(server, [server.jpeg("one")]) > 0, "codes without privacy")
            clients = [self.slow(server, "/live/one"), self.slow(server, "/snapshot/one.jpg"),
                       self.slow(server, "/snapshot/one.jpg", "Connection: close\r\n"),
                       self.slow(server, "/snapshot/one.jpg", version="1.0")]
            time.sleep(2)       # The views queue what they can, and the server ends the others.
            self.patch(server, True)
            for client in clients:
                before = arrived(client)
                data, is_reset = self.rest(client, before)
                self.assertEqual(len(data), before)
                self.assertTrue(is_reset)
                client.close()
            self.assertEqual(server.ask("GET", "/healthz", token=False)[0], 200)
            self.assertEqual(self.found(server, [server.jpeg("one")]), 0)

    def test_event_pictures(self):
        """Nor does it get what libsoup has not written yet of a large picture of an event, while one that is covered
        arrives."""
        server = Server(config="[camera one]\nname=One\nsource=test:ball\n")
        folder = server.config + ".events"
        os.makedirs(os.path.join(folder, "snapshots"), 0o700)
        name = "20260301T000000.000Z-one-1.jpg"
        Image.effect_noise((2400, 1800), 200).save(os.path.join(folder, "snapshots", name), "JPEG", quality=95)
        size = os.path.getsize(os.path.join(folder, "snapshots", name))
        self.assertGreater(size, 2 << 20)
        line = json.dumps({"event": "enter", "zone": "z", "stream": "one", "utc": "2026-03-01T00:00:00.000Z",
                           "snapshot": name}, separators=(",", ":"))
        with open(os.path.join(folder, "00000007.jsonl"), "w", encoding="ascii") as file:
            file.write(line + "\n" + line[:-1] + ',"snapshot-covered":true}\n')
        open_path, covered_path = (f"/api/events/7:{at}/snapshot.jpg" for at in (0, len(line) + 1))
        with server:
            until(lambda: server.ask("GET", covered_path)[0] == 200, "the spool is read")
            clients = [self.slow(server, open_path), self.slow(server, open_path, "Connection: close\r\n")]
            covered = self.slow(server, covered_path, "Connection: close\r\n")
            time.sleep(1)       # The server has written what it can.
            self.patch(server, True)
            for client in clients:
                before = arrived(client)
                data, is_reset = self.rest(client, before)
                self.assertEqual((len(data), is_reset), (before, True))
                client.close()
            covered.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
            data, is_reset = self.rest(covered, size + 4096)
            self.assertFalse(is_reset)
            self.assertGreater(len(data), size - 4096)
            covered.close()
            self.assertEqual(server.ask("GET", open_path)[0], 404)

    def test_closed_views_arrive(self):
        """Without privacy a slow client gets all of its picture, and then the end."""
        with Server(config=CONFIG) as server:
            server.live("one")
            for version, head in (("1.0", ""), ("1.1", "Connection: close\r\n")):
                client = self.slow(server, "/snapshot/one.jpg", head, version)
                time.sleep(1)       # it is slow
                data, is_reset = self.rest(client)
                self.assertFalse(is_reset)
                self.assertTrue(data.endswith(b"\xff\xd9"))
                client.close()


if __name__ == "__main__":
    unittest.main()
