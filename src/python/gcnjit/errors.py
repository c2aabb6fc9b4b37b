"""What gcnjit raises. All of it is an `Error`; a wrong type of Python's is a TypeError, as ever."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._native import FaultReport, LaunchResult, SourceFrame, UnfinishedGroups


class Error(Exception):
    """What went wrong, and what to do.

    `code` is a word for programs: 'invalid-argument', 'invalid-code-object', 'unsupported-target',
    'not-found', 'out-of-resources', 'unsupported' or 'timeout'.
    """

    code: str = "invalid-argument"


class LoadError(Error):
    """A file is no code object, or one for another device; or it has not what was asked for."""


class CompileError(Error):
    """There is no compiler, or it does not take the source; the message has what it says."""


class LaunchError(Error):
    """The request makes no sense. Nothing has run."""


class Fault(Error):
    """The kernel went astray: docs/faults.md. Arrays of the host's are as they were before.

    `str()` is the whole report, several lines long.
    """

    code = "fault"

    def __init__(self, report: FaultReport, result: LaunchResult) -> None:
        super().__init__(report.describe())
        self.report: FaultReport = report
        self.result: LaunchResult = result  #: statistics, and findings of `check`
        self.kind: str = report.kind  #: e.g. 'memory write fault'
        self.kernel: str = report.kernel
        self.target: str = report.target  #: e.g. 'gfx906'
        self.pc: int = report.pc  #: address of the instruction
        self.kernel_offset: int = report.kernel_offset  #: bytes from the kernel's begin
        self.instruction: str = report.instruction  #: disassembled
        self.source: list[SourceFrame] = report.source  #: innermost inlined call first; empty: compiled without -g
        self.workgroup: tuple[int, int, int] = report.workgroup
        self.wave: int = report.wave  #: in the work-group
        self.lane: int | None = report.lane  #: None: the whole wave
        self.work_item: tuple[int, int, int] = report.work_item  #: global id of the lane
        self.exec_mask: int = report.exec_mask  #: EXEC, 64 bits
        self.address: int = report.address  #: memory faults: what the lane wanted
        self.access_bytes: int = report.access_bytes  #: 0: no access to memory
        self.allocation: str = report.nearest  #: in words: where the address is
        self.detail: str = report.detail
        self.message: str = report.describe()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.report, self.result), self.__dict__


class Timeout(Error):
    """A limit was reached: `timeout`, with `unfinished` groups, or `max_instructions`, with a `report`."""

    code = "timeout"

    def __init__(self, message: str, result: LaunchResult | None = None) -> None:
        super().__init__(message)
        self.result: LaunchResult | None = result  #: None: while loading
        self.unfinished: UnfinishedGroups | None = result.unfinished if result else None
        self.report: FaultReport | None = result.fault if result else None
