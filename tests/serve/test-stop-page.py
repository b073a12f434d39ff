#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""The page of y10 serve in a browser while the server stops and starts again."""
import os
import unittest

from page import Page
from server import Server, until

CONFIG = "[camera one]\nname=Gate\nsource=test:ball\n\n[camera two]\nname=Yard\nsource=demo\n"


class Restart(Page):
    def test_page(self):
        """It stops as it should however often, and the page is back by itself."""
        server, url = self.start(Server(config=CONFIG))
        server.options = ("--listen", f"127.0.0.1:{server.port}")
        self.browser.open(url)
        for n in range(3):
            if n:
                server.start()
            until(lambda: server.cameras()["one"]["viewers"], "the page looks")
            self.browser.until("[...document.images].some(image => image.naturalWidth > 64)")
            self.assertEqual(server.stop(), 0, server.errors())
            self.assertEqual(os.path.getsize(server.config + ".crashes"), 0)


if __name__ == "__main__":
    unittest.main()
