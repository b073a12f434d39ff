#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Installs a build and records which files it installed.

usage: installed.py show BUILD NAME      prefix, libdir, version, or the installed
                                         files of that name
       installed.py before BUILD FILE    saves in FILE the files of an earlier installation
                                         of BUILD, according to Meson's log
       installed.py install BUILD FILE   installs BUILD, then deletes files listed in the
                                         manifest or FILE that are not part of it
       installed.py uninstall BUILD      deletes the files listed in the manifest or, without
                                         one, in Meson's log

The manifest is PREFIX/share/y10/manifest: a line for each file (its sha256 and path), symbolic
link (its target and path) and folder that the installation created. Paths in it do not include
$DESTDIR. A file that has changed since its installation is not ours any more and stays; a folder
is deleted if it is empty. With a Python module goes what Python cached of it. tools/setup.sh runs
this script, as root.
"""
import glob
import hashlib
import json
import os
import subprocess
import sys

HEADER = "# Installed by tools/setup.sh --install of yolov10detect; --uninstall deletes it.\n"
DESTDIR = os.environ.get("DESTDIR", "").rstrip("/")


def fail(text):
    sys.exit(f"setup: {text}")


def say(text):
    print(f"setup: {text}", flush=True)


def introspect(build, name):
    try:
        with open(os.path.join(build, "meson-info", f"intro-{name}.json"), encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return None


def option(build, name):
    """Returns the value of a built-in option; without a build, the prefix is Meson's default."""
    for entry in introspect(build, "buildoptions") or []:
        if entry["name"] == name:
            return entry["value"]
    return {"prefix": "/usr/local"}.get(name, "")


def data_dir(build):
    return os.path.join(option(build, "prefix"), option(build, "datadir") or "share", "y10")


def planned(build):
    """The paths that Meson would install to. The links of a library come as names only, in the
    releases of Meson that list them, with the path that they go to."""
    return set((introspect(build, "installed") or {}).values())


def logged(build):
    """The paths in Meson's log of the last installation, with $DESTDIR; created folders last."""
    try:
        with open(os.path.join(build, "meson-logs/install-log.txt"), encoding="utf-8",
                  errors="surrogateescape") as file:
            return [line.rstrip("\n") for line in file if line.startswith("/")]
    except FileNotFoundError:
        return []


class Entry:
    """A path without $DESTDIR, and its expected contents: the sha256 of a file, the target of a
    link, nothing if an older log has neither, or a folder."""

    def __init__(self, kind, value, path):
        self.kind, self.value, self.path = kind, value, path

    @classmethod
    def of(cls, path):
        real = DESTDIR + path
        if os.path.islink(real):
            return cls("link", os.readlink(real), path)
        if not os.path.isfile(real):
            return cls("dir" if os.path.isdir(real) else "something else", "-", path)
        with open(real, "rb") as file:
            return cls("file", hashlib.sha256(file.read()).hexdigest(), path)

    def delete(self):
        """Returns True if it deleted the path, None if it was gone, else why the path stays."""
        real = DESTDIR + self.path
        if not os.path.lexists(real):
            return None
        if self.kind == "dir":
            if os.path.islink(real) or not os.path.isdir(real) or os.listdir(real):
                return "it is not empty"
            os.rmdir(real)
            return True
        found = Entry.of(self.path)
        if found.kind != self.kind or (self.value != "-" and found.value != self.value):
            return "it has changed since it was installed"
        os.unlink(real)
        if real.endswith(".py"):
            delete_compiled(real)
        return True


def delete_compiled(module):
    """Deletes what Python cached of a module, and the folder for that if it is empty then."""
    folder, name = os.path.split(module)
    folder = os.path.join(folder, "__pycache__")
    for path in glob.glob(os.path.join(glob.escape(folder), glob.escape(name[:-3]) + ".*.pyc")):
        os.unlink(path)
    if os.path.isdir(folder) and not os.listdir(folder):
        os.rmdir(folder)


def read_manifest(path):
    entries = []
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            for line in file:
                if line.startswith("#") or not line.strip():
                    continue
                words = line.rstrip("\n").split(" ", 2)
                if len(words) != 3 or words[0] not in ("file", "link", "dir") or words[2][0] != "/":
                    fail(f"{path}: '{line.strip()}' is no line of a manifest; expected a file, link "
                         "or dir with its path")
                entries.append(Entry(*words))
    except FileNotFoundError:
        return None
    return entries


def write_manifest(path, entries):
    new = path + ".new"
    with open(new, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(HEADER)
        file.writelines(f"{e.kind} {e.value} {e.path}\n" for e in entries)
    os.chmod(new, 0o644)
    os.replace(new, path)


def delete_files(entries):
    """Returns (number of deleted files and links, those that stayed, with the reason)."""
    deleted, stayed = 0, []
    for entry in entries:
        reason = None if entry.kind == "dir" else entry.delete()
        if reason is True:
            deleted += 1
        elif reason:
            stayed.append((entry, reason))
    return deleted, stayed


def delete_folders(entries):
    """Deletes the innermost folders first; returns those that stayed, with the reason."""
    stayed = []
    for entry in sorted(entries, key=lambda e: e.path.count("/"), reverse=True):
        reason = entry.delete() if entry.kind == "dir" else None
        if isinstance(reason, str):
            stayed.append((entry, reason))
    return stayed


def log_entries(build):
    """The files of an installation without a manifest. Only paths that are also in the build's
    plan: a log of an installation below some $DESTDIR has others."""
    log = logged(build)
    plan = planned(build)
    files = [path for path in log if path in plan and os.path.lexists(path)
             and (os.path.islink(path) or not os.path.isdir(path))]
    # This release of Meson does not list links in the plan; they are beside their targets.
    files += [path for path in log if path not in plan and os.path.islink(path)
              and os.path.join(os.path.dirname(path), os.readlink(path)) in files]
    # Folders that Meson made, above those.
    folders = [path for path in log if path not in files and os.path.isdir(path)
               and any(file.startswith(path + "/") for file in files)]
    return ([Entry("link" if os.path.islink(p) else "file", "-", p) for p in files]
            + [Entry("dir", "-", p) for p in folders])


def write_old(build, path):
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
        if not DESTDIR:
            file.writelines(f"{e.kind} {e.value} {e.path}\n" for e in log_entries(build))


def install(build, old_file):
    manifest = os.path.join(data_dir(build), "manifest")
    old = (read_manifest(DESTDIR + manifest) or []) + (read_manifest(old_file) or [])
    done = subprocess.run(["meson", "install", "-C", build, "--no-rebuild"], check=False, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        sys.stderr.write("".join(done.stdout.splitlines(keepends=True)[-40:]))
        fail("meson install failed; its output is above")
    # Meson's log also lists the folders that it created, including those above $DESTDIR.
    paths = [path[len(DESTDIR):] for path in logged(build) if path.startswith(DESTDIR + "/")]
    entries = [Entry.of(path) for path in dict.fromkeys(paths)]
    have = {entry.path for entry in entries}
    # The newest entry of a path counts. Folders that an earlier installation created stay ours.
    gone = list({e.path: e for e in reversed(old) if e.path not in have}.values())
    deleted, stayed = delete_files(gone)
    if deleted:
        say(f"deleted {deleted} files of an earlier installation that this one does not have")
    for entry, reason in stayed:
        say(f"left {DESTDIR}{entry.path} of an earlier installation: {reason}")
    delete_folders(gone)
    entries += [e for e in gone if e.kind == "dir" and os.path.isdir(DESTDIR + e.path)]
    for entry in entries:
        # A newer file makes GStreamer retry a plugin that it could not load.
        if os.path.basename(entry.path) == "libgstyolov10.so":
            os.utime(DESTDIR + entry.path)
    write_manifest(DESTDIR + manifest, entries)
    # Meson overwrites its log each time, also when it does not run as root.
    owner = os.stat(build)
    os.chown(os.path.join(build, "meson-logs/install-log.txt"), owner.st_uid, owner.st_gid)


def uninstall(build):
    manifest = os.path.join(data_dir(build), "manifest")
    entries = read_manifest(DESTDIR + manifest)
    listed = entries is not None
    if not listed:
        entries = [] if DESTDIR else log_entries(build)
        if not entries:
            fail(f"nothing to uninstall: there is no {DESTDIR}{manifest}")
        say(f"there is no {manifest}; going by {os.path.join(build, 'meson-logs/install-log.txt')}")
    deleted, stayed = delete_files(entries)
    if listed:
        if stayed:
            write_manifest(DESTDIR + manifest, [entry for entry, _ in stayed]
                           + [entry for entry in entries if entry.kind == "dir"])
        else:
            os.unlink(DESTDIR + manifest)
    folders = delete_folders(entries)
    say(f"deleted {deleted} files")
    # Do not report folders that contain files already reported, or the manifest.
    mine = [entry.path for entry, _ in stayed] + [manifest] * bool(stayed)
    for entry, reason in stayed + [(folder, reason) for folder, reason in folders
                                   if not any(path.startswith(folder.path + "/") for path in mine)]:
        say(f"left {DESTDIR}{entry.path}: {reason}")


def show(build, name):
    if name == "version":
        print(introspect(build, "projectinfo")["version"])
    elif name in ("prefix", "libdir"):
        print(option(build, name))
    else:
        for path in planned(build):
            if os.path.basename(path) == name:
                print(path)


def main():
    verbs = {"show": show, "before": write_old, "install": install, "uninstall": uninstall}
    if len(sys.argv) < 3 or sys.argv[1] not in verbs:
        sys.exit(__doc__)
    try:
        verbs[sys.argv[1]](*sys.argv[2:])
    except OSError as error:
        fail(str(error))


if __name__ == "__main__":
    main()
