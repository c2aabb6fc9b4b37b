#include "lift/lifted_step.h"

#include <cstring>

#include "frontend/flow/register_access.h"
#include "ir/evaluator.h"
#include "ir/verifier.h"
#include "runtime/interpreter/float_bits.h"
#include "runtime/interpreter/memory_segments.h"

namespace gcnjit::lift_tests {
namespace {

using frontend::Instruction;
using frontend::Lifter;
using runtime::CodeSlot;
using runtime::Wave;
using runtime::WaveEvent;

// Where the lifter takes the code to begin. Loads that are to do nothing read there.
constexpr uint64_t kCodeBase = uint64_t{1} << 62;

// What the caller of lift_* functions checks for them (lift_region.cpp).
std::string WhyNot(const Wave& w, const CodeSlot& slot) {
  if (slot.status != frontend::DecodeStatus::kOk) return "not decodable";
  if (const char* refusal = slot.instruction.row().refusal) return refusal;
  if (frontend::LiftFunctionOf(slot.instruction.opcode) == nullptr) return "no lift function";
  if (!w.state.vgpr_counts().Hold(slot.vgpr_limit)) return "a VGPR that is not allocated";
  const uint32_t special = runtime::kModeGprIdxEn | runtime::kModeVskip;
  if (slot.is_vector && (w.state.mode & special) != 0) return "MODE redirects or skips it";
  return {};
}

// The function of one block, or why there is none.
std::string Lift(const Wave& w, std::span<const CodeSlot> slots, const LiftOptions& options,
                 ir::Function& function) {
  ir::Block block;
  block.begin = w.state.pc;
  ir::Builder builder(function, block);
  Lifter lifter({w.generation(), w.state.mode, w.state.vgpr_counts(), kCodeBase}, builder);
  Lifter::Observed observed;
  if (options.inactive == Inactive::kLost) observed.wide_vgprs.reset();
  uint64_t pc = w.state.pc;
  for (const CodeSlot& slot : slots) {
    const Instruction& i = slot.instruction;
    if (lifter.has_matrices() &&
        lifter.MustFollowMatrices(i, frontend::AccessOf(i, w.generation()))) {
      return "comes after the block's matrices";
    }
    builder.SetGuest(static_cast<uint16_t>(block.guest_pcs.size()));
    block.guest_pcs.push_back(pc);
    lifter.Start(pc, pc + i.size, observed);
    const frontend::LiftFn own = frontend::LiftFunctionOf(i.opcode);
    (options.function != nullptr ? options.function : own)(lifter, i);
    if (!lifter.refusal().empty()) return std::string(lifter.refusal());
    pc += i.size;
  }
  block.instruction_count = static_cast<uint32_t>(block.guest_pcs.size());
  if (!lifter.ended()) lifter.Jump(pc);
  lifter.WriteBack(frontend::VgprSet().set(), frontend::VgprSet().set(), std::bitset<128>().set(),
                   true);
  lifter.EmitTerminator();
  function.blocks.push_back(std::move(block));
  return {};
}

bool AccessMemory(Wave& w, uint64_t address, void* data, uint32_t bytes, bool is_write) {
  const runtime::GuestMemory& memory = *w.dispatch.memory;
  if (!(is_write ? memory.Writable(address, bytes) : memory.Readable(address, bytes))) return false;
  if (is_write) {
    std::memcpy(reinterpret_cast<void*>(address), data, bytes);
  } else {
    std::memcpy(data, reinterpret_cast<const void*>(address), bytes);
  }
  return true;
}

// FLAT's address space, as the runtime has it. Atomics on scratch are refused there.
bool AccessFlat(Wave& w, bool is_atomic, int lane, uint64_t address, void* data, uint32_t bytes,
                bool is_write) {
  if (is_atomic && runtime::IsPrivate(address)) {
    w.RaiseFault(FaultKind::kUnsupported, lane, address, bytes);
    return false;
  }
  return is_write ? runtime::WriteFlat(w, lane, address, data, bytes)
                  : runtime::ReadFlat(w, lane, address, data, bytes);
}

// A flat atomic in LDS is as that of a DS instruction.
ir::MemoryAccess FlatAtomic(const Wave& w, ir::MemoryAccess access, uint64_t address) {
  if (!runtime::IsShared(address)) return access;
  const bool is_64 = access.bytes == 8;
  const bool is_add = access.atomic == ir::AtomicOp::kFAdd;
  runtime::Denormals denormals = is_64 ? runtime::Denormals64(w) : runtime::Denormals32(w);
  if (is_64 && is_add) denormals = {};  // kept
  access.flush_inputs = denormals.flush_inputs;
  access.flush_results = denormals.flush_outputs;
  return access;
}

ir::EvaluatorState StateOf(Wave& w, bool is_atomic, const LiftOptions& options) {
  ir::EvaluatorState state;
  state.sgpr = w.state.sgpr;
  state.scc = &w.state.scc;
  state.mode = &w.state.mode;
  state.vgpr = w.state.vgpr;
  state.code_base = kCodeBase;
  state.lds = w.group.lds;
  state.lds_bytes = w.group.lds_bytes;
  state.memory = [&](uint64_t address, void* data, uint32_t bytes, bool is_write) {
    if (address == kCodeBase && bytes == 4 && !is_write) return true;
    if (options.on_access) options.on_access(address, bytes);
    return AccessMemory(w, address, data, bytes, is_write);
  };
  state.flat = [&w, is_atomic](int lane, uint64_t address, void* data, uint32_t bytes,
                               bool is_write) {
    return AccessFlat(w, is_atomic, lane, address, data, bytes, is_write);
  };
  state.flat_atomic = [&w](ir::MemoryAccess access, uint64_t address) {
    return FlatAtomic(w, access, address);
  };
  return state;
}

void Finish(Wave& w, const ir::EvaluatorResult& result) {
  switch (result.reason) {
    case ir::ExitReason::kFault: {
      const ir::EvaluatorFault& fault = *result.fault;
      const FaultKind kind = fault.misaligned ? FaultKind::kMisaligned
                             : fault.is_write ? FaultKind::kMemoryWrite
                                              : FaultKind::kMemoryRead;
      return w.RaiseFault(kind, fault.lane, fault.address, fault.bytes);
    }
    case ir::ExitReason::kEnd: w.event = WaveEvent::kEnd; break;
    case ir::ExitReason::kBarrier: w.event = WaveEvent::kBarrier; break;
    case ir::ExitReason::kYield: w.event = WaveEvent::kYield; break;
    case ir::ExitReason::kNext:
    case ir::ExitReason::kInterpret: break;
  }
  w.state.pc = result.next_pc;
}

}  // namespace

std::string RunLifted(Wave& w, std::span<const CodeSlot> slots, const LiftOptions& options) {
  bool is_atomic = false;
  for (const CodeSlot& slot : slots) {
    std::string reason = WhyNot(w, slot);
    if (!reason.empty()) return reason;
    is_atomic = is_atomic || slot.instruction.row().Has(frontend::ATOMIC);
  }
  ir::Function function;
  std::string reason = Lift(w, slots, options, function);
  if (!reason.empty()) return reason;
  const std::vector<std::string> errors = ir::Verify(function);
  if (!errors.empty()) return kMalformed + errors.front();
  const ir::EvaluatorResult result =
      ir::Evaluate(function, function.blocks.front(), StateOf(w, is_atomic, options));
  // What it has written is the interpreter's to write, or it faults there.
  if (result.reason == ir::ExitReason::kInterpret) return "a number that is too high";
  Finish(w, result);
  return {};
}

}  // namespace gcnjit::lift_tests
