// The divisions that compilers build: the IEEE one, which the JIT makes one operation of, and that
// of u32, which it shortens where the divisor is a scalar. Now and then with a step that is another
// one.
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

// n / d and n % d, of which the program may want both, one, or steps between.
void ProgramBuilder::IntegerDivision() {
  constexpr uint32_t kValues = 7;
  if (plan_.pool() < kValues) return;
  const uint32_t n = random_.Below(plan_.pool() - kValues + 1);
  const uint32_t z = n + 1, e = n + 2, q = n + 3, r = n + 4, more = n + 5, minus_d = n + 6;
  const bool has_error = random_.Percent(25);
  const auto is_other = [&] { return has_error && random_.Percent(8); };
  const auto add = [&](const Item& item) {
    Add(item);
    if (random_.Percent(has_error ? 6 : 1)) Vector();
  };
  const bool has_plain = assembler_.Has(Opcode::V_ADD_U32);
  const Opcode plus = has_plain ? Opcode::V_ADD_U32 : Opcode::V_ADD_CO_U32;
  const Opcode minus = has_plain ? Opcode::V_SUB_U32 : Opcode::V_SUB_CO_U32;
  const Opcode subtracted = has_plain ? Opcode::V_SUBREV_U32 : Opcode::V_SUBREV_CO_U32;
  const uint32_t sgpr = kPool + random_.Below(4);
  const Source d = random_.Percent(90) ? Sgpr(sgpr) : Vgpr(random_.Below(plan_.pool()));
  const auto divisor = [&] { return is_other() ? Sgpr(kPool + 5) : d; };
  if (random_.Percent(50)) {  // a small number, perhaps 0
    const uint32_t bits = random_.Pick({1, 3, 64, 4095});
    Add(assembler_.Sop2(Opcode::S_AND_B32, sgpr, Sgpr(sgpr), Constant(bits)));
  }
  add(assembler_.Vop1(Opcode::V_CVT_F32_U32, z, divisor()));
  add(assembler_.Vop1(random_.Percent(80) ? Opcode::V_RCP_IFLAG_F32 : Opcode::V_RCP_F32, z,
                      Vgpr(z)));
  add(assembler_.Vop2(Opcode::V_MUL_F32, z, Literal(is_other() ? 0x4F800000 : 0x4F7FFFFE), z));
  add(assembler_.Vop1(Opcode::V_CVT_U32_F32, z, Vgpr(z)));
  add(assembler_.Vop1(Opcode::V_MOV_B32, minus_d, divisor()));
  add(assembler_.Vop2(minus, minus_d, Inline(0), minus_d));
  add(assembler_.Vop3(Opcode::V_MUL_LO_U32, e, {Vgpr(minus_d), Vgpr(z), {}}));
  add(assembler_.Vop3(Opcode::V_MUL_HI_U32, e, {Vgpr(z), Vgpr(e), {}}));
  add(assembler_.Vop2(plus, z, Vgpr(z), e));
  add(assembler_.Vop3(Opcode::V_MUL_HI_U32, q, {Vgpr(n), Vgpr(z), {}}));
  add(assembler_.Vop3(Opcode::V_MUL_LO_U32, e, {Vgpr(q), divisor(), {}}));
  add(assembler_.Vop2(minus, r, Vgpr(n), e));
  const auto keep = [&](uint32_t vgpr) {  // a step that is wanted by itself
    if (is_other()) Add(assembler_.Vop1(Opcode::V_MOV_B32, maker_.Vgpr(1), Vgpr(vgpr)));
  };
  for (int step = 0; step < 2; ++step) {
    keep(random_.Percent(50) ? q : r);
    add(assembler_.Vop2(plus, more, Inline(is_other() ? 2 : 1), q));
    add(assembler_.Vop2(subtracted, e, divisor(), r));
    add(assembler_.Vopc(Opcode::V_CMP_LE_U32, divisor(), r));
    if (!is_other()) add(assembler_.Vop2(Opcode::V_CNDMASK_B32, q, Vgpr(q), more));
    add(assembler_.Vop2(Opcode::V_CNDMASK_B32, r, Vgpr(r), e));
  }
  // What the program does not want is overwritten, so that nothing else uses it.
  for (const uint32_t unwanted : {z, e, more, minus_d}) {
    if (random_.Percent(80)) Add(assembler_.Vop1(Opcode::V_MOV_B32, unwanted, Vgpr(n)));
  }
}

}  // namespace gcnjit::differential
