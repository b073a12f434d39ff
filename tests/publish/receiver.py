# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""A web server that answers as a test wants, and remembers what it got."""
import http.server
import json
import ssl
import threading
import time


class Server:
    """Answers what answer(n, request) says: a status, headers, or None to hang up."""

    def __init__(self, port=0, certificate=None):
        self.requests, self.answer, outer = [], lambda n, request: 200, self
        self.ahead = 0      # seconds that its clock is ahead

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                request = (self.path, dict(self.headers), body.decode())
                status = outer.answer(len(outer.requests), request)
                # None: nothing comes back; the server may have taken it.
                outer.requests.append((status, request))
                if status is None:
                    self.close_connection = True
                    return
                status, headers = status if isinstance(status, tuple) else (status, {})
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"ok")

            def date_time_string(self, timestamp=None):
                return super().date_time_string((timestamp or time.time()) + outer.ahead)

            def log_message(self, *_):
                pass

        class Quiet(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass

        self.server = Quiet(("127.0.0.1", port), Handler)
        self.port = self.server.server_address[1]
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(f"{certificate}.pem", f"{certificate}.key")
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

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

    def close(self):
        self.server.shutdown()
        self.server.server_close()
