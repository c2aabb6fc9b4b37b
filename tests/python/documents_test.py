"""Are the examples right? Docstrings, docs/python.md, the notebook; and do the type stubs say what is there?

    documents_test.py SOURCE_FOLDER BUILD_FOLDER
"""
import ast
import doctest
import importlib
import json
import os
import pathlib
import pkgutil
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

import gcnjit

HERE = pathlib.Path(__file__).resolve().parent
SOURCE, BUILD = (pathlib.Path(folder).resolve() for folder in sys.argv[1:3])
PACKAGE = SOURCE / "src/python/gcnjit"
GUIDE = SOURCE / "docs/python.md"
NOTEBOOK = SOURCE / "demo/mandelbrot.ipynb"


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.M | re.S)


def environment():
    return {**os.environ, "PYTHONPATH": str(BUILD / "python")}


class ExamplesTest(unittest.TestCase):
    def test_docstrings(self):
        tried = 0
        for module in ("gcnjit", *(f"gcnjit.{m.name}" for m in pkgutil.iter_modules(gcnjit.__path__))):
            result = doctest.testmod(importlib.import_module(module))
            self.assertEqual(result.failed, 0, module)
            tried += result.attempted
        self.assertGreater(tried, 10)

    def test_guide(self):
        text = "\n".join(blocks(GUIDE.read_text(), "pycon"))
        test = doctest.DocTestParser().get_doctest(text, {}, "docs/python.md", str(GUIDE), 0)
        self.assertGreater(len(test.examples), 20)
        with tempfile.TemporaryDirectory() as folder:
            before = os.getcwd()
            os.chdir(folder)
            try:
                self.assertEqual(doctest.DocTestRunner().run(test).failed, 0)
            finally:
                os.chdir(before)

    def test_commands_of_the_guide(self):
        commands = blocks(GUIDE.read_text(), "sh")
        self.assertTrue(commands)
        for command in commands:
            # As in the source folder, with the build folder under its usual name.
            with tempfile.TemporaryDirectory() as folder:
                for name in ("docs", "demo", "src"):
                    os.symlink(SOURCE / name, os.path.join(folder, name))
                os.mkdir(os.path.join(folder, "build"))
                os.symlink(BUILD, os.path.join(folder, "build/release"))
                os.symlink(sys.executable, os.path.join(folder, "python3"))
                done = subprocess.run(["sh", "-ec", command], cwd=folder, capture_output=True, text=True,
                                      env={**os.environ, "PATH": folder + os.pathsep + os.environ["PATH"], "PYTHONPATH": ""})
                self.assertEqual(done.returncode, 0, command + done.stderr)

    def test_notebook(self):
        notebook = json.loads(NOTEBOOK.read_text())
        self.assertEqual(notebook["nbformat"], 4)
        cells = ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code"]
        self.assertGreater(len(cells), 3)
        self.assertTrue(all(not c["outputs"] for c in notebook["cells"] if c["cell_type"] == "code"))
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, "-c", "\n".join(cells)], cwd=folder, env=environment(),
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            width, height, rows = read_png((pathlib.Path(folder) / "mandelbrot.png").read_bytes())
        self.assertEqual((width, height), (640, 480))
        # The centre of the set is black, far outside of it is not, and there is something to see.
        self.assertEqual(rows[240][3 * 430:3 * 431], bytes(3))
        self.assertNotEqual(rows[0][:3], bytes(3))
        self.assertGreater(len({rows[y][3 * x:3 * x + 3] for y in range(0, 480, 8) for x in range(0, 640, 8)}), 20)


def read_png(data):
    """Width, height and RGB rows of a PNG whose rows are not filtered (PNG 1.2, 3 and 11.2)."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, {}
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        content = data[at + 8:at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0] == zlib.crc32(kind + content)
        chunks[kind] = chunks.get(kind, b"") + content
        at += 12 + size
    width, height, depth, colours = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    assert (depth, colours) == (8, 2)
    pixels = zlib.decompress(chunks[b"IDAT"])
    stride = 1 + 3 * width
    assert len(pixels) == stride * height and not any(pixels[::stride])
    return width, height, [pixels[y * stride + 1:(y + 1) * stride] for y in range(height)]


class TypesTest(unittest.TestCase):
    def mypy(self, *arguments):
        with tempfile.TemporaryDirectory() as cache:
            done = subprocess.run(arguments, cwd=cache, capture_output=True, text=True,
                                  env={**environment(), "MYPYPATH": str(PACKAGE.parent), "MYPY_CACHE_DIR": cache})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_package(self):
        self.mypy(sys.executable, "-m", "mypy", "--strict", "-p", "gcnjit")

    def test_stubs_say_what_is_there(self):
        self.mypy(sys.executable, "-m", "mypy.stubtest", "gcnjit._native", "--allowlist", str(HERE / "stubtest.txt"))

    def test_stubs_have_all_names(self):
        tree = ast.parse((PACKAGE / "_native.pyi").read_text())
        told = {n.name for n in tree.body if isinstance(n, (ast.ClassDef, ast.FunctionDef))}
        told |= {n.target.id for n in tree.body if isinstance(n, ast.AnnAssign)}
        self.assertEqual(told, {name for name in dir(gcnjit._native) if not name.startswith("_")})

    def test_package_is_typed(self):
        self.assertTrue((pathlib.Path(gcnjit.__file__).parent / "py.typed").exists())

    def test_what_is_exported_is_there(self):
        for name in gcnjit.__all__:
            self.assertTrue(getattr(gcnjit, name).__doc__, name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
