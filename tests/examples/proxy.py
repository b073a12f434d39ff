# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""A proxy between a client and an RTSP server, both on TCP, that imitates the faults
of networks and cameras."""
import contextlib
import socket
import struct
import threading

DOLLAR = 0x24


def read_message(stream):
    """The next message of an RTSP server: (whether it is a packet, its bytes)."""
    first = stream.read(1)
    if not first:
        return False, b""
    if first[0] == DOLLAR:
        head = stream.read(3)
        return True, first + head + stream.read(struct.unpack(">H", head[1:])[0])
    text = first
    length = 0
    while True:
        line = stream.readline()
        text += line
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            length = int(value)
        if line in (b"\r\n", b""):
            return False, text + stream.read(length)


def shifted(data, ticks):
    """A packet with another timestamp: RTP, or RTCP's sender report."""
    at = 4 + (4 if data[1] == 0 else 16)        # behind interleaving's four bytes
    if data[1] == 1 and data[5] != 200:
        return data
    time = struct.unpack_from(">I", data, at)[0] + ticks
    return data[:at] + struct.pack(">I", time & 0xffffffff) + data[at + 4:]


class Proxy:
    """Listens on a free port and forwards everything to @port."""

    def __init__(self, port):
        self.server_port = port
        self.cutting = False
        self.cuts = 0
        self.jump = 0                   # added to each RTP timestamp, clock ticks
        self.jumps = 0
        self.port = 0
        self.listen()

    def listen(self):
        self.cutting = False
        self.listener = socket.create_server(("127.0.0.1", self.port))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, args=(self.listener,), daemon=True).start()

    def cut(self):
        """Sends half of the next packet, then ends the connection."""
        self.cutting = True

    def close(self):
        """Stops listening until listen() is called."""
        # close() alone would leave accept() waiting, and the port open.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def accept(self, listener):
        with contextlib.suppress(OSError):
            while True:
                client, _ = listener.accept()
                threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        with contextlib.suppress(OSError), client, socket.create_connection(
                ("127.0.0.1", self.server_port)) as server:
            threading.Thread(target=self.upwards, args=(client, server), daemon=True).start()
            with contextlib.suppress(OSError, struct.error):
                self.downwards(client, server)
            for side in (client, server):
                with contextlib.suppress(OSError):
                    side.shutdown(socket.SHUT_RDWR)

    @staticmethod
    def upwards(client, server):
        with contextlib.suppress(OSError):
            while True:
                data = client.recv(65536)
                if not data:
                    break
                server.sendall(data)
            server.shutdown(socket.SHUT_WR)

    def downwards(self, client, server):
        jump = 0
        with server.makefile("rb") as stream:
            while True:
                is_packet, data = read_message(stream)
                if not data:
                    return
                if is_packet and data[1] == 0 and self.cutting:
                    client.sendall(data[:len(data) // 2])
                    self.cutting = False
                    self.cuts += 1
                    return
                if is_packet:
                    if self.jump != jump:
                        jump = self.jump
                        self.jumps += 1
                    data = shifted(data, jump)
                client.sendall(data)
