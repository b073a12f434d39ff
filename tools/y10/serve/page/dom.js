/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What all parts of the page do with its elements. */

export function byId(id) {
  return document.getElementById(id);
}

/* Says in a form, or a camera's card, what is wrong with it, and leads to the field that the text
 * names; without a text, all is well. */
export function showProblem(form, text) {
  const line = form.querySelector(".problem");
  const fields = [...form.querySelectorAll("[name]")];
  const field = fields.find((one) => one.checkVisibility() && new RegExp(`\\b${one.name}\\b`).test(text));

  for (const one of fields)
    one.removeAttribute("aria-invalid");
  line.textContent = text;
  if (!text)
    return;
  if (field)
    field.setAttribute("aria-invalid", "true");
  (field || line).focus();
  line.scrollIntoView({ block: "nearest" });
}

export function setText(element, text) {
  if (element.textContent !== text)
    element.textContent = text;
}
