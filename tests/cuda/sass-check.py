#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Reads the machine code (SASS) of our kernels, for each GPU that they are compiled for, without a
GPU: a register that goes through memory, a fence, an atomic on global memory and accesses narrower
than 16 bytes all give right results, only later, so that no other test notices them.

usage: sass-check.py [OPTION]... [CUBIN|FOLDER]...

  CUBIN, FOLDER    what to read; by default the folder build/cuda. A folder has to have all GPUs of
                   the table, if the same nvcc made it
  --table FILE     what is expected; by default sass.txt beside this script
  --update         writes the table instead of comparing with it
  --zero-only      does not look at the table
  --counter-test   whether the check notices what it is for, in text and, with nvcc, in compiled code
  --nvcc NVCC      for that
  --fetch          pip puts nvdisasm into build-ci/ where there is none (6 MB)

In code of any compiler there must be no access to local memory, no fence and no global atomic, and
a kernel whose row has accesses of 16 bytes must have some. How many is compared only if the version
of nvcc is the table's, since each version unrolls loops in its own way.

Exit status: 0, 1 when something is wrong, 77 when nvdisasm, nvcc or code is missing."""
import argparse
import collections
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "../..")
# Reads what older releases made, too. Newer ones may name instructions in another way.
WHEEL = "nvidia-cuda-nvdisasm==13.2.86"
WHEELS = os.path.join(ROOT, "build-ci/nvdisasm-13.2.86")

TARGET = re.compile(r"^\s*\.target\s+sm_(\d+)", re.M)
SECTION = re.compile(r"^\s*\.section\s+\.text\.(\w+),", re.M)
# Offset, then perhaps a predicate; those of a pair are in braces on older GPUs.
INSTRUCTION = re.compile(r"^\s*/\*[0-9a-f]{4,}\*/\s+(?:\{\s*)?(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)", re.M)
RELEASE = re.compile(rb"release [0-9.]+, V([0-9.]+)")

# ATOMS is shared memory's, which kernels are free to use; BAR.RED is a barrier.
FORBIDDEN = {
    "local memory": ("LDL", "STL"),
    "fences": ("MEMBAR", "UMEMBAR", "FENCE", "ERRBAR"),
    "global atomics": ("ATOM", "ATOMG", "RED", "REDG", "UREDGR"),
}
# LDGSTS goes from global to shared memory.
LOADS, STORES = ("LDG", "LDGSTS"), ("STG",)

Code = collections.namedtuple("Code", "forbidden loads stores")


def read_sass(text):
    """(architecture, {kernel: Code}) of what nvdisasm prints."""
    arch = TARGET.search(text)
    parts = SECTION.split(text)
    kernels = {}
    for name, body in zip(parts[1::2], parts[2::2]):
        names = collections.Counter(INSTRUCTION.findall(body))
        count = collections.Counter()
        loads = stores = 0
        for full, n in names.items():
            base = full.split(".")[0]
            for what, which in FORBIDDEN.items():
                if base in which:
                    count[what, full] += n
            if ".128" in full:
                loads += n * (base in LOADS)
                stores += n * (base in STORES)
        if names:
            kernels[name] = Code(count, loads, stores)
    return arch[1] if arch else None, kernels


def forbidden(arch, kernels):
    for name, code in sorted(kernels.items()):
        for (what, instruction), n in sorted(code.forbidden.items()):
            yield f"{name} for sm_{arch} has {n} {instruction}: {what}, expected none"


def read_table(path):
    """(nvcc's version, architectures, {(kernel, architecture): (loads, stores)})."""
    version, archs, table = None, [], {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            words = line.split("#")[0].split()
            if words[:1] == ["nvcc"]:
                version = words[1]
            elif words[:1] == ["kernel"]:
                archs = [w.removeprefix("sm_") for w in words[1:]]
            elif words:
                for arch, cell in zip(archs, words[1:], strict=True):
                    loads, stores = cell.split("/")
                    table[words[0], arch] = int(loads), int(stores)
    return version, archs, table


def write_table(path, version, found):
    archs = sorted(found, key=int)
    names = sorted({name for kernels in found.values() for name in kernels})
    width = max(map(len, names))
    with open(path, "w", encoding="utf-8") as f:
        f.write("# Loads from and stores to global memory that move 16 bytes, in each kernel's machine code.\n"
                "# sass-check.py compares them, and --update writes them anew. All code has no access to\n"
                "# local memory, no fence and no atomic on global memory.\n")
        f.write(f"nvcc {version}\n")
        f.write(f"{'kernel':{width}}" + "".join(f"{'sm_' + a:>9}" for a in archs) + "\n")
        for name in names:
            cells = [found[a].get(name) for a in archs]
            f.write(f"{name:{width}}" + "".join(f"{f'{c.loads}/{c.stores}' if c else '0/0':>9}" for c in cells) + "\n")


def against_table(version, found, table, whole):
    expected_version, archs, expected = table
    same = version == expected_version
    if whole and same:
        for arch in archs:
            if arch not in found:
                yield f"there is no code for sm_{arch}, which the table has"
    for arch, kernels in found.items():
        if arch not in archs:
            if same:
                yield f"the table has no column for sm_{arch}"
            continue
        if whole:
            for name in sorted({k for k, a in expected if a == arch} - set(kernels)):
                yield f"{name} is in the table, but there is no code of it for sm_{arch}"
        for name, code in sorted(kernels.items()):
            row = expected.get((name, arch))
            if row is None:
                yield f"{name} has no row in the table; for sm_{arch} it is {code.loads}/{code.stores}"
                continue
            for what, n, want in ("loads", code.loads, row[0]), ("stores", code.stores, row[1]):
                if same and n != want:
                    yield (f"{name} for sm_{arch} has {n} {what} of 16 bytes, expected {want}; "
                           "if that is meant: --update")
                elif want > 0 and n == 0:
                    yield f"{name} for sm_{arch} has no {what} of 16 bytes left"


def find_nvdisasm(nvcc, fetch):
    """The toolkit's, the one that was fetched, or any; None where there is none."""
    nvcc = nvcc or shutil.which("nvcc")
    fetched = os.path.join(WHEELS, "nvidia/cu13/bin/nvdisasm")
    for path in ([os.path.join(os.path.dirname(os.path.realpath(nvcc)), "nvdisasm")] if nvcc else []) + [fetched]:
        if os.access(path, os.X_OK):
            return path
    if shutil.which("nvdisasm"):
        return shutil.which("nvdisasm")
    if not fetch:
        print(f"no nvdisasm here: it comes with CUDA's toolkit, and {os.path.basename(__file__)} --fetch "
              f"puts {WHEEL} into {os.path.relpath(WHEELS)}")
        return None
    done = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--upgrade",
                           "--no-compile", "--only-binary", ":all:", "--root-user-action", "ignore",
                           "--target", WHEELS, WHEEL], capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"pip does not get {WHEEL}: {done.stderr.strip().splitlines()[-1:]}")
        return None
    return fetched


def disassemble(nvdisasm, cubin):
    done = subprocess.run([nvdisasm, "-c", cubin], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{nvdisasm} {cubin}: {done.stderr.strip()}")
    return read_sass(done.stdout)


def compiled_by(cubin):
    with open(cubin, "rb") as f:
        version = RELEASE.search(f.read())
    return version[1].decode() if version else "unknown"


GOOD = """	.target	sm_90
	.section	.text.kernel,"ax",@progbits
        /*0000*/                   LDG.E.128.CONSTANT R4, desc[UR4][R2.64] ;
        /*0010*/               @P0 LDG.E.128 R8, desc[UR4][R2.64+0x10] ;
        /*0020*/                   LDG.E.64 R12, desc[UR4][R2.64+0x20] ;
        /*0030*/                   LDGSTS.E.BYPASS.128 [R13], desc[UR4][R2.64] ;
        /*0040*/              @!P1 STG.E.128 desc[UR4][R14.64], R4 ;
        /*0050*/                   ATOMS.ADD RZ, [R7], R6 ;
        /*0060*/                   LDS.128 R16, [R7] ;
        /*0070*/                   BAR.RED.OR.DEFER_BLOCKING 0x0, P0 ;
        /*0080*/                   LDC.64 R4, c[0x0][0x210] ;
"""
# In place of the load of 8 bytes, and the word by which the report has to name it.
BAD = {
    "LDL R3, [R1]": "local memory", "@P0 STL.64 [R1+0x8], R4": "local memory",
    "@!UP0 STL.128 [R1], R4": "local memory", "MEMBAR.SC.GPU": "fences", "ERRBAR": "fences",
    "ATOMG.E.ADD.STRONG.GPU PT, R3, desc[UR4][R2.64], R5": "global atomics",
    "ATOM.E.CAS.64 R3, [R2], R4, R6": "global atomics",
    "{ RED.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR4][R2.64], R5": "global atomics",
    "REDG.E.ADD.STRONG.GPU desc[UR4][R2.64], R5": "global atomics",
}
# Of sass-wrong.cu, and "" for what is right.
COMPILED = {"spills": "local memory", "waits": "fences", "counts": "global atomics", "right": ""}


def counter_test_text():
    """What goes unnoticed, or is found where nothing is."""
    arch, kernels = read_sass(GOOD)
    if arch != "90" or kernels != {"kernel": Code(collections.Counter(), 3, 1)}:
        yield f"good code is read as {arch}, {kernels}"
    for instruction, what in BAD.items():
        text = GOOD.replace("LDG.E.64 R12, desc[UR4][R2.64+0x20]", instruction)
        found = list(forbidden(*read_sass(text)))
        if len(found) != 1 or what not in found[0]:
            yield f"{instruction}: {found}"
    table = "13.0.88", ["90"], {("kernel", "90"): (3, 1)}
    narrow = GOOD.replace("@P0 LDG.E.128 ", "@P0 LDG.E.64 ")
    narrower = re.sub(r"(LDG|STS|BYPASS)(\S*)\.128", r"\1\2.64", GOOD)
    for text, version, n in ((GOOD, "13.0.88", 0), (narrow, "13.0.88", 1), (narrow, "13.1.2", 0),
                             (narrower, "13.1.2", 1), (GOOD.replace(".text.kernel", ".text.other"), "13.1.2", 2),
                             (GOOD.replace("sm_90", "sm_75"), "13.0.88", 2)):
        arch, kernels = read_sass(text)
        found = list(against_table(version, {arch: kernels}, table, True))
        if len(found) != n:
            yield f"{n} expected of nvcc {version}, found {found}"


def counter_test_compiled(nvcc, nvdisasm):
    with tempfile.TemporaryDirectory() as folder:
        cubin = os.path.join(folder, "wrong.cubin")
        for arch in "75", "90":
            done = subprocess.run([nvcc, "-std=c++17", "-O3", "-arch=sm_" + arch, "-cubin", "-o", cubin,
                                   os.path.join(HERE, "sass-wrong.cu")], capture_output=True, text=True, check=False)
            if done.returncode:
                sys.exit(f"{nvcc}: {done.stderr.strip()}")
            _, kernels = disassemble(nvdisasm, cubin)
            if set(kernels) != set(COMPILED):
                yield f"sass-wrong.cu for sm_{arch} has {sorted(kernels)}"
            for name, what in COMPILED.items():
                found = list(forbidden(arch, {name: kernels[name]})) if name in kernels else []
                print(*found, sep="\n")
                if bool(found) != bool(what) or not all(what in f for f in found):
                    yield f"{name} for sm_{arch}: expected {what or 'nothing'}, found {found}"
            if "right" in kernels and kernels["right"][1:] != (2, 1):
                yield f"right for sm_{arch} is read as {kernels['right']}"


def counter_test(nvcc, nvdisasm):
    found = list(counter_test_text())
    print(f"doctored code: {len(found)} of {len(BAD) + 7} wrong")
    nvcc = nvcc or shutil.which("nvcc")
    if nvcc and nvdisasm:
        found += counter_test_compiled(nvcc, nvdisasm)
    print(*found, sep="\n")
    if not found and not (nvcc and nvdisasm):
        print("no compiled code: that takes nvcc and nvdisasm")
        return 77
    return 1 if found else 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0], add_help=True)
    parser.add_argument("--table", default=os.path.join(HERE, "sass.txt"))
    for option in "--update", "--zero-only", "--counter-test", "--fetch":
        parser.add_argument(option, action="store_true")
    parser.add_argument("--nvcc")
    parser.add_argument("code", nargs="*", default=[os.path.join(ROOT, "build/cuda")])
    args = parser.parse_args()
    nvdisasm = find_nvdisasm(args.nvcc, args.fetch)
    if args.counter_test:
        return counter_test(args.nvcc, nvdisasm)

    cubins, whole = [], False
    for path in args.code:
        whole |= os.path.isdir(path)
        cubins += sorted(glob.glob(os.path.join(path, "*.cubin"))) if os.path.isdir(path) else [path]
    if not cubins:
        print(f"no cubins in {', '.join(map(os.path.relpath, args.code))}: the build had no nvcc")
    if not cubins or not nvdisasm:
        return 77
    found, versions, wrong = {}, set(), []
    for cubin in cubins:
        arch, kernels = disassemble(nvdisasm, cubin)
        versions.add(compiled_by(cubin))
        wrong += forbidden(arch, kernels)
        if not kernels:
            wrong.append(f"{cubin} has no code")
        found.setdefault(arch, {}).update(kernels)
    version = ", ".join(sorted(versions))
    print(f"{sum(map(len, found.values()))} kernels for {', '.join('sm_' + a for a in sorted(found, key=int))}, "
          f"by nvcc {version}")
    if args.update and not wrong:
        write_table(args.table, version, found)
    elif not args.zero_only and not args.update:
        table = read_table(args.table)
        if version != table[0]:
            print(f"the table is of nvcc {table[0]}: counts are not compared")
        wrong += against_table(version, found, table, whole)
    print(*wrong, f"{len(wrong)} problems", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
