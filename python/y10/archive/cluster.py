# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""An executor for a Ray cluster.

Ray starts tasks and reports most that are lost; it does not repeat them, because the supervisor
counts attempts. Ray does not report a task whose node stopped answering: the call to its worker has
no deadline, and the connection is found dead only after seven minutes. So each attempt has a marker
file that names its node, and attempts on nodes that the cluster has given up count as lost."""
import contextlib
import logging
import os
import sys
import threading
import time

from . import tasks
from .tasks import Wrong

#: Seconds between two looks at the nodes.
NODES_PERIOD = 2.0
#: Seconds that Ray has for reporting the tasks of a dead node itself.
GRACE = 5.0
#: Seconds after which a call of Ray that does not return ends the program.
SILENCE = 300.0
GET_SECONDS = 60


class Ray:
    repeats = True

    def __init__(self, address, cpus, gpus, wants_gpu, folder):
        """gpus: of a task, or None: 1 if wants_gpu and the cluster has any, else 0. folder: for
        marker files, shared by all nodes."""
        try:
            import ray
        except ImportError:
            raise Wrong("--address needs Ray: pip install 'yolov10detect[ray]'; "
                        "--local works without") from None
        self.ray, self.folder = ray, folder
        self.calling = None  # since when a call of Ray has been running
        self.numbers, self.next, self.died = {}, 0, {}
        self.checked = self.seen = -NODES_PERIOD
        threading.Thread(target=self.watch, daemon=True).start()
        os.makedirs(folder, exist_ok=True)
        # Attempts of an earlier run may still be at work.
        self.run = f"{os.getpid()}-{time.time_ns()}"
        with self.calling_ray():
            try:
                ray.init(address=address, log_to_driver=False, logging_level=logging.WARNING)
            except (ConnectionError, ValueError) as e:
                raise Wrong(f"cannot reach the Ray cluster at '{address}': {e}") from None
            # Nodes need not have this package.
            ray.cloudpickle.register_pickle_by_value(tasks)
            self.nodes = ray.nodes()
        if gpus is None:
            gpus = int(wants_gpu and any(n["Resources"].get("GPU") for n in self.nodes))
        self.need = {"CPU": cpus, "GPU": gpus}

        run_marked = tasks.run_marked

        def attempt(folder, number, function, *args):
            node = ray.get_runtime_context().get_node_id()
            return run_marked(folder, number, node, function, *args)

        self.remote = ray.remote(num_cpus=cpus, num_gpus=gpus, max_retries=0)(attempt)

    @contextlib.contextmanager
    def calling_ray(self):
        self.calling = time.monotonic()
        try:
            yield
        except self.ray.exceptions.RayError as e:
            raise Wrong(f"Ray: {e}") from None
        finally:
            self.calling = None

    def watch(self):
        """Ends the program if a call of Ray hangs, for example because the head node is frozen."""
        while True:
            time.sleep(SILENCE / 20)
            since = self.calling
            if since is not None and time.monotonic() - since > SILENCE:
                print(f"y10.archive: Ray has not answered for {SILENCE:.0f} s; the same command "
                      "again does what is missing", file=sys.stderr, flush=True)
                os._exit(2)

    def update_nodes(self):
        now = time.monotonic()
        if now - self.seen < NODES_PERIOD:
            return
        self.seen = now
        with self.calling_ray():
            self.nodes = self.ray.nodes()
        for node in self.nodes:
            if not node["Alive"]:
                self.died.setdefault(node["NodeID"], now)

    def slots(self):
        self.update_nodes()
        return sum(int(min(n["Resources"].get(kind, 0) / need
                           for kind, need in self.need.items() if need))
                   for n in self.nodes if n["Alive"])

    def submit(self, function, args):
        number = f"{self.run}-{self.next}"
        self.next += 1
        with self.calling_ray():
            handle = self.remote.remote(self.folder, number, function, *args)
        self.numbers[handle] = number
        return handle

    def wait(self, handles, seconds):
        if not handles:
            time.sleep(seconds)
            return []
        with self.calling_ray():
            ready, _ = self.ray.wait(handles, num_returns=1, timeout=seconds)
            if ready:
                ready, _ = self.ray.wait(handles, num_returns=len(handles), timeout=0)
        return [(handle, self.get(handle)) for handle in ready]

    def get(self, handle):
        number = self.numbers.pop(handle)
        with self.calling_ray():
            try:
                return self.ray.get(handle, timeout=GET_SECONDS)
            except self.ray.exceptions.RayTaskError as e:
                return "wrong", str(e)
            except self.ray.exceptions.RayError as e:
                self.unmark(number)
                return "lost", (str(e).strip() or type(e).__name__).splitlines()[0]

    def read_markers(self):
        """The nodes of running attempts, by their numbers."""
        with contextlib.suppress(OSError):
            return dict(name.rsplit(".", 1) for name in os.listdir(self.folder))
        return {}

    def unmark(self, number):
        node = self.read_markers().get(number)
        if node:
            with contextlib.suppress(OSError):
                os.unlink(os.path.join(self.folder, f"{number}.{node}"))

    def find_dead(self, handles):
        now = time.monotonic()
        if now - self.checked < NODES_PERIOD:
            return []
        self.checked = now
        self.update_nodes()
        dead = {node for node, since in self.died.items() if now - since > GRACE}
        if not dead:
            return []
        markers = self.read_markers()
        return [h for h in handles if markers.get(self.numbers[h]) in dead]

    def drop(self, handle):
        """Its worker is killed, and y10 with it, if anything can still reach it."""
        self.unmark(self.numbers.pop(handle))
        with self.calling_ray(), contextlib.suppress(self.ray.exceptions.RayError):
            self.ray.cancel(handle, force=True)

    def close(self):
        with self.calling_ray():
            self.ray.shutdown()
