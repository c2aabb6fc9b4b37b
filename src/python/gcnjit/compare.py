"""One kernel in several engines: do they leave the same?"""
from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Mapping, Union

import numpy as np
import numpy.typing as npt

from . import _native
from ._native import LaunchResult
from .errors import Fault, LaunchError, Timeout
from .options import shown

if TYPE_CHECKING:
    from .program import Kernel

Engine = Literal["jit", "interpreter"]
Outcome = Union[LaunchResult, Fault, Timeout]


@dataclass(frozen=True)
class Difference:
    """An array that two engines leave different bits in."""

    argument: int  #: its position in the launch's arguments
    engine: str  #: which differs from the first one
    count: int  #: elements that differ
    index: int  #: of the first one, in the order of memory
    expected: Any  #: this element as the first engine leaves it
    found: Any  #: as `engine` does


@dataclass(frozen=True)
class Comparison:
    """What engines left. True where that is the same."""

    outcomes: Mapping[str, Outcome]  #: by engine: a LaunchResult, or what was raised
    differences: list[Difference]  #: of memory; empty after a fault, which leaves memory as it happens to be
    same: bool

    def __bool__(self) -> bool:
        return self.same


def compare_engines(kernel: Kernel, arguments: tuple[object, ...], options: Mapping[str, Any],
                    engines: tuple[Engine, ...]) -> Comparison:
    if not isinstance(engines, (tuple, list)) or len({str(engine) for engine in engines}) < 2:
        raise LaunchError(f"engines {shown(engines)}: a tuple of two different ones, as ('interpreter', 'jit')")
    memory = _memory_of(kernel, arguments)
    before = {n: bytes(part) for n, part in memory.items()}
    outcomes: dict[str, Outcome] = {}
    left: dict[str, dict[int, bytes]] = {}
    try:
        for engine in engines:
            _restore(memory, before)
            try:
                outcomes[engine] = kernel(*arguments, engine=engine, **options)
            except (Fault, Timeout) as error:
                outcomes[engine] = error
            left[engine] = {n: bytes(part) for n, part in memory.items()}
    finally:
        _restore(memory, before)
    first = engines[0]
    ends = {engine: _end(outcome) for engine, outcome in outcomes.items()}
    differences = []
    if all(isinstance(outcome, LaunchResult) for outcome in outcomes.values()):
        differences = [_difference(arguments[n], n, engine, left[first][n], left[engine][n])
                       for engine in engines[1:] for n in memory if left[engine][n] != left[first][n]]
    same = not differences and all(end == ends[first] for end in ends.values())
    return Comparison(outcomes, differences, same)


def _memory_of(kernel: Kernel, arguments: tuple[object, ...]) -> dict[int, npt.NDArray[np.uint8]]:
    entries = kernel._entries(arguments)
    return {n: _bytes_of(entry) for n, entry in enumerate(entries)
            if not isinstance(entry, (int, bytes, _native.Local)) and entry.nbytes}


def _bytes_of(entry: Any) -> npt.NDArray[np.uint8]:
    """In the order of memory, which entry_of has seen to have no gaps."""
    if isinstance(entry, memoryview) and not entry.c_contiguous:
        return np.asarray(entry).T.reshape(-1).view(np.uint8)
    return np.frombuffer(entry, np.uint8)


def _restore(memory: Mapping[int, npt.NDArray[np.uint8]], before: Mapping[int, bytes]) -> None:
    for n, part in memory.items():
        if part.flags.writeable:
            part[:] = np.frombuffer(before[n], np.uint8)
        elif bytes(part) != before[n]:
            # What Python may not write, kernels have: it is the device's memory, or shared.
            ctypes.memmove(part.ctypes.data, before[n], len(before[n]))


def _end(outcome: Outcome) -> tuple[object, ...]:
    """How a launch ended, without addresses, which differ from launch to launch."""
    if isinstance(outcome, Fault):
        return ("fault", outcome.kind, outcome.kernel_offset, outcome.workgroup, outcome.wave, outcome.lane)
    return ("timeout",) if isinstance(outcome, Timeout) else ("done",)


def _difference(argument: object, n: int, engine: str, expected: bytes, found: bytes) -> Difference:
    dtype = argument.dtype if isinstance(argument, np.ndarray) else np.dtype(np.uint8)
    shape = (-1, dtype.itemsize)
    wrong = np.flatnonzero((np.frombuffer(expected, np.uint8).reshape(shape)
                            != np.frombuffer(found, np.uint8).reshape(shape)).any(axis=1))
    index = int(wrong[0])
    return Difference(n, engine, len(wrong), index, np.frombuffer(expected, dtype)[index],
                      np.frombuffer(found, dtype)[index])
