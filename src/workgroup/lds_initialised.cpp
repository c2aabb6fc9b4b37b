#include "workgroup/lds_initialised.h"

namespace gcnjit::workgroup {

using ir::Inst;
using ir::Op;
using ir::Value;

namespace {

// Calls `f` with the first byte of each lane's access to LDS; what begins or ends beyond 64 KiB
// accesses nothing.
template <typename F>
void ForEachLane(const Inst& inst, const ConstantLanes& values, uint64_t mask, uint32_t end,
                 const F& f) {
  for (int lane = 0; lane < ir::kLanes; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    const auto first =
        static_cast<uint32_t>(values.Lane(inst.args[0], lane) + static_cast<uint64_t>(inst.imm));
    if (first <= end - inst.access().bytes) f(first);
  }
}

}  // namespace

void LdsInitialised::Follow(const ir::Function& function, const ir::Block& block,
                            const ConstantLanes& values, bool is_certain) {
  for (const Value v : block.insts) {
    const Inst& inst = function[v];
    switch (inst.op) {
      case Op::kStoreLds: {
        const std::optional<uint64_t> mask = values.Scalar(inst.args[1]);
        const std::optional<uint64_t> limit = values.Scalar(inst.args[2]);
        if (!is_certain || !mask || !limit || *limit < kBytes || !values.IsKnown(inst.args[0])) {
          break;
        }
        ForEachLane(inst, values, *mask, kBytes, [&](uint32_t first) {
          for (uint32_t n = 0; n < inst.access().bytes; ++n) written_.set(first + n);
        });
        break;
      }
      case Op::kLoadLds:
        if (!values.IsKnown(inst.args[0])) {
          reads_unwritten_ = true;
          break;
        }
        ForEachLane(inst, values, values.Scalar(inst.args[1]).value_or(ir::kAllLanes), kBytes,
                    [&](uint32_t first) {
                      for (uint32_t n = 0; n < inst.access().bytes; ++n) {
                        reads_unwritten_ |= !written_[first + n];
                      }
                    });
        break;
      case Op::kAtomicLds: reads_unwritten_ = true; break;
      case Op::kLoad:
      case Op::kAtomic: reads_unwritten_ |= inst.access().space == ir::Space::kFlat; break;
      default: break;
    }
  }
}

}  // namespace gcnjit::workgroup
