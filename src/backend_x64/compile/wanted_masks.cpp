#include "backend_x64/compile/wanted_masks.h"

#include <cstddef>
#include <utility>

#include "backend_x64/compile/body_tests.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

namespace {

constexpr int kMostSums = 4;

class Finder {
 public:
  explicit Finder(const ir::Function& function)
      : function_(function), wanted_(function.insts.size()) {}

  std::vector<WantedMask> Run() {
    const std::vector<Value>& insts = function_.blocks[0].insts;
    const std::vector<uint8_t> is_body_test = FindBodyTests(function_);
    // What is wanted of one argument may follow from what another use wants of the other one.
    for (const Value v : insts) {
      if (IsCarry(v)) Want(v, WantedMask::kEmpty);
      const Inst& inst = function_[v];
      const bool is_body = inst.op == Op::kSkipped && inst.aux != 0;
      if (is_body && is_body_test[inst.args[0].id] != 0) Want(inst.args[0], WantedMask::kEmpty);
    }
    for (int round = 0; round < 2; ++round) {
      for (size_t n = insts.size(); n-- > 0;) Follow(insts[n]);
    }
    return std::move(wanted_);
  }

 private:
  void Follow(Value v) {
    const Inst& inst = function_[v];
    const ir::Effect effect = ir::InfoOf(inst.op).effect;
    if (effect == ir::Effect::kRead || effect == ir::Effect::kWrite) {
      for (int n = 0; n < inst.argument_count; ++n) {
        if (ir::InfoOf(inst.op).TakesMask(n)) Want(inst.args[n], WantedMask::kFull);
      }
      return;
    }
    const WantedMask wanted = wanted_[v.id];
    if (wanted == WantedMask::kEither || inst.type != Type::kU64) return;
    const Value a = inst.args[0];
    const Value b = inst.args[1];
    switch (inst.op) {
      case Op::kNot: return Want(a, ContraryOf(wanted));
      case Op::kAnd: return Join(wanted, a, b, WantedMask::kFull);
      case Op::kOr: return Join(wanted, a, b, WantedMask::kEmpty);
      case Op::kAndNot:
        if (wanted == WantedMask::kFull) {
          Want(a, WantedMask::kFull);
          Want(b, WantedMask::kEmpty);
        } else if (wanted_[a.id] == WantedMask::kFull) {
          Want(b, WantedMask::kFull);
        } else if (wanted_[b.id] == WantedMask::kEmpty) {
          Want(a, WantedMask::kEmpty);
        }
        return;
      case Op::kSelect:
        if (IsConst(b, -1) && IsConst(inst.args[2], 0)) Want(a, wanted);
        return;
      default: return;
    }
  }

  // Has a sum wrapped around? Then it is less than what it is the sum of.
  bool IsCarry(Value v) const {
    const Inst& inst = function_[v];
    return inst.op == Op::kLtU && IsTermOf(inst.args[1], inst.args[0], kMostSums);
  }
  bool IsTermOf(Value term, Value sum, int depth) const {
    const Inst& inst = function_[sum];
    if (inst.op != Op::kAdd || depth == 0) return false;
    return inst.args[0] == term || inst.args[1] == term ||
           IsTermOf(term, inst.args[0], depth - 1) || IsTermOf(term, inst.args[1], depth - 1);
  }

  // Of an operation that gives `neutral` if both are that, else the contrary.
  void Join(WantedMask wanted, Value a, Value b, WantedMask neutral) {
    if (wanted == neutral) {
      Want(a, neutral);
      Want(b, neutral);
    } else if (wanted_[a.id] == neutral) {
      Want(b, wanted);
    } else if (wanted_[b.id] == neutral) {
      Want(a, wanted);
    }
  }

  static WantedMask ContraryOf(WantedMask wanted) {
    return wanted == WantedMask::kFull ? WantedMask::kEmpty : WantedMask::kFull;
  }
  bool IsConst(Value v, int64_t number) const {
    return function_[v].op == Op::kConst && function_[v].imm == number;
  }
  // The use that comes last in the block counts.
  void Want(Value v, WantedMask wanted) {
    if (wanted_[v.id] == WantedMask::kEither) wanted_[v.id] = wanted;
  }

  const ir::Function& function_;
  std::vector<WantedMask> wanted_;
};

}  // namespace

std::vector<WantedMask> FindWantedMasks(const ir::Function& function) {
  return Finder(function).Run();
}

}  // namespace gcnjit::backend
