#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""y10 doctor on this machine, and on simulated machines with NVIDIA GPUs: fake libraries (fake/)
replace NVIDIA's, and folders replace /proc and /sys."""
import json
import os
import shutil
import subprocess
import tempfile
import unittest

from common import Case, FEATURES, PLUGIN_DIR, Y10, main

CUDA_MAJOR = os.environ["Y10_TEST_CUDA_MAJOR"]
FAKES = os.environ["Y10_TEST_FAKES"]
SIMULATOR = os.environ["Y10_TEST_SIMULATOR"]
JETSON = os.environ["Y10_TEST_JETSON"]
LIBRARIES = {"libcuda.so.580.65.06": "cuda", "libnvcuvid.so.1": "nvcuvid",
             f"libnvrtc.so.{CUDA_MAJOR}": "nvrtc", f"libcublasLt.so.{CUDA_MAJOR}": "cublaslt",
             "libcudnn.so.9": "cudnn",
             "libcudnn_heuristic.so.9": "cublaslt",
             "libcudnn_engines_precompiled.so.9": "cublaslt"}
PTX = os.path.join(os.path.dirname(SIMULATOR), "../../cuda/kernels.80.ptx")
# The backend's check takes most of the time, and no optional part of a build changes it: a
# build without the elements tries it once.
SIMULATES = os.path.exists(SIMULATOR) and "gst" in FEATURES
OWN_ALONE = "the engine uses its own convolutions alone, which are slower in fp32"
SEVERITIES = {"note": 0, "warning": 1, "error": 2}


class Doctor(Case):
    """Folders for libraries and for the kernel's files, empty at first."""
    tool = Y10

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.lib = os.path.join(self.folder.name, "lib")
        self.root = os.path.join(self.folder.name, "root")
        self.cache = os.path.join(self.folder.name, "cache")
        self.backend = os.path.join(self.folder.name, "backend")
        for folder in (self.lib, self.root, self.cache, self.backend):
            os.mkdir(folder)

    def doctor(self, env=None):
        """Runs doctor and returns its output; asserts the exit status for its worst problem."""
        done = subprocess.run([self.tool, "doctor", "--json"], env=dict(self.env, **(env or {})),
                              capture_output=True, text=True, timeout=1800, check=False)
        out = json.loads(done.stdout)
        worst = max([SEVERITIES[p["severity"]] for p in out["problems"]], default=0)
        self.assertEqual(done.returncode, (0, 1, 3)[worst], out["problems"])
        self.assertEqual(out["ok"], worst < 2)
        return out

    def library(self, name, fake, folder=None):
        path = os.path.join(folder or self.lib, name)
        shutil.copy(os.path.join(FAKES, f"libfake-{fake}.so"), path)
        return path

    def missing(self, *names):
        """Puts files that are no libraries where the loader finds them first, so that it does not
        search for real ones."""
        for name in names:
            path = os.path.join(self.lib, name)
            if os.path.lexists(path):
                os.unlink(path)
            with open(path, "w", encoding="ascii"):
                pass

    def gpu_machine(self, kernel="580.65.06"):
        if CUDA_MAJOR != "13":
            self.skipTest("versions and packages here are those of CUDA 13")
        for name, fake in LIBRARIES.items():
            self.library(name, fake)
        os.symlink("libcuda.so.580.65.06", os.path.join(self.lib, "libcuda.so.1"))
        if kernel:
            os.makedirs(os.path.join(self.root, "proc/driver/nvidia"))
            with open(os.path.join(self.root, "proc/driver/nvidia/version"), "w", encoding="ascii") as f:
                f.write("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  "
                        f"{kernel}  Release Build  (root@host)\nGCC version:  gcc 12.2.0\n")

    def bus(self, vendor="0x10de", kind="0x030000"):
        device = os.path.join(self.root, "sys/bus/pci/devices/0000:01:00.0")
        os.makedirs(device)
        for name, value in (("vendor", vendor), ("class", kind)):
            with open(os.path.join(device, name), "w", encoding="ascii") as f:
                f.write(value + "\n")

    def cuda(self, fake="", env=None):
        """Returns the CUDA section of the report, and the problems from it."""
        loads = ":".join(os.path.join(self.lib, name) for name in sorted(LIBRARIES)
                         if name.startswith("libcudnn_"))
        out = self.doctor(dict({
            "Y10_FAKE": fake, "Y10_DOCTOR_ROOT": self.root, "XDG_CACHE_HOME": self.cache,
            "Y10_FAKE_LOADS": loads, "Y10_BACKEND_PATH": self.backend,
            "LD_LIBRARY_PATH": f"{self.lib}:{os.environ.get('LD_LIBRARY_PATH', '')}"}, **(env or {})))
        facts = {row["fact"] for row in out["cuda"].values()}
        return out["cuda"], [p for p in out["problems"] if p["problem"] in facts]

    def found(self, row, state, says, fix="", fake="", env=None):
        """Asserts a row's state, and words in its fact and its fix."""
        rows, problems = self.cuda(fake, env)
        self.assertEqual(rows[row]["state"], state, rows)
        for words in [says] if isinstance(says, str) else says:
            self.assertIn(words, rows[row]["fact"])
        if state != "OK":
            self.assertIn(fix, rows[row]["fix"])
            self.assertIn(rows[row]["fact"], [p["problem"] for p in problems])
        return rows


class Jetson(Doctor):
    """A build by CUDA 13 with kernels for sm_87 by CUDA 12, as for JetPack 6."""
    tool = JETSON

    def setUp(self):
        super().setUp()
        self.gpu_machine()
        for name, fake in (("nvrtc", "nvrtc"), ("cublasLt", "cublaslt")):
            os.remove(os.path.join(self.lib, f"lib{name}.so.13"))
            self.library(f"lib{name}.so.12", fake)

    def test_jetpack_6(self):
        rows = self.found("driver", "OK", "up to CUDA 12.6", fake="version=12060 capability=87 cudart=12060")
        self.assertEqual(rows["cudnn"]["fact"], f"9.19.0 for CUDA 12, {self.lib}/libcudnn.so.9")
        for name, library in (("nvrtc", "nvrtc"), ("cublaslt", "cublasLt")):
            self.assertIn(f"{self.lib}/lib{library}.so.12", rows[name]["fact"])
            self.assertEqual(rows[name]["state"], "OK", name)

    def test_cudnn_of_cuda_13(self):
        self.found("cudnn", "WARN", ["for CUDA 13", "expected CUDA 12", OWN_ALONE], "nvidia-cudnn-cu12",
                   fake="version=12060 capability=87")

    def test_another_gpu(self):
        self.missing("libnvrtc.so.13", "libcublasLt.so.13")
        self.found("driver", "FAIL", ["up to CUDA 12.6", "older than CUDA 13"], "580.65.06",
                   fake="version=12060 capability=86")


class Machine(Doctor):
    """Doctor on this machine."""

    def test_cpu(self):
        cpu = min(os.sched_getaffinity(0))
        done = subprocess.run([Y10, "doctor", "--json"], env=self.env, capture_output=True, check=False,
                              preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
        out = json.loads(done.stdout)
        self.assertEqual(out["cpu"]["threads"], 1)
        with open("/proc/cpuinfo", encoding="utf-8") as f:
            words = set(f.read().split())
        for feature in ("avx2", "avx512f", "avx512_bf16", "sse4_1"):
            self.assertEqual(feature in out["cpu"]["features"], feature in words)
        self.assertTrue(out["engine"]["ref"]["usable"])
        if not out["engine"]["cuda"]["usable"]:
            self.assertTrue(out["engine"]["cuda"]["why"])

    def test_parts(self):
        """Each optional part of the command, and the package that it needs."""
        out = self.doctor()
        for name, feature, package in (("pictures", "pixbuf", "libgdk-pixbuf-2.0-dev"),
                                       ("jpeg", "jpeg", "libjpeg-dev"), ("serve", "serve", "libsoup-3.0-dev")):
            row = out["tool"][name]
            self.assertEqual(row["state"], "OK" if feature in FEATURES else "NOTE", row)
            self.assertEqual(package in row.get("fix", ""), feature not in FEATURES)
        self.assertIn("data_sets", out["tool"])

    @unittest.skipUnless("gst" in FEATURES, "built without GStreamer")
    def test_plugin_found(self):
        out = self.doctor({"GST_PLUGIN_PATH": PLUGIN_DIR, "GST_PLUGIN_PATH_1_0": PLUGIN_DIR})
        self.assertEqual(os.path.realpath(out["gstreamer"]["plugin"]["why"]),
                         os.path.realpath(os.path.join(PLUGIN_DIR, "libgstyolov10.so")))
        self.assertTrue(out["gstreamer"]["plugin"]["usable"])
        caps = subprocess.run(["gst-inspect-1.0", "yolov10detect"], capture_output=True, text=True, check=True,
                              env=dict(self.env, GST_PLUGIN_PATH_1_0=PLUGIN_DIR)).stdout
        self.assertEqual(out["cuda"].get("frames", {}).get("state") == "OK", "memory:CUDAMemory" in caps)
        self.assertEqual(out["gstreamer"]["overlay"]["state"], "OK" if "overlay" in FEATURES else "WARN")
        self.assertIn("GstVideoRegionOfInterestMeta", out["gstreamer"]["metas"])
        self.assertRegex(out["gstreamer"]["version"], r"^GStreamer 1\.\d+")

    @unittest.skipUnless("gst" in FEATURES and shutil.which("readelf"), "built without GStreamer, or no readelf")
    def test_transports(self):
        """It says to what events can be sent: those whose libraries the plugin needs; and how to get the others."""
        out = self.doctor({"GST_PLUGIN_PATH": PLUGIN_DIR, "GST_PLUGIN_PATH_1_0": PLUGIN_DIR})
        plugin = os.path.join(PLUGIN_DIR, "libgstyolov10publish.so")
        needed = subprocess.run(["readelf", "-d", plugin], capture_output=True, text=True, check=True).stdout
        for name, library in (("mqtt", "libmosquitto.so"), ("webhook", "libsoup-3.0.so"), ("kafka", "librdkafka.so")):
            found = out["events"][name]
            self.assertEqual(found["state"], "OK" if library in needed else "NOTE", found)
            self.assertEqual("tools/setup.sh" in found.get("fix", ""), library not in needed)
        # Without the plugin, it says that.
        alone = self.path("alone")
        os.mkdir(alone)
        os.symlink(os.path.join(PLUGIN_DIR, "libgstyolov10.so"), os.path.join(alone, "libgstyolov10.so"))
        out = self.doctor({"GST_PLUGIN_PATH_1_0": alone})
        self.assertEqual({name: row["state"] for name, row in out["events"].items()}, {"yolov10publish": "NOTE"})
        self.assertIn("gstreamer1.0-yolov10-publish", out["events"]["yolov10publish"]["fix"])

    @unittest.skipUnless("gst" in FEATURES, "built without GStreamer")
    def test_plugin_outside_path(self):
        out = self.doctor({"GST_PLUGIN_SYSTEM_PATH_1_0": self.path("nothing")})
        self.assertFalse(out["ok"])
        problem = [p for p in out["problems"] if "plugin" in p["problem"] and p["severity"] == "error"]
        self.assertEqual(len(problem), 1)
        self.assertIn("GST_PLUGIN_PATH=", problem[0]["fix"])

    @unittest.skipUnless("gst" in FEATURES, "built without GStreamer")
    def test_plugin_broken(self):
        directory = os.path.join(self.folder.name, "broken")
        os.mkdir(directory)
        with open(os.path.join(directory, "libgstyolov10.so"), "w", encoding="ascii") as f:
            f.write("not a library")
        out = self.doctor({"GST_PLUGIN_PATH_1_0": directory,
                           "GST_PLUGIN_SYSTEM_PATH_1_0": self.path("nothing")})
        self.assertFalse(out["ok"])
        self.assertIn("cannot be loaded", out["gstreamer"]["plugin"]["why"])
        self.assertIn(directory, out["gstreamer"]["plugin"]["why"])

    def test_wrong(self):
        self.refused("doctor", "please", says=["please"])

    def test_text(self):
        done = subprocess.run([Y10, "doctor"], env=self.env, capture_output=True, text=True, check=False)
        self.assertIn("\ncuda\n  driver ", done.stdout)


class NoGpu(Doctor):
    def test_said_once_and_no_problem(self):
        self.missing("libcuda.so.1", "libcudnn.so.9", f"libcublasLt.so.{CUDA_MAJOR}",
                     f"libnvrtc.so.{CUDA_MAJOR}")
        rows = self.found("driver", "NOTE", "no NVIDIA GPU or driver", "--gpus all")
        self.assertEqual(list(rows), ["driver"])

    def test_driver_without_gpu(self):
        self.gpu_machine(kernel=None)
        rows = self.found("driver", "NOTE", "no NVIDIA GPU or driver", "install", fake="init=100")
        self.assertEqual({row["state"] for name, row in rows.items() if name != "driver"}, {"OK"})

    def test_another_makers_gpu(self):
        self.bus(vendor="0x1002")
        self.missing("libcuda.so.1")
        self.found("driver", "NOTE", "no NVIDIA GPU or driver")

    def test_gpu_without_driver(self):
        self.bus()
        self.missing("libcuda.so.1")
        self.found("driver", "WARN", "no driver", "nvidia-driver")

    def test_gpu_not_in_container(self):
        self.gpu_machine()
        self.found("driver", "FAIL", "finds no GPU", "--gpus all", fake="gpus=0")
        self.found("driver", "WARN", "CUDA_VISIBLE_DEVICES is '7'", "unset", fake="init=100",
                   env={"CUDA_VISIBLE_DEVICES": "7"})

    def test_kernel_driver_without_library(self):
        self.gpu_machine()
        self.missing("libcuda.so.1")
        self.found("driver", "FAIL", ["580.65.06", "libcuda.so.1"], "NVIDIA_DRIVER_CAPABILITIES")


class Driver(Doctor):
    def setUp(self):
        super().setUp()
        self.gpu_machine()

    def test_all_is_well(self):
        rows, problems = self.cuda()
        self.assertEqual(rows["driver"]["fact"],
                         f"580.65.06, up to CUDA 13.0, {self.lib}/libcuda.so.580.65.06")
        self.assertEqual(rows["gpu0"]["fact"], "Staged GPU 0, sm_75, 16.0 GiB, 14.6 free, ECC")
        self.assertEqual(rows["nvrtc"]["fact"], f"13.0, {self.lib}/libnvrtc.so.13")
        self.assertEqual(rows["cublaslt"]["fact"], f"13.1.0, {self.lib}/libcublasLt.so.13")
        self.assertEqual(rows["cudnn"]["fact"], f"9.19.0 for CUDA 13, {self.lib}/libcudnn.so.9")
        self.assertEqual(rows["cudnn_libraries"]["fact"], f"3 loaded, all from {self.lib}")
        for name, row in rows.items():
            if name not in ("backend", "decoder", "nvcodec"):
                self.assertEqual(row["state"], "OK", name)
        about = [p["problem"] for p in problems if p["severity"] == "error"]
        self.assertFalse([fact for fact in about if fact != rows["backend"]["fact"]])

    def test_stub(self):
        self.found("driver", "FAIL", "stub", "LD_LIBRARY_PATH", fake="init=34")

    def test_older_than_cuda(self):
        self.found("driver", "FAIL", ["up to CUDA 12.4", "older than CUDA 13"], "580.65.06",
                   fake="version=12040")

    def test_library_and_kernel_differ(self):
        os.remove(os.path.join(self.root, "proc/driver/nvidia/version"))
        os.removedirs(os.path.join(self.root, "proc/driver/nvidia"))
        shutil.rmtree(self.lib)
        os.mkdir(self.lib)
        self.gpu_machine(kernel="570.86.10")
        self.found("driver", "FAIL", ["580.65.06", "570.86.10"], "reboot", fake="init=803")
        self.found("driver", "WARN", ["580.65.06", "570.86.10"], "reboot")

    def test_cuda_compat(self):
        self.found("driver", "FAIL", "cuda-compat", "remove", fake="init=804")

    def test_others(self):
        self.found("driver", "FAIL", "not ready", "fabricmanager", fake="init=802")
        self.found("driver", "FAIL", "does not start", "nvidia_uvm", fake="init=999")
        self.found("driver", "FAIL", ["cuInit returned 3", "CUDA_ERROR_STAGED"], "dmesg", fake="init=3")

    def test_crash(self):
        self.found("driver", "FAIL", "signal 6", "reboot", fake="crash=1")

    def test_not_a_driver(self):
        self.library("libcuda.so.580.65.06", "cublaslt")
        self.found("driver", "FAIL", "cuInit")


class Gpu(Doctor):
    def setUp(self):
        super().setUp()
        self.gpu_machine()

    def test_too_old(self):
        rows = self.found("gpu0", "FAIL", ["sm_61", "too old"], "cpu backend", fake="capability=61")
        self.assertNotIn("convolution", rows)

    def test_second_is_used(self):
        self.found("gpu1", "OK", "Staged GPU 1, sm_120", fake="gpus=2 capability=61 capability1=120")

    def test_compute_mode(self):
        self.found("gpu0", "WARN", "exclusive", "nvidia-smi -i 0 -c DEFAULT", fake="mode=3")
        self.found("gpu0", "FAIL", "another process", "nvidia-smi -i 0 -c DEFAULT", fake="mode=3 context=46")
        self.found("gpu0", "FAIL", "prohibited", "-c DEFAULT", fake="mode=2 context=101")

    def test_memory(self):
        self.found("gpu0", "WARN", ["0.2 free", "little memory"], "nvidia-smi", fake="free_mib=200")
        self.found("gpu0", "FAIL", "out of memory", "nvidia-smi", fake="context=2")

    @unittest.skipUnless("nvcodec" in FEATURES, "built without nv-codec-headers")
    def test_decoder(self):
        rows = self.found("decoder", "OK", ["H.264 8192x8192, HEVC 8192x8192, HEVC-10", "VP9",
                                            "JPEG 32768x16384"])
        self.assertTrue(rows["decoder"]["fact"].endswith("; not AV1, AV1-10"))

    @unittest.skipIf("nvcodec" in FEATURES, "built with nv-codec-headers")
    def test_decoder_unknown(self):
        self.found("decoder", "NOTE", "nv-codec-headers", "libffmpeg-nvenc-dev")

    def test_no_decoder(self):
        self.missing("libnvcuvid.so.1")
        self.found("decoder", "WARN", "libnvcuvid.so.1", "video")


class Libraries(Doctor):
    def setUp(self):
        super().setUp()
        self.gpu_machine()

    def test_no_nvrtc(self):
        self.missing("libnvrtc.so.13")
        self.found("nvrtc", "WARN", ["with which cuDNN joins", "libnvrtc.so.13"], "cuda-nvrtc-13-0")

    def test_python_packages(self):
        """The loader knows cuDNN's folder only: what cuDNN needs is in those beside it."""
        folders = [os.path.join(self.root, "nvidia", name, "lib") for name in ("cudnn", "cu13")]
        for folder, names in zip(folders, (["libcudnn.so.9"], ["libcublasLt.so.13", "libnvrtc.so.13"])):
            os.makedirs(folder)
            for name in names:
                shutil.copy(os.path.join(self.lib, name), folder)
        self.missing("libcublasLt.so.13", "libnvrtc.so.13")
        os.unlink(os.path.join(self.lib, "libcudnn.so.9"))
        rows = self.found("cublaslt", "OK", folders[1],
                          env={"LD_LIBRARY_PATH": f"{folders[0]}:{self.lib}"})
        self.assertIn(folders[1], rows["nvrtc"]["fact"])
        self.assertEqual(rows["cudnn_engines"]["state"], "OK")

    def test_no_builtins(self):
        self.found("nvrtc", "WARN", ["error 6", "libnvrtc-builtins.so.13.0"], "cuda-nvrtc-13-0", fake="nvrtc=6")

    def test_no_cublaslt(self):
        """cuDNN would end the process, so doctor does not call it."""
        self.missing("libcublasLt.so.13")
        rows = self.found("cublaslt", "WARN", [OWN_ALONE, "libcublasLt.so.13"], "libcublas-13-0", fake="abort=1")
        self.assertEqual(rows["cudnn"]["state"], "OK")
        self.assertNotIn("cudnn_engines", rows)

    def test_no_cudnn(self):
        self.missing("libcudnn.so.9", "libcudnn.so.8")
        rows = self.found("cudnn", "WARN", ["so " + OWN_ALONE, "libcudnn.so.9"], "libcudnn9-cuda-13")
        self.assertNotIn("FAIL", [row["state"] for name, row in rows.items() if name != "backend"])
        self.library("libcudnn.so.8", "cudnn")
        self.found("cudnn", "WARN", ["cuDNN 8", OWN_ALONE], "libcudnn9-cuda-13")

    def test_cudnn_too_old(self):
        self.found("cudnn", "WARN", ["9.1.0", "expected 9.8", OWN_ALONE], "libcudnn9", fake="cudnn=90100")

    def test_cudnn_of_another_cuda(self):
        self.found("cudnn", "WARN", ["for CUDA 12", "expected CUDA 13; without libcublasLt.so.12, " + OWN_ALONE],
                   "nvidia-cudnn-cu13", fake="cudart=12080")

    def test_cudnn_aborts(self):
        self.found("cudnn_engines", "WARN", "signal 6", "Y10_CUDA_CONV=own", fake="abort=1")

    def test_cudnn_in_pieces(self):
        other = os.path.join(self.folder.name, "other")
        os.mkdir(other)
        mixed = ":".join([self.library("libcudnn_heuristic.so.9", "cublaslt", other),
                          os.path.join(self.lib, "libcudnn_engines_precompiled.so.9")])
        self.found("cudnn_libraries", "WARN", ["different folders", other, self.lib], "remove one",
                   env={"Y10_FAKE_LOADS": mixed})
        self.found("cudnn_libraries", "WARN", ["incompatible, so " + OWN_ALONE, other], "remove one",
                   fake="mismatch=1002", env={"Y10_FAKE_LOADS": mixed})

    def test_part_of_cudnn_missing(self):
        self.found("cudnn_engines", "WARN", [OWN_ALONE, "not loaded: libcudnn_heuristic.so"],
                   "one complete cuDNN", fake="configs=0",
                   env={"Y10_FAKE_LOADS": os.path.join(self.lib, "libcudnn_engines_precompiled.so.9")})

    def test_cudnn_does_not_start(self):
        rows = self.found("cudnn_engines", "WARN", [OWN_ALONE, "on GPU 0, error 1001: staged"], "driver",
                          fake="create=1001")
        self.assertNotIn("convolution", rows)

    def test_two_runtimes(self):
        two = [self.library(name, "cublaslt") for name in ("libcudart.so.13", "libcudart.so.12")]
        self.found("cudart", "WARN", ["2 copies"] + two, "remove", env={"Y10_FAKE_LOADS": ":".join(two)})


class PlanCache(Doctor):
    def setUp(self):
        super().setUp()
        self.gpu_machine()
        self.plans = os.path.join(self.cache, "yolov10detect", "plans")
        os.mkdir(os.path.dirname(self.plans))

    def test_none_yet(self):
        self.found("plan_cache", "OK", ["none yet", self.plans])

    def test_good(self):
        os.mkdir(self.plans, 0o700)
        self.found("plan_cache", "OK", "0 files in " + self.plans)

    def test_writable_by_others(self):
        os.mkdir(self.plans)
        os.chmod(self.plans, 0o777)
        self.found("plan_cache", "WARN", "by others", "chmod go-w " + self.plans)

    def test_not_a_folder(self):
        with open(self.plans, "w", encoding="ascii"):
            pass
        self.found("plan_cache", "WARN", "not a writable folder", "rm -r " + self.plans)


class Backend(Doctor):
    """The module is found and loads without a GPU, too."""

    def test_broken(self):
        self.missing("libcuda.so.1")
        path = os.path.join(self.backend, "liby10-cuda.so")
        with open(path, "w", encoding="ascii"):
            pass
        self.found("backend", "FAIL", [path, "cannot be loaded"], "of one build")

    def test_not_installed(self):
        self.gpu_machine()
        rows, _problems = self.cuda()
        if "is not installed in" not in rows["backend"]["fact"]:
            self.skipTest("it is installed, or built beside the tool")
        self.assertEqual(rows["backend"]["state"], "WARN")
        self.assertIn("setup.sh --cuda --install", rows["backend"]["fix"])

    def test_not_a_backend(self):
        self.gpu_machine()
        path = self.library("liby10-cuda.so", "cublaslt", self.backend)
        self.found("backend", "FAIL", [path, "y10_backend_module"], "fix the problems")

    @unittest.skipUnless(os.path.exists(SIMULATOR), "there is no simulator")
    def test_good(self):
        rows = self.found("backend", "OK", "", env=self.simulated())
        self.assertEqual(rows["convolution"]["fact"], "correct, plans built without a handle")
        self.assertIn("auto takes CUDA: ", rows["self_check"]["fact"])

    def simulated(self, **variables):
        return {"Y10_BACKEND_PATH": os.path.dirname(SIMULATOR), **variables}

    @unittest.skipUnless(SIMULATES, "no simulator, or no elements")
    def test_handles(self):
        rows = self.found("convolution", "OK", ["correct, plans built with a handle: ", "EXECUTION_FAILED"],
                          env=self.simulated(Y10_SIM_CUDNN="handles"))
        self.assertEqual(rows["self_check"]["state"], "OK")
        rows = self.found("convolution", "FAIL", "does not run a convolution", "CUDNN_LOGLEVEL_DBG",
                          env=self.simulated(Y10_SIM_CUDNN="refuse"))
        self.assertNotIn("self_check", rows)

    @unittest.skipUnless(SIMULATES and os.path.exists(PTX), "no simulator, no elements or no PTX")
    def test_own_convolutions(self):
        """One warning for one cause: by the row that finds cuDNN missing, else by the convolution."""
        own = self.simulated(Y10_SIM_PTX="80", Y10_SIM_CAPABILITY="8.0")
        self.gpu_machine()
        rows = self.found("convolution", "WARN", ["correct, but " + OWN_ALONE, "EXECUTION_FAILED"], "cuDNN",
                          env=dict(own, Y10_SIM_CUDNN="refuse"))
        self.assertEqual((rows["cudnn"]["state"], rows["self_check"]["state"]), ("OK", "OK"))
        self.missing("libcudnn.so.9", "libcudnn.so.8")
        rows = self.found("convolution", "OK", "correct, own convolutions, because cuDNN 9 is not installed",
                          env=dict(own, Y10_SIM_CUDNN="missing"))
        self.assertEqual((rows["cudnn"]["state"], rows["self_check"]["state"]), ("WARN", "OK"))

    @unittest.skipUnless(SIMULATES, "no simulator, or no elements")
    def test_no_model(self):
        """The bundled model is searched for relative to the library, here a copy of it."""
        library = os.path.join(os.path.dirname(Y10), "../engine/liby10.so.1")
        if not os.path.exists(library):
            self.skipTest("the library is not beside the tool")
        shutil.copy(library, self.lib)
        rows, problems = self.cuda(env=self.simulated())
        if rows["convolution"]["state"] == "OK":
            self.skipTest("the model is installed")
        row = rows["convolution"]
        self.assertEqual(row["state"], "WARN")
        self.assertIn("codes.safetensors is not in", row["fact"])
        self.assertIn("--model FILE", row["fix"])
        self.assertNotIn("CUDNN", row["fix"])
        self.assertNotIn("error", [p["severity"] for p in problems])

    @unittest.skipUnless(SIMULATES, "no simulator, or no elements")
    def test_wrong_kernel(self):
        self.found("self_check", "FAIL", ["auto does not take CUDA", "differ from the reference"], "update",
                   env=self.simulated(Y10_SIM_BREAK="kernel:y10_maxpool5_f16"))


if __name__ == "__main__":
    main()
