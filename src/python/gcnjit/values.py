"""Python values as the bytes of a kernel's arguments."""
from __future__ import annotations

import itertools
import numbers
import re
from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from . import _native
from ._native import Argument
from .errors import LaunchError
from .options import index_of, shown, whole

# What _native.launch takes: an address, the bytes of a value, LDS, or something with a buffer.
Entry = Union[int, bytes, _native.Local, Any]

# OpenCL C 2.0, 6.1.1: the scalar types and their sizes; vectors are these with a count.
_SCALARS = {
    "char": "i1", "uchar": "u1", "unsigned char": "u1", "short": "i2", "ushort": "u2", "unsigned short": "u2",
    "int": "i4", "uint": "u4", "unsigned int": "u4", "long": "i8", "ulong": "u8", "unsigned long": "u8",
    "half": "f2", "float": "f4", "double": "f8",
}
_VECTOR = re.compile(r"([a-z ]+?)(2|3|4|8|16)?")


@dataclass(frozen=True, repr=False)
class Local:
    """A size of local memory (LDS), in bytes, for a kernel's local pointer argument; after the last
    argument, of HIP's extern __shared__ array."""

    nbytes: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "nbytes", whole("Local: nbytes", self.nbytes, 2**32 - 1))

    def __repr__(self) -> str:
        return f"Local({self.nbytes})"


def entry_of(value: object, argument: Argument | None, place: str) -> Entry:
    """`argument` None: the kernel describes none. `place` is for messages."""
    kind = argument.kind if argument is not None else None
    if kind == "unsupported":
        raise LaunchError(f"{place}: arguments of the kind '{argument and argument.value_kind}' are not supported")
    if isinstance(value, Local):
        if kind in ("value", "buffer"):
            raise LaunchError(f"{place} is no local memory")
        return _native.Local(value.nbytes)
    if isinstance(value, np.ma.MaskedArray):
        raise LaunchError(f"{place}: kernels know no masks; give array.data or array.filled(...)")
    if kind == "local":
        raise LaunchError(f"{place} is local memory: give its size, gcnjit.Local(nbytes)")
    if kind == "buffer" or (kind is None and (value is None or _is_memory(value))):
        return _pointer(value, place)
    return _value(value, argument, place)


def _is_memory(value: object) -> bool:
    """Of a kernel without metadata: arrays are its memory, scalars and bytes are values."""
    return isinstance(value, np.ndarray) or not isinstance(value, (bytes, np.generic, numbers.Number))


def _pointer(value: object, place: str) -> Entry:
    if value is None:
        return 0
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        address = index_of(value)
        if address is None or not 0 <= address < 2**64:
            raise LaunchError(f"{place}: {shown(value)} is no address")
        return address
    if isinstance(value, np.ndarray):
        if value.dtype.hasobject:
            raise LaunchError(f"{place}: kernels have no Python objects, dtype {value.dtype}")
        if not (value.flags.c_contiguous or value.flags.f_contiguous):
            raise LaunchError(f"{place}: the array is not contiguous; give numpy.ascontiguousarray(...), a copy")
        _check_order(value.dtype, place)
        # Types that have no buffer, such as datetime64, have bytes; empty arrays have no pointer to them.
        return _plain(value)
    try:
        if isinstance(value, np.generic) and not isinstance(value, (np.void, bytes)):
            raise TypeError  # a copy of its number has a buffer, but is no memory of anybody's
        view = memoryview(value)  # type: ignore[arg-type]
    except TypeError:
        raise LaunchError(
            f"{place} is memory: give an array, or None for null, not {type(value).__name__}") from None
    if not view.contiguous:
        raise LaunchError(f"{place}: the memory is not contiguous")
    _check_format(view.format, place)
    return view


def _check_order(dtype: np.dtype[Any], place: str) -> None:
    if not dtype.isnative:
        raise LaunchError(f"{place}: kernels have little-endian numbers, not {dtype}; give "
                          "array.astype(array.dtype.newbyteorder('=')), a copy")


def _check_format(format: str, place: str) -> None:
    """PEP 3118. NumPy does not understand all of it that ctypes has, and warns of the rest."""
    is_big = False
    for code in re.sub(r":[^:]*:|\([^)]*\)", "", format):  # without names and shapes
        if code in "@=<^>!":
            is_big = code in ">!"
        elif code == "O":
            raise LaunchError(f"{place}: kernels have no Python objects, format {format}")
        elif is_big and code.isalpha() and code not in "bBcspxT":
            raise LaunchError(f"{place}: kernels have little-endian numbers, not those of format {format}; give a copy "
                              "in this byte order")


def _plain(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    flat = array.T if array.flags.f_contiguous and not array.flags.c_contiguous else array
    return flat.reshape(-1).view(np.uint8) if flat.size else np.empty(0, np.uint8)


def _value(value: object, argument: Argument | None, place: str) -> bytes:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return _sized(bytes(value), argument, place)
    match = _VECTOR.fullmatch(argument.type_name) if argument is not None else None
    scalar = _SCALARS.get(match[1]) if match else None
    if match is not None and scalar is not None:
        element = np.dtype(scalar)
        count = int(match[2] or 1)
        values = [value] if count == 1 else _components(value, count, place)
        raw = b"".join(_number(item, element, place) for item in values)
        # OpenCL C 2.0, 6.1.5: a vector of three has the size of one of four.
        return _sized(raw + bytes(element.itemsize) if count == 3 else raw, argument, place)
    if isinstance(value, (np.generic, np.ndarray)):
        if value.dtype.hasobject:
            raise LaunchError(f"{place}: kernels have no Python objects")
        _check_order(value.dtype, place)
        return _sized(value.tobytes(), argument, place)
    size = f"{argument.size} bytes of " if argument is not None else ""
    raise LaunchError(
        f"{place}: the code object does not say which type its {size}value has; give {shown(value)} one, "
        "as numpy.float32(...) or numpy.uint32(...), or give its bytes(...)")


def _components(value: object, count: int, place: str) -> list[object]:
    try:
        # These have no order, or only keys.
        items = iter(() if isinstance(value, (Set, Mapping)) else value)  # type: ignore[call-overload]
    except TypeError:
        raise LaunchError(f"{place} has {count} components: give a sequence of them, not {shown(value)}") from None
    values = list(itertools.islice(items, count + 1))
    if len(values) != count:
        raise LaunchError(f"{place} has {count} components, not {len(values) if len(values) < count else 'more'}")
    return values


def _sized(raw: bytes, argument: Argument | None, place: str) -> bytes:
    if argument is not None and len(raw) != argument.size:
        raise LaunchError(f"{place} has {argument.size} bytes, not {len(raw)}")
    return raw


def _number(value: object, element: np.dtype[Any], place: str) -> bytes:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, np.timedelta64):
        raise LaunchError(f"{place} is a number, not {shown(value)}, which has a unit")
    if element.kind == "f":
        if not isinstance(value, (numbers.Real, np.floating, np.bool_)):
            raise LaunchError(f"{place} is a {element} number, not {shown(value)}")
        try:
            with np.errstate(over="ignore"):
                return np.asarray(value, None if isinstance(value, np.generic) else np.float64).astype(element).tobytes()
        except OverflowError:
            raise LaunchError(f"{place}: {shown(value)} is no {element}") from None
    if not isinstance(value, (numbers.Integral, np.bool_)):
        raise LaunchError(f"{place} is a whole number ({element}), not {shown(value)}")
    limits = np.iinfo(element)
    if not limits.min <= int(value) <= limits.max:
        raise LaunchError(f"{place}: {shown(value)} is no {element}")
    return int(value).to_bytes(element.itemsize, "little", signed=element.kind == "i")
