# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""An executor for one machine: threads that wait for y10."""
import concurrent.futures

from . import tasks


class Local:
    #: A y10 that hangs here would hang here again.
    repeats = False

    def __init__(self, n):
        self.n = n
        self.pool = concurrent.futures.ThreadPoolExecutor(n)

    def slots(self):
        return self.n

    def submit(self, function, args):
        return self.pool.submit(tasks.run, function, *args)

    def wait(self, handles, seconds):
        done, _ = concurrent.futures.wait(
            handles, seconds, concurrent.futures.FIRST_COMPLETED)
        return [(handle, handle.result()) for handle in done]

    def find_dead(self, handles):
        return []

    def drop(self, handle):
        handle.cancel()

    def close(self):
        self.pool.shutdown(wait=False, cancel_futures=True)
