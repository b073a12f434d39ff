# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Brings calls to an end, whatever happens to the nodes that they run on.

A call is idempotent, so it may have several attempts at once; the first result counts. An attempt
ends with a result, is lost with its worker or node, or gives no answer. A lost one is repeated; one
without an answer gets a second one beside it. The number of attempts and the time of each are
limited, so every call ends: at worst as a failure that names the reason."""
import collections
import time

from .tasks import Wrong

#: Attempts that are submitted for each that can run at once, so that no node waits for the driver.
QUEUE_FACTOR = 2
#: Attempts of a call that may be lost. A segment that kills its nodes must not kill all of them.
LOST_TRIES = 5
#: Attempts of a call that find their node unable to run y10 at all.
WRONG_TRIES = 3
#: Attempts of a call at the same time.
CONCURRENT = 3
#: An attempt that takes this many times as long as the longest so far gets another one beside it.
SLOW_FACTOR = 4
#: Seconds without a node that has room for a task.
NODES_WAIT = 300
POLL = 1.0


class Call:
    """function(*args); fail(*args, error) is its result if it cannot be had."""

    def __init__(self, weight, function, fail, args):
        self.weight, self.function, self.fail, self.args = weight, function, fail, args
        self.attempts = set()
        self.lost = self.wrong = 0
        self.patience = 1  # doubles with each attempt beside another
        self.result = None


class Supervisor:
    """Runs calls on an executor, which has these methods:

    slots(): the number of attempts that can run at once; submit(function, args): starts an attempt
    and returns its handle; wait(handles, seconds): a list of (handle, outcome) of those that ended,
    where an outcome is what tasks.run() returns, or ("lost", why); find_dead(handles): those whose
    node is dead; drop(handle): gives up an attempt; and the attribute repeats: whether an attempt
    beside another can help."""

    def __init__(self, executor, calls, patience, limit, bar, clock=time.monotonic):
        self.executor, self.calls, self.bar, self.clock = executor, calls, bar, clock
        self.patience, self.limit = patience, limit
        self.waiting = collections.deque(calls)
        self.attempts = {}  # (call, start) by handle
        self.left = len(calls)
        self.longest = 0.0
        self.succeeded = False
        self.progress = self.had_slots = clock()

    def run(self):
        """The results, in the order of the calls. Raises Wrong if no call can succeed."""
        while self.left:
            self.fill()
            for handle, outcome in self.executor.wait(list(self.attempts), POLL):
                if handle in self.attempts:
                    self.finish(handle, *outcome)
            self.check()
        return [call.result for call in self.calls]

    def fill(self):
        slots = self.executor.slots()
        while self.waiting and len(self.attempts) < QUEUE_FACTOR * slots:
            self.submit(self.waiting.popleft())
        if slots:
            self.had_slots = self.clock()
        elif self.clock() - self.had_slots > NODES_WAIT:
            raise Wrong(f"no node has had room for a task for {NODES_WAIT} s")

    def submit(self, call):
        handle = self.executor.submit(call.function, call.args)
        self.attempts[handle] = call, self.clock()
        call.attempts.add(handle)

    def forget(self, handle):
        call, _ = self.attempts.pop(handle)
        call.attempts.discard(handle)
        return call

    def finish(self, handle, kind, value):
        call = self.forget(handle)
        if kind == "done":
            seconds, result = value
            self.longest = max(self.longest, seconds)
            self.succeeded = True
            self.resolve(call, result)
        elif kind == "wrong":
            call.wrong += 1
            if not self.succeeded or call.wrong == WRONG_TRIES:
                raise Wrong(value)
            self.repeat(call, last=True)
        else:
            call.lost += 1
            if call.lost == LOST_TRIES:
                self.resolve(call, call.fail(*call.args, f"{value}, {call.lost} times"))
            else:
                self.repeat(call)

    def repeat(self, call, last=False):
        if not call.attempts:
            (self.waiting.append if last else self.waiting.appendleft)(call)

    def resolve(self, call, result):
        for handle in list(call.attempts):
            self.forget(handle)
            self.executor.drop(handle)
        call.result = result
        self.left -= 1
        self.progress = self.clock()
        self.bar(call.weight)

    def check(self):
        """Finds attempts that will not or may not end."""
        for handle in self.executor.find_dead(list(self.attempts)):
            self.give_up(handle, "its node died")
        now = self.clock()
        patience = max(self.patience, SLOW_FACTOR * self.longest)
        for handle, (call, start) in list(self.attempts.items()):
            if handle in self.attempts and now - start > self.limit + patience:
                self.give_up(handle, f"no answer within {self.limit + patience:.0f} s")
        # Another attempt must not take the place of work that nobody has begun, unless all is stuck.
        if self.executor.repeats and (not self.waiting or now - self.progress > patience):
            for call in {call for call, start in self.attempts.values()
                         if now - start > patience * call.patience}:
                if len(call.attempts) < CONCURRENT:
                    call.patience *= 2
                    self.submit(call)

    def give_up(self, handle, why):
        self.executor.drop(handle)
        self.finish(handle, "lost", why)
