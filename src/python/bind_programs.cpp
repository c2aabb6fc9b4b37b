#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gcnjit/device.h"
#include "gcnjit/program.h"
#include "python/bindings.h"
#include "python/buffer_bytes.h"
#include "python/gil.h"
#include "python/memory.h"
#include "python/raise.h"
#include "python/text.h"

namespace gcnjit::python {
namespace py = pybind11;
namespace {

const char* NameOf(ArgumentKind kind) {
  switch (kind) {
    case ArgumentKind::kByValue: return "value";
    case ArgumentKind::kGlobalBuffer: return "buffer";
    case ArgumentKind::kDynamicLds: return "local";
    case ArgumentKind::kUnsupported: return "unsupported";
    case ArgumentKind::kHidden: return "hidden";
  }
  return "unsupported";
}

Device MakeDevice(bool shared) {
  return ValueOf(Device::Create(shared ? MemoryMode::kShared : MemoryMode::kContained), "Error");
}

// `file` is read without the GIL: it must stay as it is until then, which its buffer sees to.
Program Load(Device& device, const py::buffer& file, const std::string& target, double timeout) {
  const BufferBytes held(file);
  std::optional<Result<Program>> program;
  {
    const WithoutGil without_gil;
    program.emplace(Program::Load(device, held.bytes(), target, timeout));
  }
  return ValueOf(*std::move(program), "LoadError");
}

std::unique_ptr<Memory> FindVariable(const Program& program, Device& device,
                                     const std::string& name) {
  const Program::Variable variable = ValueOf(program.FindVariable(name), "LoadError");
  if (device.Data(variable.address, variable.size).empty()) {
    Raise("LoadError", {ErrorCode::kUnsupported,
                        "variable '" + name + "' lies in a page with code, which never changes"});
  }
  return Memory::View(std::make_shared<Program>(program), variable.address, variable.size);
}

void BindKernelInfo(py::module_& module) {
  MadeByGcnjit(Unpicklable(py::class_<ArgumentInfo>(
                   module, "Argument", "One argument of a kernel, as its metadata says.")))
      .def_property_readonly(
          "kind", [](const ArgumentInfo& a) { return NameOf(a.kind); },
          "'value', 'buffer', 'local', 'hidden' (filled in by the launch) or 'unsupported'.")
      .def_property_readonly(
          "name", [](const ArgumentInfo& a) { return Text(a.name); },
          "As in the source; may be empty.")
      .def_property_readonly(
          "type_name", [](const ArgumentInfo& a) { return Text(a.type_name); },
          "As in the source; may be empty.")
      .def_property_readonly(
          "value_kind", [](const ArgumentInfo& a) { return Text(a.value_kind); },
          "The metadata's word, e.g. 'global_buffer'.")
      .def_readonly("offset", &ArgumentInfo::offset, "Bytes from the kernarg segment's begin.")
      .def_readonly("size", &ArgumentInfo::size, "Bytes.")
      .def_readonly("pointee_align", &ArgumentInfo::pointee_align, "Bytes; of 'local' ones.")
      .def("__repr__", [](const ArgumentInfo& a) {
        return py::str("Argument(kind={!r}, name={!r}, type_name={!r}, offset={}, size={})")
            .format(NameOf(a.kind), Text(a.name), Text(a.type_name), a.offset, a.size);
      });

  MadeByGcnjit(Unpicklable(py::class_<KernelInfo>(module, "KernelInfo",
                                                  "What a code object says of a kernel.")))
      .def_property_readonly("name", [](const KernelInfo& k) { return Text(k.name); })
      .def_readonly("target", &KernelInfo::target)
      .def_readonly("code_object_version", &KernelInfo::code_object_version)
      .def_readonly("sgpr_count", &KernelInfo::sgpr_count)
      .def_readonly("vgpr_count", &KernelInfo::vgpr_count)
      .def_readonly("group_segment_size", &KernelInfo::group_segment_size)
      .def_readonly("private_segment_size", &KernelInfo::private_segment_size)
      .def_readonly("kernarg_segment_size", &KernelInfo::kernarg_segment_size)
      .def_readonly("max_flat_workgroup_size", &KernelInfo::max_flat_workgroup_size)
      .def_property_readonly("reqd_workgroup_size",
                             [](const KernelInfo& k) {
                               const auto& size = k.reqd_workgroup_size;
                               return py::make_tuple(size[0], size[1], size[2]);
                             })
      .def_readonly("has_metadata", &KernelInfo::has_metadata)
      .def_readonly("arguments", &KernelInfo::arguments);
}

}  // namespace

void BindPrograms(py::module_& module) {
  MadeByGcnjit(
      Unpicklable(py::class_<Memory>(module, "Memory", py::buffer_protocol(),
                                     "Bytes of a device's memory, for the buffer protocol.")))
      .def_property_readonly("address", &Memory::address)
      .def_property_readonly("nbytes", &Memory::bytes)
      .def_buffer([](Memory& memory) {
        return py::buffer_info(reinterpret_cast<uint8_t*>(memory.address()),
                               static_cast<py::ssize_t>(memory.bytes()));
      });

  Unpicklable(py::class_<Device>(module, "Device", "A device and its memory."))
      .def(py::init(&MakeDevice), py::arg("shared"))
      .def("allocate", &Memory::Allocate, py::arg("nbytes"))
      .def(
          "has",
          [](Device& device, uint64_t address, uint64_t bytes) {
            return !device.Data(address, bytes).empty();
          },
          py::arg("address"), py::arg("nbytes"));

  BindKernelInfo(module);
  MadeByGcnjit(Unpicklable(py::class_<Program>(module, "Program", "A loaded code object.")))
      .def_static("load", &Load, py::arg("device"), py::arg("file"), py::arg("target"),
                  py::arg("timeout"))
      .def_property_readonly("kernels", &Program::Kernels)
      .def("variable", &FindVariable, py::arg("device"), py::arg("name"));
}

}  // namespace gcnjit::python
