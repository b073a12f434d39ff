#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""y10 serve: what happened. The spool is written here, with Python's json, and so is what is expected of
it; Python's csv reads the table, and Pillow the pictures."""
import csv
import io
import json
import os
import random
import shutil
import stat
import subprocess
import tempfile
import time
import unittest
from datetime import datetime, timedelta, timezone
from urllib.parse import quote, urlencode

from PIL import Image, ImageChops, ImageStat

from server import REGISTRY, Server, WebSocket, Y10, decode, until

CONFIG = "[serve]\nkeep-days=0\n"    # without cameras, which would only take time
BEGIN = datetime(2026, 3, 1, tzinfo=timezone.utc)
PICTURE = "20260301T000000.000Z-c1-1.jpg"
FORMULAS = ('=HYPERLINK("http://x")', "+1", "-1+2", "@SUM(1)", "\t=1", "\r=1", "\n=1", "\r", " =1", "＝1", "＋1", "－1",
            "＠A1", "﹦1", "−1", "\u200b=1", "\ufeff@A1", "\u3000＝1")
HOSTILE = (*FORMULAS, "<script>alert(1)</script>", 'a "b", c;\\', "ü\t\n日本 🚪", "1=1", "日本=1", " ", "'=1")


def to_line(event):
    return json.dumps(event, separators=(",", ":"), ensure_ascii=event["id"] % 2 == 0).encode() + b"\n"


def rfc3339(moment):
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def make_event(number, moment, **more):
    """With the members of the spool's lines."""
    dice = random.Random(number)
    kind = dice.choice(("enter", "leave", "cross", "dwell"))
    event = {"event": kind, "line" if kind == "cross" else "zone": dice.choice(("yard", "gate", *HOSTILE)),
             "source": "zones", "timestamp": number * 10**8, "id": number, "label": dice.choice(("person", "car")),
             "confidence": 0.5, "x": 0.25, "y": 0.75, "count": 1}
    if kind == "cross":
        event.update({"direction": "in", "from": "street", "to": "house", "in": 2, "out": 1})
    event.update({"stream": dice.choice(("c1", "c2", "gone")), "utc": rfc3339(moment)}, **more)
    return event


def make_spool(folder, n=600, per_segment=150):
    """Returns the events, the oldest first, each with its name."""
    os.makedirs(folder, 0o700)
    dice, moment, events = random.Random(1), BEGIN, []
    for first in range(0, n, per_segment):
        segment = first // per_segment + 7
        with open(os.path.join(folder, f"{segment:08}.jsonl"), "wb") as file:
            for number in range(first, first + per_segment):
                moment += timedelta(milliseconds=dice.randrange(200000))
                event = make_event(number, moment)
                event["at"] = f"{segment}:{file.tell()}"
                events.append(event)
                file.write(to_line({name: value for name, value in event.items() if name != "at"}))
    return events


class Spool(Server):
    """y10 serve with a spool that is there before."""

    def __init__(self, config=CONFIG, **options):
        super().__init__(config=config)
        self.folder = self.config + ".events"
        self.events = make_spool(self.folder, **options)

    def get(self, path="", status=200, **query):
        text = urlencode(query, quote_via=quote)
        found, head, data = self.ask("GET", "/api/events" + path + ("?" + text if text else ""))
        assert found == status, (found, path, query, data[:300])
        return json.loads(data) if head["Content-Type"] == "application/json" else data

    def all(self, **query):
        """All pages."""
        events, before = [], {}
        while True:
            page = self.get(**query, **before)
            events += page["events"]
            if not page["next"]:
                return events
            assert len(page["events"]) == query.get("limit", 100)
            before = {"before": page["next"]}

    def read(self):
        """Waits until all that was there has been read."""
        until(lambda: self.get(limit=1)["complete"], "the spool is read")
        return self


class Events(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Spool().start()
        cls.server.read()

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def expect(self, **query):
        def fits(event):
            zone = event.get("zone", event.get("line"))
            return (all(query.get(name, value) == value for name, value in (
                ("camera", event["stream"]), ("class", event["label"]), ("zone", zone), ("kind", event["event"])))
                and query.get("since", "") <= event["utc"] < query.get("until", "9"))
        return [event for event in self.server.events if fits(event)]

    def questions(self):
        middle, late = self.server.events[200]["utc"], self.server.events[420]["utc"]
        return ({}, {"camera": "c1"}, {"class": "car"}, {"kind": "cross"}, {"zone": "yard"},
                *({"zone": zone} for zone in HOSTILE), {"since": middle}, {"until": middle},
                {"since": middle, "until": late, "camera": "gone", "class": "person"},
                {"camera": "nobody"}, {"since": "2027-01-01T00:00:00.000Z"})

    def test_filters(self):
        """Pages of any size have each event once, the newest first."""
        found = 0
        for query in self.questions():
            expected = self.expect(**query)[::-1]
            for limit in (7, 100, 500):
                if limit == 7 and len(expected) > 200:
                    continue
                self.assertEqual(self.server.all(limit=limit, **query), expected, query)
            found += len(expected)
        self.assertGreater(found, 1200)

    def test_times(self):
        """A time may have another zone and no fraction."""
        all_day = self.expect(since="2026-03-01T06:00:00", until="2026-03-01T07:00:00")
        self.assertGreater(len(all_day), 10)
        self.assertEqual(self.server.all(since="2026-03-01T08:00:00+02:00", until="2026-03-01T07:00:00Z"), all_day[::-1])

    def test_parameters(self):
        for query, says in (({"cam": "x"}, "'cam'"), ({"limit": "0"}, "limit"), ({"limit": "501"}, "limit"),
                            ({"limit": "1e2"}, "limit"), ({"limit": "-1"}, "limit"), ({"since": "yesterday"}, "since"),
                            ({"since": "2026-13-01T00:00:00Z"}, "since"), ({"until": "2026-03-01"}, "until"),
                            ({"kind": "enters"}, "kind"), ({"camera": ""}, "camera"), ({"before": "7"}, "before"),
                            ({"before": "0:1"}, "before"), ({"before": "7:-1"}, "before"), ({"bucket": "60"}, "bucket"),
                            ({"before": "7:99999999999"}, "before"),
                            ({"since": "2026-03-02T00:00:00Z", "until": "2026-03-01T00:00:00Z"}, "since")):
            self.assertIn(says, self.server.get(status=400, **query)["error"], query)
        for text, says in (("limit=1&limit=2", "limit is there twice"), ("camera=%ff", "camera"), ("camera", "camera"),
                           ("&".join(["x=1"] * 100), "'x'")):
            status, _, data = self.server.ask("GET", "/api/events?" + text)
            self.assertEqual(status, 400, text)
            self.assertIn(says, json.loads(data)["error"])
        self.assertEqual(self.server.ask("GET", "/api/events?zone=%zz")[0], 400)    # libsoup's answer
        for path in (".csv", ".jsonl"):
            self.assertIn("limit", self.server.get(path, status=400, limit=1)["error"])
        self.assertIn("2000", self.server.get("/counts", status=400, bucket=1)["error"])
        self.assertIn("bucket", self.server.get("/counts", status=400, bucket="x")["error"])
        for path in ("/7:0", "/x/snapshot.jpg", "/7:1/snapshot.jpg", "/99:0/snapshot.jpg", "/7:1/thumbnail.jpg", "/", "/..", ".xml"):
            self.server.get(path, status=404)
        self.assertEqual(self.server.ask("POST", "/api/events", "{}")[0], 405)
        self.assertEqual(self.server.ask("DELETE", "/api/events.csv")[0], 405)

    def test_names(self):
        names = self.server.get("/names")
        self.assertEqual(set(names["cameras"]), {"c1", "c2", "gone"})
        self.assertEqual(set(names["classes"]), {"person", "car"})
        self.assertEqual(set(names["zones"]), {"yard", "gate", *HOSTILE})

    def test_counts(self):
        """Each event is in the bucket of its time, and there are no others."""
        for bucket, query in ((3600, {}), (60, {"camera": "c2"}), (86400, {"kind": "leave", "class": "car"})):
            answer = self.server.get("/counts", bucket=bucket, since=rfc3339(BEGIN), until="2026-03-02T00:00:00Z",
                                     **query)
            expected = [0] * (86400 // bucket)
            for event in self.expect(until="2026-03-02T00:00:00.000Z", **query):
                moment = datetime.fromisoformat(event["utc"].replace("Z", "+00:00"))
                expected[int((moment - BEGIN).total_seconds() // bucket)] += 1
            self.assertGreater(sum(expected), 30)
            self.assertEqual((answer["counts"], answer["bucket"]), (expected, bucket))
            self.assertEqual(answer["since"], BEGIN.timestamp() * 1000)

    def test_lines(self):
        """The lines of the spool, byte by byte, the oldest first."""
        spool = b""
        for name in sorted(os.listdir(self.server.folder)):
            if name.endswith(".jsonl"):
                with open(os.path.join(self.server.folder, name), "rb") as file:
                    spool += file.read()
        self.assertEqual(self.server.get(".jsonl"), spool)
        self.assertEqual([json.loads(line)["id"] for line in self.server.get(".jsonl", camera="c1").splitlines()],
                         [event["id"] for event in self.expect(camera="c1")])
        self.assertEqual(self.server.get(".jsonl", camera="nobody"), b"")

    def test_table(self):
        """What a program for tables reads; no cell is a formula there."""
        for query in self.questions():
            text = self.server.get(".csv", **query).decode()
            rows = list(csv.DictReader(io.StringIO(text, newline="")))
            expected = self.expect(**query)
            self.assertEqual(len(rows), len(expected))
            for row, event in zip(rows, expected):
                self.assertNotIn(None, row)
                for name, value in row.items():
                    shown = str(event.get(name, ""))
                    self.assertEqual(value, "'" + shown if shown in FORMULAS else shown)
        head = self.server.ask("GET", "/api/events.csv")[1]
        self.assertEqual(head["Content-Disposition"], "attachment; filename=events.csv")
        self.assertTrue(head["Content-Type"].startswith("text/csv; charset=utf-8"))


class Spools(unittest.TestCase):
    def append(self, server, segment, data):
        with open(os.path.join(server.folder, f"{segment:08}.jsonl"), "ab") as file:
            file.write(data)

    def test_grows(self):
        """What is written is there soon, once it is a whole line; what is cut off goes again, and so does
        what is removed."""
        with Spool(n=20, per_segment=10) as server:
            server.read()
            socket = WebSocket(server, Authorization="Bearer " + server.token)
            line = to_line(make_event(1000, BEGIN))
            self.append(server, 9, line[:50])
            self.append(server, 9, b"")
            until(lambda: os.path.getsize(os.path.join(server.folder, "00000009.jsonl")) == 50, "it is there")
            self.assertEqual(len(server.all()), 20)
            self.append(server, 9, line[50:] + to_line(make_event(1001, BEGIN)) + b'{"event":"torn')
            until(lambda: [event["id"] for event in server.all()[:2]] == [1001, 1000], "two more")
            self.assertEqual(server.get(limit=1)["events"][0]["at"], f"9:{len(line)}")
            # Pages are told of what came, and of nothing else.
            for number in (1000, 1001):
                told = socket.until(lambda message: message["type"] == "event")["event"]
                at = "9:0" if number == 1000 else f"9:{len(line)}"
                self.assertEqual(told, {**make_event(number, BEGIN), "at": at})
            socket.close()
            # A failed write ends so: the rest is in another segment.
            os.truncate(os.path.join(server.folder, "00000009.jsonl"), len(line))
            until(lambda: server.get(limit=1)["events"][0]["id"] == 1000, "one is cut off")
            self.append(server, 12, to_line(make_event(1001, BEGIN)))
            until(lambda: server.get(limit=1)["events"][0]["at"] == "12:0", "it is in another segment")
            os.unlink(os.path.join(server.folder, "00000007.jsonl"))
            until(lambda: len(server.all()) == 12, "the oldest segment is gone")
            self.assertEqual(server.get(".jsonl").count(b"\n"), 12)
            self.assertEqual(server.get("/counts", since=rfc3339(BEGIN), until="2026-03-02T00:00:00Z")["counts"][0]
                             >= 2, True)

    def test_no_events(self):
        """Lines that are none are nowhere, and break nothing."""
        good = make_event(3, BEGIN)
        text = json.dumps(good)
        bad = [b"", b"{", b"[]", b"null", text[:-1].encode(), text.encode() + b"}", text.encode() + b" {}",
               text.replace('"id": 3', '"id": 03').encode(), text.replace('"id": 3', '"id": NaN').encode(),
               text.replace('"id": 3', '"id": 3,').encode(), text.replace('"id": 3', '"id" 3').encode(),
               text.replace('"id": 3', '"id": ' + "[" * 100000 + "]" * 100000).encode(),
               text.replace('"id": 3', '"id": "\\x"').encode(), text.replace('"id": 3', '"id": "\\ud800"').encode(),
               text.replace('"id": 3', '"id": "\x01"').encode(), text.replace('"id": 3', '"id": "\\u0000"').encode(),
               text.replace("person", "\udcff").replace("car", "\udcff").encode("utf-8", "surrogateescape"),
               text.replace("2026-03", "2026-13").encode(), text.replace('"utc"', '"UTC"').encode(),
               text.replace('"stream"', '"source"').encode(), b'{"event":3,' + text[1:].encode().partition(b",")[2],
               json.dumps({"source": "c1", **good}).encode(), b"\0" * 5000, b"x" * (3 << 20), text.encode()[:40]]
        server = Spool(n=10, per_segment=10)
        nested = json.dumps({**good, "more": {"a": [1, -2.5e+3, {"b": None}], "id": 4}, "id": 3}, separators=(",", ":"))
        twice = nested[:-1] + ',"label":"cat"}'
        with open(os.path.join(server.folder, "00000008.jsonl"), "wb") as file:
            for line in bad:
                file.write(b'{"event":' if line == b"" else b"")
                file.write(line.replace(b": ", b":") + b"\n")
            file.write(nested.encode() + b"\n" + twice.encode() + b"\n" + text.replace(": ", ":").encode())
        for name in ("00000009.jsonl", "00000010.jsonl"):
            os.symlink("/etc/passwd", os.path.join(server.folder, name))
        os.mkfifo(os.path.join(server.folder, "00000011.jsonl"))
        with server:
            server.read()
            events = server.all()
            self.assertEqual(len(events), 12)
            self.assertEqual(events[1], {**json.loads(nested), "at": events[1]["at"]})
            # Of a name that is there twice the last counts, as json has it.
            self.assertEqual(server.all(**{"class": "cat"}), [{**json.loads(twice), "at": events[0]["at"]}])
            self.assertEqual(server.get(".jsonl").count(b"\n"), 12)

    def test_pictures(self):
        """Only files that yolov10publish may have made, in their folder."""
        server = Spool(n=10, per_segment=10)
        pictures = os.path.join(server.folder, "snapshots")
        os.mkdir(pictures)
        secret = os.path.join(server.directory.name, "20260301T000000.000Z-c1-2.jpg")
        for path in (os.path.join(pictures, PICTURE), secret):
            Image.new("RGB", (64, 48), (200, 30, 30)).save(path, "JPEG")
        os.symlink(secret, os.path.join(pictures, "20260301T000000.000Z-c1-3.jpg"))
        with open(os.path.join(pictures, "20260301T000000.000Z-c1-4.jpg"), "w", encoding="ascii") as file:
            file.write("no picture")
        os.mkfifo(os.path.join(pictures, "20260301T000000.000Z-c1-5.jpg"))
        names = [PICTURE, "../../" + os.path.basename(secret), "20260301T000000.000Z-../../20260301T000000.000Z-c1-2.jpg",
                 secret, *(f"20260301T000000.000Z-c1-{n}.jpg" for n in (3, 4, 5, 6)), "", "../state", PICTURE + "\0x"]
        with open(os.path.join(server.folder, "00000008.jsonl"), "wb") as file:
            for n, name in enumerate(names):
                file.write(to_line(make_event(n, BEGIN, snapshot=name)))
        with server:
            server.read()
            events = {event["snapshot"]: event["at"] for event in server.all() if "snapshot" in event}
            self.assertEqual(list(events), names[-2::-1])    # none with NUL
            for name, at in events.items():
                data = server.get(f"/{quote(at)}/snapshot.jpg", status=200 if name == PICTURE else 404)
                if name == PICTURE:
                    with Image.open(io.BytesIO(data)) as picture:
                        self.assertEqual((picture.format, picture.size), ("JPEG", (64, 48)))

    def test_thumbnails(self):
        """Pictures that are as large as cameras send them come small, many at once; what needs or can not be
        made smaller comes as it is."""
        server = Spool(n=10, per_segment=10)
        pictures = os.path.join(server.folder, "snapshots")
        os.mkdir(pictures)
        scene = Image.effect_mandelbrot((1600, 1200), (-2, -1.5, 1, 1.5), 60).convert("RGB")
        sizes = {"wide": (1600, 900), "tall": (700, 1200), "huge": (3840, 2160), "small": (320, 200), "bad": (1600, 900)}
        files = {}
        with open(os.path.join(server.folder, "00000008.jsonl"), "wb") as lines:
            for n, (name, size) in enumerate(sizes.items(), 1):
                file = f"20260301T000000.000Z-{name}-{n}.jpg"
                data = io.BytesIO()
                scene.resize(size).save(data, "JPEG")
                files[file] = data.getvalue() if name != "bad" else b"\xff\xd8\xff" + b"x" * 99
                with open(os.path.join(pictures, file), "wb") as picture:
                    picture.write(files[file])
                lines.write(to_line(make_event(n, BEGIN, snapshot=file)))
        with server:
            server.read()
            events = {event["snapshot"]: f"/{quote(event['at'])}/thumbnail.jpg" for event in server.all() if "snapshot" in event}
            for (name, (width, height)), (file, data) in zip(sizes.items(), files.items()):
                found = server.get(events[file])
                if name in ("small", "bad"):
                    self.assertEqual(found, data)
                    continue
                small = decode(found)
                self.assertEqual(small.size[0], 320)
                self.assertAlmostEqual(small.size[1], 320 * height / width, delta=1)
                self.assertLess(len(found), len(data) / 3)
                other = ImageChops.difference(small, decode(data).resize(small.size, Image.BOX)).convert("L")
                self.assertLess(ImageStat.Stat(other).mean[0], 8)
            # Larger ones come where too many are asked for; no one waits for ever.
            waiting = [server.connect() for _ in range(24)]
            for connection in waiting:
                connection.request("GET", "/api/events" + next(path for file, path in events.items() if "huge" in file),
                                   headers={"Authorization": "Bearer " + server.token})
            answers = [decode(connection.getresponse().read()).size[0] for connection in waiting]
            self.assertLessEqual(set(answers), {320, 3840})
            self.assertIn(320, answers)
            for connection in waiting:
                connection.close()
            # Whoever goes meanwhile leaves nothing behind that the end would wait for.
            for _ in range(3):
                connection = server.connect()
                connection.request("GET", "/api/events" + next(iter(events.values())),
                                   headers={"Authorization": "Bearer " + server.token})
                connection.close()
            self.assertEqual(server.stop(), 0)

    def test_private_pictures(self):
        """A camera with privacy, and one that had it when it was removed, shows only pictures that their lines
        call covered, whatever the time says of them; also in a folder that has replaced another one."""
        # The last is of an earlier version, and wants the time from which on pictures are covered.
        server = Spool(n=10, per_segment=10, config="".join(
            f"[camera {name}]\nsource=test:\n{more}" for name, more in (
                ("c1", "privacy=true\n"), ("c2", ""), ("c3", "privacy=true\nprivate-since=1\n"))))
        pictures = os.path.join(server.folder, "snapshots")
        os.mkdir(pictures)
        Image.new("RGB", (64, 48), (200, 30, 30)).save(os.path.join(pictures, PICTURE), "JPEG")
        line, expected = [], {}
        for stream in ("c1", "c2", "c3", "gone"):
            for year in (1970, 2026, 2999):
                for covered in ({}, {"snapshot-covered": True}, {"snapshot-covered": False}, {"snapshot-covered": "true"}):
                    expected[len(line)] = (stream, covered == {"snapshot-covered": True})
                    line.append(to_line(make_event(len(line), BEGIN.replace(year=year), snapshot=PICTURE, **covered)
                                        | {"stream": stream}))
        with open(os.path.join(server.folder, "00000008.jsonl"), "wb") as file:
            file.writelines(line)

        def check(private):
            until(lambda: len(server.all()) == 10 + len(line) and server.get(limit=1)["complete"], "the spool is read")
            for event in server.all():
                if "snapshot" in event:
                    stream, covered = expected[event["id"]]
                    status = 200 if covered or stream not in private else 404
                    for name in ("snapshot", "thumbnail"):
                        self.assertEqual(server.ask("GET", f"/api/events/{event['at']}/{name}.jpg")[0], status, event)

        with server:
            check(("c1", "c3"))
            self.assertEqual(server.ask("DELETE", "/api/cameras/c3")[0], 204)
            for private in (False, True):
                for name in ("c1", "c2"):
                    self.assertEqual(server.ask("PATCH", "/api/cameras/" + name, {"privacy": private})[0], 200)
                check(("c1", "c2", "c3") if private else ("c3",))
            shutil.copytree(server.folder, server.folder + ".copy")
            shutil.rmtree(server.folder)
            os.rename(server.folder + ".copy", server.folder)
            check(("c1", "c2", "c3"))
            server.stop()
            with open(server.config, encoding="utf-8") as file:
                self.assertNotIn("private-since", file.read())
            server.start()
            check(("c1", "c2", "c3"))

    def test_replaced(self):
        """The folder is looked for by its path, and segments by what is there, whatever their numbers are."""
        with Spool(n=20, per_segment=10) as server:
            server.read()
            ids = lambda: [event["id"] for event in server.all()]
            shutil.rmtree(server.folder)
            until(lambda: ids() == [], "nothing is left")
            self.assertEqual(server.get(".jsonl"), b"")
            for number in (12, 3):      # larger and less than those before
                os.makedirs(server.folder, exist_ok=True)
                self.append(server, number, to_line(make_event(100 + number, BEGIN)))
                until(lambda: 100 + number in ids(), "another segment")
            self.append(server, 12, to_line(make_event(200, BEGIN)))
            until(lambda: ids() == [200, 112, 103], "it goes on")
            # Another folder, whose segment has the same name.
            os.rename(server.folder, server.folder + ".moved")
            os.mkdir(server.folder)
            self.append(server, 12, to_line(make_event(300, BEGIN)))
            until(lambda: ids() == [300], "only what is there")
            self.append(server, 12, to_line(make_event(301, BEGIN)))
            until(lambda: ids() == [301, 300], "it goes on")

    def test_large_export(self):
        """One that is not read waits and costs little; others are answered, and a fifth is refused."""
        with Spool(n=40000, per_segment=20000) as server:
            server.read()
            with open(f"/proc/{server.process.pid}/statm", encoding="ascii") as file:
                before = int(file.read().split()[1])
            waiting = [server.connect() for _ in range(4)]
            for connection in waiting:
                connection.request("GET", "/api/events.csv", headers={"Authorization": "Bearer " + server.token})
            replies = [connection.getresponse() for connection in waiting]
            self.assertEqual(server.get(limit=1)["events"][0]["id"], 39999)
            self.assertIn("too many", server.get(".csv", status=503)["error"])
            with open(f"/proc/{server.process.pid}/statm", encoding="ascii") as file:
                grown = (int(file.read().split()[1]) - before) * os.sysconf("SC_PAGESIZE")
            self.assertLess(grown, 4 << 20)
            # The segments go while they are read: what is there so far is whole.
            os.unlink(os.path.join(server.folder, "00000008.jsonl"))
            until(lambda: server.get(limit=1)["events"][0]["id"] == 19999, "it is gone")
            rows = list(csv.DictReader(io.StringIO(replies[0].read().decode(), newline="")))
            self.assertEqual([int(row["id"]) for row in rows], list(range(len(rows))))
            self.assertLess(len(rows), 40000)
            for connection in waiting:
                connection.close()
            until(lambda: server.ask("GET", "/api/events.jsonl?camera=nobody")[0] == 200, "others may export")
            self.assertEqual(server.stop(), 0)

    def test_stops_during_export(self):
        with Spool(n=20000, per_segment=20000) as server:
            server.read()
            connection = server.connect()
            connection.request("GET", "/api/events.jsonl", headers={"Authorization": "Bearer " + server.token})
            connection.getresponse()
            self.assertEqual(server.stop(), 0)
            connection.close()


class Cameras(unittest.TestCase):
    def test_demo(self):
        """Codes of the demo scene are in a zone: their events have pictures, with boxes where the codes are.
        With privacy, pictures from before are not shown."""
        with Server(config="[camera d]\nname=D\nsource=demo\nzones=left=0,0 0.35,1\n") as server:
            def events(**query):
                return json.loads(server.ask("GET", "/api/events?" + urlencode(query))[2])["events"]

            event = until(lambda: (events(**{"class": "qr-code"}) or [None])[0], "the code is seen")
            self.assertEqual((event["event"], event["zone"], event["stream"]), ("enter", "left", "d"))
            age = datetime.now(timezone.utc) - datetime.fromisoformat(event["utc"].replace("Z", "+00:00"))
            self.assertLess(abs(age.total_seconds()), 60)
            # As a person measures it in the picture.
            for found, expected in zip(event["box"], (0.065, 0.125, 0.196, 0.357)):
                self.assertAlmostEqual(found, expected, delta=0.015)
            path = f"/api/events/{event['at']}/snapshot.jpg"
            self.assertEqual(decode(server.ask("GET", path)[2]).size, (960, 540))
            small = path.replace("snapshot", "thumbnail")
            for private, status in ((True, 404), (False, 200)):
                self.assertEqual(server.ask("PATCH", "/api/cameras/d", {"privacy": private})[0], 200)
                self.assertEqual([server.ask("GET", path)[0], server.ask("GET", small)[0]], [status] * 2)

    def test_privacy(self):
        """Pictures that are taken with privacy are shown, also after it, and have no code."""
        with Server(config="[camera d]\nname=D\nsource=demo\nzones=all=0,0 1,1\nprivacy=true\n") as server:
            def events():
                return json.loads(server.ask("GET", "/api/events?limit=500")[2])["events"]

            event = until(lambda: next((event for event in events() if "snapshot" in event), None), "an event")
            self.assertIs(event["snapshot-covered"], True)
            path = f"/api/events/{event['at']}/snapshot.jpg"
            name = os.path.join(server.directory.name, "event.jpg")
            with open(name, "wb") as file:
                file.write(server.ask("GET", path)[2])
            found = subprocess.run([Y10, "detect", "--format", "jsonl", "--confidence", "0.25", name], text=True,
                                   capture_output=True, check=True)
            self.assertNotIn("code", found.stdout)
            self.assertEqual(server.ask("PATCH", "/api/cameras/d", {"privacy": False})[0], 200)
            self.assertEqual(server.ask("GET", path)[0], 200)
            old = until(lambda: next((event for event in events() if "snapshot" in event
                                      and "snapshot-covered" not in event), None), "an event without privacy")
            path = f"/api/events/{old['at']}/snapshot.jpg"
            self.assertEqual(server.ask("GET", path)[0], 200)
            # Also by other hands.
            server.stop()
            with open(server.config, "a", encoding="utf-8") as file:
                file.write("\n[camera d]\nprivacy=true\n")
            server.start()
            until(lambda: events(), "the spool is read")
            self.assertEqual(server.ask("GET", path)[0], 404)

    def test_folders(self):
        """What is deleted while a camera runs is made again, for the owner only, and events come there; it is
        told once."""
        with Server(config="[camera d]\nname=D\nsource=demo\nzones=all=0,0 1,1\n") as server:
            folder = server.config + ".events"

            def pictures():
                # In another zone, all dwell again.
                zone = {"name": f"z{time.monotonic() // 3}", "points": [[0, 0], [1, 1]], "dwell": [0.3]}
                server.ask("PATCH", "/api/cameras/d", {"zones": {"version": 1, "zones": [zone]}})
                events = json.loads(server.ask("GET", "/api/events?limit=500")[2])["events"]
                return [event for event in events if "snapshot" in event
                        and server.ask("GET", f"/api/events/{event['at']}/snapshot.jpg")[0] == 200]

            until(pictures, "events with pictures")
            shutil.rmtree(os.path.join(folder, "snapshots"))
            until(pictures, "pictures come again")
            self.assertEqual(server.warnings(), [])
            shutil.rmtree(folder)
            until(pictures, "all comes again")
            self.assertEqual(stat.S_IMODE(os.stat(folder).st_mode), 0o700)
            self.assertEqual(server.errors().count(f"{folder} was removed"), 1)
            metrics = server.ask("GET", "/metrics")[2].decode()
            self.assertRegex(metrics, "(?m)^y10_spool_errors_total 1$")

    def test_ids(self):
        """A camera does not get the events of one that is gone."""
        with Server(config="[serve]\nlast-id=7\n") as server:
            ids = [server.add("x", "test:")[1]["id"] for _ in range(2)]
            self.assertEqual(ids, ["c8", "c9"])
            for key in ids:
                self.assertEqual(server.ask("DELETE", "/api/cameras/" + key)[0], 204)
            self.assertEqual(server.add("x", "test:")[1]["id"], "c10")
            server.stop()
            server.start()
            self.assertEqual(list(server.cameras()), ["c10"])
            self.assertEqual(server.add("x", "test:")[1]["id"], "c11")


class Settings(unittest.TestCase):
    def test_folder(self):
        """It is the owner's alone, and of one process; a segment that is too old goes."""
        with Server(config="[serve]\nkeep-days=30\nkeep-mib=1\n[camera one]\nname=One\nsource=test:ball\n") as server:
            server.live("one")
            folder = server.config + ".events"
            self.assertEqual(stat.S_IMODE(os.stat(folder).st_mode), 0o700)
            self.assertEqual(json.loads(server.ask("GET", "/api/events")[2])["events"], [])
            other = subprocess.run(server.command(), env=server.env, capture_output=True, text=True, timeout=60,
                                   check=False)
            self.assertEqual(other.returncode, 1)
            self.assertIn(f"in use by process {server.process.pid}", other.stderr)
            self.assertIn(folder, other.stderr)
            self.assertEqual(server.warnings(), [])

    def test_wrong(self):
        with tempfile.TemporaryDirectory() as folder:
            taken = os.path.join(folder, "file")
            with open(taken, "w", encoding="ascii"):
                pass
            for line, says in (("keep-days=many", "keep-days"), ("keep-mib=-1", "keep-mib"),
                               (f"spool={taken}", taken), (f"spool={taken}/x", "spool=")):
                server = Server(config=f"[serve]\n{line}\n")
                done = subprocess.run(server.command(), env=server.env, capture_output=True, text=True, timeout=60,
                                      check=False)
                self.assertEqual(done.returncode, 1, line)
                self.assertIn(says, done.stderr)
                server.directory.cleanup()

    def test_off(self):
        """Without events, by the settings or for want of the plugin, the rest works; the latter is told."""
        with Server(config="[serve]\nspool=\n[camera one]\nname=One\nsource=test:ball\n") as server:
            server.live("one")
            self.assertEqual(server.ask("GET", "/api/events")[0::2], (404, b'{"error":"no events are kept"}'))
            self.assertFalse(os.path.exists(server.config + ".events"))
            self.assertEqual(server.warnings(), [])
        server = Server(config="[camera one]\nname=One\nsource=test:ball\n")
        plugins = os.path.join(server.directory.name, "plugins")
        os.mkdir(plugins)
        build = os.path.dirname(os.path.dirname(os.path.realpath(os.environ["Y10"])))
        os.symlink(os.path.join(build, "gst", "libgstyolov10.so"), os.path.join(plugins, "libgstyolov10.so"))
        server.env["GST_PLUGIN_PATH_1_0"] = plugins
        server.env["GST_REGISTRY"] = os.path.join(REGISTRY.name, "other.bin")
        with server:
            server.live("one")
            self.assertEqual(server.ask("GET", "/api/events")[0], 404)
            warning, = server.warnings()
            self.assertIn("gstreamer1.0-yolov10-publish", warning)


if __name__ == "__main__":
    unittest.main()
