#include "python/raise.h"

namespace gcnjit::python {
namespace py = pybind11;
namespace {

const char* NameOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument: return "invalid-argument";
    case ErrorCode::kInvalidCodeObject: return "invalid-code-object";
    case ErrorCode::kUnsupportedTarget: return "unsupported-target";
    case ErrorCode::kNotFound: return "not-found";
    case ErrorCode::kOutOfResources: return "out-of-resources";
    case ErrorCode::kUnsupported: return "unsupported";
    case ErrorCode::kTimeout: return "timeout";
  }
  return "error";
}

}  // namespace

void Raise(const char* type, const Error& error) {
  const char* const name = error.code == ErrorCode::kTimeout ? "Timeout" : type;
  const py::object raised = py::module_::import("gcnjit.errors").attr(name);
  const py::object exception = raised(error.message);
  exception.attr("code") = NameOf(error.code);
  PyErr_SetObject(raised.ptr(), exception.ptr());
  throw py::error_already_set();
}

}  // namespace gcnjit::python
