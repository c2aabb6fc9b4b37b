#include "python/gil.h"

#include <unistd.h>

namespace gcnjit::python {
namespace {

// `take` may end the thread. What has a destructor belongs outside of it.
template <typename Take>
void TakeOrWait(const Take& take) {
  try {
    take();
  } catch (...) {  // pthread_exit: Python's functions throw nothing
    while (true) pause();
  }
}

}  // namespace

WithoutGil::~WithoutGil() {
  TakeOrWait([this] { PyEval_RestoreThread(state_); });
}

WithGil::WithGil() {
  TakeOrWait([this] { state_ = PyGILState_Ensure(); });
}

PyObject* CallOneArg(PyObject* function, PyObject* argument) {
  PyObject* result = nullptr;
  TakeOrWait([&] { result = PyObject_CallOneArg(function, argument); });
  return result;
}

}  // namespace gcnjit::python
