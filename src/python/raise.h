// Errors of the library as exceptions of gcnjit/errors.py.
#pragma once

#include <pybind11/pybind11.h>

#include <utility>

#include "gcnjit/error.h"

namespace gcnjit::python {

// Raises errors.`type`, or errors.Timeout where the time was up.
[[noreturn]] void Raise(const char* type, const Error& error);

// The value of a result; `type` as for Raise.
template <typename T>
T ValueOf(Result<T> result, const char* type) {
  if (!result) Raise(type, result.error());
  return *std::move(result);
}

}  // namespace gcnjit::python
