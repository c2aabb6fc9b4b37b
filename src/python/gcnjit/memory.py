"""Devices, and their memory as NumPy arrays."""
from __future__ import annotations

import math
import operator
import threading
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from . import _native
from .errors import Error
from .options import flag, index_of, shown

Shape = Union[int, "tuple[int, ...]"]


class Device:
    """Memory that kernels can reach.

    With `shared_memory=True` kernels reach all memory of the process, at its own address: arrays of
    the host's are then used where they are, without copies. Such a kernel is trusted like any other
    code of the process (docs/shared_memory.md). Otherwise kernels reach the device's memory alone.
    """

    def __init__(self, shared_memory: bool = False) -> None:
        self.shared_memory: bool = flag("shared_memory", shared_memory, TypeError)
        self._native = _native.Device(self.shared_memory)

    def allocate(self, shape: Shape, dtype: npt.DTypeLike = np.float32) -> npt.NDArray[Any]:
        """An array of zeros in the device's memory, which kernels use without copies.

        `shape` counts elements of `dtype`. The memory is freed with the last array that shows it.

        >>> import gcnjit
        >>> gcnjit.Device().allocate((2, 3), "int32")
        array([[0, 0, 0],
               [0, 0, 0]], dtype=int32)
        """
        element = np.dtype(dtype)
        if element.hasobject:
            raise TypeError(f"kernels have no Python objects: dtype {element}")
        dimensions = _dimensions(shape)
        nbytes = math.prod(dimensions) * element.itemsize
        if nbytes >= 2**64:
            error = Error(f"shape {shown(shape)}: more bytes than there are addresses")
            error.code = "out-of-resources"
            raise error
        return array_on(self._native.allocate(nbytes), dimensions, element)

    def copy(self, array: npt.ArrayLike) -> npt.NDArray[Any]:
        """A copy of an array in the device's memory: same shape and dtype.

        >>> import gcnjit
        >>> gcnjit.Device().copy([1.5, 2.5])
        array([1.5, 2.5])
        """
        host = np.asarray(array)
        copied = self.allocate(host.shape, host.dtype)
        copied[...] = host
        return copied

    def has(self, array: npt.NDArray[Any]) -> bool:
        """Does the array lie in the device's memory, so that kernels use it without a copy?

        >>> import gcnjit, numpy
        >>> device = gcnjit.Device()
        >>> device.has(device.allocate(10)[2:5]), device.has(numpy.zeros(10))
        (True, False)
        """
        if not isinstance(array, np.ndarray):
            raise TypeError(f"has() takes a NumPy array, not {type(array).__name__}")
        low = high = address_of(array)
        for length, stride in zip(array.shape, array.strides):
            low, high = low + min((length - 1) * stride, 0), high + max((length - 1) * stride, 0)
        high += array.itemsize if array.size else 0
        return high > low and self._native.has(low, high - low)


def _dimensions(shape: Any) -> tuple[int, ...]:
    length = index_of(shape)
    try:
        # Python's own numbers, whose product does not overflow.
        given = tuple(operator.index(n) for n in shape) if length is None else (length,)
    except TypeError:
        raise TypeError(f"shape {shown(shape)}: a whole number, or a tuple of them") from None
    if any(n < 0 for n in given):
        raise ValueError(f"negative dimensions: {given}")
    return given


def array_on(memory: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """`memory`: of _native, which stays as long as an array shows it."""
    return np.ndarray(shape, dtype, buffer=memory)


_default: Device | None = None
_default_lock = threading.Lock()


def default_device() -> Device:
    """The device of everything that is not told another one; made when it is first asked for."""
    global _default
    with _default_lock:
        if _default is None:
            _default = Device()
        return _default


def allocate(shape: Shape, dtype: npt.DTypeLike = np.float32) -> npt.NDArray[Any]:
    """`Device.allocate` of the default device.

    >>> import gcnjit
    >>> gcnjit.allocate(4).dtype
    dtype('float32')
    """
    return default_device().allocate(shape, dtype)


def address_of(array: npt.NDArray[Any]) -> int:
    """The address that a kernel finds the array at, for pointers in memory: of device memory, or on
    a device with shared memory.

    >>> import gcnjit
    >>> array = gcnjit.allocate(4, "int32")
    >>> gcnjit.address_of(array[1:]) - gcnjit.address_of(array)
    4
    """
    try:
        return int(array.__array_interface__["data"][0])
    except AttributeError:
        raise TypeError(f"address_of() takes a NumPy array, not {type(array).__name__}") from None
