/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The page: who may see it, and its parts. Text of cameras goes into it as text only, never as
 * HTML. */

import "./capacity.js";
import "./cards.js";
import "./events.js";
import "./model.js";
import { changes, isAllowed, refresh } from "./cameras.js";
import { byId, showProblem } from "./dom.js";
import { ask } from "./server.js";

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

changes.addEventListener("access", () => {
  byId("login").hidden = isAllowed();
  byId("add").hidden = !isAllowed();
});
document.addEventListener("visibilitychange", refresh);
window.addEventListener("hashchange", takeToken);
takeToken();
