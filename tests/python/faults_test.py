"""Faults and limits: every field of the report, and what is left."""
import copy
import json
import multiprocessing
import os
import pickle
import subprocess
import unittest
from concurrent import futures

import numpy as np
from support import KernelTest, path

import gcnjit


class FaultTest(KernelTest):
    def fault(self, **options):
        data = np.zeros(128, np.uint32)
        with self.assertRaises(gcnjit.Fault) as caught:
            self.kernel("stray")(data, grid=128, **options)
        self.assertFalse(data.any())  # as before the launch
        return caught.exception

    def test_fields(self):
        for engine in ("interpreter", "jit"):
            with self.subTest(engine):
                fault = self.fault(engine=engine, compile_first=True, threads=1)
                self.assertEqual((fault.kind, fault.kernel, fault.target), ("memory write fault", "stray", "gfx906"))
                self.assertIn("global_store_dword", fault.instruction)
                self.assertEqual((fault.workgroup, fault.wave, fault.lane, fault.work_item),
                                 ((1, 0, 0), 0, 5, (69, 0, 0)))
                self.assertEqual(fault.exec_mask, 1 << 5)
                self.assertEqual(fault.access_bytes, 4)
                self.assertGreater(fault.kernel_offset, 0)
                self.assertEqual(fault.pc % 4, 0)
                self.assertGreater(fault.address, 0x400000)
                self.assertIn("allocation", fault.allocation)
                self.assertEqual(fault.source, [])
                self.assertEqual(fault.result.status, "fault")
                self.assertIsInstance(fault.detail, str)
                self.assertEqual(fault.code, "fault")

    def test_address_in_device_memory(self):
        data = self.program.device.allocate(128, np.uint32)
        with self.assertRaises(gcnjit.Fault) as caught:
            self.kernel("stray")(data, grid=128)
        self.assertEqual(caught.exception.address, gcnjit.address_of(data) + 4 * 0x100000)

    def test_message(self):
        fault = self.fault()
        self.assertEqual(str(fault), fault.message)
        for part in ("memory write fault in kernel 'stray' (gfx906)", hex(fault.address), fault.instruction,
                     "lane 5", "work-item (69, 0, 0)"):
            self.assertIn(part, str(fault))
        self.assertEqual(fault.report.describe(), str(fault))

    def test_is_what_the_program_reports(self):
        done = subprocess.run([os.environ["GCNJIT_PROGRAM"], "run", path("kernels-gfx906.co"), "--kernel", "stray", "--global", "128",
                               "--arg", "buf:512", "--json"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 3)
        said = json.loads(done.stdout)["fault"]
        fault = self.fault()
        names = {"exec": "exec_mask", "nearest": "allocation"}
        moved = {"pc", "address", "nearest", "source"}  # addresses, which differ from process to process
        for name, value in said.items():
            given = getattr(fault, names.get(name, name))  # all of them are there
            if name not in moved:
                self.assertEqual(list(given) if isinstance(given, tuple) else given, value, name)

    def test_checks_find_it_too(self):
        fault = self.fault(check=True)
        self.assertEqual([f.kind for f in fault.result.findings], ["out-of-bounds"])

    def test_the_program_goes_on(self):
        self.fault()
        data = np.zeros(64, np.uint32)
        self.kernel("add_one")(data, grid=64)
        self.assertTrue((data == 1).all())

    def test_whole_wave(self):
        null = np.zeros(1, np.uint32)
        with self.assertRaises(gcnjit.Fault) as caught:
            self.kernel("follow")(null, None, grid=1, group=1)
        self.assertEqual(caught.exception.kind, "memory read fault")


def values_of(given):
    """All that a report, or whatever else it has, says."""
    if isinstance(given, (list, tuple)):
        return [values_of(one) for one in given]
    if type(given).__module__ != "gcnjit._native":
        return given
    names = [name for name in dir(type(given)) if isinstance(getattr(type(given), name), property)]
    said = {name: values_of(getattr(given, name)) for name in names}
    return {**said, "describe": given.describe()} if hasattr(given, "describe") else said


def in_a_worker(kind):
    program = gcnjit.load(path("lines-gfx906.co" if kind == "lines" else "kernels-gfx906.co"))
    if kind == "spin":
        program.kernels["spin"](np.zeros(1, np.uint32), grid=64, timeout=0.05)
    program.kernels["stray"](np.zeros(128, np.uint32), grid=128, check=kind == "check")


class PickleTest(KernelTest):
    def raised(self, kernel, *arguments, **options):
        with self.assertRaises(gcnjit.Error) as caught:
            kernel(*arguments, **options)
        return caught.exception

    def assert_same(self, a, b):
        self.assertIs(type(a), type(b))
        self.assertEqual((str(a), a.args, a.code), (str(b), b.args, b.code))
        self.assertEqual(set(vars(a)), set(vars(b)))
        for name, value in vars(a).items():
            self.assertEqual(values_of(value), values_of(vars(b)[name]), name)

    def errors(self):
        lines = gcnjit.load(path("lines-gfx906.co")).kernels["stray"]
        stray = self.kernel("stray")
        yield self.raised(lines, np.zeros(128, np.uint32), grid=128)
        yield self.raised(stray, np.zeros(128, np.uint32), grid=128, count_instructions=True)
        yield self.raised(stray, np.zeros(128, np.uint32), grid=128, check=True)
        yield self.raised(self.kernel("spin"), np.zeros(1, np.uint32), grid=2, group=1, timeout=0.05)
        yield self.raised(self.kernel("spin"), np.zeros(1, np.uint32), grid=1, group=1, max_instructions=1000)
        yield self.raised(gcnjit.load, path("kernels-gfx906.co"), timeout=1e-9)
        yield self.raised(gcnjit.load, b"")
        yield self.raised(stray, grid=1)

    def test_copies_are_the_same(self):
        seen = set()
        for error in self.errors():
            seen.add(type(error))
            error.add_note("a note") if hasattr(error, "add_note") else None
            for copied in (copy.copy(error), copy.deepcopy(error),
                           *(pickle.loads(pickle.dumps(error, p)) for p in range(pickle.HIGHEST_PROTOCOL + 1))):
                self.assert_same(error, copied)
        self.assertEqual(seen, {gcnjit.Fault, gcnjit.Timeout, gcnjit.LoadError, gcnjit.LaunchError})

    def test_results_and_findings(self):
        data = np.arange(128, dtype=np.uint32)
        for options in ({"check": True}, {"count_instructions": True}, {"compile_first": True}):
            result = self.kernel("race")(data, gcnjit.Local(512), grid=128, group=128, **options)
            copied = pickle.loads(pickle.dumps(result))
            self.assertEqual(values_of(result), values_of(copied))
            self.assertEqual(repr(result), repr(copied))
        self.assertEqual(pickle.loads(pickle.dumps(gcnjit.Local(512))).nbytes, 512)

    def test_what_is_no_pickle(self):
        report = self.raised(self.kernel("stray"), np.zeros(128, np.uint32), grid=128).report
        restored, (name, state) = report.__reduce__()
        self.assertEqual(values_of(restored(name, state)), values_of(report))
        for wrong in ((), state[:-1], state + (0,), (state[0], 5) + state[2:]):
            with self.assertRaises((ValueError, RuntimeError, TypeError)):
                restored(name, wrong)

    def test_from_a_worker(self):
        for kind, wanted in (("stray", gcnjit.Fault), ("check", gcnjit.Fault), ("lines", gcnjit.Fault),
                             ("spin", gcnjit.Timeout)):
            with self.subTest(kind), futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
                with self.assertRaises(wanted) as caught:
                    pool.submit(in_a_worker, kind).result(timeout=120)
                error = caught.exception
                if wanted is gcnjit.Timeout:
                    self.assertEqual(error.unfinished.total, 1)
                    continue
                self.assertEqual((error.kind, error.lane, error.access_bytes), ("memory write fault", 5, 4))
                self.assertEqual(bool(error.source), kind == "lines")
                self.assertEqual([f.kind for f in error.result.findings], ["out-of-bounds"] * (kind == "check"))


class TimeoutTest(KernelTest):
    def test_time(self):
        data = np.zeros(1, np.uint32)
        with self.assertRaises(gcnjit.Timeout) as caught:
            self.kernel("spin")(data, grid=2, group=1, timeout=0.05)
        timeout = caught.exception
        self.assertEqual((timeout.unfinished.total, timeout.unfinished.begun + timeout.unfinished.not_begun), (2, 2))
        self.assertIsNone(timeout.report)
        self.assertEqual(timeout.result.status, "timeout")
        self.assertIn("0 of 2 work-groups", str(timeout))
        self.assertEqual(timeout.code, "timeout")

    def test_instructions(self):
        with self.assertRaises(gcnjit.Timeout) as caught:
            self.kernel("spin")(np.zeros(1, np.uint32), grid=1, group=1, max_instructions=1000)
        self.assertEqual(caught.exception.report.kind, "instruction limit")
        self.assertEqual(caught.exception.report.kernel, "spin")
        self.assertIsNone(caught.exception.unfinished)
        self.assertIn("max_instructions", str(caught.exception))

    def test_in_time(self):
        data = np.zeros(64, np.uint32)
        self.kernel("add_one")(data, grid=64, timeout=60, max_instructions=1000)
        self.assertTrue((data == 1).all())

    def test_errors(self):
        for kind in (gcnjit.LoadError, gcnjit.LaunchError, gcnjit.CompileError, gcnjit.Fault, gcnjit.Timeout):
            self.assertTrue(issubclass(kind, gcnjit.Error))


if __name__ == "__main__":
    unittest.main()
