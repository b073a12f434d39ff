# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""The machine this runs on: where its GPU's libraries are, and the environment
in which the archive's programs find these, GStreamer and each other. Programs
use the machine's C library unless it is older than the one they were linked
with; then the loader in the archive starts them.
"""
import glob
import os
import platform
import re
import shutil
import site
import subprocess
import sys

# One library of each row is needed; the first that is found counts.
CUDA_LIBRARIES = (("libcudnn.so.9",), ("libcublasLt.so.13", "libcublasLt.so.12"),
                  ("libnvrtc.so.13", "libnvrtc.so.12"))
DRIVER_FOLDERS = ("/usr/local/nvidia/lib64", "/usr/local/nvidia/lib",
                  "/usr/lib/x86_64-linux-gnu", "/usr/lib/wsl/lib", "/usr/lib64")
CUPTI_FOLDERS = ("/usr/local/cuda/extras/CUPTI/lib64",)
TOOL_FOLDERS = ("/usr/local/cuda/bin", "/usr/local/nvidia/bin",
                "/usr/local/cuda/compute-sanitizer")


def command_output(command):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=60,
                              check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""


def find_tool(name):
    """A program on the PATH or in NVIDIA's usual folders."""
    found = shutil.which(name)
    for folder in TOOL_FOLDERS:
        for path in sorted(glob.glob(os.path.join(folder, name)), reverse=True):
            if not found and os.access(path, os.X_OK):
                found = path
    return found


def loader_cache():
    """{name: path} of the libraries in the loader's cache."""
    text = command_output(["ldconfig", "-p"]) or command_output(["/sbin/ldconfig", "-p"])
    found = {}
    for name, path in re.findall(r"^\s+(\S+) \(libc6,x86-64[^)]*\) => (\S+)$", text, re.M):
        found.setdefault(name, path)
    return found


def python_folders():
    """Folders of libraries in NVIDIA's Python packages."""
    roots = [p for p in sys.path if p.endswith("-packages")] + site.getsitepackages()
    folders = []
    for root in dict.fromkeys(roots):
        folders += sorted(glob.glob(os.path.join(root, "nvidia", "*", "lib")))
    return folders


def counts_gpus(driver):
    """The number of GPUs by the driver, queried in another process, which a
    broken driver may end."""
    code = ("import ctypes, sys; cuda = ctypes.CDLL(sys.argv[1]); n = ctypes.c_int(0); "
            "print(n.value if cuda.cuInit(0) == 0 and cuda.cuDeviceGetCount(ctypes.byref(n)) "
            "!= 0 else n.value)")
    out = command_output([sys.executable, "-c", code, driver])
    return int(out) if out.strip().isdigit() else 0


def version(text):
    return tuple(int(n) for n in re.findall(r"\d+", text)[:2])


class Machine:
    """root: the unpacked archive, or a folder laid out like it."""

    def __init__(self, root, out):
        self.root, self.out = root, out
        self.cache = loader_cache()
        self.extra = [f for f in os.environ.get("LD_LIBRARY_PATH", "").split(":") if f]
        self.libraries, folders = self.find_cuda()
        driver = self.find_library("libcuda.so.1", DRIVER_FOLDERS)
        self.libraries["libcuda.so.1"] = driver
        if driver and "libcuda.so.1" not in self.cache:
            folders.append(os.path.dirname(driver))
        self.has_gpu = bool(driver) and counts_gpus(driver) > 0
        self.decoder = self.find_library("libnvcuvid.so.1", DRIVER_FOLDERS)
        if not self.decoder:
            folders.append(os.path.join(root, "nvcuvid-none"))
        folders += [f for f in CUPTI_FOLDERS if os.path.isdir(f)]
        self.library_path = ":".join([os.path.join(root, "lib")] + folders + self.extra)
        self.loader = self.find_loader()

    def find_library(self, name, folders=()):
        """The file that the loader would find by itself, or one in @folders."""
        for folder in self.extra:
            if os.path.exists(os.path.join(folder, name)):
                return os.path.join(folder, name)
        if name in self.cache:
            return self.cache[name]
        for folder in folders:
            if os.path.exists(os.path.join(folder, name)):
                return os.path.join(folder, name)
        return None

    def find_cuda(self):
        """NVIDIA's Python packages come first: their versions fit together."""
        found, folders = {}, []
        packages = python_folders()
        for names in CUDA_LIBRARIES:
            path = None
            for folder in packages:
                for name in names:
                    if not path and os.path.exists(os.path.join(folder, name)):
                        path = os.path.join(folder, name)
                        folders += [folder] if folder not in folders else []
            for name in names:
                path = path or self.find_library(
                    name, ("/usr/local/cuda/lib64", *DRIVER_FOLDERS))
            found[names[0]] = path
            if path and os.path.dirname(path) == "/usr/local/cuda/lib64":
                folders.append(os.path.dirname(path))
        return found, folders

    def find_loader(self):
        """The loader that must start programs, or None for the machine's
        own."""
        carried = os.path.join(self.root, "libc")
        loader = os.path.join(carried, "ld-linux-x86-64.so.2")
        try:
            with open(os.path.join(carried, "needed"), encoding="ascii") as f:
                needed = f.read()
        except OSError:
            return None
        if version(platform.libc_ver()[1]) >= version(needed) \
                and os.path.exists("/lib64/ld-linux-x86-64.so.2"):
            return None
        return [loader, "--library-path", carried + ":" + self.library_path]

    def program(self, name):
        """The command that starts a program of the archive."""
        return (self.loader or []) + [os.path.join(self.root, "bin", name)]

    def environment(self, backend):
        """The environment of the archive's programs; backend: cuda, cuda-sim or
        cpu."""
        env = {k: v for k, v in os.environ.items()
               if not k.startswith(("GST_", "Y10_", "LD_", "GDK_", "XDG_"))}
        env.update({
            "LC_ALL": "C.UTF-8",
            "HOME": self.out,
            "XDG_CACHE_HOME": os.path.join(self.out, "cache"),
            "XDG_DATA_DIRS": os.path.join(self.root, "share"),
            "FONTCONFIG_FILE": os.path.join(self.root, "share", "fonts", "fonts.conf"),
            "GIO_MODULE_DIR": os.path.join(self.root, "none"),
            "GST_PLUGIN_SYSTEM_PATH_1_0": os.path.join(self.root, "gst"),
            "GST_REGISTRY_1_0": os.path.join(self.out, "registry.bin"),
            "GST_REGISTRY_FORK": "no",
            "Y10_TEST_DATA_DIR": os.path.join(self.root, "data"),
            "Y10_BACKEND_PATH": os.path.join(
                self.root, "sim" if backend == "cuda-sim" else "backend"),
        })
        if not self.loader:
            env["LD_LIBRARY_PATH"] = self.library_path
        if backend == "cuda-sim":
            env["Y10_SIM_CAPABILITY"] = "8.0"
        return env

    def facts(self):
        """The facts about the machine that the report contains."""
        smi = find_tool("nvidia-smi")
        query = ("name,driver_version,memory.total,clocks.sm,clocks.mem,clocks.max.sm,"
                 "clocks.max.mem,temperature.gpu,power.draw,power.limit,pstate,"
                 "compute_mode,mig.mode.current,pcie.link.gen.current")
        gpu = {}
        if smi:
            values = command_output([smi, f"--query-gpu={query}", "--format=csv,noheader"])
            if values.strip():
                gpu = dict(zip(query.split(","), [v.strip() for v in
                                                  values.splitlines()[0].split(", ")]))
        cpu = re.search(r"model name\s*: (.*)", command_output(["cat", "/proc/cpuinfo"]))
        return {
            "gpu": gpu or None, "has_gpu": self.has_gpu,
            "libraries": self.libraries, "decoder": self.decoder,
            "cpu": cpu.group(1) if cpu else None, "cpus": os.cpu_count(),
            "kernel": platform.release(), "libc": platform.libc_ver()[1],
            "carried_libc": bool(self.loader), "python": platform.python_version(),
            "tools": {name: find_tool(name) for name in
                      ("nvidia-smi", "compute-sanitizer")},
        }
