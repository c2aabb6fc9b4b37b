#include <pybind11/pybind11.h>

#include "python/bindings.h"

PYBIND11_MODULE(_native, module) {
  module.doc() = "gcnjit's C++ API, as the Python files of this package use it.";
  gcnjit::python::BindPrograms(module);
  gcnjit::python::BindReports(module);
  gcnjit::python::BindLaunch(module);
}
