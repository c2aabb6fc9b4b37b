#!/usr/bin/env python3
"""Is the host code that kernels are compiled to the same as it was?

    tests/golden/host_code.py --gcnjit build/release/gcnjit --objects build/release/tests/kernels/code_objects
        compares it with host_code.txt; exit code 1, and the kernels, if it differs
    ... --renew                  writes that file: after a change that is meant to change host code
    ... --against OLDER/gcnjit   shows how the host code of two programs differs, kernel by kernel
    ... --against OLDER/gcnjit --kernel saxpy

host_code.txt has a line for each kernel: its code object, its name, and for each of VARIANTS (instruction
set and work-group size) a hash of the host instructions and how many bytes they take. All are compiled
for the processor model 'generic', so that every host has the same.
"""
import argparse
import concurrent.futures
import difflib
import functools
import hashlib
import os
import re
import subprocess
import sys

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "host_code.txt")
OBJECTS = re.compile(r"(gfx803|gfx906)\.clang15\.v4\.O2\.co$|gfx906\.clang19\.v5\.O3\.co$")
VARIANTS = [("avx2", "64"), ("avx2", "16,16"), ("avx512", "64"), ("avx512", "16,16")]
INSTRUCTION = "        "  # how the listing indents host instructions


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gcnjit", required=True)
    parser.add_argument("--objects", required=True, help="the folder of tests/kernels' code objects")
    parser.add_argument("--renew", action="store_true", help="write host_code.txt")
    parser.add_argument("--against", metavar="GCNJIT", help="show the differences from this program's host code")
    parser.add_argument("--kernel", default="", help="with --against: this kernel only")
    return parser.parse_args()


def listings(gcnjit, path, variant):
    """The lines of each kernel's listing, by kernel."""
    isa, local = variant
    result = subprocess.run([gcnjit, "disasm", path, f"--host={isa}", "--local", local, "--tuning=generic"],
                            capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{path}, {isa}, {local}: {result.stderr.strip()}")
    kernels = {}
    for text in re.split(r"^; kernel ", result.stdout, flags=re.M)[1:]:
        kernels[text[:text.index(",")]] = numbered(text).split("\n")
    return kernels


def numbered(text):
    """Labels are numbered as they appear: not part of the code, only of the order in which it was made."""
    numbers = {}  # the letter first: what a pattern begins with is searched for quickly
    return re.sub(r"L(?<!\wL)(\d+)\b", lambda label: f"L{numbers.setdefault(label[1], len(numbers))}", text)


def summary(lines):
    code = "\n".join(line for line in lines if line.startswith(INSTRUCTION))
    size = re.search(r"(\d+) bytes$", lines[0]).group(1)
    return f"{hashlib.sha256(code.encode()).hexdigest()[:10]}:{size}"


def lines_of(gcnjit, folder, name):
    variants = [listings(gcnjit, os.path.join(folder, name), variant) for variant in VARIANTS]
    return [" ".join([name.removesuffix(".co"), kernel] + [summary(variant[kernel]) for variant in variants])
            for kernel in variants[0]]


def show(gcnjit, older, folder, names, wanted):
    """Prints the differences between the listings of two programs; how many kernels have some."""
    different = 0
    for name in names:
        for variant in VARIANTS:
            now, before = (listings(each, os.path.join(folder, name), variant) for each in (gcnjit, older))
            for kernel in now:
                if wanted in ("", kernel) and summary(now[kernel]) != summary(before.get(kernel, ["0 bytes"])):
                    different += 1
                    label = f"{name} {kernel} {variant[0]} {variant[1]}"
                    print("\n".join(difflib.unified_diff(before.get(kernel, []), now[kernel], label, label, lineterm="")))
    return different


def main():
    options = arguments()
    for program in filter(None, (options.gcnjit, options.against)):
        if not os.access(program, os.X_OK):
            sys.exit(f"there is no program '{program}': build the target gcnjit_cli first")
    names = sorted(name for name in os.listdir(options.objects) if OBJECTS.search(name))
    if not names:
        sys.exit(f"{options.objects} has no code objects of tests/kernels: build them first")
    if options.against:
        different = show(options.gcnjit, options.against, options.objects, names, options.kernel)
        print(f"{different} listings differ", file=sys.stderr)
        return int(different != 0)
    # Processes: most of the time is Python's own.
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        of_name = functools.partial(lines_of, options.gcnjit, options.objects)
        lines = [line for part in pool.map(of_name, names) for line in part]
    if options.renew:
        with open(GOLDEN, "w") as file:
            file.write("\n".join(lines) + "\n")
        print(f"{len(lines)} kernels written")
        return 0
    with open(GOLDEN) as file:
        golden = {tuple(line.split()[:2]): line for line in file.read().splitlines()}
    now = {tuple(line.split()[:2]): line for line in lines}
    different = [key for key in dict.fromkeys([*golden, *now]) if golden.get(key) != now.get(key)]
    for key in different[:40]:
        print(f"was: {golden.get(key, 'not there')}\nis:  {now.get(key, 'not there')}")
    print(f"{len(now)} kernels executed, {len(different)} failed")
    if different:
        print("Host code has changed. --against shows how, beside an older build; --renew, if it is meant to.")
    return int(bool(different))


if __name__ == "__main__":
    sys.exit(main())
