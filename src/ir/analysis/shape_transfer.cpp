#include "ir/analysis/shape_transfer.h"

#include <algorithm>
#include <bit>

#include "ir/compute.h"

namespace gcnjit::ir {
namespace {

constexpr uint8_t kWhole = kLanes;

uint8_t MaskRunOfBits(uint64_t bits) {
  int run = kLanes;
  for (int lane = 1; lane < kLanes; ++lane) {
    if ((bits >> lane & 1) != (bits >> (lane - 1) & 1)) run = std::min(run, lane & -lane);
  }
  return static_cast<uint8_t>(run);
}

}  // namespace

bool ShapeTransfer::IsConst(const Inst& inst, int n, uint64_t* value) const {
  const Inst& arg = Arg(inst, n);
  if (arg.op != Op::kConst) return false;
  *value = static_cast<uint64_t>(arg.imm);
  if (!IsWide(arg)) *value &= 0xFFFFFFFF;
  return true;
}

LaneShape ShapeTransfer::Of(Value v) {
  const Inst& inst = function_[v];
  if (inst.op != Op::kGetSgpr && inst.op != Op::kGetSgpr64) is_ones_[v.id] = MakesOnes(inst);
  if (inst.type == Type::kU64) mask_runs_[v.id] = IsOnes(v) ? kWhole : MaskRun(inst);
  const LaneShape shape = OfAnyType(inst);
  if (Is64(inst.type)) {
    only_low_ = true;
    low_shapes_[v.id] = LowOf(inst, shape);
    only_low_ = false;
  }
  // What the high half does is of no interest where it is cut off.
  return inst.op == Op::kLow && IsLanes(inst.type) ? low_shapes_[inst.args[0].id] : shape;
}

LaneShape ShapeTransfer::OfAnyType(const Inst& inst) {
  if (inst.op == Op::kConst) {
    const uint64_t bits = static_cast<uint64_t>(inst.imm) & (IsWide(inst) ? ~0ull : 0xFFFFFFFF);
    return {kWhole, static_cast<uint8_t>(std::min(std::countr_zero(bits), WidthOf(inst))), 0};
  }
  if (IsLanes(inst.type)) return OfLanes(inst);
  // One value a wave; only its low bits are of interest.
  if (InfoOf(inst.op).effect != Effect::kPure || inst.type == Type::kU1) return {kWhole, 0, 0};
  const LaneShape shape = OfLanes(inst);
  const bool exact = shape.run == kWhole && shape.offsets == LanePatterns::kUniform;
  return exact ? shape : LaneShape{kWhole, 0, 0};
}

// The low half of a 64-bit value, by itself: it may go up steadily where the whole value wraps
// around at a place that is not known. `only_low_` is set.
LaneShape ShapeTransfer::LowOf(const Inst& inst, LaneShape whole) {
  uint64_t count = 0;
  switch (inst.op) {
    case Op::kZext:
    case Op::kSext:
    case Op::kPack:
      if (IsLanes(inst.type)) return ShapeOf(inst, 0);
      break;
    case Op::kMulWideU:
    case Op::kMulWideS:
      if (IsLanes(inst.type)) return Multiply(inst);
      break;
    case Op::kShl:
      // Counts are those of the whole value.
      if (!IsConst(inst, 1, &count) || count % 64 >= 32) break;
      return OfAnyType(inst);
    case Op::kConst:
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kAnd:
    case Op::kOr:
    case Op::kXor:
    case Op::kAndNot: return OfAnyType(inst);
    default: break;
  }
  return patterns_.LowHalf(whole);
}

LaneShape ShapeTransfer::OfLanes(const Inst& inst) {
  if (InfoOf(inst.op).effect != Effect::kPure) return {};
  uint64_t count = 0;
  switch (inst.op) {
    case Op::kLaneId: {
      Offsets offsets;
      for (int lane = 0; lane < kLanes; ++lane) offsets[lane] = static_cast<uint64_t>(lane);
      return patterns_.Make(kWhole, 32, offsets, false);
    }
    case Op::kAdd:
    case Op::kSub: return Linear(inst);
    case Op::kMul:
    case Op::kMulWideU: return Multiply(inst);
    case Op::kMulWideS: return Uniform(inst, ShapeOf(inst, 0).zeros + ShapeOf(inst, 1).zeros);
    case Op::kShl:
      if (!IsConst(inst, 1, &count)) return Uniform(inst, ShapeOf(inst, 0).zeros);
      count %= static_cast<uint64_t>(WidthOf(inst));
      return Combine(inst, ShapeOf(inst, 0), {kWhole, 64, 0},
                     ShapeOf(inst, 0).zeros + static_cast<int>(count),
                     [count](uint64_t a, uint64_t) { return a << count; });
    case Op::kLshr:
    case Op::kAshr: return ShiftRight(inst);
    case Op::kAnd:
    case Op::kOr:
    case Op::kXor:
    case Op::kAndNot: return Bitwise(inst);
    case Op::kZext:
    case Op::kSext: return Extend(inst);
    case Op::kPack: return Pack(inst);
    case Op::kLow: return patterns_.LowHalf(ShapeOf(inst, 0));
    case Op::kHigh: return ShiftRight(inst);
    case Op::kSelect: return Select(inst);
    default: return Uniform(inst);
  }
}

// Lane by lane the same function of arguments that are alike gives results that are alike.
LaneShape ShapeTransfer::Uniform(const Inst& inst, int zeros) {
  uint8_t run = kWhole;
  for (int n = 0; n < inst.argument_count; ++n) {
    if (IsLanes(Arg(inst, n).type)) run = std::min(run, patterns_.UniformRun(ShapeOf(inst, n)));
  }
  // Offsets within the arguments' runs have become part of the bases, and of their low bits.
  for (int n = 0; n < inst.argument_count && zeros != 0; ++n) {
    const LaneShape shape = ShapeOf(inst, n);
    if (patterns_.InRuns(shape, run, IsWide(Arg(inst, n))).zeros != shape.zeros) zeros = 0;
  }
  return {run, static_cast<uint8_t>(std::min(zeros, WidthOf(inst))), LanePatterns::kUniform};
}

template <typename F>
LaneShape ShapeTransfer::Combine(const Inst& inst, LaneShape a, LaneShape b, int zeros,
                                 const F& f) {
  const uint8_t run = std::min(a.run, b.run);
  const auto most = static_cast<uint8_t>(std::clamp(zeros, 0, WidthOf(inst)));
  if (a.offsets == LanePatterns::kUniform && b.offsets == LanePatterns::kUniform) {
    return patterns_.MakeUniform(run, most, f(0, 0), IsWide(inst));
  }
  const Offsets& x = patterns_[a.offsets].offsets;
  const Offsets& y = patterns_[b.offsets].offsets;
  Offsets offsets;
  for (int lane = 0; lane < kLanes; ++lane) offsets[lane] = f(x[lane], y[lane]);
  return patterns_.Make(run, most, offsets, IsWide(inst));
}

LaneShape ShapeTransfer::Linear(const Inst& inst) {
  const LaneShape a = ShapeOf(inst, 0);
  const LaneShape b = ShapeOf(inst, 1);
  const int zeros = std::min(a.zeros, b.zeros);
  if (inst.op == Op::kAdd) {
    return Combine(inst, a, b, zeros, [](uint64_t x, uint64_t y) { return x + y; });
  }
  return Combine(inst, a, b, zeros, [](uint64_t x, uint64_t y) { return x - y; });
}

LaneShape ShapeTransfer::Multiply(const Inst& inst) {
  uint64_t factor = 0;
  const int lanes = IsConst(inst, 1, &factor) ? 0 : IsConst(inst, 0, &factor) ? 1 : -1;
  const int zeros = ShapeOf(inst, 0).zeros + ShapeOf(inst, 1).zeros;
  // A wide product does not wrap around where its argument might have.
  if (lanes < 0 ||
      (IsWide(inst) && inst.op == Op::kMulWideU && !patterns_.IsDisjoint(ShapeOf(inst, lanes)))) {
    return Uniform(inst, zeros);
  }
  return Combine(inst, ShapeOf(inst, lanes), {kWhole, 64, 0}, zeros,
                 [factor](uint64_t a, uint64_t) { return a * factor; });
}

// Also kHigh, which is a shift by 32.
LaneShape ShapeTransfer::ShiftRight(const Inst& inst) {
  const LaneShape a = ShapeOf(inst, 0);
  const int width = WidthOf(Arg(inst, 0));
  uint64_t count = 32;
  if (inst.op != Op::kHigh) {
    if (!IsConst(inst, 1, &count)) return Uniform(inst);
    count %= static_cast<uint64_t>(width);
  }
  const bool base_is_zero = a.zeros >= width;
  const int zeros = base_is_zero ? width : std::max(0, a.zeros - static_cast<int>(count));
  const bool sign = inst.op == Op::kAshr && patterns_[a.offsets].most >> (width - 1) != 0;
  if (!patterns_.IsDisjoint(a) || sign) return Uniform(inst);
  return Combine(inst, a, {kWhole, 64, 0}, zeros,
                 [count](uint64_t x, uint64_t) { return x >> count; });
}

template <typename F>
LaneShape ShapeTransfer::BitwiseByConstant(const Inst& inst, int n, uint64_t constant, const F& f) {
  const LaneShape a = ShapeOf(inst, n);
  const uint64_t all = IsWide(inst) ? ~uint64_t{0} : 0xFFFFFFFF;
  constexpr LaneShape kNoOffsets{kWhole, 64, LanePatterns::kUniform};
  if (patterns_.IsDisjoint(a)) {
    const uint64_t low = constant & (a.zeros >= 64 ? all : (uint64_t{1} << a.zeros) - 1);
    const uint64_t high = constant & ~low;
    const int zeros =
        inst.op == Op::kAnd ? std::max<int>(a.zeros, std::countr_zero(high)) : a.zeros;
    return Combine(inst, a, kNoOffsets, zeros,
                   [&](uint64_t x, uint64_t) { return n == 0 ? f(x, low) : f(low, x); });
  }
  // Clearing low bits that no offset reaches.
  const uint64_t cleared = ~constant & all;
  if (inst.op == Op::kAnd && (cleared & (cleared + 1)) == 0 &&
      (patterns_[a.offsets].bits & cleared) == 0) {
    const int zeros = std::max<int>(a.zeros, std::countr_zero(constant));
    return Combine(inst, a, kNoOffsets, zeros, [](uint64_t x, uint64_t) { return x; });
  }
  return Uniform(inst);
}

LaneShape ShapeTransfer::Bitwise(const Inst& inst) {
  const auto f = [op = inst.op](uint64_t x, uint64_t y) {
    switch (op) {
      case Op::kAnd: return x & y;
      case Op::kOr: return x | y;
      case Op::kXor: return x ^ y;
      default: return x & ~y;
    }
  };
  for (int n = 0; n < 2; ++n) {
    uint64_t constant = 0;
    if (IsConst(inst, 1 - n, &constant)) return BitwiseByConstant(inst, n, constant, f);
  }
  const LaneShape a = ShapeOf(inst, 0);
  const LaneShape b = ShapeOf(inst, 1);
  const int low = std::min(a.zeros, b.zeros);
  const auto fits = [&](LaneShape shape) {
    return low >= 64 || patterns_[shape.offsets].most >> low == 0;
  };
  // Bits below `low` are the offsets', those above are the bases'.
  if (!fits(a) || !fits(b)) return Uniform(inst);
  const int zeros = inst.op == Op::kAnd      ? std::max(a.zeros, b.zeros)
                    : inst.op == Op::kAndNot ? a.zeros
                                             : low;
  return Combine(inst, a, b, zeros, f);
}

LaneShape ShapeTransfer::Extend(const Inst& inst) {
  const Inst& arg = Arg(inst, 0);
  const LaneShape a = ShapeOf(inst, 0);
  if (arg.type != Type::kV32 && arg.type != Type::kU32) return Uniform(inst);
  const int zeros = a.zeros == 32 ? 64 : a.zeros;
  const bool sign = inst.op == Op::kSext && patterns_[a.offsets].most >> 31 != 0;
  if (!patterns_.IsDisjoint(a) || sign) return Uniform(inst);
  return Combine(inst, a, {kWhole, 64, 0}, zeros, [](uint64_t x, uint64_t) { return x; });
}

LaneShape ShapeTransfer::Pack(const Inst& inst) {
  const LaneShape low = ShapeOf(inst, 0);
  const LaneShape high = ShapeOf(inst, 1);
  const int zeros = low.zeros == 32 ? 32 + high.zeros : low.zeros;
  if (!patterns_.IsDisjoint(low)) return Uniform(inst);
  return Combine(inst, low, high, zeros, [](uint64_t x, uint64_t y) { return x + (y << 32); });
}

// Where the mask's bits are alike all lanes of a run take the same side.
LaneShape ShapeTransfer::Select(const Inst& inst) {
  const bool is_64 = IsWide(inst);
  if (IsLanes(inst.type) && IsOnes(inst.args[0])) return ShapeOf(inst, 1);
  const LaneShape met = patterns_.Meet(ShapeOf(inst, 1), ShapeOf(inst, 2), is_64);
  if (!IsLanes(inst.type)) return met;
  const uint8_t run = mask_runs_[inst.args[0].id];
  return patterns_.InRuns(met, run, is_64);
}

bool ShapeTransfer::MakesOnes(const Inst& inst) const {
  const auto is_ones = [&](int n) { return IsOnes(inst.args[n]); };
  switch (inst.op) {
    case Op::kConst:
      return inst.type == Type::kU64 ? inst.imm == -1 : ~static_cast<uint32_t>(inst.imm) == 0;
    case Op::kOr: return is_ones(0) || is_ones(1);
    case Op::kAnd:
    case Op::kPack: return is_ones(0) && is_ones(1);
    case Op::kLow:
    case Op::kHigh: return is_ones(0);
    case Op::kSelect: return !IsLanes(inst.type) && is_ones(1) && is_ones(2);
    default: return false;
  }
}

uint8_t ShapeTransfer::MaskRun(const Inst& inst) {
  switch (inst.op) {
    case Op::kConst: return MaskRunOfBits(static_cast<uint64_t>(inst.imm));
    case Op::kAnd:
    case Op::kOr:
    case Op::kXor:
    case Op::kAndNot: return std::min(mask_runs_[inst.args[0].id], mask_runs_[inst.args[1].id]);
    case Op::kNot: return mask_runs_[inst.args[0].id];
    default: return IsAnyCompare(inst.op) ? Uniform(inst).run : uint8_t{1};
  }
}

}  // namespace gcnjit::ir
