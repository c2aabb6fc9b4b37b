"""Files: what is loaded, what is refused, what is known of kernels."""
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest
from unittest import mock

import numpy as np
from support import OBJECTS, KernelTest, path

import gcnjit


class LoadTest(unittest.TestCase):
    def test_path(self):
        self.assertIn("saxpy", gcnjit.load(path("kernels-gfx906.co")).kernels)

    def test_path_object(self):
        self.assertIn("saxpy", gcnjit.load(pathlib.Path(path("kernels-gfx906.co"))).kernels)

    def test_bytes_and_views(self):
        content = pathlib.Path(path("kernels-gfx906.co")).read_bytes()
        for kind in (bytes, bytearray, memoryview):
            with self.subTest(kind.__name__):
                self.assertIn("saxpy", gcnjit.load(kind(content)).kernels)

    def test_views_with_gaps(self):
        content = pathlib.Path(path("kernels-gfx906.co")).read_bytes()
        spread = bytearray(3 * len(content))
        spread[::3] = content
        columns = np.frombuffer(content[:len(content) // 2 * 2], np.uint8).reshape(-1, 2)
        for view in (memoryview(spread)[::3], memoryview(content[::-1])[::-1], memoryview(np.asfortranarray(columns))):
            self.assertIn("saxpy", gcnjit.load(view).kernels)

    def test_the_native_module_refuses_views_with_gaps(self):
        # A stride of 0: all of it is one row, and there is nothing after that.
        rows = memoryview(np.broadcast_to(np.zeros(4096, np.uint8), (1 << 20, 4096)))
        device = gcnjit.default_device()
        with self.assertRaises(BufferError):
            gcnjit._native.Program.load(device._native, rows, "", 0)
        native = gcnjit.load(path("kernels-gfx906.co"))._native
        with self.assertRaises(BufferError):
            gcnjit._native.ReportLines(rows, "", native)

    def test_the_file_may_change_afterwards(self):
        content = bytearray(pathlib.Path(path("kernels-gfx906.co")).read_bytes())
        program = gcnjit.load(content)
        content[:] = bytes(len(content))
        data = np.zeros(64, np.uint32)
        program.kernels["add_one"](data, grid=64)
        self.assertTrue((data == 1).all())

    def test_the_file_may_change_meanwhile(self):
        # Loading looks at bytes more than once.
        for kind in (bytearray, memoryview):
            with mock.patch("gcnjit.program._loaded") as loaded:
                gcnjit.load(kind(b"content"))
            [content, *_] = loaded.call_args[0]
            self.assertEqual((type(content), content), (bytes, b"content"))

    def test_missing_file(self):
        with self.assertRaises(FileNotFoundError):
            gcnjit.load("/no/such/file.co")

    def test_a_folder(self):
        with self.assertRaises(IsADirectoryError):
            gcnjit.load(OBJECTS)

    def test_a_descriptor_is_no_path(self):
        with self.assertRaises(TypeError):
            gcnjit.load(0)

    def test_a_pipe(self):
        with tempfile.TemporaryDirectory() as folder:
            pipe = pathlib.Path(folder, "pipe")
            os.mkfifo(pipe)
            content = pathlib.Path(path("kernels-gfx906.co")).read_bytes()
            writer = threading.Thread(target=pipe.write_bytes, args=(content,))
            writer.start()
            program = gcnjit.load(pipe)
            writer.join()
        self.assertIn("saxpy", program.kernels)

    def test_what_does_not_end(self):
        # In a process whose memory has a limit, so that nothing but the test fails. Guest memory is reserved before.
        limited = ("import gcnjit, resource, sys; gcnjit.default_device()\n"
                   "used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
                   "resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 30),) * 2)\n"
                   "try: gcnjit.load('/dev/zero')\n"
                   "except gcnjit.LoadError as error: print(error)")
        done = subprocess.run([sys.executable, "-c", limited], capture_output=True, text=True, timeout=120)
        self.assertEqual((done.stdout, done.stderr), ("/dev/zero: it does not end within 256 MiB, and is no file of known size\n", ""))

    def test_more_than_memory(self):
        with tempfile.NamedTemporaryFile(suffix=".co") as file:
            os.truncate(file.name, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") + 1)
            with self.assertRaisesRegex(gcnjit.LoadError, "more than this machine's memory"):
                gcnjit.load(file.name)

    def test_no_code_object(self):
        with tempfile.NamedTemporaryFile(suffix=".co") as file:
            file.write(b"this is text, no code object")
            file.flush()
            with self.assertRaises(gcnjit.LoadError) as caught:
                gcnjit.load(file.name)
        self.assertIn(file.name, str(caught.exception))
        self.assertEqual(caught.exception.code, "invalid-code-object")
        self.assertIsInstance(caught.exception, gcnjit.Error)

    def test_empty_bytes(self):
        with self.assertRaises(gcnjit.LoadError):
            gcnjit.load(b"")

    def test_truncated(self):
        content = pathlib.Path(path("kernels-gfx906.co")).read_bytes()
        with self.assertRaises(gcnjit.LoadError):
            gcnjit.load(content[:len(content) // 3])

    def test_other_types(self):
        with self.assertRaises(TypeError):
            gcnjit.load(3.5)

    def test_target_of_a_bundle(self):
        for target in ("gfx906", "gfx900"):
            with self.subTest(target):
                program = gcnjit.load(path("printing.hipfb"), target=target)
                self.assertTrue(program.kernels["say"].target.startswith(target))

    def test_target_that_a_bundle_has_not(self):
        with self.assertRaises(gcnjit.LoadError) as caught:
            gcnjit.load(path("printing.hipfb"), target="gfx803")
        self.assertIn("gfx906", str(caught.exception))
        self.assertEqual(caught.exception.code, "not-found")

    def test_what_is_no_time(self):
        for timeout in (float("nan"), -1, -1e-9):
            with self.subTest(timeout), self.assertRaisesRegex(gcnjit.LoadError, f"timeout {timeout!r}: seconds"):
                gcnjit.load(path("kernels-gfx906.co"), timeout=timeout)
        self.assertIn("saxpy", gcnjit.load(path("kernels-gfx906.co"), timeout=float("inf")).kernels)

    def test_timeout(self):
        with self.assertRaises(gcnjit.Timeout) as caught:
            gcnjit.load(path("kernels-gfx906.co"), timeout=1e-9)
        self.assertEqual(caught.exception.code, "timeout")
        self.assertIsNone(caught.exception.result)


class KernelsTest(KernelTest):
    def test_is_a_mapping(self):
        kernels = self.program.kernels
        self.assertEqual(len(kernels), len(list(kernels)))
        self.assertIn("saxpy", kernels)
        self.assertNotIn("saxp", kernels)
        self.assertIsNone(kernels.get("saxp"))
        self.assertEqual({k.name for k in kernels.values()}, set(kernels))

    def test_unknown_name_lists_the_others(self):
        with self.assertRaises(KeyError) as caught:
            self.program.kernels["saxp"]
        self.assertIn("saxpy", str(caught.exception))

    def test_arguments(self):
        arguments = self.kernel("saxpy").arguments
        self.assertEqual([(a.kind, a.name, a.type_name, a.offset, a.size) for a in arguments],
                         [("value", "a", "float", 0, 4), ("buffer", "x", "float*", 8, 8),
                          ("buffer", "y", "float*", 16, 8), ("value", "n", "uint", 24, 4)])
        self.assertEqual(arguments[1].value_kind, "global_buffer")

    def test_hidden_arguments(self):
        hidden = self.kernel("saxpy").hidden_arguments
        self.assertTrue(hidden)
        self.assertTrue(all(a.kind == "hidden" and a.value_kind.startswith("hidden_") for a in hidden))

    def test_local_arguments(self):
        local = self.kernel("reverse").arguments[1]
        self.assertEqual((local.kind, local.pointee_align), ("local", 4))

    def test_properties(self):
        saxpy = self.kernel("saxpy")
        self.assertEqual((saxpy.name, saxpy.target, saxpy.lds_bytes), ("saxpy", "gfx906", 0))
        self.assertGreater(saxpy.vgpr_count, 0)
        self.assertGreater(saxpy.sgpr_count, 0)
        self.assertIsNone(saxpy.required_group)
        self.assertEqual(self.kernel("sixteen_by_four").required_group, (16, 4, 1))
        self.assertEqual(self.kernel("sixteen_by_four").max_group, 64)

    def test_repr(self):
        self.assertEqual(repr(self.kernel("saxpy")), "<Kernel saxpy(float a, float* x, float* y, uint n) for gfx906>")
        self.assertIn("saxpy", repr(self.program))
        self.assertIn("type_name='float*'", repr(self.kernel("saxpy").arguments[1]))

    def test_names_of_cxx(self):
        kernels = gcnjit.load(path("printing.hipfb")).kernels
        self.assertEqual(kernels["twice"].name, "_Z5twicePff")
        self.assertIs(kernels["_Z5twicePff"], kernels["twice"])
        with self.assertRaises(KeyError):
            kernels["overloaded"]  # there are two

    def test_kernels_outlive_their_program(self):
        kernel = gcnjit.load(path("kernels-gfx906.co")).kernels["add_one"]
        data = np.zeros(64, np.uint32)
        kernel(data, grid=64)
        self.assertTrue((data == 1).all())

    def test_what_the_program_says(self):
        said = subprocess.run([os.environ["GCNJIT_PROGRAM"], "info", "--json", path("kernels-gfx906.co")],
                              capture_output=True, text=True, check=True).stdout
        for name in self.program.kernels:
            self.assertIn(f'"{name}"', said)


class VariableTest(unittest.TestCase):
    def setUp(self):
        self.program = gcnjit.load(path("kernels-gfx906.co"))

    def test_is_read_and_written(self):
        counter = self.program.variable("counter", np.uint32)
        np.testing.assert_array_equal(counter, [1, 2, 3, 4])
        counter[2] = 50
        out = np.zeros(4, np.uint32)
        self.program.kernels["count"](out, grid=4, group=4)
        np.testing.assert_array_equal(out, [1, 2, 50, 4])
        np.testing.assert_array_equal(counter, [11, 12, 60, 14])

    def test_outlives_the_program(self):
        counter = self.program.variable("counter", np.uint32)
        del self.program
        np.testing.assert_array_equal(counter, [1, 2, 3, 4])

    def test_unknown(self):
        with self.assertRaises(gcnjit.LoadError) as caught:
            self.program.variable("no_such")
        self.assertEqual(caught.exception.code, "not-found")

    def test_size_that_does_not_fit(self):
        with self.assertRaises(gcnjit.LoadError):
            self.program.variable("counter", [("a", "u1", 3)])


if __name__ == "__main__":
    unittest.main()
