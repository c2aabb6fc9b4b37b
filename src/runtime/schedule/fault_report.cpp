#include "runtime/schedule/fault_report.h"

#include <fmt/format.h>

#include "frontend/disassemble/disassembler.h"
#include "frontend/disassemble/place_text.h"

namespace gcnjit {

const char* ToString(FaultKind kind) {
  switch (kind) {
    case FaultKind::kMemoryRead: return "memory read fault";
    case FaultKind::kMemoryWrite: return "memory write fault";
    case FaultKind::kMisaligned: return "misaligned access";
    case FaultKind::kInstructionFetch: return "instruction fetch fault";
    case FaultKind::kIllegalInstruction: return "illegal instruction";
    case FaultKind::kUnsupported: return "unsupported instruction";
    case FaultKind::kIllegalRegister: return "register out of range";
    case FaultKind::kTrap: return "trap";
    case FaultKind::kInstructionLimit: return "instruction limit";
  }
  return "fault";
}

std::string FaultReport::Describe() const {
  std::string text = fmt::format("{} in kernel '{}' ({})\n", ToString(kind), kernel, target);
  text += fmt::format("  at         pc {:#x} ({}): {}\n", pc,
                      frontend::PlaceText("kernel", kernel_offset), instruction);
  if (!source.empty()) {
    text += fmt::format("  source     {}\n", DescribeSource(source, "\n             "));
  }
  if (access_bytes != 0) {
    text += fmt::format("  address    {:#x}, {} byte{}\n", address, access_bytes,
                        access_bytes == 1 ? "" : "s");
  }
  if (!nearest.empty()) text += fmt::format("  nearest    {}\n", nearest);
  text += fmt::format("  where      group ({}, {}, {}), wave {}, ", workgroup[0], workgroup[1],
                      workgroup[2], wave);
  if (lane >= 0) {
    text += fmt::format("lane {}, work-item ({}, {}, {}), ", lane, work_item[0], work_item[1],
                        work_item[2]);
  }
  text += fmt::format("EXEC {:#018x}\n", exec);
  if (!detail.empty()) text += fmt::format("  detail     {}\n", detail);
  return text;
}

namespace runtime {
namespace {

std::string InstructionText(const Wave& w, const CodeMap& code) {
  const uint64_t pc = w.state.pc;
  const std::span<const uint32_t> words = code.WordsAt(pc);
  if (words.empty()) return "(no code there)";
  const CodeSlot slot = code.SlotAt(pc);
  if (slot.status != frontend::DecodeStatus::kOk) return fmt::format(".long {:#010x}", words[0]);
  return frontend::Disassemble(code.generation(), slot.instruction, pc);
}

bool IsMemoryFault(FaultKind kind) {
  return kind == FaultKind::kMemoryRead || kind == FaultKind::kMemoryWrite ||
         kind == FaultKind::kMisaligned || kind == FaultKind::kInstructionFetch;
}

}  // namespace

FaultReport MakeFaultReport(const Wave& w, const CodeMap& code, const LaunchState& launch,
                            const KernelInfo& kernel) {
  FaultReport report;
  report.kind = w.fault.kind;
  report.kernel = kernel.name;
  report.target = kernel.target;
  report.pc = w.state.pc;
  report.kernel_offset = static_cast<int64_t>(w.state.pc - launch.entry);
  report.instruction = InstructionText(w, code);
  report.workgroup = w.group.id;
  report.wave = w.state.wave_in_group;
  report.lane = w.fault.lane;
  report.exec = w.exec();
  if (report.lane >= 0) {
    const std::array<uint32_t, 3> local = LocalId(w.group.size, report.wave, report.lane);
    const uint32_t size[3] = {launch.local.x, launch.local.y, launch.local.z};
    for (int axis = 0; axis < 3; ++axis) {
      report.work_item[axis] = uint64_t{w.group.id[axis]} * size[axis] + local[axis];
    }
  }
  if (IsMemoryFault(report.kind)) {
    report.address = w.fault.address;
    report.access_bytes = w.fault.bytes;
    report.nearest = w.dispatch.memory->Describe(w.fault.address);
  }
  report.detail = w.fault.detail;
  return report;
}

}  // namespace runtime
}  // namespace gcnjit
