#include "runtime/check/influence.h"

#include <bit>
#include <cstring>

#include "runtime/interpreter/interpreter.h"

namespace gcnjit::runtime::check {

using frontend::Encoding;
using frontend::RegisterSet;

namespace {

template <typename F>
void ForEachVgpr(const frontend::VgprSet& set, F f) {
  for (size_t n = set._Find_first(); n < kVectorRegisters; n = set._Find_next(n)) f(n);
}
template <typename F>
void ForEachSgpr(const frontend::SgprSet& set, F f) {
  for (size_t n = set._Find_first(); n < set.size(); n = set._Find_next(n)) f(n);
}

bool IsComparison(const Instruction& i) {
  return i.row().on89.before.format == frontend::Format::kVopc ||
         i.row().on67.format == frontend::Format::kVopc || i.encoding == Encoding::kSopc ||
         (i.encoding == Encoding::kSopk && i.row().names.starts_with("s_cmpk"));
}

}  // namespace

// The operands of a comparison: undefined bits as in the operand that they are compared with, or
// equality would never be met.
void Influence::FillFromOther(const Wave& w, const Instruction& i, const ShadowRegisters& shadow,
                              WaveState& state) {
  for (size_t n = 0; n < 2; ++n) {
    const Operand& operand = i.src[n];
    // s_cmpk compares the destination field's register with its immediate.
    const Operand& other = i.src[1 - n];
    const int count = std::max(1, frontend::RegistersOf(operand.type));
    for (int r = 0; r < count; ++r) {
      const auto index = static_cast<size_t>(operand.index + r);
      const auto value = [&](int lane) -> uint32_t {
        if (other.kind == OperandKind::kVector) return w.state.vgpr[other.index + r][lane];
        if (other.kind == OperandKind::kScalar) return w.state.sgpr[other.index + r];
        return static_cast<uint32_t>(other.value >> (32 * r));
      };
      if (operand.kind == OperandKind::kVector && index < kVectorRegisters) {
        for (uint64_t left = shadow.UndefinedLanes(index); left != 0; left &= left - 1) {
          const int lane = std::countr_zero(left);
          const uint32_t undefined = shadow.Vgpr(index)[lane];
          state.vgpr[index][lane] =
              (w.state.vgpr[index][lane] & ~undefined) | (value(lane) & undefined);
        }
      } else if (operand.kind == OperandKind::kScalar && index < 128) {
        const uint32_t undefined = shadow.Sgpr(index);
        state.sgpr[index] = (w.state.sgpr[index] & ~undefined) | (value(0) & undefined);
      }
    }
  }
}

void Influence::Prepare(const Wave& w, const Instruction& i, const InstructionInfo& info,
                        const ShadowRegisters& shadow, Fill fill, WaveState& state) {
  std::memcpy(state.sgpr, w.state.sgpr, sizeof state.sgpr);
  state.scc = w.state.scc;
  state.wave_in_group = w.state.wave_in_group;
  state.mode = w.state.mode;
  state.trapsts = w.state.trapsts;
  state.vgpr_count = w.state.vgpr_count;
  state.acc_vgpr_count = w.state.acc_vgpr_count;
  state.pc = w.state.pc;
  const auto filled = [&](uint32_t value, uint32_t undefined) {
    uint32_t put = 0;
    if (fill == Fill::kOnes) put = ~0u;
    if (fill == Fill::kNoise || fill == Fill::kMoreNoise) {
      noise_ ^= noise_ << 13;
      noise_ ^= noise_ >> 17;
      noise_ ^= noise_ << 5;
      put = noise_;
    }
    return (value & ~undefined) | (put & undefined);
  };
  const RegisterSet& reads = info.registers.reads;
  ForEachVgpr(reads.vgprs | info.registers.may_write.vgprs, [&](size_t n) {
    std::memcpy(state.vgpr[n], w.state.vgpr[n], sizeof state.vgpr[n]);
    for (uint64_t left = shadow.UndefinedLanes(n); left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      state.vgpr[n][lane] = filled(w.state.vgpr[n][lane], shadow.Vgpr(n)[lane]);
    }
  });
  ForEachSgpr(reads.sgprs, [&](size_t n) {
    if (shadow.Sgpr(n) != 0) state.sgpr[n] = filled(w.state.sgpr[n], shadow.Sgpr(n));
  });
  if (shadow.scc()) state.scc = filled(0, 1);
  if (fill == Fill::kOther && IsComparison(i)) FillFromOther(w, i, shadow, state);
}

bool Influence::Follow(Wave& w, const CodeSlot& slot, const InstructionInfo& info,
                       ShadowRegisters& shadow) {
  const uint64_t exec = w.exec();
  if (!shadow.AnyRead(info.registers, exec)) {
    shadow.DefineWritten(info.registers, exec);
    return false;
  }
  const RegisterSet& written = info.registers.may_write;
  ForEachVgpr(written.vgprs, [&](size_t n) { differing_->DefineVgpr(n, ~uint64_t{0}); });
  ForEachSgpr(written.sgprs, [&](size_t n) { differing_->SetSgpr(n, 0); });
  differing_->SetScc(false);
  for (int run = 0; run < kFills; ++run) {
    WaveState& state = run == 0 ? *first_ : *other_;
    Prepare(w, slot.instruction, info, shadow, static_cast<Fill>(run), state);
    Wave copy{state, w.group, w.dispatch};
    StepWave(copy, slot);
    // Register numbers made from undefined bits; whatever comes of it, the real run will tell.
    if (copy.event == WaveEvent::kFault || run == 0) continue;
    ForEachVgpr(written.vgprs, [&](size_t n) {
      for (int lane = 0; lane < kLanes; ++lane) {
        const uint32_t differs = first_->vgpr[n][lane] ^ state.vgpr[n][lane];
        if (differs != 0) differing_->SetVgpr(n, lane, ~0u, differs);
      }
    });
    ForEachSgpr(written.sgprs, [&](size_t n) {
      differing_->SetSgpr(n, differing_->Sgpr(n) | (first_->sgpr[n] ^ state.sgpr[n]));
    });
    if (written.scc && first_->scc != state.scc) differing_->SetScc(true);
  }
  // The runs have set the host's rounding as the copies wanted it.
  w.float_class = FloatClass::kUnset;
  ForEachVgpr(written.vgprs, [&](size_t n) {
    for (int lane = 0; lane < kLanes; ++lane) {
      shadow.SetVgpr(n, lane, differing_->Vgpr(n)[lane]);
    }
  });
  ForEachSgpr(written.sgprs, [&](size_t n) { shadow.SetSgpr(n, differing_->Sgpr(n)); });
  if (written.scc) shadow.SetScc(differing_->scc());
  const bool exec_depends = shadow.Pair(frontend::kCodeExecLo) != 0;
  shadow.SetSgpr(frontend::kCodeExecLo, 0);
  shadow.SetSgpr(frontend::kCodeExecHi, 0);
  return exec_depends;
}

}  // namespace gcnjit::runtime::check
