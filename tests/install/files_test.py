"""Installs the build into a folder, moves that elsewhere, and uses what is there and nothing else: the program, the
shared and the static library from CMake and pkg-config, the Python package, a HIP program."""
import argparse
import glob
import os
import re
import shutil
import subprocess
import unittest

FILES = """
    bin/gcnjit
    include/gcnjit/gcnjit.h
    lib*/libgcnjit.a
    lib*/libgcnjit.so
    lib*/libgcnjit.so.0.1
    lib/gcnjit/libgcnjit-driver.so
    lib/gcnjit/libhsa-runtime64.so.1
    lib*/cmake/gcnjit/gcnjit-config.cmake
    lib*/pkgconfig/gcnjit.pc
    lib/python3*/*-packages/gcnjit/__init__.py
    lib/python3*/*-packages/gcnjit/_native.pyi
    lib/python3*/*-packages/gcnjit/py.typed
    share/man/man1/gcnjit.1
    share/man/man1/gcnjit-run.1
    share/bash-completion/completions/gcnjit
    share/zsh/site-functions/_gcnjit
    share/fish/vendor_completions.d/gcnjit.fish
    """.split()
RESULT = "2 512\n"  # what tests/install/consumer prints


def run(*command, **environment):
    done = subprocess.run(command, capture_output=True, encoding="latin-1", env=dict(os.environ, **environment), cwd="/")
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


class FilesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(options.folder, ignore_errors=True)
        cls.prefix = os.path.join(options.folder, "moved")
        first = os.path.join(options.folder, "first")
        run(options.cmake, "--install", options.build, "--prefix", first)
        os.rename(first, cls.prefix)
        cls.gcnjit = os.path.join(cls.prefix, "bin/gcnjit")
        cls.libraries = os.path.dirname(cls.one("lib*/libgcnjit.a"))

    @classmethod
    def one(cls, pattern):
        found = glob.glob(os.path.join(cls.prefix, pattern))
        if len(found) != 1:
            raise AssertionError(f"{pattern}: {found}")
        return found[0]

    def test_files(self):
        for pattern in FILES:
            self.one(pattern)

    def test_nothing_points_at_the_build(self):
        for folder, _, names in os.walk(self.prefix):
            for name in names:
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    contents = file.read()
                if contents[:4] == b"\x7fELF":
                    self.assertNotRegex(run("readelf", "-d", path), r"\((RPATH|RUNPATH)\)", path)
                elif not path.endswith(".a"):
                    self.assertNotIn(options.source.encode(), contents, path)

    def test_exports(self):
        library = os.path.join(self.libraries, "libgcnjit.so.0.1")
        self.assertRegex(run("readelf", "-d", library), r"SONAME.*\[libgcnjit\.so\.0\.1\]")
        exported = set()
        for line in run("nm", "--dynamic", "--defined-only", "--demangle", library).splitlines():
            kind, name = line.split(" ", 2)[1:]
            if kind == "A":  # the version itself
                self.assertEqual(name, "GCNJIT_0.1")
                continue
            self.assertEqual((kind, name[:8], name[-12:]), ("T", "gcnjit::", "@@GCNJIT_0.1"), line)
            exported.add(name)
        announced = 0
        for header in glob.glob(os.path.join(self.prefix, "include/gcnjit/*.h")):
            with open(header) as file:
                announced += len(re.findall(r"^\s*GCNJIT_API ", file.read(), re.MULTILINE))
        self.assertEqual(len(exported), announced, "\n".join(sorted(exported)))

    def test_find_package(self):
        build = os.path.join(options.folder, "consumer")
        run(options.cmake, "-S", os.path.join(options.source, "tests/install/consumer"), "-B", build, "-G", "Ninja",
            f"-DCMAKE_CXX_COMPILER={options.compiler}", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run(options.cmake, "--build", build)
        for program in ("shared", "static"):
            self.assertEqual(run(os.path.join(build, program), options.object), RESULT)
        self.assertIn("libgcnjit.so.0.1", run("readelf", "-d", os.path.join(build, "shared")))
        self.assertNotIn("libgcnjit", run("readelf", "-d", os.path.join(build, "static")))

    def test_pkg_config(self):
        settings = {"PKG_CONFIG_PATH": os.path.join(self.libraries, "pkgconfig")}
        flags = run("pkg-config", "--cflags", "--libs", "gcnjit", **settings).split()
        program = os.path.join(options.folder, "from-pkg-config")
        source = os.path.join(options.source, "tests/install/consumer/consumer.cpp")
        run(options.compiler, "-std=c++20", source, "-o", program, *flags)
        self.assertEqual(run(program, options.object, LD_LIBRARY_PATH=self.libraries), RESULT)
        self.assertEqual(run("pkg-config", "--modversion", "gcnjit", **settings),
                         run(self.gcnjit, "--version").split()[1] + "\n")
        self.assertIn("-lasmjit", run("pkg-config", "--static", "--libs", "gcnjit", **settings))

    def test_python(self):
        packages = os.path.dirname(os.path.dirname(self.one("lib/python3*/*-packages/gcnjit/__init__.py")))
        code = f"""
import gcnjit, gcnjit.lines, numpy
data = numpy.zeros(256, numpy.uint32)
gcnjit.load({options.object!r}).kernels["add_one"](data, grid=256)
print(gcnjit.__file__, data[255], gcnjit.lines.reader_path())"""
        out = run(options.python, "-c", code, PYTHONPATH=packages, PYTHONDONTWRITEBYTECODE="1", GCNJIT_PROGRAM="")
        self.assertEqual(out, f"{packages}/gcnjit/__init__.py 256 {self.gcnjit}\n")

    def test_program(self):
        out = run(self.gcnjit, "run", options.object, "--global", "256", "--arg", "out:1024:-")
        self.assertEqual(out.encode("latin-1")[-2:], b"\0\0")

    def test_hip_program(self):
        run(self.gcnjit, "exec", "--device", "gfx900", "--", options.hip)


parser = argparse.ArgumentParser()
for name in ("build", "source", "cmake", "compiler", "object", "folder", "python", "hip"):
    parser.add_argument(f"--{name}", required=True)
options, rest = parser.parse_known_args()
unittest.main(argv=[__file__, *rest])
