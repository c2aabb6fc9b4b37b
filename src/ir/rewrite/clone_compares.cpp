#include "ir/rewrite/clone_compares.h"

#include <cstdint>

#include "ir/analysis/uses.h"
#include "ir/append.h"

namespace gcnjit::ir {
namespace {

class Cloner {
 public:
  Cloner(Function& alone, std::vector<LaneShape>& shapes)
      : function_(alone), shapes_(shapes), uses_(CountUses(alone, alone.blocks[0])), left_(uses_) {}

  void Run() {
    std::vector<Value>& insts = function_.blocks[0].insts;
    std::vector<Value> out;
    out.reserve(insts.size());
    for (const Value v : insts) {
      const int n = SharedCompareOf(function_[v]);
      if (n >= 0) {
        const Value of = function_[v].args[n];
        const Value clone = Clone(of, function_[v].guest);
        --left_[of.id];
        out.push_back(clone);
        function_[v].args[n] = clone;
      }
      out.push_back(v);
    }
    insts.swap(out);
    std::erase_if(insts, [this](Value v) {
      return IsNarrowCompare(function_, function_[v]) && left_[v.id] == 0;
    });
  }

 private:
  // Of an AND: which argument is a compare that has other uses, too, and could be one instruction
  // with it; -1: none.
  int SharedCompareOf(const Inst& inst) const {
    if (inst.type != Type::kU64 || (inst.op != Op::kAnd && inst.op != Op::kAndNot)) return -1;
    const bool first = inst.op == Op::kAnd && IsNarrowCompare(function_, function_[inst.args[0]]);
    const bool second = IsNarrowCompare(function_, function_[inst.args[1]]);
    // Only one of two compares can be part of the AND, and the other needs a register anyway.
    if (first == second) return -1;
    const int n = first ? 0 : 1;
    return uses_[inst.args[n].id] > 1 ? n : -1;
  }

  Value Clone(Value of, uint16_t guest) {
    Inst clone = function_[of];
    clone.guest = guest;
    const Value value = Append(function_, clone);
    shapes_.push_back(shapes_[of.id]);
    left_.push_back(1);
    return value;
  }

  Function& function_;
  std::vector<LaneShape>& shapes_;
  const std::vector<uint32_t> uses_;
  std::vector<uint32_t> left_;  // uses that clones have not taken
};

}  // namespace

void CloneCompares(Function& alone, std::vector<LaneShape>& shapes) { Cloner(alone, shapes).Run(); }

}  // namespace gcnjit::ir
