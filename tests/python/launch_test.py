"""Launches: grids, engines, limits, checks, what kernels print, threads, Ctrl-C."""
import _thread
import contextlib
import io
import os
import signal
import threading
import time
import unittest

import numpy as np
from support import KernelTest, path

import gcnjit
from gcnjit import Local


class GridTest(KernelTest):
    def test_dimensions(self):
        for grid in (70, (70,), (10, 7), (5, 3, 2)):
            sizes = (grid,) if isinstance(grid, int) else grid
            x, y, z = (*sizes, *[1] * (3 - len(sizes)))
            out = np.zeros((z, y, x), np.uint32)
            self.kernel("ids")(out, grid=grid, group=(4, 2, 1)[:len(sizes)])
            k, j, i = np.indices((z, y, x))
            np.testing.assert_array_equal(out, i + 100 * j + 10000 * k)

    def test_what_kernels_learn(self):
        out = np.zeros(4, np.uint32)
        for grid, group, offset, expected in ((100, None, 0, [1, 64, 0, 2]), (100, 32, 5, [1, 32, 5, 4]),
                                              ((1, 1), (1, 1), 0, [2, 1, 0, 1]), ((1, 1, 1), 1, 0, [3, 1, 0, 1]),
                                              (8, (8, 1, 1), 3, [1, 8, 3, 1])):
            self.kernel("place")(out, grid=grid, group=group, offset=offset)
            self.assertEqual(out.tolist(), expected)

    def test_required_group(self):
        out = np.zeros(2, np.uint32)
        self.kernel("sixteen_by_four")(out, grid=(32, 4))
        self.assertEqual(out.tolist(), [16004, 16004])
        with self.assertRaisesRegex(gcnjit.LaunchError, "16 x 4 x 1"):
            self.kernel("sixteen_by_four")(out, grid=(32, 4), group=64)

    def test_refused(self):
        data = np.zeros(64, np.uint32)
        for options in ({"grid": 0}, {"grid": -1}, {"grid": ()}, {"grid": (1, 2, 3, 4)}, {"grid": 2**32},
                        {"grid": 64, "group": 0}, {"grid": 64, "group": 2000}, {"grid": 1.5}, {"grid": "64"},
                        {"grid": 64, "engine": "gpu"}, {"grid": 64, "threads": -1}, {"grid": 64, "timeout": 0},
                        {"grid": 64, "timeout": float("nan")}, {"grid": 64, "check": "nothing"},
                        {"grid": 64, "max_instructions": -5}):
            with self.subTest(options), self.assertRaises((gcnjit.LaunchError, TypeError)):
                self.kernel("add_one")(data, **options)
        self.assertFalse(data.any())

    def test_the_grid_is_needed(self):
        with self.assertRaises(TypeError):
            self.kernel("add_one")(np.zeros(64, np.uint32))


class EngineTest(KernelTest):
    def saxpy(self, **options):
        x, y = np.arange(5000, dtype=np.float32), np.ones(5000, np.float32)
        result = self.kernel("saxpy")(2.5, x, y, 5000, grid=5000, **options)
        np.testing.assert_array_equal(y, np.float32(2.5) * x + 1)
        return result

    def test_interpreter(self):
        program = gcnjit.load(path("kernels-gfx906.co"))
        data = np.zeros(64, np.uint32)
        statistics = program.kernels["add_one"](data, grid=64, engine="interpreter").statistics
        self.assertEqual((data[0], statistics.compiled_regions), (1, 0))
        self.saxpy(engine="interpreter")

    def test_compiled(self):
        program = gcnjit.load(path("kernels-gfx906.co"))
        data = np.zeros(64, np.uint32)
        statistics = program.kernels["add_one"](data, grid=64, compile_first=True).statistics
        self.assertEqual(data[0], 1)
        self.assertGreater(statistics.compiled_regions, 0)
        self.assertGreater(statistics.compiled_instructions, 0)
        self.assertGreater(statistics.compile_seconds, 0)
        self.assertGreater(statistics.code_bytes, 0)

    def test_threads(self):
        for threads in (0, 1, 2):
            self.saxpy(threads=threads)

    def test_targets(self):
        for target in ("gfx600", "gfx803", "gfx900", "gfx908", "gfx90a"):
            program = gcnjit.load(path(f"kernels-{target}.co"))
            self.assertEqual(program.kernels["saxpy"].target, target)
            x, y = np.arange(100, dtype=np.float32), np.ones(100, np.float32)
            program.kernels["saxpy"](3, x, y, 100, grid=100)
            np.testing.assert_array_equal(y, 3 * x + 1)

    def test_statistics(self):
        statistics = self.saxpy().statistics
        self.assertEqual((statistics.workgroups, statistics.waves), (79, 79))
        self.assertGreater(statistics.wave_instructions, 79 * 5)
        self.assertGreater(statistics.seconds, 0)
        self.assertEqual(statistics.instructions, [])
        self.assertIn("79 work-groups", repr(statistics))

    def test_what_is_not_compiled(self):
        program = gcnjit.load(path("kernels-gfx906.co"))
        statistics = program.kernels["clock"](np.zeros(64, np.uint64), grid=64, compile_first=True).statistics
        self.assertTrue(all(count > 0 for count in statistics.not_compiled.values()))
        self.assertTrue(any("memtime" in name for name in statistics.not_compiled), statistics.not_compiled)

    def test_counted_instructions(self):
        counts = {c.mnemonic: c for c in self.saxpy(count_instructions=True).statistics.instructions}
        self.assertEqual(counts["s_endpgm"].executed, 79)
        self.assertEqual(counts["s_endpgm"].fidelity, "exact")
        self.assertEqual(counts["s_endpgm"].ulp, 0)

    def test_result(self):
        result = self.saxpy()
        self.assertEqual((result.status, result.fault, result.unfinished, result.findings, result.notes,
                          result.print_loss), ("done", None, None, [], [], ""))
        self.assertIn("done", repr(result))


class CompareTest(KernelTest):
    def test_same(self):
        data = np.arange(64, dtype=np.uint32)
        comparison = self.kernel("add_one").compare(data, grid=64)
        self.assertTrue(comparison)
        self.assertEqual(comparison.differences, [])
        self.assertEqual(set(comparison.outcomes), {"interpreter", "jit"})
        np.testing.assert_array_equal(data, np.arange(64))  # as before

    def test_different(self):
        out = np.zeros(64, np.uint64)
        comparison = self.kernel("clock").compare(out, grid=64)
        self.assertFalse(comparison)
        [difference] = comparison.differences
        self.assertEqual((difference.argument, difference.engine, difference.count, difference.index), (0, "jit", 64, 0))
        self.assertNotEqual(difference.expected, difference.found)
        self.assertFalse(out.any())

    def test_same_fault(self):
        comparison = self.kernel("stray").compare(np.zeros(128, np.uint32), grid=128)
        self.assertTrue(comparison)
        self.assertTrue(all(isinstance(o, gcnjit.Fault) for o in comparison.outcomes.values()))

    def test_device_memory_and_no_memory(self):
        data = self.program.device.copy(np.arange(64, dtype=np.uint32))
        self.assertTrue(self.kernel("reverse").compare(data, Local(256), grid=64))
        np.testing.assert_array_equal(data, np.arange(64))

    def test_memory_of_any_shape(self):
        columns = np.asfortranarray(np.arange(64, dtype=np.uint32).reshape(4, 16))
        for data in (memoryview(columns), memoryview(bytearray(512)).cast("I", (8, 16)), memoryview(np.zeros((), "V512"))):
            before = data.tobytes()
            self.assertTrue(self.kernel("add_one").compare(data, grid=64))
            self.assertEqual(data.tobytes(), before)
            self.kernel("add_one")(data, grid=64)
            self.assertNotEqual(data.tobytes(), before)

    def test_memory_that_only_python_may_not_write(self):
        shared = gcnjit.Device(shared_memory=True)
        program = gcnjit.load(path("kernels-gfx906.co"), device=shared)
        for kernel, data in ((self.kernel("add_one"), self.program.device.allocate(64, np.uint32)),
                             (program.kernels["add_one"], np.zeros(64, np.uint32)),
                             (self.kernel("add_one"), np.zeros(64, np.uint32))):
            data.flags.writeable = False
            self.assertTrue(kernel.compare(data, grid=64))
            self.assertFalse(data.any())

    def test_one_engine(self):
        for engines in (("jit",), (), ("jit", "jit"), "jit", None, 5):
            with self.subTest(engines), self.assertRaisesRegex(gcnjit.LaunchError, "two different"):
                self.kernel("add_one").compare(np.zeros(64, np.uint32), grid=64, engines=engines)


class CheckTest(KernelTest):
    def test_nothing_found(self):
        self.assertEqual(self.kernel("reverse")(np.zeros(64, np.uint32), Local(256), grid=64, check=True).findings, [])

    def test_race(self):
        result = self.kernel("race")(np.zeros(128, np.uint32), Local(512), grid=128, group=128, check="races")
        self.assertEqual(result.status, "done")
        [finding, *_] = result.findings
        self.assertEqual((finding.kind, finding.kernel, finding.access_bytes), ("lds-race", "race", 4))
        self.assertIn("ds_", finding.site.instruction)
        self.assertIn("ds_", finding.other.instruction)
        self.assertNotEqual(finding.site.wave, finding.other.wave)
        self.assertEqual(finding.site.workgroup, (0, 0, 0))
        self.assertIn("lds-race in kernel 'race'", finding.describe())
        self.assertIn("lds-race", repr(finding))
        self.assertGreater(finding.count, 1)

    def test_out_of_bounds(self):
        data = self.program.device.allocate(60, np.uint32)
        result = self.kernel("add_one")(data, grid=64, check=["memory"])
        kinds = {finding.kind for finding in result.findings}
        self.assertEqual(kinds, {"out-of-bounds"})
        self.assertIn("240-byte allocation", result.findings[0].place)

    def test_limit(self):
        result = self.kernel("race")(np.zeros(128, np.uint32), Local(512), grid=128, group=128, check=True, check_limit=0)
        self.assertEqual(result.findings, [])
        self.assertGreater(result.findings_left_out, 0)

    def test_other_checks_find_nothing(self):
        result = self.kernel("race")(np.zeros(128, np.uint32), Local(512), grid=128, group=128, check="waits,memory")
        self.assertEqual(result.findings, [])


class PrintTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kernels = gcnjit.load(path("printing.hipfb")).kernels

    def test_standard_output(self):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            self.kernels["say"](np.uint32(3), grid=64)
        self.assertEqual(out.getvalue(), "lane 0\nlane 1\nlane 2\n")

    def test_callable(self):
        pieces = []
        self.kernels["say"](np.uint32(2), grid=64, print=pieces.append)
        self.assertEqual("".join(pieces), "lane 0\nlane 1\n")

    def test_what_it_raises_ends_the_launch(self):
        def refuse(text):
            raise ZeroDivisionError(text)
        begun = time.monotonic()
        with self.assertRaisesRegex(ZeroDivisionError, "spinning"):
            self.kernels["say_and_spin"](np.zeros(1, np.uint32), grid=1, group=1, timeout=60, print=refuse)
        self.assertLess(time.monotonic() - begun, 30)


class ThreadTest(KernelTest):
    def test_launches_of_several_threads(self):
        failures = []

        def work(seed):
            try:
                for n in range(20):
                    data = np.full(1000, seed, np.uint32)
                    self.kernel("add_one")(data, grid=1000)
                    if not (data == seed + 1).all():
                        failures.append((seed, n))
            except Exception as error:
                failures.append(error)
        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_python_runs_meanwhile(self):
        for launcher in ("main", "other"):
            with self.subTest(launcher):
                flag = self.program.device.allocate(1, np.uint32)
                spin = lambda: self.kernel("spin")(flag, grid=1, group=1, timeout=60)

                def set_flag():
                    time.sleep(0.05)
                    flag[0] = 1
                first, second = (spin, set_flag) if launcher == "other" else (set_flag, spin)
                thread = threading.Thread(target=first)
                thread.start()
                second()
                thread.join()


class ProcessorsTest(KernelTest):
    def test_launches_follow_the_main_thread(self):
        before = os.sched_getaffinity(0)
        self.addCleanup(os.sched_setaffinity, 0, before)
        data = np.zeros(64, np.uint32)
        for processors in ({min(before)}, before, {max(before)}):
            os.sched_setaffinity(0, processors)
            self.kernel("add_one")(data, grid=64, threads=1)
            with_these = [thread for thread in map(int, os.listdir("/proc/self/task"))
                          if os.sched_getaffinity(thread) == processors]
            self.assertGreaterEqual(len(with_these), 2, "the main thread and the one that launches for it")


class InterruptTest(KernelTest):
    def spin(self):
        self.kernel("spin")(np.zeros(1, np.uint32), grid=1, group=1, timeout=60)

    def later(self, action):
        timer = threading.Timer(0.1, action)
        timer.start()
        self.addCleanup(timer.join)

    def test_control_c(self):
        self.later(_thread.interrupt_main)
        begun = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            self.spin()
        self.assertLess(time.monotonic() - begun, 30)

    def test_the_signal_itself(self):
        self.later(lambda: signal.raise_signal(signal.SIGINT))
        with self.assertRaises(KeyboardInterrupt):
            self.spin()

    def test_any_handler(self):
        def handler(number, frame):
            raise RuntimeError("handled")
        before = signal.signal(signal.SIGUSR1, handler)
        self.addCleanup(signal.signal, signal.SIGUSR1, before)
        self.later(lambda: signal.raise_signal(signal.SIGUSR1))
        with self.assertRaisesRegex(RuntimeError, "handled"):
            self.spin()

    def test_a_handler_that_returns_ends_nothing(self):
        flag = self.program.device.allocate(1, np.uint32)
        handled = []

        def handler(number, frame):
            handled.append(number)
            flag[0] = 1
        before = signal.signal(signal.SIGUSR1, handler)
        self.addCleanup(signal.signal, signal.SIGUSR1, before)
        self.later(lambda: signal.raise_signal(signal.SIGUSR1))
        result = self.kernel("spin")(flag, grid=1, group=1, timeout=60)
        self.assertEqual((result.status, handled), ("done", [signal.SIGUSR1]))

    def test_a_handler_launches(self):
        flag = self.program.device.allocate(1, np.uint32)

        def handler(number, frame):
            data = np.zeros(64, np.uint32)
            self.kernel("add_one")(data, grid=64)
            flag[0] = data[0]
        before = signal.signal(signal.SIGUSR1, handler)
        self.addCleanup(signal.signal, signal.SIGUSR1, before)
        for _ in range(2):
            flag[0] = 0
            self.later(lambda: signal.raise_signal(signal.SIGUSR1))
            result = self.kernel("spin")(flag, grid=1, group=1, timeout=60)
            self.assertEqual((result.status, flag[0]), ("done", 1))

    def test_arrays_are_as_before(self):
        data = np.zeros(1, np.uint32)
        self.later(_thread.interrupt_main)
        with self.assertRaises(KeyboardInterrupt):
            self.kernel("spin")(data, grid=1, group=1, timeout=60)
        data[0] = 1
        self.kernel("spin")(data, grid=1, group=1, timeout=60)  # nothing is left of it


if __name__ == "__main__":
    unittest.main()
