# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""The files of an archive's folder: one driver at a time writes them, each of them whole."""
import contextlib
import errno
import fcntl
import os
import socket

from .tasks import Wrong

#: What flock() fails with where a file system has no locks.
NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)


def tmp_name(path):
    """A name beside path that no other process uses."""
    return f"{path}.{socket.gethostname()}.{os.getpid()}.tmp"


@contextlib.contextmanager
def replacing(path, **options):
    """A file to write that replaces path at once when the block ends without an exception."""
    tmp = tmp_name(path)
    try:
        with open(tmp, "w", encoding="utf-8", **options) as f:
            yield f
            f.flush()
            os.fsync(f.fileno())
        os.replace(tmp, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(tmp)
        raise


def write_whole(path, lines):
    """Replaces a file at once."""
    with replacing(path, errors="surrogateescape") as f:
        f.writelines(line + "\n" for line in lines)


@contextlib.contextmanager
def locked(folder):
    """Holds the folder for this process, or raises Wrong if another one holds it. The lock goes with
    the process, and also works across machines on network file systems that have locks."""
    path = os.path.join(folder, "lock")
    with open(path, "a+", encoding="utf-8", errors="replace") as f:
        try:
            fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as e:
            if e.errno not in NO_LOCKS:
                f.seek(0)
                owner = f.read(200).strip() or "another process"
                raise Wrong(f"{folder} is in use by {owner}; it can be written by one at a time") \
                    from None
        f.truncate(0)
        f.write(f"process {os.getpid()} on {socket.gethostname()}\n")
        f.flush()
        yield
