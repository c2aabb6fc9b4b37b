"""Does anything stay in memory? What a round leaks is missing after each of many periods of rounds, whatever else there
is on the heap; what is made once, or grows now and then, is not.

PYTHONMALLOC=malloc, so that Python's objects are on the heap, too. Under AddressSanitizer its own figure is used.
"""
import ctypes
import gc
import sys
import unittest

import numpy as np
from support import KernelTest, path

import gcnjit

ROUNDS = 150
PERIODS = 12
ALLOWED = 8 * ROUNDS  # bytes a period: less than the smallest object a round


class Mallinfo2(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in
                "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()]


def heap_bytes():
    gc.collect()
    sys._clear_type_cache()  # It keeps names of attributes that have been freed, 4,096 at most.
    library = ctypes.CDLL(None)
    if hasattr(library, "__sanitizer_get_current_allocated_bytes"):
        library.__sanitizer_get_current_allocated_bytes.restype = ctypes.c_size_t
        return library.__sanitizer_get_current_allocated_bytes()
    library.mallinfo2.restype = Mallinfo2
    figures = library.mallinfo2()
    return figures.uordblks + figures.hblkhd


class LeaksTest(KernelTest):
    def check(self, work):
        grown, before = [], heap_bytes()
        for _ in range(PERIODS):
            for _ in range(ROUNDS):
                work()
            after = heap_bytes()
            grown.append(after - before)
            if grown[-1] < ALLOWED:
                return
            before = after
        self.fail(f"bytes that {ROUNDS} rounds each have left: {grown}")

    def test_the_measure(self):
        kept = []
        with self.assertRaises(AssertionError):
            self.check(lambda: kept.append(object()))

    def test_launches(self):
        host, device = np.zeros(2000, np.float32), self.program.device.allocate(2000)
        self.check(lambda: self.kernel("saxpy")(2.5, host, device, 2000, grid=2000))

    def test_values(self):
        out = np.zeros(9, np.float32)
        self.check(lambda: self.kernel("vectors")(out, (1, 2, 3, 4), [5, 6, 7], np.zeros(2, np.float32), grid=1))

    def test_loading(self):
        self.check(lambda: gcnjit.load(path("kernels-gfx906.co")))

    def test_reports(self):
        def work():
            result = self.kernel("race")(np.zeros(128, np.uint32), gcnjit.Local(512), grid=128, group=128, check=True)
            for finding in result.findings:
                str((finding.site.source, finding.other, finding.describe(), repr(finding)))
            str((result.statistics.instructions, result.statistics.not_compiled, result.notes))
        self.check(work)

    def test_faults(self):
        def work():
            try:
                self.kernel("stray")(np.zeros(128, np.uint32), grid=128)
            except gcnjit.Fault as fault:
                str((fault, fault.source))
        self.check(work)

    def test_source_lines(self):
        def work():
            program = gcnjit.load(path("lines-gfx906.co"))
            try:
                program.kernels["stray"](np.zeros(128, np.uint32), grid=128)
            except gcnjit.Fault as fault:
                assert fault.source
        self.check(work)

    def test_refusals(self):
        def work():
            for given in ((), (1.0, None, None, -1), (1.0, None, np.zeros(8)[::2], 1)):
                try:
                    self.kernel("saxpy")(*given, grid=64)
                except gcnjit.LaunchError:
                    pass
            try:
                gcnjit.load(b"no code object")
            except gcnjit.LoadError:
                pass
        self.check(work)

    def test_variables(self):
        self.check(lambda: self.program.variable("counter", np.uint32).sum())

    def test_devices(self):
        self.check(lambda: gcnjit.Device().allocate(10_000).fill(1))

    def test_guest_memory(self):
        for _ in range(2000):  # 128 GiB in all
            gcnjit.allocate(2**24)

    def test_printing(self):
        kernel = gcnjit.load(path("printing.hipfb")).kernels["say"]
        self.check(lambda: kernel(np.uint32(3), grid=64, print=str))


if __name__ == "__main__":
    unittest.main()
