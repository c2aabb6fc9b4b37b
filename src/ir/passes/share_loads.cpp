// Removes scalar loads of what a block has loaded before: where the code of all waves of a group is
// one block, each wave loads the same arguments.
#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "ir/passes.h"

namespace gcnjit::ir {
namespace {

class LoadSharing {
 public:
  LoadSharing(Function& function, std::span<const FixedMemory> fixed)
      : function_(function), fixed_(fixed) {}

  void Run(Block& block) {
    std::vector<Value> kept;
    for (size_t n = 0; n < block.insts.size(); ++n) {
      const Value v = block.insts[n];
      Inst& inst = function_[v];
      for (int a = 0; a < inst.argument_count; ++a) Rename(inst.args[a]);
      CountStore(inst);
      if (inst.op != Op::kLoadScalar || !IsLoadedAlready(block, n)) {
        kept.push_back(v);
        continue;
      }
      while (n + 1 < block.insts.size() && IsPartOf(block.insts[n + 1], v)) ++n;
    }
    block.insts = std::move(kept);
  }

 private:
  // An address, an offset, and which of the stores came before.
  using Key = std::tuple<uint32_t, int64_t, int>;

  void Rename(Value& v) const {
    if (const auto found = renamed_.find(v.id); found != renamed_.end()) v = found->second;
  }

  void CountStore(const Inst& inst) {
    if (inst.op == Op::kStore || inst.op == Op::kAtomic || inst.op == Op::kFence) ++stores_;
  }

  bool IsPartOf(Value v, Value load) const {
    const Inst& inst = function_[v];
    return inst.op == Op::kPart && inst.args[0] == load;
  }

  // The load at block.insts[at]: if so, its uses and its parts' get the earlier values. If not,
  // later loads may get its own.
  bool IsLoadedAlready(const Block& block, size_t at) {
    const Value load = block.insts[at];
    const Inst& inst = function_[load];
    const int stores = IsFixed(function_, inst, fixed_) ? -1 : stores_;
    std::vector<std::pair<Value, Value>> pieces;  // and what has been loaded before
    bool is_complete = true;
    const auto look_for = [&](Value piece, int64_t dword) {
      const Key key{inst.args[0].id, inst.imm + dword * 4, stores};
      const auto [found, is_new] = dwords_.try_emplace(key, piece);
      is_complete &= !is_new;
      pieces.emplace_back(piece, found->second);
    };
    look_for(load, 0);
    for (size_t n = at + 1; n < block.insts.size() && IsPartOf(block.insts[n], load); ++n) {
      look_for(block.insts[n], function_[block.insts[n]].imm);
    }
    if (!is_complete || pieces.size() != inst.aux) return false;
    for (const auto& [piece, before] : pieces) renamed_[piece.id] = before;
    return true;
  }

  Function& function_;
  const std::span<const FixedMemory> fixed_;
  int stores_ = 0;               // so far, to memory that scalar loads read
  std::map<Key, Value> dwords_;  // that have been loaded
  std::unordered_map<uint32_t, Value> renamed_;
};

}  // namespace

bool IsFixed(const Function& function, const Inst& load, std::span<const FixedMemory> fixed) {
  const Inst& address = function[load.args[0]];
  // The low bits of an address do not count.
  const Inst& base = address.op == Op::kAnd && function[address.args[1]].op == Op::kConst &&
                             static_cast<uint64_t>(function[address.args[1]].imm) == ~uint64_t{3}
                         ? function[address.args[0]]
                         : address;
  return base.op == Op::kGetSgpr64 &&
         std::any_of(fixed.begin(), fixed.end(), [&](const FixedMemory& memory) {
           return base.imm == memory.sgpr && load.imm >= 0 &&
                  load.imm + int64_t{load.aux} * 4 <= int64_t{memory.bytes};
         });
}

void ShareLoads(Function& function, std::span<const FixedMemory> fixed) {
  NumberValues(function);
  for (Block& block : function.blocks) {
    if (WaveOf(block.begin) >= 0) LoadSharing(function, fixed).Run(block);
  }
  NumberValues(function);
}

}  // namespace gcnjit::ir
