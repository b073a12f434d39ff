#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""tools/slurm/archive.sh on Slurm's own daemons: a controller and three nodes on this machine. In the
middle of the work a task is requeued, a node is killed with what runs on it, and the y10 of another
task is killed; two of the inputs are broken. The merged output has the bytes that y10 detect prints without a cluster."""
import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from common import (N_SEGMENTS, OPTIONS, SOURCE, Y10, check_results, count_stored, find_below, find_y10,
                    free_port, make_inputs, one_machine, read, skip, until)

N_NODES, N_TASKS = 3, 10
# After a requeue, a job waits until its old credential has expired: two minutes by default.
CONFIG = """ClusterName=y10
SlurmctldHost={host}(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
SlurmUser=root
SlurmdUser=root
SlurmctldPort={port}
SlurmctldPidFile={folder}/ctld.pid
SlurmdPidFile={folder}/%n.pid
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldLogFile={folder}/ctld.log
SlurmdLogFile={folder}/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=2,bf_interval=2
SlurmdTimeout=10
KillWait=5
ReturnToService=2
JobRequeue=1
MpiDefault=none
{nodes}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def find_above(pid, name):
    """The nearest process above pid that has this name; pid if there is none."""
    above = pid
    while above > 1:
        above = int(read("/proc", str(above), "stat").rsplit(b")", 1)[1].split()[1])
        if read("/proc", str(above), "comm").strip().startswith(name):
            return above
    return pid


class Slurm:
    """munged, slurmctld and a slurmd for each node, with a configuration of their own."""

    def __init__(self, folder):
        self.folder, self.daemons = folder, {}
        host = socket.gethostname()
        port = free_port()
        nodes = "\n".join(
            f"NodeName=n{i} NodeHostname={host} NodeAddr=127.0.0.1 Port={free_port()} CPUs=1 "
            "RealMemory=500 State=UNKNOWN" for i in range(1, N_NODES + 1))
        self.env = dict(os.environ, SLURM_CONF=os.path.join(folder, "slurm.conf"))
        with open(self.env["SLURM_CONF"], "w", encoding="utf-8") as f:
            f.write(CONFIG.format(folder=folder, host=host, port=port, nodes=nodes))
        os.mkdir(os.path.join(folder, "state"))
        key = os.path.join(folder, "munge.key")
        with open(os.open(key, os.O_WRONLY | os.O_CREAT, 0o400), "wb") as f:
            f.write(os.urandom(128))
        # --force: the temporary folder may be one that others can write to.
        self.start("munge", "munged", "--foreground", "--force", f"--socket={folder}/munge.socket",
                   f"--key-file={key}", f"--pid-file={folder}/munge.pid",
                   f"--seed-file={folder}/munge.seed", f"--log-file={folder}/munge.log")
        until(lambda: os.path.exists(f"{folder}/munge.socket"), "munged")
        self.start("ctld", "slurmctld", "-D")
        for i in range(1, N_NODES + 1):
            self.start(f"n{i}", "slurmd", "-D", "-N", f"n{i}")
        until(lambda: self.run("sinfo", "-h", "-t", "idle", "-o", "%D").strip() == str(N_NODES), "three idle nodes")

    def start(self, name, *command):
        with open(os.path.join(self.folder, f"{name}.out"), "wb") as log:
            # A session of its own: jobs are killed by their process groups.
            self.daemons[name] = subprocess.Popen(command, env=self.env, stdout=log, stderr=log,
                                                  start_new_session=True)

    def run(self, *command):
        done = subprocess.run(command, env=self.env, capture_output=True, text=True, check=False)
        return done.stdout

    def find_running(self):
        """(task of the array, node) of all tasks that run, by the controller's account."""
        return [line.split() for line in
                self.run("squeue", "-h", "-t", "R", "-n", "y10-detect", "-o", "%i %N").splitlines()]

    def kill_node(self, name):
        """What a power failure does: nothing of the node is left."""
        pids = find_below(self.daemons[name].pid)
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                if f"SLURMD_NODENAME={name}\0".encode() in read("/proc", pid, "environ"):
                    # Its slurmstepd is not below slurmd.
                    pids += find_below(find_above(int(pid), b"slurmstepd"))
        # Stopped first, or slurmstepd reports the death of its child.
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)

    def stop(self):
        self.run("scancel", "--user", "root")
        time.sleep(1)
        for name in [n for n in self.daemons if n.startswith("n")]:
            self.kill_node(name)
        for daemon in self.daemons.values():
            daemon.kill()
            daemon.wait()


def find_at_work(slurm):
    """(task, node, pid of its y10) of the tasks whose y10 runs."""
    nodes = {}
    for pid in find_y10(1):
        with contextlib.suppress(OSError):
            for variable in read("/proc", str(pid), "environ").split(b"\0"):
                if variable.startswith(b"SLURMD_NODENAME="):
                    nodes[variable.split(b"=")[1].decode()] = pid
    return [(task, node, nodes[node]) for task, node in slurm.find_running() if node in nodes]


def break_work(slurm, store):
    """Requeues a task, kills a node and kills the y10 of another task, each while it works."""
    def pick(others):
        found = []
        until(lambda: found.extend(w for w in find_at_work(slurm) if not {w[0], w[1]} & others) or found,
              "a task at work")
        return found[0]

    def report(what):
        print(f"  {count_stored(store)} of {N_SEGMENTS} stored: {what}")
    until(lambda: count_stored(store) >= N_SEGMENTS // 4, "a quarter of the work")
    requeued, node, _ = pick(set())
    slurm.run("scontrol", "requeue", requeued)
    report(f"requeued task {requeued} of node {node}")
    lost, node, _ = pick({requeued, node})
    slurm.kill_node(node)
    report(f"killed node {node} with task {lost}")
    killed, node, pid = pick({requeued, lost, node})
    os.kill(pid, signal.SIGKILL)
    report(f"killed the y10 of task {killed} on node {node}")


def print_restarts(folder):
    """The attempts after the first that wrote receipts, by their names."""
    names = [name for _, _, names in os.walk(folder) for name in names]
    again = sorted(name.removesuffix(".jsonl") for name in names if not name.endswith(".0.jsonl"))
    assert len(again) >= 3, names
    print(f"  {len(names)} attempts, repeated (task.restart): {' '.join(again)}")


def measure_empty(slurm):
    """What an array of tasks that do nothing costs."""
    n = 60
    began = time.monotonic()
    slurm.run("sbatch", "--wait", f"--array=0-{n - 1}", "--output=/dev/null", "--wrap", "true")
    seconds = (time.monotonic() - began) / n
    print(f"| Slurm, an empty task of an array of {n} on {N_NODES} nodes "
          f"| {seconds * N_NODES * 1000:.0f} ms |")


def main():
    for program in ("munged", "slurmctld", "slurmd"):
        if not shutil.which(program):
            skip(f"{program} is missing: apt-get install slurm-wlm munge")
    if os.getuid():
        skip("slurmd needs root")
    if sys.argv[1:] == ["--empty"]:
        with tempfile.TemporaryDirectory() as folder:
            slurm = Slurm(folder)
            try:
                measure_empty(slurm)
            finally:
                slurm.stop()
        return
    with tempfile.TemporaryDirectory() as folder:
        inputs, broken = make_inputs(folder)
        expected = one_machine(inputs, broken)
        out = os.path.join(folder, "out")
        daemons = os.path.join(folder, "slurm")
        os.mkdir(daemons)
        slurm = None
        try:
            slurm = Slurm(daemons)
            began = time.monotonic()
            env = dict(slurm.env, PYTHONPATH=os.path.join(SOURCE, "python"), PYTHONDONTWRITEBYTECODE="1")
            submit = subprocess.Popen(
                [os.path.join(SOURCE, "tools/slurm/archive.sh"), "--tasks", str(N_TASKS), "--seconds", "1",
                 "--y10", Y10, "--python", sys.executable, "--wait", out, *inputs, "--", *OPTIONS],
                env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            break_work(slurm, os.path.join(out, "store"))
            output, errors = submit.communicate(timeout=200)
            assert submit.returncode == 1, (submit.returncode, output, errors)
            print("".join(f"  {line}\n" for line in (output + errors).splitlines()), end="")
            check_results(out, expected, broken)
            assert count_stored(os.path.join(out, "store")) == N_SEGMENTS
            print_restarts(os.path.join(out, "receipts"))
            print(f"  three nodes, two of which are left: {time.monotonic() - began:.1f} s, "
                  "the same bytes")
        except BaseException:
            for name in ("ctld.log", "ctld.out"):
                with contextlib.suppress(OSError):
                    print(read(daemons, name).decode()[-6000:])
            raise
        finally:
            if slurm:
                slurm.stop()
    print("PASS")


if __name__ == "__main__":
    main()
