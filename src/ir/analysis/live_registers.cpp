#include "ir/analysis/live_registers.h"

#include <utility>

#include "ir/matrix.h"

namespace gcnjit::ir {
namespace {

template <size_t kBits>
bool Take(std::bitset<kBits>& from, size_t n) {
  const bool was_there = from[n];
  from.reset(n);
  return was_there;
}

}  // namespace

LiveRegisters& LiveRegisters::operator|=(const LiveRegisters& other) {
  vgprs |= other.vgprs;
  sgprs |= other.sgprs;
  scc |= other.scc;
  return *this;
}

bool LiveRegisters::Follow(const Inst& inst) {
  const auto n = static_cast<size_t>(inst.imm);
  switch (inst.op) {
    case Op::kGetVgpr: vgprs.set(n); return true;
    case Op::kGetVgprAt:
      for (size_t vgpr = n; vgpr < vgprs.size(); ++vgpr) vgprs.set(vgpr);
      return true;
    case Op::kGetSgpr64: sgprs.set(n + 1); [[fallthrough]];
    case Op::kGetSgpr: sgprs.set(n); return true;
    case Op::kGetScc: scc = true; return true;
    case Op::kSetVgpr: return Take(vgprs, n);
    case Op::kMatrix: {
      const MatrixProduct product = MatrixProduct::Of(inst);
      const int count = product.shape.ResultRegisters();
      for (int r = 0; r < count; ++r) vgprs.reset(product.d + r);
      for (int r = 0; r < count; ++r) vgprs.set(product.c + r);
      return true;
    }
    case Op::kSetSgpr: return Take(sgprs, n);
    case Op::kSetSgpr64: {
      const bool low = Take(sgprs, n);
      return Take(sgprs, n + 1) || low;
    }
    case Op::kSetScc: return std::exchange(scc, false);
    // Reports of faults say what EXEC was: what has been noted last, or what its register has.
    case Op::kNoteExec: sgprs.reset(kExec).reset(kExec + 1); return true;
    default: {
      const Effect effect = InfoOf(inst.op).effect;
      if (effect == Effect::kRead || effect == Effect::kWrite) sgprs.set(kExec).set(kExec + 1);
      return true;
    }
  }
}

LiveRegisters ForwardLiveness::AtEnd(const Block& block) const {
  LiveRegisters live;
  for (const uint64_t target : block.targets) {
    if (const auto found = at_begin_.find(target); found != at_begin_.end()) live |= found->second;
  }
  return live;
}

}  // namespace gcnjit::ir
