"""Runs AMD GCN GPU machine code on the CPU, with NumPy arrays as its memory.

>>> import gcnjit, numpy as np
>>> program = gcnjit.compile_opencl('''
...     kernel void saxpy(float a, global const float* x, global float* y, uint n) {
...       uint i = get_global_id(0);
...       if (i < n) y[i] = a * x[i] + y[i];
...     }''')
>>> x, y = np.arange(5, dtype=np.float32), np.ones(5, np.float32)
>>> result = program.kernels["saxpy"](2.5, x, y, 5, grid=5)
>>> y
array([ 1. ,  3.5,  6. ,  8.5, 11. ], dtype=float32)

`Kernel.__call__` has all that a launch takes; docs/python.md is an introduction.
"""
from ._native import (Argument, Finding, FindingSite, InstructionCount, LaunchResult, SourceFrame, Statistics,
                      UnfinishedGroups)
from .compare import Comparison, Difference
from .compilers import compile_hip, compile_opencl
from .errors import CompileError, Error, Fault, LaunchError, LoadError, Timeout
from .memory import Device, address_of, allocate, default_device
from .program import Kernel, Kernels, Program, load
from .values import Local

__all__ = [
    "Argument", "Comparison", "CompileError", "Device", "Difference", "Error", "Fault", "Finding", "FindingSite",
    "InstructionCount", "Kernel", "Kernels", "LaunchError", "LaunchResult", "LoadError", "Local", "Program",
    "SourceFrame", "Statistics", "Timeout", "UnfinishedGroups", "address_of", "allocate", "compile_hip",
    "compile_opencl", "default_device", "load",
]
