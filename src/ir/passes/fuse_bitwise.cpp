// Bitwise operations of lanes that depend on three values at most are one operation with a truth
// table:
//
//   (x & y) | (z & ~x)   ->   bitwise x, y, z {table=0xca}
//
// What is fused has no other users. A scalar may be among the three, as the last one: hosts take it
// from memory.
#include <algorithm>
#include <vector>

#include "ir/passes.h"

namespace gcnjit::ir {
namespace {

constexpr size_t kMostLeaves = 3;
// Into one: finding the table takes time that doubles with each where both arguments are fused.
constexpr size_t kMostFused = 8;

class Fuser {
 public:
  explicit Fuser(Function& function) : function_(function), uses_(function.insts.size()) {}

  void Run(Block& block) {
    for (const Value value : block.insts) {
      const Inst& inst = Def(value);
      for (int n = 0; n < inst.argument_count; ++n) ++uses_[inst.args[n].id];
    }
    // Backwards: from the results to what they are made of.
    for (size_t n = block.insts.size(); n-- > 0;) {
      const Value value = block.insts[n];
      if (uses_[value.id] != 0 && IsBitwise(value)) Fuse(value);
    }
    std::erase_if(block.insts, [&](Value v) { return IsBitwise(v) && uses_[v.id] == 0; });
  }

 private:
  const Inst& Def(Value value) const { return function_[value]; }

  bool IsBitwise(Value value) const {
    const Inst& inst = Def(value);
    return inst.type == Type::kV32 && InfoOf(inst.op).Has(Trait::kBitByBit);
  }

  void Fuse(Value root) {
    inner_ = {root};
    leaves_.clear();
    AddLeaves(root);
    // A leaf's own arguments in its place, as long as there are not too many.
    for (size_t n = 0; n < leaves_.size() && inner_.size() < kMostFused;) {
      n = Expand(n) ? 0 : n + 1;
    }
    if (inner_.size() < 2) return;
    const auto is_scalar = [&](Value leaf) { return Def(leaf).type == Type::kU32; };
    if (std::count_if(leaves_.begin(), leaves_.end(), is_scalar) > 1) return;
    std::stable_partition(leaves_.begin(), leaves_.end(), [&](Value v) { return !is_scalar(v); });
    // The first one is the one that the host's instruction overwrites, so it is not repeated.
    if (leaves_.size() == 1) return;
    uint8_t table = 0;
    for (uint32_t row = 0; row < 8; ++row) {
      row_ = row;
      table = static_cast<uint8_t>(table | BitOf(root) << row);
    }
    for (const Value v : inner_) {
      const Inst& inst = Def(v);
      for (int n = 0; n < inst.argument_count; ++n) --uses_[inst.args[n].id];
    }
    Inst& inst = function_[root];
    inst.op = Op::kBitwise;
    inst.imm = table;
    inst.argument_count = 3;
    for (size_t n = 0; n < kMostLeaves; ++n) {
      inst.args[n] = leaves_[std::min(n, leaves_.size() - 1)];
      ++uses_[inst.args[n].id];
    }
  }

  bool IsLeaf(Value value) const {
    return std::find(leaves_.begin(), leaves_.end(), value) != leaves_.end();
  }
  void AddLeaves(Value of) {
    const Inst& inst = Def(of);
    for (int n = 0; n < inst.argument_count; ++n) {
      if (!IsLeaf(inst.args[n])) leaves_.push_back(inst.args[n]);
    }
  }

  bool Expand(size_t n) {
    const Value leaf = leaves_[n];
    if (!IsBitwise(leaf) || uses_[leaf.id] != UsesInside(leaf)) return false;
    const std::vector<Value> before = leaves_;
    leaves_.erase(leaves_.begin() + static_cast<ptrdiff_t>(n));
    AddLeaves(leaf);
    if (leaves_.size() > kMostLeaves) {
      leaves_ = before;
      return false;
    }
    inner_.push_back(leaf);
    return true;
  }
  uint32_t UsesInside(Value value) const {
    uint32_t uses = 0;
    for (const Value v : inner_) {
      const Inst& inst = Def(v);
      uses += static_cast<uint32_t>(std::count(inst.args, inst.args + inst.argument_count, value));
    }
    return uses;
  }

  // Of the value, where the leaves' bits are those of `row_`.
  uint32_t BitOf(Value value) const {
    const auto leaf = std::find(leaves_.begin(), leaves_.end(), value);
    if (leaf != leaves_.end()) return row_ >> (2 - (leaf - leaves_.begin())) & 1;
    const Inst& inst = Def(value);
    const uint32_t a = BitOf(inst.args[0]);
    if (inst.op == Op::kNot) return a ^ 1;
    const uint32_t b = BitOf(inst.args[1]);
    switch (inst.op) {
      case Op::kAnd: return a & b;
      case Op::kOr: return a | b;
      case Op::kXor: return a ^ b;
      default: return a & (b ^ 1);
    }
  }

  Function& function_;
  std::vector<uint32_t> uses_;
  // Of the result at hand: what is fused, and what that depends on.
  std::vector<Value> inner_;
  std::vector<Value> leaves_;
  uint32_t row_ = 0;
};

}  // namespace

void FuseBitwise(Function& function) {
  Fuser fuser(function);
  for (Block& block : function.blocks) fuser.Run(block);
}

}  // namespace gcnjit::ir
