# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""librdkafka's mock cluster, and a door to it, which knows neither TLS nor passwords: it decrypts, asks who
comes, and names itself in what the cluster says of its brokers, so that nobody gets past it."""
import contextlib
import json
import socket
import ssl
import struct
import subprocess

from broker import Program, servers

METADATA, SASL_HANDSHAKE, API_VERSIONS, SASL_AUTHENTICATE = 3, 17, 18, 36
ILLEGAL_SASL_STATE, UNSUPPORTED_MECHANISM, AUTHENTICATION_FAILED = 34, 33, 58


def text(value):
    return struct.pack(">h", len(value)) + value.encode()


class Door(servers.Relay):
    """At localhost. password: "USER:PASSWORD", or None where everybody may come in."""

    def __init__(self, cluster, certificate, password=None):
        self.password = password
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(f"{certificate}.pem", f"{certificate}.key")
        self.ciphers, self.refused, self.requests = [], 0, set()
        super().__init__(int(cluster.rsplit(":", 1)[1]))
        self.address = f"localhost:{self.port}"

    def serve(self, near):
        with contextlib.suppress(OSError, EOFError), self.context.wrap_socket(near, server_side=True) as near:
            self.ciphers.append(near.version())
            with socket.create_connection(("127.0.0.1", self.to)) as far:
                self.talk(near, far)

    @staticmethod
    def frame(sock):
        data = b""
        while len(data) < 4 or len(data) < 4 + struct.unpack(">i", data[:4])[0]:
            want = 4 if len(data) < 4 else 4 + struct.unpack(">i", data[:4])[0]
            more = sock.recv(want - len(data))
            if not more:
                raise EOFError
            data += more
        return data[4:]

    def talk(self, near, far):
        """One request at a time; librdkafka's mock answers in order."""
        is_known = self.password is None
        while True:
            request = self.frame(near)
            api, version, serial = struct.unpack(">hhi", request[:8])
            self.requests.add(api)
            if api in (SASL_HANDSHAKE, SASL_AUTHENTICATE):
                body = self.handshake(request) if api == SASL_HANDSHAKE else self.judge(request)
                is_known = is_known or (api == SASL_AUTHENTICATE and body[:2] == b"\0\0")
                answer = struct.pack(">i", serial) + body
            elif is_known or api == API_VERSIONS:
                far.sendall(struct.pack(">i", len(request)) + request)
                answer = self.frame(far)
            else:
                raise EOFError      # as a broker does
            if api == API_VERSIONS:
                answer = self.add_sasl(answer, version)
            elif api == METADATA:
                answer = answer.replace(b"127.0.0.1" + struct.pack(">i", self.to),
                                        b"localhost" + struct.pack(">i", self.port))
            near.sendall(struct.pack(">i", len(answer)) + answer)

    @staticmethod
    def handshake(request):
        is_plain = request.endswith(text("PLAIN"))
        return struct.pack(">hi", 0 if is_plain else UNSUPPORTED_MECHANISM, 1) + text("PLAIN")

    def judge(self, request):
        """Version 0 of SaslAuthenticate, behind the client's name: the length and the bytes of PLAIN."""
        name = max(struct.unpack(">h", request[8:10])[0], 0)
        given = request[10 + name + 4:].decode()
        if self.password and given == "\0" + self.password.replace(":", "\0", 1):
            return struct.pack(">hhi", 0, -1, 0)
        self.refused += 1
        return struct.pack(">h", AUTHENTICATION_FAILED) + text("nobody of that name and password") \
            + struct.pack(">i", 0)

    @staticmethod
    def add_sasl(answer, version):
        """Two requests more that the cluster seems to understand."""
        rows = [struct.pack(">hhh", SASL_HANDSHAKE, 0, 1), struct.pack(">hhh", SASL_AUTHENTICATE, 0, 0)]
        if version < 3:
            n, = struct.unpack(">i", answer[6:10])
            return answer[:6] + struct.pack(">i", n + 2) + b"".join(rows) + answer[10:]
        # A length plus one below 126 has one byte, and each row ends with no tags.
        assert answer[6] < 126
        return answer[:6] + bytes([answer[6] + 2]) + b"".join(row + b"\0" for row in rows) + answer[7:]


class Cluster(Program):
    """librdkafka's own mock."""

    def __init__(self, mock):
        super().__init__(mock, stdin=subprocess.PIPE)
        self.address = self.line()

    def messages(self):
        """(key, line) of each message."""
        self.tell("read")
        found = []
        while (line := self.process.stdout.readline()) != "end\n":
            key, _, value = line.rstrip("\n").partition("\t")
            found.append((key, json.loads(value)))
        return found

