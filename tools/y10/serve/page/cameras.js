/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What is known of the server's cameras, and whether it answers: the one place that has it. */

import { byId } from "./dom.js";
import { ask, connect, disconnect, isConnected, messages } from "./server.js";

const POLL = 1000;

/* By id, as the server told; only this file changes it. */
export const cameras = new Map();
/* Gets "cameras" when any of this changed, and "access" after each question whether the
 * server lets this page in. */
export const changes = new EventTarget();

let isLetIn = false;
let isUnanswered = false;
let timer = 0;

/* Whether the server lets this page in; until it is known, it does not. */
export function isAllowed() {
  return isLetIn;
}

/* Whether the server does not answer; what is known stays. */
export function isLost() {
  return isUnanswered;
}

function tell(what) {
  changes.dispatchEvent(new Event(what));
}

/* Takes all cameras, or some that changed. */
export function takeCameras(changed, isAll, removed) {
  if (isAll)
    cameras.clear();
  for (const camera of changed)
    cameras.set(camera.id, camera);
  for (const id of removed)
    cameras.delete(id);
  tell("cameras");
}

function setLost(lost, text) {
  isUnanswered = lost;
  byId("notice").textContent = text;
  if (lost)
    document.body.dataset.lost = "yes";
  else
    delete document.body.dataset.lost;
  tell("cameras");
}

function noteServer() {
  clearTimeout(timer);
  if (isUnanswered)
    setLost(false, "");
}

function setAllowed(allowed) {
  isLetIn = allowed;
  tell("access");
}

export async function refresh() {
  clearTimeout(timer);
  try {
    takeCameras((await ask("GET", "/api/cameras")).cameras, true, []);
    setAllowed(true);
    connect();
    noteServer();
  } catch (error) {
    if (error.status === 401) {
      noteServer();
      disconnect();
      takeCameras([], true, []);
      setAllowed(false);
      return;
    }
    setLost(true, error.status ? error.message : "The server does not answer.");
  }
  /* Without a websocket, which some proxies do not let through. */
  if (!document.hidden && !isConnected())
    timer = setTimeout(refresh, POLL);
}

messages.addEventListener("cameras", ({ detail }) => takeCameras(detail.cameras, detail.all, detail.removed));
/* A websocket that is open tells of all cameras first. */
messages.addEventListener("state", () => {
  if (isConnected())
    noteServer();
  else
    refresh();
});
