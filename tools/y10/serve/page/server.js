/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The server: questions to it, and a websocket by which it says what changes. */

/* Gets an event for each message, named by its type; and "state", when the websocket opens or
 * is lost. */
export const messages = new EventTarget();

let socket = null;
let isOpen = false;
let pause = 1000;
let timer = 0;

export async function ask(method, path, body) {
  const options = { method, credentials: "same-origin" };

  if (body) {
    options.headers = { "Content-Type": "application/json" };
    options.body = JSON.stringify(body);
  }
  const reply = await fetch(path, options);
  const text = await reply.text();
  const json = text ? JSON.parse(text) : {};

  if (!reply.ok) {
    const error = new Error(json.error || `the server answered ${reply.status}`);

    error.status = reply.status;
    throw error;
  }
  return json;
}

/* Whether the server says by itself what changes. */
export function isConnected() {
  return isOpen;
}

function note(open) {
  isOpen = open;
  messages.dispatchEvent(new Event("state"));
}

/* Opens the websocket, also when it is lost; pauses become longer, up to half a minute. */
export function connect() {
  clearTimeout(timer);
  if (socket)
    return;
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const mine = new WebSocket(`${scheme}://${location.host}/api/live`);

  socket = mine;
  mine.addEventListener("open", () => {
    pause = 1000;
    note(true);
  });
  mine.addEventListener("message", (event) => {
    const message = JSON.parse(event.data);

    messages.dispatchEvent(new CustomEvent(message.type, { detail: message }));
  });
  mine.addEventListener("close", () => {
    if (socket !== mine)
      return;
    socket = null;
    timer = setTimeout(connect, pause * (0.75 + Math.random() / 4));
    pause = Math.min(pause * 2, 30000);
    note(false);
  });
}

export function disconnect() {
  const mine = socket;

  clearTimeout(timer);
  socket = null;
  isOpen = false;
  if (mine)
    mine.close();
}
