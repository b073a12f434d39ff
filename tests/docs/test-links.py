#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Links between the project's documents lead to files and headings that exist, and README.md leads
to each page of docs/. The web is not asked.

usage: test-links.py
"""
import glob
import os
import re
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
FENCE = re.compile(r"^\s*```.*?^\s*```", re.M | re.S)
LINK = re.compile(r"\[[^][]*\]\(\s*([^()\s]+)\s*\)|<(?:img|a) [^>]*(?:src|href)=\"([^\"]+)\"")


def documents():
    found = glob.glob(os.path.join(ROOT, "*.md")) + glob.glob(os.path.join(ROOT, "*/**/*.md"), recursive=True)
    return sorted(path for path in found if not os.path.relpath(path, ROOT).startswith("build"))


def text_of(path):
    """Without code, in which brackets are no links."""
    with open(path, encoding="utf-8") as file:
        return FENCE.sub("", file.read())


def anchors(text):
    """The headings of a document as GitHub's links name them."""
    seen, names = {}, set()
    for heading in re.findall(r"^#+ +(.*?) *$", text, re.M):
        heading = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")
        names.add(f"{name}-{seen[name]}" if name in seen else name)
        seen[name] = seen.get(name, 0) + 1
    return names


def check(paths):
    """(number of links, those that lead nowhere, the files that each document links to)."""
    n, broken, linked = 0, [], {}
    for path in paths:
        where, text = os.path.relpath(path, ROOT), text_of(path)
        for target in (a or b for a, b in LINK.findall(re.sub(r"`[^`\n]*`", "", text))):
            if re.match(r"[a-z]+:", target):
                continue
            n += 1
            name, _, anchor = target.partition("#")
            to = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
            linked.setdefault(where, set()).add(os.path.relpath(to, ROOT))
            if not os.path.exists(to):
                broken.append(f"{where}: there is no {target}")
            elif anchor and anchor not in anchors(text_of(to)):
                broken.append(f"{where}: no heading is #{anchor} in {os.path.relpath(to, ROOT)}")
    return n, broken, linked


def main():
    n, broken, linked = check(documents())
    for page in sorted(glob.glob(os.path.join(ROOT, "docs/*.md"))):
        name = os.path.relpath(page, ROOT)
        if name not in linked.get("README.md", ()):
            broken.append(f"README.md has no link to {name}")
    for line in broken:
        print(line)
    print(f"{n} links, {len(broken)} broken")
    return 1 if broken or n < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
