"""Manual pages say what --help says, and man has nothing to complain of."""
import os
import re
import subprocess
import sys
import unittest

GCNJIT, MANUAL = sys.argv[1:3]


def shown(page):
    """As on a terminal, without what makes it bold, its words separated by single spaces."""
    done = subprocess.run(["groff", "-man", "-Tascii", "-ww", "-rHY=0", "-P-c", "-P-b", "-P-u", os.path.join(MANUAL, "man1", page)],
                          capture_output=True, text=True, check=True)
    return " ".join(done.stdout.split()), done.stderr


def help_of(*command):
    return subprocess.run([GCNJIT, *command, "--help"], capture_output=True, text=True, check=True).stdout


def commands():
    return re.findall(r"^  (\w+)  ", help_of().split("Subcommands:")[1], re.MULTILINE)


class ManualTest(unittest.TestCase):
    def test_pages(self):
        self.assertIn("run", commands())
        pages = {"gcnjit.1"} | {f"gcnjit-{command}.1" for command in commands()}
        self.assertEqual(set(os.listdir(os.path.join(MANUAL, "man1"))), pages)

    def test_no_warnings(self):
        for page in os.listdir(os.path.join(MANUAL, "man1")):
            self.assertEqual(shown(page)[1], "", page)

    def test_options(self):
        for command in commands():
            text = shown(f"gcnjit-{command}.1")[0]
            options = re.findall(r"^  (?:-\w,)?(--[\w-]+)", help_of(command), re.MULTILINE)
            self.assertIn("--help", options)
            for option in options:
                self.assertIn(f" {option}", text, command)

    def test_texts(self):
        text = shown("gcnjit-run.1")[0]
        for part in ("gcnjit-run - Run a kernel of a code object", "gcnjit run [OPTION]... CODE_OBJECT",
                     "--engine interp|jit", "--local TEXT Work-group size in work-items: X[,Y[,Z]] (default: 64)",
                     "--check[=KINDS]", "--timeout SECONDS", "EXAMPLES gcnjit run saxpy.co --kernel saxpy",
                     "perf report --sort symbol SEE ALSO gcnjit(1)"):
            self.assertIn(part, text)
        self.assertIn("gcnjit exec [OPTION]... PROGRAM [ARGUMENT]...", shown("gcnjit-exec.1")[0])
        self.assertIn("Exit codes: 0 done, 2 bad usage or input", shown("gcnjit.1")[0])


unittest.main(argv=[__file__])
