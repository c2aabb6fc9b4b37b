// The parts of the native module, gcnjit._native. gcnjit/_native.pyi says what each has.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

namespace gcnjit::python {

// Python makes none: without what gcnjit gives it, such an object is no value.
template <typename T>
pybind11::class_<T> MadeByGcnjit(pybind11::class_<T> type) {
  reinterpret_cast<PyTypeObject*>(type.ptr())->tp_new = nullptr;
  return type;
}

// Objects that belong to their process. Of old protocols pickle makes an object of pybind11's base
// class, which ends the process.
template <typename T>
pybind11::class_<T> Unpicklable(pybind11::class_<T> type) {
  type.def("__reduce__", [](const pybind11::object& self) -> pybind11::object {
    throw pybind11::type_error("cannot pickle '" +
                               pybind11::type::of(self).attr("__qualname__").cast<std::string>() +
                               "' object: it belongs to its process");
  });
  return type;
}

void BindPrograms(pybind11::module_& module);  // devices, memory, programs, kernels
void BindReports(pybind11::module_& module);   // faults, findings, statistics
void BindLaunch(pybind11::module_& module);

}  // namespace gcnjit::python
