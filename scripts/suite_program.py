"""Runs one program of a test suite and keeps the verdict of each of its tests.

A program is run again for the rest of its tests if it ends early, so that one crash, or one test that
does not end, costs one verdict.
"""
import fnmatch
import os
import re
import selectors
import signal
import subprocess
import time

# A test has one of them. "crashed": the program ended without a word of it; "slow": it did not end in
# its time; "not run": the program's time was over.
VERDICTS = ("passed", "failed", "crashed", "slow", "skipped", "not_run")
NOT_STARTED = ("exit code 126", "exit code 127")  # of shells, env and gcnjit: there is no such program
NO_TEST = "no test fits"
TEXT_OF_NAMES = 100_000  # bytes of an argument; Linux takes 128 KiB


class Output:
    """Lines of a process, as long as it is given time for them."""

    def __init__(self, process):
        self.process = process
        self.lines = []
        self.rest = b""
        self.selector = selectors.DefaultSelector()
        self.selector.register(process.stdout, selectors.EVENT_READ)

    def next(self, until):
        """The next line; None at the end of the output, "" if the time is over first."""
        while not self.lines:
            if not self.selector.select(max(0.0, until - time.monotonic())):
                return ""
            data = os.read(self.process.stdout.fileno(), 1 << 16)
            if not data:
                last, self.rest = self.rest, b""
                return last.decode(errors="replace") + "\n" if last else None
            *lines, self.rest = (self.rest + data).split(b"\n")
            self.lines = [line.decode(errors="replace").replace("\r", "") + "\n" for line in lines]
        return self.lines.pop(0)


def parts_of(names):
    """The names in lists that are short enough for an argument; one at least."""
    parts, size = [[]], 0
    for name in names:
        if size + len(name) + 1 > TEXT_OF_NAMES:
            parts.append([])
            size = 0
        parts[-1].append(name)
        size += len(name) + 1
    return parts


def spread(names, each):
    """So many of the names of each suite, evenly spaced."""
    groups = {}
    for name in names:
        groups.setdefault(name.partition(".")[0], []).append(name)
    return [group[i * len(group) // min(each, len(group))]
            for group in groups.values() for i in range(min(each, len(group)))]


def fits(name, pattern):
    """Does the name fit a pattern as GoogleTest's filters are written: some, minus others?"""
    wanted, _, unwanted = pattern.partition("-")
    return (any(fnmatch.fnmatchcase(name, each) for each in (wanted or "*").split(":"))
            and not any(fnmatch.fnmatchcase(name, each) for each in unwanted.split(":")))


def how_it_ended(code):
    if code == 0:
        return "done"
    # A shell, or in-debian's chroot, may stand between.
    number = -code if code < 0 else code - 128 if 128 < code < 160 else 0
    return signal.Signals(number).name if number else f"exit code {code}"


class Program:
    """A program in GoogleTest's way; other formats change what they must."""

    def __init__(self, command, arguments, output_path):
        self.command = command
        self.arguments = arguments
        self.output_path = output_path

    def start(self, *arguments):
        return subprocess.Popen([*self.command, *self.arguments, *arguments], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
                                cwd=os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

    @staticmethod
    def stop(process):
        """Ends the process, or what it has left running if it has ended."""
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.stdout.close()
        process.wait()

    def listing(self, pattern):
        """Names of tests and how the listing ended."""
        process = self.start("--gtest_list_tests", f"--gtest_filter={pattern}")
        text = process.communicate()[0].decode(errors="replace")
        names, suite = [], ""
        for line in text.splitlines():
            if match := re.fullmatch(r"(\S+\.)(\s+#.*)?", line):
                suite = match[1]
            elif suite and (match := re.match(r"  (\S+)(\s+#.*)?$", line)):
                names.append(suite + match[1])
        return names, how_it_ended(process.returncode)

    def choose(self, selection):
        names, ended = self.listing(selection.get("filter", "*"))
        names = [name for name in names if not re.search(r"(^|[./])DISABLED_", name)]
        # The exit code of some programs is not 0 after a listing.
        return spread(names, selection["each"]) if "each" in selection else names, \
            "done" if names else NO_TEST if ended == "done" else ended

    def only(self, names):
        return [f"--gtest_filter={':'.join(names)}", "--gtest_color=no"]

    def read(self, line):
        """(test, None) if the line begins a test, (test, verdict) if it ends one."""
        match = re.search(r"\[ +(RUN|OK|FAILED|SKIPPED) +\] (\S+?)(,|\s|$)", line)
        if not match or "." not in match[2]:
            return None
        return match[2], {"RUN": None, "OK": "passed", "FAILED": "failed", "SKIPPED": "skipped"}[match[1]]

    def run(self, names, ended, seconds, test_seconds):
        """Verdicts of these tests, and how the program ended."""
        verdict_of = {}
        end = time.monotonic() + seconds
        with open(self.output_path, "w") as copy:
            if not names:
                # The selection leaves none, or the program did not even say what its tests are.
                missing = [] if ended == NO_TEST else ["(start)"]
                return self.verdicts(verdict_of, missing, "crashed"), ended
            left = names
            while left and time.monotonic() < end:
                ended = self.run_once(left, verdict_of, end, test_seconds, copy)
                rest = [name for name in left if name not in verdict_of]
                if len(rest) == len(left):
                    break
                left = rest
        return self.verdicts(verdict_of, names, "not_run"), ended

    def run_once(self, names, verdict_of, end, test_seconds, copy):
        process = self.start(*self.only(names))
        output = Output(process)
        wanted = set(names)
        running, until = None, end
        while (line := output.next(min(until, end))):
            copy.write(line)
            event = self.read(line)
            if not event or event[0] not in wanted:
                continue
            name, verdict = event
            if verdict is None:
                running, until = name, time.monotonic() + test_seconds
            elif name not in verdict_of:  # Lists of failures at the end repeat them.
                verdict_of[name] = verdict
                running, until = None, end
        in_time = line is None
        if in_time:  # It has ended, but is not reaped before its group is stopped: numbers are used again.
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        self.stop(process)
        if in_time:
            ended = how_it_ended(process.returncode)
            if running:
                verdict_of[running] = "crashed"
            elif ended == "exit code 1" and any(verdict_of.get(name) == "failed" for name in names):
                ended = "done"
            if ended != "done" and not running and all(name in verdict_of for name in names):
                return f"{ended} after the last test"
            return "done" if running else ended
        if running and time.monotonic() >= until:
            verdict_of[running] = "slow"
            return "done"
        return f"time limit in {running}" if running else "time limit"

    @staticmethod
    def verdicts(verdict_of, names, otherwise):
        result = {verdict: [] for verdict in VERDICTS}
        for name in names:
            result[verdict_of.get(name, otherwise)].append(name)
        return result


class ThrustProgram(Program):
    """Thrust's own framework: tests are named as arguments."""

    def listing(self, pattern):
        process = self.start("--list")
        text = process.communicate()[0].decode(errors="replace")
        return [line for line in text.split() if fits(line, pattern)], how_it_ended(process.returncode)

    def only(self, names):
        return ["--verbose", *names]

    def read(self, line):
        match = re.match(r"Running (\S+?)\.\.\.(?:\[([A-Z ]+)\])?", line)
        if not match:
            return None
        return match[1], None if not match[2] else "passed" if match[2] in ("PASS", "KNOWN FAILURE") else "failed"


FORMATS = {"gtest": Program, "thrust": ThrustProgram}
