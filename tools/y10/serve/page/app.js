/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The page. Text of cameras goes into it as text only, never as HTML. */
"use strict";

/* A browser opens six connections to a server; streams must leave some for the rest. */
const MAX_STREAMS = 4;
const POLL = 1000;
const STILL = 2000;
/* Inferences a second below which somebody can walk through the picture unseen. */
const FEW = 1;
/* What the page calls the states. */
const STATES = { retry: "retrying", waiting: "waiting to start" };
const LOST = "no connection to y10 serve";

const byId = (id) => document.getElementById(id);
const cards = new Map();
const known = new Map();   /* cameras by id, as the server told */
let timer = 0;

function say(text) {
  byId("notice").textContent = text;
}

/* Says in a form, or a camera's card, what is wrong with it, and leads to the field that the text
 * names; without a text, all is well. */
function showProblem(form, text) {
  const line = form.querySelector(".problem");
  const fields = [...form.querySelectorAll("[name]")];
  const field = fields.find((one) => one.checkVisibility() && new RegExp(`\\b${one.name}\\b`).test(text));

  for (const one of fields)
    one.removeAttribute("aria-invalid");
  line.textContent = text;
  if (!text)
    return;
  if (field)
    field.setAttribute("aria-invalid", "true");
  (field || line).focus();
  line.scrollIntoView({ block: "nearest" });
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
    if (document.hidden || isLost() || isEditingZones() || document.body.dataset.view === "events"
        || card.state !== "live")
      setView(card, "none");
    else
      setView(card, streams++ < MAX_STREAMS ? "stream" : "still");
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
    showProblem(card.item, error.message);
  }
}

/* A camera in quarantine is started again. */
async function release(card) {
  try {
    await ask("POST", `/api/cameras/${card.id}/release`);
    showProblem(card.item, "");
    await refresh();
  } catch (error) {
    showProblem(card.item, error.message);
  }
}

function makeCard(id) {
  const item = byId("camera").content.cloneNode(true).firstElementChild;
  const part = (name) => item.querySelector(name);
  const card = {
    id, item, view: "none", img: part("img"), name: part(".name"), status: part(".state"),
    figures: part(".figures"), reason: part(".reason"), button: part(".view"),
    release: part(".release"), warning: part(".warning"),
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

/* Whether frames come, and too few of them are looked at. */
function isStarved({ fps, inferences_per_second: rate }) {
  return rate !== null && rate < FEW && rate < fps / 2;
}

function describe(camera) {
  const { fps, inferences_per_second: rate } = camera;

  return [`${fps.toFixed(1)} fps`, ...(rate === null ? [] : [`${rate.toFixed(1)} inferences/s`]), camera.source].join(", ");
}

function fillCard(card, camera) {
  const isLive = camera.state === "live" && !isLost();
  const starved = isLive && isStarved(camera);

  card.state = camera.state;
  card.status.dataset.state = isLost() ? "lost" : starved ? "starved" : camera.state;
  setText(card.status, isLost() ? LOST : STATES[camera.state] || camera.state);
  setText(card.name, camera.name);
  setText(card.figures, isLive ? describe(camera) : camera.source);
  setText(card.reason, isLost() ? "" : camera.reason || "");
  setText(card.warning, starved ? `Too few inferences: ${camera.inferences_per_second.toFixed(1)} per second. `
    + "This machine is too busy, so objects may be missed." : "");
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

/* Whether the server does not answer; cards then say so, and stay. */
function isLost() {
  return document.body.dataset.lost === "yes";
}

function noteServer() {
  clearTimeout(timer);
  if (isLost()) {
    delete document.body.dataset.lost;
    say("");
    fill();
  }
}

function noteLoss(text) {
  document.body.dataset.lost = "yes";
  say(text);
  fill();
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
    noteLoss(error.status ? error.message : "The server does not answer.");
  }
  /* Without a websocket, which some proxies do not let through. */
  if (!document.hidden && !push.isOpen)
    timer = setTimeout(refresh, POLL);
}

/* The beginning. */

async function open(token) {
  try {
    await ask("POST", "/api/session", { token });
    showProblem(byId("login"), "");
    await refresh();
  } catch (error) {
    await refresh();
    showProblem(byId("login"), error.message);
  }
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
    showProblem(event.target, "");
    event.target.reset();
    await refresh();
  } catch (error) {
    showProblem(event.target, error.message);
  }
});

document.addEventListener("visibilitychange", () => {
  chooseViews();
  refresh();
});
window.addEventListener("hashchange", takeToken);
takeToken();
