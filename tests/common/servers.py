# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Servers on a port of this machine, in threads of the test: of HTTP, of other protocols over TCP, and
one that passes on what it gets."""
import contextlib
import http.server
import socket
import socketserver
import ssl
import struct
import threading


class Quiet(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format, *args):       # pylint: disable=redefined-builtin
        pass

    def reply(self, status, *headers, body=b""):
        self.send_response(status)
        for name, value in (*headers, ("Content-Length", str(len(body)))):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


class Server(socketserver.ThreadingTCPServer):
    """Runs a handler for each connection. @certificate: the files of that and of its key."""
    allow_reuse_address = daemon_threads = True
    request_queue_size = 64

    def __init__(self, handler, port=0, certificate=None):
        super().__init__(("127.0.0.1", port), handler)
        self.port = self.server_address[1]
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self.socket = context.wrap_socket(self.socket, server_side=True)
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    def handle_error(self, request, client_address):
        pass

    def close(self):
        self.shutdown()
        self.server_close()

    def __exit__(self, *_):
        self.close()


class Refusing(Server):
    """A camera that speaks RTSP (RFC 2326) as far as to refuse: every request but OPTIONS gets a
    status, without which connections end."""

    def __init__(self, status=None, *headers, port=0):
        self.status, self.headers = status, headers
        self.requests = []      # lines of each, of each connection
        super().__init__(Refusal, port)


class Refusal(socketserver.StreamRequestHandler):
    def handle(self):
        requests = []
        self.server.requests.append(requests)
        while status := self.server.status:
            lines = []
            while (line := self.rfile.readline().strip()):
                lines.append(line.decode())
            if not lines:
                return
            requests.append(lines)
            number = next(line for line in lines if line.lower().startswith("cseq:"))
            status, headers = (b"200 OK", ("Public: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN",)) \
                if lines[0].startswith("OPTIONS") else (status, self.server.headers)
            self.wfile.write(b"RTSP/1.0 " + status + "\r\n".join(("", number, *headers, "", "")).encode())


def files(folder):
    """A web server of a folder's files."""
    class Files(Quiet, http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args):
            super().__init__(*args, directory=folder)
    return Server(Files)


class Relay:
    """Passes bytes on to another port, ends all connections when told to, and may be away."""

    def __init__(self, to):
        self.to, self.port = to, 0
        self.pairs, self.lock = [], threading.Lock()
        self.listen()

    def listen(self):
        self.listener = socket.create_server(("127.0.0.1", self.port))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, args=(self.listener,), daemon=True).start()

    def accept(self, listener):
        with contextlib.suppress(OSError):
            while True:
                near, _ = listener.accept()
                threading.Thread(target=self.serve, args=(near,), daemon=True).start()

    def serve(self, near):
        with contextlib.suppress(OSError), near, socket.create_connection(("127.0.0.1", self.to)) as far:
            with self.lock:
                self.pairs.append((near, far))
            up = threading.Thread(target=self.carry, args=(self.upwards, near, far), daemon=True)
            up.start()
            self.carry(self.downwards, near, far)
            up.join()

    def carry(self, way, near, far):
        """What ends one way ends the other one."""
        with contextlib.suppress(OSError, EOFError, struct.error):
            way(near, far)
        self.hang_up((near, far))

    @staticmethod
    def hang_up(pair):
        for side in pair:
            with contextlib.suppress(OSError):
                side.shutdown(socket.SHUT_RDWR)

    def upwards(self, near, far):
        while data := near.recv(1 << 16):
            far.sendall(data)

    def downwards(self, near, far):
        while data := far.recv(1 << 16):
            near.sendall(data)

    def cut(self):
        with self.lock:
            pairs, self.pairs = self.pairs, []
        for pair in pairs:
            self.hang_up(pair)

    def leave(self):
        """Nobody is there any more, until listen() is called."""
        # close() alone would leave accept() waiting, and the port open.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.cut()

    def close(self):
        with contextlib.suppress(OSError):
            self.leave()
