"""scripts/foreign on a folder of made-up programs, one for each result, and on outputs of runs.

    foreign_test.py GCNJIT WORK
"""
import importlib.machinery
import importlib.util
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "../../scripts/foreign")
sys.dont_write_bytecode = True
failures = []


def expect(what, found, wanted):
    if found != wanted:
        failures.append(f"{what}: {found!r}, not {wanted!r}")


def load():
    loader = importlib.machinery.SourceFileLoader("foreign", SCRIPT)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("foreign", loader))
    loader.exec_module(module)
    return module


def judgements(foreign):
    for result, code, out, err in (
            ("passed", 0, "Test PASSED", ""),
            ("passed", 0, "result: pass", ""),
            ("passed", 0, "", "Success!"),
            ("passed", 0, "0 failed, all correct", ""),
            ("passed", 0, "mismatches = 0.000\nverified", ""),
            ("passed", 0, "failed tests: 0\nOK", ""),
            ("passed", 0, "no mismatch was found: ok", ""),
            ("unchecked", 0, "sum 42", ""),
            ("unchecked", 0, "bypassed by a compass", ""),
            ("failed check", 0, "PASS\nFAIL", ""),
            ("failed check", 0, "failed: 10", ""),
            ("failed check", 0, "mismatches: 0.5", ""),
            ("failed check", 0, "10 failed", ""),
            ("failed check", 0, "Results are incorrect", ""),
            ("failed check", 0, "not ok", ""),
            ("failed check", 3, "PASS", ""),
            ("fault", 134, "PASS", "trap in kernel 'k' (gfx900)\n"),
            ("refused", 134, "", "unsupported instruction in kernel 'k' (gfx900)\n"),
            ("refused", 134, "", "gcnjit: a dispatch packet was refused: too large\n"),
            ("refused", 1, "error: operation not supported\n", ""),
            ("crash", 139, "PASS", ""),
            ("crash", -9, "", ""),
            ("failed check", 200, "", ""),  # no signal has that number
            ("timeout", 124, "PASS", "gcnjit: no kernel was running\n"),
            ("timeout", None, "", "")):
        expect(f"{code}, {out!r}, {err!r}", foreign.judge(code, out, err)[0], result)


def comparisons(foreign):
    same = "x 1\nkernel time: 3 us\n5 GB/s\n"
    expect("times differ", foreign.compare(same, same.replace("3", "4").replace("5", "6")), None)
    expect("a value differs", foreign.compare("a\nx 1\n", "a\nx 2\n"), "'x 1', not 'x 2'")
    expect("a line more", foreign.compare("a\n", "a\nb\n"), "'', not 'b'")


def programs(gcnjit, work):
    run = subprocess.run(
        [SCRIPT, os.path.join(work, "programs"), "--gcnjit", gcnjit, "--work", work, "--timeout", "15", "--jobs", "2",
         "--compare-engines", "interp,avx2", "--json"], capture_output=True, text=True)
    expect("exit code", run.returncode, 1)
    report = json.loads(run.stdout)
    entries = {entry["program"]: entry for entry in report["programs"]}
    equal = {"interp": "equal", "avx2": "equal"}
    for name, result, why, engines in (
            ("broken", "does not build", "this is no program", {}),
            ("crashes", "crash", "SIGSEGV: a last word", {}),
            ("fails", "failed check", "Test FAILED: 7", {}),
            ("faults", "fault", "memory write fault in kernel '_Z5StorePj'", {}),
            ("hangs", "timeout", " in queue ", {}),
            ("hangs", "timeout", "_Z4Spin", {}),
            ("passes", "passed", "PASS", equal),
            ("refused", "refused", "unsupported instruction in kernel '_Z4Loadv'", {}),
            ("unchecked", "unchecked", "", equal)):
        entry = entries.get(name)
        expect(f"{name} is there", entry is not None, True)
        if entry is not None:
            expect(name, (entry["result"], entry["engines"]), (result, engines))
            expect(f"why {name}: {entry['why']}", why in entry["why"], True)
    expect("programs", len(entries), 8)
    expect("counts", set(report["counts"].values()), {1})
    expect("progress", run.stderr.count("/8] "), 8)


def one_and_mistakes(gcnjit, work):
    def run(*words):
        return subprocess.run([SCRIPT, "--gcnjit", gcnjit, "--work", work, *words], capture_output=True, text=True)
    folder = os.path.join(work, "programs")
    table = run(folder, "--only", "broken")
    expect("table", table.stdout.split()[:4], ["broken", "does", "not", "build"])
    expect("a program that is not built is not our fault", table.returncode, 0)
    for words in ((folder, "--only", "nothing"), (folder, "--timeout", "0"), (folder, "--timeout", "nan"),
                  (folder, "--compare-engines", "gpu"), ("/no/such/folder",), (os.path.join(HERE, "../../docs"),)):
        expect(f"{words} is refused", run(*words).returncode not in (0, None) and "Traceback" not in run(*words).stderr,
               True)


if __name__ == "__main__":
    script = load()
    # make builds where the sources are.
    shutil.rmtree(sys.argv[2], ignore_errors=True)
    shutil.copytree(os.path.join(HERE, "foreign"), os.path.join(sys.argv[2], "programs"))
    judgements(script)
    comparisons(script)
    programs(*sys.argv[1:3])
    one_and_mistakes(*sys.argv[1:3])
    print("\n".join(failures) or "right")
    sys.exit(bool(failures))
