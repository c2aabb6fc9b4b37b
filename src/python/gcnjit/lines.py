"""Source lines of what launches report."""
from __future__ import annotations

import os
import pathlib
import shutil
import warnings

from . import _native


class Lines:
    """Those of a program. Debug information may be hostile: the program gcnjit reads it, in a process with limits."""

    def __init__(self, file: bytes | bytearray | memoryview, target: str, program: _native.Program) -> None:
        self._native = _native.ReportLines(file, target, program)

    def add_to(self, result: _native.LaunchResult) -> None:
        """Fill in `source` of all that the result reports. A warning says why that cannot be done."""
        if not self._native.some or not (result.fault or result.findings or result.notes):
            return
        reader = reader_path()
        why = result.add_lines(self._native, reader) if reader else (
            "the program gcnjit, which reads them, is not found: install it, or set GCNJIT_PROGRAM to its path")
        if why:
            warnings.warn(f"gcnjit: no source lines: {why}", RuntimeWarning, stacklevel=3)


def reader_path() -> str | None:
    """The program gcnjit: what GCNJIT_PROGRAM names, what is installed or built with this package, or of PATH."""
    if named := os.environ.get("GCNJIT_PROGRAM"):
        return named
    package = pathlib.Path(__file__).resolve().parent
    for folder in package.parents:
        if (program := folder / "bin" / "gcnjit").is_file():
            return str(program)
        if (folder / "CMakeCache.txt").is_file() and (program := folder / "gcnjit").is_file():
            return str(program)
    return shutil.which("gcnjit")
