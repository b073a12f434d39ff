#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 the yolov10detect authors
"""Checks the machine code (SASS) of our kernels for each GPU that they are compiled for, without a
GPU. Spilled registers, fences, atomics on global memory and accesses narrower than 16 bytes only
cost time, so no other test notices them.

usage: sass-check.py [OPTION]... [CUBIN|FOLDER]...

  CUBIN, FOLDER    the code to read; by default the folder build/cuda. A folder must contain all
                   GPUs of the table, if the same nvcc compiled it
  --table FILE     the expected values; by default sass.txt beside this script
  --update         writes the table instead of comparing with it
  --zero-only      ignores the table
  --counter-test   tests that the check finds its faults, in text and, with nvcc, in compiled code
  --nvcc NVCC      the nvcc for --counter-test
  --fetch          installs nvdisasm in build-ci/ by pip if there is none (6 MB)

Code of any compiler must contain no access to local memory, no fence and no global atomic; that of
the convolutions on tensor cores, their instructions and asynchronous copies. The table has the number of 16-byte accesses for each version of nvcc, since each unrolls loops
differently; code of another version must have at least half of the fewest in a kernel's row.
Different versions may compile the GPUs.

Exit status: 0, 1 if a check fails, 77 if nvdisasm, nvcc or code is missing."""
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
# This version also reads code of older releases. Newer versions may name
# instructions differently.
WHEEL = "nvidia-cuda-nvdisasm==13.2.86"
WHEELS = os.path.join(ROOT, "build-ci/nvdisasm-13.2.86")

# CUDA 12 writes the second form.
TARGET = re.compile(r"^\s*\.(?:target\s+sm_|headerflags.*EF_CUDA_SM)(\d+)", re.M)
SECTION = re.compile(r"^\s*\.section\s+\.text\.(\w+),", re.M)
# Offset, then an optional predicate; on older GPUs paired instructions are in
# braces.
INSTRUCTION = re.compile(r"^\s*/\*[0-9a-f]{4,}\*/\s+(?:\{\s*)?(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)", re.M)
RELEASE = re.compile(rb"release [0-9.]+, V([0-9.]+)")

# ATOMS works on shared memory, which is allowed; BAR.RED is a barrier.
FORBIDDEN = {
    "local memory": ("LDL", "STL"),
    "fences": ("MEMBAR", "UMEMBAR", "FENCE", "ERRBAR"),
    "global atomics": ("ATOM", "ATOMG", "RED", "REDG", "UREDGR"),
}
# LDGSTS goes from global to shared memory.
LOADS, STORES = ("LDG", "LDGSTS"), ("STG",)

Code = collections.namedtuple("Code", "forbidden loads stores")
MISSING = "missing"


def needed(name, arch):
    """The instructions without which a kernel would be something else."""
    if not name.startswith(("y10_igemm_", "y10_separable_")) or ("_f16_" not in name and int(arch) < 80):
        return ()
    return ("HMMA", "LDSM") + (("LDGSTS",) if int(arch) >= 80 else ())


def read_sass(text):
    """(architecture, {kernel: Code}) of nvdisasm's output."""
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
        bases = {full.split(".")[0] for full in names}
        for instruction in needed(name, arch[1]) if arch else ():
            if instruction not in bases:
                count[MISSING, instruction] += 1
        if names:
            kernels[name] = Code(count, loads, stores)
    return arch[1] if arch else None, kernels


def forbidden(arch, kernels):
    for name, code in sorted(kernels.items()):
        for (what, instruction), n in sorted(code.forbidden.items()):
            yield (f"{name} for sm_{arch} has no {instruction}: {what}" if what == MISSING
                   else f"{name} for sm_{arch} has {n} {instruction}: {what}, expected none")


def read_table(path):
    """{nvcc's version: {(kernel, architecture): (loads, stores)}}, one block of lines each."""
    version, archs, table = None, [], {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            words = line.split("#")[0].split()
            if words[:1] == ["nvcc"]:
                version, archs = words[1], []
                table[version] = {}
            elif words[:1] == ["kernel"]:
                archs = [w.removeprefix("sm_") for w in words[1:]]
            elif words:
                for arch, cell in zip(archs, words[1:], strict=True):
                    loads, stores = cell.split("/")
                    table[version][words[0], arch] = int(loads), int(stores)
    return table


def write_table(path, table):
    names = sorted({name for block in table.values() for name, _ in block})
    width = max(map(len, names))
    with open(path, "w", encoding="utf-8") as f:
        f.write("# Loads from and stores to global memory that move 16 bytes, in each kernel's machine code,\n"
                "# for each version of nvcc. sass-check.py compares them, and --update writes those of the\n"
                "# versions that it reads anew. All code has no access to local memory, no fence and no atomic\n"
                "# on global memory.\n")
        for version, block in sorted(table.items()):
            archs = sorted({arch for _, arch in block}, key=int)
            f.write(f"nvcc {version}\n{'kernel':{width}}" + "".join(f"{'sm_' + a:>9}" for a in archs) + "\n")
            for name in names:
                cells = [block.get((name, a), (0, 0)) for a in archs]
                f.write(f"{name:{width}}" + "".join(f"{f'{c[0]}/{c[1]}':>9}" for c in cells) + "\n")


def updated(table, found):
    """@table with the blocks of the versions in @found replaced."""
    table = {v: block for v, block in table.items() if v not in {version for version, _ in found.values()}}
    for arch, (version, kernels) in found.items():
        table.setdefault(version, {}).update({(name, arch): (c.loads, c.stores) for name, c in kernels.items()})
    return table


def least(table, name, which):
    """The minimum of a kernel's accesses of 16 bytes with any nvcc: half of the
    fewest of all versions and GPUs in the table, since each version unrolls
    loops differently."""
    counts = [row[which] for block in table.values() for (n, _), row in block.items() if n == name]
    return (min(counts) + 1) // 2 if counts else None


def against_table(found, table, whole):
    """@found: {architecture: (nvcc's version, {kernel: Code})}."""
    versions = {version for version, _ in found.values()}
    if whole:
        for version in sorted(versions & set(table)):
            for arch in sorted({a for _, a in table[version]} - set(found), key=int):
                yield f"there is no code for sm_{arch}, which the table has for nvcc {version}"
    for arch, (version, kernels) in found.items():
        block = table.get(version, {})
        if block and arch not in {a for _, a in block}:
            yield f"the table has no column for sm_{arch} by nvcc {version}; if that is meant: --update"
            continue
        expected = {n for b in table.values() for n, _ in b}
        for name in sorted(expected - set(kernels)) if whole else ():
            yield f"{name} is in the table, but there is no code of it for sm_{arch}"
        for name, code in sorted(kernels.items()):
            if name not in expected:
                yield f"{name} has no row in the table; for sm_{arch} it is {code.loads}/{code.stores}"
                continue
            for which, what, n in (0, "loads", code.loads), (1, "stores", code.stores):
                if block and n != block[name, arch][which]:
                    yield (f"{name} for sm_{arch} has {n} {what} of 16 bytes, expected "
                           f"{block[name, arch][which]}; if that is meant: --update")
                elif not block and n < least(table, name, which):
                    yield (f"{name} for sm_{arch} has {n} {what} of 16 bytes, expected at least "
                           f"{least(table, name, which)} of any nvcc")


def find_nvdisasm(nvcc, fetch):
    """The toolkit's nvdisasm, the fetched one, or any on the PATH; None if
    there is none."""
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
# Replacements for the load of 8 bytes, and the word that the report must
# contain.
BAD = {
    "LDL R3, [R1]": "local memory", "@P0 STL.64 [R1+0x8], R4": "local memory",
    "@!UP0 STL.128 [R1], R4": "local memory", "MEMBAR.SC.GPU": "fences", "ERRBAR": "fences",
    "ATOMG.E.ADD.STRONG.GPU PT, R3, desc[UR4][R2.64], R5": "global atomics",
    "ATOM.E.CAS.64 R3, [R2], R4, R6": "global atomics",
    "{ RED.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR4][R2.64], R5": "global atomics",
    "REDG.E.ADD.STRONG.GPU desc[UR4][R2.64], R5": "global atomics",
}
# The kernels of sass-wrong.cu with their words; "" for the correct one.
COMPILED = {"spills": "local memory", "waits": "fences", "counts": "global atomics", "right": ""}


def counter_test_text():
    """Returns faults that were not found, and findings without a fault."""
    arch, kernels = read_sass(GOOD)
    if arch != "90" or kernels != {"kernel": Code(collections.Counter(), 3, 1)}:
        yield f"good code is read as {arch}, {kernels}"
    for instruction, what in BAD.items():
        text = GOOD.replace("LDG.E.64 R12, desc[UR4][R2.64+0x20]", instruction)
        found = list(forbidden(*read_sass(text)))
        if len(found) != 1 or what not in found[0]:
            yield f"{instruction}: {found}"
    for arch, n in ("75", 2), ("90", 3):
        text = GOOD.replace("LDGSTS", "LDG").replace("sm_90", "sm_" + arch).replace("kernel", "y10_igemm_f16_x")
        found = list(forbidden(*read_sass(text)))
        if len(found) != n or not all(MISSING in f for f in found):
            yield f"a convolution without tensor cores for sm_{arch}: {found}"
    table = {"13.0.88": {("kernel", "90"): (3, 1), ("kernel", "110"): (4, 1)},
             "12.9.41": {("kernel", "87"): (2, 1)}}
    other = GOOD.replace("sm_90", "sm_110").replace("LDG.E.64", "LDG.E.128")
    tegra = GOOD.replace("sm_90", "sm_87").replace("BYPASS.128", "BYPASS.64")
    narrow = GOOD.replace("@P0 LDG.E.128 ", "@P0 LDG.E.64 ")
    narrower = re.sub(r"(LDG|STS|BYPASS)(\S*)\.128", r"\1\2.64", GOOD)
    known = [("13.0.88", GOOD), ("13.0.88", other)]
    for codes, n in ((known, 0), (known[:1], 1), (known + [("12.9.41", tegra)], 0),
                     (known + [("12.9.41", tegra.replace("LDG.E.128.C", "LDG.E.64.C"))], 1),
                     ([("13.0.88", narrow), known[1]], 1), ([("13.1.2", narrow)], 0),
                     ([("13.1.2", narrower)], 1), ([("13.1.2", GOOD.replace(".text.kernel", ".text.other"))], 2),
                     (known + [("13.0.88", GOOD.replace("sm_90", "sm_75"))], 1)):
        found = {}
        for version, text in codes:
            arch, kernels = read_sass(text)
            found[arch] = version, kernels
        problems = list(against_table(found, table, True))
        if len(problems) != n:
            yield f"{n} problems expected of {[(v, a) for a, (v, _) in found.items()]}, found {problems}"
    old = {"13.0.88": {("a", "90"): (3, 1)}, "12.9.41": {("a", "87"): (2, 1)}}
    new = dict(old, **{"13.0.88": {("a", "75"): (3, 1)}})
    with tempfile.NamedTemporaryFile("r") as f:
        write_table(f.name, updated(old, {"75": ("13.0.88", {"a": read_sass(GOOD)[1]["kernel"]})}))
        if read_table(f.name) != new:
            yield f"an updated table is read back as {read_table(f.name)}"


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
    print(f"doctored code: {len(found)} of {len(BAD) + 13} wrong")
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
    found, wrong = {}, []
    for cubin in cubins:
        arch, kernels = disassemble(nvdisasm, cubin)
        wrong += forbidden(arch, kernels)
        if not kernels:
            wrong.append(f"{cubin} has no code")
        if arch in found:
            wrong.append(f"{cubin} is a second one for sm_{arch}")
        found[arch] = compiled_by(cubin), kernels
    table = read_table(args.table) if os.path.exists(args.table) else {}
    for version in sorted({v for v, _ in found.values()}):
        of = [a for a in sorted(found, key=int) if found[a][0] == version]
        print(f"{sum(len(found[a][1]) for a in of)} kernels for {', '.join('sm_' + a for a in of)}, by nvcc "
              f"{version}" + ("" if version in table or args.zero_only or args.update else
                              ", which the table does not have: at least half of the accesses is expected"))
    if args.update and not wrong:
        write_table(args.table, updated(table, found))
    elif not args.zero_only and not args.update:
        wrong += against_table(found, table, whole)
    print(*wrong, f"{len(wrong)} problems", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
