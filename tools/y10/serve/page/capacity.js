/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A line that says how many more cameras the machine carries. */
import { byId } from "./dom.js";
import { ask } from "./server.js";

const PERIOD = 10000;
const line = byId("capacity");

function count(cameras, more) {
  return `about ${cameras}${more} ${cameras === 1 ? "camera" : "cameras"} like ${cameras === 1 ? "this" : "these"}.`;
}

/* What is not ours is named where it counts. */
function blame(capacity) {
  const others = capacity.cpus_others || 0;

  return others < capacity.cpus / 10 ? "" : ` Other programs take ${others.toFixed(1)} of its ${capacity.cpus} CPUs.`;
}

function describe(capacity) {
  if (capacity.more === null)
    return "";
  if (capacity.more === 0)
    return `This machine is full: its ${capacity.limit === "cpu" ? "CPUs carry" : "engine carries"} `
      + count(capacity.cameras, "") + blame(capacity);
  return `This machine carries ${count(capacity.more, " more")}${blame(capacity)}`;
}

function fill(text) {
  const command = document.createElement("code");

  command.textContent = "y10 bench --cameras";
  line.replaceChildren(...(text ? [`${text} This is an estimate; `, command, " measures it."] : []));
}

async function show() {
  if (document.hidden)
    return;
  try {
    fill(describe(await ask("GET", "/api/capacity")));
  } catch (error) {
    fill("");
  }
}

setInterval(show, PERIOD);
setTimeout(show, PERIOD / 5);
