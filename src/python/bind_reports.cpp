#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <array>
#include <optional>
#include <string>

#include "frontend/disassemble/place_text.h"
#include "gcnjit/check.h"
#include "gcnjit/launch.h"
#include "gcnjit/source.h"
#include "python/bindings.h"
#include "python/buffer_bytes.h"
#include "python/gil.h"
#include "python/report_lines.h"
#include "python/report_members.h"
#include "python/text.h"

namespace gcnjit::python {
namespace py = pybind11;
namespace {

template <typename T>
py::tuple ToTuple(const std::array<T, 3>& values) {
  return py::make_tuple(values[0], values[1], values[2]);
}

// A lane is None where the whole wave is meant.
std::optional<int> LaneOf(int lane) { return lane < 0 ? std::nullopt : std::optional(lane); }

const char* NameOf(LaunchStatus status) {
  switch (status) {
    case LaunchStatus::kDone: return "done";
    case LaunchStatus::kFault: return "fault";
    case LaunchStatus::kTimeout: return "timeout";
    case LaunchStatus::kCancelled: return "cancelled";
  }
  return "done";
}

const char* NameOf(Fidelity fidelity) { return ToString(fidelity); }

ReportLines LinesOf(const py::buffer& file, const std::string& target, const Program& program) {
  const BufferBytes held(file);
  const WithoutGil without_gil;
  return {held.bytes(), target, program};
}

void BindFaults(py::module_& module) {
  Pickled(py::class_<SourceFrame>(module, "SourceFrame", "A place in a kernel's source."))
      .def_property_readonly("file", [](const SourceFrame& f) { return Text(f.file); })
      .def_readonly("line", &SourceFrame::line)
      .def_property_readonly("function", [](const SourceFrame& f) { return Text(f.function); });

  Pickled(py::class_<FaultReport>(module, "FaultReport", "Where and why a kernel stopped."))
      .def_property_readonly("kind", [](const FaultReport& f) { return ToString(f.kind); })
      .def_property_readonly("kernel", [](const FaultReport& f) { return Text(f.kernel); })
      .def_readonly("target", &FaultReport::target)
      .def_readonly("pc", &FaultReport::pc)
      .def_readonly("kernel_offset", &FaultReport::kernel_offset)
      .def_readonly("instruction", &FaultReport::instruction)
      .def_readonly("source", &FaultReport::source)
      .def_property_readonly("workgroup", [](const FaultReport& f) { return ToTuple(f.workgroup); })
      .def_readonly("wave", &FaultReport::wave)
      .def_property_readonly("lane", [](const FaultReport& f) { return LaneOf(f.lane); })
      .def_property_readonly("work_item", [](const FaultReport& f) { return ToTuple(f.work_item); })
      .def_readonly("exec_mask", &FaultReport::exec)
      .def_readonly("address", &FaultReport::address)
      .def_readonly("access_bytes", &FaultReport::access_bytes)
      .def_property_readonly("nearest", [](const FaultReport& f) { return Text(f.nearest); })
      .def_property_readonly("detail", [](const FaultReport& f) { return Text(f.detail); })
      .def("describe", [](const FaultReport& f) { return Text(f.Describe()); });
}

void BindFindings(py::module_& module) {
  Pickled(py::class_<FindingSite>(module, "FindingSite", "An instruction that a finding is about."))
      .def_readonly("pc", &FindingSite::pc)
      .def_readonly("kernel_offset", &FindingSite::kernel_offset)
      .def_readonly("instruction", &FindingSite::instruction)
      .def_readonly("access", &FindingSite::access)
      .def_property_readonly("workgroup", [](const FindingSite& s) { return ToTuple(s.workgroup); })
      .def_readonly("wave", &FindingSite::wave)
      .def_property_readonly("lane", [](const FindingSite& s) { return LaneOf(s.lane); })
      .def_property_readonly("work_item", [](const FindingSite& s) { return ToTuple(s.work_item); })
      .def_readonly("source", &FindingSite::source);

  Pickled(py::class_<Finding>(module, "Finding",
                              "What a check has found. docs/check.md has the kinds."))
      .def_property_readonly("kind", [](const Finding& f) { return ToString(f.kind); })
      .def_property_readonly("kernel", [](const Finding& f) { return Text(f.kernel); })
      .def_readonly("site", &Finding::site)
      .def_readonly("other", &Finding::other)
      .def_readonly("address", &Finding::address)
      .def_readonly("access_bytes", &Finding::access_bytes)
      .def_property_readonly("place", [](const Finding& f) { return Text(f.place); })
      .def_property_readonly("detail", [](const Finding& f) { return Text(f.detail); })
      .def_readonly("count", &Finding::count)
      .def("describe", [](const Finding& f) { return Text(f.Describe()); })
      .def("__repr__", [](const Finding& f) {
        return py::str("<Finding {}, {} times, at {}>")
            .format(ToString(f.kind), f.count, frontend::PlaceText("kernel", f.site.kernel_offset));
      });
}

void BindStatistics(py::module_& module) {
  Pickled(
      py::class_<InstructionCount>(module, "InstructionCount", "An instruction that was executed."))
      .def_readonly("mnemonic", &InstructionCount::mnemonic)
      .def_readonly("executed", &InstructionCount::executed)
      .def_property_readonly("fidelity",
                             [](const InstructionCount& c) { return NameOf(c.fidelity); })
      .def_readonly("ulp", &InstructionCount::ulp)
      .def_readonly("note", &InstructionCount::note);

  Pickled(py::class_<Statistics>(module, "Statistics", "Figures of a launch."))
      .def_readonly("workgroups", &Statistics::workgroups)
      .def_readonly("waves", &Statistics::waves)
      .def_readonly("wave_instructions", &Statistics::wave_instructions)
      .def_readonly("seconds", &Statistics::seconds)
      .def_readonly("compiled_regions", &Statistics::compiled_regions)
      .def_readonly("compiled_instructions", &Statistics::compiled_instructions)
      .def_readonly("compile_seconds", &Statistics::compile_seconds)
      .def_readonly("cached_regions", &Statistics::cached_regions)
      .def_readonly("cache_seconds", &Statistics::cache_seconds)
      .def_readonly("code_bytes", &Statistics::code_bytes)
      .def_readonly("discarded_regions", &Statistics::discarded_regions)
      .def_readonly("not_compiled", &Statistics::not_compiled)
      .def_readonly("instructions", &Statistics::instructions)
      .def("__repr__", [](const Statistics& s) {
        return py::str("<Statistics {} work-groups, {} waves, {} wave instructions, {:.6f} s>")
            .format(s.workgroups, s.waves, s.wave_instructions, s.seconds);
      });
}

}  // namespace

void BindReports(py::module_& module) {
  BindFaults(module);
  BindFindings(module);
  BindStatistics(module);

  Pickled(
      py::class_<UnfinishedGroups>(module, "UnfinishedGroups", "Work-groups that were stopped."))
      .def_readonly("begun", &UnfinishedGroups::begun)
      .def_readonly("waiting", &UnfinishedGroups::waiting)
      .def_readonly("resident", &UnfinishedGroups::resident)
      .def_readonly("not_begun", &UnfinishedGroups::not_begun)
      .def_readonly("total", &UnfinishedGroups::total)
      .def("describe", &UnfinishedGroups::Describe);

  Unpicklable(py::class_<ReportLines>(module, "ReportLines",
                                      "Debug information of a program, for reports."))
      .def(py::init(&LinesOf), py::arg("file"), py::arg("target"), py::arg("program"))
      .def_property_readonly("some", &ReportLines::some);

  Pickled(py::class_<LaunchResult>(module, "LaunchResult", "What a launch leaves besides memory."))
      .def_property_readonly("status", [](const LaunchResult& r) { return NameOf(r.status); })
      .def_readonly("fault", &LaunchResult::fault)
      .def_readonly("unfinished", &LaunchResult::unfinished)
      .def_readonly("findings", &LaunchResult::findings)
      .def_readonly("findings_left_out", &LaunchResult::findings_left_out)
      .def_readonly("notes", &LaunchResult::notes)
      .def_readonly("notes_left_out", &LaunchResult::notes_left_out)
      .def_readonly("print_loss", &LaunchResult::print_loss)
      .def_readonly("statistics", &LaunchResult::statistics)
      .def(
          "add_lines",
          [](LaunchResult& r, const ReportLines& lines, const std::string& reader) {
            std::string why;
            {
              const WithoutGil without_gil;
              why = lines.AddTo(r, reader);
            }
            return Text(why);
          },
          py::arg("lines"), py::arg("reader"))
      .def("__repr__", [](const LaunchResult& r) {
        return py::str("<LaunchResult {}, {} findings, {!r}>")
            .format(NameOf(r.status), r.findings.size(), py::cast(r.statistics));
      });
}

}  // namespace gcnjit::python
