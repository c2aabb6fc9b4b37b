#include "profile/instruction_class.h"

namespace gcnjit::profile {
namespace {

using frontend::Encoding;

InstructionClass VmemClassOf(const frontend::OpcodeRow& row) {
  if (row.Has(frontend::ATOMIC)) return InstructionClass::kVmemAtomic;
  if (row.Has(frontend::STORE)) return InstructionClass::kVmemWrite;
  // buffer_wbinvl1 and the like move nothing.
  return row.Has(frontend::LOAD) ? InstructionClass::kVmemRead : InstructionClass::kOther;
}

InstructionClass SoppClassOf(const frontend::Instruction& i) {
  const frontend::OpcodeRow& row = i.row();
  if (row.Has(frontend::BRANCH)) return InstructionClass::kBranch;
  if (row.Has(frontend::BARRIER)) return InstructionClass::kBarrier;
  const bool sends =
      i.opcode == frontend::Opcode::S_SENDMSG || i.opcode == frontend::Opcode::S_SENDMSGHALT;
  return sends ? InstructionClass::kMessage : InstructionClass::kOther;
}

}  // namespace

InstructionClass ClassOf(const frontend::Instruction& i) {
  switch (i.encoding) {
    case Encoding::kSop1:
    case Encoding::kSop2:
    case Encoding::kSopk:
    case Encoding::kSopc: return InstructionClass::kSalu;
    case Encoding::kSopp: return SoppClassOf(i);
    case Encoding::kSmrd:
    case Encoding::kSmem: return InstructionClass::kSmem;
    case Encoding::kDs: return i.gds ? InstructionClass::kGds : InstructionClass::kLds;
    case Encoding::kMubuf:
    case Encoding::kMtbuf:
    case Encoding::kMimg:
    case Encoding::kFlat:
    case Encoding::kGlobal:
    case Encoding::kScratch: return VmemClassOf(i.row());
    case Encoding::kExp: return InstructionClass::kMessage;
    default: return InstructionClass::kValu;
  }
}

std::string_view NameOf(InstructionClass c) {
  static constexpr std::string_view kNames[] = {"valu",        "salu",    "vmem_read", "vmem_write",
                                                "vmem_atomic", "smem",    "lds",       "gds",
                                                "branch",      "barrier", "message",   "other"};
  static_assert(std::size(kNames) == kInstructionClasses);
  return kNames[static_cast<size_t>(c)];
}

}  // namespace gcnjit::profile
