# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""A proxy between a client and an RTSP server, both on TCP, that imitates the faults
of networks and cameras."""
import struct

import servers

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


class Proxy(servers.Relay):
    def __init__(self, port):
        self.cuts = 0
        self.jump = 0                   # added to each RTP timestamp, clock ticks
        self.jumps = 0
        super().__init__(port)

    def listen(self):
        self.cutting = False
        super().listen()

    def cut(self):
        """Sends half of the next packet, then ends the connection."""
        self.cutting = True

    def downwards(self, near, far):
        jump = 0
        with far.makefile("rb") as stream:
            while True:
                is_packet, data = read_message(stream)
                if not data:
                    return
                if is_packet and data[1] == 0 and self.cutting:
                    near.sendall(data[:len(data) // 2])
                    self.cutting = False
                    self.cuts += 1
                    return
                if is_packet:
                    if self.jump != jump:
                        jump = self.jump
                        self.jumps += 1
                    data = shifted(data, jump)
                near.sendall(data)
