#include "backend_x64/emit/saved_scalars.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;

void SavedScalars::Take(const ir::Function& function, const std::vector<ir::Value>& ops) {
  const StateLayout& layout = region_.options.layout;
  for (const ir::Value v : ops) {
    const Inst& inst = function[v];
    const bool is_sgpr = inst.op == Op::kSetSgpr || inst.op == Op::kSetSgpr64;
    if (!is_sgpr && inst.op != Op::kSetScc) continue;
    const int32_t offset = is_sgpr ? layout.sgpr + static_cast<int32_t>(inst.imm) * 4 : layout.scc;
    copies_.push_back({offset, inst.op == Op::kSetSgpr64, region_.frame.slots.Take()});
  }
}

void SavedScalars::Free() {
  for (const Copy& copy : copies_) region_.frame.slots.Free(copy.slot);
  copies_.clear();
}

void SavedScalars::Save() const {
  for (const Copy& copy : copies_) {
    const x86::Gp through = copy.is_wide ? x86::Gp(x86::rdx) : x86::Gp(x86::edx);
    region_.a.mov(through, x86::ptr(x86::rbx, copy.offset));
    region_.a.mov(x86::ptr(x86::rbp, copy.slot * 8), through);
  }
}

void SavedScalars::Restore() const {
  for (const Copy& copy : copies_) {
    const x86::Gp through = copy.is_wide ? x86::Gp(x86::rdx) : x86::Gp(x86::edx);
    region_.a.mov(through, x86::ptr(x86::rbp, copy.slot * 8));
    region_.a.mov(x86::ptr(x86::rbx, copy.offset), through);
  }
}

}  // namespace gcnjit::backend
