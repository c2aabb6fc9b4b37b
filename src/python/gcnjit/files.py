"""Whole files, with the limits that the program gcnjit has (src/cli/files.cpp)."""
from __future__ import annotations

import os
import stat
from typing import Union

from .errors import LoadError

Path = Union[str, bytes]

# Pipes, devices, files of /proc: what has no size is not read for ever.
_MOST_OF_UNKNOWN_SIZE = 256 << 20


def read_file(path: Path) -> bytes:
    """All of a file. Raises OSError, and LoadError where it is too large."""
    with open(path, "rb") as opened:
        status = os.fstat(opened.fileno())
        if stat.S_ISREG(status.st_mode) and status.st_size:  # files of /proc say that they are empty
            if status.st_size > _memory():
                raise LoadError(f"{os.fsdecode(path)}: its {status.st_size} bytes are more than this machine's memory")
            return opened.read()
        content = opened.read(_MOST_OF_UNKNOWN_SIZE + 1)
    if len(content) > _MOST_OF_UNKNOWN_SIZE:
        raise LoadError(f"{os.fsdecode(path)}: it does not end within {_MOST_OF_UNKNOWN_SIZE >> 20} MiB, and is no file "
                        "of known size")
    return content


def _memory() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
