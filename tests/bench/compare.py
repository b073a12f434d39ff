#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Compares the speed of a YOLOv10 in y10, ONNX Runtime and OpenVINO on this machine.

Every contender runs the whole network at batch 1, from the letterboxed tensor to 300 rows, in a
separate process, with the same CPUs and the same number of threads. The processes take turns, so
that changes of the machine's speed affect all. Before each run the script measures the latency
between the CPUs: a virtual machine may move them to two dies of a processor, which changes the
figures, so runs of the two kinds are never mixed. A run counts as on one die if the latency is
below 100 ns both before and after it.

The script installs ONNX Runtime and OpenVINO from PyPI once, into a virtual environment.

  tests/bench/compare.py --model yolov10n.safetensors --onnx yolov10n.onnx

The ONNX file is the same network, exported with its top-300 selection (output 1 x 300 x 6).
"""
import argparse
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TWO_DIES_NS = 100
WARM_UP_S = 0.7
PACKAGES = ["numpy", "onnxruntime", "openvino"]
NAMES = {"y10": "yolov10detect", "ort": "ONNX Runtime", "openvino": "OpenVINO"}
# Environment variables that would change the conditions of one contender only.
UNSET = ("OMP_", "GOMP_", "KMP_", "DNNL_", "ONEDNN_", "OV_", "ORT_", "Y10_", "MALLOC_", "LD_PRELOAD")


def say(text):
    print(text, file=sys.stderr, flush=True)


def die(text):
    sys.exit(f"{os.path.basename(sys.argv[0])}: {text}")


class CannotInstall(Exception):
    """ONNX Runtime and OpenVINO are not here and cannot be installed."""


def p95(times):
    """The 95th percentile of a sorted list, by the nearest rank."""
    return times[max(0, -(-95 * len(times) // 100) - 1)]


# --- the measured processes ----------------------------------------------------------------------

def read_ppm(path):
    """The synthetic picture as the tensor 1 x 3 x H x W in [0, 1]."""
    import numpy as np
    with open(path, "rb") as f:
        assert f.readline() == b"P6\n"
        width, height = map(int, f.readline().split())
        f.readline()
        pixels = np.frombuffer(f.read(), np.uint8).reshape(height, width, 3)
    return np.ascontiguousarray(pixels.transpose(2, 0, 1)[None].astype(np.float32) / np.float32(255))


def make_ort(task, x):
    import onnxruntime as ort
    options = ort.SessionOptions()
    options.intra_op_num_threads = task["threads"]
    options.inter_op_num_threads = 1
    options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    session = ort.InferenceSession(task["onnx"], options, providers=["CPUExecutionProvider"])
    feed = {session.get_inputs()[0].name: x}
    return lambda: session.run(None, feed)[0], ort.__version__, "fp32", None


def instructions_of(compiled):
    """The instruction set of most convolutions that OpenVINO has compiled, such as avx2; or None."""
    found = []
    for op in compiled.get_runtime_model().get_ordered_ops():
        info = {key: str(getattr(value, "value", value)) for key, value in op.get_rt_info().items()}
        if info.get("layerType") == "Convolution":
            found += re.findall("avx512_amx|avx512|avx2|avx|sse4[0-9]", info.get("primitiveType", ""))
    return statistics.mode(found) if found else None


def make_openvino(task, x):
    import openvino as ov
    core = ov.Core()
    config = {"INFERENCE_NUM_THREADS": task["threads"], "PERFORMANCE_HINT": "LATENCY"}
    if task["precision"] == "fp32":
        config["INFERENCE_PRECISION_HINT"] = "f32"
    model = core.read_model(task["onnx"])
    model.reshape([1, 3, x.shape[2], x.shape[3]])
    compiled = core.compile_model(model, "CPU", config)
    request = compiled.create_infer_request()
    tensor = ov.Tensor(x)                            # shares the memory of x
    request.set_input_tensor(tensor)
    precision = compiled.get_property("INFERENCE_PRECISION_HINT").to_string()
    keep = (model, compiled, tensor)

    def run():
        request.infer()
        return request.get_output_tensor(0).data

    run.keep = keep
    return (run, ov.__version__.split("-")[0], precision.replace("f32", "fp32"),
            instructions_of(compiled))


def worker(task):
    x = read_ppm(task["picture"])
    make = {"ort": make_ort, "openvino": make_openvino}[task["contender"]]
    run, version, precision, instructions = make(task, x)
    rows = run()
    start = time.perf_counter()
    while time.perf_counter() - start < WARM_UP_S:
        run()
    times = []
    start = time.perf_counter()
    while len(times) < 10 or time.perf_counter() - start < task["seconds"]:
        t = time.perf_counter()
        run()
        times.append((time.perf_counter() - t) * 1e3)
    times.sort()
    print(json.dumps({
        "median_ms": statistics.median(times), "min_ms": times[0],
        "p95_ms": p95(times), "steps": len(times), "version": version, "precision": precision,
        "instructions": instructions, "rows": rows[0].tolist()}))


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


def make_environment(path):
    """Creates a virtual environment with the peers once; returns its interpreter.

    Raises CannotInstall, for instance without a network."""
    python = os.path.join(path, "bin", "python")
    check = [python, "-c", "import numpy, onnxruntime, openvino"]
    if os.path.exists(python) and subprocess.run(check, capture_output=True).returncode == 0:
        return python
    say(f"installing {', '.join(PACKAGES)} into {path}")
    shutil.rmtree(path, ignore_errors=True)
    made = subprocess.run([sys.executable, "-m", "venv", path], capture_output=True, text=True)
    if made.returncode:
        raise CannotInstall("cannot make a virtual environment (Debian: python3-venv): "
                            f"{made.stdout}{made.stderr}")
    pip = subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                          "--retries", "2", "--timeout", "30", *PACKAGES], text=True, capture_output=True)
    if pip.returncode:
        raise CannotInstall(f"pip cannot install {', '.join(PACKAGES)}:\n{pip.stderr}")
    return python


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
        cpus = set(self.cpus[:threads])
        done = subprocess.run(command, capture_output=True, text=True, env=self.env,
                              preexec_fn=lambda: os.sched_setaffinity(0, cpus))
        if done.returncode:
            die(f"{' '.join(command)}\nfailed with {done.returncode}:\n{done.stderr[-3000:]}")
        return done.stdout


class Contest:
    def __init__(self, args, machine, python, picture, size):
        self.args, self.machine, self.python = args, machine, python
        self.picture, self.size = picture, size

    def measure(self, contender, precision, threads):
        args = self.args
        if contender == "y10":
            out = json.loads(self.machine.run(
                [args.y10, "bench", "--model", args.model, "--backend", "cpu", "--precision", precision,
                 "--size", "%dx%d" % self.size, "--threads", str(threads), "--seconds",
                 str(args.seconds), "--json"], threads))
            return {k: out[k] for k in ("median_ms", "p95_ms", "min_ms", "steps", "precision", "device")}
        task = {"contender": contender, "precision": precision, "threads": threads,
                "onnx": args.onnx, "picture": self.picture, "seconds": args.seconds}
        return json.loads(self.machine.run(
            [self.python, os.path.abspath(__file__), "--worker", json.dumps(task)], threads))

    def rows(self, contender, precision, threads):
        """A contender's rows for the picture, [(x0, y0, x1, y1, score, class)], best first."""
        if contender != "y10":
            return [tuple(r) for r in self.measure_once(contender, precision, threads)["rows"]]
        line = json.loads(self.machine.run(
            [self.args.y10, "detect", "--model", self.args.model, "--backend", "cpu", "--precision",
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
                say("%-16s core to core %s ns  round %d  %-14s median %7.3f  p95 %7.3f  min %7.3f ms"
                    % (name, before, turn + 1, NAMES[contender], result["median_ms"],
                       result["p95_ms"], result["min_ms"]))
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
                "spread_ms": [min(r["median_ms"] for r in mine), max(r["median_ms"] for r in mine)]}
    return table


def speed_up(table):
    """Our speed relative to the best peer's; None if either has no run of this kind."""
    peers = [t["median_ms"] for c, t in table.items() if c != "y10"]
    if "y10" not in table or not peers:
        return None
    return min(peers) / table["y10"]["median_ms"]


def print_table(name, where, table, versions):
    print(f"\n{name}{where}")
    print("  %-26s %-9s %4s %9s %9s %9s   %-17s" % ("", "precision", "runs", "median", "p95", "min",
                                                    "medians from - to"))
    for contender, t in sorted(table.items(), key=lambda item: item[1]["median_ms"]):
        print("  %-26s %-9s %4d %9.3f %9.3f %9.3f   %.3f - %.3f" % (
            f"{NAMES[contender]} {versions.get(contender, '')}", t["precision"], t["runs"],
            t["median_ms"], t["p95_ms"], t["min_ms"], *t["spread_ms"]))
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
    parser.add_argument("--json", action="store_true", help="print everything measured as JSON")
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


def parse_arguments():
    parser = make_parser(__doc__)
    parser.add_argument("--runs", type=int, default=5, help="processes of each contender (5)")
    parser.add_argument("--only", default="", help="only settings whose name holds this")
    args = check_arguments(parser)
    if args.runs < 1:
        parser.error("--runs is at least 1")
    return args


def settings(args, n_cpus):
    every = [("y10", "fp32"), ("ort", "fp32"), ("openvino", "fp32")]
    several = min(args.threads, n_cpus)
    chosen = []
    if several > 1:
        chosen.append((f"fp32, {several} threads", several, every))
    chosen.append(("fp32, 1 thread", 1, every))
    if {"avx512_bf16", "amx_bf16"} & set(cpu_flags()):
        chosen.append((f"bf16, {several} thread{'s' * (several > 1)}", several,
                       [("y10", "bf16"), ("openvino", "default")]))
    else:
        say("this CPU has no bf16: that setting is left out")
    return [s for s in chosen if args.only in s[0]]


def main():
    if sys.argv[1:2] == ["--worker"]:
        return worker(json.loads(sys.argv[2]))
    args = parse_arguments()
    size = args.size
    machine = Machine(args)
    try:
        python = make_environment(args.env)
    except CannotInstall as why:
        die(str(why))
    load = os.getloadavg()[0]
    if load > 0.5:
        say(f"warning: something else is running here (load {load:.1f}); figures will be off")

    result = {"cpu": platform.processor() or platform.machine(), "cpus": machine.cpus, "size": size,
              "seconds": args.seconds, "settings": []}
    versions = {}
    with tempfile.TemporaryDirectory() as directory:
        picture = os.path.join(directory, "picture.ppm")
        write_picture(picture, size)
        contest = Contest(args, machine, python, picture, size)
        for setting in settings(args, len(machine.cpus)):
            name, threads, contenders = setting
            precision = contenders[0][1]
            same = contest.verify(name, [c for c, _ in contenders], precision, threads)
            runs = contest.play(setting)
            for r in runs:
                if "version" in r:
                    versions[r["contender"]] = r.pop("version")
            one = [r for r in runs if r["one_die"]]
            two = [r for r in runs if not r["one_die"]]
            result["settings"].append({
                "name": name, "threads": threads, "runs": runs,
                "same": {c: dict(zip(("rows", "score", "px"), v)) for c, v in same.items()},
                "one_die": summarize(one), "one_die_speed_up": speed_up(summarize(one)),
                "two_dies": summarize(two), "two_dies_speed_up": speed_up(summarize(two))})
    versions["y10"] = machine.run([args.y10, "--version"], 1).split()[1]
    result["versions"] = versions
    if args.json:
        print(json.dumps(result, indent=1))
        return 0
    for s in result["settings"]:
        if s["one_die"]:
            print_table(s["name"], "" if s["threads"] == 1 else ", cores on one die", s["one_die"], versions)
        if s["two_dies"]:
            print_table(s["name"], ", cores on two dies", s["two_dies"], versions)
    return 0


if __name__ == "__main__":
    sys.exit(main())
