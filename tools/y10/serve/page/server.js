/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Hears from the server what changes, by a websocket, which comes again when it is lost. */
"use strict";

const push = {
  socket: null,
  isOpen: false,
  pause: 1000,
  timer: 0,
};

/* @onMessage gets what the server says; @onState is called when it is open, and when it no
 * longer is. Where it is lost, pauses become longer, up to half a minute. */
function openPush(onMessage, onState) {
  clearTimeout(push.timer);
  if (push.socket)
    return;
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const socket = new WebSocket(`${scheme}://${location.host}/api/live`);

  push.socket = socket;
  socket.addEventListener("open", () => {
    push.isOpen = true;
    push.pause = 1000;
    onState();
  });
  socket.addEventListener("message", (event) => onMessage(JSON.parse(event.data)));
  socket.addEventListener("close", () => {
    if (push.socket !== socket)
      return;
    push.socket = null;
    push.isOpen = false;
    push.timer = setTimeout(openPush, push.pause * (0.75 + Math.random() / 4), onMessage, onState);
    push.pause = Math.min(push.pause * 2, 30000);
    onState();
  });
}

function closePush() {
  const { socket } = push;

  clearTimeout(push.timer);
  push.socket = null;
  push.isOpen = false;
  if (socket)
    socket.close();
}
