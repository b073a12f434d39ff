/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The model of all cameras: what it is, and a choice of others. */
import { changes, isAllowed } from "./cameras.js";
import { byId, setText, showProblem } from "./dom.js";
import { ask, messages } from "./server.js";

const part = (name) => byId(`model-${name}`);
const form = byId("model");
const BUNDLED = "";
let isAsking = false;

function describe(model) {
  const engine = model.backend ? `; it runs on ${model.device}, ${model.precision}` : "";

  return `${model.name} knows ${model.classes.length} ${model.classes.length === 1 ? "class" : "classes"}${engine}.`;
}

/* Why there is nothing to choose. */
function explain(model) {
  if (model.option)
    return "y10 serve was started with --model, so the model cannot be changed here.";
  return model.models ? "" : "To choose another one here, start y10 serve with --models DIR, or set models=DIR in its settings.";
}

function fillChoices(model) {
  const options = [new Option("the bundled model, for codes and markers", BUNDLED)];

  for (const name of model.models || [])
    options.push(new Option(name, name));
  /* One that is elsewhere cannot be chosen again. */
  if (!model.bundled && !(model.models || []).includes(model.file)) {
    options.push(new Option(`${model.name} (in use)`, "/"));
    options.at(-1).disabled = true;
  }
  part("file").replaceChildren(...options);
  part("file").value = model.bundled ? BUNDLED : model.file || "/";
  if (part("file").selectedIndex < 0)
    part("file").value = "/";
}

function showChange(change) {
  const cameras = change && change.of ? `: ${change.done} of ${change.of} ${change.of === 1 ? "camera" : "cameras"}` : "";

  form.setAttribute("aria-busy", String(Boolean(change)));
  part("use").disabled = Boolean(change);
  part("file").disabled = Boolean(change);
  part("progress").hidden = !change;
  if (!change)
    return;
  part("progress").max = change.of || 1;
  if (change.of)
    part("progress").value = change.done;
  else
    part("progress").removeAttribute("value");
  setText(part("state"), `Loading ${change.model || "the bundled model"}${cameras} …`);
}

function show(model) {
  const why = explain(model);

  setText(part("why"), why);
  part("choice").hidden = Boolean(why);
  if (!why)
    fillChoices(model);
  setText(part("state"), describe(model));
  showChange(model.change);
  form.hidden = false;
}

async function load() {
  try {
    show(await ask("GET", "/api/model"));
  } catch (error) {
    form.hidden = true;
  }
}

changes.addEventListener("access", () => {
  if (!isAllowed())
    form.hidden = true;
  else if (form.hidden)
    load();
});

/* Other pages and machines can choose, too. */
messages.addEventListener("model", ({ detail }) => {
  if (detail.change)
    showChange(detail.change);
  else if (!isAsking)
    load();
});

form.addEventListener("submit", async (event) => {
  const model = part("file").value || null;

  event.preventDefault();
  if (model === "/")
    return;
  let problem = "";

  isAsking = true;
  showProblem(form, "");
  showChange({ model, done: 0, of: 0 });
  try {
    await ask("PATCH", "/api/model", { model });
  } catch (error) {
    problem = error.message;
  }
  isAsking = false;
  await load();
  showProblem(form, problem);
  /* A control that was disabled has lost it. */
  if (document.activeElement === document.body)
    part("use").focus();
});
