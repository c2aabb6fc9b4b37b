"""compile_opencl and compile_hip: what they compile with, and what they say when that fails."""
import os
import pathlib
import shutil
import stat
import tempfile
import unittest
from unittest import mock

import numpy as np

import gcnjit

SQUARE = "kernel void square(global float* x) { x[get_global_id(0)] *= x[get_global_id(0)]; }"


class OpenClTest(unittest.TestCase):
    def test_runs(self):
        for target in ("gfx803", "gfx906"):
            kernel = gcnjit.compile_opencl(SQUARE, target=target).kernels["square"]
            self.assertEqual(kernel.target, target)
            data = np.arange(64, dtype=np.float32)
            kernel(data, grid=64)
            np.testing.assert_array_equal(data, np.arange(64.0) ** 2)

    def test_functions_of_the_library(self):
        kernel = gcnjit.compile_opencl("kernel void k(global float* x) { x[get_global_id(0)] = sqrt(x[get_global_id(0)]); }")
        data = np.arange(64, dtype=np.float32) ** 2
        kernel.kernels["k"](data, grid=64)
        np.testing.assert_array_equal(data, np.arange(64))

    def test_options(self):
        source = "kernel void k(global int* x) { x[0] = VALUE; }"
        data = np.zeros(1, np.int32)
        gcnjit.compile_opencl(source, options=["-DVALUE=42"]).kernels["k"](data, grid=1)
        self.assertEqual(data[0], 42)
        with self.assertRaisesRegex(gcnjit.CompileError, "a list"):
            gcnjit.compile_opencl(source, options="-DVALUE=42")

    def test_paths(self):
        clang = pathlib.Path(shutil.which("clang-15") or shutil.which("clang"))
        program = gcnjit.compile_opencl(SQUARE, compiler=clang, options=["-I", pathlib.Path(os.curdir)])
        self.assertEqual(len(program.kernels), 1)

    def test_what_is_no_text(self):
        for wrong in (None, 3, b"kernel void f() {}", "\ud800"):
            with self.subTest(wrong):
                with self.assertRaisesRegex(gcnjit.CompileError, "source .*: a str"):
                    gcnjit.compile_opencl(wrong)
                with self.assertRaisesRegex(gcnjit.CompileError, "target .*: a str"):
                    gcnjit.compile_opencl(SQUARE, target=wrong)
                with self.assertRaisesRegex(gcnjit.CompileError, "one of options .*: a str"):
                    gcnjit.compile_opencl(SQUARE, options=[wrong])
        for wrong in (None, 3, "-O2", b"-O2"):
            with self.subTest(wrong), self.assertRaisesRegex(gcnjit.CompileError, "options .*: a list"):
                gcnjit.compile_opencl(SQUARE, options=wrong)
        with self.assertRaisesRegex(gcnjit.CompileError, "compiler 3: the name or path of a clang"):
            gcnjit.compile_opencl(SQUARE, compiler=3)

    def test_device(self):
        device = gcnjit.Device()
        self.assertIs(gcnjit.compile_opencl(SQUARE, device=device).device, device)

    def test_mistake_in_the_source(self):
        with self.assertRaises(gcnjit.CompileError) as caught:
            gcnjit.compile_opencl("kernel void k() { return 1 +; }")
        self.assertRegex(str(caught.exception), r"kernel\.cl:1:\d+: error: expected expression")

    def test_no_compiler(self):
        with self.assertRaisesRegex(gcnjit.CompileError, "no-such-clang"):
            gcnjit.compile_opencl(SQUARE, compiler="no-such-clang")
        with mock.patch.dict(os.environ, PATH="/nowhere"), self.assertRaisesRegex(gcnjit.CompileError, "no clang"):
            gcnjit.compile_opencl(SQUARE)

    def test_compiler_of_the_environment(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "clang")
            with open(program, "w") as file:
                file.write("#!/bin/sh\necho \"$@\" >&2\nexit 1\n")
            os.chmod(program, stat.S_IRWXU)
            with mock.patch.dict(os.environ, GCNJIT_CLANG=program), self.assertRaises(gcnjit.CompileError) as caught:
                gcnjit.compile_opencl(SQUARE, target="gfx900", options=["-DA=b c"])
        self.assertIn("-mcpu=gfx900", str(caught.exception))
        self.assertIn("-DA=b c", str(caught.exception))


class HipTest(unittest.TestCase):
    def test_runs(self):
        program = gcnjit.compile_hip("""
            #include <hip/hip_runtime.h>
            __global__ void triple(int* x) { x[blockIdx.x * blockDim.x + threadIdx.x] *= 3; }
        """, target="gfx900")
        data = np.arange(128, dtype=np.int32)
        program.kernels["triple"](data, grid=128)
        np.testing.assert_array_equal(data, np.arange(128) * 3)
        self.assertTrue(program.kernels["triple"].target.startswith("gfx900"))

    def test_mistake_in_the_source(self):
        with self.assertRaisesRegex(gcnjit.CompileError, r"kernel\.hip:1:\d+: error"):
            gcnjit.compile_hip("__global__ void k() { undeclared(); }")

    def test_no_compiler(self):
        with mock.patch.dict(os.environ, PATH="/nowhere"), self.assertRaisesRegex(gcnjit.CompileError, "no hipcc"):
            gcnjit.compile_hip("")


if __name__ == "__main__":
    unittest.main()
