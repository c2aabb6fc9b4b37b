#include "backend_x64/compile/body_tests.h"

#include <algorithm>
#include <unordered_map>

#include "ir/analysis/uses.h"
#include "ir/builder.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

namespace {

bool IsTested(const Inst& inst) { return inst.op == Op::kSkipped && inst.aux != 0; }

bool IsNumber(const ir::Function& function, Value v, int64_t number) {
  return function[v].op == Op::kConst && function[v].imm == number;
}

// Does it compare 32-bit halves of lanes with 0, as the operation does?
bool ComparesHalves(const ir::Function& function, const Inst& inst, Op op) {
  if (inst.op != op || inst.type != Type::kU64 || !IsNumber(function, inst.args[1], 0))
    return false;
  const Inst& halves = function[inst.args[0]];
  return halves.type == Type::kV32 && (halves.op == Op::kOr || halves.op == Op::kHigh);
}

// Likewise, or what Splitter and folding make of it, or the contrary: a high half that is a sign is
// not 0 where the low one is less than 0.
bool IsTestOfHalves(const ir::Function& function, const Inst& inst) {
  const auto is_number = [&](int n, int64_t number) {
    return IsNumber(function, inst.args[n], number);
  };
  switch (inst.op) {
    case Op::kLtU: return is_number(0, UINT32_MAX);
    case Op::kLeU: return is_number(1, UINT32_MAX);
    case Op::kLtS: return inst.type == Type::kU1 && is_number(1, 0);
    case Op::kLeS: return inst.type == Type::kU1 && is_number(0, 0);
    case Op::kEq:
    case Op::kNe:
      return inst.type == Type::kU1 ? is_number(1, 0) : ComparesHalves(function, inst, inst.op);
    default: return false;
  }
}

bool IsOfMasks(const Inst& inst) {
  switch (inst.op) {
    case Op::kOr:
    case Op::kAnd:
    case Op::kAndNot:
    case Op::kNot:
    case Op::kSelect: return inst.type == Type::kU64;
    default: return false;
  }
}

class Splitter {
 public:
  explicit Splitter(ir::Function& alone) : function_(alone), builder_(alone, grown_) {}

  void Run() {
    const std::vector<uint8_t> is_test = FindBodyTests(function_);
    const std::vector<Value> insts = std::move(function_.blocks[0].insts);
    // The other lanes, which the short division is for, are compared by themselves.
    std::vector<uint8_t> is_tested(function_.insts.size(), 0);
    for (const Value v : insts) {
      const Inst& inst = function_[v];
      if (is_test[v.id] == 0 || !ComparesHalves(function_, inst, Op::kNe)) continue;
      is_tested[inst.args[0].id] = 1;
    }
    for (const Value v : insts) {
      for (const Op op : {Op::kNe, Op::kEq}) {
        const Inst& inst = function_[v];
        if (ComparesHalves(function_, inst, op) && is_tested[inst.args[0].id] != 0) Split(v, op);
      }
      grown_.insts.push_back(v);
    }
    function_.blocks[0].insts = std::move(grown_.insts);
  }

 private:
  void Split(Value v, Op op) {
    builder_.SetGuest(function_[v].guest);
    const Value any = MaskOf(function_[v].args[0]);
    Inst& inst = function_[v];
    inst.op = op == Op::kEq ? Op::kNot : Op::kOr;  // of equal masks: that mask
    inst.args[0] = any;
    if (op == Op::kEq) inst.argument_count = 1;
    inst.args[1] = op == Op::kEq ? Value() : any;
  }

  // Lanes in which the half is not 0. Guards of equal compares, as waves have them, are one.
  Value MaskOf(Value half) {
    Value& mask = masks_[half.id];
    if (!mask) mask = NewMaskOf(half);
    return mask;
  }
  Value NewMaskOf(Value half) {
    const Inst inst = function_[half];
    if (inst.op == Op::kOr) {
      const Value first = MaskOf(inst.args[0]);
      return builder_.Or(first, MaskOf(inst.args[1]));
    }
    if (!zero_) {
      zero_ = builder_.U32(0);
      most_ = builder_.U64(UINT32_MAX);
    }
    if (!ir::IsLanes(inst.type)) {
      const Value is_set = builder_.Compare(Op::kNe, half, zero_);
      return builder_.Select(is_set, builder_.U64(~uint64_t{0}), builder_.U64(0));
    }
    if (inst.op != Op::kHigh) return builder_.Compare(Op::kNe, half, zero_);
    return builder_.Compare(Op::kLtU, most_, inst.args[0]);
  }

  ir::Function& function_;
  ir::Block grown_;
  ir::Builder builder_;
  std::unordered_map<uint32_t, Value> masks_;  // by the half's id
  Value zero_;                                 // u32
  Value most_;                                 // u64: of a number whose high half is 0
};

}  // namespace

bool HasBodyTests(const ir::Function& alone) {
  const std::vector<Value>& insts = alone.blocks[0].insts;
  return std::any_of(insts.begin(), insts.end(), [&](Value v) { return IsTested(alone[v]); });
}

void SplitBodyTests(ir::Function& alone) { Splitter(alone).Run(); }

std::vector<uint8_t> FindBodyTests(const ir::Function& alone) {
  const std::vector<Value>& insts = alone.blocks[0].insts;
  std::vector<uint8_t> has_test(alone.insts.size(), 0);
  for (const Value v : insts) {
    const Inst& inst = alone[v];
    has_test[v.id] = IsTestOfHalves(alone, inst);
    if (!IsOfMasks(inst)) continue;
    for (int arg = 0; arg < inst.argument_count; ++arg)
      has_test[v.id] |= has_test[inst.args[arg].id];
  }
  std::vector<uint8_t> is_part(alone.insts.size(), 0);
  for (size_t n = insts.size(); n-- > 0;) {
    const Inst& inst = alone[insts[n]];
    if (IsTested(inst)) is_part[inst.args[0].id] |= has_test[inst.args[0].id];
    if (is_part[insts[n].id] == 0 || !IsOfMasks(inst)) continue;
    for (int arg = 0; arg < inst.argument_count; ++arg) is_part[inst.args[arg].id] = 1;
  }
  return is_part;
}

void RemoveEmptyBodies(ir::Function& alone) {
  ir::Block& block = alone.blocks[0];
  std::erase_if(block.insts, [&](Value v) {
    const Inst& inst = alone[v];
    if (!IsTested(inst)) return false;
    const Inst& mask = alone[inst.args[0]];
    if (mask.op != Op::kConst || mask.imm != 0) return false;
    block.instruction_count -= static_cast<uint32_t>(inst.imm);
    return true;
  });
}

}  // namespace gcnjit::backend
