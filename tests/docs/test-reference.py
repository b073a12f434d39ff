#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""The generated reference describes every public function.

The comment of each function has a "Since" line: if it appears on the page, the
generator found the comment.

usage: test-reference.py REFERENCE HEADER...
"""
import html
import pathlib
import re
import sys


def main():
    pages = {}
    for page in pathlib.Path(sys.argv[1]).glob("*.html"):
        text = html.unescape(re.sub(r"<[^>]*>", " ", page.read_text(encoding="utf-8")))
        if re.match(r"(func|method|type_func|ctor)\.", page.name):
            declared = re.search(r"\b(y10_\w+)\s*\(", text)
            assert declared, f"{page.name} declares no function"
            pages[declared.group(1)] = text
    declared = []
    for header in sys.argv[2:]:
        text = pathlib.Path(header).read_text(encoding="utf-8")
        declared += re.findall(r"^Y10_API\s[^;(]*?\b(y10_\w+)\s*\(", text, re.M)
    assert len(declared) > 50, f"only {len(declared)} functions are declared"
    missing = [name for name in declared if name not in pages]
    bare = [name for name in declared if not re.search(r"since: \d", pages.get(name, "since: 0"))]
    for name in missing:
        print(f"{name} is not in the reference")
    for name in bare:
        print(f"{name} has no comment that was found")
    print(f"{len(declared)} functions, {len(missing)} missing, {len(bare)} not described")
    return 1 if missing or bare else 0


if __name__ == "__main__":
    sys.exit(main())
