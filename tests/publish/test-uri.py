#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""A uri or credentials that cannot be used give one error, and no password gets out.

usage: test-uri.py FEED [SCHEME…] [TEST…]

SCHEME: those that this build has no library for.
"""
import os
import sys
import unittest

from broker import Case, Feed

FEED = sys.argv.pop(1)
PACKAGES = {"mqtt": "libmosquitto-dev", "http": "libsoup-3.0-dev", "kafka": "librdkafka-dev"}
MISSING = [word for word in sys.argv[1:] if word in PACKAGES]
sys.argv[1:] = [word for word in sys.argv[1:] if word not in PACKAGES]


class Uri(Case):
    def setUp(self):
        super().setUp()
        self.spool = self.path("spool")

    def test_refused(self):
        """One error says what is wrong, and no password."""
        spool, mode = self.spool, self.write("open", "a:secret", 0o644)
        fifo, large = self.path("fifo"), self.write("large", "")
        os.mkfifo(fifo)
        os.truncate(large, 1 << 30)
        for uri, options, expected in [
                ("mqtt://cam:secret@host/y10", [], "user or password"),
                ("mqtt://host:0/y10", [], "port"),
                ("mqtt:///y10", [], "no host"),
                ("mqtt://host/y10?ca=x", [], 'setting "ca"'),
                ("mqtt://host/y10?cafile=/x", [], "no TLS"),
                ("mqtts://host/y10?cafile=/x", [], "no file"),
                ("mqtt://host/a%23", [], "prefix"),
                ("mqtt://host/%ff", [], "UTF-8"),
                ("mqtt://a,b/y10", [], "several"),
                ("amqp://host/y10", [], "amqp"),
                ("host", [], "missing"),
                ("http://host/", ["--home-assistant"], "home-assistant"),
                ("mqtt://host/y10", ["--credentials", mode], "0644"),
                ("mqtt://host/y10", ["--credentials", "/missing"], "/missing"),
                ("mqtt://host/y10", ["--credentials", self.write("a", "secret")], "USER:"),
                ("mqtt://host/y10", ["--credentials", self.write("b", "[x]\nuser=secret")],
                 "names no user"),
                ("kafka://host/", [], "topic"),
                ("kafka://host/a/b", [], "topic"),
                ("http://host/#batch=0", [], "batch"),
                ("http://host/#format=xml", [], "xml"),
                ("https://host/#cafile=/x", [], "cafile"),
                *[(uri + "cafile=" + path, [], f"cafile {path}") for path in ("/dev/zero", fifo, "/", large)
                  for uri in ("https://host/#", "mqtts://host/y10?", "kafka://host/t?")],
                *[("http://host/", ["--credentials", self.write("d", text)], "control characters")
                  for text in ("cam:secret\x01", "ca\tm:secret", "[publish]\ntoken=secret\x1bx")]]:
            with self.subTest(uri=uri, options=options):
                if uri.split(":")[0].rstrip("s") in MISSING:
                    continue
                feed = Feed(FEED, spool, uri, *options)
                self.assertEqual(feed.wait(), 1)
                self.assertIn(expected, feed.error)
                self.assertNotIn("secret", feed.error)
                self.assertEqual(len(feed.error.splitlines()), 1)

    def test_missing(self):
        """A build without a library says what it lacks."""
        for scheme in MISSING:
            feed = Feed(FEED, self.spool, f"{scheme}://host/topic")
            self.assertEqual(feed.wait(), 1)
            self.assertIn(PACKAGES[scheme], feed.error)
            self.assertIn("tools/setup.sh", feed.error)


unittest.main()
