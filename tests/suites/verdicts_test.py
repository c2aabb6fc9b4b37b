#!/usr/bin/env python3
"""Does scripts/suites give each test of a program its verdict, however the program ends?"""
import os
import sys
import tempfile
import unittest
import unittest.mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../scripts"))

import suite_program  # noqa: E402
import suite_results  # noqa: E402


class Verdicts(unittest.TestCase):
    def setUp(self):
        self.output = tempfile.NamedTemporaryFile()
        self.addCleanup(self.output.close)

    def program(self, name="gtest"):
        command = [sys.executable, os.path.join(HERE, "fake_suite.py")]
        return suite_program.FORMATS[name](command, ["--thrust"] if name == "thrust" else [],
                                           self.output.name)

    def run_all(self, seconds=60.0, test_seconds=1.0):
        program = self.program()
        names, ended = program.choose({})
        return program.run(names, ended, seconds, test_seconds)

    def test_each_end(self):
        verdicts, ended = self.run_all()
        self.assertEqual(verdicts["passed"], ["Good.Passes", "Good.PassesToo",
                                              *(f"Many/All.Of/{n}" for n in range(5))])
        self.assertEqual(verdicts["failed"], ["Bad.Fails"])
        self.assertEqual(verdicts["crashed"], ["Bad.Crashes", "Bad.Exits", "Odd/1.NoWordOfIt"])
        self.assertEqual(verdicts["slow"], ["Bad.Hangs"])
        self.assertEqual(verdicts["skipped"], ["Odd/0.Skips"])
        self.assertEqual(verdicts["not_run"], [])
        self.assertEqual(ended, "done")

    def test_time_of_the_program(self):
        verdicts, ended = self.run_all(seconds=1.0, test_seconds=100.0)
        self.assertEqual(ended, "time limit in Bad.Hangs")
        self.assertIn("Bad.Hangs", verdicts["not_run"])
        self.assertIn("Many/All.Of/4", verdicts["not_run"])
        self.assertEqual(verdicts["slow"], [])

    def test_selection_is_spread(self):
        names, _ = self.program().choose({"each": 2})
        self.assertEqual([name for name in names if name.startswith("Many")],
                         ["Many/All.Of/0", "Many/All.Of/2"])
        self.assertEqual(len([name for name in names if name.startswith("Good")]), 2)
        self.assertNotIn("Good.DISABLED_Never", names)

    def test_nothing_fits(self):
        program = self.program()
        names, ended = program.choose({"filter": "None.Such"})
        self.assertEqual((names, ended), ([], "no test fits"))
        verdicts, _ = program.run(names, ended, 60, 1)
        self.assertTrue(all(not tests for tests in verdicts.values()))
        verdicts, _ = program.run([], "SIGSEGV", 60, 1)
        self.assertEqual(verdicts["crashed"], ["(start)"])

    def test_thrust(self):
        program = self.program("thrust")
        names, ended = program.choose({})
        self.assertEqual(names, ["TestGood", "TestBad", "TestKnown"])
        for pattern, left in (("*-*Bad", ["TestGood", "TestKnown"]), ("*Good:*Bad", ["TestGood", "TestBad"]),
                              ("-*o*:*Bad", [])):
            self.assertEqual(program.choose({"filter": pattern})[0], left)
        verdicts, ended = program.run(names, ended, 60, 1)
        self.assertEqual((verdicts["passed"], verdicts["failed"]), (["TestGood", "TestKnown"], ["TestBad"]))
        self.assertEqual(ended, "done")

    def test_parts_are_short_enough(self):
        names = [f"Suite.{'x' * 60}{n}" for n in range(5000)]
        parts = suite_program.parts_of(names)
        self.assertEqual([name for part in parts for name in part], names)
        self.assertTrue(all(len(":".join(part)) < suite_program.TEXT_OF_NAMES for part in parts))
        self.assertEqual(suite_program.parts_of([]), [[]])

    def test_rows_of_other_machines_stay(self):
        entry = {"suite": "rocprim", "version": "2", "program": "p", "selection": "short", "part": 0,
                 "device": "gfx90a", "engine": "jit", "commit": "c", "seconds": 1, "passed": ["a"],
                 "failed": ["b"], "crashed": [], "slow": [], "skipped": [], "not_run": []}
        before = ("| trixie | rocprim 1 | gfx90a | short | 1 | 1 | 0 | 0 | 0 | 1 | b |\n"
                  "| sid | rocprim 1 | gfx906 | short | 1 | 1 | 0 | 0 | 0 | 1 | b |\n"
                  "| sid | rocprim 1 | gfx90a | short | 7 | 7 | 0 | 0 | 0 | 1 | b |\n"
                  "| sid | rocprim | p: c\\|d | gfx906 | of gfx906 |\n"
                  "| sid | rocprim | p: e | gfx90a | of the run before |\n")
        with tempfile.TemporaryDirectory() as folder, \
                unittest.mock.patch.object(suite_results, "ROOT", folder), \
                unittest.mock.patch.object(suite_results, "data", lambda: {"suite": [], "reason": []}):
            os.mkdir(os.path.join(folder, "build"))
            suite_results.append("sid", entry)
            text = suite_results.table_text(before)
            lines = [line for line in text.splitlines() if line.startswith(("| sid", "| trixie"))]
            self.assertEqual([suite_results.cells(line)[:5] for line in lines],
                             [["sid", "rocprim 1", "gfx906", "short", "1"],
                              ["sid", "rocprim 2", "gfx90a", "short", "2"],
                              ["trixie", "rocprim 1", "gfx90a", "short", "1"],
                              ["sid", "rocprim", "p: b", "gfx90a", "ours, open"],
                              ["sid", "rocprim", "p: c\\|d", "gfx906", "of gfx906"]])
            # And so it is again.
            self.assertEqual(suite_results.table_text(text), text)

    def test_reasons_have_words(self):
        data = suite_results.data()
        names = {suite["name"] for suite in data["suite"]}
        for each in data.get("reason", []):
            self.assertTrue(each["why"])
            for pattern in each["tests"]:
                self.assertIn(pattern.partition(":")[0], names)


if __name__ == "__main__":
    unittest.main()
