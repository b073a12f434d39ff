/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The cameras: a card for each, with its live view. */

import { cameras, changes, isLost, refresh } from "./cameras.js";
import { byId, setText, showProblem } from "./dom.js";
import { ask } from "./server.js";
import { openSettings } from "./settings.js";
import { isEditingZones, openZones } from "./zones.js";

/* A browser opens six connections to a server; streams must leave some for the rest. */
const MAX_STREAMS = 4;
const STILL = 2000;
/* Inferences a second below which somebody can walk through the picture unseen. */
const FEW = 1;
/* What the page calls the states. */
const STATES = { retry: "retrying", waiting: "waiting to start" };
const LOST = "no connection to y10 serve";

const cards = new Map();   /* by the camera's id */

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
    if (document.hidden || isLost() || isEditingZones() || location.hash === "#events"
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
  part(".settings").addEventListener("click", () => openSettings(cameras.get(id)));
  part(".zones").addEventListener("click", () => {
    openZones(cameras.get(id));
    chooseViews();
  });
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
    if (!cameras.has(id)) {
      setView(card, "none");
      card.item.remove();
      cards.delete(id);
    }
  }
  for (const camera of cameras.values()) {
    if (!cards.has(camera.id))
      cards.set(camera.id, makeCard(camera.id));
    fillCard(cards.get(camera.id), camera);
  }
  chooseViews();
}

changes.addEventListener("cameras", fill);
document.addEventListener("visibilitychange", chooseViews);
window.addEventListener("hashchange", chooseViews);
byId("zones").addEventListener("close", chooseViews);
