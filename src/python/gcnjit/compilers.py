"""Compiling source with the clang or hipcc that is there."""
from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from .errors import CompileError
from .memory import Device
from .options import shown, text
from .program import Program, load

# The device libraries are LLVM bitcode, which the clang that they were built with reads, and later ones
# mostly. Debian 12's are of LLVM 15.
_CLANGS = ["clang-15", "clang", *(f"clang-{version}" for version in range(16, 23))]
_LIBRARIES = [Path("/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"), Path("/opt/rocm/amdgcn/bitcode")]


def compile_opencl(source: str, *, target: str = "gfx906", options: Sequence[str] = (),
                   compiler: str | os.PathLike[str] | None = None, device: Device | None = None) -> Program:
    """Compile OpenCL C with clang, and load it.

    target: e.g. 'gfx906' or 'gfx906:xnack-'.
    options: of clang, after the default '-cl-std=CL2.0 -O2'; e.g. ['-O0', '-DWIDTH=64'].
    compiler: a clang with the AMDGPU target. None: $GCNJIT_CLANG, else one of PATH. OpenCL's functions
        need AMD's device libraries (Debian: rocm-device-libs); without them, only what is built in.

    Raises CompileError.
    """
    clang = _find(compiler or os.environ.get("GCNJIT_CLANG"), _CLANGS, "clang")
    target = text("target", target, CompileError)
    command = [clang, "-x", "cl", "-cl-std=CL2.0", "-cl-kernel-arg-info", "-O2", "-target", "amdgcn-amd-amdhsa", f"-mcpu={target}"]
    linker = Path(os.path.realpath(clang)).parent  # the clang of a version takes the lld of that version
    command.append(f"-B{linker}")
    libraries = next((str(folder) for folder in _LIBRARIES if (folder / "opencl.bc").exists()), None)
    command += ["-nogpulib"] if libraries is None else [f"--rocm-device-lib-path={libraries}"]
    return load(_run(command, options, source, "kernel.cl"), device=device)


def compile_hip(source: str, *, target: str = "gfx906", options: Sequence[str] = (),
                compiler: str | os.PathLike[str] | None = None, device: Device | None = None) -> Program:
    """Compile HIP with hipcc, and load its kernels.

    Kernels that are not `extern "C"` have mangled names; `kernels['name']` finds them all the same.
    options: of hipcc, after the default '-O2'.
    compiler: None: $GCNJIT_HIPCC, else hipcc of PATH.

    Raises CompileError.
    """
    hipcc = _find(compiler or os.environ.get("GCNJIT_HIPCC"), ["hipcc"], "hipcc")
    target = text("target", target, CompileError)
    command = [hipcc, "--genco", f"--offload-arch={target}", "-O2"]
    return load(_run(command, options, source, "kernel.hip"), target=target, device=device)


def _find(named: str | os.PathLike[str] | None, candidates: Sequence[str], what: str) -> str:
    if named is not None and not isinstance(named, (str, os.PathLike)):
        raise CompileError(f"compiler {shown(named)}: the name or path of a {what}, or None")
    wanted = os.fspath(named) if named else None
    for name in [wanted] if wanted else candidates:
        found = shutil.which(name)
        if found:
            return found
    looked = wanted or ", ".join(candidates)
    raise CompileError(f"no {what}: there is no {looked} in PATH. Name one with compiler=..., or install it")


def _run(command: Sequence[str], options: Sequence[str], source: str, name: str) -> bytes:
    if isinstance(options, (str, bytes)) or not isinstance(options, Iterable):
        raise CompileError(f"options {shown(options)}: a list, one element an option")
    options = [text("one of options", os.fspath(option) if isinstance(option, os.PathLike) else option, CompileError)
               for option in options]
    source = text("source", source, CompileError)
    target = re.search(r"gfx\w+", " ".join(command))
    # Without a target in its environment hipcc looks for a GPU.
    environment = {**os.environ, "HCC_AMDGPU_TARGET": target[0] if target else ""}
    with tempfile.TemporaryDirectory(prefix="gcnjit-") as folder:
        written = Path(folder, name)
        written.write_text(source, encoding="utf-8")
        output = Path(folder, "kernel.co")
        done = subprocess.run([*command, *options, str(written), "-o", str(output)], env=environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, errors="replace", check=False)
        if done.returncode != 0 or not output.exists():
            raise CompileError(f"{command[0]} failed:\n{done.stderr.strip() or done.stdout.strip()}".replace(
                str(written), name))
        return output.read_bytes()
