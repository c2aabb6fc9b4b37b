#include "runtime/check/polling.h"

#include <optional>

#include "frontend/flow/register_access.h"

namespace gcnjit::runtime::check {

using frontend::Opcode;

namespace {

// Loops that wait are short.
constexpr uint64_t kLongestLoop = 512;

std::optional<Instruction> InstructionAt(const CodeMap& code, uint64_t pc) {
  const CodeSlot slot = code.SlotAt(pc);
  return slot.status == frontend::DecodeStatus::kOk ? std::optional(slot.instruction)
                                                    : std::nullopt;
}

// The target of a direct branch.
std::optional<uint64_t> TargetOf(const Instruction& i, uint64_t pc) {
  const bool direct = i.encoding == frontend::Encoding::kSopp && i.row().Has(frontend::BRANCH);
  if (!direct) return std::nullopt;
  return pc + i.size + static_cast<uint64_t>(int64_t{i.imm} * 4);
}

// Is every instruction of [begin, end] one that a loop that waits may have?
bool OnlyWaits(const CodeMap& code, uint64_t begin, uint64_t end,
               const frontend::RegisterSet& address) {
  for (uint64_t pc = begin; pc <= end;) {
    const std::optional<Instruction> i = InstructionAt(code, pc);
    if (!i || i->row().Has(frontend::STORE) || i->row().Has(frontend::BARRIER)) {
      return false;
    }
    frontend::RegisterSet changed = frontend::AccessOf(*i, code.generation()).may_write;
    changed &= address;
    if (!changed.None()) return false;
    pc += i->size;
  }
  return true;
}

}  // namespace

bool IsPolling(const CodeMap& code, uint64_t pc) {
  const std::optional<Instruction> load = InstructionAt(code, pc);
  if (!load || !load->row().Has(frontend::LOAD)) return false;
  frontend::RegisterSet address = frontend::AccessOf(*load, code.generation()).reads;
  // Lanes may be done one after another.
  address.sgprs[frontend::kCodeExecLo] = address.sgprs[frontend::kCodeExecHi] = false;
  for (uint64_t at = pc + load->size; at - pc < kLongestLoop;) {
    const std::optional<Instruction> i = InstructionAt(code, at);
    if (!i || i->row().Has(frontend::END) || i->row().Has(frontend::BARRIER)) return false;
    const std::optional<uint64_t> target = TargetOf(*i, at);
    if (target && *target <= pc && pc - *target < kLongestLoop) {
      return OnlyWaits(code, *target, at, address);
    }
    at += i->size;
  }
  return false;
}

}  // namespace gcnjit::runtime::check
