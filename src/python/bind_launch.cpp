#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gcnjit/gcnjit.h"
#include "python/bindings.h"
#include "python/gil.h"
#include "python/host_arrays.h"
#include "python/interruptible.h"
#include "python/raise.h"
#include "python/text.h"

namespace gcnjit::python {
namespace py = pybind11;
namespace {

// A size of LDS, in bytes: what gcnjit.Local becomes.
struct Local {
  uint32_t bytes = 0;
};

// What Python prints with. What it raises ends the launch, and is thrown by Rethrow().
class Printer {
 public:
  Printer(py::object print, Cancellation cancellation)
      : print_(std::move(print)), cancellation_(std::move(cancellation)) {}

  // From any thread, without the GIL.
  void operator()(std::string_view text) {
    if (IsPythonEnding()) return;  // its streams are gone
    const WithGil gil;
    if (raised_) return;
    const py::str shown = Text(std::string(text));
    const auto done = py::reinterpret_steal<py::object>(CallOneArg(print_.ptr(), shown.ptr()));
    if (done) return;
    raised_.emplace();  // takes what has been raised
    cancellation_.Cancel();
  }
  void Rethrow() {
    if (raised_) throw *std::exchange(raised_, std::nullopt);
  }

 private:
  py::object print_;
  Cancellation cancellation_;
  std::optional<py::error_already_set> raised_;
};

// The arguments of a launch, in order, before their arrays have addresses.
struct GivenArguments {
  // Each entry: an int (an address), bytes (a value), Local, or an object with the buffer protocol.
  GivenArguments(const py::list& entries, HostArrays& arrays) {
    for (const py::handle entry : entries) {
      if (py::isinstance<py::int_>(entry)) {
        makers.push_back([address = entry.cast<uint64_t>()](Arguments& a) { a.Buffer(address); });
      } else if (py::isinstance<py::bytes>(entry)) {
        makers.push_back([value = entry.cast<std::string>()](Arguments& a) {
          a.Bytes(std::as_bytes(std::span(value)));
        });
      } else if (py::isinstance<Local>(entry)) {
        makers.push_back([local = entry.cast<Local>()](Arguments& a) { a.Local(local.bytes); });
      } else {
        arrays.Add(entry);
        makers.push_back([&arrays, n = count++](Arguments& a) { a.Buffer(arrays.AddressOf(n)); });
      }
    }
  }

  std::vector<std::function<void(Arguments&)>> makers;
  size_t count = 0;  // of arrays
};

Dim3 ToDim3(const std::array<uint32_t, 3>& sizes) { return {sizes[0], sizes[1], sizes[2]}; }

LaunchResult LaunchKernel(Device& device, bool shared, const Program& program,
                          const KernelInfo& kernel, const py::list& entries,
                          const LaunchConfig& base, const py::object& print) {
  HostArrays arrays(device, shared);
  const GivenArguments given(entries, arrays);
  LaunchConfig config = base;
  config.cancellation.emplace();
  Printer printer(print, *config.cancellation);
  config.print = [&printer](std::string_view text) { printer(text); };

  std::optional<Result<LaunchResult>> result;
  RunInterruptible(
      [&] {
        const auto copied = arrays.CopyIn();
        if (!copied) {
          result.emplace(copied.error());
          return;
        }
        Arguments arguments;
        for (const auto& make : given.makers) make(arguments);
        result.emplace(Launch(device, program, kernel.name, config, arguments));
        if (*result && (*result)->status == LaunchStatus::kDone) arrays.CopyOut();
      },
      *config.cancellation);
  printer.Rethrow();
  return ValueOf(*std::move(result), "LaunchError");
}

std::optional<CodeCache> CacheOfEnvironment() {
  return ValueOf(CacheFromEnvironment(), "LaunchError").cache;
}

}  // namespace

void BindLaunch(py::module_& module) {
  Unpicklable(py::class_<Local>(module, "Local", "A size of local memory (LDS), in bytes."))
      .def(py::init([](uint32_t bytes) { return Local{bytes}; }), py::arg("nbytes"));

  MadeByGcnjit(Unpicklable(py::class_<CodeCache>(module, "CodeCache", "Compiled code on disk.")))
      .def_static("of_environment", &CacheOfEnvironment);

  Unpicklable(py::class_<LaunchConfig>(module, "LaunchConfig", "How to launch: gcnjit/launch.h."))
      .def(py::init<>())
      .def(
          "set_grid",
          [](LaunchConfig& config, const std::array<uint32_t, 3>& grid,
             const std::array<uint32_t, 3>& group, uint32_t dimensions) {
            config.global = ToDim3(grid);
            config.local = ToDim3(group);
            config.dimensions = dimensions;
          },
          py::arg("grid"), py::arg("group"), py::arg("dimensions"))
      .def("set_interpreter", [](LaunchConfig& c) { c.engine = Engine::kInterpreter; })
      .def_readwrite("offset", &LaunchConfig::offset)
      .def_readwrite("compile_first", &LaunchConfig::compile_first)
      .def_readwrite("cache", &LaunchConfig::cache)
      .def_readwrite("threads", &LaunchConfig::threads)
      .def_readwrite("timeout_seconds", &LaunchConfig::timeout_seconds)
      .def_readwrite("max_wave_instructions", &LaunchConfig::max_wave_instructions)
      .def_readwrite("count_instructions", &LaunchConfig::count_instructions)
      .def_readwrite("check", &LaunchConfig::check)
      .def_readwrite("check_limit", &LaunchConfig::check_limit);

  module.def("launch", &LaunchKernel, py::arg("device"), py::arg("shared"), py::arg("program"),
             py::arg("kernel"), py::arg("arguments"), py::arg("config"), py::arg("print"));

  const auto check = [&module](const char* name, Checks value) {
    module.attr(name) = static_cast<uint32_t>(value);
  };
  check("CHECK_MEMORY", kCheckMemory);
  check("CHECK_RACES", kCheckRaces);
  check("CHECK_WAITS", kCheckWaits);
  check("CHECK_BARRIERS", kCheckBarriers);
  check("CHECK_UNINIT", kCheckUninit);
  check("CHECK_ATOMICS", kCheckAtomics);
  check("CHECK_ALL", kCheckAll);
}

}  // namespace gcnjit::python
