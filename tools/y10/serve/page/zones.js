/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Zones and lines of a camera, drawn over its picture: by mouse, touch or keyboard. Points
 * are fractions of the picture. What zones say that this page does not know stays. */
import { refresh } from "./cameras.js";
import { fillClasses, readClasses } from "./classes.js";
import { byId, showProblem } from "./dom.js";
import { ask } from "./server.js";

const SVG = "http://www.w3.org/2000/svg";
const DRAG = 6;       /* pixels from which a press is a drag */
const STEP = 0.01;    /* of an arrow key; with Shift, five of it */

const part = (name) => byId(`zones-${name}`);
const dialog = byId("zones");
const stage = part("stage");
const svg = stage.querySelector("svg");
let camera = null;
let shapes = [];      /* {zone, isLine}; zone as in the settings */
let chosen = null;    /* one of them */
let isDrawing = false;
let cursor = null;    /* of the keyboard, while drawing */
let press = null;     /* where the pointer went down */

const clamp = (value) => Math.round(Math.min(Math.max(value, 0), 1) * 10000) / 10000;
const least = (shape) => (shape.isLine ? 2 : 3);

function say(text) {
  part("hint").textContent = text;
}

function sayWhatToDo() {
  if (!chosen)
    say(shapes.length ? "Select a zone or a line to change it." : "Add a zone or a line.");
  else if (!isDrawing)
    say("Drag a corner, or move it with the arrow keys; Delete removes it.");
  else if (chosen.isLine)
    say("Drag a line, or click both ends. Keyboard: arrow keys move, Space sets an end.");
  else
    say("Drag a rectangle, or click each corner and then the first one again. Keyboard: arrow keys move, "
      + "Space sets a corner, Enter finishes.");
}

/* Reads the text form, as far as the page can draw it: one shape for each name. */
function readText(text) {
  return text.split(";").filter((one) => one.trim()).map((one) => {
    const [, name, rest] = one.match(/^\s*([^=]+?)\s*=\s*(.+?)\s*$/) || [];
    const isLine = (rest || "").includes("->");
    const points = (rest || "").replace("->", " ").trim().split(/\s+/).map((pair) => pair.split(",").map(Number));

    if (!name || points.length < 2 || points.flat().length !== 2 * points.length || points.flat().some(isNaN))
      throw new Error("This page cannot show how these zones are written. Saving replaces them.");
    return { zone: { name, points }, isLine };
  });
}

function readZones(zones) {
  if (!zones)
    return [];
  if (typeof zones === "string")
    return readText(zones);
  const copy = structuredClone(zones);

  return [...(copy.zones || []).map((zone) => ({ zone, isLine: false })),
    ...(copy.lines || []).map((zone) => ({ zone, isLine: true }))];
}

/* Two corners stand for a rectangle; here it has four. */
function completeRectangles() {
  for (const { zone, isLine } of shapes) {
    if (!isLine && zone.points.length === 2) {
      const [[x0, y0], [x1, y1]] = zone.points;

      zone.points = [[x0, y0], [x1, y0], [x1, y1], [x0, y1]];
    }
  }
}

/* The drawing. */

function addSvg(name, points, kind) {
  const element = document.createElementNS(SVG, name);

  element.setAttribute("points", points.map((point) => point.join(",")).join(" "));
  element.setAttribute("class", kind);
  svg.append(element);
  return element;
}

function drawShape(shape) {
  const kind = shape === chosen ? "chosen" : "other";
  const points = shape === chosen && isDrawing && cursor ? [...shape.zone.points, cursor] : shape.zone.points;
  const element = addSvg(shape.isLine || (shape === chosen && isDrawing) ? "polyline" : "polygon", points, kind);

  element.addEventListener("click", () => {
    if (!isDrawing)
      choose(shape);
  });
}

function place(element, [x, y]) {
  element.style.left = `${x * 100}%`;
  element.style.top = `${y * 100}%`;
}

function moveCorner(i, x, y) {
  chosen.zone.points[i] = [clamp(x), clamp(y)];
  place(stage.querySelectorAll(".corner")[i], chosen.zone.points[i]);
  drawShapes();
}

function removeCorner(i) {
  if (chosen.isLine || chosen.zone.points.length <= 3)
    return;
  chosen.zone.points.splice(i, 1);
  draw();
  stage.querySelectorAll(".corner")[Math.min(i, chosen.zone.points.length - 1)].focus();
}

function onCornerKey(event, i) {
  const step = STEP * (event.shiftKey ? 5 : 1);
  const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
  const move = moves[event.key];
  const [x, y] = chosen.zone.points[i];

  if (move)
    moveCorner(i, x + move[0], y + move[1]);
  else if (event.key === "Delete" || event.key === "Backspace")
    removeCorner(i);
  else
    return;
  event.preventDefault();
  event.stopPropagation();
}

function getPoint(event) {
  const box = stage.getBoundingClientRect();

  return [clamp((event.clientX - box.left) / box.width), clamp((event.clientY - box.top) / box.height)];
}

function addCorner(point, i) {
  const corner = document.createElement("button");

  corner.type = "button";
  corner.className = "corner";
  corner.setAttribute("aria-label", `${chosen.isLine ? "End" : "Corner"} ${i + 1} of ${chosen.zone.name}`);
  place(corner, point);
  if (isDrawing) {
    corner.tabIndex = -1;
  } else {
    corner.addEventListener("keydown", (event) => onCornerKey(event, i));
    corner.addEventListener("pointerdown", (event) => corner.setPointerCapture(event.pointerId));
    corner.addEventListener("pointermove", (event) => {
      if (corner.hasPointerCapture(event.pointerId))
        moveCorner(i, ...getPoint(event));
    });
  }
  stage.append(corner);
}

function drawShapes() {
  svg.replaceChildren();
  shapes.forEach(drawShape);
}

function draw() {
  drawShapes();
  for (const corner of stage.querySelectorAll(".corner, .cursor"))
    corner.remove();
  if (chosen)
    chosen.zone.points.forEach(addCorner);
  if (isDrawing && cursor) {
    const cross = document.createElement("span");

    cross.className = "cursor";
    place(cross, cursor);
    stage.append(cross);
  }
  stage.classList.toggle("drawing", isDrawing);
}

/* The list, and what is chosen. */

function fillList() {
  part("list").replaceChildren(...shapes.map((shape) => {
    const button = document.createElement("button");
    const item = document.createElement("li");

    button.type = "button";
    button.textContent = shape.zone.name;
    button.setAttribute("aria-label", `${shape.isLine ? "Line" : "Zone"} ${shape.zone.name}`);
    button.setAttribute("aria-pressed", shape === chosen);
    button.addEventListener("click", () => choose(shape));
    item.append(button);
    return item;
  }));
}

function fillFields() {
  part("fields").hidden = !chosen || isDrawing;
  if (!chosen)
    return;
  const { zone, isLine } = chosen;

  part("legend").textContent = isLine ? "Selected line" : "Selected zone";
  part("name").value = zone.name;
  part("dwell").value = [zone.dwell || []].flat().join(", ");
  part("dwell-row").hidden = isLine;
  fillClasses(part("classes"), zone.classes || []).catch((error) => showProblem(part("form"), error.message));
}

function choose(shape) {
  if (isDrawing)
    cancelDrawing();
  chosen = shape;
  fillList();
  fillFields();
  draw();
  sayWhatToDo();
}

function add(isLine) {
  const names = new Set(shapes.map((shape) => shape.zone.name));
  let n = 1;

  if (isDrawing)
    cancelDrawing();
  while (names.has(`${isLine ? "line" : "zone"} ${n}`))
    n++;
  chosen = { zone: { name: `${isLine ? "line" : "zone"} ${n}`, points: [] }, isLine };
  shapes.push(chosen);
  isDrawing = true;
  cursor = null;
  fillList();
  fillFields();
  draw();
  sayWhatToDo();
  stage.focus();
}

function cancelDrawing() {
  shapes = shapes.filter((shape) => shape !== chosen);
  isDrawing = false;
  chosen = null;
  choose(null);
}

function finishDrawing() {
  isDrawing = false;
  cursor = null;
  choose(chosen);
  part("name").focus();
  part("name").select();
}

function addPoint(point) {
  const { points } = chosen.zone;

  points.push(point);
  if (chosen.isLine && points.length === 2)
    finishDrawing();
  else
    draw();
}

function isFirst(event) {
  const first = stage.querySelector(".corner");
  const box = first.getBoundingClientRect();

  return Math.hypot(event.clientX - box.left - box.width / 2, event.clientY - box.top - box.height / 2)
    < Math.max(box.width, 16);
}

function endPress(event) {
  const far = Math.hypot(event.clientX - press.x, event.clientY - press.y) > DRAG;
  const [x0, y0] = press.point;
  const [x1, y1] = getPoint(event);
  const { points } = chosen.zone;

  press = null;
  cursor = null;
  if (far && !points.length && (chosen.isLine || (x0 !== x1 && y0 !== y1))) {
    chosen.zone.points = chosen.isLine ? [[x0, y0], [x1, y1]] : [[x0, y0], [x1, y0], [x1, y1], [x0, y1]];
    finishDrawing();
  } else if (points.length >= least(chosen) && isFirst(event)) {
    finishDrawing();
  } else {
    addPoint([x1, y1]);
  }
}

stage.addEventListener("pointerdown", (event) => {
  if (!isDrawing || event.button)
    return;
  event.preventDefault();
  stage.setPointerCapture(event.pointerId);
  press = { x: event.clientX, y: event.clientY, point: getPoint(event) };
});
stage.addEventListener("pointermove", (event) => {
  if (!isDrawing)
    return;
  cursor = getPoint(event);
  drawShapes();
});
stage.addEventListener("pointerup", (event) => {
  if (isDrawing && press)
    endPress(event);
});
stage.addEventListener("pointercancel", () => {
  press = null;
});

stage.addEventListener("keydown", (event) => {
  const step = STEP * (event.shiftKey ? 5 : 1);
  const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };

  if (!isDrawing || event.target !== stage)
    return;
  if (moves[event.key]) {
    const [x, y] = cursor || [0.5, 0.5];

    cursor = [clamp(x + moves[event.key][0]), clamp(y + moves[event.key][1])];
    draw();
  } else if (event.key === " ") {
    addPoint(cursor || [0.5, 0.5]);
  } else if (event.key === "Enter") {
    if (chosen.zone.points.length >= least(chosen))
      finishDrawing();
  } else {
    return;
  }
  event.preventDefault();
});

/* Escape ends the drawing first, then the dialog. */
dialog.addEventListener("cancel", (event) => {
  if (!isDrawing)
    return;
  event.preventDefault();
  cancelDrawing();
});
dialog.addEventListener("close", () => {
  part("picture").removeAttribute("src");
  camera = null;
});

document.addEventListener("visibilitychange", () => {
  if (camera && document.hidden)
    part("picture").removeAttribute("src");
  else if (camera)
    part("picture").src = `/live/${camera.id}`;
});

part("add-zone").addEventListener("click", () => add(false));
part("add-line").addEventListener("click", () => add(true));
part("remove").addEventListener("click", () => {
  shapes = shapes.filter((shape) => shape !== chosen);
  choose(null);
});
part("name").addEventListener("input", () => {
  chosen.zone.name = part("name").value;
  fillList();
});
part("classes").addEventListener("change", () => {
  const classes = readClasses(part("classes"));

  if (classes.length)
    chosen.zone.classes = classes;
  else
    delete chosen.zone.classes;
});
part("dwell").addEventListener("input", () => {
  const seconds = part("dwell").value.split(/[\s,;]+/).filter((text) => text).map(Number);

  if (seconds.length)
    chosen.zone.dwell = seconds;
  else
    delete chosen.zone.dwell;
});
part("cancel").addEventListener("click", () => dialog.close());
part("form").addEventListener("submit", async (event) => {
  const pick = (isLine) => shapes.filter((shape) => shape.isLine === isLine).map((shape) => shape.zone);

  event.preventDefault();
  if (isDrawing)
    cancelDrawing();
  try {
    await ask("PATCH", `/api/cameras/${camera.id}`,
      { zones: shapes.length ? { version: 1, zones: pick(false), lines: pick(true) } : null });
    dialog.close();
    await refresh();
  } catch (error) {
    showZonesProblem(error.message);
  }
});

/* The zone or line that an error is about, such as zones[1].name, is selected. */
function showZonesProblem(text) {
  const [, list, i] = text.match(/\b(zones|lines)\[(\d+)\]/) || [];

  if (list)
    choose(shapes.filter((shape) => shape.isLine === (list === "lines"))[i]);
  showProblem(part("form"), text);
}

export function isEditingZones() {
  return dialog.open;
}

export function openZones(about) {
  camera = about;
  chosen = null;
  isDrawing = false;
  part("title").textContent = `Zones of ${camera.name}`;
  let problem = "";

  try {
    shapes = readZones(camera.zones);
  } catch (error) {
    shapes = [];
    problem = error.message;
  }
  completeRectangles();
  dialog.showModal();
  part("picture").src = `/live/${camera.id}`;
  choose(null);
  showProblem(part("form"), problem);
}
