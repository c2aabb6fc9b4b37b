// Moves between VGPRs and AccVGPRs. Matrices are the interpreter's (not_lifted.def).
#include "frontend/lift/lifter.h"

namespace gcnjit::frontend {

void lift_V_ACCVGPR_READ_B32(Lifter& l, const Instruction& i) { l.Write32(i, l.Src32(i, 0)); }
void lift_V_ACCVGPR_WRITE_B32(Lifter& l, const Instruction& i) { l.Write32(i, l.Src32(i, 0)); }

}  // namespace gcnjit::frontend
