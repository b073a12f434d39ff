#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""The tables of properties in docs/ are what gst-inspect-1.0 prints, by docs/plugin/.

usage: properties.py [--write]

A comment in a document names an element and the properties of one table, in the order of its rows:

  <!-- properties of ELEMENT: NAME NAME … -->

The table follows, up to the next empty line. --write fills in all tables. Each property that can be
written has to be in one of them, except those of every GstObject. test-inspect.py compares
docs/plugin/ with the plugin.
"""
import os
import re
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
# Each document, and the elements whose properties it has.
DOCUMENTS = {
    "docs/elements.md": ("yolov10detect", "yolov10overlay"),
    "docs/events.md": ("yolov10publish",),
    "docs/recording.md": ("yolov10record",),
    "docs/tracking.md": ("yolov10track", "yolov10zones"),
}
OF_GST_OBJECT = {"name", "parent"}
MARK = re.compile(r"<!-- properties of (\w+): ([\w\s-]+?) -->\n((?:\|.*\n)*)")
PROPERTY = re.compile(r"^  ([a-z0-9-]+) +: (.*)\n((?:^ {20,}.*\n)+)", re.M)
HEAD = "| property | default | |\n|---|---|---|\n"
# Limits of a type, which say nothing about a property.
LIMITS = {-2**31, 2**31 - 1, 2**32 - 1, 2**64 - 1}


def state(flags):
    """When a property may change, where that is not at any time."""
    if "only in NULL or READY" in flags:
        return " (READY)"
    return " (controllable)" if "controllable" in flags else ""


def default(details):
    """The default, and the range where it is no limit of the type."""
    text = re.search(r"Default: *(?:\w+, )?(.*)", details)[1].strip()
    if text == "null":
        return "unset"
    if text.startswith('"'):
        text = text if text == '""' else text[1:-1]
    bounds = re.search(r"Range: *(\S+) - *(\S+)", details)
    if bounds and not LIMITS & {int(bound) for bound in bounds.groups() if bound.lstrip("-").isdigit()}:
        return f"`{text}` ({bounds[1]} to {bounds[2]})"
    return f"`{text}`"


def description(blurb, details):
    values = re.findall(r"^ +\((?:0x)?\w+\): (\S+) +- (.*)$", details, re.M)
    text = blurb.strip() + "".join(f"; `{name}`: {what}" if i else f". `{name}`: {what}"
                                   for i, (name, what) in enumerate(values))
    return text.replace("|", "\\|").replace("*", "\\*")


def read_properties(element):
    """{name: row} of the properties that can be written, by docs/plugin/."""
    with open(os.path.join(ROOT, f"docs/plugin/{element}.txt"), encoding="utf-8") as file:
        text = file.read().partition("\nElement Properties:\n")[2]
    rows = {}
    for name, blurb, details in PROPERTY.findall(text):
        flags = re.search(r"flags: (.*)", details)[1]
        if "writable" in flags and name not in OF_GST_OBJECT:
            rows[name] = f"| `{name}`{state(flags)} | {default(details)} | {description(blurb, details)} |\n"
    return rows


def fill(text, elements):
    """The text with all tables as they should be, and what is wrong with its marks."""
    wrong, left = [], {element: dict(rows) for element, rows in elements.items()}

    def table(match):
        element, names, _ = match.groups()
        rows = HEAD
        for name in names.split():
            row = left.get(element, {}).pop(name, None)
            if row:
                rows += row
            else:
                wrong.append(f"{element} has no property '{name}' that can be written, or it has a row already")
        return match[0][:match.start(3) - match.start()] + rows

    text = MARK.sub(table, text)
    wrong += [f"'{name}' of {element} is in no table" for element, rows in left.items() for name in rows]
    return text, wrong


def check(document, names, write):
    """The number of properties, and what is wrong with the tables of one document."""
    elements = {name: read_properties(name) for name in names}
    path = os.path.join(ROOT, document)
    with open(path, encoding="utf-8") as file:
        then = file.read()
    now, wrong = fill(then, elements)
    for line in wrong:
        print(f"{document}: {line}")
    if write:
        with open(path, "w", encoding="utf-8") as file:
            file.write(now)
    elif now != then:
        old = set(then.splitlines())
        wrong += ["stale"]
        print(f"{document} lacks:", *[line for line in now.splitlines() if line not in old], sep="\n")
        print("tests/docs/properties.py --write makes the tables anew")
    return sum(map(len, elements.values())), len(wrong)


def main():
    found = [check(document, names, "--write" in sys.argv) for document, names in DOCUMENTS.items()]
    print(f"{sum(n for n, _ in found)} properties, {sum(wrong for _, wrong in found)} wrong")
    return 1 if any(wrong for _, wrong in found) else 0


if __name__ == "__main__":
    sys.exit(main())
