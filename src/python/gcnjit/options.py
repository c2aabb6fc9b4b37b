"""What options of a launch may be. Everything else is refused, in words that say what to give."""
from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Iterable, Mapping, Set
from typing import Any, Union

import numpy as np

from . import _native
from .errors import Error, LaunchError

Grid = Union[int, "tuple[int, ...]"]


def shown(value: object) -> str:
    """For messages, at most a line."""
    try:
        text = repr(value)
    except ValueError:  # Python has no text of an int of more than some thousand digits
        return "a number of thousands of digits"
    return text if len(text) <= 80 else text[:77] + "..."


def index_of(value: Any) -> int | None:
    """None: it is no whole number. NumPy counts times among the integers; their units are lost."""
    if isinstance(value, np.timedelta64):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None


def whole(name: str, value: object, most: int) -> int:
    number = index_of(value)
    if number is None or not 0 <= number <= most:
        raise LaunchError(f"{name} {shown(value)}: a whole number, 0 to {most}")
    return number


def seconds(value: Any) -> float:
    """NaN: it is no time."""
    if isinstance(value, (str, bytes, bytearray, np.timedelta64)):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except (TypeError, ValueError):
        return math.nan


def flag(name: str, value: object, error: type[Exception] = LaunchError) -> bool:
    if not isinstance(value, (bool, np.bool_, int)):
        raise error(f"{name} {shown(value)}: True or False")
    return bool(value)


def text(name: str, value: object, error: type[Error]) -> str:
    try:
        if isinstance(value, str) and value.encode():
            return value
    except UnicodeEncodeError:
        pass
    if value == "":
        return ""
    raise error(f"{name} {shown(value)}: a str of whole characters")


def sizes(name: str, given: Grid, fill: int, most: int) -> tuple[tuple[int, int, int], int]:
    """One for each axis, and how many are given."""
    listed: list[object]
    if index_of(given) is not None:
        listed = [given]
    elif isinstance(given, Iterable) and not isinstance(given, (str, bytes, bytearray, Set, Mapping)):
        listed = list(itertools.islice(given, 4))
    else:
        listed = []
    if not 1 <= len(listed) <= 3:
        raise LaunchError(f"{name} {shown(given)}: a whole number, or 1 to 3 of them")
    x, y, z = (*(whole(name, size, most) for size in listed), *[fill] * (3 - len(listed)))
    return (x, y, z), len(listed)


def checks(check: bool | str | Iterable[str]) -> int:
    if isinstance(check, (bool, np.bool_)):
        return _native.CHECK_ALL if check else 0
    if not isinstance(check, Iterable):
        raise LaunchError(f"check {shown(check)}: True, False, or names such as 'memory,races'")
    bits = 0
    for name in check.split(",") if isinstance(check, str) else check:
        value = getattr(_native, f"CHECK_{str(name).strip().upper()}", None)
        if value is None:
            raise LaunchError(f"check {name!r}: memory, races, waits, barriers, uninit, atomics or all")
        bits |= value
    return bits
