# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Shared by the tests of y10 serve: the program on a free port, requests to it, and pictures."""
import base64
import hashlib
import http.client
import io
import json
import os
import socket
import stat
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
import servers      # noqa: E402,F401
from programs import PATIENCE, Program, Rtsp, filmed, lacking, no_rtsp, scene, skip, until  # noqa: E402,F401

try:
    from PIL import Image
except ImportError:
    skip("Pillow is missing")

Y10 = os.environ["Y10"]
SOURCE = os.environ["Y10_TEST_SOURCE"]
REGISTRY = tempfile.TemporaryDirectory()    # GStreamer's; making it takes seconds
PUBLIC = ("/", "/app.js", "/cameras.js", "/capacity.js", "/cards.js", "/classes.js", "/dom.js", "/events.css",
          "/events.js", "/icon.svg", "/model.js", "/server.js", "/settings.js", "/style.css", "/zones.js")


def decode(data):
    """A JPEG's pixels; fails if it is damaged."""
    picture = Image.open(io.BytesIO(data))
    assert picture.format == "JPEG", picture.format
    return picture.convert("RGB")


class Server(Program):
    """y10 serve with a folder of its own."""

    def __init__(self, *options, config=None):
        super().__init__()
        self.directory = tempfile.TemporaryDirectory()
        self.config = os.path.join(self.directory.name, "serve.ini")
        self.log = os.path.join(self.directory.name, "log")
        self.env = dict(os.environ, GST_REGISTRY=os.path.join(REGISTRY.name, "registry.bin"),
                        G_DEBUG="fatal-criticals", LC_ALL="C.UTF-8")
        for name in ("GST_PLUGIN_PATH_1_0", "GST_PLUGIN_PATH"):
            self.env.pop(name, None)
        self.options = options
        if config is not None:
            with open(self.config, "w", encoding="utf-8") as file:
                file.write(config)
            os.chmod(self.config, stat.S_IRUSR | stat.S_IWUSR)

    def command(self, *more):
        return [Y10, "serve", "--listen", "127.0.0.1:0", "--config", self.config, *self.options, *more]

    def start(self):
        with open(self.log, "ab") as log:
            self.run(*self.command(), env=self.env, stderr=log)
        self.printed = self.line()
        if not self.printed:
            raise AssertionError("y10 serve did not start: " + self.errors())
        self.port = int(self.printed.rstrip("/").rpartition(":")[2])
        with open(self.config + ".token", encoding="ascii") as file:
            self.token = file.read().strip()
        return self

    def __enter__(self):
        return self if self.process else self.start()

    def __exit__(self, *args):
        self.stop()
        self.directory.cleanup()

    def errors(self):
        with open(self.log, encoding="utf-8") as file:
            return file.read()

    def warnings(self):
        """The log's lines but for notices."""
        return [line for line in self.errors().splitlines() if " notice " not in line]

    def connect(self, timeout=PATIENCE):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def ask(self, method, path, body=None, token=True, **headers):
        """Returns the status, the headers and the body."""
        connection = self.connect()
        head = {name.replace("_", "-"): value for name, value in headers.items()}
        if token:
            head["Authorization"] = "Bearer " + self.token
        if isinstance(body, dict):
            body = json.dumps(body)
        connection.request(method, path, body, head)
        reply = connection.getresponse()
        data = reply.read()
        connection.close()
        return reply.status, reply.headers, data

    def cameras(self):
        return {camera["id"]: camera for camera in json.loads(self.ask("GET", "/api/cameras")[2])["cameras"]}

    def add(self, name, source):
        """Returns the status and the reply."""
        status, _, data = self.ask("POST", "/api/cameras", {"name": name, "source": source})
        return status, json.loads(data)

    def live(self, camera):
        return until(lambda: self.cameras()[camera]["state"] == "live", f"{camera} is live")

    def jpeg(self, camera):
        """The next picture. A busy machine may need more than the 5 s after which 503 says that there is none."""
        status, head, data = until(lambda: (answer := self.ask("GET", f"/snapshot/{camera}.jpg"))[0] != 503 and answer,
                                   f"a picture of {camera}")
        assert (status, head["Content-Type"]) == (200, "image/jpeg"), (status, data[:200])
        return data

    def snapshot(self, camera):
        return decode(self.jpeg(camera))


class Stream:
    """A live view that is read."""

    def __init__(self, server, camera, **headers):
        self.connection = server.connect()
        self.connection.request("GET", f"/live/{camera}",
                                headers=headers or {"Authorization": "Bearer " + server.token})
        self.reply = self.connection.getresponse()
        assert self.reply.status == 200, self.reply.status
        kind, _, boundary = self.reply.headers["Content-Type"].partition("; boundary=")
        assert kind == "multipart/x-mixed-replace", kind
        self.boundary = b"--" + boundary.encode() + b"\r\n"
        assert self.reply.readline() == self.boundary

    def picture(self):
        """The next one's bytes; EOFError at the end."""
        head = {}
        while (line := self.reply.readline()) != b"\r\n":
            if not line:
                raise EOFError
            name, _, value = line.decode().partition(":")
            head[name.lower()] = value.strip()
        assert head["content-type"] == "image/jpeg", head
        data = self.reply.read(int(head["content-length"]))
        assert self.reply.readline() == b"\r\n"
        assert self.reply.readline() == self.boundary
        return data

    def close(self):
        self.connection.sock and self.connection.sock.close()
        self.reply.close()
        self.connection.close()


class WebSocket:
    """What a page hears (RFC 6455): a handshake, and messages of text."""
    GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    def __init__(self, server, path="/api/live", receive_buffer=None, **headers):
        """Raises ConnectionRefusedError with the status if it is refused."""
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(("127.0.0.1", server.port))
        key = base64.b64encode(os.urandom(16)).decode()
        head = {"Host": f"127.0.0.1:{server.port}", "Upgrade": "websocket", "Connection": "Upgrade",
                "Sec-WebSocket-Key": key, "Sec-WebSocket-Version": "13"}
        head.update({name.replace("_", "-"): value for name, value in headers.items()})
        self.socket.sendall((f"GET {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in
                                                                 head.items()) + "\r\n").encode())
        self.file = self.socket.makefile("rb")
        status = int(self.file.readline().split()[1])
        reply = {}
        while (line := self.file.readline().strip()):
            name, _, value = line.decode().partition(":")
            reply[name.lower()] = value.strip()
        if status != 101:
            self.close()
            raise ConnectionRefusedError(status)
        accept = base64.b64encode(hashlib.sha1((key + self.GUID).encode()).digest()).decode()
        assert reply["sec-websocket-accept"] == accept, reply

    def message(self):
        """The next one; None at the end."""
        while True:
            head = self.file.read(2)
            if len(head) < 2:
                return None
            size = head[1] & 0x7f
            if size > 125:
                size = int.from_bytes(self.file.read(2 if size == 126 else 8), "big")
            data = self.file.read(size)
            if len(data) < size:
                return None
            if head[0] == 0x81:
                return json.loads(data)
            if head[0] == 0x88:
                return None

    def until(self, condition):
        """The first message of which a condition is true."""
        while (message := self.message()) is not None:
            if condition(message):
                return message
        raise AssertionError("the connection ended")

    def close(self):
        self.file.close()
        self.socket.close()
