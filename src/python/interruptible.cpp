#include "python/interruptible.h"

#include <pybind11/pybind11.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include "python/gil.h"

namespace gcnjit::python {
namespace py = pybind11;
namespace {

bool IsMainThread() {
  if (IsPythonEnding()) return false;  // its modules go
  const py::module_ threading = py::module_::import("threading");
  return threading.attr("current_thread")().is(threading.attr("main_thread")());
}

}  // namespace

void RunInterruptible(const std::function<void()>& work, Cancellation& cancellation) {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_done = false;  // guarded by mutex
  std::exception_ptr thrown;
  std::optional<std::thread> thread;
  if (IsMainThread()) {
    try {
      thread.emplace([&] {
        try {
          work();
        } catch (...) {
          thrown = std::current_exception();
        }
        const std::scoped_lock lock(mutex);
        is_done = true;
        changed.notify_one();
      });
    } catch (const std::system_error&) {  // the host has no thread left: signals wait
    }
  }
  if (!thread) {
    const WithoutGil without_gil;
    return work();
  }
  std::optional<py::error_already_set> raised;
  while (true) {
    {
      const WithoutGil without_gil;
      std::unique_lock lock(mutex);
      const auto is_over = [&] { return is_done; };
      if (raised) changed.wait(lock, is_over);
      if (changed.wait_for(lock, std::chrono::milliseconds(20), is_over)) break;
    }
    if (PyErr_CheckSignals() != 0) {
      raised.emplace();  // takes what the handler has raised
      cancellation.Cancel();
    }
  }
  thread->join();
  if (raised) throw *std::move(raised);
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace gcnjit::python
