#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""y10 serve is stopped while it is busy: clients that come back at once, a model that changes, cameras that are
connected anew, events that are exported. Y10_STOPS=100 does so as often, and tells how long it took."""
import http.client
import json
import os
import random
import signal
import threading
import time
import unittest

from models import Folder
from server import PATIENCE, Server, Stream, WebSocket, until

ROUNDS = int(os.environ.get("Y10_STOPS", "4"))
CAMERAS = "[camera one]\nsource=demo\n\n[camera two]\nsource=test:ball\n"
EVENT = {"event": "enter", "zone": "yard", "source": "zones", "timestamp": 1, "id": 1, "label": "ball",
         "confidence": 0.5, "x": 0.25, "y": 0.75, "count": 1, "stream": "one", "utc": "2026-03-01T00:00:00.000Z"}


class Clients:
    """Threads of which each does one thing again and again, whatever the answer, until the end."""

    def __init__(self, server):
        self.server, self.ended, self.done = server, threading.Event(), {}
        jobs = [*[self.websocket] * 3, *[self.view] * 2, *[self.export] * 2, self.change_model, self.change_source,
                self.snapshot]
        self.threads = [threading.Thread(target=self.repeat, args=(job,), daemon=True) for job in jobs]
        for thread in self.threads:
            thread.start()

    def repeat(self, job):
        n = 0
        while not self.ended.is_set():
            try:
                job(n)
                self.done[job.__name__] = n = n + 1
            except (OSError, EOFError, ValueError, AssertionError, http.client.HTTPException):
                time.sleep(0.01)

    def websocket(self, n):
        websocket = WebSocket(self.server, Authorization="Bearer " + self.server.token)
        self.done["websocket"] = n + 1
        try:
            while websocket.message() is not None:
                pass
        finally:
            websocket.close()

    def view(self, n):
        stream = Stream(self.server, "one")
        try:
            while not self.ended.is_set():
                stream.picture()
                self.done["view"] = n + 1
        finally:
            stream.close()

    def export(self, n):
        """Of which only the beginning is read for a while."""
        connection = self.server.connect()
        try:
            connection.request("GET", "/api/events.csv", headers={"Authorization": "Bearer " + self.server.token})
            reply = connection.getresponse()
            reply.read(1000)
            self.done["export"] = n + 1
            self.ended.wait(0.5)
            reply.read()
        finally:
            connection.close()

    def change_model(self, n):
        self.server.change(("toys.safetensors", "codes.safetensors")[n % 2])

    def change_source(self, n):
        self.server.patch("two", source=("test:snow", "test:ball")[n % 2])
        self.ended.wait(1)      # or the model never comes

    def snapshot(self, n):
        self.server.ask("GET", "/snapshot/one.jpg")

    def are_busy(self):
        return len(self.done) == 6

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self.ended.set()
        for thread in self.threads:
            thread.join(PATIENCE)   # of a server that did not stop, one may wait for ever


def busy_server():
    server = Folder(cameras=CAMERAS)
    os.mkdir(server.config + ".events", 0o700)
    with open(os.path.join(server.config + ".events", "00000007.jsonl"), "w", encoding="ascii") as file:
        file.writelines(json.dumps(dict(EVENT, id=n), separators=(",", ":")) + "\n" for n in range(20000))
    return server


class Stop(unittest.TestCase):
    def clean(self, server, status):
        """It ended by itself, and there was no crash."""
        self.assertEqual(status, 0, server.errors())
        with open(server.config + ".crashes", encoding="ascii") as file:
            self.assertEqual(file.read(), "", server.errors())

    def test_busy(self):
        """Each time it exits with 0, and the next start blames no camera. A second signal changes nothing."""
        dice, longest = random.Random(5), 0
        with busy_server() as server:
            for n in range(ROUNDS):
                if n:
                    server.start()
                self.assertLessEqual({camera["state"] for camera in server.cameras().values()},
                                     {"connecting", "live", "retry"})
                with Clients(server) as clients:
                    until(clients.are_busy, "all are busy")
                    time.sleep(dice.random() / 2)   # at any time
                    began = time.monotonic()
                    server.process.send_signal(dice.choice((signal.SIGTERM, signal.SIGINT)))
                    if n % 2:
                        time.sleep(dice.random() / 10)
                        server.process.send_signal(dice.choice((signal.SIGTERM, signal.SIGINT)))
                    status = server.process.wait(PATIENCE)
                    longest = max(longest, time.monotonic() - began)
                server.process.stdout.close()
                self.clean(server, status)
        print(f"# {ROUNDS} stops, the longest {longest:.1f} s")

    def test_at_once(self):
        """Signals that come while it starts."""
        with Server(config=CAMERAS) as server:
            for n in range(3):
                if n:
                    server.start()
                for _ in range(n + 1):
                    server.process.send_signal(signal.SIGTERM)
                status = server.process.wait(PATIENCE)
                server.process.stdout.close()
                self.clean(server, status)

    def test_one_by_one(self):
        """Stops while cameras start one by one, after a crash of nobody's, are no camera's fault."""
        server = Server(config=CAMERAS)

        def crash():
            with open(server.config + ".crashes", "w", encoding="ascii") as file:
                file.write(f"crash {int(time.time())} 11 -\n")
        crash()
        with server:
            for _ in range(4):
                self.assertIn("waiting", {camera["state"] for camera in server.cameras().values()})
                status = server.stop()
                self.clean(server, status)
                crash()
                server.start()
            server.stop()
            server.start()
            server.live("one")
            server.live("two")


if __name__ == "__main__":
    unittest.main()
