# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""A broker that can be stopped, a subscriber that misses nothing, a proxy that cuts, and
the program that is killed meanwhile."""
import datetime
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
import servers   # noqa: E402,F401
from programs import PATIENCE, Program, answers, free_port, skip, until  # noqa: E402,F401

# Debian has it where only root looks.
MOSQUITTO = shutil.which("mosquitto", path=os.environ["PATH"] + ":/usr/sbin:/usr/local/sbin")
LOGGED = "error", "warning", "notice", "information", "subscribe"


def need_broker():
    if not MOSQUITTO or not shutil.which("mosquitto_sub"):
        skip("mosquitto and mosquitto_sub are missing (Debian: mosquitto, mosquitto-clients)")


class Broker(Program):
    """Debian's mosquitto, which keeps what it has taken when it is stopped."""

    def __init__(self, folder, extra=""):
        super().__init__()
        self.port = free_port()
        self.path = os.path.join(folder, "mosquitto.conf")
        with open(self.path, "w", encoding="utf-8") as f:
            f.write(f"listener {self.port} 127.0.0.1\n"
                    f"{'user root' if os.getuid() == 0 else ''}\n"
                    f"persistence true\npersistence_location {folder}/\n"
                    "max_queued_messages 0\nmax_inflight_messages 0\n"
                    + "".join(f"log_type {kind}\n" for kind in LOGGED) +
                    f"{extra or 'allow_anonymous true'}\n")
        self.log = open(os.path.join(folder, "mosquitto.log"), "a", encoding="utf-8")
        self.start()

    def start(self):
        self.run(MOSQUITTO, "-c", self.path, stdout=self.log, stderr=self.log)
        until(lambda: answers(self.port), what="the broker")

    def close(self):
        # By SIGTERM: after SIGKILL it may have lost what it has acknowledged.
        self.stop()
        self.log.close()


class Subscriber(Program):
    """Writes each message that the broker has, over its restarts, to a file. The broker knows it
    once it is made, so none is missed."""

    def __init__(self, folder, port, topic="#", options=()):
        self.path = os.path.join(folder, f"got-{port}")
        self.file = open(self.path, "wb")
        super().__init__("mosquitto_sub", "-h", "127.0.0.1", "-p", str(port), "-i", "sub", "-c", "-q", "1",
                         "-t", topic, "-F", "%r\t%t\t%p", *options, stdout=self.file,
                         stderr=subprocess.DEVNULL)
        self.log, self.line = os.path.join(folder, "mosquitto.log"), f" sub 1 {topic}\n"
        until(self.is_known, what="the subscription")

    def is_known(self):
        with open(self.log, encoding="utf-8") as f:
            return self.line in f.read()

    def messages(self):
        """(retained, topic, payload) of each message so far."""
        with open(self.path, encoding="utf-8") as f:
            return [tuple(line.rstrip("\n").split("\t", 2)) for line in f
                    if line.endswith("\n")]

    def of(self, topic):
        return [payload for _, t, payload in self.messages() if t == topic]

    def close(self):
        self.stop()
        self.file.close()


class Picky(servers.Relay):
    """A broker in front of another one that refuses clients of MQTT 5, or hangs up on them, as those
    from before it do, and hangs up at a message with @mark in it, while it has one."""

    def __init__(self, port, mark=None, refuses=True):
        self.mark, self.refuses, self.cuts = mark, refuses, 0
        super().__init__(port)

    def upwards(self, near, far):
        is_first = True
        while data := near.recv(1 << 16):
            if is_first and data[:1] == b"\x10" and b"\0\4MQTT\5" in data:
                near.sendall(b"\x20\2\0\1" if self.refuses else b"")
                break
            if self.mark and self.mark in data:
                self.cuts += 1
                break
            is_first = False
            far.sendall(data)


class Feed(Program):
    """The program that puts lines into a spool and sends them."""

    def __init__(self, program, spool, uri, *options, env=None):
        self.output, self.synced, self.states, self.stats = [], 0, [], None
        super().__init__(program, spool, uri, *map(str, options), stderr=subprocess.PIPE,
                         env={**os.environ, **(env or {})})
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            if not line.endswith("\n"):
                break
            word, _, rest = line.rstrip("\n").partition(" ")
            if word == "synced":
                self.synced = int(rest)
            elif word == "state":
                self.states.append(rest)
            elif word == "stats":
                self.stats = json.loads(rest)
            self.output.append(line)

    def kill(self):
        """Returns how many lines were safe."""
        super().kill()
        return self.synced

    def wait(self):
        code = self.process.wait(PATIENCE)
        self.reader.join(PATIENCE)
        self.error = self.process.stderr.read()
        self.process.stdout.close()
        self.process.stderr.close()
        return code


def lines_of(spool):
    """{n: (segment, offset)} of the lines that a spool's files have."""
    found = {}
    for name in sorted(os.listdir(spool)):
        if not name[0].isdigit():
            continue
        with open(os.path.join(spool, name), "rb") as f:
            offset = 0
            for line in f:
                if line.endswith(b"}\n"):
                    found[json.loads(line)["n"]] = (int(name[:8]), offset)
                offset += len(line)
    return found


def make_spool(folder, events):
    """A spool with these events, as if a process had ended before it could send them."""
    os.mkdir(folder)
    utc = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    with open(os.path.join(folder, "00000001.jsonl"), "w", encoding="utf-8") as f:
        for n, more in enumerate(events):
            event = {"event": "enter", "zone": "yard", "timestamp": n, "id": n, "label": "person",
                     "count": 1, "n": n, "stream": "door", "utc": utc, **more}
            f.write(json.dumps(event) + "\n")
    with open(os.path.join(folder, "state"), "w", encoding="utf-8") as f:
        f.write("producer=0123456789abcdef\nnext=2\n")


def refused_of(spool):
    """What is kept of the lines that were given up."""
    found = []
    for name in "refused.old.jsonl", "refused.jsonl":
        path = os.path.join(spool, name)
        if os.path.exists(path):
            assert os.stat(path).st_mode & 0o777 == 0o600, path
            with open(path, encoding="utf-8") as f:
                found += list(map(json.loads, f))
    return found


def check(test, received, accepted):
    """Nothing that was accepted is missing, and order holds without the doubles. Returns
    the number of doubles."""
    keys, unique = set(), []
    for message in received:
        key = (message["producer"], message["segment"], message["offset"])
        if key not in keys:
            keys.add(key)
            unique.append(message)
    numbers = [m["n"] for m in unique]
    test.assertEqual(sorted(set(accepted) - set(numbers)), [], "lines are missing")
    test.assertEqual(len(numbers), len(set(numbers)), "a line has two names")
    test.assertEqual(numbers, sorted(numbers), "the order is another one")
    return len(received) - len(unique)


def make_certificates(test):
    """An authority, and a server's certificate for localhost, in the test's folder."""
    if not shutil.which("openssl"):
        test.skipTest("openssl is missing")

    def run(*words):
        subprocess.run(["openssl", *words], cwd=test.folder, check=True, capture_output=True)
    run("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem",
        "-days", "2", "-subj", "/CN=test")
    run("req", "-newkey", "rsa:2048", "-nodes", "-keyout", "server.key", "-out", "server.csr",
        "-subj", "/CN=localhost")
    with open(test.path("ext"), "w", encoding="utf-8") as f:
        f.write("subjectAltName=DNS:localhost\n")
    run("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key",
        "-CAcreateserial", "-out", "server.pem", "-days", "2", "-extfile", "ext")
    os.chmod(test.path("server.key"), 0o644)


class Case(unittest.TestCase):
    """A folder for each test, and a seed that it prints."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="y10-publish-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        seed = int(os.environ.get("Y10_PUBLISH_SEED", random.randrange(1 << 30)))
        print(f"{self.id()}: Y10_PUBLISH_SEED={seed}", flush=True)
        self.random = random.Random(seed)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, text, mode=0o600):
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)
        os.chmod(self.path(name), mode)
        return self.path(name)

    def start(self, thing):
        self.addCleanup(thing.close)
        return thing
