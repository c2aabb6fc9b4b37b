// Texts from files that need not be UTF-8.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

namespace gcnjit::python {

inline pybind11::str Text(const std::string& text) {
  PyObject* const decoded =
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
  if (decoded == nullptr) throw pybind11::error_already_set();
  return pybind11::reinterpret_steal<pybind11::str>(decoded);
}

}  // namespace gcnjit::python
