# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""A file in Chromium's <video>, from a web server that counts what is fetched."""
import http.server
import os
import re
import shutil
import sys
import threading
import time

PIECE, SPEED = 16384, 4e6       # bytes, and of them in a second
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
if CHROMIUM:
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../serve"))
    from browser import Browser

# What a viewer does: waits for the length, goes to a time, and looks.
LOOK = """(async () => {
  const video = document.createElement("video");
  const happens = (name) => new Promise((resolve, reject) => {
    video.addEventListener(name, resolve, { once: true });
    video.addEventListener("error", () => reject(Error(video.error.message)), { once: true });
  });
  video.preload = "metadata";
  video.muted = true;
  const loaded = happens("loadeddata");
  video.src = "file.mp4";
  document.body.replaceChildren(video);
  await loaded;
  const presented = new Promise((resolve) => {
    const look = (now, frame) => Math.abs(frame.mediaTime - AT) < 0.5
      ? resolve(frame.mediaTime) : video.requestVideoFrameCallback(look);
    video.requestVideoFrameCallback(look);
  });
  const seeked = happens("seeked");
  video.currentTime = AT + 0.001;
  await seeked;
  const time = AT > 0.2 ? await presented : video.currentTime;
  const canvas = new OffscreenCanvas(video.videoWidth, video.videoHeight);
  const context = canvas.getContext("2d");
  context.drawImage(video, 0, 0);
  const pixels = new Uint32Array(context.getImageData(0, 0, canvas.width, canvas.height).data.buffer);
  const result = { duration: video.duration, time, colours: new Set(pixels).size };
  video.removeAttribute("src");
  video.load();
  return result;
})()"""


class Handler(http.server.BaseHTTPRequestHandler):
    """A file by ranges, and an empty page."""
    protocol_version = "HTTP/1.1"

    def do_GET(self):  # pylint: disable=invalid-name
        server = self.server
        if not self.path.startswith("/file.mp4"):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        server.requests += 1
        size = os.path.getsize(server.path)
        first, last = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", "bytes=0-")).groups()
        first, last = int(first), int(last or size - 1)
        self.send_response(206 if "Range" in self.headers else 200)
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Type", "video/mp4")
        self.send_header("Content-Length", str(last + 1 - first))
        self.send_header("Content-Range", f"bytes {first}-{last}/{size}")
        self.end_headers()
        with open(server.path, "rb") as file:
            file.seek(first)
            try:
                while first <= last:
                    # As fast as a network, so that a request can be given up before it is answered.
                    time.sleep(PIECE / SPEED)
                    n = self.wfile.write(file.read(min(PIECE, last + 1 - first)))
                    first += n
                    server.bytes += n
            except OSError:
                self.close_connection = True    # The browser has enough.

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


class Video:
    def __init__(self):
        self.n_looks = 0
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.browser = Browser()
        self.browser.open(f"http://127.0.0.1:{self.server.server_port}/")

    def look(self, path, at):
        """Goes to a time, in seconds: what is shown, and what that took."""
        server = self.server
        server.path, server.requests, server.bytes = path, 0, 0
        self.n_looks += 1       # The browser keeps what it has fetched.
        result = self.browser.run(LOOK.replace("AT", repr(at)).replace("file.mp4", f"file.mp4?{self.n_looks}"))
        return {**result, "requests": server.requests, "bytes": server.bytes}

    def close(self):
        self.browser.__exit__()
        self.server.shutdown()
        self.server.server_close()
