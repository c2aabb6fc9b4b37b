"""Source lines of faults and findings, of kernels compiled with -g."""
import os
import pathlib
import subprocess
import sys
import unittest
import unittest.mock
import warnings

import numpy as np
from support import SOURCES, path

import gcnjit
import gcnjit.lines

FILE = os.path.join(SOURCES, "lines.cl")


def line_of(words):
    """The number of the only line that has these words."""
    found = [n for n, line in enumerate(pathlib.Path(FILE).read_text().splitlines(), 1) if words in line]
    assert len(found) == 1, (words, found)
    return found[0]


STRAY = [(FILE, line_of("HERE IT STRAYS"), "store"), (FILE, line_of("HERE IT IS INLINED"), "stray")]


def frames(source):
    return [(frame.file, frame.line, frame.function) for frame in source]


class LinesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = gcnjit.load(path("lines-gfx906.co"))

    def fault(self, program=None, **options):
        with self.assertRaises(gcnjit.Fault) as caught:
            (program or self.program).kernels["stray"](np.zeros(128, np.uint32), grid=128, **options)
        return caught.exception

    def test_fault(self):
        for options in ({"engine": "interpreter"}, {"compile_first": True}, {"check": True}):
            with self.subTest(options):
                fault = self.fault(**options)
                self.assertEqual(frames(fault.source), STRAY)
                self.assertEqual(frames(fault.report.source), STRAY)
                self.assertEqual(frames(fault.result.fault.source), STRAY)
                self.assertIn(f"{FILE}:{STRAY[0][1]} in store", str(fault))
                self.assertIn(f"{FILE}:{STRAY[1][1]} in stray", str(fault))

    def test_bytes_that_change_later(self):
        content = bytearray(pathlib.Path(path("lines-gfx906.co")).read_bytes())
        program = gcnjit.load(content)
        content[:] = bytes(len(content))
        self.assertEqual(frames(self.fault(program).source), STRAY)

    def test_finding(self):
        result = self.program.kernels["race"](np.zeros(128, np.uint32), gcnjit.Local(512), grid=128, group=128,
                                              check="races")
        finding = result.findings[0]
        self.assertEqual({frames(finding.site.source)[0][:2], frames(finding.other.source)[0][:2]},
                         {(FILE, line_of("HERE IT WRITES")), (FILE, line_of("HERE IT READS"))})

    def test_limit_of_instructions(self):
        with self.assertRaises(gcnjit.Timeout) as caught:
            self.program.kernels["spin"](np.zeros(1, np.uint32), grid=1, group=1, max_instructions=1000)
        self.assertEqual(frames(caught.exception.report.source)[0], (FILE, line_of("HERE IT SPINS"), "spin"))

    def test_comparison(self):
        same = self.program.kernels["stray"].compare(np.zeros(128, np.uint32), grid=128)
        self.assertEqual({name: frames(fault.source) for name, fault in same.outcomes.items()},
                         {"interpreter": STRAY, "jit": STRAY})

    def test_without_debug_information(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertEqual(self.fault(gcnjit.load(path("kernels-gfx906.co"))).source, [])

    def test_no_process_is_left(self):
        self.fault()
        with self.assertRaises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)

    def test_a_reader_that_fails(self):
        for reader, why in (("/nowhere/gcnjit", "does not start"), ("/bin/true", "has failed")):
            with self.subTest(reader), unittest.mock.patch.dict(os.environ, GCNJIT_PROGRAM=reader):
                with self.assertWarnsRegex(RuntimeWarning, f"no source lines: .*{why}") as warned:
                    self.assertEqual(self.fault().source, [])
                self.assertEqual(warned.filename, __file__)

    def test_no_reader(self):
        with unittest.mock.patch.object(gcnjit.lines, "reader_path", lambda: None):
            with self.assertWarnsRegex(RuntimeWarning, "install it, or set GCNJIT_PROGRAM"):
                self.assertEqual(self.fault().source, [])

    def test_the_reader_is_found_without_being_named(self):
        environment = {name: value for name, value in os.environ.items() if name != "GCNJIT_PROGRAM"}
        found = subprocess.run([sys.executable, "-c", "import gcnjit.lines; print(gcnjit.lines.reader_path())"],
                               env={**environment, "PATH": "/nowhere"}, capture_output=True, text=True, check=True)
        self.assertTrue(os.path.samefile(found.stdout.strip(), os.environ["GCNJIT_PROGRAM"]), found.stdout)


if __name__ == "__main__":
    unittest.main()
