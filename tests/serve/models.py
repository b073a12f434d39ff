# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""A folder of models for tests of y10 serve. Two files have the same weights and other names of classes, which
Python's json writes into them; others are broken, each in its own way."""
import configparser
import json
import os
import struct

from server import SOURCE, Server, until

BUNDLED = os.path.join(SOURCE, "models/codes.safetensors")
TOYS = ["kite", "barcode", "toy", "b", "c", "d", "e"]
def read(path):
    """The header and the data of a safetensors file."""
    with open(path, "rb") as file:
        size, = struct.unpack("<Q", file.read(8))
        return json.loads(file.read(size)), bytearray(file.read())


def write(path, header, data):
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


class Folder(Server):
    """y10 serve with a folder of models, of which it has one."""

    def __init__(self, more="", options=(), cameras="[camera one]\nname=Gate\nsource=demo\n"):
        super().__init__(*options, config="")
        self.models = os.path.join(self.directory.name, "models")
        os.mkdir(self.models)
        header, data = read(BUNDLED)
        write(self.path("codes.safetensors"), header, data)
        names = dict(header["__metadata__"], names=json.dumps(dict(enumerate(TOYS))))
        write(self.path("toys.safetensors"), dict(header, __metadata__=names), data)
        broken = bytearray(data)
        begin = header["model.0.conv.weight"]["data_offsets"][0]
        broken[begin:begin + 2] = b"\xff\x7f"   # no number
        write(self.path("nan.safetensors"), header, broken)
        write(self.path("short.safetensors"), header, data[:-1])
        for name, text in (("text.pt", b"no weights"), ("readme.txt", b""), (".hidden.pt", b"")):
            with open(self.path(name), "wb") as file:
                file.write(text)
        os.mkdir(self.path("folder.pt"))
        os.symlink("codes.safetensors", self.path("link.safetensors"))
        os.symlink(BUNDLED, self.path("outside.safetensors"))
        with open(self.config, "w", encoding="utf-8") as file:
            file.write(f"# mine\n[serve]\n{more or self.settings()}\n\n{cameras}")

    def path(self, name):
        return os.path.join(self.models, name)

    def settings(self, model="codes.safetensors"):
        return f"models={self.models}\nmodel={self.path(model)}\n"

    def model(self):
        return json.loads(self.ask("GET", "/api/model")[2])

    def change(self, model):
        status, _, data = self.ask("PATCH", "/api/model", {"model": model})
        return status, json.loads(data)

    def patch(self, camera, **members):
        status, _, data = self.ask("PATCH", f"/api/cameras/{camera}", members)
        assert status == 200, data

    def labels(self, after=None):
        """Those of events, and the name of the newest; only of newer ones than that."""
        events = json.loads(self.ask("GET", "/api/events")[2])["events"]
        newer = []
        for event in events:
            if event["at"] == after:
                break
            newer.append(event["label"])
        return newer, events[0]["at"] if events else None

    def until_label(self, label):
        """Events come with this label only."""
        _, newest = self.labels()
        until(lambda: self.labels(newest)[0][:1] == [label], f"a {label} is found")

    def kept(self):
        parser = configparser.ConfigParser(interpolation=None)
        parser.read(self.config, encoding="utf-8")
        return dict(parser["serve"])
