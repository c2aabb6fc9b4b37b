#include "python/interruptible.h"

#include <pybind11/pybind11.h>
#include <unistd.h>

#include <chrono>
#include <exception>
#include <optional>
#include <system_error>
#include <vector>

#include "python/gil.h"
#include "python/helper_thread.h"

namespace gcnjit::python {
namespace py = pybind11;
namespace {

bool IsMainThread() {
  if (IsPythonEnding()) return false;  // its modules go
  const py::module_ threading = py::module_::import("threading");
  return threading.attr("current_thread")().is(threading.attr("main_thread")());
}

// The main thread's helpers that have nothing to do: to start one takes longer than a small launch.
// There is more than one where a handler of a signal launches, too. A forked process has none.
class IdleHelpers {
 public:
  HelperThread& Take() {
    if (process_ != getpid()) helpers_.clear();
    process_ = getpid();
    if (helpers_.empty()) return HelperThread::Start();
    HelperThread& last = *helpers_.back();
    helpers_.pop_back();
    return last;
  }
  void Return(HelperThread& helper) { helpers_.push_back(&helper); }

  static IdleHelpers& OfMainThread() {
    static auto& helpers = *new IdleHelpers;
    return helpers;
  }

 private:
  std::vector<HelperThread*> helpers_;
  pid_t process_ = 0;
};

void RunOn(HelperThread& helper, const std::function<void()>& work, Cancellation& cancellation) {
  std::optional<py::error_already_set> raised;
  helper.Begin(work);
  while (true) {
    {
      const WithoutGil without_gil;
      if (helper.AwaitFor(std::chrono::milliseconds(20))) break;
    }
    if (!raised && PyErr_CheckSignals() != 0) {
      raised.emplace();  // takes what the handler has raised
      cancellation.Cancel();
    }
  }
  if (raised) throw *std::move(raised);
  if (const std::exception_ptr thrown = helper.thrown()) std::rethrow_exception(thrown);
}

}  // namespace

void RunInterruptible(const std::function<void()>& work, Cancellation& cancellation) {
  HelperThread* helper = nullptr;
  if (IsMainThread()) {
    try {
      helper = &IdleHelpers::OfMainThread().Take();
    } catch (const std::system_error&) {  // the host has no thread left: signals wait
    }
  }
  if (helper == nullptr) {
    const WithoutGil without_gil;
    return work();
  }
  struct Returned {
    HelperThread& helper;
    ~Returned() { IdleHelpers::OfMainThread().Return(helper); }
  } const returned{*helper};
  RunOn(*helper, work, cancellation);
}

}  // namespace gcnjit::python
