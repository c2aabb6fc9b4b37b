// The evaluator: one line an operation. Floats and memory have files of their own.
#include "ir/evaluator.h"

#include <bit>
#include <concepts>
#include <vector>

#include "ir/compute.h"
#include "ir/evaluator_float.h"
#include "ir/evaluator_matrix.h"
#include "ir/evaluator_memory.h"

namespace gcnjit::ir {
namespace {

using Lanes = EvaluatorLanes;

uint64_t Truncate(int width, uint64_t value) {
  return width == 64 ? value : value & ((uint64_t{1} << width) - 1);
}
int64_t Signed(int width, uint64_t value) {
  return static_cast<int64_t>(value << (64 - width)) >> (64 - width);
}
uint32_t U32(uint64_t value) { return static_cast<uint32_t>(value); }

uint64_t Reverse(int width, uint64_t value) {
  uint64_t result = 0;
  for (int bit = 0; bit < width; ++bit) result |= (value >> bit & 1) << (width - 1 - bit);
  return result;
}

uint64_t Bitwise(uint64_t table, uint64_t a, uint64_t b, uint64_t c) {
  uint64_t result = 0;
  for (int row = 0; row < 8; ++row) {
    if ((table >> row & 1) == 0) continue;
    result |= ((row & 4) != 0 ? a : ~a) & ((row & 2) != 0 ? b : ~b) & ((row & 1) != 0 ? c : ~c);
  }
  return result;
}

uint64_t PermuteBytes(uint64_t high, uint64_t low, uint64_t selector) {
  const uint64_t bytes = high << 32 | low;
  uint64_t result = 0;
  for (int n = 0; n < 4; ++n) {
    const uint64_t from = selector >> (8 * n) & 0xFF;
    // Larger selectors are undefined: a byte that no correct result has by chance.
    const uint64_t byte = from < 8 ? bytes >> (8 * from) & 0xFF : 0xDB;
    result |= byte << (8 * n);
  }
  return result;
}

class Evaluator {
 public:
  Evaluator(const Function& function, const Block& block, const EvaluatorState& state)
      : function_(function), block_(block), state_(state), slots_(function.insts.size()) {
    values_.reserve(block.insts.size());
  }

  EvaluatorResult Run() {
    for (const Value value : block_.insts) {
      slots_[value.id] = static_cast<uint32_t>(values_.size());
      result_ = {};
      inst_ = &function_[value];
      width_ = inst_->argument_count > 0 ? WidthOf(function_[inst_->args[0]].type) : 0;
      Execute();
      if (end_.fault) {
        end_.reason = ExitReason::kFault;
        break;
      }
      values_.push_back(result_);
    }
    return end_;
  }

 private:
  const Lanes& Arg(int n) const { return values_[slots_[inst_->args[n].id]]; }
  uint64_t Scalar(int n) const { return Arg(n)[0]; }
  bool ResultIs(Type type) const { return inst_->type == type; }

  // result lane = f(arguments' lanes)
  template <typename F>
  void Map(F f) {
    for (int lane = 0; lane < kLanes; ++lane) {
      uint64_t value;
      if constexpr (std::invocable<F, uint64_t, uint64_t, uint64_t>) {
        value = f(Arg(0)[lane], Arg(1)[lane], Arg(2)[lane]);
      } else if constexpr (std::invocable<F, uint64_t, uint64_t>) {
        value = f(Arg(0)[lane], Arg(1)[lane]);
      } else {
        value = f(Arg(0)[lane]);
      }
      result_[lane] = Truncate(WidthOf(inst_->type), value);
    }
  }
  void SetScalar(uint64_t value) { result_.fill(Truncate(WidthOf(inst_->type), value)); }

  // u1, or a mask with a bit for each lane.
  template <typename F>
  void Compare(F f) {
    if (ResultIs(Type::kU1)) return SetScalar(f(Scalar(0), Scalar(1)));
    uint64_t mask = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      mask |= uint64_t{f(Arg(0)[lane], Arg(1)[lane])} << lane;
    }
    SetScalar(mask);
  }

  void Matrix() {
    uint32_t sources[kMaxArguments][kLanes];
    for (int n = 0; n < inst_->argument_count; ++n) {
      for (int lane = 0; lane < kLanes; ++lane) sources[n][lane] = U32(Arg(n)[lane]);
    }
    EvaluateMatrix(MatrixProduct::Of(*inst_), sources, sources + inst_->argument_count / 2,
                   state_.vgpr);
  }

  // f(FloatOps of the arguments' width)
  template <typename F>
  void Float(F f) {
    if (width_ == 64) {
      f(FloatOps<uint64_t>{}, uint64_t{});
    } else {
      f(FloatOps<uint32_t>{}, uint32_t{});
    }
  }
  template <typename F>
  void MapFloat(F f) {
    Float([&]<typename Bits>(FloatOps<Bits> ops, Bits) {
      if constexpr (std::invocable<F, FloatOps<Bits>, Bits, Bits, Bits>) {
        Map([&](uint64_t a, uint64_t b, uint64_t c) {
          return f(ops, static_cast<Bits>(a), static_cast<Bits>(b), static_cast<Bits>(c));
        });
      } else if constexpr (std::invocable<F, FloatOps<Bits>, Bits, Bits>) {
        Map([&](uint64_t a, uint64_t b) {
          return f(ops, static_cast<Bits>(a), static_cast<Bits>(b));
        });
      } else {
        Map([&](uint64_t a) { return f(ops, static_cast<Bits>(a)); });
      }
    });
  }

  void Select() {
    const bool by_lane = IsLanes(inst_->type);
    for (int lane = 0; lane < kLanes; ++lane) {
      const bool first = (Arg(0)[lane] >> (by_lane ? lane : 0) & 1) != 0;
      result_[lane] = Arg(first ? 1 : 2)[lane];
    }
  }

  void GetVgprAt() {
    for (int lane = 0; lane < kLanes; ++lane) result_[lane] = state_.vgpr[Scalar(0)][lane];
  }
  void SetVgprAt() {
    for (int lane = 0; lane < kLanes; ++lane) {
      if ((Scalar(1) >> lane & 1) != 0) state_.vgpr[Scalar(0)][lane] = U32(Arg(2)[lane]);
    }
  }

  void Permute() {
    const LanePattern& pattern = function_.patterns[static_cast<size_t>(inst_->imm)];
    for (int lane = 0; lane < kLanes; ++lane) {
      result_[lane] = pattern[lane] == kNoLane ? 0 : Arg(0)[pattern[lane]];
    }
  }
  void PermuteMask() {
    const LanePattern& pattern = function_.patterns[static_cast<size_t>(inst_->imm)];
    uint64_t mask = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      if (pattern[lane] != kNoLane) mask |= (Scalar(0) >> pattern[lane] & 1) << lane;
    }
    SetScalar(mask);
  }
  void Bpermute() {
    for (int lane = 0; lane < kLanes; ++lane) {
      const uint64_t from = Arg(1)[lane] / 4 % kLanes;
      result_[lane] = (Scalar(2) >> from & 1) != 0 ? Arg(0)[from] : 0;
    }
  }
  void MaskBelow() {
    const uint64_t part = inst_->imm == 0   ? 0x00000000FFFFFFFF
                          : inst_->imm == 1 ? 0xFFFFFFFF00000000
                                            : ~uint64_t{0};
    for (int lane = 0; lane < kLanes; ++lane) {
      const uint64_t below = (uint64_t{1} << lane) - 1;
      result_[lane] = static_cast<uint64_t>(std::popcount(Scalar(0) & part & below));
    }
  }

  // The first dword of a load is its value; the others wait for the kParts after it.
  template <typename F>
  void Access(F f) {
    for (Lanes& dword : dwords_) dword = {};
    EvaluatorAccess access{*inst_, {}, state_, dwords_};
    for (int n = 0; n < inst_->argument_count; ++n) access.args[n] = &Arg(n);
    if constexpr (std::is_void_v<decltype(f(access))>) {
      f(access);
    } else {
      end_.fault = f(access);
    }
    result_ = dwords_[0];
  }

  void End(uint64_t next_pc, ExitReason reason = ExitReason::kNext) {
    end_.terminator = inst_->op;
    end_.next_pc = next_pc;
    end_.reason = reason;
  }

  void Execute();

  const Function& function_;
  const Block& block_;
  const EvaluatorState& state_;
  std::vector<uint32_t> slots_;  // of a value, in values_
  std::vector<Lanes> values_;
  Lanes dwords_[kMaxDwords];
  EvaluatorResult end_;
  // Of the instruction at hand.
  const Inst* inst_ = nullptr;
  int width_ = 0;  // of its first argument
  Lanes result_;
};

void Evaluator::Execute() {
  const Inst& inst = *inst_;
  const FloatEnv env = inst.env();
  const int64_t imm = inst.imm;
  const int w = width_;
  using U = uint64_t;
  // clang-format off
  switch (inst.op) {
    case Op::kConst:      return SetScalar(static_cast<U>(imm));

    case Op::kCodeBase:   return SetScalar(state_.code_base);
    case Op::kGetSgpr:    return SetScalar(state_.sgpr[imm]);
    case Op::kGetSgpr64:  return SetScalar(state_.sgpr[imm] | U{state_.sgpr[imm + 1]} << 32);
    case Op::kSetSgpr:    state_.sgpr[imm] = U32(Scalar(0)); return;
    case Op::kSetSgpr64:  state_.sgpr[imm] = U32(Scalar(0)); state_.sgpr[imm + 1] = U32(Scalar(0) >> 32); return;
    case Op::kGetScc:     return SetScalar(*state_.scc);
    case Op::kSetScc:     *state_.scc = U32(Scalar(0)); return;
    case Op::kSetMode:    *state_.mode = U32(Scalar(0)); return;
    case Op::kGetVgprAt:  return GetVgprAt();
    case Op::kSetVgprAt:  return SetVgprAt();
    case Op::kMatrix:     return Matrix();
    case Op::kSetCommon:  state_.common[imm] = Scalar(0); return;
    case Op::kGetCommon:  return SetScalar(state_.common[imm]);
    case Op::kNoteExec:
    case Op::kGuard:
    case Op::kFence:      return;  // one thread sees its own stores
    case Op::kSkipped:    end_.skipped += Scalar(0) == 0 ? static_cast<U>(imm) : 0; return;
    case Op::kGetVgpr:    for (int l = 0; l < kLanes; ++l) result_[l] = state_.vgpr[imm][l]; return;
    case Op::kSetVgpr:    for (int l = 0; l < kLanes; ++l) state_.vgpr[imm][l] = U32(Arg(0)[l]); return;

    case Op::kAdd:        return Map([](U a, U b) { return a + b; });
    case Op::kSub:        return Map([](U a, U b) { return a - b; });
    case Op::kMul:        return Map([](U a, U b) { return a * b; });
    case Op::kMulHiU:     return Map([](U a, U b) { return a * b >> 32; });
    case Op::kMulHiS:     return Map([](U a, U b) { return static_cast<U>(Signed(32, a) * Signed(32, b)) >> 32; });
    case Op::kMulWideU:   return Map([](U a, U b) { return a * b; });
    case Op::kMulWideS:   return Map([](U a, U b) { return static_cast<U>(Signed(32, a) * Signed(32, b)); });
    case Op::kAnd:        return Map([](U a, U b) { return a & b; });
    case Op::kOr:         return Map([](U a, U b) { return a | b; });
    case Op::kXor:        return Map([](U a, U b) { return a ^ b; });
    case Op::kAndNot:     return Map([](U a, U b) { return a & ~b; });
    case Op::kNot:        return Map([](U a) { return ~a; });
    case Op::kShl:        return Map([w](U a, U b) { return a << (b % w); });
    case Op::kLshr:       return Map([w](U a, U b) { return a >> (b % w); });
    case Op::kAshr:       return Map([w](U a, U b) { return static_cast<U>(Signed(w, a) >> (b % w)); });
    case Op::kBitwise:    return Map([imm](U a, U b, U c) { return Bitwise(static_cast<U>(imm), a, b, c); });
    case Op::kFshr:       return Map([](U a, U b, U c) { return (a << 32 | b) >> (c & 31); });
    case Op::kMinU:       return Map([](U a, U b) { return a < b ? a : b; });
    case Op::kMaxU:       return Map([](U a, U b) { return a > b ? a : b; });
    case Op::kMinS:       return Map([w](U a, U b) { return Signed(w, a) < Signed(w, b) ? a : b; });
    case Op::kMaxS:       return Map([w](U a, U b) { return Signed(w, a) > Signed(w, b) ? a : b; });
    case Op::kPopcount:   return Map([](U a) { return static_cast<U>(std::popcount(a)); });
    case Op::kClz:        return Map([w](U a) { return static_cast<U>(std::countl_zero(a) - (64 - w)); });
    case Op::kCtz:        return Map([w](U a) { return static_cast<U>(a == 0 ? w : std::countr_zero(a)); });
    case Op::kBitReverse: return Map([w](U a) { return Reverse(w, a); });
    case Op::kPermByte:   return Map(PermuteBytes);
    case Op::kSext8:      return Map([](U a) { return static_cast<U>(Signed(8, a)); });
    case Op::kSext16:     return Map([](U a) { return static_cast<U>(Signed(16, a)); });
    case Op::kPack:       return Map([](U a, U b) { return a | b << 32; });
    case Op::kLow:        return Map([](U a) { return a; });
    case Op::kHigh:       return Map([](U a) { return a >> 32; });
    case Op::kZext:       return Map([](U a) { return a; });
    case Op::kSext:       return Map([](U a) { return static_cast<U>(Signed(32, a)); });

    case Op::kEq:         return Compare([](U a, U b) { return a == b; });
    case Op::kNe:         return Compare([](U a, U b) { return a != b; });
    case Op::kLtU:        return Compare([](U a, U b) { return a < b; });
    case Op::kLeU:        return Compare([](U a, U b) { return a <= b; });
    case Op::kLtS:        return Compare([w](U a, U b) { return Signed(w, a) < Signed(w, b); });
    case Op::kLeS:        return Compare([w](U a, U b) { return Signed(w, a) <= Signed(w, b); });
    case Op::kSelect:     return Select();

    case Op::kFAdd:       return MapFloat([&]<typename B>(FloatOps<B> ops, B a, B b) { return ops.Add(env, a, b); });
    case Op::kFSub:       return MapFloat([&]<typename B>(FloatOps<B> ops, B a, B b) { return ops.Sub(env, a, b); });
    case Op::kFMul:       return MapFloat([&]<typename B>(FloatOps<B> ops, B a, B b) { return ops.Mul(env, a, b); });
    case Op::kFFma:       return MapFloat([&]<typename B>(FloatOps<B> ops, B a, B b, B c) { return ops.Fma(env, a, b, c); });
    case Op::kFDiv:       return MapFloat([&]<typename B>(FloatOps<B> ops, B a, B b) { return ops.Div(env, a, b); });
    case Op::kFSqrt:      return MapFloat([&]<typename B>(FloatOps<B> ops, B a) { return ops.Sqrt(env, a); });
    case Op::kFRound:     return MapFloat([&]<typename B>(FloatOps<B> ops, B a) { return ops.Round(env, imm, a); });
    case Op::kFCmp:
      return Float([&]<typename B>(FloatOps<B> ops, B) {
        Compare([&](U a, U b) { return ops.Compare(env, imm, static_cast<B>(a), static_cast<B>(b)); });
      });

    case Op::kI32ToF32:   return Map([env](U a) -> U { return IntToF32(env, Signed(32, a)); });
    case Op::kU32ToF32:   return Map([env](U a) -> U { return IntToF32(env, static_cast<int64_t>(a)); });
    case Op::kF32ToI32:
    case Op::kF64ToI32:   return MapFloat([]<typename B>(FloatOps<B> ops, B a) -> U { return ops.ToI32(a); });
    case Op::kF32ToU32:
    case Op::kF64ToU32:   return MapFloat([]<typename B>(FloatOps<B> ops, B a) -> U { return ops.ToU32(a); });
    case Op::kI32ToF64:   return Map([](U a) { return IntToF64(Signed(32, a)); });
    case Op::kU32ToF64:   return Map([](U a) { return IntToF64(static_cast<int64_t>(a)); });
    case Op::kF32ToF64:   return Map([env](U a) { return F32ToF64(env, U32(a)); });
    case Op::kF64ToF32:   return Map([env](U a) -> U { return F64ToF32(env, a); });
    case Op::kF16ToF32:   return Map([](U a) -> U { return F16ToF32(U32(a)); });
    case Op::kF32ToF16:   return Map([env, imm](U a) -> U { return F32ToF16(env, imm, U32(a)); });

    case Op::kLaneId:     for (int l = 0; l < kLanes; ++l) result_[l] = static_cast<U>(l); return;
    case Op::kReadLane:   return SetScalar(Arg(0)[Scalar(1) % kLanes]);
    case Op::kFirstLane:  return SetScalar(Scalar(0) == 0 ? 0 : static_cast<U>(std::countr_zero(Scalar(0))));
    case Op::kPermute:    return Permute();
    case Op::kPermuteMask: return PermuteMask();
    case Op::kBpermute:   return Bpermute();
    case Op::kMaskBelow:  return MaskBelow();

    case Op::kLoad:
    case Op::kStore:
    case Op::kAtomic:     return Access(EvaluateGlobalAccess);
    case Op::kLoadSwizzled:
    case Op::kStoreSwizzled: return Access(EvaluateSwizzledAccess);
    case Op::kLoadLds:
    case Op::kStoreLds:   return Access(EvaluateLdsLoadOrStore);
    case Op::kAtomicLds:  return Access(EvaluateLdsAtomic);
    case Op::kLoadScalar: return Access(EvaluateScalarLoad);
    case Op::kPart:       result_ = dwords_[imm]; return;

    case Op::kJump:       return End(block_.targets[0]);
    case Op::kBranch:     return End(block_.targets[Scalar(0) != 0 ? 0 : 1]);
    case Op::kProceed:
      if (Scalar(0) != 0) return End(block_.targets[0]);
      return End(block_.targets[1], ExitReason::kInterpret);
    case Op::kJumpIndirect: return End(Scalar(0));
    case Op::kExit:       return End(block_.targets[0], static_cast<ExitReason>(imm));
    case Op::kCount:      return;
  }
  // clang-format on
}

}  // namespace

EvaluatorResult Evaluate(const Function& function, const Block& block,
                         const EvaluatorState& state) {
  return Evaluator(function, block, state).Run();
}

}  // namespace gcnjit::ir
