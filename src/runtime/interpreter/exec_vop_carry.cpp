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

// Exact in `Wide`; clamp saturates to `Sum`.
template <typename Factor, typename Sum, typename Wide>
void MadWide(Wave& w, const Instruction& i) {
  alignas(64) Factor a_buffer[kLanes];
  alignas(64) Factor b_buffer[kLanes];
  alignas(64) Sum c_buffer[kLanes];
  alignas(64) Sum result[kLanes];
  alignas(64) uint8_t carry_out[kLanes];
  const Factor* a = ReadLanes<Factor>(w, i, 0, a_buffer);
  const Factor* b = ReadLanes<Factor>(w, i, 1, b_buffer);
  const Sum* c = ReadLanes<Sum>(w, i, 2, c_buffer);
  const bool clamp = ClampsInteger(w, i);
  for (int lane = 0; lane < kLanes; ++lane) {
    const Wide sum = Wide{a[lane]} * Wide{b[lane]} + Wide{c[lane]};
    carry_out[lane] = (sum >> 64 & 1) != 0 ? 0xFF : 0;
    Wide value = sum;
    if (clamp && value > std::numeric_limits<Sum>::max()) value = std::numeric_limits<Sum>::max();
    if (clamp && value < std::numeric_limits<Sum>::min()) value = std::numeric_limits<Sum>::min();
    result[lane] = static_cast<Sum>(value);
  }
  WriteLanes<Sum>(w, i, result);
  WriteLaneMask(w, i.sdst, MaskOfBytes(carry_out) & WriteMask(w, i));
}

__extension__ using Unsigned128 = unsigned __int128;
__extension__ using Signed128 = __int128;

}  // namespace

void exec_V_MAD_U64_U32(Wave& w, const Instruction& i) {
  MadWide<uint32_t, uint64_t, Unsigned128>(w, i);
}
void exec_V_MAD_I64_I32(Wave& w, const Instruction& i) {
  MadWide<int32_t, int64_t, Signed128>(w, i);
}

}  // namespace gcnjit::runtime
