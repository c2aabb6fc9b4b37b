#!/usr/bin/env python3
"""R25: hostile debug information: gcnjit keeps its own output, exit code and limits, whatever the DWARF says.

    hostile_lines.py --gcnjit=PROGRAM --objects=FOLDER [--seed=N] [--count=N] [--verbose]

Takes lines-*.co of FOLDER, linked and relocatable ones, which compilers have made with -g, changes their debug
sections and the relocations of these (bits, numbers, pieces, sizes, names and kinds of sections) and runs `gcnjit run` of a kernel that faults and `gcnjit disasm
--source`. Both must say what they say of the object as it was, but for source lines, of which each is a
line of plain text or is missing, with a note. A case takes at most what the confined process may have
(1 GiB of memory and 5 s of the processor; src/confined/limits.cpp) and what R22 allows the program itself.

  --seed, --count  cases seed, seed + 1, ...; a failure names its seed (1, 150)
  --verbose        a line for each case

Prints "N executed, M failed".
"""
import argparse
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import zlib

MIB = 1 << 20
MOST_MEMORY = 1024 * MIB + 64 * MIB + 8 * MIB
MOST_SECONDS = 5 + 2  # of the processor, of both processes
PATIENCE = 60  # of the clock, on a loaded machine
COMPILERS = ("clang14", "clang15", "clang19", "clang14.relocatable", "clang15.relocatable",
             "clang19.relocatable")  # hipcc's is a bundle


class Sections:
    """The section headers of an ELF file, in its bytes."""

    def __init__(self, data):
        self.data = data
        (self.table,) = struct.unpack_from("<Q", data, 40)
        self.size, self.count, self.names = struct.unpack_from("<HHH", data, 58)
        self.debug = [n for n in range(self.count) if b".debug" in self.name(n)]

    def field(self, n, offset):
        return self.table + n * self.size + offset

    def get(self, n, offset):
        return struct.unpack_from("<Q", self.data, self.field(n, offset))[0]

    def name(self, n):
        at = self.get(self.names, 24) + struct.unpack_from("<I", self.data, self.field(n, 0))[0]
        return bytes(self.data[at:self.data.index(b"\0", at)])

    def span(self, n):
        return self.get(n, 24), self.get(n, 32)


def extreme(random_, size):
    top = 1 << 8 * size
    return random_.choice([0, 1, 2, top - 1, top - 2, top // 2, top // 2 - 1, random_.randrange(top)])


BOMB_BYTES = 512 * MIB
BOMB = None  # compressed, made once


def bomb(original):
    """A compressed section that begins like the original and goes on for long: rows of lines, or entries."""
    global BOMB
    if BOMB is None:
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        chunk = bytes([1]) * MIB
        parts = [packer.compress(chunk) for _ in range(BOMB_BYTES // MIB)]
        # Raw, so that any begin can be put in front.
        BOMB = b"".join(parts) + packer.flush(zlib.Z_FINISH)
    total = len(original) + BOMB_BYTES
    begin = struct.pack("<I", total - 4) + original[4:]
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    stream = packer.compress(begin) + packer.flush(zlib.Z_FULL_FLUSH) + BOMB
    check = zlib.adler32(begin)
    chunk = bytes([1]) * MIB
    for _ in range(BOMB_BYTES // MIB):
        check = zlib.adler32(chunk, check)
    return struct.pack("<IIQQ", 1, 0, total, 1) + b"\x78\xda" + stream + struct.pack(">I", check)


def mutate(data, random_):
    """Changes `data`; what was done, in words."""
    sections = Sections(data)
    spans = {n: sections.span(n) for n in sections.debug}
    names = {n: sections.name(n).decode() for n in sections.debug}
    did = []
    for _ in range(random_.choice([1, 1, 2, 4, 16])):
        n = random_.choice(sections.debug)
        begin, size = spans[n]
        if size < 16:
            continue
        what = random_.choice(["bits", "number", "number", "copy", "fill", "size", "offset", "kind", "name", "zip"] * 10 + ["bomb"])
        at = begin + random_.randrange(size - 8)
        if what == "bits":
            for _ in range(random_.randrange(1, 40)):
                data[begin + random_.randrange(size)] ^= 1 << random_.randrange(8)
        elif what == "number":
            width = random_.choice([1, 2, 4, 8])
            data[at:at + width] = extreme(random_, width).to_bytes(width, "little")
        elif what == "copy":
            length = random_.randrange(1, min(size, 200))
            source = begin + random_.randrange(size - length + 1)
            target = begin + random_.randrange(size - length + 1)
            data[target:target + length] = data[source:source + length]
        elif what == "fill":
            length = random_.randrange(1, size)
            at = begin + random_.randrange(size - length)
            data[at:at + length] = bytes([random_.choice([0, 1, 0x7F, 0x80, 0xFF])]) * length
        elif what == "size":
            struct.pack_into("<Q", data, sections.field(n, 32), random_.choice([0, 1, size // 2, size - 1, len(data)]))
        elif what == "offset":
            struct.pack_into("<Q", data, sections.field(n, 24), random_.randrange(len(data)))
        elif what == "kind":
            struct.pack_into("<I", data, sections.field(n, 4), random_.choice([0, 1, 4, 8, 9, 17, 0xFFFFFFFF]))  # no symbols
        elif what == "name":
            other = random_.choice(sections.debug)
            data[sections.field(n, 0):sections.field(n, 4)] = data[sections.field(other, 0):sections.field(other, 4)]
        elif what == "bomb":
            content = bomb(bytes(data[begin:begin + size]))
            struct.pack_into("<Q", data, sections.field(n, 8), 0x800)
            struct.pack_into("<QQ", data, sections.field(n, 24), len(data), len(content))
            data += content
        elif what == "zip":  # SHF_COMPRESSED, and a header that tells a size
            struct.pack_into("<Q", data, sections.field(n, 8), 0x800)
            struct.pack_into("<IIQQ", data, begin, random_.choice([1, 2, 7]), 0, random_.choice([extreme(random_, 8), 1 << 30]), 1)
        # A section must be in the file.
        struct.pack_into("<Q", data, sections.field(n, 32), min(sections.get(n, 32), len(data) - sections.get(n, 24)))
        did.append(f"{what} of {names[n]}")
    return ", ".join(did)


def without_lines(text):
    """The text without source lines, and with addresses that do not change from run to run."""
    kept = []
    skipping = False
    for line in text.split("\n"):
        if line.startswith("  source     "):
            skipping = True
            continue
        if skipping and line.startswith("             inlined at "):
            continue
        skipping = False
        if line.startswith("//") or line.startswith("gcnjit: no source lines are shown: "):
            continue
        kept.append(re.sub(r"0x[0-9a-f]{8,}", "ADDRESS", line))
    return "\n".join(kept)


class Gcnjit:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.most_memory = self.most_seconds = 0

    def run(self, arguments):
        """Exit code (negative: a signal), output without source lines, problem."""
        paths = [os.path.join(self.folder, name) for name in ("out", "err")]
        with open(paths[0], "wb") as out, open(paths[1], "wb") as err:
            process = subprocess.Popen([self.program, *arguments], stdout=out, stderr=err, env={**os.environ, "GCNJIT_CACHE": "0"})
            before = os.times().elapsed
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        problem = ""
        if os.times().elapsed - before > PATIENCE:
            problem = f"took {os.times().elapsed - before:.0f} s"
        seconds, memory = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024
        self.most_seconds, self.most_memory = max(self.most_seconds, seconds), max(self.most_memory, memory)
        if memory > MOST_MEMORY:
            problem = f"took {memory // MIB} MiB"
        if seconds > MOST_SECONDS:
            problem = f"took {seconds:.1f} s of the processor"
        text = ""
        for path in paths:
            with open(path, "rb") as file:
                content = file.read()
            try:
                decoded = content.decode("utf-8")
            except UnicodeDecodeError:
                return process.returncode, "", "its output is no text"
            if any(ord(c) < 32 and c not in "\n\t" or 127 <= ord(c) < 160 for c in decoded):
                problem = "its output has control characters"
            text += without_lines(decoded)
        return process.returncode, text, problem


def commands(path):
    yield ["run", path, "--kernel", "multiply", "--global", "65536", "--arg", "buf:4096", "--arg", "u32:3",
           "--engine", "interp", "--threads", "1"]
    yield ["disasm", path, "--source"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gcnjit", required=True)
    parser.add_argument("--objects", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()

    executed = failed = with_lines = notes = 0
    with tempfile.TemporaryDirectory() as folder:
        gcnjit = Gcnjit(os.path.abspath(options.gcnjit), folder)
        path = os.path.join(folder, "x.co")
        originals = []
        for compiler in COMPILERS:
            with open(os.path.join(options.objects, f"lines-{compiler}.co"), "rb") as file:
                data = file.read()
            with open(path, "wb") as file:
                file.write(data)
            originals.append((data, [gcnjit.run(command) for command in commands(path)]))
            with open(os.path.join(folder, "out"), encoding="utf-8") as file:
                if "lines.h:" not in file.read():
                    print(f"no lines of {compiler}'s object")
                    failed += 1
        for seed in range(options.seed, options.seed + options.count):
            random_ = random.Random(seed)
            data, wanted = random_.choice(originals)
            data = bytearray(data)
            did = mutate(data, random_)
            with open(path, "wb") as file:
                file.write(data)
            problems = []
            for command, (code, text, _) in zip(commands(path), wanted):
                got_code, got_text, problem = gcnjit.run(command)
                if problem:
                    problems.append(f"{command[0]} {problem}")
                elif (got_code, got_text) != (code, text):
                    problems.append(f"{command[0]}: exit code {got_code}, {got_text[:300]!r}")
                with open(os.path.join(folder, "out" if command[0] == "disasm" else "err"), encoding="utf-8", errors="replace") as file:
                    with_lines += "lines.h:" in file.read()
                with open(os.path.join(folder, "err"), encoding="utf-8", errors="replace") as file:
                    notes += "no source lines are shown: " in file.read()
            executed += 1
            failed += bool(problems)
            for problem in problems:
                print(f"--seed={seed} --count=1: {did}: {problem}")
            if options.verbose and not problems:
                print(f"{seed}: {did}: right")
        print(f"{executed} executed, {failed} failed ({with_lines} outputs with lines, {notes} with a note; at most "
              f"{gcnjit.most_memory // MIB} MiB, {gcnjit.most_seconds:.1f} s)")
    return 0 if executed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
