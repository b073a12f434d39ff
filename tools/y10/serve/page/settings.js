/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The settings of a camera, in a dialog. Only what was changed is sent. */
"use strict";

{
  const part = (name) => document.getElementById(`settings-${name}`);
  const dialog = document.getElementById("settings");
  let camera = null;

  /* Boxes for the names of a model's classes, and those that are chosen besides. */
  window.fillClasses = async (list, chosen) => {
    const names = (await ask("GET", "/api/model")).classes;

    list.replaceChildren();
    for (const name of new Set([...names, ...chosen])) {
      const label = document.createElement("label");
      const box = document.createElement("input");

      box.type = "checkbox";
      box.value = name;
      box.checked = chosen.includes(name);
      label.append(box, name);
      list.append(label);
    }
  };

  window.readClasses = (list) => [...list.querySelectorAll("input:checked")].map((box) => box.value);

  const split = (text) => (text || "").split(",").map((name) => name.trim()).filter((name) => name);

  function fillTiles(tiles) {
    const select = part("tiles");
    const choices = ["2x1", "2x2", "3x2", "auto"];

    if (tiles && tiles !== "none" && !choices.includes(tiles))
      choices.push(tiles);
    select.replaceChildren(...["", ...choices].map((value) => new Option(value || "none", value)));
    select.value = tiles === "none" ? "" : tiles || "";
  }

  window.openSettings = async (about) => {
    camera = about;
    part("title").textContent = `Settings of ${camera.name}`;
    showProblem(part("form"), "");
    part("name").value = camera.name;
    part("source").value = "";
    part("source").placeholder = `${camera.source} (unchanged)`;
    part("fingerprint").value = camera.fingerprint || "";
    part("transport").value = camera.transport === "auto" ? "" : camera.transport || "";
    part("stream").value = camera.stream || "";
    part("confidence").value = camera.confidence || "";
    part("privacy").checked = camera.privacy;
    fillTiles(camera.tiles);
    dialog.showModal();
    try {
      await fillClasses(part("classes"), split(camera.classes));
    } catch (error) {
      showProblem(part("form"), error.message);
    }
  };

  function collect() {
    const wanted = {
      name: part("name").value.trim(),
      fingerprint: part("fingerprint").value.trim() || null,
      transport: part("transport").value || null,
      stream: part("stream").value ? Number(part("stream").value) : null,
      classes: readClasses(part("classes")).join(",") || null,
      confidence: part("confidence").value ? Number(part("confidence").value) : null,
      tiles: part("tiles").value || null,
      privacy: part("privacy").checked,
    };
    const before = { ...camera, transport: camera.transport === "auto" ? null : camera.transport,
      classes: split(camera.classes).join(",") || null };
    const changes = {};

    for (const [name, value] of Object.entries(wanted)) {
      if (value !== before[name])
        changes[name] = value;
    }
    if (part("source").value.trim())
      changes.source = part("source").value.trim();
    return changes;
  }

  part("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      const changes = collect();

      if (Object.keys(changes).length)
        await ask("PATCH", `/api/cameras/${camera.id}`, changes);
      dialog.close();
      await refresh();
    } catch (error) {
      showProblem(part("form"), error.message);
    }
  });
  part("cancel").addEventListener("click", () => dialog.close());
}
