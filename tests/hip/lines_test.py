#!/usr/bin/env python3
"""Source lines in the reports of HIP programs that were compiled with -g.

    lines_test.py GCNJIT PROGRAM PROGRAM_WITHOUT_LINES

The programs are lines.hip, compiled with and without -g.
"""
import json
import os
import re
import signal
import subprocess
import sys

GCNJIT, PROGRAM, PLAIN = (os.path.abspath(path) for path in sys.argv[1:4])
LIBRARY = os.path.join(os.path.dirname(GCNJIT), "lib", "gcnjit")
STORE = r"  source     \S*lines\.h:3 in put\n"
STRAY = (STORE + r"             inlined at \S*lines\.h:9 in put_product\n"
         r"             inlined at \S*lines\.h:14 in multiply\n")
COLLIDE = STORE + r"             inlined at \S*lines\.h:19 in collide"
NOTE = "gcnjit: no source lines are shown: "
failures = []


def run(command, environment=None):
    return subprocess.run(command, capture_output=True, text=True, timeout=300,
                          env={**os.environ, "GCNJIT_CACHE": "0", **(environment or {})})


def expect(name, done, code, has=(), has_not=()):
    wrong = [] if done.returncode == code else [f"ended with {done.returncode}"]
    wrong += [f"lacks {words}" for words in has if not re.search(words, done.stderr)]
    wrong += [f"has {words}" for words in has_not if re.search(words, done.stderr)]
    if wrong:
        failures.append(f"{name}: {', '.join(wrong)}:\n{done.stderr}")


abort = -signal.SIGABRT
expect("stray", run([GCNJIT, "exec", "--", PROGRAM, "stray"]), abort,
       ["Memory access fault by GPU", "memory write fault in kernel", STRAY], [NOTE])
for engine in ("interp", "jit"):
    expect(engine, run([GCNJIT, "exec", "--engine", engine, "--", PROGRAM, "stray"]), abort, [STRAY], [NOTE])
expect("waits", run([GCNJIT, "exec", "--", PROGRAM, "waits"]), abort, [STRAY], [NOTE])
expect("without -g", run([GCNJIT, "exec", "--", PLAIN, "stray"]), abort, ["memory write fault"], ["source", NOTE])
# Findings: one report of three launches.
found = run([GCNJIT, "exec", "--check", "--", PROGRAM, "collide"])
expect("collide", found, 0, [COLLIDE, "earlier .*\n" + COLLIDE], [NOTE])
if len(re.findall("global-race", found.stderr)) != 1:
    failures.append(f"collide: not one finding:\n{found.stderr}")
done = run([GCNJIT, "exec", "--check", "--json", "--", PROGRAM, "collide"])
finding = json.loads(next(line for line in done.stderr.splitlines() if line.startswith("{")))["check"]["findings"][0]
if [frame["line"] for frame in finding["site"]["source"]] != [3, 19]:
    failures.append(f"collide --json: {finding}")
# Without gcnjit exec nothing says where the program is, or something wrong does.
expect("by hand", run([PROGRAM, "stray"], {"LD_LIBRARY_PATH": LIBRARY}), abort, ["memory write fault"],
       ["source", NOTE])
for path in ("/no/such/gcnjit", "/bin/true", "/bin/cat", "/dev/null"):
    expect(path, run([PROGRAM, "stray"], {"LD_LIBRARY_PATH": LIBRARY, "GCNJIT_PROGRAM": path}), abort,
           ["memory write fault", NOTE], ["  source "])
expect("by variable", run([PROGRAM, "stray"], {"LD_LIBRARY_PATH": LIBRARY, "GCNJIT_PROGRAM": GCNJIT}), abort,
       [STRAY], [NOTE])

for failure in failures:
    print(failure)
sys.exit(1 if failures else 0)
