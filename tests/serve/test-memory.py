#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""y10 serve: hundreds of connections that end leave no memory, descriptors or threads behind. What soak.py sees in
half an hour, in half a minute."""
import os
import re
import unittest

from server import Server, scene, until

CAMERAS = [f"c{n}" for n in range(8)]
WARM, ROUNDS = 10, 30
MOST = 10       # MiB; when each arena of glibc's kept holes (camera/memory.c), it was 48


def take(server):
    """MiB of memory, descriptors and threads, as the kernel says it."""
    folder = f"/proc/{server.process.pid}"
    with open(folder + "/status", encoding="ascii") as file:
        status = file.read()
    return (int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024, len(os.listdir(folder + "/fd")),
            int(re.search(r"Threads:\s+(\d+)", status)[1]))


def reconnect(server, count):
    """Has all cameras begin anew, some times; with privacy or without, a camera is another pipeline."""
    for n in range(count):
        for camera in (*CAMERAS, "never"):
            status, _, data = server.ask("PATCH", f"/api/cameras/{camera}", {"privacy": n % 2 == 0})
            assert status == 200, data
        until(lambda: all(server.cameras()[camera]["state"] == "live" for camera in CAMERAS), "all are live again")


class Memory(unittest.TestCase):
    def test_reconnects(self):
        with scene("320x180", 5) as camera:
            config = "".join(f"[camera {name}]\nname={name}\nsource={camera.uri}\n" for name in CAMERAS)
            with Server(config=config + "[camera never]\nname=never\nsource=rtsp://127.0.0.1:1/none\n") as server:
                reconnect(server, WARM)
                early = take(server)
                reconnect(server, ROUNDS)
                late = take(server)
        told = f"of {len(CAMERAS) * ROUNDS} reconnects: MiB, descriptors and threads from {early} to {late}"
        print(told)
        self.assertLess(late[0], early[0] + MOST, told)
        # Some are of connections that are about to end.
        self.assertLess(late[1], early[1] + len(CAMERAS), told)
        self.assertLess(late[2], early[2] + len(CAMERAS), told)


if __name__ == "__main__":
    unittest.main()
