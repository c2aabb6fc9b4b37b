#include "ir/rewrite/invert_compares.h"

#include <cstdint>
#include <utility>

#include "ir/analysis/uses.h"

namespace gcnjit::ir {
namespace {

class Inverter {
 public:
  Inverter(Function& alone, std::vector<LaneShape>& shapes)
      : function_(alone), shapes_(shapes), uses_(CountUses(alone, alone.blocks[0])) {}

  void Run() {
    for (const Value v : function_.blocks[0].insts) {
      Inst& inst = function_[v];
      switch (inst.op) {
        case Op::kAnd:
          if (inst.type != Type::kU64) break;
          if (CanInvert(inst.args[0])) std::swap(inst.args[0], inst.args[1]);
          if (Invert(inst.args[1])) inst.op = Op::kAndNot;
          break;
        case Op::kAndNot:
          if (inst.type == Type::kU64 && Invert(inst.args[1])) inst.op = Op::kAnd;
          break;
        case Op::kSelect:
          if (inst.type == Type::kV32 && Invert(inst.args[0]))
            std::swap(inst.args[1], inst.args[2]);
          break;
        default: break;
      }
    }
  }

 private:
  bool IsConst(Value v) const { return function_[v].op == Op::kConst; }

  // Is the mask a compare without another use, and its opposite cheaper?
  bool CanInvert(Value mask) const {
    const Inst& inst = function_[mask];
    if (inst.type != Type::kU64 || uses_[mask.id] != 1) return false;
    switch (inst.op) {
      case Op::kNe:
      case Op::kLeS: break;
      case Op::kLtU:  // a minimum with the next number will do
        if (IsConst(inst.args[0]) || IsConst(inst.args[1])) return false;
        break;
      default: return false;
    }
    const auto is_narrow = [&](Value v) { return !Is64(function_[v].type); };
    return is_narrow(inst.args[0]) && is_narrow(inst.args[1]);
  }

  bool Invert(Value mask) {
    if (!CanInvert(mask)) return false;
    Inst& inst = function_[mask];
    if (inst.op == Op::kNe) {
      inst.op = Op::kEq;
    } else {
      inst.op = inst.op == Op::kLeS ? Op::kLtS : Op::kLeU;
      std::swap(inst.args[0], inst.args[1]);
    }
    shapes_[mask.id] = {};
    return true;
  }

  Function& function_;
  std::vector<LaneShape>& shapes_;
  const std::vector<uint32_t> uses_;
};

}  // namespace

void InvertCompares(Function& alone, std::vector<LaneShape>& shapes) {
  Inverter(alone, shapes).Run();
}

}  // namespace gcnjit::ir
