// The lift_* function of each row of the ISA table.
#include "frontend/lift/lifter.h"

namespace gcnjit::frontend {

#define GCN_ROW(id, ...) [[gnu::weak]] void lift_##id(Lifter&, const Instruction&);
#include "frontend/isa/all_rows.def"
#undef GCN_ROW

LiftFn LiftFunctionOf(Opcode opcode) {
  static constexpr LiftFn kTable[] = {
#define GCN_ROW(id, ...) lift_##id,
#include "frontend/isa/all_rows.def"
#undef GCN_ROW
  };
  return kTable[static_cast<int>(opcode)];
}

}  // namespace gcnjit::frontend
