"""Programs and their kernels."""
from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Callable

import numpy as np
import numpy.typing as npt

from . import _native
from ._native import Argument, LaunchResult
from .compare import Comparison, Engine, compare_engines
from .errors import Fault, LaunchError, LoadError, Timeout
from .files import read_file
from .lines import Lines
from .memory import Device, array_on, default_device
from .options import Grid, checks, flag, seconds, shown, sizes, text, whole
from .values import Local, entry_of

_MANGLED = re.compile(r"_Z(\d+)(.*)", re.DOTALL)


def _print(text: str) -> None:
    sys.stdout.write(text)


class Kernel:
    """A kernel of a program. Call it to launch it."""

    def __init__(self, program: Program, info: _native.KernelInfo) -> None:
        self._program = program
        self._info = info
        self.name: str = info.name
        self.target: str = info.target  #: e.g. 'gfx906'
        #: What a launch gives: those of the source, in its order. None: the code object does not say.
        self.arguments: list[Argument] | None = None
        #: What the launch fills in by itself.
        self.hidden_arguments: list[Argument] = [a for a in info.arguments if a.kind == "hidden"]
        if info.has_metadata:
            self.arguments = [a for a in info.arguments if a.kind != "hidden"]
        self.vgpr_count: int = info.vgpr_count  #: of a wave
        self.sgpr_count: int = info.sgpr_count  #: of a wave
        self.lds_bytes: int = info.group_segment_size  #: of a work-group, without what launches add
        self.scratch_bytes: int = info.private_segment_size  #: of a work-item
        #: Most work-items of a group; 0: not stated.
        self.max_group: int = info.max_flat_workgroup_size
        #: The only group that the kernel may have, in work-items along x, y, z; None: any.
        self.required_group: tuple[int, int, int] | None = None
        if all(info.reqd_workgroup_size):
            self.required_group = info.reqd_workgroup_size

    def __repr__(self) -> str:
        given = "?" if self.arguments is None else ", ".join(
            " ".join(filter(None, (a.type_name or a.kind, a.name))) for a in self.arguments)
        return f"<Kernel {self.name}({given}) for {self.target}>"

    def __call__(
        self,
        *arguments: object,
        grid: Grid,
        group: Grid | None = None,
        offset: Grid = 0,
        engine: Engine = "jit",
        threads: int = 0,
        timeout: float | None = None,
        max_instructions: int = 0,
        check: bool | str | Iterable[str] = False,
        check_limit: int = 100,
        count_instructions: bool = False,
        compile_first: bool = False,
        print: Callable[[str], object] | None = None,
    ) -> LaunchResult:
        """Run the kernel and wait for it. Arrays are the kernel's memory, changed in place.

        arguments: in the order of `self.arguments`. For a pointer: an array of any shape and dtype
            that is contiguous and little-endian, an address (int), or None for null. Arrays of the
            device's memory (`Device.allocate`) are used where they are. Others are copied there and,
            if they are writable and the kernel ends without a fault, back. For a value: a number, a
            sequence for vectors, `bytes` for a struct; where the code object has no types, as HIP's
            have none, a NumPy scalar. For local memory: `Local(nbytes)`.
        grid: work-items (not groups) along x, or (x, y), or (x, y, z).
        group: work-items of a work-group, likewise. None: what the kernel requires, or 64 along x.
        offset: of the global ids, in work-items.
        engine: 'jit', or 'interpreter', the reference.
        threads: host threads; 0: as many processors as the process may use.
        timeout: seconds; then the launch ends with `Timeout`. None: no limit.
        max_instructions: the same for instructions that one wave executes; 0: no limit.
        check: look for mistakes (docs/check.md): True, or names such as 'memory,races'. What is found
            is in `result.findings`, at most `check_limit`. Runs in the interpreter, slowly.
        count_instructions: fill `result.statistics.instructions`. Runs in the interpreter.
        compile_first: compile before anything runs.
        print: is called with what the kernel prints, in pieces; None: sys.stdout.write.

        Raises LaunchError (nothing has run), Fault, Timeout; KeyboardInterrupt ends the launch.
        """
        native = _config(self, grid, group, offset)
        if engine not in ("jit", "interpreter"):
            raise LaunchError(f"engine {shown(engine)}: 'jit' or 'interpreter'")
        if engine == "interpreter":
            native.set_interpreter()
        if timeout is not None:
            native.timeout_seconds = seconds(timeout)
            if not native.timeout_seconds > 0:
                raise LaunchError(f"timeout {shown(timeout)}: seconds, more than 0, or None")
        native.threads = whole("threads", threads, 2**32 - 1)
        native.max_wave_instructions = whole("max_instructions", max_instructions, 2**64 - 1)
        native.check = checks(check)
        native.check_limit = whole("check_limit", check_limit, 2**64 - 1)
        native.count_instructions = flag("count_instructions", count_instructions)
        native.compile_first = flag("compile_first", compile_first)
        if print is not None and not callable(print):
            raise LaunchError(f"print {shown(print)}: a function that takes a str, or None")
        native.cache = self._program._cache()
        device = self._program.device
        result = _native.launch(device._native, device.shared_memory, self._program._native, self._info,
                                self._entries(arguments), native, _print if print is None else print)
        self._program._lines.add_to(result)
        return _ended(result)

    def compare(self, *arguments: object, grid: Grid, group: Grid | None = None,
                engines: tuple[Engine, ...] = ("interpreter", "jit"), **options: Any) -> Comparison:
        """Run the kernel in each engine, from the same memory, and compare what they leave, bit by bit.

        Arrays are afterwards what they were before. One host thread, so that work-groups run in the
        same order; `options` are those of a launch. `gcnjit diff` also finds the instruction.
        """
        return compare_engines(self, arguments, {"grid": grid, "group": group, "threads": 1, **options}, engines)

    def _entries(self, given: tuple[object, ...]) -> list[Any]:
        if self.arguments is None:
            return [entry_of(value, None, f"argument {n}") for n, value in enumerate(given)]
        wanted: list[Argument] = self.arguments
        # One more Local is the size of HIP's extern __shared__ array.
        shared = given[len(wanted):]
        if len(given) < len(wanted) or len(shared) > 1 or not all(isinstance(s, Local) for s in shared):
            names = ", ".join(a.name or a.kind for a in wanted)
            raise LaunchError(f"kernel '{self.name}' takes {len(wanted)} arguments ({names}), not {len(given)}")
        entries = []
        for n, (value, argument) in enumerate(zip(given, wanted)):
            place = f"argument {n}" + (f" ('{argument.name}')" if argument.name else "")
            entries.append(entry_of(value, argument, place))
        return entries + [entry_of(size, None, "the size of local memory") for size in shared]


class Program:
    """A loaded code object. `kernels` has its kernels by name."""

    def __init__(self, native: _native.Program, device: Device, lines: Lines) -> None:
        self._native = native
        self._lines = lines
        self.device: Device = device
        self.kernels: Mapping[str, Kernel] = Kernels(self)
        self._opened_cache: list[_native.CodeCache | None] = []

    def __repr__(self) -> str:
        return f"<Program with {', '.join(self.kernels) or 'no kernels'}>"

    def variable(self, name: str, dtype: npt.DTypeLike = np.uint8) -> npt.NDArray[Any]:
        """The memory of a global variable, as an array of as many elements of `dtype` as it has."""
        memory = self._native.variable(self.device._native, text("variable", name, LoadError))
        element = np.dtype(dtype)
        if element.hasobject or element.itemsize == 0 or memory.nbytes % element.itemsize:
            raise LoadError(f"variable '{name}' has {memory.nbytes} bytes: no array of {element}")
        return array_on(memory, (memory.nbytes // element.itemsize,), element)

    def _cache(self) -> _native.CodeCache | None:
        if not self._opened_cache:
            self._opened_cache.append(_native.CodeCache.of_environment())
        return self._opened_cache[0]


class Kernels(Mapping[str, Kernel]):
    """A program's kernels by name: as in the file or, of a C++ function outside of namespaces, by
    its name alone, if only one kernel has it."""

    def __init__(self, program: Program) -> None:
        self._by_name = {info.name: Kernel(program, info) for info in program._native.kernels}

    def __getitem__(self, name: str) -> Kernel:
        if name in self._by_name:
            return self._by_name[name]
        found = [kernel for mangled, kernel in self._by_name.items() if _source_name(mangled) == name]
        if len(found) == 1:
            return found[0]
        raise KeyError(f"no kernel '{name}', or several; there are {', '.join(self._by_name) or 'none'}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)


def load(file: str | os.PathLike[str] | bytes | bytearray | memoryview, *, target: str = "",
         device: Device | None = None, timeout: float = 0) -> Program:
    """Load a code object, an offload bundle, or what has bundles in it, such as a HIP program.

    file: a path, or the file's bytes. Of a bytearray and a memoryview a copy is taken.
    target: which entry of a bundle, e.g. 'gfx906' or 'gfx906:xnack-'. Empty: the first that can run.
    device: None: the default device.
    timeout: seconds that loading may take once the file has been read; 0: any.

    Raises LoadError, Timeout, and OSError where the file cannot be read. Of what has no size, such as a pipe, up to
    256 MiB are read.
    """
    limit = seconds(timeout)
    if not limit >= 0:
        raise LoadError(f"timeout {shown(timeout)}: seconds, 0 or more; 0 for any")
    target = text("target", target, LoadError)
    if device is None:
        device = default_device()
    if not isinstance(device, Device):
        raise TypeError(f"device: a gcnjit.Device or None, not {type(device).__name__}")
    if isinstance(file, (bytearray, memoryview)):
        file = bytes(file)  # as it is now, whatever other threads write while it is looked at
    if isinstance(file, bytes):
        return _loaded(file, target, device, limit)
    path = os.fspath(file)
    content = read_file(path)
    try:
        return _loaded(content, target, device, limit)
    except LoadError as error:
        named = LoadError(f"{os.fsdecode(path)}: {error}")
        named.code = error.code
        raise named from None


def _loaded(file: bytes, target: str, device: Device, timeout: float) -> Program:
    native = _native.Program.load(device._native, file, target, timeout)
    return Program(native, device, Lines(file, target, native))


def _source_name(mangled: str) -> str | None:
    """Itanium C++ ABI, 5.1.5: _Z, the number of characters, the name."""
    match = _MANGLED.match(mangled)
    length = int(match[1]) if match and len(match[1]) < 6 else 0
    return match[2][:length] if match and 0 < length <= len(match[2]) else None


def _config(kernel: Kernel, grid: Grid, group: Grid | None, offset: Grid) -> _native.LaunchConfig:
    config = _native.LaunchConfig()
    most = 2**32 - 1
    grid_sizes, dimensions = sizes("grid", grid, 1, most)
    group_sizes, _ = sizes("group", group if group is not None else kernel.required_group or 64, 1, most)
    # Axes beyond the grid's own have one work-item, but may have larger groups.
    config.set_grid(grid_sizes, group_sizes, max([dimensions] + [
        n + 1 for n in range(3) if group_sizes[n] != 1]))
    config.offset = sizes("offset", offset, 0, 2**64 - 1)[0]
    return config


def _ended(result: LaunchResult) -> LaunchResult:
    fault = result.fault
    if result.status == "fault" and fault is not None:
        raise Fault(fault, result)
    if result.status == "timeout":
        if fault is not None:
            raise Timeout(f"a wave executed more than max_instructions: {fault.describe()}", result)
        groups = result.unfinished
        done = groups.total - groups.begun - groups.not_begun if groups else 0
        text = f"the time was up, {done} of {groups.total if groups else 0} work-groups done. "
        raise Timeout((text + (groups.describe() if groups else "")).strip(), result)
    return result
