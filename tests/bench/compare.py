#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Compares a YOLOv10 in y10, OpenVINO, ONNX Runtime, MNN and ncnn on this machine.

Every contender runs the whole network at batch 1, from the letterboxed tensor to 300 rows, in a
separate process, with the same CPUs and the same number of threads; only ncnn, which cannot select
the 300 best, ends before that. The processes take turns, so that changes of the machine's speed
affect all. The tables have the times of a run, the time from opening the file to the first result,
and the most memory that the process had; for all but y10 that includes Python and NumPy.

Before each run the script measures the latency between the CPUs: a virtual machine may move them to
two dies of a processor, which changes the figures, so runs of the two kinds are never mixed. A run
counts as on one die if the latency is below 100 ns both before and after it.

The script installs the others from PyPI once, into a virtual environment; one that cannot be
installed or does not take the network is left out.

  tests/bench/compare.py --model yolov10n.safetensors --onnx yolov10n.onnx

The ONNX file is the same network, exported with its top-300 selection (output 1 x 300 x 6). int8 is
measured if there are weights for it, OpenVINO's made here by NNCF from --pictures, ours given by
--int8; --instances adds the average precision of both on these pictures.
"""
import argparse
import copy
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

from contenders import p95

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TWO_DIES_NS = 100
PACKAGES = ["numpy", "onnxruntime", "openvino"]
# What only some comparisons need; whatever is missing is left out.
MORE_PACKAGES = {"mnn": ["MNN"], "ncnn": ["ncnn", "onnx"], "nncf": ["nncf", "pillow"]}
NAMES = {"y10": "yolov10detect", "openvino": "OpenVINO", "ort": "ONNX Runtime", "mnn": "MNN",
         "ncnn": "ncnn"}
# What y10's instruction sets are called in oneDNN, which OpenVINO contains.
ISAS = {"c": None, "sse41": None, "avx2": "AVX2", "avx_vnni": "AVX2_VNNI", "avx512": "AVX512_CORE",
        "avx512_vnni": "AVX512_CORE_VNNI", "avx512_bf16": "AVX512_CORE_BF16",
        "amx_bf16": "AVX512_CORE_AMX"}    # which has AMX's products of int8 as well
BF16_ISAS = (None, "avx512_bf16", "amx_bf16")
CONTENDERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "contenders.py")
COCO = os.path.join(ROOT, "tests", "gpu", "coco.py")
# Environment variables that would change the conditions of one contender only.
UNSET = ("OMP_", "GOMP_", "KMP_", "DNNL_", "ONEDNN_", "OV_", "ORT_", "Y10_", "MALLOC_", "LD_PRELOAD")


def say(text):
    print(text, file=sys.stderr, flush=True)


def die(text):
    sys.exit(f"{os.path.basename(sys.argv[0])}: {text}")


class CannotInstall(Exception):
    """ONNX Runtime and OpenVINO are not here and cannot be installed."""


# --- the machine ----------------------------------------------------------------------------------

def physical_cores(allowed):
    """One CPU of each core, beginning with those that share a last-level cache with the first."""
    def read(cpu, name):
        try:
            with open(f"/sys/devices/system/cpu/cpu{cpu}/{name}", encoding="ascii") as f:
                return f.read().strip()
        except OSError:
            return str(cpu) if "siblings" in name else ""
    seen, cores = set(), []
    for cpu in allowed:
        siblings = read(cpu, "topology/thread_siblings_list")
        if siblings not in seen:
            seen.add(siblings)
            cores.append(cpu)
    cache = "cache/index3/shared_cpu_list"
    return sorted(cores, key=lambda cpu: read(cpu, cache) != read(cores[0], cache))


def cpu_flags():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as f:
            for line in f:
                if line.startswith("flags"):
                    return line.split()
    except OSError:
        pass
    return []


def has_bf16(isa=None):
    """Whether this CPU has it, with instructions limited to @isa."""
    return bool({"avx512_bf16", "amx_bf16"} & set(cpu_flags())) and isa in BF16_ISAS


def cpu_name():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as f:
            return next(line.split(":", 1)[1].strip() for line in f if line.startswith("model name"))
    except (OSError, StopIteration):
        return os.uname().machine


def install(python, packages, *options):
    """Raises CannotInstall, for instance without a network."""
    say(f"installing {', '.join(packages)} with {python}")
    pip = subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                          "--retries", "2", "--timeout", "30", *options, *packages], text=True,
                         capture_output=True)
    if pip.returncode:
        raise CannotInstall(f"pip cannot install {', '.join(packages)}:\n{pip.stderr}")


def can_import(python, packages):
    names = ", ".join({"pillow": "PIL"}.get(p, p) for p in packages)
    return subprocess.run([python, "-c", f"import {names}"], capture_output=True).returncode == 0


def can_find(python, package):
    code = f"from importlib import util; exit(not util.find_spec('{package}'))"
    return subprocess.run([python, "-c", code], capture_output=True).returncode == 0


def make_environment(path):
    """Creates a virtual environment with the peers once; returns its interpreter.

    Raises CannotInstall, for instance without a network."""
    python = os.path.join(path, "bin", "python")
    if os.path.exists(python) and can_import(python, PACKAGES):
        return python
    shutil.rmtree(path, ignore_errors=True)
    made = subprocess.run([sys.executable, "-m", "venv", path], capture_output=True, text=True)
    if made.returncode:
        raise CannotInstall("cannot make a virtual environment (Debian: python3-venv): "
                            f"{made.stdout}{made.stderr}")
    install(python, PACKAGES)
    return python


def have_more(python, what):
    """Whether MORE_PACKAGES[what] are there, or can be installed."""
    try:
        if not can_import(python, MORE_PACKAGES[what]):
            install(python, MORE_PACKAGES[what])
        # Its program converts ONNX alone; its Python package would bring PyTorch.
        if what == "ncnn" and not can_find(python, "pnnx"):
            install(python, ["pnnx"], "--no-deps")
    except CannotInstall as why:
        say(f"{NAMES.get(what, what)} is left out: {why}")
        return False
    return True


def write_picture(path, size):
    """A fixed scene of discs, bars and noise: flat colour would give the head no work."""
    width, height = size
    data = bytearray()
    state = 1
    for y in range(height):
        for x in range(width):
            state = (state * 1103515245 + 12345) & 0x7FFFFFFF
            noise = state >> 26
            value = (x * 160 // width + noise, y * 160 // height + noise, 90 + noise)
            dx, dy = x % 160 - 80, y % 160 - 80
            if dx * dx + dy * dy < 2500:
                value = (220 - noise, 40 + 60 * (x // 160 % 3), 30 + noise)
            elif abs(dx) > 70:
                value = (30 + noise, 30 + noise, 35)
            data += bytes(value)
    with open(path, "wb") as f:
        f.write(b"P6\n%d %d\n255\n" % (width, height) + data)


class Machine:
    def __init__(self, args):
        self.args = args
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(UNSET)}
        self.peak_mib = 0
        if args.isa:
            self.env["Y10_MAX_CPU_ISA"] = args.isa
            if ISAS[args.isa]:
                self.env["ONEDNN_MAX_CPU_ISA"] = ISAS[args.isa]
        allowed = sorted(os.sched_getaffinity(0))
        self.cpus = physical_cores(allowed)
        if args.cpus:
            self.cpus = [int(c) for c in args.cpus.split(",")]
            if not set(self.cpus) <= set(allowed):
                die(f"--cpus {args.cpus}: this process may use {','.join(map(str, allowed))}")

    def latency(self):
        """Nanoseconds between the first two CPUs; None if there is only one."""
        tool = os.path.join(self.args.build, "tests", "bench", "core-latency")
        if len(self.cpus) < 2:
            return None
        out = subprocess.run([tool, str(self.cpus[0]), str(self.cpus[1])], capture_output=True,
                             text=True, check=True).stdout
        return int(out.split()[0])

    def run(self, command, threads):
        """Returns what the command prints; its greatest memory is in peak_mib afterwards."""
        cpus = set(self.cpus[:threads])
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors, subprocess.Popen(
                command, stdout=out, stderr=errors, env=self.env,
                preexec_fn=lambda: os.sched_setaffinity(0, cpus)) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            errors.seek(0)
            if process.returncode:
                die(f"{' '.join(command)}\nfailed with {process.returncode}:\n"
                    f"{errors.read().decode(errors='replace')[-3000:]}")
            self.peak_mib = usage.ru_maxrss / 1024
            return out.read().decode()


class Contest:
    """One network on one machine."""

    def __init__(self, args, machine, python, picture, size):
        self.args, self.machine, self.python = args, machine, python
        self.picture, self.size = picture, size
        self.nets = {}                   # what prepare() made, by contender and precision

    def prepare(self, contender, precision, directory):
        """Converts the network for a contender; returns whether that succeeded."""
        task = {"contender": contender, "onnx": self.args.onnx, "size": self.size,
                "target": os.path.join(directory, f"{len(os.listdir(directory))}-{contender}"),
                "pictures": pictures_of(self.args) if precision == "int8" else []}
        say(f"preparing {NAMES[contender]} {precision}")
        done = subprocess.run([self.python, CONTENDERS, "prepare", json.dumps(task)],
                              capture_output=True, text=True, env=self.machine.env)
        if done.returncode:
            say(f"{NAMES[contender]} {precision} is left out: {(done.stderr or done.stdout)[-500:]}")
            return False
        self.nets[contender, precision] = json.loads(done.stdout.splitlines()[-1])
        return True

    def task(self, contender, precision, threads):
        # A converted network serves fp32 and bf16 alike.
        net = self.nets.get((contender, precision)) or self.nets.get((contender, "fp32"))
        return {"contender": contender, "precision": precision, "threads": threads, "size": self.size,
                "net": net or self.args.onnx, "picture": self.picture, "seconds": self.args.seconds}

    def model_of(self, precision):
        return self.args.int8 if precision == "int8" else self.args.model

    def measure(self, contender, precision, threads):
        args = self.args
        if contender == "y10":
            out = json.loads(self.machine.run(
                [args.y10, "bench", "--model", self.model_of(precision), "--backend", "cpu",
                 "--precision", precision, "--size", "%dx%d" % self.size, "--threads", str(threads),
                 "--seconds", str(args.seconds), "--json"], threads))
            result = {k: out[k] for k in ("median_ms", "p95_ms", "min_ms", "steps", "precision", "device")}
            result.update(first_ms=out["first_result_ms"], instructions=out["device"].split(", ")[2])
        else:
            # Some libraries print something first.
            result = json.loads(self.machine.run(
                [self.python, CONTENDERS, "measure",
                 json.dumps(self.task(contender, precision, threads))], threads).splitlines()[-1])
        result["peak_mib"] = self.machine.peak_mib
        return result

    def average_precision(self, contender, precision, directory):
        """On the pictures of --instances."""
        path, pictures = os.path.join(directory, "rows.jsonl"), pictures_of(self.args)
        threads = len(self.machine.cpus)
        if contender == "y10":
            out = self.machine.run(
                [self.args.y10, "detect", "--model", self.model_of(precision), "--backend", "cpu",
                 "--precision", precision, "--size", "%dx%d" % self.size, "--confidence", "0.001",
                 *pictures], threads)
        else:
            task = dict(self.task(contender, precision, threads), pictures=pictures)
            out = self.machine.run([self.python, CONTENDERS, "rows", json.dumps(task)], threads)
        with open(path, "w", encoding="utf-8") as f:
            f.write(out)
        return float(self.machine.run([sys.executable, COCO, self.args.instances, path], 1).split()[1])

    def rows(self, contender, precision, threads):
        """A contender's rows for the picture, [(x0, y0, x1, y1, score, class)], best first."""
        if contender != "y10":
            return [tuple(r) for r in self.measure_once(contender, precision, threads)["rows"]]
        line = json.loads(self.machine.run(
            [self.args.y10, "detect", "--model", self.model_of(precision), "--backend", "cpu", "--precision",
             precision, "--size", "%dx%d" % self.size, "--threads", str(threads), "--confidence",
             "0.001", self.picture], threads))
        w, h = self.size
        rows = []
        for obj in line["objects"]:
            d, b = obj["detection"], obj["detection"]["bounding_box"]
            rows.append((b["x_min"] * w, b["y_min"] * h, b["x_max"] * w, b["y_max"] * h,
                         d["confidence"], d["label_id"]))
        return rows

    def measure_once(self, contender, precision, threads):
        seconds, self.args.seconds = self.args.seconds, 0
        try:
            return self.measure(contender, precision, threads)
        finally:
            self.args.seconds = seconds

    def check_same(self, contenders, precision, threads):
        """Compares the best rows of all contenders with ours: {contender: (rows, score, px)}."""
        w, h = self.size
        found = {c: [(min(max(r[0], 0), w), min(max(r[1], 0), h), min(max(r[2], 0), w),
                      min(max(r[3], 0), h), r[4], int(r[5])) for r in self.rows(c, precision, threads)]
                 for c in contenders}
        ours = found.pop("y10")
        result = {}
        for contender, theirs in found.items():
            floor = max(0.05, sorted((r[4] for r in theirs), reverse=True)[10:11][0])
            best = [r for r in theirs if r[4] > floor] or theirs[:3]
            worst_score = worst_px = 0.0
            for r in best:
                same = [m for m in ours if m[5] == r[5]] or [(1e9, 1e9, 1e9, 1e9, 1.0, 0)]
                near = min(same, key=lambda m: max(abs(a - b) for a, b in zip(m[:4], r[:4]))
                           + 100 * abs(m[4] - r[4]))
                worst_score = max(worst_score, abs(near[4] - r[4]))
                worst_px = max(worst_px, max(abs(a - b) for a, b in zip(near[:4], r[:4])))
            result[contender] = (len(best), worst_score, worst_px)
        return result

    def verify(self, name, contenders, precision, threads):
        """As check_same(); ends the program if the contenders run different networks."""
        same = self.check_same(contenders, precision, threads)
        for contender, (n, score, px) in same.items():
            say("%-16s same picture: %d best rows of %s differ by %.2g in score, %.2g px"
                % (name, n, NAMES[contender], score, px))
            if precision == "fp32" and (score > 0.01 or px > 1):
                die(f"{NAMES[contender]} and y10 do not find the same: are {self.args.model} and "
                    f"{self.args.onnx} the same network?")
        return same

    def play(self, setting):
        """All runs of one setting, contenders taking turns, the first one rotating."""
        name, threads, contenders = setting
        runs = []
        before = self.machine.latency()
        for turn in range(self.args.runs):
            k = turn % len(contenders)
            for contender, precision in contenders[k:] + contenders[:k]:
                result = self.measure(contender, precision, threads)
                after = self.machine.latency()
                result.pop("rows", None)
                result.update(contender=contender, round=turn, latency_ns=[before, after],
                              one_die=threads == 1 or None in (before, after)
                              or max(before, after) < TWO_DIES_NS)
                runs.append(result)
                say("%-16s core to core %s ns  round %d  %-14s median %7.3f  p95 %7.3f  min %7.3f ms  "
                    "first %4.0f ms  %4.0f MiB"
                    % (name, before, turn + 1, NAMES[contender], result["median_ms"],
                       result["p95_ms"], result["min_ms"], result["first_ms"], result["peak_mib"]))
                before = after
        return runs


def summarize(runs):
    """{contender: figures} over the runs given; the medians of each kind of figure, the least minimum."""
    table = {}
    for contender in NAMES:
        mine = [r for r in runs if r["contender"] == contender]
        if mine:
            table[contender] = {
                "runs": len(mine), "precision": mine[0]["precision"],
                "median_ms": statistics.median(r["median_ms"] for r in mine),
                "p95_ms": statistics.median(r["p95_ms"] for r in mine),
                "min_ms": min(r["min_ms"] for r in mine),
                "first_ms": statistics.median(r["first_ms"] for r in mine),
                "peak_mib": statistics.median(r["peak_mib"] for r in mine),
                "instructions": mine[0].get("instructions") or "not known",
                "spread_ms": [min(r["median_ms"] for r in mine), max(r["median_ms"] for r in mine)]}
    return table


def speed_up(table):
    """Our speed relative to the best peer's; None if either has no run of this kind."""
    peers = [t["median_ms"] for c, t in table.items() if c != "y10"]
    if "y10" not in table or not peers:
        return None
    return min(peers) / table["y10"]["median_ms"]


def print_table(name, where, table, versions):
    print(f"\n{name}{where}; {cpu_name()}")
    print("  %-26s %-9s %-12s %4s %9s %9s %9s %8s %8s   %-17s" % (
        "", "precision", "instructions", "runs", "median", "p95", "min", "first", "MiB",
        "medians from - to"))
    for contender, t in sorted(table.items(), key=lambda item: item[1]["median_ms"]):
        print("  %-26s %-9s %-12s %4d %9.3f %9.3f %9.3f %8.0f %8.0f   %.3f - %.3f" % (
            f"{NAMES[contender]} {versions.get(contender, '')}", t["precision"], t["instructions"],
            t["runs"], t["median_ms"], t["p95_ms"], t["min_ms"], t["first_ms"], t["peak_mib"],
            *t["spread_ms"]))
    ratio = speed_up(table)
    if ratio is not None:
        print("  yolov10detect is %.3f times as fast as the best of the others" % ratio)


def make_parser(doc):
    """A parser that has the options that busy.py needs, too; finish with check_arguments()."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    parser = argparse.ArgumentParser(description=doc.split("\n")[0], epilog=doc.split("\n", 1)[1],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, help="weights for y10 (safetensors)")
    parser.add_argument("--onnx", required=True, help="the same network for the others")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), help="build directory (build)")
    parser.add_argument("--y10", help="the y10 to run (BUILD/tools/y10)")
    parser.add_argument("--env", default=os.path.join(cache, "yolov10detect", "compare"),
                        help="where the others are installed (%(default)s)")
    parser.add_argument("--size", default="640", help="network input, N or WxH (640)")
    parser.add_argument("--threads", type=int, default=2, help="threads of the settings with several (2)")
    parser.add_argument("--seconds", type=float, default=3, help="time measured in each process (3)")
    parser.add_argument("--cpus", help="CPUs to run on, such as 0,1 (one a core)")
    parser.add_argument("--isa", choices=ISAS, help="the most instructions to use (all of the CPU's)")
    parser.add_argument("--json", action="store_true", help="print everything measured as JSON")
    parser.set_defaults(int8=None)
    return parser


def check_arguments(parser):
    args = parser.parse_args()
    args.build = os.path.abspath(args.build)
    args.y10 = os.path.abspath(args.y10 or os.path.join(args.build, "tools", "y10"))
    args.model, args.onnx = os.path.abspath(args.model), os.path.abspath(args.onnx)
    for path in (args.model, args.onnx):
        if not os.path.isfile(path):
            parser.error(f"there is no file {path}")
    if not os.access(args.y10, os.X_OK):
        parser.error(f"there is no {args.y10}: run tools/setup.sh --tests first")
    width, _, height = args.size.partition("x")
    args.size = (int(width), int(height or width))
    return args


def pictures_of(args):
    return sorted(e.path for e in os.scandir(args.pictures)
                  if e.name.lower().endswith((".jpg", ".jpeg", ".png")))


def parse_arguments():
    parser = make_parser(__doc__)
    parser.add_argument("--runs", type=int, default=5, help="processes of each contender (5)")
    parser.add_argument("--only", default="", help="only settings whose name holds this")
    parser.add_argument("--contenders", default=",".join(NAMES), help="(%(default)s)")
    parser.add_argument("--also", nargs=2, action="append", default=[], metavar=("MODEL", "ONNX"),
                        help="another network, such as yolov10s")
    parser.add_argument("--int8", help="weights of the first network that y10 quantize made")
    parser.add_argument("--pictures", help="a folder of pictures that NNCF quantizes with")
    parser.add_argument("--instances", help="COCO's annotations of exactly these pictures, for the AP")
    args = check_arguments(parser)
    args.contenders = [c for c in args.contenders.split(",") if c]
    if args.runs < 1:
        parser.error("--runs is at least 1")
    if not set(args.contenders) <= set(NAMES):
        parser.error(f"--contenders: expected some of {','.join(NAMES)}")
    for path in [args.int8, args.instances, *sum(args.also, [])]:
        if path and not os.path.isfile(path):
            parser.error(f"there is no file {path}")
    if args.pictures and not os.path.isdir(args.pictures):
        parser.error(f"there is no folder {args.pictures}")
    if args.instances and not args.pictures:
        parser.error("--instances needs --pictures")
    return args


def available(args, python):
    """The contenders that can be measured here."""
    names = [c for c in args.contenders if c not in MORE_PACKAGES or have_more(python, c)]
    if args.isa:
        # These use whatever the CPU has.
        say("ONNX Runtime, MNN and ncnn are left out: their instructions cannot be limited")
        names = [c for c in names if c == "y10" or c == "openvino" and ISAS[args.isa]]
    if not has_bf16():
        say("this CPU has no bf16: that setting is left out")
    return names


def settings(args, n_cpus, names, has_int8):
    """[(name, threads, [(contender, precision)])]; has_int8: the contenders with such weights."""
    several = min(args.threads, n_cpus)
    chosen = []
    for threads in sorted({1, several}, reverse=True):
        with_threads = f"{threads} thread{'s' * (threads > 1)}"
        chosen.append((f"fp32, {with_threads}", threads, [(c, "fp32") for c in names]))
        if has_int8:
            chosen.append((f"int8, {with_threads}", threads, [(c, "int8") for c in names if c in has_int8]))
    if has_bf16(args.isa):
        peers = [(c, {"y10": "bf16", "openvino": "default"}[c]) for c in names if c in ("y10", "openvino")]
        chosen.append((f"bf16, {several} thread{'s' * (several > 1)}", several, peers))
    return [s for s in chosen if args.only in s[0] and s[2]]


def quantize(contest, names, python, directory):
    """The contenders that have int8 weights."""
    args, has = contest.args, []
    if not any("int8" in s[0] for s in settings(args, len(contest.machine.cpus), names, names)):
        return []
    if args.int8 and "y10" in names:
        has.append("y10")
    if (args.pictures and "openvino" in names and have_more(python, "nncf")
            and contest.prepare("openvino", "int8", directory)):
        has.append("openvino")
    return has


def measure_network(contest, names, python, directory):
    """Everything about one network, as objects for the result."""
    args, machine, done = contest.args, contest.machine, []
    label = os.path.splitext(os.path.basename(args.model))[0]
    ready = [c for c in names if c not in ("mnn", "ncnn") or contest.prepare(c, "fp32", directory)]
    has_int8 = quantize(contest, ready, python, directory)
    for setting in settings(args, len(machine.cpus), ready, has_int8):
        name, threads, contenders = setting
        same = {}
        if contenders[0][0] == "y10":
            same = contest.verify(name, [c for c, _ in contenders], contenders[0][1], threads)
        runs = contest.play(setting)
        one = [r for r in runs if r["one_die"]]
        two = [r for r in runs if not r["one_die"]]
        done.append({
            "network": label, "name": name, "threads": threads, "runs": runs,
            "same": {c: dict(zip(("rows", "score", "px"), v)) for c, v in same.items()},
            "one_die": summarize(one), "one_die_speed_up": speed_up(summarize(one)),
            "two_dies": summarize(two), "two_dies_speed_up": speed_up(summarize(two))})
    precisions = {}
    if args.instances and args.pictures and has_int8:
        for contender in [c for c in ready if c in ("y10", "openvino")]:
            for precision in ["fp32"] + ["int8"] * (contender in has_int8):
                ap = contest.average_precision(contender, precision, directory)
                say(f"{label}: {NAMES[contender]} {precision} AP {ap:.4f}")
                precisions[f"{contender} {precision}"] = ap
    return done, {label: precisions} if precisions else {}


def main():
    args = parse_arguments()
    machine = Machine(args)
    try:
        python = make_environment(args.env)
    except CannotInstall as why:
        die(str(why))
    load = os.getloadavg()[0]
    if load > 0.5:
        say(f"warning: something else is running here (load {load:.1f}); figures will be off")
    names = available(args, python)
    result = {"cpu": cpu_name(), "cpus": machine.cpus, "isa": args.isa, "size": args.size,
              "seconds": args.seconds, "settings": [], "average_precision": {}}
    machine.run([python, "-c", "import numpy"], 1)
    result["python_mib"] = machine.peak_mib
    with tempfile.TemporaryDirectory() as directory:
        picture = os.path.join(directory, "picture.ppm")
        write_picture(picture, args.size)
        for number, (model, onnx) in enumerate([(args.model, args.onnx), *args.also]):
            its = copy.copy(args)
            its.model, its.onnx = os.path.abspath(model), os.path.abspath(onnx)
            its.int8 = os.path.abspath(args.int8) if args.int8 and number == 0 else None
            contest = Contest(its, machine, python, picture, args.size)
            done, precisions = measure_network(contest, names, python, directory)
            result["settings"] += done
            result["average_precision"].update(precisions)
    versions = {"y10": machine.run([args.y10, "--version"], 1).split()[1]}
    for r in (r for s in result["settings"] for r in s["runs"]):
        if "version" in r:
            versions[r["contender"]] = r.pop("version")
    result["versions"] = versions
    if args.json:
        print(json.dumps(result, indent=1))
        return 0
    print_result(result)
    return 0


def print_result(result):
    versions = result["versions"]
    for s in result["settings"]:
        name = f"{s['network']}, {s['name']}"
        if s["one_die"]:
            print_table(name, "" if s["threads"] == 1 else ", cores on one die", s["one_die"], versions)
        if s["two_dies"]:
            print_table(name, ", cores on two dies", s["two_dies"], versions)
    print("\nTimes are milliseconds; first: from opening the file to the first result. MiB: the most memory\n"
          "of the process, of which Python and NumPy are %.0f, except in yolov10detect's. ncnn's times do\n"
          "not include the selection of the 300 best." % result["python_mib"])
    for label, precisions in result["average_precision"].items():
        print(f"\n{label}, average precision on the pictures")
        for what, ap in precisions.items():
            contender, precision = what.split()
            print("  %-15s %s  %.4f" % (NAMES[contender], precision, ap))


if __name__ == "__main__":
    sys.exit(main())
