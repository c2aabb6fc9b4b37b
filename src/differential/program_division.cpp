// The IEEE division that compilers build, which the JIT makes one operation of; now and then with a
// step that is another one.
#include "differential/program_builder.h"

namespace gcnjit::differential {

using frontend::Opcode;

namespace {

struct DivisionRows {
  Opcode scale, reciprocal, multiply, fma, fmas, fixup;
};
constexpr DivisionRows kRows32 = {Opcode::V_DIV_SCALE_F32, Opcode::V_RCP_F32,
                                  Opcode::V_MUL_F32,       Opcode::V_FMA_F32,
                                  Opcode::V_DIV_FMAS_F32,  Opcode::V_DIV_FIXUP_F32};
constexpr DivisionRows kRows64 = {Opcode::V_DIV_SCALE_F64, Opcode::V_RCP_F64,
                                  Opcode::V_MUL_F64,       Opcode::V_FMA_F64,
                                  Opcode::V_DIV_FMAS_F64,  Opcode::V_DIV_FIXUP_F64};
constexpr Source kOne = {242, 0};  // 1.0
constexpr uint32_t kNegativeFirst = 1;

}  // namespace

void ProgramBuilder::Division() {
  const bool is_wide = random_.Percent(40);
  const DivisionRows& rows = is_wide ? kRows64 : kRows32;
  const uint32_t dwords = is_wide ? 2 : 1;
  constexpr uint32_t kValues = 7;
  if (plan_.pool() < kValues * dwords) return;
  const uint32_t first = random_.Below(plan_.pool() - kValues * dwords + 1);
  const auto value = [&](uint32_t n) { return first + n * dwords; };
  const uint32_t n = value(0), d = value(1), scaled_d = value(2), scaled_n = value(3);
  const uint32_t y = value(4), e = value(5), q = value(6);
  const bool has_error = random_.Percent(25);
  // A source, or seldom another one.
  const auto of = [&](uint32_t vgpr) {
    return Vgpr(has_error && random_.Percent(8) ? value(random_.Below(kValues)) : vgpr);
  };
  const auto other = [&] {
    if (random_.Percent(has_error ? 8 : 2)) Vector();
  };
  const auto fma = [&](uint32_t to, Source a, Source b, Source c, uint32_t negative = 0) {
    Add(assembler_.Vop3(rows.fma, to, {a, b, c}, negative));
    other();
  };
  const auto scale = [&](uint32_t to, uint32_t sdst, uint32_t what) {
    Add(assembler_.Vop3(rows.scale, to, {of(what), of(d), of(n)}, 0, sdst));
    other();
  };
  const uint32_t mask = random_.Percent(70) ? uint32_t{frontend::kCodeVccLo} : uint32_t{kPool};
  scale(scaled_d, kPool + 2, d);
  Add(assembler_.Vop1(rows.reciprocal, y, of(scaled_d)));
  scale(scaled_n, mask, n);
  for (uint32_t step = random_.Below(3); step != 0; --step) {
    fma(e, of(scaled_d), of(y), kOne, kNegativeFirst);
    fma(y, of(e), of(y), of(y));
  }
  Add(assembler_.Vop3(rows.multiply, q, {of(scaled_n), of(y), {}}));
  for (uint32_t step = random_.Below(3); step != 0; --step) {
    fma(e, of(scaled_d), of(q), of(scaled_n), kNegativeFirst);
    fma(q, of(e), of(y), of(q));
  }
  fma(e, of(scaled_d), of(q), of(scaled_n), kNegativeFirst);
  if (mask != frontend::kCodeVccLo) {
    Add(assembler_.Sop1(Opcode::S_MOV_B64, frontend::kCodeVccLo, Sgpr(mask)));
  }
  Add(assembler_.Vop3(rows.fmas, y, {of(e), of(y), of(q)}));
  Add(assembler_.Vop3(rows.fixup, random_.Percent(50) ? y : maker_.Vgpr(static_cast<int>(dwords)),
                      {of(y), of(d), of(n)}));
}

}  // namespace gcnjit::differential
