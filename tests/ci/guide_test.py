"""docs/ci.md: do its commands do what it says, are the files that it shows those of this folder, and do these work?"""
import os
import re
import shutil
import unittest

from tools import GCNJIT, HERE, SOURCE, path, run

GUIDE = (SOURCE / "docs/ci.md").read_text()
TOOLS = os.environ["LLVM_TOOLS"]
SAXPY = """kernel void saxpy(float a, global const float* x, global float* y) {
  int i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
  y[i] = a * x[i] + y[i];
}
"""


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", GUIDE, re.M | re.S)


def with_path(*command, code=0, **options):
    """With gcnjit, and lit's tools, in the PATH."""
    folders = [os.path.dirname(GCNJIT), os.path.join(TOOLS, "bin"), os.environ["PATH"]]
    return run(*command, code=code, PATH=":".join(folders), **options)


class GuideTest(unittest.TestCase):
    def test_commands(self):
        with open(path("saxpy.cl"), "w") as file:
            file.write(SAXPY)
        run(os.environ["CLANG"], "-x", "cl", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx906", "-O2", "-nogpulib",
            "saxpy.cl", "-o", "saxpy.co")
        commands = "".join(blocks("sh"))
        self.assertEqual(commands.count("gcnjit "), 6)
        with_path("sh", "-e", "-c", commands)
        for report in ("run.xml", "diff.xml", "fuzz.xml", "all.xml"):
            self.assertTrue(os.path.exists(path(report)), report)

    def test_options_of_other_examples(self):
        words = set(re.findall(r"--[a-z-]+", "\n".join(re.findall(r"gcnjit (?:run|exec|fuzz) [^`\n]*", GUIDE))))
        known = "".join(with_path("gcnjit", command, "--help") for command in ("run", "exec", "fuzz", "diff"))
        self.assertIn("--device", words)
        for word in words:
            self.assertTrue(re.search(rf"{word}\b", known), word)

    def test_files_are_as_shown(self):
        self.assertEqual(blocks("c"), [(HERE / "lit/squares.cl").read_text()])
        for block, file in zip(blocks("cmake")[:2], ("amdgcn.cmake", "CMakeLists.txt"), strict=True):
            self.assertIn(block, (HERE / "emulator" / file).read_text())

    def test_lit(self):
        shutil.copytree(HERE / "lit", path("lit"))
        lit = ("python3", os.path.join(TOOLS, "build/utils/lit/lit.py"), "-v", path("lit"))
        self.assertRegex(with_path(*lit), r"Passed *: 2")
        with open(path("lit/squares.cl"), "r+") as file:
            text = file.read().replace("i * i", "i * 2")
            file.seek(0)
            file.write(text)
        out = with_path(*lit, code=1)
        self.assertIn("FAIL: kernels :: squares.cl", out)
        self.assertIn("expected string not found", out)

    def test_libclc(self):
        shutil.copytree(HERE / "libclc", path("libclc"))
        lit = ("python3", os.path.join(TOOLS, "build/utils/lit/lit.py"), "-v", path("libclc"))
        self.assertRegex(with_path(*lit), r"Passed *: 1")
        with open(path("libclc/ids.cl"), "r+") as file:
            text = file.read().replace("!= 300", "!= 301")
            file.seek(0)
            file.write(text)
        self.assertIn("trap in kernel 'row' (gfx906)", with_path(*lit, code=1))
        self.assertIn("does not know '--help'", with_path(path("libclc/llvm-gpu-loader"), "--help", "x", code=2))

    @unittest.skipUnless("LOADER" in os.environ, "there is no HSA library")
    def test_loader(self):
        program = (os.environ["CLANG"], "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx906", "-O2",
                   "-nogpulib", "-Xclang", "-finclude-default-header", HERE / "loader/program.cl", "-o")
        run(*program, "program.co")
        for engine in ("interp", "jit"):
            out = run(GCNJIT, "exec", "--device", "gfx906", "--engine", engine, "--", os.environ["LOADER"], "program.co", "one",
                      "two words", code=3)
            self.assertEqual(out, "program.co\none\ntwo words\n")
        # As CMake's emulator, with the line that the guide has.
        line = blocks("cmake")[2].replace("llvm-gpu-loader", os.environ["LOADER"])
        os.mkdir(path("emulated"))
        with open(path("emulated/toolchain.cmake"), "w") as file:
            file.write(f"include({HERE}/emulator/amdgcn.cmake)\n{line}")
        with open(path("emulated/CMakeLists.txt"), "w") as file:
            file.write(f"""cmake_minimum_required(VERSION 3.25)
project(programs LANGUAGES C)
enable_testing()
add_executable(program {HERE}/loader/program.cl)
set_source_files_properties({HERE}/loader/program.cl PROPERTIES LANGUAGE C)
target_compile_options(program PRIVATE -x cl -cl-std=CL2.0 -Xclang -finclude-default-header)
add_test(NAME arguments COMMAND program one two)
set_tests_properties(arguments PROPERTIES PASS_REGULAR_EXPRESSION "program\none\ntwo\n")
""")
        with_path(os.environ["CMAKE"], "-S", path("emulated"), "-B", path("emulated/build"), "-G", "Ninja",
                  f"-DCMAKE_TOOLCHAIN_FILE={path('emulated/toolchain.cmake')}")
        run(os.environ["CMAKE"], "--build", path("emulated/build"))
        out = with_path("ctest", "--test-dir", path("emulated/build"), "-V")
        self.assertRegex(out, "Test command: \\S*gcnjit \"exec\"")
        self.assertIn("100% tests passed, 0 tests failed out of 1", out)

    def test_emulator(self):
        def build(folder, *definitions):
            with_path(os.environ["CMAKE"], "-S", HERE / "emulator", "-B", path(folder), "-G", "Ninja",
                      f"-DCMAKE_TOOLCHAIN_FILE={HERE}/emulator/amdgcn.cmake", *definitions)
            run(os.environ["CMAKE"], "--build", path(folder))
            return "ctest", "--test-dir", path(folder)

        self.assertIn("100% tests passed, 0 tests failed out of 3", with_path(*build("right")))
        # With every other step left out, the work-item 0 alone is right.
        out = with_path(*build("wrong", "-DCMAKE_C_FLAGS=-mcpu=gfx906 -nogpulib -DSTEP=4"), "--output-on-failure", code=8)
        self.assertIn("33% tests passed, 2 tests failed out of 3", out)
        self.assertIn("trap in kernel 'scan' (gfx906)", out)


unittest.main()
