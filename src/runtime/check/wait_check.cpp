#include "runtime/check/wait_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/encodings.h"
#include "isa/vgpr_limit.h"

namespace gcnjit::runtime::check {

using frontend::Encoding;
using frontend::IsGfx9;
using frontend::Opcode;
using frontend::RegisterSet;

namespace {

using Counter = PendingOperations::Counter;
using Source = PendingOperations::Source;

bool Intersect(const RegisterSet& a, const RegisterSet& b) {
  return (a.vgprs & b.vgprs).any() || (a.sgprs & b.sgprs).any();
}

RegisterSet Common(const RegisterSet& a, const RegisterSet& b) {
  RegisterSet common = a;
  common &= b;
  return common;
}

// The largest values that the fields of s_waitcnt hold; they mean not to wait. LLVM
// Utils/AMDGPUBaseInfo.cpp: vmcnt is [3:0], on gfx9 with [15:14] above it; expcnt [6:4]; lgkmcnt
// [11:8].
size_t MostOf(Counter counter, Generation generation) {
  switch (counter) {
    case PendingOperations::kVm: return IsGfx9(generation) ? 63 : 15;
    case PendingOperations::kExp: return 7;
    default: return 15;
  }
}

size_t FieldOf(uint32_t imm, Counter counter, Generation generation) {
  switch (counter) {
    case PendingOperations::kVm:
      return (imm & 15) | (IsGfx9(generation) ? (imm >> 14 & 3) << 4 : 0);
    case PendingOperations::kExp: return imm >> 4 & 7;
    default: return imm >> 8 & 15;
  }
}

const char* NameOf(Counter counter) {
  switch (counter) {
    case PendingOperations::kVm: return "vmcnt";
    case PendingOperations::kExp: return "expcnt";
    default: return "lgkmcnt";
  }
}

RegisterSet VgprsOf(const Instruction& i, const Operand& operand, int more) {
  RegisterSet set;
  if (operand.kind == OperandKind::kVector) {
    set.AddVgprs(operand.index, frontend::VgprsOf(i, operand) + more);
  }
  return set;
}

std::string NameOf(const RegisterSet& set) {
  for (size_t n = 0; n < set.vgprs.size(); ++n) {
    if (set.vgprs[n]) return frontend::VectorRegisterName(static_cast<int>(n));
  }
  for (size_t n = 0; n < set.sgprs.size(); ++n) {
    if (!set.sgprs[n]) continue;
    if (n == frontend::kCodeVccLo || n == frontend::kCodeVccHi) return "vcc";
    return n == frontend::kCodeM0 ? "m0" : fmt::format("s{}", n);
  }
  return "a register";
}

RegisterSet SourceVgprs(const Instruction& i) {
  RegisterSet sources;
  for (const Operand& source : i.src) sources |= VgprsOf(i, source, 0);
  return sources;
}

// The destination's old value is merged with the data when that comes back, in order. Of an image's
// address only what is certain.
RegisterSet ReadsAtIssue(const Instruction& i, const InstructionInfo& info) {
  RegisterSet reads = info.registers.reads;
  if (i.encoding == Encoding::kMimg) reads.vgprs = SourceVgprs(i).vgprs;
  if (info.accesses_memory && info.type == AccessType::kRead) {
    const RegisterSet dst = VgprsOf(i, i.dst, frontend::LoadsStatus(i) ? 1 : 0);
    const RegisterSet sources = SourceVgprs(i);
    reads.vgprs &= ~(dst.vgprs & ~sources.vgprs);
  }
  return reads;
}

}  // namespace

bool PendingOperations::InOrder(Counter counter) const {
  const std::deque<Operation>& queue = queues_[counter];
  if (queue.empty()) return true;
  const Source first = queue.front().source;
  if (first == Source::kSmem || first == Source::kFlat) return queue.size() == 1;
  return std::all_of(queue.begin(), queue.end(),
                     [first](const Operation& operation) { return operation.source == first; });
}

void PendingOperations::Sum(Counter counter) {
  touched_[counter] = {};
  for (const Operation& operation : queues_[counter]) touched_[counter] |= operation.registers;
}

void PendingOperations::Issue(Counter counter, Source source, uint64_t pc,
                              const RegisterSet& registers, size_t most) {
  // The instruction is not issued before the counter has room for it.
  if (queues_[counter].size() >= most) {
    if (InOrder(counter)) {
      queues_[counter].pop_front();
      Sum(counter);
    } else if (queues_[counter].size() >= 4 * most) {
      // An unknown one has come back; what is kept may be too much, so forget the oldest.
      queues_[counter].pop_front();
      Sum(counter);
    }
  }
  queues_[counter].push_back({pc, source, registers});
  touched_[counter] |= registers;
}

void PendingOperations::Wait(Counter counter, size_t count) {
  std::deque<Operation>& queue = queues_[counter];
  if (queue.size() <= count || (count != 0 && !InOrder(counter))) return;
  queue.erase(queue.begin(), queue.end() - static_cast<std::ptrdiff_t>(count));
  Sum(counter);
}

bool PendingOperations::Touches(Counter counter, const RegisterSet& registers) const {
  return !queues_[counter].empty() && Intersect(touched_[counter], registers);
}

PendingOperations::Operation* PendingOperations::Find(Counter counter,
                                                      const RegisterSet& registers) {
  const auto found =
      std::find_if(queues_[counter].rbegin(), queues_[counter].rend(),
                   [&](const Operation& o) { return Intersect(o.registers, registers); });
  return found == queues_[counter].rend() ? nullptr : &*found;
}

const PendingOperations::Operation* PendingOperations::Find(Counter counter, Source source) const {
  const auto found = std::find_if(queues_[counter].begin(), queues_[counter].end(),
                                  [source](const Operation& o) { return o.source == source; });
  return found == queues_[counter].end() ? nullptr : &*found;
}

void PendingOperations::Forget(Counter counter, const RegisterSet& registers) {
  for (Operation& operation : queues_[counter]) operation.registers -= registers;
  Sum(counter);
}

bool WaitsForVmem(const Instruction& i, Generation generation) {
  return i.opcode == Opcode::S_WAITCNT &&
         FieldOf(static_cast<uint32_t>(i.imm), PendingOperations::kVm, generation) == 0;
}

void WaitCheck::Check(PendingOperations& pending, const Instruction& i, const InstructionInfo& info,
                      const AccessList& accesses, const Site& site) {
  if (i.opcode == Opcode::S_WAITCNT) {
    for (int n = 0; n < PendingOperations::kCounters; ++n) {
      const auto counter = static_cast<Counter>(n);
      const size_t count = FieldOf(static_cast<uint32_t>(i.imm), counter, generation_);
      if (count < MostOf(counter, generation_)) pending.Wait(counter, count);
    }
    return;
  }
  if (!info.registers.unknown) CheckUse(pending, i, info, site);
  Issue(pending, i, info, accesses, site);
}

void WaitCheck::CheckUse(PendingOperations& pending, const Instruction& i,
                         const InstructionInfo& info, const Site& site) {
  for (const Counter counter : {PendingOperations::kVm, PendingOperations::kLgkm}) {
    if (pending.Touches(counter, info.registers.reads)) {
      const RegisterSet reads = ReadsAtIssue(i, info);
      if (pending.Touches(counter, reads)) Report(pending, counter, reads, site, "reads");
    }
    if (!pending.Touches(counter, info.registers.may_write)) continue;
    // Of instructions that return in order the later one wins.
    const PendingOperations::Operation* first = pending.Find(counter, info.registers.may_write);
    const bool later = counter == PendingOperations::kVm
                           ? frontend::IsVectorMemory(i.encoding) && first->source == Source::kVmem
                           : i.encoding == Encoding::kDs && first->source == Source::kLds;
    if (later) {
      pending.Forget(counter, info.registers.may_write);
    } else {
      Report(pending, counter, info.registers.may_write, site, "overwrites");
    }
  }
  if (pending.Touches(PendingOperations::kExp, info.registers.may_write)) {
    Report(pending, PendingOperations::kExp, info.registers.may_write, site, "overwrites");
  }
}

void WaitCheck::Report(PendingOperations& pending, Counter counter, const RegisterSet& registers,
                       const Site& site, const char* what) {
  const PendingOperations::Operation& operation = *pending.Find(counter, registers);
  Evidence evidence{FindingKind::kMissingWait, site, site, 0, 0};
  evidence.other->pc = operation.pc;
  if (Finding* finding = findings_.Add(evidence)) {
    finding->detail =
        fmt::format("{} {} before s_waitcnt {} has waited for the instruction that {}", what,
                    NameOf(Common(operation.registers, registers)), NameOf(counter),
                    counter == PendingOperations::kExp ? "reads it" : "writes it");
  }
  pending.Forget(counter, registers);
}

void WaitCheck::Issue(PendingOperations& pending, const Instruction& i, const InstructionInfo& info,
                      const AccessList& accesses, const Site& site) {
  const auto issue = [&](Counter counter, Source source, const RegisterSet& registers) {
    pending.Issue(counter, source, site.pc, registers, MostOf(counter, generation_));
  };
  switch (i.encoding) {
    case Encoding::kSmrd:
    case Encoding::kSmem: {
      RegisterSet written;
      written.sgprs = info.registers.may_write.sgprs;
      return issue(PendingOperations::kLgkm, Source::kSmem, written);
    }
    case Encoding::kDs: {
      if (i.opcode == Opcode::DS_NOP) return;
      RegisterSet written;
      written.vgprs = info.registers.may_write.vgprs;
      issue(PendingOperations::kLgkm, i.gds ? Source::kGds : Source::kLds, written);
      if (!i.gds) return;
      RegisterSet data = VgprsOf(i, i.src[1], 0);
      data |= VgprsOf(i, i.src[2], 0);
      return issue(PendingOperations::kExp, Source::kGds, data);
    }
    case Encoding::kSopp:
      if (i.opcode == Opcode::S_SENDMSG || i.opcode == Opcode::S_SENDMSGHALT) {
        issue(PendingOperations::kLgkm, Source::kMessage, {});
      }
      return;
    default: break;
  }
  if (!frontend::IsVectorMemory(i.encoding) || !info.accesses_memory) return;
  RegisterSet written;
  written.vgprs = info.registers.may_write.vgprs;
  const bool to_lds = i.encoding == Encoding::kFlat &&
                      std::any_of(accesses.begin(), accesses.end(),
                                  [](const Access& access) { return access.space == Space::kLds; });
  const Source source = to_lds ? Source::kFlat : Source::kVmem;
  issue(PendingOperations::kVm, source, written);
  if (to_lds) issue(PendingOperations::kLgkm, source, written);
  if (frontend::Has(generation_, frontend::kStoresCountAsExports) &&
      info.type != AccessType::kRead) {
    issue(PendingOperations::kExp, Source::kVmem, VgprsOf(i, i.src[1], 0));
  }
}

}  // namespace gcnjit::runtime::check
