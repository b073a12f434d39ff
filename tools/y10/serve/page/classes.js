/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A choice of classes, as check boxes. */

import { ask } from "./server.js";

/* Boxes for the names of a model's classes, and those that are chosen besides. */
export async function fillClasses(list, chosen) {
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
}

export function readClasses(list) {
  return [...list.querySelectorAll("input:checked")].map((box) => box.value);
}
