// The parts of the native module, gcnjit._native. gcnjit/_native.pyi says what each has.
#pragma once

#include <pybind11/pybind11.h>

namespace gcnjit::python {

void BindPrograms(pybind11::module_& module);  // devices, memory, programs, kernels
void BindReports(pybind11::module_& module);   // faults, findings, statistics
void BindLaunch(pybind11::module_& module);

}  // namespace gcnjit::python
