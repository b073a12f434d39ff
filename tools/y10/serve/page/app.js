/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The page. Text of cameras goes into it as text only, never as HTML. */
"use strict";

/* A browser opens six connections to a server; streams must leave some for the rest. */
const MOST_STREAMS = 4;
const POLL = 1000;
const STILL = 2000;

const byId = (id) => document.getElementById(id);
const cards = new Map();
const known = new Map();   /* cameras by id, as the server told */
let timer = 0;

function say(text) {
  byId("notice").textContent = text;
}

async function ask(method, path, body) {
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

/* Views. */

function showStill(card) {
  card.img.src = `/snapshot/${card.id}.jpg?${Date.now()}`;
}

function setView(card, view) {
  if (card.view === view)
    return;
  card.view = view;
  clearInterval(card.still);
  if (view === "stream") {
    card.img.src = `/live/${card.id}`;
  } else if (view === "still") {
    showStill(card);
    card.still = setInterval(showStill, STILL, card);
  } else {
    card.img.removeAttribute("src");
  }
}

function chooseViews() {
  let streams = 0;

  for (const card of cards.values()) {
    if (document.hidden || isEditingZones() || document.body.dataset.view === "events" || card.state !== "live")
      setView(card, "none");
    else
      setView(card, streams++ < MOST_STREAMS ? "stream" : "still");
  }
}

/* Cameras. */

async function remove(card) {
  if (!confirm(`Remove the camera ${card.name.textContent}?`))
    return;
  try {
    await ask("DELETE", `/api/cameras/${card.id}`);
    await refresh();
    /* What had the focus is gone. */
    byId("title").focus();
  } catch (error) {
    say(error.message);
  }
}

/* A camera in quarantine is started again. */
async function release(card) {
  try {
    await ask("POST", `/api/cameras/${card.id}/release`);
    say("");
    await refresh();
  } catch (error) {
    say(error.message);
  }
}

function makeCard(id) {
  const item = byId("camera").content.cloneNode(true).firstElementChild;
  const part = (name) => item.querySelector(name);
  const card = {
    id, item, view: "none", img: part("img"), name: part(".name"), status: part(".state"),
    figures: part(".figures"), reason: part(".reason"), button: part(".view"),
    release: part(".release"),
  };

  part(".snapshot").href = `/snapshot/${id}.jpg`;
  part(".settings").addEventListener("click", () => openSettings(known.get(id)));
  part(".zones").addEventListener("click", () => openZones(known.get(id)));
  part(".remove").addEventListener("click", () => remove(card));
  card.release.addEventListener("click", () => release(card));
  card.button.addEventListener("click", () => {
    if (document.fullscreenElement)
      document.exitFullscreen();
    else if (card.button.requestFullscreen)
      card.button.requestFullscreen();
  });
  /* A stream that broke begins again with the next list. */
  card.img.addEventListener("error", () => {
    if (card.view === "stream")
      setView(card, "none");
  });
  byId("grid").append(item);
  return card;
}

function setText(element, text) {
  if (element.textContent !== text)
    element.textContent = text;
}

function fillCard(card, camera) {
  card.state = camera.state;
  card.status.dataset.state = camera.state;
  setText(card.status, camera.state);
  setText(card.name, camera.name);
  setText(card.figures, camera.state === "live" ? `${camera.fps.toFixed(1)} fps, ${camera.source}` : camera.source);
  setText(card.reason, camera.reason || "");
  card.release.hidden = camera.state !== "quarantined";
  card.img.alt = `Live view of ${camera.name}`;
  card.button.setAttribute("aria-label", `${camera.name}: full screen`);
}

function fill() {
  for (const [id, card] of cards) {
    if (!known.has(id)) {
      setView(card, "none");
      card.item.remove();
      cards.delete(id);
    }
  }
  for (const camera of known.values()) {
    if (!cards.has(camera.id))
      cards.set(camera.id, makeCard(camera.id));
    fillCard(cards.get(camera.id), camera);
  }
  chooseViews();
}

/* Takes all cameras, or some that changed. */
function takeCameras(cameras, isAll, removed) {
  if (isAll)
    known.clear();
  for (const camera of cameras)
    known.set(camera.id, camera);
  for (const id of removed)
    known.delete(id);
  fill();
}

function onMessage(message) {
  if (message.type === "cameras")
    takeCameras(message.cameras, message.all, message.removed);
  else
    window.dispatchEvent(new CustomEvent("y10-message", { detail: message }));
}

function noteServer() {
  clearTimeout(timer);
  if (byId("notice").dataset.lost) {
    delete byId("notice").dataset.lost;
    say("");
  }
}

/* A websocket that is open tells of all cameras first. */
function onPush() {
  if (push.isOpen)
    noteServer();
  else
    refresh();
}

async function refresh() {
  clearTimeout(timer);
  try {
    takeCameras((await ask("GET", "/api/cameras")).cameras, true, []);
    byId("login").hidden = true;
    byId("add").hidden = false;
    showModel(true);
    openPush(onMessage, onPush);
    noteServer();
  } catch (error) {
    if (error.status === 401) {
      noteServer();
      closePush();
      takeCameras([], true, []);
      byId("add").hidden = true;
      showModel(false);
      byId("login").hidden = false;
      return;
    }
    byId("notice").dataset.lost = "yes";
    say(error.status ? error.message : "The server does not answer.");
  }
  /* Without a websocket, which some proxies do not let through. */
  if (!document.hidden && !push.isOpen)
    timer = setTimeout(refresh, POLL);
}

/* The beginning. */

async function open(token) {
  try {
    await ask("POST", "/api/session", { token });
    say("");
  } catch (error) {
    say(error.message);
  }
  await refresh();
}

async function takeToken() {
  const found = location.hash.match(/^#t=([0-9a-f]+)$/);

  if (!found)
    return refresh();
  history.replaceState(null, "", location.pathname);
  return open(found[1]);
}

byId("login").addEventListener("submit", (event) => {
  event.preventDefault();
  open(byId("token").value.trim());
  byId("token").value = "";
});

byId("add").addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    await ask("POST", "/api/cameras", { name: byId("name").value, source: byId("source").value.trim() });
    say("");
    event.target.reset();
    await refresh();
  } catch (error) {
    say(error.message);
  }
});

document.addEventListener("visibilitychange", () => {
  chooseViews();
  refresh();
});
window.addEventListener("hashchange", takeToken);
takeToken();
