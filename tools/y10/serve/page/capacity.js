/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A line that says how many more cameras the machine carries. */
"use strict";

(() => {
  const PERIOD = 10000;
  const line = document.getElementById("capacity");

  function count(cameras, more) {
    return `about ${cameras}${more} ${cameras === 1 ? "camera" : "cameras"} like ${cameras === 1 ? "this" : "these"}.`;
  }

  function describe(capacity) {
    if (capacity.more === null)
      return "";
    if (capacity.more === 0)
      return `This machine is full: its ${capacity.limit === "cpu" ? "CPUs carry" : "engine carries"} `
        + count(capacity.cameras, "");
    return `This machine carries ${count(capacity.more, " more")}`;
  }

  async function show() {
    if (document.hidden)
      return;
    try {
      const reply = await fetch("/api/capacity", { credentials: "same-origin" });

      line.textContent = reply.ok ? describe(await reply.json()) : "";
    } catch (error) {
      line.textContent = "";
    }
  }

  setInterval(show, PERIOD);
  setTimeout(show, PERIOD / 5);
})();
