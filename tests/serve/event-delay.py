#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""How long an event takes from the element that writes it to a page of y10 serve, by its websocket, in
milliseconds; with a picture, the time for that is in it.

usage: Y10=BUILD/tools/y10 Y10_TEST_SOURCE=. tests/serve/event-delay.py [N]
"""
import statistics
import sys
import threading
from datetime import datetime, timezone

from server import Server, WebSocket


def main():
    n, found, over = int(sys.argv[1]) if len(sys.argv) > 1 else 50, [], threading.Event()
    with Server(config="[camera d]\nname=D\nsource=demo\n") as server:
        server.live("d")
        socket = WebSocket(server, Authorization="Bearer " + server.token)

        def change():
            """In another zone, all enter and dwell again."""
            number = 0
            while not over.wait(1.37):
                number += 1
                zone = {"name": f"z{number}", "points": [[0, 0], [1, 1]], "dwell": [0.3]}
                server.ask("PATCH", "/api/cameras/d", {"zones": {"version": 1, "zones": [zone]}})

        thread = threading.Thread(target=change)
        thread.start()
        while len(found) < n:
            event = socket.until(lambda message: message["type"] == "event")["event"]
            written = datetime.fromisoformat(event["utc"].replace("Z", "+00:00"))
            found.append((1000 * (datetime.now(timezone.utc) - written).total_seconds(), "snapshot" in event))
        over.set()
        thread.join()
        socket.close()
    for name, kinds in ("all", (False, True)), ("with a picture", (True,)), ("without", (False,)):
        delays = sorted(delay for delay, pictured in found if pictured in kinds)
        if delays:
            print(f"{name}: {len(delays)} events, median {statistics.median(delays):.0f}, "
                  f"9 of 10 {delays[9 * len(delays) // 10]:.0f}, longest {delays[-1]:.0f}")


if __name__ == "__main__":
    main()
