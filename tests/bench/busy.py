#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Measures how fast detection is on CPUs that other processes use, too.

Three sections, each a Markdown table:

  network   the whole network, as in compare.py, in y10, OpenVINO and ONNX Runtime, beside
            processes that are busy all the time; where the CPU has bf16, also in that
  pictures  "y10 detect" of a folder of six pictures, with one thread and with the default, quiet and
            beside many such processes
  pipeline  a video through yolov10detect, with and without x264enc behind it

Everything runs on the same CPUs, the busy processes included. Each round measures everything once,
in turn, so that changes of the machine's speed affect all; the tables have the medians over the
rounds. Before each round the script measures what other programs use of these CPUs.

  tests/bench/busy.sh --model yolov10n.safetensors --onnx yolov10n.onnx

Without OpenVINO and ONNX Runtime, which compare.make_environment() installs from PyPI, the script
measures y10 only. --isa limits y10 by Y10_MAX_CPU_ISA and OpenVINO by ONEDNN_MAX_CPU_ISA;
ONNX Runtime has no such limit.
"""
import ctypes
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import compare
from compare import ISAS, NAMES, cpu_name, die, say

SECTIONS = ("network", "pictures", "pipeline")
LOOP = "print(flush=True)\nwhile True: pass"
PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)
PEERS = {"fp32": "fp32", "bf16": "default"}     # what the others are asked for
NOT_QUIET = 0.05                        # share of the CPUs that others use
PICTURES = 6
WARM_UP_FRAMES = 50                     # x264enc looks 40 frames ahead before it encodes the first
LONGEST_PIPELINE_S = 900
SYSTEM_PYTHON = "/usr/bin/python3"      # Debian's Python, for its bindings
TEST_VIDEO = ("videotestsrc num-buffers={frames} ! "
              "video/x-raw,format=NV12,width=1280,height=720,framerate=30/1")
VIDEO_FILE = "filesrc name=file ! decodebin ! video/x-raw ! identity eos-after={frames}"


# --- the other processes -------------------------------------------------------------------------

class Company:
    """So many processes on the measured CPUs, in a loop that never sleeps.

    They stay in the session and the control group of this process, since the scheduler divides time
    among these first. The kernel kills them with this process, however that ends."""

    def __init__(self, count, cpus):
        self.count, self.cpus, self.processes = count, set(cpus), []

    def __enter__(self):
        parent = os.getpid()

        def prepare():
            LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != parent:
                os._exit(1)
            os.sched_setaffinity(0, self.cpus)

        try:
            for _ in range(self.count):
                self.processes.append(subprocess.Popen(
                    [sys.executable, "-I", "-S", "-c", LOOP], stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, preexec_fn=prepare))
            if not all(process.stdout.readline() for process in self.processes):
                die("a busy process did not start")
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(self, kind, _value, _traceback):
        alive = all(process.poll() is None for process in self.processes)
        self.end()
        if kind is None and not alive:
            die("a busy process ended early")

    def end(self):
        for process in self.processes:
            process.kill()
        for process in self.processes:
            process.wait()
            process.stdout.close()


def end_on_signals():
    """Ends the program by an exception on a signal, so that Company ends, too."""
    every = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def handle(number, _frame):
        for each in every:
            signal.signal(each, signal.SIG_IGN)
        sys.exit(128 + number)

    for each in every:
        signal.signal(each, handle)


def ticks(cpus):
    """(used, stolen, all) of these CPUs so far."""
    used = stolen = every = 0
    with open("/proc/stat", encoding="ascii") as f:
        for line in f:
            name, *rest = line.split()
            if name in {f"cpu{cpu}" for cpu in cpus}:
                user, nice, system, idle, iowait, irq, softirq, steal = map(int, rest[:8])
                busy = user + nice + system + irq + softirq
                used, stolen = used + busy, stolen + steal
                every += busy + idle + iowait + steal
    return used, stolen, every


def used_by_others(cpus):
    """The shares of the CPUs that other programs use and that the hypervisor takes, while we sleep."""
    before = ticks(cpus)
    time.sleep(0.5)
    used, stolen, every = (b - a for a, b in zip(before, ticks(cpus)))
    return used / max(1, every), stolen / max(1, every)


# --- what is measured ------------------------------------------------------------------------------

def pipeline_child(task):
    """Runs the pipeline and prints the time between frames that leave the detector; in a process of
    Debian's Python. Prints what is lacking here instead of the figures if something is."""
    before = os.environ.get("GST_PLUGIN_PATH_1_0") or os.environ.get("GST_PLUGIN_PATH")
    os.environ["GST_PLUGIN_PATH_1_0"] = task["plugins"] + (f":{before}" if before else "")
    try:
        import gi
        gi.require_version("Gst", "1.0")
        from gi.repository import Gst
    except (ImportError, ValueError) as why:
        print(json.dumps({"lacking": f"Python's GStreamer bindings (python3-gi): {why}"}))
        return
    Gst.init(None)
    lacking = [name for name in ("yolov10detect", "x264enc") if not Gst.ElementFactory.find(name)]
    if lacking or task.get("check"):
        print(json.dumps({"lacking": "the element " + " and ".join(lacking) if lacking else None}))
        return
    frames = WARM_UP_FRAMES + task["frames"]
    source = (VIDEO_FILE if task["video"] else TEST_VIDEO).format(frames=frames)
    pipeline = Gst.parse_launch(
        f"{source} ! yolov10detect name=detect backend=cpu precision={task['precision']} "
        f"threads={task['threads']} late-policy=infer-all ! "
        f"{'x264enc ! ' if task['encoder'] else ''}fakesink sync=false")
    detect = pipeline.get_by_name("detect")
    detect.set_property("model-file", task["model"])
    if task["video"]:
        pipeline.get_by_name("file").set_property("location", task["video"])
    times = []

    def probe(_pad, _info):
        times.append(time.perf_counter() * 1e3)
        return Gst.PadProbeReturn.OK

    detect.get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER, probe)
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(
        LONGEST_PIPELINE_S * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    device = detect.get_property("active-device")
    pipeline.set_state(Gst.State.NULL)
    if not message:
        sys.exit(f"the pipeline did not end within {LONGEST_PIPELINE_S} s")
    if message.type == Gst.MessageType.ERROR:
        sys.exit(message.parse_error()[0].message)
    times = times[WARM_UP_FRAMES - 1:]
    if len(times) < 11:
        sys.exit(f"the video has only {len(times)} frames after the first {WARM_UP_FRAMES}")
    between = sorted(b - a for a, b in zip(times, times[1:]))
    print(json.dumps({"mean_ms": (times[-1] - times[0]) / len(between), "frames": len(between),
                      "median_ms": statistics.median(between), "p95_ms": compare.p95(between),
                      "device": device}))


class Bench:
    def __init__(self, args, machine, directory):
        self.args, self.machine = args, machine
        self.cpus = machine.cpus[:args.threads]
        self.runs = {section: [] for section in SECTIONS}
        self.quiet, self.notes, self.python = [], [], None
        self.picture = os.path.join(directory, "picture.ppm")
        compare.write_picture(self.picture, args.size)
        self.folder = self.make_folder(directory)

    def note(self, text):
        say(f"note: {text}")
        self.notes.append(text)

    def make_folder(self, directory):
        folder = os.path.join(directory, "pictures")
        os.mkdir(folder)
        pictures = [self.picture] * PICTURES
        if self.args.pictures:
            pictures = [e.path for e in sorted(os.scandir(self.args.pictures), key=lambda e: e.name)
                        if e.name.lower().endswith((".jpg", ".jpeg", ".png", ".ppm"))][:PICTURES]
            if len(pictures) < PICTURES:
                die(f"{self.args.pictures} has {len(pictures)} pictures; expected {PICTURES}")
        for i, picture in enumerate(pictures):
            shutil.copyfile(picture, os.path.join(folder, f"{i}{os.path.splitext(picture)[1]}"))
        return folder

    def limit_instructions(self):
        """As --isa wants; returns the contenders that this leaves."""
        isa = self.args.isa
        contenders = ["y10", "openvino", "ort"]
        if isa and not ISAS[isa]:
            contenders.remove("openvino")
            self.note(f"OpenVINO is left out: it needs AVX2, and the limit is {isa}.")
        return contenders

    def choose(self):
        """[(contender, precision)] of what can be measured here; those of --precision first."""
        names = self.limit_instructions()
        try:
            self.python = compare.make_environment(self.args.env)
        except compare.CannotInstall as why:
            say(str(why))
            self.note("OpenVINO and ONNX Runtime are left out: they are not installed, and cannot be "
                      "(no network?).")
            names = ["y10"]
        precision = self.args.precision
        if precision == "bf16" and "ort" in names:
            names.remove("ort")
            self.note("ONNX Runtime is left out: it has no bf16 on CPUs.")
        chosen = [(n, precision if n == "y10" else PEERS[precision]) for n in names]
        if precision == "fp32" and compare.has_bf16(self.args.isa):
            chosen += [(n, "bf16" if n == "y10" else PEERS["bf16"]) for n in names if n != "ort"]
        return chosen

    # Each of these measures a section once and adds to its runs; what is measured has a key.

    def network(self, turn):
        k = turn % len(self.contenders)
        for busy in self.args.busy:
            with Company(busy, self.cpus):
                for contender, precision in self.contenders[k:] + self.contenders[:k]:
                    run = self.contest.measure(contender, precision, self.args.threads)
                    run.pop("rows", None)
                    self.add("network", turn, (busy, contender, precision), run,
                             f"{busy} busy, {NAMES[contender]} {precision}")

    def pictures(self, turn):
        args = self.args
        for busy in (0, args.crowd):
            with Company(busy, self.cpus):
                for threads in (1, "default"):
                    command = [args.y10, "detect", "--model", args.model, "--backend", "cpu",
                               "--precision", args.precision, self.folder]
                    if threads == 1:
                        command[2:2] = ["-t", "1"]
                    start = time.perf_counter()
                    out = self.machine.run(command, args.threads)
                    ms = (time.perf_counter() - start) * 1e3
                    if len(out.splitlines()) != PICTURES:
                        die(f"y10 detect printed {len(out.splitlines())} lines; expected {PICTURES}")
                    self.add("pictures", turn, (busy, threads), {"median_ms": ms},
                             f"{busy} busy, threads: {threads}")

    def ask_pipeline(self, **task):
        task = {"model": self.args.model, "precision": self.args.precision,
                "frames": self.args.frames, "video": self.args.video,
                "plugins": os.path.join(self.args.build, "gst"), **task}
        python = SYSTEM_PYTHON if os.path.exists(SYSTEM_PYTHON) else sys.executable
        return json.loads(self.machine.run(
            [python, os.path.abspath(__file__), "--child", json.dumps(task)],
            self.args.threads).splitlines()[-1])

    def pipeline(self, turn):
        for encoder in (False, True):
            for threads in sorted({1, self.args.threads}, reverse=True):
                self.add("pipeline", turn, (encoder, threads),
                         self.ask_pipeline(encoder=encoder, threads=threads),
                         f"{'x264enc' if encoder else 'no encoder'}, threads: {threads}")

    def add(self, section, turn, key, run, label):
        run.update(key=key, round=turn)
        self.runs[section].append(run)
        say("round %d  %-8s  %-24s %9.3f ms" % (turn + 1, section, label, run["median_ms"]))

    def play(self):
        args = self.args
        sections = list(args.sections)
        self.contenders = self.choose() if "network" in sections else []
        self.contest = compare.Contest(args, self.machine, self.python, self.picture, args.size)
        if len(self.contenders) > 1:
            self.contest.verify("network", list(dict.fromkeys(c for c, _ in self.contenders)),
                                self.contenders[0][1], args.threads)
        if "pipeline" in sections:
            lacking = self.ask_pipeline(check=True)["lacking"]
            if lacking:
                sections.remove("pipeline")
                self.note(f"The pipeline is left out: here is no {lacking}.")
        for turn in range(args.rounds):
            used, stolen = used_by_others(self.cpus)
            self.quiet.append({"used": used, "stolen": stolen, "latency_ns": self.machine.latency()})
            for section in sections:
                getattr(self, section)(turn)


# --- the tables ------------------------------------------------------------------------------------

class Figures:
    """The runs of a section by key, and what they say over the rounds."""

    def __init__(self, runs):
        self.by_key = {}
        for run in runs:
            self.by_key.setdefault(run["key"], []).append(run)

    def first(self, key):
        return self.by_key[key][0]

    def median(self, key, what="median_ms"):
        return "%.2f" % statistics.median(run[what] for run in self.by_key[key])

    def ratio(self, key, other, what="median_ms"):
        """The median of the rounds' ratios; empty if the other was not measured."""
        pairs = zip(self.by_key[key], self.by_key.get(other, []))
        ratios = [a[what] / b[what] for a, b in pairs]
        return "%.2f" % statistics.median(ratios) if ratios else ""


def print_table(heading, text, columns, rows):
    print(f"\n## {heading}\n\n{text}\n")
    print("| " + " | ".join(columns) + " |")
    print("|" + "---|" * len(columns))
    for row in rows:
        print("| " + " | ".join(map(str, row)) + " |")


def instructions(bench, contender, run):
    if contender == "y10":
        return run["device"].split(", ")[2]
    if contender == "ort" and bench.args.isa:
        return "not limited"
    return run.get("instructions") or "not known"


def print_network(bench, figures):
    rows = []
    for busy in bench.args.busy:
        for contender, precision in bench.contenders:
            key = (busy, contender, precision)
            run = figures.first(key)
            rows.append((busy, f"{NAMES[contender]} {run.get('version', '')}".rstrip(),
                         run["precision"], instructions(bench, contender, run), figures.median(key),
                         figures.median(key, "p95_ms"),
                         figures.ratio(key, (busy, "openvino", PEERS.get(precision, precision))),
                         figures.ratio(key, (0, contender, precision))))
    print_table(
        "The network beside busy processes",
        "One image of %dx%d from the tensor to 300 rows, %d threads. Ratios of the medians, each\n"
        "the median over the rounds: to OpenVINO beside as many processes (below 1: faster; bf16: to what\n"
        "it takes by default), and to the same program beside none."
        % (*bench.args.size, bench.args.threads),
        ("busy processes", "program", "precision", "instructions", "median ms", "p95 ms",
         "to OpenVINO", "to quiet"), rows)


def print_pictures(bench, figures):
    rows = []
    for busy in (0, bench.args.crowd):
        for threads in (1, "default"):
            key = (busy, threads)
            times = sorted(run["median_ms"] for run in figures.by_key[key])
            rows.append((busy, threads, figures.median(key), "%.2f" % compare.p95(times),
                         figures.ratio(key, (busy, 1)), figures.ratio(key, (0, threads))))
    print_table(
        "A folder of pictures beside busy processes",
        "`y10 detect` of six pictures, from its start to its end; OpenVINO has no such program. The\n"
        "95th percentile is over the rounds: of fewer than 20 it is the longest.",
        ("busy processes", "threads", "median ms", "p95 ms", "to one thread", "to quiet"), rows)


def print_pipeline(bench, figures):
    rows = []
    for encoder, threads in figures.by_key:
        key = (encoder, threads)
        rows.append(("x264enc" if encoder else "nothing", threads, figures.median(key, "mean_ms"),
                     figures.median(key), figures.median(key, "p95_ms"),
                     figures.ratio(key, (encoder, 1), "mean_ms"),
                     figures.ratio(key, (False, threads), "mean_ms")))
    print_table(
        "A pipeline with an encoder",
        "Time from frame to frame of `%s ! yolov10detect ! x264enc ! fakesink`, %d frames\n"
        "after the first %d, and without x264enc. Ratios are of the means; OpenVINO has no such element."
        % ("FILE" if bench.args.video else "videotestsrc", figures.first((True, 1))["frames"],
           WARM_UP_FRAMES),
        ("beside", "threads", "mean ms", "median ms", "p95 ms", "to one thread", "to quiet"), rows)


def span(values, form):
    low, high = form % min(values), form % max(values)
    return low if low == high else f"{low} to {high}"


def print_head(bench):
    args = bench.args
    devices = [run["device"] for section in SECTIONS for run in bench.runs[section] if "device" in run]
    print(f"- CPU: {cpu_name()}; {os.cpu_count()} CPUs, of which "
          f"{','.join(map(str, bench.cpus))} were used")
    print(f"- yolov10detect {bench.machine.run([args.y10, '--version'], 1).split()[1]}"
          + (f": {devices[0]}" if devices else ""))
    print(f"- limit of instructions: {args.isa or 'none'}"
          + (f" (ONEDNN_MAX_CPU_ISA={ISAS[args.isa]})" if args.isa and ISAS[args.isa] else ""))
    if args.isa and "ort" in dict(bench.contenders):
        print("- ONNX Runtime cannot be limited: it uses all of the CPU's instructions")
    print(f"- rounds: {args.rounds}; {args.seconds:g} s for each figure of the network in each")
    latencies = [q["latency_ns"] for q in bench.quiet if q["latency_ns"] is not None]
    if latencies:
        print(f"- core to core: {span(latencies, '%d')} ns")
    used, stolen = ([100 * q[what] for q in bench.quiet] for what in ("used", "stolen"))
    print(f"- before each round, others used {span(used, '%.0f')} % of these CPUs; the hypervisor took "
          f"{span(stolen, '%.0f')} %")
    for note in bench.notes:
        print(f"- {note}")
    if max(used + stolen) > 100 * NOT_QUIET:
        print("\n**Not quiet: other programs used these CPUs, so these figures mean nothing.**")


def parse_arguments():
    parser = compare.make_parser(__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="how often everything is measured (5)")
    parser.add_argument("--busy", default="0,2,4", help="busy processes beside the network (0,2,4)")
    parser.add_argument("--crowd", type=int, default=15,
                        help="busy processes beside the folder of pictures (15)")
    parser.add_argument("--precision", choices=("fp32", "bf16"), default="fp32", help="(fp32)")
    parser.add_argument("--frames", type=int, default=100, help="frames of the pipeline (100)")
    parser.add_argument("--video", help="a video for the pipeline (a test picture of 1280x720)")
    parser.add_argument("--pictures", help="a folder with six pictures or more (a synthetic one)")
    parser.add_argument("--only", default=",".join(SECTIONS), help="sections to measure (%(default)s)")
    args = compare.check_arguments(parser)
    args.sections = args.only.split(",")
    if not set(args.sections) <= set(SECTIONS):
        parser.error(f"--only {args.only}: expected some of {','.join(SECTIONS)}")
    try:
        args.busy = [int(n) for n in args.busy.split(",")]
    except ValueError:
        parser.error(f"--busy {args.busy}: expected numbers, such as 0,2,4")
    if min(args.busy) < 0 or args.crowd < 1 or args.rounds < 1 or args.threads < 1:
        parser.error("--crowd, --rounds and --threads are at least 1, the numbers of --busy 0")
    if args.frames < 10:
        parser.error("--frames is at least 10")
    if args.precision == "bf16" and args.isa not in compare.BF16_ISAS:
        parser.error(f"--precision bf16: there is none with --isa {args.isa}")
    if args.video:
        args.video = os.path.abspath(args.video)
        if not os.path.isfile(args.video):
            parser.error(f"there is no file {args.video}")
    if args.pictures and not os.path.isdir(args.pictures):
        parser.error(f"there is no folder {args.pictures}")
    return args


def main():
    if sys.argv[1:2] == ["--child"]:
        return pipeline_child(json.loads(sys.argv[2]))
    args = parse_arguments()
    end_on_signals()
    machine = compare.Machine(args)
    if args.threads > len(machine.cpus):
        die(f"--threads {args.threads}: this process may use {len(machine.cpus)} cores")
    with tempfile.TemporaryDirectory() as directory:
        bench = Bench(args, machine, directory)
        bench.play()
    if args.json:
        print(json.dumps({"cpu": cpu_name(), "cpus": bench.cpus, "isa": args.isa, "size": args.size,
                          "threads": args.threads, "rounds": bench.quiet, "notes": bench.notes,
                          **{s: bench.runs[s] for s in SECTIONS}}, indent=1))
        return 0
    print_head(bench)
    for section in SECTIONS:
        if bench.runs[section]:
            globals()[f"print_{section}"](bench, Figures(bench.runs[section]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
