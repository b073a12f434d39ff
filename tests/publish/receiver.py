# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""A web server that answers as a test wants, and remembers what it got."""
import json
import time

from broker import servers


class Server(servers.Server):
    """Answers what answer(n, request) says: a status, headers, or None to hang up."""

    def __init__(self, port=0, certificate=None):
        self.requests, self.answer, outer = [], lambda n, request: 200, self
        self.ahead = 0      # seconds that its clock is ahead

        class Handler(servers.Quiet):
            def do_POST(self):
                size = int(self.headers["Content-Length"])
                body = self.rfile.read(size)
                # Whoever sends it was killed.
                if len(body) < size:
                    self.close_connection = True
                    return
                request = (self.path, dict(self.headers), body.decode())
                status = outer.answer(len(outer.requests), request)
                # None: nothing comes back; the server may have taken it.
                outer.requests.append((status, request))
                if status is None:
                    self.close_connection = True
                    return
                status, headers = status if isinstance(status, tuple) else (status, {})
                self.reply(status, *headers.items(), body=b"ok")

            def date_time_string(self, timestamp=None):
                return super().date_time_string((timestamp or time.time()) + outer.ahead)
        super().__init__(Handler, port, certificate and (f"{certificate}.pem", f"{certificate}.key"))

    def lines(self, taken=(200, 204, None)):
        """The lines of the requests that were taken, or may have been."""
        found = []
        for status, (_, headers, body) in self.requests:
            if status not in taken:
                continue
            if headers["Content-Type"] == "application/x-ndjson":
                found += [json.loads(line) for line in body.splitlines()]
            else:
                value = json.loads(body)
                found += value if isinstance(value, list) else [value]
        return found
