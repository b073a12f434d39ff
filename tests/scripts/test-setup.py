#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""tools/setup.sh on simulated machines: apt, dpkg, sudo and Meson are replaced by scripts that
record their arguments. Nothing is installed."""
import fcntl
import os
import pty
import re
import shutil
import struct
import subprocess
import tempfile
import termios
import unittest

# apt-get's output for three packages on Debian 12.
APT = """Reading package lists...
Building dependency tree...
The following NEW packages will be installed:
  libjson-glib-1.0-0 libjson-glib-1.0-common libzint2.11
0 upgraded, 3 newly installed, 0 to remove and 4 not upgraded.
Need to get 546 kB of archives.
After this operation, 1,532 kB of additional disk space will be used.
Get:1 http://mirror.example/debian bookworm/main amd64 libjson-glib-1.0-common all 1.6.6-1 [59.6 kB]
Get:2 http://mirror.example/debian bookworm/main amd64 libjson-glib-1.0-0 amd64 1.6.6-1 [65.9 kB]
Get:3 http://mirror.example/debian bookworm/main amd64 libzint2.11 amd64 2.11.1-1 [420 kB]
Fetched 546 kB in 0s (1,930 kB/s)
Selecting previously unselected package libjson-glib-1.0-common.
(Reading database ... 68013 files and directories currently installed.)
Preparing to unpack .../libjson-glib-1.0-common_1.6.6-1_all.deb ...
Unpacking libjson-glib-1.0-common (1.6.6-1) ...
Selecting previously unselected package libjson-glib-1.0-0:amd64.
Unpacking libjson-glib-1.0-0:amd64 (1.6.6-1) ...
Unpacking libzint2.11:amd64 (2.11.1-1) ...
Setting up libjson-glib-1.0-common (1.6.6-1) ...
Setting up libjson-glib-1.0-0:amd64 (1.6.6-1) ...
Setting up libzint2.11:amd64 (2.11.1-1) ...
Processing triggers for libc-bin (2.36-9+deb12u10) ...
"""
SETUP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/setup.sh")
TOOLS = "bash env cat dirname readlink mktemp mkdir tail id grep sed stat stty true ln mv uname flock comm sort awk tr rm".split()


class Machine:
    """A project folder, and a PATH with only the programs that a test puts there."""

    def __init__(self, folder):
        self.root = os.path.join(folder, "project")
        self.bin = os.path.join(folder, "bin")
        self.log = os.path.join(folder, "log")
        self.wheels = os.path.join(self.root, "tools/setup/cuda-wheels.txt")
        os.makedirs(os.path.join(self.root, "tools"))
        os.mkdir(os.path.join(self.root, "cuda"))
        shutil.copy(os.path.join(os.path.dirname(SETUP), "../cuda/meson.build"),
                    os.path.join(self.root, "cuda"))
        os.mkdir(self.bin)
        shutil.copy(SETUP, os.path.join(self.root, "tools/setup.sh"))
        shutil.copytree(os.path.join(os.path.dirname(SETUP), "setup"),
                        os.path.join(self.root, "tools/setup"))
        for tool in TOOLS:
            os.symlink(shutil.which(tool), os.path.join(self.bin, tool))
        self.add("meson", '[ "$1" != setup ] || { mkdir -p build; : >build/build.ninja; }')
        self.add("ninja")

    def add(self, name, does="exit 0"):
        path = os.path.join(self.bin, name)
        if os.path.lexists(path):
            os.unlink(path)
        with open(path, "w", encoding="utf-8") as script:
            script.write(f'#!/bin/bash\necho "{name} $*" >>{self.log}\ncd {self.root}\n{does}\n')
        os.chmod(path, 0o755)

    def run(self, *arguments):
        """(exit status, output, calls that it made)"""
        if os.path.exists(self.log):
            os.unlink(self.log)
        done = subprocess.run([os.path.join(self.root, "tools/setup.sh"), *arguments],
                              env={"PATH": self.bin, "HOME": "/nonexistent",
                                   "CUDA_HOME": os.path.join(self.root, "cuda")}, cwd="/",
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=60, check=False)
        calls = []
        if os.path.exists(self.log):
            with open(self.log, encoding="utf-8") as log:
                calls = log.read().splitlines()
        return done.returncode, done.stdout, calls

    def run_on_terminal(self, *arguments):
        """(exit status, output on a terminal of 60 columns)"""
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
        process = subprocess.Popen([os.path.join(self.root, "tools/setup.sh"), *arguments],
                                   env={"PATH": self.bin, "HOME": "/nonexistent", "TERM": "xterm"},
                                   stdin=subprocess.DEVNULL, stdout=follower, stderr=follower)
        os.close(follower)
        text = b""
        while True:
            try:
                piece = os.read(leader, 4096)
            except OSError:  # Linux returns EIO where others return end of file
                break
            if not piece:
                break
            text += piece
        os.close(leader)
        return process.wait(timeout=60), text.decode()

    @staticmethod
    def packages():
        """The packages that a build needs, from setup.sh's list."""
        with open(SETUP, encoding="utf-8") as script:
            return script.read().split("packages=(")[1].split(")")[0].split()

    def toolkit(self, release, cudnn):
        """An nvcc and the headers of a cuDNN, as in /usr/local/cuda."""
        include = os.path.join(self.root, "cuda/include")
        os.makedirs(include, exist_ok=True)
        os.makedirs(os.path.join(self.root, "cuda/bin"), exist_ok=True)
        nvcc = os.path.join(self.root, "cuda/bin/nvcc")
        with open(nvcc, "w", encoding="utf-8") as script:
            script.write(f'#!/bin/bash\necho "Cuda compilation tools, release {release}, V{release}.1"\n')
        os.chmod(nvcc, 0o755)
        with open(os.path.join(include, "cuda.h"), "w", encoding="utf-8"):
            pass
        with open(os.path.join(include, "cudnn_version.h"), "w", encoding="utf-8") as header:
            header.write("#define CUDNN_MAJOR {}\n#define CUDNN_MINOR {}\n".format(*cudnn.split(".")))

    def pip(self, works=True):
        """A pip that creates the same folders as the wheels."""
        fails = "" if works else "echo 'no network'; exit 1"
        self.add("python3", f"""case "$*" in *--version*) exit ;; esac
            {fails}
            for word; do [ "$before" != --target ] || to=$word; before=$word; done
            mkdir -p "$to/nvidia/cudnn/include" "$to/nvidia/cu13/include"
            : >"$to/nvidia/cudnn/include/cudnn.h" """)

    def debian(self, root=True, installed="", known="curl"):
        """dpkg-query knows the @installed packages ("all"), apt-cache the @known ones."""
        self.add("id", f"echo {0 if root else 1000}")
        self.add("apt-get")
        self.add("apt-cache", f'case " {known} " in *" $2 "*) echo "  Candidate: 1.0" ;; '
                              '*) echo "  Candidate: (none)" ;; esac')
        self.add("dpkg-query", f'for p; do case $p in -*) ;; *) case "{installed}" in '
                               'all | *" $p "*) printf "installed:%s " "$p" ;; esac ;; esac; done')


class Setup(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.machine = Machine(self.folder.name)

    def named(self, calls, name):
        return [call for call in calls if call.split()[0] == name]

    def test_two_at_once(self):
        """The second command waits for the first, and says for whom."""
        os.makedirs(os.path.join(self.machine.root, "build"))
        holder = os.open(os.path.join(self.machine.root, "build"), os.O_RDONLY)
        fcntl.flock(holder, fcntl.LOCK_EX)
        command = [os.path.join(self.machine.root, "tools/setup.sh"), "--no-packages"]
        with subprocess.Popen(command, env={"PATH": self.machine.bin}, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, text=True) as p:
            self.assertRegex(p.stdout.readline(),
                             f"waiting for another command that builds in build/: process {os.getpid()}, ")
            self.assertFalse(os.path.exists(self.machine.log))
            os.close(holder)
            p.communicate(timeout=60)
            self.assertEqual(p.returncode, 0)
        self.assertTrue(os.path.exists(self.machine.log))

    def test_stopped(self):
        """A run that was stopped before Meson knew the packages does not leave them unknown."""
        self.machine.run("--no-packages")
        self.assertNotIn("--reconfigure", str(self.machine.run("--no-packages")[2]))
        self.assertIn("--reconfigure", str(self.machine.run("--no-packages", "--tests")[2]))
        for arguments in (("--no-packages", "--tests"), ("--no-packages",)):
            self.assertNotIn("--reconfigure", str(self.machine.run(*arguments)[2]))

    def test_root_installs_once_then_never_asks_apt(self):
        self.machine.debian(installed=" gcc ")
        status, text, calls = self.machine.run()
        self.assertEqual(status, 0, text)
        apt = self.named(calls, "apt-get")
        self.assertEqual(len(apt), 2, calls)
        self.assertTrue(apt[0].endswith(" update"), apt)
        words = apt[1].split()
        self.assertIn("--no-install-recommends", words)
        for package in ("meson", "fonts-dejavu-core", "gstreamer1.0-libav", "curl"):
            self.assertIn(package, words)
        self.assertNotIn("gcc", words)
        self.assertNotIn("shellcheck", words)

        self.machine.debian(installed="all")
        status, text, calls = self.machine.run()
        self.assertEqual(status, 0, text)
        self.assertEqual(self.named(calls, "apt-get"), [])
        self.assertEqual(self.named(calls, "meson"), [])
        self.assertNotEqual(self.named(calls, "ninja"), [])

    def test_more_for_codes_tests_and_ci(self):
        self.machine.debian()
        for argument, package in (("--codes", "python3-zxing-cpp"), ("--tests", "python3-zxing-cpp"),
                                  ("--rtsp", "gir1.2-gst-rtsp-server-1.0"),
                                  ("--tests", "gir1.2-gst-rtsp-server-1.0"),
                                  ("--tests", "g++"), ("--ci", "clang")):
            _status, _text, calls = self.machine.run(argument)
            self.assertIn(package, self.named(calls, "apt-get")[1].split())

    def test_more_for_frames_in_cuda_memory(self):
        package = "libgstreamer-plugins-bad1.0-dev"
        self.machine.toolkit("13.0", "9.19")
        self.machine.debian(known="curl " + package)
        for argument, wanted in (("--cuda", True), ("--ci", True), ("--tests", False)):
            _status, _text, calls = self.machine.run(argument)
            self.assertEqual(package in self.named(calls, "apt-get")[1].split(), wanted, argument)

    def test_goes_on_without_an_optional_package(self):
        self.machine.debian(known="")
        status, text, calls = self.machine.run()
        self.assertEqual(status, 0, text)
        self.assertIn("no curl", text)
        self.assertNotIn("curl", self.named(calls, "apt-get")[1])

    def test_goes_on_where_an_optional_package_cannot_be_installed(self):
        known = "curl libffmpeg-nvenc-dev"
        installed = f' {" ".join(self.machine.packages())} curl '
        self.machine.toolkit("13.0", "9.19")
        self.machine.debian(root=False, installed=installed, known=known)
        status, text, calls = self.machine.run("--cuda")
        self.assertEqual(status, 0, text)
        self.assertIn("continuing without libffmpeg-nvenc-dev: installing needs root", text)
        self.assertEqual(self.named(calls, "apt-get"), [])
        self.machine.debian(installed=installed, known=known)
        self.machine.add("apt-get", "echo 'E: no network'; exit 100")
        status, text, calls = self.machine.run("--cuda")
        self.assertEqual(status, 0, text)
        self.assertIn("continuing without libffmpeg-nvenc-dev", text)
        self.machine.debian(installed=installed, known=known)
        status, text, calls = self.machine.run("--cuda")
        self.assertEqual(status, 0, text)
        self.assertIn("libffmpeg-nvenc-dev", self.named(calls, "apt-get")[1].split())
        self.assertEqual(self.named(self.machine.run()[2], "apt-get"), [])

    def test_not_root_prints_the_command(self):
        self.machine.debian(root=False)
        status, text, calls = self.machine.run()
        self.assertEqual(status, 1)
        self.assertIn("sudo apt-get update && sudo apt-get install", text)
        self.assertIn("gstreamer1.0-plugins-ugly", text)
        self.assertEqual(self.named(calls, "apt-get") + self.named(calls, "meson"), [])

    def test_sudo_without_password_is_used(self):
        self.machine.debian(root=False)
        self.machine.add("sudo", 'shift; exec "$@"')
        status, text, calls = self.machine.run()
        self.assertEqual(status, 0, text)
        self.assertEqual(len(self.named(calls, "apt-get")), 2)
        self.assertTrue(any(" apt-get " in call for call in self.named(calls, "sudo")))

    def test_not_debian_lists_what_is_needed(self):
        status, text, calls = self.machine.run()
        self.assertEqual(status, 1)
        self.assertIn("not Debian or Ubuntu", text)
        self.assertIn("libgstreamer1.0-dev", text)
        self.assertEqual(calls, [])
        status, text, _calls = self.machine.run("--no-packages")
        self.assertEqual(status, 0, text)

    def test_apt_failing_shows_what_it_said(self):
        self.machine.debian()
        self.machine.add("apt-get", "echo 'E: no network'; exit 100")
        status, text, calls = self.machine.run()
        self.assertEqual(status, 1)
        self.assertIn("E: no network", text)
        self.assertEqual(self.named(calls, "meson"), [])

    def test_apt_progress_on_a_terminal(self):
        self.machine.debian()
        self.machine.add("apt-get", f'case "$*" in *install*) cat <<"END"\n{APT}END\nesac')
        status, text = self.machine.run_on_terminal()
        self.assertEqual(status, 0, text)
        drawn = [piece.split("\r")[0] for piece in text.split("\r\033[K")]
        for line in ("setup: downloading 3 packages, 546 kB",
                     "setup: downloading package 2 of 3 (libjson-glib-1.0-0)",
                     "setup: unpacking package 3 of 3 (libzint2.11:amd64)",
                     "setup: setting up package 1 of 3 (libjson-glib-1.0-common)"[:59],
                     "setup: finishing packages (libc-bin)"):
            self.assertIn(line, drawn)
        self.assertNotIn("Preparing", text)

    def test_apt_progress_in_a_log(self):
        """An occasional line, not one for each package."""
        self.machine.debian()
        lines = APT.replace("'", "").splitlines()
        wait = lines.index("Setting up libjson-glib-1.0-0:amd64 (1.6.6-1) ...")
        self.machine.add("apt-get", 'case "$*" in *install*) printf "%s\\n" '
                         + " ".join(f"'{line}'" for line in lines[:wait + 1])
                         + f"; sleep 2.5; echo '{lines[wait + 1]}' ;; esac")
        os.symlink(shutil.which("sleep"), os.path.join(self.machine.bin, "sleep"))
        progress = os.path.join(self.machine.root, "tools/setup/progress.sh")
        with open(progress, encoding="utf-8") as file:
            script = file.read()
        self.assertIn("progress_every=10\n", script)
        with open(progress, "w", encoding="utf-8") as file:
            file.write(script.replace("progress_every=10\n", "progress_every=1\n"))
        status, text, _calls = self.machine.run()
        self.assertEqual(status, 0, text)
        self.assertIn("setup: setting up package 2 of 3 (libjson-glib-1.0-0:amd64)\n", text)
        self.assertLess(text.count("package"), 10, text)
        self.assertNotIn("\033", text)

    def test_build_says_how_long_and_how_far(self):
        self.machine.debian(installed="all")
        self.machine.add("nproc", "echo 4")
        self.machine.add("ninja", 'for i in {1..400}; do echo "[$i/400] Compiling $i.c"; done')
        status, text = self.machine.run_on_terminal()
        self.assertEqual(status, 0, text)
        self.assertIn("building: 400 steps on 4 cores, about 20 s", text)
        self.assertIn("\r\033[Ksetup: compiling, 123 of 400 steps", text)
        self.assertNotIn("Compiling", text)

    def test_time_left_never_rises(self):
        """The first steps are the slowest, and this machine is slower than expected."""
        progress = os.path.join(self.machine.root, "tools/setup/progress.sh")
        lines = [f"[{n}/400] Compiling {n}.c" for n in (1, 2, 3, 4, 60, 61, 300, 390)]
        # Time, as bash counts it, passes in the reader.
        script = f""". {progress}; began=0 expected=60
            for line in {" ".join(f"'{line}'" for line in lines)}; do
              SECONDS=$((SECONDS + 40)); read_ninja "$line"; echo "$left"; done"""
        told = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
        seconds = [int(n) * (60 if unit == "min" else 1)
                   for n, unit in re.findall(r"about (\d+) (s|min) left", told.stdout)]
        self.assertEqual(len(seconds), len(lines), told.stdout)
        self.assertEqual(seconds, sorted(seconds, reverse=True))
        self.assertLess(seconds[-1], 40)

    def test_build_failing_shows_why(self):
        self.machine.debian(installed="all")
        self.machine.add("ninja", "echo 'engine.c:1: error: oops'; exit 1")
        status, text, _calls = self.machine.run()
        self.assertEqual(status, 1)
        self.assertIn("engine.c:1: error: oops", text)

    def test_configures_again_after_installing(self):
        self.machine.debian(installed="all")
        self.machine.run()
        self.machine.debian(installed=" gcc ")
        _status, _text, calls = self.machine.run()
        self.assertTrue(any("--reconfigure" in call for call in self.named(calls, "meson")), calls)

    def test_cuda_by_the_toolkit(self):
        self.machine.debian(installed="all")
        self.machine.toolkit("12.4", "9.8")
        status, text, calls = self.machine.run("--cuda")
        self.assertEqual(status, 0, text)
        self.assertEqual(self.named(calls, "python3"), [])
        include = os.path.join(self.machine.root, "cuda/include")
        self.assertIn(f"-Dcuda=enabled -Dcudaincludedir={include}", self.named(calls, "meson")[0])
        self.assertIn(include, text)

    def test_first_build_is_the_product(self):
        """Neither tests nor the kernels of CPUs and GPUs that are not here; an nvcc alone is no GPU."""
        self.machine.debian(installed="all")
        self.machine.toolkit("13.0", "9.19")
        setup = self.named(self.machine.run()[2], "meson")[0].split()
        self.assertIn("-Dtests=disabled", setup)
        self.assertIn("-Dcuda=disabled", setup)
        self.assertIn("-Dcpu-kernels=native", setup)
        again = self.named(self.machine.run("--tests")[2], "meson")
        self.assertIn("-Dtests=enabled", again[-1].split())
        self.assertIn("-Dcpu-kernels=all", again[-1].split())
        self.assertNotIn("cuda", again[-1])
        self.assertEqual(self.named(self.machine.run("--tests")[2], "meson"), [])
        self.assertEqual(self.named(self.machine.run()[2], "meson"), [])
        # As if another CPU had configured it.
        stamp = os.path.join(self.machine.root, "build/configured-with")
        with open(stamp, encoding="utf-8") as file:
            lines = [line for line in file if not line.startswith(("flags", "Features"))]
        with open(stamp, "w", encoding="utf-8") as file:
            file.writelines(lines)
        again = self.named(self.machine.run()[2], "meson")
        self.assertIn("--reconfigure", again[-1].split())
        self.assertNotIn("cpu-kernels", again[-1])

    def test_kernels_of_the_gpus_here(self):
        for told, wanted in (("8.9", "89"), ("9.0\\n8.6\\n9.0", "90,86"), ("12.1", None), ("", None)):
            self.machine.debian(installed="all")
            self.machine.toolkit("13.0", "9.19")
            self.machine.add("nvidia-smi", f'printf "{told}\\n"')
            shutil.rmtree(os.path.join(self.machine.root, "build"), ignore_errors=True)
            status, text, calls = self.machine.run()
            self.assertEqual(status, 0, text)
            setup = self.named(calls, "meson")[0].split()
            self.assertIn("-Dcuda=enabled", setup)
            self.assertEqual([word for word in setup if word.startswith("-Dcuda-gpus")],
                             [f"-Dcuda-gpus={wanted}"] if wanted else [], told)
            self.assertEqual(self.named(self.machine.run()[2], "meson"), [])
        # What is published has the kernels of all.
        setup = self.named(self.machine.run("--ci")[2], "meson")[-1].split()
        self.assertIn("-Dcuda-gpus=[]", setup)

    def test_gpu_without_toolkit(self):
        """A gigabyte is downloaded on request only."""
        self.machine.debian(installed="all")
        self.machine.add("nvidia-smi", "echo 8.9")
        status, text, calls = self.machine.run()
        self.assertEqual(status, 0, text)
        self.assertIn("-Dcuda=disabled", self.named(calls, "meson")[0].split())
        self.assertIn("--cuda", text)

    def test_cuda_by_wheels(self):
        self.machine.debian(installed="all")
        self.machine.pip()
        for release, cudnn in ((None, None), ("11.8", "9.19"), ("13.0", "9.7"), ("13.0", "8.9")):
            if release:
                self.machine.toolkit(release, cudnn)
            shutil.rmtree(os.path.join(self.machine.root, "build"), ignore_errors=True)
            status, text, calls = self.machine.run("--cuda")
            self.assertEqual(status, 0, text)
            pip = [call for call in self.named(calls, "python3") if " install " in call]
            self.assertEqual(len(pip), 1, calls)
            for word in ("--no-deps", "--require-hashes"):
                self.assertIn(word, pip[0].split())
            self.assertTrue(pip[0].endswith(" -r " + self.machine.wheels), pip)
            self.assertEqual([w for w in pip[0].split() if w.startswith("nvidia-")], [])
            include = os.path.join(self.machine.root, "build/nvidia/nvidia/cu13/include")
            self.assertTrue(os.path.isfile(os.path.join(include, "cudnn.h")))
            self.assertIn(f"-Dcudaincludedir={include}", self.named(calls, "meson")[0])
            self.assertIn("LD_LIBRARY_PATH=", text)
        _status, _text, calls = self.machine.run("--cuda")
        self.assertFalse([call for call in self.named(calls, "python3") if " install " in call])

    def test_every_wheel_has_a_hash(self):
        """Every package needs a hash for each architecture, or pip's --require-hashes rejects
        all."""
        with open(self.machine.wheels, encoding="utf-8") as file:
            text = file.read().replace("\\\n", "")
        wheels = [line.split() for line in text.splitlines() if not line.startswith("#")]
        names = [wheel[0].split("==")[0] for wheel in wheels]
        self.assertEqual(sorted(names), ["nvidia-cublas", "nvidia-cuda-crt", "nvidia-cuda-nvcc",
                                         "nvidia-cuda-nvrtc", "nvidia-cuda-runtime",
                                         "nvidia-cudnn-cu13", "nvidia-nvvm"])
        for wheel in wheels:
            self.assertRegex(wheel[0], r"^[a-z0-9-]+==[0-9.]+$")
            self.assertEqual(len(set(wheel[1:])), 2, wheel)
            for word in wheel[1:]:
                self.assertRegex(word, r"^--hash=sha256:[0-9a-f]{64}$")

    def test_cuda_without_network(self):
        self.machine.debian(installed="all")
        self.machine.pip(works=False)
        status, text, calls = self.machine.run("--cuda")
        self.assertEqual(status, 1)
        self.assertIn("no network", text)
        self.assertEqual(self.named(calls, "meson"), [])

    def test_cuda_wants_pip(self):
        self.machine.debian(installed=" gcc ")
        self.machine.add("python3", "exit 1")
        status, text, calls = self.machine.run("--cuda")
        self.assertIn("python3-pip", self.named(calls, "apt-get")[1].split())
        self.assertEqual(status, 1)
        self.assertIn("no pip", text)

    def test_unknown_argument(self):
        status, text, calls = self.machine.run("--fast")
        self.assertEqual((status, calls), (1, []))
        self.assertIn("unknown argument '--fast'", text)

    def test_install_and_uninstall_exclude_each_other(self):
        status, text, calls = self.machine.run("--install", "--uninstall")
        self.assertEqual((status, calls), (1, []))
        self.assertIn("exclude each other", text)

    def test_install_needs_root_before_it_builds(self):
        self.machine.debian(root=False, installed="all")
        self.machine.add("pkg-config", "echo /plugins")
        status, text, calls = self.machine.run("--install")
        self.assertEqual((status, self.named(calls, "meson") + self.named(calls, "ninja")), (1, []))
        self.assertIn("sudo tools/setup.sh --install", text)

    def test_uninstall_needs_root(self):
        self.machine.debian(root=False)
        status, text, calls = self.machine.run("--uninstall")
        self.assertEqual((status, self.named(calls, "apt-get")), (1, []))
        self.assertIn("sudo tools/setup.sh --uninstall", text)

    def test_help(self):
        status, text, calls = self.machine.run("--help")
        self.assertEqual((status, calls), (0, []))
        self.assertIn("--install", text)


if __name__ == "__main__":
    unittest.main()
