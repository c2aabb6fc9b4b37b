#!/usr/bin/env python3
"""R23: gcnjit on hosts that give little: each limit of a process, in several sizes, with each engine.

    poor_hosts.py --gcnjit=PROGRAM --object=FILE [--hip=PROGRAM] [--every=N] [--only=TEXT] [--verbose]

Runs `gcnjit run` of FILE's kernel "scale" and, with --hip, `gcnjit exec` of a HIP program under
RLIMIT_NPROC, RLIMIT_AS, RLIMIT_FSIZE, RLIMIT_NOFILE and RLIMIT_STACK. Right is exit code 0 with the
right output, or 2 with a message and no output. A signal, a hang, another exit code or another
output is a failure, and so is a limit that cannot be applied: RLIMIT_NPROC counts a user's threads
and does not bind root, so as root its runs are those of a user without other processes.

  --every=N    each Nth case, beginning with the first (1)
  --only=TEXT  cases with TEXT in their names
  --verbose    a line for each case

Prints "N executed, M failed".
"""
import argparse
import os
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
GUEST_RANGE = 256 * GIB  # of address space, which a device reserves; with 64 MiB for its pages
SECONDS = 120  # of a run, on a loaded machine
ITEMS = 64 * 512
FACTOR = 3

# Below the least of each, the dynamic linker cannot start any program. Of a stack of 16 KiB, what the
# kernel puts in front at random (8 KiB) and the environment leave it too little.
LIMITS = {
    "NPROC": [1, 2, 3, 4, 5, 6, 8, 12, 17],
    "AS": [64 * MIB, 256 * MIB, 4 * GIB, GUEST_RANGE] + [
        GUEST_RANGE + n * MIB for n in (*range(72, 168, 8), *range(176, 336, 16), 400, 500, 700, 1000, 2000, 4000)],
    "FSIZE": [0, 1, 511, 4 * KIB, 16 * KIB, 64 * KIB, 128 * KIB, MIB, 8 * MIB],
    "NOFILE": [4, 5, 6, 7, 8, 10, 12, 16, 24, 32],
    "STACK": [32 * KIB, 64 * KIB, 96 * KIB, 128 * KIB, 192 * KIB, 256 * KIB, 512 * KIB, MIB, 64 * MIB, 16 * GIB],
}


class Host:
    """The programs in a folder that every user may read, and how a limit is applied there."""

    def __init__(self, options, folder):
        self.folder = folder
        self.user = None
        if os.geteuid() == 0:
            self.user = 100_000 + os.getpid() % 1_000_000
        self.gcnjit = self.copy(options.gcnjit)
        library = os.path.join(os.path.dirname(os.path.abspath(options.gcnjit)), "lib")
        if os.path.isdir(library):
            shutil.copytree(library, os.path.join(folder, "lib"), symlinks=True)
        self.object = self.copy(options.object)
        self.hip = self.copy(options.hip) if options.hip else None
        for parent, folders, files in os.walk(folder):
            os.chmod(parent, 0o755)
            for name in files:
                os.chmod(os.path.join(parent, name), 0o755)

    def copy(self, path):
        return shutil.copy(path, self.folder)

    def scratch(self):
        """A folder for the files of one run."""
        path = tempfile.mkdtemp(dir=self.folder)
        os.chmod(path, 0o777)
        return path

    def limit(self, name, value):
        """What a child does before it executes a program."""
        kind = getattr(resource, "RLIMIT_" + name)

        def apply():
            resource.setrlimit(kind, (value, value))
            if name == "NPROC" and self.user is not None:
                os.setgroups([])
                os.setresgid(self.user, self.user, self.user)
                os.setresuid(self.user, self.user, self.user)
        return apply

    def binds(self, name, value):
        """Why the limit of threads is none here; else nothing. The other limits are for all users."""
        if name != "NPROC":
            return ""
        many, not_applied = 64, 255
        child = os.fork()
        if child == 0:
            made = 0
            try:
                self.limit(name, value)()
            except OSError:
                os._exit(not_applied)
            try:
                while made < many:
                    threading.Thread(target=time.sleep, args=(100,), daemon=True).start()
                    made += 1
            except RuntimeError:
                pass
            os._exit(made)
        made = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if made == not_applied:
            return "the process may not become another user, and RLIMIT_NPROC does not bind root"
        return "" if 0 <= made < many else f"RLIMIT_NPROC does not bind: {made} threads could be made"


def environment(engine, cache):
    """A small one: it lies on the stack, whose size is one of the limits."""
    variables = {key: os.environ[key] for key in ("HOME", "LD_LIBRARY_PATH", "PATH") if key in os.environ}
    variables["GCNJIT_CACHE"] = "1" if cache else "0"
    if cache:
        variables["GCNJIT_CACHE_DIR"] = cache
    if engine != "interp":
        variables["GCNJIT_FORCE_ISA"] = engine
    return variables


class RunCommand:
    """gcnjit run, on many threads, with a watchdog and an output file."""
    name = "run"

    def __init__(self, host, engine, work):
        self.output = os.path.join(work, "out.bin")
        self.line = [host.gcnjit, "run", host.object, "--kernel", "scale", "--global", str(ITEMS), "--local", "64",
                     "--engine", "interp" if engine == "interp" else "jit", "--threads", "8", "--timeout", "100",
                     "--arg", f"out:{4 * ITEMS}:{self.output}", "--arg", f"iota:u32:{ITEMS}", "--arg", f"u32:{FACTOR}"]
        if engine != "interp":
            self.line.append("--compile-first")

    def wrong(self, code, text):
        left = os.listdir(os.path.dirname(self.output))
        if code == 2:
            files = [name for name in left if name.startswith("out.bin")]
            return f"left {files}" if files else ""
        if left.count("out.bin") != 1:
            return f"no output file, but {left}"
        with open(self.output, "rb") as file:
            right = file.read() == struct.pack(f"<{ITEMS}I", *(FACTOR * n for n in range(ITEMS)))
        return "" if right else "the output is wrong"


class PlainRunCommand(RunCommand):
    """The same without a watchdog."""
    name = "plain run"

    def __init__(self, host, engine, work):
        super().__init__(host, engine, work)
        at = self.line.index("--timeout")
        del self.line[at:at + 2]


class ExecCommand:
    """gcnjit exec of a HIP program that compares what its kernels compute."""
    name = "exec"

    def __init__(self, host, engine, work):
        self.line = [host.gcnjit, "exec", "--threads", "8", "--engine", "interp" if engine == "interp" else "jit", "--",
                     host.hip]

    def wrong(self, code, text):
        return "" if code == 2 or "values compared, 0 differ" in text else "nothing was compared"


def run(command, engine, cache, prepare=None):
    """Exit code (negative: a signal; None: it hangs) and what was printed."""
    try:
        result = subprocess.run(command.line, env=environment(engine, cache), preexec_fn=prepare, timeout=SECONDS,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                cwd="/", text=True, errors="replace")
    except subprocess.TimeoutExpired:
        return None, ""
    return result.returncode, result.stdout


def judge(command, code, text):
    """What is wrong with the end of a run; else nothing."""
    if code is None:
        return "hangs"
    if code < 0:
        return f"signal {-code}: {text.strip()}"
    if code not in (0, 2):
        return f"exit code {code}: {text.strip()}"
    if code == 2 and not text.strip():
        return "exit code 2 without a message"
    return command.wrong(code, text)


def engines_of(host, kinds):
    """Those that run without a limit; what this machine lacks is said."""
    found = []
    for engine in ("interp", "avx2", "avx512"):
        work = host.scratch()
        code, text = run(RunCommand(host, engine, work), engine, None)
        if code == 2 and "this processor does not have" in text:
            print(f"this processor has no {engine}: its cases are not run")
            continue
        found.append(engine)
        for kind in kinds:
            command = kind(host, engine, host.scratch())
            code, text = run(command, engine, None)
            wrong = judge(command, code, text) or ("" if code == 0 else f"without a limit: {text}")
            if wrong:
                sys.exit(f"poor_hosts: {kind.name}, {engine}: {wrong}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gcnjit", required=True)
    parser.add_argument("--object", required=True)
    parser.add_argument("--hip", default="")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    kinds = [RunCommand, PlainRunCommand] + ([ExecCommand] if options.hip else [])
    executed = failed = done = number = 0
    with tempfile.TemporaryDirectory(prefix="gcnjit-poor-") as folder:
        host = Host(options, folder)
        engines = engines_of(host, kinds)
        for limit, values in LIMITS.items():
            for value in values:
                unbound = host.binds(limit, value)
                for engine in engines:
                    for kind in kinds:
                        for cached in (False, True):
                            name = f"RLIMIT_{limit}={value}, {kind.name}, {engine}{', cache' if cached else ''}"
                            number += 1
                            if (number - 1) % options.every != 0 or options.only not in name:
                                continue
                            work = host.scratch()
                            cache = os.path.join(work, "cache") if cached else None
                            command = kind(host, engine, work)
                            wrong = unbound
                            if not wrong:
                                code, text = run(command, engine, cache, host.limit(limit, value))
                                wrong = judge(command, code, text)
                            executed += 1
                            failed += bool(wrong)
                            done += not wrong and code == 0
                            if wrong:
                                print(f"{name}: {wrong}", flush=True)
                            elif options.verbose:
                                print(f"{name}: {code} {text.strip()[:200]}", flush=True)
                            shutil.rmtree(work)
    print(f"{executed} executed, {failed} failed ({done} done, {executed - failed - done} refused with a message)")
    return int(failed != 0 or executed == 0)


if __name__ == "__main__":
    sys.exit(main())
