#include "tests/unit/ir/random_ir.h"

#include <iterator>

#include "ir/builder.h"
#include "ir/verifier.h"
#include "tests/unit/fill_random.h"

namespace gcnjit::ir {
namespace {

constexpr uint32_t kSpecial32[] = {
    0,          1,          2,          3,          4,          5,          8,          16,
    24,         31,         32,         33,         63,         64,         0xFF,       0xFFFF,
    0xFFFF0000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFFE, 0x3F800000, 0xBF800000, 0x7F800000,
    0xFF800000, 0x7F800001, 0x7FC00000, 0x00800000, 0x807FFFFF, 0x3C00};
constexpr Op kFloatBinary[] = {Op::kFAdd, Op::kFSub, Op::kFMul, Op::kFDiv};
constexpr Op kBinary[] = {Op::kAdd, Op::kSub, Op::kMul, Op::kAnd, Op::kOr, Op::kXor, Op::kAndNot};
constexpr Op kBinary32[] = {Op::kMulHiU, Op::kMulHiS, Op::kMinU, Op::kMaxU, Op::kMinS, Op::kMaxS};
constexpr Op kShifts[] = {Op::kShl, Op::kLshr, Op::kAshr};
constexpr Op kCompares[] = {Op::kEq, Op::kNe, Op::kLtU, Op::kLeU, Op::kLtS, Op::kLeS};
constexpr Op kUnary32[] = {Op::kNot,   Op::kPopcount, Op::kClz,       Op::kCtz,
                           Op::kSext8, Op::kSext16,   Op::kBitReverse};
constexpr Op kConversions[] = {Op::kI32ToF32, Op::kU32ToF32, Op::kF32ToI32,
                               Op::kF32ToU32, Op::kF16ToF32, Op::kF32ToF16};

class Generator {
 public:
  Generator(std::mt19937_64& random, Function& function)
      : random_(random), function_(function), b_(function, function.blocks[0]) {}

  void Run(int size) {
    for (int n = 0; n < 3; ++n) function_.patterns.push_back(RandomPattern(n));
    for (int n = 0; n < 4; ++n) {
      Keep(b_.Emit(Op::kGetVgpr, Type::kV32, {}, Below(IrMachine::kVgprs)));
      Keep(b_.Emit(Op::kGetSgpr, Type::kU32, {}, Below(8)));
    }
    exec_ = Keep(b_.Emit(Op::kGetSgpr64, Type::kU64, {}, 126));
    Keep(b_.Emit(Op::kGetSgpr64, Type::kU64, {}, Below(8)));
    Keep(b_.Emit(Op::kGetScc, Type::kU1, {}));
    if (Chance(4)) Keep(b_.CodeBase());
    for (int n = 0; n < size; ++n) Step();
    for (int n = 0; n < IrMachine::kVgprs; ++n) {
      Value v = Pick(Type::kV32);
      if (Chance(2)) v = b_.Select(exec_, v, b_.Emit(Op::kGetVgpr, Type::kV32, {}, n));
      if (!Chance(5)) b_.Emit(Op::kSetVgpr, Type::kVoid, {v}, n);
    }
    for (int n = 0; n < 4; ++n) b_.Emit(Op::kSetSgpr, Type::kVoid, {Pick(Type::kU32)}, n);
    for (int n = 4; n < 8; n += 2) b_.Emit(Op::kSetSgpr64, Type::kVoid, {Pick(Type::kU64)}, n);
    b_.Emit(Op::kSetScc, Type::kVoid, {Pick(Type::kU1)});
    b_.block().targets[0] = 0x100;
    b_.block().targets[1] = 0x200;
    if (Chance(4)) {
      b_.Emit(Op::kSetMode, Type::kVoid, {Pick(Type::kU32)});
      b_.Emit(Op::kExit, Type::kVoid, {});
      return;
    }
    b_.Emit(Op::kBranch, Type::kVoid, {Pick(Type::kU1)});
  }

 private:
  int Below(size_t end) { return static_cast<int>(random_() % end); }
  bool Chance(size_t one_in) { return Below(one_in) == 0; }
  template <typename T, size_t n>
  T Any(const T (&choices)[n]) {
    return choices[Below(n)];
  }

  LanePattern RandomPattern(int n) {
    LanePattern pattern;
    for (int lane = 0; lane < kLanes; ++lane) {
      pattern[lane] = static_cast<uint8_t>(n == 0 ? lane : Below(kLanes));
      if (n == 2 && Chance(4)) pattern[lane] = kNoLane;
    }
    return pattern;
  }

  Value Keep(Value value) {
    values_[static_cast<size_t>(b_.TypeOf(value))].push_back(value);
    return value;
  }

  Value Constant(Type type) {
    const uint64_t low = Any(kSpecial32);
    return b_.Const(type, type == Type::kU64 && Chance(2) ? low << 32 | Any(kSpecial32)
                          : Chance(4)                     ? ~uint64_t{0}
                                                          : low);
  }
  // A value of the type or, for lanes, perhaps a scalar of that width.
  Value Pick(Type type) {
    if (type == Type::kV32 && Chance(3)) type = Type::kU32;
    if (type == Type::kV64 && Chance(3)) type = Type::kU64;
    const auto& values = values_[static_cast<size_t>(type)];
    if (values.empty() || (IsScalar(type) && Chance(3))) {
      if (type == Type::kV32) return Keep(b_.LaneId());
      if (type == Type::kV64) {
        return Keep(b_.Emit(Op::kPack, Type::kV64, {Pick(Type::kV32), Pick(Type::kV32)}));
      }
      return Constant(type);
    }
    // Recent ones more often, so that chains grow.
    const size_t n = Chance(2) ? values.size() - 1 - Below(std::min<size_t>(values.size(), 4))
                               : Below(values.size());
    return values[n];
  }
  Value PickMask() { return Chance(3) ? exec_ : Pick(Type::kU64); }
  Type AnyInt() { return Any({Type::kU32, Type::kV32, Type::kV32, Type::kU64, Type::kV64}); }
  static Type Wide(Type type) { return IsLanes(type) ? Type::kV64 : Type::kU64; }
  static Type Narrow(Type type) { return IsLanes(type) ? Type::kV32 : Type::kU32; }
  FloatEnv AnyEnv() {
    return {static_cast<uint16_t>(Below(4) << FloatEnv::kRoundShift |
                                  (Chance(2) ? FloatEnv::kFlushInputs : 0) |
                                  (Chance(2) ? FloatEnv::kFlushResults : 0))};
  }

  void Emit(Op op, Type type, std::initializer_list<Value> args, int64_t imm = 0,
            uint32_t aux = 0) {
    Keep(b_.Emit(op, type, args, imm, aux));
  }

  void Step() {
    const Type type = AnyInt();
    switch (Below(24)) {
      case 0:
      case 1:
      case 2: {
        const Op op = Any(kBinary);
        return Emit(op, op == Op::kMul ? Narrow(type) : type,
                    {Pick(op == Op::kMul ? Narrow(type) : type),
                     Pick(op == Op::kMul ? Narrow(type) : type)});
      }
      case 3: return Emit(Any(kBinary32), Narrow(type), {Pick(Narrow(type)), Pick(Narrow(type))});
      case 4:
      case 5: return Emit(Any(kShifts), type, {Pick(type), Pick(Narrow(type))});
      case 6: {
        Op op = Any(kUnary32);
        return Emit(op, Narrow(type), {Pick(Narrow(type))});
      }
      case 7:
        return Emit(Op::kFshr, Narrow(type),
                    {Pick(Narrow(type)), Pick(Narrow(type)), Pick(Narrow(type))});
      case 8: {
        const Value a = Pick(type);
        const Value c = Pick(type);
        const bool lanes = IsLanes(b_.TypeOf(a)) || IsLanes(b_.TypeOf(c)) || Chance(4);
        return Emit(Any(kCompares), lanes ? Type::kU64 : Type::kU1, {a, c});
      }
      case 9: {
        const Value cond = IsLanes(type) ? PickMask() : Pick(Type::kU1);
        return Emit(Op::kSelect, type, {cond, Pick(type), Pick(type)});
      }
      case 10: return HalfStep(type);
      case 11: return FloatStep();
      case 12: return LaneStep();
      case 13: return MaskStep();
      case 14: return MemoryStep();
      case 15: return ScalarBitStep();
      case 16: return AddPair();
      case 17: return MaskedWrite();
      case 18: return ZeroOrOne();
      case 19:
      case 20: return ConstantStep();
      case 21: return RegisterStep();
      case 22: return TwoRoundings();
      default: return Emit(Op::kMulWideU, Wide(type), {Pick(Narrow(type)), Pick(Narrow(type))});
    }
  }

  // The last value and a constant: what gathers in chains.
  void ConstantStep() {
    const Type type = Any({Type::kU32, Type::kV32, Type::kV64});
    const auto& values = values_[static_cast<size_t>(type)];
    if (values.empty()) return;
    const Value x = values.back();
    const Op op = Any({Op::kShl, Op::kLshr, Op::kAshr, Op::kAnd, Op::kOr, Op::kXor, Op::kAdd,
                       Op::kMinS, Op::kMaxS, Op::kSext8, Op::kSext16, Op::kSext});
    if (op == Op::kShl || op == Op::kLshr || op == Op::kAshr) {
      // A count that was cut before, or a constant.
      if (Chance(3) && type == Type::kV32) {
        const Value cut = b_.Emit(Op::kAnd, type, {Pick(type), b_.U32(Any({7u, 15u, 31u, 63u}))});
        return Emit(op, type, {Pick(type), cut});
      }
      return Emit(op, type, {x, b_.U32(Any({1u, 8u, 16u, 16u, 24u, 31u, 32u, 40u}))});
    }
    if (op == Op::kSext8 || op == Op::kSext16) return Emit(op, Narrow(type), {Pick(Narrow(type))});
    if (op == Op::kSext) return Emit(op, Wide(type), {Pick(Narrow(type))});
    if (op == Op::kMinS || op == Op::kMaxS) {
      return Emit(op, Narrow(type), {Pick(Narrow(type)), Constant(Type::kU32)});
    }
    Emit(op, type, {x, Constant(Is64(type) ? Type::kU64 : Type::kU32)});
  }
  // Registers that change within the block.
  void RegisterStep() {
    const int n = Below(4);
    switch (Below(4)) {
      case 0: b_.Emit(Op::kSetVgpr, Type::kVoid, {Pick(Type::kV32)}, n); return;
      case 1: return Emit(Op::kGetVgpr, Type::kV32, {}, n);
      case 2: b_.Emit(Op::kSetSgpr, Type::kVoid, {Pick(Type::kU32)}, n); return;
      default: return Emit(Op::kGetSgpr, Type::kU32, {}, n);
    }
  }
  // The same operation in two environments.
  void TwoRoundings() {
    const Value x = Pick(Type::kV32);
    const Value y = Pick(Type::kV32);
    const Op op = Any(kFloatBinary);
    for (int n = 0; n < 2; ++n) Emit(op, Type::kV32, {x, y}, 0, AnyEnv().bits);
  }

  void HalfStep(Type type) {
    const Type narrow = Narrow(type);
    switch (Below(5)) {
      case 0: return Emit(Op::kPack, Wide(type), {Pick(narrow), Pick(narrow)});
      case 1: return Emit(Op::kLow, narrow, {Pick(Wide(type))});
      case 2: return Emit(Op::kHigh, narrow, {Pick(Wide(type))});
      case 3: return Emit(Op::kZext, Wide(type), {Pick(narrow)});
      default: return Emit(Op::kSext, Wide(type), {Pick(narrow)});
    }
  }
  void FloatStep() {
    const Type type = Any({Type::kV32, Type::kV32, Type::kV32, Type::kV64, Type::kU32, Type::kU64});
    const uint32_t env = AnyEnv().bits;
    switch (Below(6)) {
      case 0: return Emit(Any(kFloatBinary), type, {Pick(type), Pick(type)}, 0, env);
      case 1: return Emit(Op::kFFma, type, {Pick(type), Pick(type), Pick(type)}, 0, env);
      case 2: return Emit(Op::kFRound, type, {Pick(type)}, Below(4), env);
      case 3: {
        const Type result = IsLanes(type) ? Type::kU64 : Type::kU1;
        return Emit(Op::kFCmp, result, {Pick(type), Pick(type)}, Below(32), env);
      }
      case 4: {
        const Op op = Any(kConversions);
        const bool is_of_halves = op == Op::kF16ToF32 || op == Op::kF32ToF16;
        const Type of = is_of_halves ? Type::kV32 : Narrow(type);
        return Emit(op, of, {Pick(of)}, 0, env);
      }
      default: return Emit(Op::kFSqrt, type, {Pick(type)}, 0, env);
    }
  }
  void LaneStep() {
    switch (Below(5)) {
      case 0: return Emit(Op::kReadLane, Type::kU32, {Pick(Type::kV32), Pick(Type::kU32)});
      case 1: return Emit(Op::kPermute, Type::kV32, {Pick(Type::kV32)}, Below(3));
      case 2: return Emit(Op::kPermuteMask, Type::kU64, {PickMask()}, Below(3));
      case 3:
        return Emit(Op::kBpermute, Type::kV32, {Pick(Type::kV32), Pick(Type::kV32), PickMask()});
      default: return Emit(Op::kMaskBelow, Type::kV32, {PickMask()}, Below(3));
    }
  }
  // What s_and_saveexec and its like do.
  void MaskStep() {
    const Op op = Any({Op::kAnd, Op::kAnd, Op::kAndNot, Op::kOr, Op::kXor});
    Value a = Pick(Type::kU64);
    Value c = PickMask();
    if (Chance(2)) std::swap(a, c);
    const Value mask = Keep(b_.Emit(op, Type::kU64, {a, c}));
    if (Chance(3)) exec_ = mask;
    if (Chance(4)) Emit(Op::kNot, Type::kU64, {mask});
  }
  void ScalarBitStep() {
    switch (Below(5)) {
      case 0: return Emit(Op::kNot, Type::kU1, {Pick(Type::kU1)});
      case 1:
        return Emit(Any({Op::kAnd, Op::kOr, Op::kXor, Op::kAndNot}), Type::kU1,
                    {Pick(Type::kU1), Pick(Type::kU1)});
      case 2: return Emit(Any({Op::kEq, Op::kNe}), Type::kU1, {Pick(Type::kU1), Pick(Type::kU1)});
      case 3:
        return Emit(Op::kSelect, Type::kU1, {Pick(Type::kU1), Pick(Type::kU1), Pick(Type::kU1)});
      default:
        return Emit(Op::kSelect, Type::kU64, {Pick(Type::kU1), b_.U64(~uint64_t{0}), b_.U64(0)});
    }
  }
  // v_add_co_u32, v_addc_co_u32 or the subtractions.
  void AddPair() {
    const bool add = Chance(2);
    const bool lanes = !Chance(3);
    const Type type = lanes ? Type::kV32 : Type::kU32;
    const Op op = add ? Op::kAdd : Op::kSub;
    Value a0 = Pick(type), b0 = Pick(type);
    const Value a1 = Pick(type), b1 = Pick(type);
    Value low = b_.Emit(op, type, {a0, b0});
    // v_mad_u64_u32 carries out of 64 bits.
    const bool from_wide = Chance(8);
    if (from_wide) {
      a0 = Pick(Wide(type)), b0 = Pick(Wide(type));
      low = b_.Emit(op, Wide(type), {a0, b0});
    }
    Keep(low);
    // Sometimes it is no carry of this sum.
    const Value term = Chance(2) ? b0 : !from_wide && Chance(4) ? a1 : a0;
    Value carry =
        b_.Emit(Op::kLtU, lanes ? Type::kU64 : Type::kU1, {add ? low : a0, add ? term : b0});
    if (lanes) carry = b_.Emit(Op::kAnd, Type::kU64, {carry, exec_});
    Keep(carry);
    const Value one = lanes ? b_.Emit(Op::kSelect, Type::kV32, {carry, b_.U32(1), b_.U32(0)})
                            : b_.Emit(Op::kZext, Type::kU32, {carry});
    const Value partial = Chance(3) ? a1 : Keep(b_.Emit(op, type, {a1, b1}));
    const Value high = Keep(b_.Emit(op, type, {partial, one}));
    if (lanes && !Chance(3)) {
      Emit(Op::kSelect, Type::kV32, {exec_, high, Pick(Type::kV32)});
    }
  }
  void MaskedWrite() { Emit(Op::kSelect, Type::kV32, {exec_, Pick(Type::kV32), Pick(Type::kV32)}); }
  // v_cndmask_b32 and a comparison of its result.
  void ZeroOrOne() {
    const Value choice = Keep(
        b_.Emit(Op::kSelect, Type::kV32, {PickMask(), Constant(Type::kU32), Constant(Type::kU32)}));
    Emit(Any(kCompares), Type::kU64, {choice, Constant(Type::kU32)});
  }
  // Addresses are in range, or nearly.
  Value Offset() {
    const Value small = b_.Emit(Op::kAnd, Type::kV32, {Pick(Type::kV32), b_.U32(0x3F8)});
    return Chance(2) ? small : b_.Emit(Op::kAdd, Type::kV32, {small, b_.U32(16)});
  }
  Value Address() {
    const Value base = b_.U64(IrMachine::kMemoryBase);
    return b_.Emit(Op::kAdd, Type::kV64, {b_.Emit(Op::kZext, Type::kV64, {Offset()}), base});
  }
  // The other dwords of a load, and as a rule quadwords of them.
  void KeepParts(Value load, const MemoryAccess& access) {
    Value dwords[4] = {load};
    const bool keeps_all = access.bytes < 8 || Chance(2);
    if (keeps_all) Keep(load);
    for (int n = 1; n < access.Dwords(); ++n) {
      dwords[n] = b_.Part(load, n);
      if (keeps_all) Keep(dwords[n]);
    }
    for (int n = 0; n + 1 < access.Dwords(); n += 2) {
      if (!Chance(4)) Keep(b_.Emit(Op::kPack, Type::kV64, {dwords[n], dwords[n + 1]}));
    }
  }
  // As a rule few lanes are not aligned, or none.
  void SwizzledStep(MemoryAccess access, int64_t imm) {
    access.bytes = std::min<uint8_t>(access.bytes, 4);
    access.sign_extend &= access.bytes < 4;
    const uint32_t offset_mask = Any<uint32_t>({0, 12, 15});
    const uint32_t steps = (Below(4) + 1) << SwizzledPlace::kElementShift |
                           (Below(5) + 2) << SwizzledPlace::kIndexShift;
    const Value offset = b_.Emit(Op::kAnd, Type::kV32, {Pick(Type::kV32), b_.U32(offset_mask)});
    const Value place = b_.Emit(Op::kOr, Type::kV32, {offset, b_.U32(steps)});
    if (Chance(2)) {
      const Value sum = Address();
      Keep(b_.Emit(Op::kLoadSwizzled, Type::kV32,
                   {b_.Emit(Op::kLow, Type::kV32, {sum}), b_.Emit(Op::kHigh, Type::kV32, {sum}),
                    PickMask(), place},
                   imm, access.Pack()));
      return;
    }
    access.sign_extend = false;
    const Value high = b_.U32(IrMachine::kMemoryBase >> 32);
    b_.Emit(Op::kStoreSwizzled, Type::kVoid, {Offset(), high, PickMask(), place, Pick(Type::kV32)},
            imm, access.Pack());
  }
  void MemoryStep() {
    MemoryAccess access;
    access.bytes = Any<uint8_t>({1, 2, 4, 8, 16});
    access.sign_extend = access.bytes < 4 && Chance(2);
    const int64_t imm = Below(32) - 8;
    const Value all = b_.U32(0x10000);
    if (Chance(20)) b_.Emit(Op::kFence, Type::kVoid, {});
    switch (Below(5)) {
      case 0: {
        const Value load =
            b_.Emit(Op::kLoadLds, Type::kV32, {Offset(), PickMask(), all}, imm, access.Pack());
        KeepParts(load, access);
        return;
      }
      case 1: {
        access.bytes = 4;
        access.sign_extend = false;
        b_.Emit(Op::kStoreLds, Type::kVoid, {Offset(), PickMask(), all, Pick(Type::kV32)}, imm,
                access.Pack());
        return;
      }
      case 2: {
        const Value sum = Address();
        const Value load = b_.Emit(Op::kLoad, Type::kV32,
                                   {b_.Emit(Op::kLow, Type::kV32, {sum}),
                                    b_.Emit(Op::kHigh, Type::kV32, {sum}), PickMask()},
                                   imm, access.Pack());
        KeepParts(load, access);
        return;
      }
      case 3: return SwizzledStep(access, imm);
      default: {
        access.bytes = 4;
        access.sign_extend = false;
        b_.Emit(Op::kStore, Type::kVoid,
                {Offset(), b_.U32(IrMachine::kMemoryBase >> 32), PickMask(), Pick(Type::kV32)}, imm,
                access.Pack());
        return;
      }
    }
  }

  std::mt19937_64& random_;
  Function& function_;
  Builder b_;
  Value exec_;
  std::vector<Value> values_[6];  // by type
};

}  // namespace

Function RandomFunction(std::mt19937_64& random, int size) {
  Function function;
  function.blocks.resize(1);
  Generator(random, function).Run(size);
  return function;
}

IrMachine RandomMachine(std::mt19937_64& random) {
  IrMachine machine;
  const auto word = [&] {
    return random() % 3 == 0 ? kSpecial32[random() % std::size(kSpecial32)]
                             : static_cast<uint32_t>(random());
  };
  for (uint32_t& sgpr : machine.sgpr) sgpr = word();
  for (auto& vgpr : machine.vgpr) {
    for (uint32_t& lane : vgpr) lane = word();
  }
  machine.scc = random() & 1;
  FillRandom(random, machine.memory);
  FillRandom(random, machine.lds);
  return machine;
}

}  // namespace gcnjit::ir
