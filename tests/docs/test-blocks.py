#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Runs the shell blocks of README.md and the other documents.

usage: test-blocks.py BUILD SEEDED SHAPES.json [DOCUMENT.md…]

Every fenced block marked sh runs under bash -e, in a folder that looks like the clone and contains
the inputs that the documents mention; the blocks of a document share a folder and run in order. A
comment on the line before a block marks exceptions:

  <!-- not run: WHY -->     the block is not run, with the reason
  <!-- run with: SED -->    it runs after this edit by sed -E, which must change it
  <!-- prints: REGEX -->    its output must match
  <!-- needs: COMMAND -->   it runs only if this shell command succeeds
  <!-- file: NAME -->       in any language: the block is (the next part of) a file for later blocks

A block of C or Python needs "file" or "not run", too, and each block must name its language, so
that none is left out by accident.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
COMMENT = re.compile(r"<!-- (not run|run with|prints|needs|file): (.+) -->$")
LIST = re.compile(r"([-*+]|\d+\.) ")
MUST_RUN = {"sh", "c", "python"}
SECONDS = 200


class Block:
    def __init__(self, line, language, comments):
        self.line = line
        self.language = language
        self.lines = []
        self.edits = [value for name, value in comments if name == "run with"]
        self.needs = [value for name, value in comments if name == "needs"]
        self.prints = [value for name, value in comments if name == "prints"]
        self.not_run = next((value for name, value in comments if name == "not run"), None)
        self.file = next((value for name, value in comments if name == "file"), None)

    def text(self):
        return "\n".join(self.lines) + "\n"


def blocks_of(path):
    """The fenced blocks of a document, and the errors in their marks."""
    blocks, wrong, comments, block, before, paragraph = [], [], [], None, "", ""
    with open(path, encoding="utf-8") as document:
        lines = document.read().splitlines()
    for number, line in enumerate(lines, 1):
        fence = re.match(r"\s*```\s*(\S*)", line)
        if block:
            if fence:
                block = None
            else:
                block.lines.append(line)
            continue
        if fence:
            block = Block(number, fence[1], comments)
            blocks.append(block)
            if not block.language:
                wrong.append((number, "a block without a language; where there is none, it is text"))
        elif line.startswith("    ") and not before.strip() and not LIST.match(paragraph):
            wrong.append((number, "a block without fence; put it between ```sh and ```"))
        comment = COMMENT.match(line.strip())
        comments = comments + [comment.groups()] if comment else []
        before = line
        if line.strip() and not line.startswith(" "):
            paragraph = line
    return blocks, wrong


def edited(text, expressions):
    for expression in expressions:
        done = subprocess.run(["sed", "-E", "-e", expression], input=text, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode:
            raise ValueError(done.stderr.strip())
        if done.stdout == text:
            raise ValueError(f"'run with: {expression}' changes nothing")
        text = done.stdout
    return text


def make(description, *, to):
    subprocess.run(["gst-launch-1.0", "-q", *description.split(), "!", "filesink", f"location={to}"],
                   check=True, timeout=SECONDS, stdout=subprocess.DEVNULL)


def developer_environment(build):
    """The environment of meson devenv, in which docs/embedding.md compiles its programs. This test's
    own test has a folder that was not built."""
    if not os.path.exists(os.path.join(build, "build.ninja")):
        return dict(os.environ)
    done = subprocess.run(["meson", "devenv", "-C", build, "env", "-0"], check=True, capture_output=True,
                          text=True, errors="surrogateescape")
    return dict(entry.split("=", 1) for entry in done.stdout.split("\0") if "=" in entry)


class Folder:
    """Sets up the blocks' folder: the clone's folders, and the inputs by their names."""

    def __init__(self, build, inputs, folder):
        self.path = folder
        for name in sorted(os.listdir(ROOT)):
            if not name.startswith((".", "build")):
                os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
        os.symlink(build, os.path.join(folder, "build"))
        for name in os.listdir(inputs):
            os.symlink(os.path.join(inputs, name), os.path.join(folder, name))
        os.mkdir(os.path.join(folder, ".home"))
        self.environment = {
            **developer_environment(build), "HOME": os.path.join(folder, ".home"), "Y10_BUILD": build,
            "GST_PLUGIN_PATH": os.path.join(build, "gst"),
            "PATH": os.path.join(build, "tools") + os.pathsep + os.environ["PATH"],
            # Makes autovideosink use fakevideosink, which needs no display.
            "GST_PLUGIN_FEATURE_RANK": "fakevideosink:MAX",
        }

    def run(self, block):
        """Runs a block; returns the error, or None."""
        if block.file:
            with open(os.path.join(self.path, block.file), "a", encoding="utf-8") as file:
                file.write(block.text())
            return None
        try:
            text = edited(block.text(), block.edits)
            done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", text], cwd=self.path,
                                  env=self.environment, stdin=subprocess.DEVNULL, text=True,
                                  errors="replace", stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=SECONDS, check=False)
        except (ValueError, subprocess.TimeoutExpired) as error:
            return str(error)
        if done.returncode:
            return f"exit status {done.returncode}\n{done.stdout[-3000:]}"
        for expression in block.prints:
            if not re.search(expression, done.stdout, re.M):
                return f"it does not print '{expression}' but\n{done.stdout[-3000:]}"
        return None


def check(document, build, inputs):
    """Runs a document's blocks; returns (ran, wrong)."""
    name = os.path.relpath(document, ROOT)
    blocks, mistakes = blocks_of(document)
    ran, wrong = 0, len(mistakes)
    for line, mistake in mistakes:
        print(f"{name}:{line}: FAIL: {mistake}")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Folder(build, inputs, scratch)
        for block in blocks:
            where = f"{name}:{block.line}"
            if block.not_run:
                print(f"{where}: not run: {block.not_run}")
                continue
            if block.language not in MUST_RUN and not block.file:
                continue
            lacking = [need for need in block.needs if subprocess.run(
                ["bash", "-c", need], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                check=False).returncode]
            if lacking:
                print(f"{where}: not run: here this fails: {lacking[0]}")
                continue
            started = time.monotonic()
            if block.language != "sh" and not block.file:
                failure = "a comment has to say which file it is, or why it is not run"
            else:
                failure = folder.run(block)
            if failure:
                wrong += 1
                print(f"{where}: FAIL: {failure}")
            elif not block.file:
                ran += 1
                print(f"{where}: ran ({time.monotonic() - started:.1f} s)", flush=True)
    return ran, wrong


def make_inputs(folder, seeded, shapes):
    """Makes the files that the documents name: a scene of codes, and seeded weights."""
    codes = os.path.join(ROOT, "pipelines/codes.png")
    video = (f"filesrc location={codes} ! pngdec ! imagefreeze num-buffers=10 "
             "! video/x-raw,framerate=10/1 ! videoconvert ! x264enc ! mp4mux")
    os.symlink(codes, os.path.join(folder, "codes.png"))
    make(f"filesrc location={codes} ! pngdec ! videoconvert ! jpegenc quality=95",
         to=os.path.join(folder, "bus.jpg"))
    for name in ("street.mp4", "video.mp4"):
        make(video, to=os.path.join(folder, name))
    unnamed, model = (os.path.join(folder, name) for name in ("unnamed", "yolov10n.safetensors"))
    subprocess.run([seeded, shapes, unnamed], check=True)
    subprocess.run([os.path.join(ROOT, "models/name_classes.py"), unnamed,
                    os.path.join(ROOT, "models/coco.names"), model], check=True,
                   stdout=subprocess.DEVNULL)
    os.unlink(unnamed)


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    build, seeded, shapes, *documents = [os.path.abspath(path) for path in sys.argv[1:]]
    documents = documents or sorted(
        [os.path.join(ROOT, name) for name in ("README.md", "CONTRIBUTING.md", "models/README.md")]
        + glob.glob(os.path.join(ROOT, "docs/**/*.md"), recursive=True))
    ran = wrong = 0
    with tempfile.TemporaryDirectory() as inputs:
        os.environ["GST_REGISTRY"] = os.path.join(inputs, ".registry")
        make_inputs(inputs, seeded, shapes)
        for document in documents:
            more = check(document, build, inputs)
            ran, wrong = ran + more[0], wrong + more[1]
    print(f"{ran} blocks of {len(documents)} documents ran, {wrong} failed")
    return 1 if wrong or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
