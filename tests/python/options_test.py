"""Options that are none are refused, and the message says what may be given."""
import datetime
import decimal
import fractions
import unittest

import numpy as np
from support import KernelTest, path

import gcnjit

SPANS = (np.timedelta64(3, "s"), datetime.timedelta(seconds=3))


class OptionsTest(KernelTest):
    def run_with(self, **options):
        return self.kernel("add_one")(np.zeros(64, np.uint32), **{"grid": 64, **options})

    def refused(self, words, **options):
        with self.subTest(options), self.assertRaisesRegex(gcnjit.LaunchError, words):
            self.run_with(**options)

    def test_timeout(self):
        for good in (10**400, float("inf"), 1e300, 5, np.float32(20), np.int8(20), np.array(20.0), fractions.Fraction(99),
                     decimal.Decimal(20), None):
            self.assertEqual(self.run_with(timeout=good).status, "done")
            if good is not None:
                gcnjit.load(path("bare.co"), timeout=good)
        for wrong in (-1, -10**400, float("nan"), float("-inf"), "3", b"3", 1j, [1], np.zeros(2), *SPANS):
            self.refused("timeout .*: seconds, more than 0, or None", timeout=wrong)
            with self.subTest(wrong), self.assertRaisesRegex(gcnjit.LoadError, "timeout .*: seconds, 0 or more"):
                gcnjit.load(path("bare.co"), timeout=wrong)
        self.refused("timeout 0", timeout=0)

    def test_whole_numbers(self):
        for name in ("threads", "max_instructions", "check_limit"):
            for wrong in (-1, 2**64, 10**400, 1.0, None, "3", np.float32(1), *SPANS):
                self.refused(f"{name} .*: a whole number, 0 to ", **{name: wrong})

    def test_sizes(self):
        for name in ("grid", "group", "offset"):
            for wrong in (64.0, "64", b"@", {64}, {64: 1}, (), (1, 2, 3, 4), *([None] if name != "group" else []), *SPANS):
                self.refused(f"{name} .*: a whole number, or 1 to 3 of them", **{name: wrong})
            for wrong in (-1, 10**400, (1, None), (1, 2.0), [[1], [2]], (SPANS[0],)):
                self.refused(f"{name} .*: a whole number, 0 to ", **{name: wrong})
        for good in (64, (64,), [64, 1], np.array([64]), np.array(64), np.int8(64), range(64, 65)):
            self.assertEqual(self.run_with(grid=good).statistics.waves, 1)

    def test_flags(self):
        for name in ("count_instructions", "compile_first"):
            for wrong in (None, "yes", [], 1.0):
                self.refused(f"{name} .*: True or False", **{name: wrong})
            for good in (True, 0, np.True_):
                self.run_with(**{name: good})

    def test_checks(self):
        for wrong in (None, 1, 2.0, "nope", "limit", ["memory", 3]):
            self.refused("check ", check=wrong)
        self.run_with(check=np.True_)

    def test_engine(self):
        for wrong in (None, 3, "JIT", ["jit"]):
            self.refused("engine .*: 'jit' or 'interpreter'", engine=wrong)

    def test_print(self):
        for wrong in (3, 0, False, "", "x"):
            self.refused("print .*: a function", print=wrong)

        class Empty(list):  # false, and a function
            def __call__(self, text):
                self.append(text)
        shown = Empty()
        gcnjit.load(path("printing.hipfb")).kernels["say"](np.uint32(1), grid=64, print=shown)
        self.assertEqual(shown, ["lane 0\n"])

    def test_names(self):
        for wrong in (None, 3, b"gfx906", "gfx\ud800"):
            with self.subTest(wrong), self.assertRaisesRegex(gcnjit.LoadError, "target .*: a str"):
                gcnjit.load(path("bare.co"), target=wrong)
            with self.subTest(wrong), self.assertRaisesRegex(gcnjit.LoadError, "variable .*: a str"):
                self.program.variable(wrong)


if __name__ == "__main__":
    unittest.main()
