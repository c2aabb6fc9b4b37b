// Integer arithmetic with carry masks. The masks have one bit a lane, 0 for lanes that are not
// written. Under clamp (gfx8-9) the sum saturates; the carry is that of the unclamped sum.
#include <limits>

#include "runtime/interpreter/lanes.h"

namespace gcnjit::runtime {
namespace {

struct CarrySum {
  uint32_t value;
  uint32_t carry;  // all ones or 0
};

uint32_t AllOnesIf(bool condition) { return condition ? ~0u : 0; }

// Function objects rather than functions: each gives its lane loop a type of its own, into which it
// is inlined.
constexpr auto kAdd = [](uint32_t a, uint32_t b, uint32_t carry_in) -> CarrySum {
  const uint32_t partial = a + b;
  const uint32_t sum = partial + carry_in;
  return {sum, AllOnesIf(partial < a) | AllOnesIf(sum < partial)};
};
constexpr auto kSub = [](uint32_t a, uint32_t b, uint32_t borrow_in) -> CarrySum {
  const uint32_t partial = a - b;
  return {partial - borrow_in, AllOnesIf(a < b) | AllOnesIf(partial < borrow_in)};
};
constexpr auto kSubReversed = [](uint32_t a, uint32_t b, uint32_t borrow_in) {
  return kSub(b, a, borrow_in);
};

// {sdst, dst} = f(src0, src1, carry). `saturated` is what clamp makes of a sum with carry.
template <typename F>
void WithCarry(Wave& w, const Instruction& i, uint64_t carry_mask, uint32_t saturated, F f) {
  alignas(64) uint32_t a_buffer[kLanes];
  alignas(64) uint32_t b_buffer[kLanes];
  alignas(64) uint32_t d_buffer[kLanes];
  alignas(64) uint32_t carry_in[kLanes];
  alignas(64) uint32_t carry_out[kLanes];
  const uint32_t* a = ReadLanes<uint32_t>(w, i, 0, a_buffer);
  const uint32_t* b = ReadLanes<uint32_t>(w, i, 1, b_buffer);
  LanesOfMask(carry_mask, carry_in);
  uint32_t* result = ResultLanes<uint32_t>(w, i, d_buffer);
#pragma GCC ivdep
  for (int lane = 0; lane < kLanes; ++lane) {
    const CarrySum sum = f(a[lane], b[lane], carry_in[lane] & 1);
    result[lane] = sum.value;
    carry_out[lane] = sum.carry;
  }
  if (ClampsInteger(w, i)) {
    for (int lane = 0; lane < kLanes; ++lane) {
      result[lane] = carry_out[lane] != 0 ? saturated : result[lane];
    }
  }
  FinishLanes<uint32_t>(w, i, result, d_buffer);
  WriteLaneMask(w, i.sdst, MaskOfLanes(carry_out) & WriteMask(w, i));
}

constexpr uint32_t kMaximum = std::numeric_limits<uint32_t>::max();

}  // namespace

void exec_V_ADD_CO_U32(Wave& w, const Instruction& i) { WithCarry(w, i, 0, kMaximum, kAdd); }
void exec_V_SUB_CO_U32(Wave& w, const Instruction& i) { WithCarry(w, i, 0, 0, kSub); }
void exec_V_SUBREV_CO_U32(Wave& w, const Instruction& i) { WithCarry(w, i, 0, 0, kSubReversed); }

// The carry in is src2: VCC, or in VOP3 any SGPR pair.
void exec_V_ADDC_CO_U32(Wave& w, const Instruction& i) {
  WithCarry(w, i, ReadLaneMask(w, i.src[2]), kMaximum, kAdd);
}
void exec_V_SUBB_CO_U32(Wave& w, const Instruction& i) {
  WithCarry(w, i, ReadLaneMask(w, i.src[2]), 0, kSub);
}
void exec_V_SUBBREV_CO_U32(Wave& w, const Instruction& i) {
  WithCarry(w, i, ReadLaneMask(w, i.src[2]), 0, kSubReversed);
}

// ---- {sdst, dst} = src0 * src1 + src2, where sdst is bit 64 of the sum

namespace {

struct WideSum {
  uint64_t value;
  uint64_t bit64;  // 0 or 1
  bool fits;       // else clamp gives `limit`
  uint64_t limit;
};

constexpr auto kMadUnsigned = [](uint64_t a, uint64_t b, uint64_t c) -> WideSum {
  const uint64_t sum = a * b + c;
  const bool carry = sum < c;
  return {sum, carry, !carry, std::numeric_limits<uint64_t>::max()};
};

// The product fits into 64 bits; the sum overflows if it has not the sign that both terms have, and
// bit 64 is the sign of the exact sum.
constexpr auto kMadSigned = [](int64_t a, int64_t b, int64_t c) -> WideSum {
  const auto product = static_cast<uint64_t>(a * b);
  const auto addend = static_cast<uint64_t>(c);
  const uint64_t sum = product + addend;
  const bool overflow = ((product ^ sum) & (addend ^ sum)) >> 63 != 0;
  const uint64_t limit = (addend >> 63) + std::numeric_limits<int64_t>::max();
  return {sum, (overflow ? addend : sum) >> 63, !overflow, limit};
};

template <typename Factor, typename Sum, typename F>
void MadWide(Wave& w, const Instruction& i, F f) {
  alignas(64) Factor a_buffer[kLanes];
  alignas(64) Factor b_buffer[kLanes];
  alignas(64) Sum c_buffer[kLanes];
  alignas(64) uint64_t result[kLanes];
  alignas(64) uint32_t carry_out[kLanes];
  const Factor* a = ReadLanes<Factor>(w, i, 0, a_buffer);
  const Factor* b = ReadLanes<Factor>(w, i, 1, b_buffer);
  const Sum* c = ReadLanes<Sum>(w, i, 2, c_buffer);
  const bool clamp = ClampsInteger(w, i);
#pragma GCC ivdep
  for (int lane = 0; lane < kLanes; ++lane) {
    const WideSum sum = f(a[lane], b[lane], c[lane]);
    result[lane] = (clamp & !sum.fits) ? sum.limit : sum.value;
    carry_out[lane] = AllOnesIf(sum.bit64 != 0);
  }
  WriteLanes<uint64_t>(w, i, result);
  WriteLaneMask(w, i.sdst, MaskOfLanes(carry_out) & WriteMask(w, i));
}

}  // namespace

void exec_V_MAD_U64_U32(Wave& w, const Instruction& i) {
  MadWide<uint32_t, uint64_t>(w, i, kMadUnsigned);
}
void exec_V_MAD_I64_I32(Wave& w, const Instruction& i) {
  MadWide<int32_t, int64_t>(w, i, kMadSigned);
}

}  // namespace gcnjit::runtime
