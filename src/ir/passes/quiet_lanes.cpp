// A VGPR that has a float in some lanes may have an integer in others: the loop's count as they
// left it, or half of an address where the other side of a branch wanted one. As a float, a small
// integer is a denormal: the host takes a hundred cycles and more for a product or sum of such a
// lane, though EXEC does not have it and nothing reads the result. Floats of VGPRs in which
// integers may have been left are taken as 0 in the lanes that EXEC had not when the block began,
// and has not got since.
#include <bitset>
#include <map>
#include <vector>

#include "ir/append.h"
#include "ir/passes.h"

namespace gcnjit::ir {
namespace {

constexpr int kVgprs = 512;

class Quieter {
 public:
  explicit Quieter(Function& function) : function_(function) {}

  void Run() {
    for (const Block& block : function_.blocks) {
      for (const Value v : block.insts) {
        const Inst& set = function_[v];
        if (set.op != Op::kSetVgpr || !IsNumber(set.args[0], kMostDepth)) continue;
        has_numbers_[static_cast<size_t>(set.imm)] = true;
      }
    }
    if (has_numbers_.none()) return;
    for (Block& block : function_.blocks) {
      if (!block.gains_lanes) Rewrite(block);
    }
  }

 private:
  static constexpr int kMostDepth = 4;

  // May it be a small integer, as far as its operation tells?
  bool IsNumber(Value v, int depth) const {
    const Inst& inst = function_[v];
    const auto any = [&](int first) {
      for (int n = first; depth != 0 && n < inst.argument_count; ++n) {
        if (IsNumber(inst.args[n], depth - 1)) return true;
      }
      return false;
    };
    switch (inst.op) {
      case Op::kConst: {
        constexpr uint32_t kExponent = 0x7F800000, kFraction = 0x007FFFFF;
        const auto bits = static_cast<uint32_t>(inst.imm);
        return (bits & kExponent) == 0 && (bits & kFraction) != 0;
      }
      case Op::kPart: return function_[inst.args[0]].op == Op::kLoadScalar;
      case Op::kSelect: return any(1);
      case Op::kLow:
      case Op::kHigh:
      case Op::kPack: return any(0);
      case Op::kGetSgpr:  // half of a pointer
      case Op::kLoadScalar:
      case Op::kLaneId:
      case Op::kAdd:
      case Op::kSub:
      case Op::kMul:
      case Op::kMulHiU:
      case Op::kMulHiS:
      case Op::kMulWideU:
      case Op::kMulWideS:
      case Op::kShl:
      case Op::kLshr:
      case Op::kAshr:
      case Op::kMinU:
      case Op::kMaxU:
      case Op::kMinS:
      case Op::kMaxS:
      case Op::kPopcount:
      case Op::kClz:
      case Op::kCtz:
      case Op::kZext:
      case Op::kSext:
      case Op::kF32ToI32:
      case Op::kF32ToU32: return true;
      default: return false;
    }
  }

  static bool IsArithmetic(Op op) {
    return op == Op::kFAdd || op == Op::kFSub || op == Op::kFMul || op == Op::kFFma ||
           op == Op::kFDiv || op == Op::kFSqrt;
  }

  void Rewrite(Block& block) {
    out_.clear();
    quiet_.clear();
    exec_ = {};
    for (const Value v : block.insts) {
      const Inst inst = function_[v];
      if (inst.op == Op::kGetSgpr64 && inst.imm == kExec && !exec_) exec_ = v;
      if (IsArithmetic(inst.op) && (inst.env().bits & FloatEnv::kFlushInputs) == 0) {
        guest_ = inst.guest;
        for (int n = 0; n < inst.argument_count; ++n) {
          if (!IsFromNumbers(inst.args[n])) continue;
          const Value quiet = QuietOf(inst.args[n]);
          function_[v].args[n] = quiet;
        }
      }
      out_.push_back(v);
    }
    block.insts.swap(out_);
  }

  // A VGPR in which integers may be left, or both of a double's; with another sign, too.
  bool IsFromNumbers(Value v) const {
    const Inst& inst = function_[v];
    switch (inst.op) {
      case Op::kGetVgpr: {
        const auto vgpr = static_cast<size_t>(inst.imm);
        return has_numbers_[vgpr];
      }
      case Op::kXor:
      case Op::kAnd:
        return IsLanes(inst.type) && function_[inst.args[1]].op == Op::kConst &&
               IsFromNumbers(inst.args[0]);
      // The exponent is in the high dword.
      case Op::kPack: return inst.type == Type::kV64 && IsFromNumbers(inst.args[1]);
      default: return false;
    }
  }

  Value QuietOf(Value v) {
    Value& known = quiet_[v.id];
    if (known) return known;
    Inst inst = function_[v];
    if (inst.op == Op::kGetVgpr) {
      inst = Inst::Of(Op::kSelect, Type::kV32, guest_, {Exec(), v, Zero()});
    } else if (inst.op == Op::kPack) {
      inst.args[1] = QuietOf(inst.args[1]);
      if (IsFromNumbers(inst.args[0])) inst.args[0] = QuietOf(inst.args[0]);
    } else {
      inst.args[0] = QuietOf(inst.args[0]);
    }
    const Value quiet = Emit(inst);
    return quiet_[v.id] = quiet;
  }

  Value Exec() {
    if (exec_) return exec_;
    Inst get = Inst::Of(Op::kGetSgpr64, Type::kU64, guest_, {});
    get.imm = kExec;
    return exec_ = Emit(get);
  }
  Value Zero() { return Emit(Inst::Of(Op::kConst, Type::kU32, guest_, {})); }

  Value Emit(Inst inst) {
    inst.guest = guest_;
    const Value v = Append(function_, inst);
    out_.push_back(v);
    return v;
  }

  Function& function_;
  std::bitset<kVgprs> has_numbers_;  // what is written there may be an integer
  std::vector<Value> out_;
  std::map<uint32_t, Value> quiet_;  // of the block, by value id
  Value exec_;
  uint16_t guest_ = 0;
};

}  // namespace

void QuietLanes(Function& function) { Quieter(function).Run(); }

}  // namespace gcnjit::ir
