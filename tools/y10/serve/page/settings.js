/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The settings of a camera, in a dialog. Only what was changed is sent. */
import { refresh } from "./cameras.js";
import { fillClasses, readClasses } from "./classes.js";
import { byId, showProblem } from "./dom.js";
import { ask } from "./server.js";

const part = (name) => byId(`settings-${name}`);
const dialog = byId("settings");
let camera = null;

const split = (text) => (text || "").split(",").map((name) => name.trim()).filter((name) => name);

/* Those of the form, each with the name of a setting. A select has "" for the default, whose
 * other name it may have, too. The address is a secret, which the server does not tell. */
const controls = [...part("form").elements].filter((one) => one.name && one.name !== "source");

function toValue(control, setting) {
  if (control.type === "checkbox")
    return setting;
  return setting === null || setting === control.dataset.default ? "" : String(setting);
}

function fillControl(control, setting) {
  const value = toValue(control, setting);

  if (control.type === "checkbox") {
    control.checked = value;
    return;
  }
  for (const option of control.querySelectorAll("option[data-other]"))
    option.remove();
  control.value = value;
  if (control.options && control.value !== value) {
    const option = new Option(value, value);

    option.dataset.other = "";
    control.append(option);
    control.value = value;
  }
}

function readControl(control) {
  if (control.type === "checkbox")
    return control.checked;
  const value = control.value.trim();

  if (control.required)
    return value;
  return value === "" ? null : control.type === "number" ? Number(value) : value;
}

export async function openSettings(about) {
  camera = about;
  part("title").textContent = `Settings of ${camera.name}`;
  showProblem(part("form"), "");
  part("source").value = "";
  part("source").placeholder = `${camera.source} (unchanged)`;
  for (const control of controls)
    fillControl(control, camera[control.name]);
  dialog.showModal();
  try {
    await fillClasses(part("classes"), split(camera.classes));
  } catch (error) {
    showProblem(part("form"), error.message);
  }
}

function collect() {
  const changes = {};
  const classes = readClasses(part("classes")).join(",");

  for (const control of controls) {
    const value = readControl(control);

    if (toValue(control, value) !== toValue(control, camera[control.name]))
      changes[control.name] = value;
  }
  if (classes !== split(camera.classes).join(","))
    changes.classes = classes || null;
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
