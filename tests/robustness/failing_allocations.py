#!/usr/bin/env python3
"""R26: the host's memory ends, at each allocation of a command.

    failing_allocations.py --library=FILE --launcher=PROGRAM --work=FILE --gcnjit=PROGRAM --object=FILE
        [--every=N] [--only=TEXT] [--verbose]

Each command runs again and again: with all allocations failing from the first one on, from the
second one on, and so forth, and with the first, the second, ... failing alone. Right is what the
command does otherwise, or exit code 2 with a message and no output file. A signal, a hang, another
exit code or another output is a failure.

  --library=FILE      failing_allocations.c, to be preloaded
  --launcher=PROGRAM  launch_once, which uses the API and launches the kernel of
  --work=FILE         failing_allocations.cl
  --gcnjit=PROGRAM    the program; it ends with exit code 2 even where a library of others may not throw
  --object=FILE       a code object with the kernel "scale"
  --every=N           each Nth allocation, beginning with another one for each command (1)
  --only=TEXT         commands with TEXT in their names
  --verbose           a line for each run that is refused, too

Prints "N executed, M failed".
"""
import argparse
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

SECONDS = 120  # of a run, on a loaded machine
ITEMS = 64 * 64
FACTOR = 3


def commands(options):
    """Of each command: its name, words and environment. OUT and CACHE stand for places of its own."""
    once = [options.launcher, options.work]
    yield "API, interp", once + ["interp"], {}
    yield "API, check", once + ["check"], {}
    for isa in ("avx2", "avx512"):
        yield f"API, {isa}", once + ["jit"], {"GCNJIT_FORCE_ISA": isa}
    launch = [options.object, "--kernel", "scale", "--global", str(ITEMS), "--local", "64",
              "--arg", f"iota:u32:{ITEMS}", "--arg", f"u32:{FACTOR}"]
    launch[7:7] = ["--arg", f"out:{4 * ITEMS}:OUT"]
    run = [options.gcnjit, "run"] + launch
    compiled = run + ["--compile-first", "--threads", "4", "--timeout", "100"]
    yield "run, interp", run + ["--engine", "interp", "--threads", "4", "--timeout", "100"], {}
    for isa in ("avx2", "avx512"):
        yield f"run, {isa}", compiled, {"GCNJIT_FORCE_ISA": isa}
    yield "run, cache", compiled, {"GCNJIT_CACHE": "1", "GCNJIT_CACHE_DIR": "CACHE"}
    yield "run, check", run + ["--check", "--json"], {}
    yield "run, fidelity", run + ["--fidelity"], {}
    yield "info", [options.gcnjit, "info", options.object], {}
    yield "disasm", [options.gcnjit, "disasm", options.object, "--kernel", "scale"], {}
    yield "disasm, ir", [options.gcnjit, "disasm", options.object, "--kernel", "scale", "--ir"], {}
    yield "disasm, host", [options.gcnjit, "disasm", options.object, "--kernel", "scale", "--host"], {}
    yield "diff", [options.gcnjit, "diff"] + [word.replace("out:", "buf:").replace(":OUT", "") for word in launch], {}


def steady(output):
    """What does not depend on time."""
    return [line for line in output.splitlines() if "seconds" not in line]


class Command:
    def __init__(self, options, folder, name, words, variables):
        self.name = name
        self.line = words
        self.variables = dict(variables)
        self.library = options.library
        self.folder = folder

    def run(self, number, once, count=None):
        """Exit code (negative: a signal; None: it hangs), output, messages, and the output file's bytes."""
        work = tempfile.mkdtemp(dir=self.folder)
        output = os.path.join(work, "out.bin")
        places = {"OUT": output, "CACHE": os.path.join(work, "cache")}
        line = [word.replace("OUT", output) if word.startswith("out:") else word for word in self.line]
        environment = {key: os.environ[key] for key in ("HOME", "PATH") if key in os.environ}
        environment["GCNJIT_CACHE"] = "0"
        environment.update({key: places.get(value, value) for key, value in self.variables.items()})
        environment["LD_PRELOAD"] = self.library
        if number is not None:
            environment["FAIL_FROM"] = str(number)
        if once:
            environment["FAIL_ONCE"] = "1"
        if count:
            environment["FAIL_COUNT"] = count
        try:
            result = subprocess.run(line, env=environment, timeout=SECONDS, stdin=subprocess.DEVNULL,
                                    capture_output=True, text=True, errors="replace")
        except subprocess.TimeoutExpired:
            return None, "", "", None
        left = [name for name in os.listdir(work) if name.startswith("out.bin")]
        data = None
        if left == ["out.bin"]:
            with open(output, "rb") as file:
                data = file.read()
        elif left:
            data = left
        shutil.rmtree(work)
        return result.returncode, result.stdout, result.stderr, data

    def prepare(self):
        """Without a failure: how many allocations there are, or why it cannot be run here."""
        count = os.path.join(self.folder, "count")
        code, self.output, messages, self.data = self.run(None, False, count)
        if code == 2 and "this processor does not have" in messages:
            return None
        right = struct.pack(f"<{ITEMS}I", *(FACTOR * n for n in range(ITEMS)))
        if code != 0 or self.data not in (None, right):
            sys.exit(f"failing_allocations: {self.name} ends with {code} without a failure: {messages}")
        with open(count, encoding="ascii") as file:
            return int(file.read())

    def judge(self, result):
        """What is wrong with a run; else nothing."""
        code, output, messages, data = result
        if code is None:
            return "hangs"
        if code < 0:
            return f"signal {-code}: {messages.strip()}"
        if code == 2:
            if data is not None:
                return "an output file, and exit code 2"
            return "" if messages.strip() else "exit code 2 without a message"
        if code != 0:
            return f"exit code {code}: {messages.strip()}"
        if data != self.data:
            return "the output file is wrong"
        return "" if steady(output) == steady(self.output) else "the output is wrong"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--library", "--launcher", "--work", "--gcnjit", "--object"):
        parser.add_argument(name, required=True)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    executed = failed = done = 0
    with tempfile.TemporaryDirectory(prefix="gcnjit-failing-") as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        for place, (name, words, variables) in enumerate(commands(options)):
            if options.only not in name:
                continue
            command = Command(options, folder, name, words, variables)
            count = command.prepare()
            if count is None:
                print(f"{name}: not on this processor")
                continue
            # How many there are differs a little from run to run: host threads come late, or not at all.
            cases = [(number, once) for once in (False, True)
                     for number in range(place % options.every, count + 16, options.every)]
            for (number, once), result in zip(cases, pool.map(lambda case: command.run(*case), cases)):
                wrong = command.judge(result)
                executed += 1
                failed += bool(wrong)
                done += not wrong and result[0] == 0
                how = "alone" if once else "and all after it"
                if wrong or (options.verbose and result[0] != 0):
                    print(f"{name}, allocation {number} of {count} {how}: {wrong or result[2].strip()}", flush=True)
    print(f"{executed} executed, {failed} failed ({done} done, {executed - failed - done} refused with a message)")
    return int(failed != 0 or executed == 0)


if __name__ == "__main__":
    sys.exit(main())
