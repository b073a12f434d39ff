/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What happened: a list of events, how many there were when, and where to save them. What
 * events say goes into the page as text only, never as HTML. */
import { cameras, refresh as refreshCameras } from "./cameras.js";
import { byId } from "./dom.js";
import { ask, messages } from "./server.js";

const PAGE = 50;
const POLL = 5000;
const SVG = "http://www.w3.org/2000/svg";
const KINDS = { enter: "enters", leave: "leaves", cross: "crosses", dwell: "stays", occupancy: "occupancy" };
const BARS = [60, 300, 600, 1800, 3600, 10800, 43200, 86400, 604800, 2592000, 31536000];

const part = (name) => byId(`events-${name}`);
const list = part("list");
let next = null;     /* where older events begin */
let newest = null;   /* the first of the list */
let timer = 0;
let turn = 0;        /* answers to earlier questions are late */

const isShown = () => document.body.dataset.view === "events" && !document.hidden;

/* The question. */

function getSpan() {
  const seconds = Number(part("period").value);
  const now = Date.now();

  if (seconds)
    return { since: now - seconds * 1000, until: now, isOpen: true };
  return {
    since: part("since").value ? new Date(part("since").value).getTime() : now - 86400000,
    until: part("until").value ? new Date(part("until").value).getTime() : now,
    isOpen: !part("until").value,
  };
}

function makeQuery(span) {
  const query = new URLSearchParams();

  for (const select of part("filter").querySelectorAll("[data-name]")) {
    if (select.value)
      query.set(select.dataset.name, select.value);
  }
  query.set("since", new Date(span.since).toISOString());
  if (!span.isOpen)
    query.set("until", new Date(span.until).toISOString());
  return query;
}

function fillSelect(select, values, text) {
  const chosen = select.value;
  const options = ["", ...values].map((value) => {
    const option = document.createElement("option");

    option.value = value;
    option.textContent = value ? text(value) : "all";
    return option;
  });

  select.replaceChildren(...options);
  select.value = values.includes(chosen) ? chosen : "";
}

const nameCamera = (id) => cameras.get(id)?.name || id;

async function fillSelects() {
  await refreshCameras();
  const known = await ask("GET", "/api/events/names");
  const ids = new Set([...cameras.keys(), ...known.cameras]);

  fillSelect(part("camera"), [...ids], nameCamera);
  fillSelect(part("kind"), Object.keys(KINDS), (kind) => KINDS[kind]);
  fillSelect(part("class"), known.classes.sort(), (name) => name);
  fillSelect(part("zone"), known.zones.sort(), (name) => name);
}

/* The list. */

function tellTime(nanoseconds) {
  const seconds = nanoseconds / 1e9;

  return seconds < 120 ? `${seconds.toFixed(seconds < 10 ? 1 : 0)} s` : `${Math.round(seconds / 60)} min`;
}

function tell(event) {
  const who = event.label || "object";
  const where = event.zone || event.line;

  switch (event.event) {
    case "enter":
      return `${who} enters ${where}`;
    case "leave":
      return `${who} leaves ${where} after ${tellTime(event.duration)}`
        + (event.reason === "left" ? "" : ` (${event.reason})`);
    case "dwell":
      return `${who} is in ${where} for ${tellTime(event.duration)}`;
    case "cross":
      return `${who} crosses ${where}, ` + (event.to ? `to ${event.to}` : event.direction);
    case "occupancy":
      return `${where} has ${event.count}, ` + (event.over ? "over" : "not over") + ` its limit of ${event.limit}`;
    default:
      return `${event.event} ${where || ""}`;
  }
}

const isFraction = (value) => typeof value === "number" && value >= 0 && value <= 1;

/* The place of the object in its picture: its box, or a dot where its zone is judged. */
function mark(event) {
  const svg = document.createElementNS(SVG, "svg");
  const path = document.createElementNS(SVG, "path");
  const box = event.box;
  const isBox = Array.isArray(box) && box.length === 4 && box.every(isFraction);

  if (isBox)
    path.setAttribute("d", `M${box[0]} ${box[1]}H${box[2]}V${box[3]}H${box[0]}Z`);
  else if (isFraction(event.x) && isFraction(event.y))
    path.setAttribute("d", `M${event.x} ${event.y}h0`);
  path.setAttribute("vector-effect", "non-scaling-stroke");
  path.setAttribute("class", isBox ? "event-box" : "event-dot");
  svg.setAttribute("viewBox", "0 0 1 1");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  svg.append(path);
  return svg;
}

function showPicture(element, event, text, name) {
  const image = document.createElement("img");

  image.alt = `Picture: ${text}`;
  image.loading = "lazy";
  image.src = `/api/events/${encodeURIComponent(event.at)}/${name}.jpg`;
  image.addEventListener("error", () => {
    element.hidden = true;
  });
  element.replaceChildren(image, mark(event));
  element.hidden = false;
}

function makeItem(event) {
  const item = byId("event").content.cloneNode(true).firstElementChild;
  const time = item.querySelector("time");
  const button = item.querySelector("button");
  const told = tell(event);

  time.dateTime = event.utc;
  time.textContent = new Date(event.utc).toLocaleString(undefined, { dateStyle: "short", timeStyle: "medium" });
  item.dataset.at = event.at;
  item.dataset.kind = event.event;
  item.querySelector(".event-camera").textContent = nameCamera(event.stream);
  item.querySelector(".event-told").textContent = told;
  if (event.snapshot) {
    showPicture(button, event, told, "thumbnail");
    button.addEventListener("click", () => {
      showPicture(part("dialog").querySelector(".event-picture"), event, told, "snapshot");
      part("told").textContent = `${time.textContent}, ${nameCamera(event.stream)}: ${told}`;
      part("dialog").showModal();
    });
  }
  return item;
}

function showMore(answer) {
  next = answer.next;
  part("more").hidden = !next;
}

async function showOlder() {
  const mine = turn;
  const query = makeQuery(getSpan());

  query.set("limit", PAGE);
  query.set("before", next);
  try {
    const answer = await ask("GET", `/api/events?${query}`);

    if (mine !== turn)
      return;
    list.append(...answer.events.map(makeItem));
    showMore(answer);
  } catch (error) {
    fail(error);
  }
}

/* What came since the list was made goes in front of it; more than a page begins it anew. */
function showNewer(answer) {
  const known = answer.events.findIndex((event) => event.at === newest);

  if (known < 0) {
    list.replaceChildren(...answer.events.map(makeItem));
    showMore(answer);
  } else {
    list.prepend(...answer.events.slice(0, known).map(makeItem));
  }
  newest = answer.events.length ? answer.events[0].at : null;
}

/* The plot. */

function chooseBar(span) {
  const seconds = (span.until - span.since) / 1000;

  return BARS.find((bar) => seconds / bar <= 62) || BARS[BARS.length - 1];
}

const tellMoment = (moment) => new Date(moment).toLocaleString(undefined, { dateStyle: "short", timeStyle: "short" });

function drawPlot(answer) {
  const most = Math.max(1, ...answer.counts);
  const sum = answer.counts.reduce((a, b) => a + b, 0);
  const step = 600 / answer.counts.length;
  const moment = (i) => tellMoment(answer.since + i * answer.bucket * 1000);
  const bars = answer.counts.map((count, i) => {
    const bar = document.createElementNS(SVG, "rect");
    const title = document.createElementNS(SVG, "title");
    const height = 100 * count / most;

    title.textContent = `${moment(i)}: ${count}`;
    bar.setAttribute("x", i * step + step * 0.1);
    bar.setAttribute("width", step * 0.8);
    bar.setAttribute("y", 100 - height);
    bar.setAttribute("height", height);
    bar.append(title);
    return bar;
  });

  part("plot").querySelector("svg").replaceChildren(...bars);
  part("from").textContent = moment(0);
  part("to").textContent = moment(answer.counts.length);
  part("sum").textContent = `${sum} ${sum === 1 ? "event" : "events"}, at most ${Math.max(...answer.counts)} in ${tellTime(answer.bucket * 1e9)}`;
}

/* Bars begin at whole minutes, hours and days of the local time. */
function align(span, bar) {
  const zone = new Date(span.since).getTimezoneOffset() * 60000;
  const length = bar * 1000;

  return Math.floor((span.since - zone) / length) * length + zone;
}

/* All. */

function fail(error) {
  part("problem").textContent = error.status === 401 ? "" : error.message;
}

async function refresh() {
  const mine = ++turn;
  const span = getSpan();
  const bar = chooseBar(span);
  const query = makeQuery(span);

  clearTimeout(timer);
  if (!isShown())
    return;
  part("csv").href = `/api/events.csv?${query}`;
  part("jsonl").href = `/api/events.jsonl?${query}`;
  try {
    const page = await ask("GET", `/api/events?${query}&limit=${PAGE}`);

    if (mine !== turn)
      return;
    showNewer(page);
    query.set("since", new Date(align(span, bar)).toISOString());
    drawPlot(await ask("GET", `/api/events/counts?${query}&bucket=${bar}`));
    part("problem").textContent = page.complete ? "" : "Older events are still being read.";
  } catch (error) {
    fail(error);
  }
  if (mine === turn && isShown())
    timer = setTimeout(refresh, POLL);
}

function begin() {
  newest = null;
  list.replaceChildren();
  part("more").hidden = true;
  refresh();
}

async function choose() {
  const isEvents = location.hash === "#events";

  document.body.dataset.view = isEvents ? "events" : "cameras";
  for (const [id, isHere] of [["to-cameras", !isEvents], ["to-events", isEvents]]) {
    if (isHere)
      byId(id).setAttribute("aria-current", "page");
    else
      byId(id).removeAttribute("aria-current");
  }
  if (!isEvents)
    return;
  try {
    await fillSelects();
  } catch (error) {
    fail(error);
  }
  begin();
}

part("filter").addEventListener("change", () => {
  for (const field of part("filter").querySelectorAll(".events-range"))
    field.hidden = part("period").value !== "";
  begin();
});
part("filter").addEventListener("submit", (event) => event.preventDefault());
part("more").addEventListener("click", showOlder);
part("close").addEventListener("click", () => part("dialog").close());
document.addEventListener("visibilitychange", () => {
  if (isShown())
    refresh();
});
messages.addEventListener("event", () => {
  if (!isShown())
    return;
  clearTimeout(timer);
  timer = setTimeout(refresh, 300);
});
window.addEventListener("hashchange", choose);
choose();
