// Demanded lanes. A VGPR written under EXEC is select(exec, new, old), and a comparison's result is
// and(compare, exec). Where such a value is used under the same or a narrower mask, the masking
// changes nothing that is read, and the use can take `new`, or the comparison itself.
//
// For each value: the lanes in which its users look at it, as "all", or those of one mask. Walking
// backwards, the users of an instruction are done before it. A value may afterwards differ from
// what it was in the other lanes; but an operation that has a mask for the lanes it reads reads
// all of that mask, too, which therefore keeps its value.
#include "ir/passes.h"

namespace gcnjit::ir {
namespace {

class Narrowing {
 public:
  explicit Narrowing(Function& function)
      : function_(function), demand_(function.insts.size(), kUnused) {}

  void Run(const Block& block) {
    for (size_t n = block.insts.size(); n-- > 0;) Visit(block.insts[n]);
  }

 private:
  // The id of a mask, or:
  using Demand = uint32_t;
  static constexpr Demand kUnused = 0;
  static constexpr Demand kAll = UINT32_MAX;

  // Is every lane of `demand` one of `mask`?
  bool Within(Demand demand, Value mask) const {
    if (demand == mask.id) return true;
    if (demand == kAll || demand == kUnused) return false;
    const Inst& inst = function_.insts[demand];
    if (inst.op == Op::kAnd) return inst.args[0] == mask || inst.args[1] == mask;
    return inst.op == Op::kAndNot && inst.args[0] == mask;
  }
  bool Outside(Demand demand, Value mask) const {
    if (demand == kAll || demand == kUnused) return false;
    const Inst& inst = function_.insts[demand];
    return inst.op == Op::kAndNot && inst.args[1] == mask;
  }
  Demand Union(Demand a, Demand b) const {
    if (a == b || b == kUnused) return a;
    if (a == kUnused) return b;
    if (a == kAll || b == kAll) return kAll;
    if (Within(a, Value{b})) return b;
    if (Within(b, Value{a})) return a;
    return kAll;
  }

  // The instruction looks at argument n in the lanes of `demand`: at an argument that has lanes.
  // Scalars count for every lane.
  void UseLanes(Inst& inst, int n, Demand demand) {
    while (IsLanes(function_[inst.args[n]].type)) {
      const Inst& argument = function_[inst.args[n]];
      if (argument.op != Op::kSelect) break;
      if (Within(demand, argument.args[0])) {
        inst.args[n] = argument.args[1];
      } else if (Outside(demand, argument.args[0])) {
        inst.args[n] = argument.args[2];
      } else {
        break;
      }
    }
    Demand& total = demand_[inst.args[n].id];
    total = IsLanes(function_[inst.args[n]].type) ? Union(total, demand) : kAll;
  }
  // At a mask's bits.
  void UseMask(Inst& inst, int n, Demand demand) {
    for (;;) {
      const Inst& argument = function_[inst.args[n]];
      Value instead;
      if (argument.op == Op::kAnd && argument.type == Type::kU64) {
        if (Within(demand, argument.args[0])) instead = argument.args[1];
        if (Within(demand, argument.args[1])) instead = argument.args[0];
      } else if (argument.op == Op::kAndNot && argument.type == Type::kU64) {
        if (Outside(demand, argument.args[1])) instead = argument.args[0];
      }
      if (!instead) break;
      inst.args[n] = instead;
    }
    Demand& total = demand_[inst.args[n].id];
    total = Union(total, demand);
  }
  void UseWhole(const Inst& inst, int n) { demand_[inst.args[n].id] = kAll; }
  void UseAll(const Inst& inst) {
    for (int n = 0; n < inst.argument_count; ++n) UseWhole(inst, n);
  }
  // Arguments from `first` on are looked at where `mask` is set.
  void UseUnder(Inst& inst, int first, int end, Value mask) {
    for (int n = first; n < end; ++n) UseLanes(inst, n, mask.id);
  }

  void Visit(Value value) {
    Inst& inst = function_[value];
    const Demand demand = demand_[value.id];
    const Effect effect = InfoOf(inst.op).effect;
    // What is dead reads nothing: lifted code is full of SCCs that no operation reads.
    if (demand == kUnused && (effect == Effect::kPure || effect == Effect::kWhole)) return;
    switch (inst.op) {
      case Op::kLoad:
      case Op::kStore:
      case Op::kLoadSwizzled:
      case Op::kStoreSwizzled:
      case Op::kAtomic:
        UseUnder(inst, 0, 2, inst.args[2]);
        UseUnder(inst, 3, inst.argument_count, inst.args[2]);
        return UseWhole(inst, 2);
      case Op::kLoadLds:
      case Op::kStoreLds:
      case Op::kAtomicLds:
        UseUnder(inst, 0, 1, inst.args[1]);
        UseUnder(inst, 3, inst.argument_count, inst.args[1]);
        UseWhole(inst, 1);
        return UseWhole(inst, 2);
      case Op::kBpermute:
        // Lanes outside the mask are not read.
        UseLanes(inst, 0, inst.args[2].id);
        UseLanes(inst, 1, demand);
        return UseWhole(inst, 2);
      case Op::kReadLane:
      case Op::kPermute:
      case Op::kPermuteMask:
      case Op::kMaskBelow:
      case Op::kFirstLane: return UseAll(inst);
      case Op::kSelect:
        if (!IsLanes(inst.type)) break;
        UseMask(inst, 0, demand);
        UseLanes(inst, 1, demand == kAll ? inst.args[0].id : demand);
        return UseLanes(inst, 2, demand);
      case Op::kAnd:
        if (inst.type != Type::kU64) break;
        return VisitMaskAnd(inst, demand);
      case Op::kAndNot:
        if (inst.type != Type::kU64) break;
        UseMask(inst, 0, demand);
        return UseMask(inst, 1, demand == kAll ? inst.args[0].id : demand);
      default: break;
    }
    if (effect != Effect::kPure) return UseAll(inst);
    if (inst.op == Op::kPart) return;  // belongs to its load
    const bool by_lane = IsLanes(inst.type) || inst.type == Type::kU64;
    for (int n = 0; n < inst.argument_count; ++n) {
      const Type type = function_[inst.args[n]].type;
      if (IsLanes(type) && by_lane) {
        UseLanes(inst, n, demand);
      } else if (type == Type::kU64 && IsBitwise(inst)) {
        UseMask(inst, n, demand);
      } else {
        UseWhole(inst, n);
      }
    }
  }

  static bool IsBitwise(const Inst& inst) {
    return inst.type == Type::kU64 &&
           (inst.op == Op::kOr || inst.op == Op::kXor || inst.op == Op::kNot);
  }

  // Either operand hides lanes of the other, but not both at once. The later one is the comparison
  // as a rule, the earlier one EXEC.
  void VisitMaskAnd(Inst& inst, Demand demand) {
    if (demand != kAll) {
      UseMask(inst, 0, demand);
      return UseMask(inst, 1, demand);
    }
    const int narrowed = inst.args[0].id > inst.args[1].id ? 0 : 1;
    const int hiding = 1 - narrowed;
    UseMask(inst, narrowed, inst.args[hiding].id);
    UseWhole(inst, hiding);
  }

  Function& function_;
  std::vector<Demand> demand_;
};

}  // namespace

void NarrowLanes(Function& function) {
  Narrowing narrowing(function);
  for (const Block& block : function.blocks) narrowing.Run(block);
}

}  // namespace gcnjit::ir
