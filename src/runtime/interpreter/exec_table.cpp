// One exec_* function for each executable row of the ISA table: a missing one does not link.
#include "runtime/interpreter/wave.h"

namespace gcnjit::runtime {

#define EXEC_OK(id) void exec_##id(Wave&, const Instruction&);
#define EXEC_NO(reason) EXEC_REFUSED
#define EXEC_REFUSED(id)
#define GCN_ROW(id, on67, on89, presence, names, dst, src0, src1, src2, flags, status) \
  EXEC_##status(id)
#include "isa/all_rows.def"
#undef EXEC_OK
#undef EXEC_REFUSED

ExecFunction ExecFunctionOf(frontend::Opcode opcode) {
#define EXEC_OK(id) exec_##id,
#define EXEC_REFUSED(id) nullptr,
  static constexpr ExecFunction kTable[] = {
#include "isa/all_rows.def"
  };
  return kTable[static_cast<int>(opcode)];
}

}  // namespace gcnjit::runtime
