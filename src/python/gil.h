// Giving up Python's GIL, and taking it. While Python ends, the thread that ends it has the GIL for
// good. Python up to 3.13 then ends each other thread that asks for it, by pthread_exit, which must
// not pass through C++ that throws nothing: here such threads wait for the process to end.
#pragma once

#include <pybind11/pybind11.h>

namespace gcnjit::python {

// Is Python ending, or has it ended? Then only the thread that ends it may ask for the GIL.
inline bool IsPythonEnding() { return Py_IsInitialized() == 0; }

// While it lives, the thread, which had the GIL, has not.
class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  ~WithoutGil();
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* const state_;
};

// While it lives, the thread, which any may be, has the GIL.
class WithGil {
 public:
  WithGil();
  ~WithGil() { PyGILState_Release(state_); }
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;

 private:
  PyGILState_STATE state_;
};

// PyObject_CallOneArg, in which the thread gives up the GIL and takes it again.
PyObject* CallOneArg(PyObject* function, PyObject* argument);

}  // namespace gcnjit::python
