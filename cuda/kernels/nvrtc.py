# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""NVRTC of CUDA 12 as a compiler of our kernels: NVIDIA's wheels for CUDA 12 contain no nvcc."""
import ctypes
import glob
import os

# Where NVRTC is not a compiler for host and device: functions that only the host calls are device
# functions that nobody calls, there are no headers of C, and memcpy has one name only.
OPTIONS = ["--std=c++17", "-default-device", "-D__builtin_memcpy=memcpy"]
HEADERS = {b"stddef.h": b"", b"stdint.h": b"typedef unsigned char uint8_t; typedef unsigned int uint32_t; "
           b"typedef int int32_t; typedef unsigned long long uint64_t; typedef long long int64_t;"}


class Nvrtc:
    def __init__(self, folder):
        self.include = os.path.join(folder, "nvidia/cuda_runtime/include")
        libraries = os.path.join(folder, "nvidia/cuda_nvrtc/lib")
        # NVRTC looks for its builtins by name alone.
        for builtins in glob.glob(os.path.join(libraries, "libnvrtc-builtins.so.*")):
            ctypes.CDLL(builtins)
        self.library = ctypes.CDLL(os.path.join(libraries, "libnvrtc.so.12"))
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
        self.version = f"{major.value}.{minor.value}"

    def _text(self, program, size, get):
        n = ctypes.c_size_t()
        getattr(self.library, size)(program, ctypes.byref(n))
        text = ctypes.create_string_buffer(n.value)
        getattr(self.library, get)(program, text)
        return text.raw

    def compile(self, path, arch, *more):
        """(cubin, log); the cubin is empty on failure."""
        options = [f"--gpu-architecture=sm_{arch}", "--include-path=" + self.include,
                   "--include-path=" + os.path.dirname(path), *OPTIONS, *more]
        with open(path, "rb") as f:
            source = f.read()
        program = ctypes.c_void_p()
        several = ctypes.c_char_p * len(HEADERS)
        self.library.nvrtcCreateProgram(ctypes.byref(program), source, os.path.basename(path).encode(),
                                        len(HEADERS), several(*HEADERS.values()), several(*HEADERS))
        result = self.library.nvrtcCompileProgram(
            program, len(options), (ctypes.c_char_p * len(options))(*map(str.encode, options)))
        log = self._text(program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog").rstrip(b"\0").decode()
        code = b""
        if result == 0:
            code = self._text(program, "nvrtcGetCUBINSize", "nvrtcGetCUBIN")
        self.library.nvrtcDestroyProgram(ctypes.byref(program))
        return code, log
