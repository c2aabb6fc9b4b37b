"""Native objects as Python handles objects of its own: made of nothing, copied, pickled. None of that may end the process:
each is tried in one of its own."""
import subprocess
import sys
import unittest

from support import SOURCES

VALUES = ["FaultReport", "Finding", "FindingSite", "InstructionCount", "LaunchResult", "SourceFrame", "Statistics",
          "UnfinishedGroups"]
OTHERS = ["Argument", "CodeCache", "KernelInfo", "Memory", "Program"]


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=SOURCES)
    return done.returncode, done.stdout.strip() or done.stderr


class ObjectsTest(unittest.TestCase):
    def test_python_makes_none(self):
        for name in VALUES + OTHERS:
            with self.subTest(name):
                self.assertEqual(run(f"""
from gcnjit._native import {name} as Native
for make in (Native, lambda: Native.__new__(Native), lambda: object.__new__(Native), type("Mine", (Native,), {{}})):
    try:
        str([getattr(make(), name) for name in dir(Native)])
    except TypeError:
        continue
    print("made")
"""), (0, ""))

    def test_what_belongs_to_the_process_is_not_pickled(self):
        self.assertEqual(run("""
import copy, pickle
import gcnjit
from support import path
program = gcnjit.load(path("kernels-gfx906.co"))
kernel = program.kernels["add_one"]
for given in (program, kernel, program.device, program._native, kernel._info, kernel.arguments[0], program.device._native,
              gcnjit._native.LaunchConfig(), program._lines._native):
    for copied in (copy.deepcopy, *(lambda o, p=p: pickle.dumps(o, p) for p in range(6))):
        try:
            copied(given)
        except TypeError as error:
            assert "cannot pickle" in str(error), error
        else:
            print(given, "was copied")
"""), (0, ""))


if __name__ == "__main__":
    unittest.main()
