// The lift_* function of each row of the ISA table, or why it has none.
#include <array>

#include "frontend/lift/lifter.h"
#include "frontend/lift/why_not_lifted.h"

namespace gcnjit::frontend {
namespace {

constexpr auto kReasons = [] {
  std::array<const char*, kOpcodeCount> reasons = {};
#define NOT_LIFTED(id, reason) reasons[static_cast<size_t>(Opcode::id)] = reason;
#include "frontend/lift/not_lifted.def"
#undef NOT_LIFTED
  return reasons;
}();

}  // namespace

// Declared for every row; used, and so needed, where the row is executable and not excepted.
#define GCN_ROW(id, ...) void lift_##id(Lifter&, const Instruction&);
#include "isa/all_rows.def"
#undef GCN_ROW

namespace {

template <bool kIsLifted, LiftFn kFunction>
constexpr LiftFn kChosen = kIsLifted ? kFunction : nullptr;

}  // namespace

#define LIFT_OK(id) kChosen<kReasons[static_cast<size_t>(Opcode::id)] == nullptr, lift_##id>,
#define LIFT_NO(reason) LIFT_REFUSED
#define LIFT_REFUSED(id) nullptr,
#define GCN_ROW(id, on67, on89, presence, names, dst, src0, src1, src2, flags, status) \
  LIFT_##status(id)

LiftFn LiftFunctionOf(Opcode opcode) {
  static constexpr LiftFn kTable[] = {
#include "isa/all_rows.def"
  };
  return kTable[static_cast<int>(opcode)];
}

const char* WhyNotLifted(Opcode opcode) {
  const char* refusal = RowOf(opcode).refusal;
  return refusal != nullptr ? refusal : kReasons[static_cast<size_t>(opcode)];
}

}  // namespace gcnjit::frontend
