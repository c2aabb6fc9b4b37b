#include "ir/analysis/region_constants.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <optional>
#include <unordered_map>

#include "ir/analysis/region_flow.h"

namespace gcnjit::ir {
namespace {

using Sgprs = std::bitset<kSgprs>;

// What is known at a point; nothing of EXEC, which has facts of its own.
struct Constants {
  Sgprs known;
  std::array<uint32_t, kSgprs> values = {};

  std::optional<uint32_t> Of(size_t sgpr) const {
    if (!known[sgpr]) return std::nullopt;
    return values[sgpr];
  }
  void Set(size_t sgpr, std::optional<uint32_t> value) {
    known[sgpr] = value.has_value() && sgpr < kExec;
    values[sgpr] = value.value_or(0);
  }
  // What both have. Has that changed this?
  bool Meet(const Constants& other) {
    const Sgprs before = known;
    known &= other.known;
    for (size_t n = 0; n < kSgprs; ++n) {
      if (known[n] && values[n] != other.values[n]) known.reset(n);
    }
    return known != before;
  }
};

class ConstantFolding {
 public:
  ConstantFolding(Function& function, const ShapeAssumptions& assumptions)
      : function_(function),
        assumptions_(assumptions),
        flow_(function, assumptions),
        begins_(function.blocks.size()) {}

  std::vector<std::vector<SgprConstant>> Run() {
    FindBegins();
    std::vector<Sgprs> relied(function_.blocks.size());
    std::vector<Sgprs> written(function_.blocks.size());
    for (size_t n = 0; n < function_.blocks.size(); ++n) Fold(n, relied[n], written[n]);
    AddSuccessors(written, relied);
    std::vector<std::vector<SgprConstant>> result(function_.blocks.size());
    for (size_t n = 0; n < result.size(); ++n) {
      for (size_t sgpr = 0; sgpr < kSgprs; ++sgpr) {
        if (!relied[n][sgpr]) continue;
        result[n].push_back({static_cast<uint8_t>(sgpr), begins_[n]->values[sgpr]});
      }
    }
    return result;
  }

 private:
  void FindBegins() {
    for (const uint64_t entry : assumptions_.entries) {
      if (const size_t* const block = flow_.BlockAt(entry)) Enter(*block, {});
    }
    Settle();
    // What no known way leads to.
    for (size_t n = 0; n < begins_.size(); ++n) {
      if (begins_[n]) continue;
      Enter(n, {});
      Settle();
    }
  }

  void Enter(size_t block, const Constants& constants) {
    std::optional<Constants>& begin = begins_[block];
    const bool changed = begin ? begin->Meet(constants) : true;
    if (!begin) begin = constants;
    const bool is_pending = std::find(pending_.begin(), pending_.end(), block) != pending_.end();
    if (changed && !is_pending) pending_.push_back(block);
  }

  void Settle() {
    while (!pending_.empty()) {
      const auto next = std::min_element(pending_.begin(), pending_.end());
      const size_t block = *next;
      pending_.erase(next);
      Constants at = *begins_[block];
      read_.clear();
      for (const Value v : function_.blocks[block].insts) Follow(v, at);
      for (const RegionFlow::Way& way : flow_.From(block)) {
        Constants there = at;
        there.known &= ~way.written_sgprs;
        Enter(way.block, there);
      }
    }
  }

  void Follow(Value v, Constants& at) {
    const Inst& inst = function_[v];
    const auto n = static_cast<size_t>(inst.imm);
    switch (inst.op) {
      case Op::kGetSgpr:
      case Op::kGetSgpr64:
        if (const std::optional<uint64_t> value = RegisterOf(inst, at)) read_[v.id] = *value;
        return;
      case Op::kSetSgpr: return at.Set(n, Low(ConstantOf(inst.args[0])));
      case Op::kSetSgpr64: {
        const std::optional<uint64_t> value = ConstantOf(inst.args[0]);
        at.Set(n, Low(value));
        return at.Set(n + 1, High(value));
      }
      default: return;
    }
  }
  static std::optional<uint32_t> Low(std::optional<uint64_t> value) {
    if (!value) return std::nullopt;
    return static_cast<uint32_t>(*value);
  }

  static std::optional<uint32_t> High(std::optional<uint64_t> value) {
    if (!value) return std::nullopt;
    return static_cast<uint32_t>(*value >> 32);
  }
  static std::optional<uint64_t> Pair(std::optional<uint64_t> low, std::optional<uint64_t> high) {
    if (!low || !high) return std::nullopt;
    return *low | *high << 32;
  }

  // What kGetSgpr or kGetSgpr64 reads.
  static std::optional<uint64_t> RegisterOf(const Inst& inst, const Constants& at) {
    const auto n = static_cast<size_t>(inst.imm);
    if (inst.op == Op::kGetSgpr64) return Pair(at.Of(n), at.Of(n + 1));
    return at.Of(n);
  }

  // Constants, copies and their halves.
  std::optional<uint64_t> ConstantOf(Value v) const {
    const Inst& inst = function_[v];
    switch (inst.op) {
      case Op::kConst: return static_cast<uint64_t>(inst.imm);
      case Op::kGetSgpr:
      case Op::kGetSgpr64: {
        const auto found = read_.find(v.id);
        if (found == read_.end()) return std::nullopt;
        return found->second;
      }
      case Op::kPack: return Pair(ConstantOf(inst.args[0]), ConstantOf(inst.args[1]));
      case Op::kLow: return Low(ConstantOf(inst.args[0]));
      case Op::kHigh: return High(ConstantOf(inst.args[0]));
      default: return std::nullopt;
    }
  }

  void Fold(size_t block, Sgprs& relied, Sgprs& written) {
    const Constants& begin = *begins_[block];
    for (const Value v : function_.blocks[block].insts) {
      Inst& inst = function_[v];
      const auto n = static_cast<size_t>(inst.imm);
      if (inst.op == Op::kSetSgpr) written.set(n);
      if (inst.op == Op::kSetSgpr64) written.set(n).set(n + 1);
      const bool is_pair = inst.op == Op::kGetSgpr64;
      if (inst.op != Op::kGetSgpr && !is_pair) continue;
      if (written[n] || (is_pair && written[n + 1])) continue;
      const std::optional<uint64_t> value = RegisterOf(inst, begin);
      if (!value) continue;
      relied.set(n);
      if (is_pair) relied.set(n + 1);
      inst.op = Op::kConst;
      inst.imm = static_cast<int64_t>(*value);
    }
  }

  // A successor's constants that a block does not write were there at its own begin.
  void AddSuccessors(const std::vector<Sgprs>& written, std::vector<Sgprs>& relied) const {
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t n = function_.blocks.size(); n-- > 0;) {
        const Sgprs before = relied[n];
        for (const RegionFlow::Way& way : flow_.From(n)) {
          relied[n] |= relied[way.block] & ~written[n] & begins_[n]->known;
        }
        changed |= relied[n] != before;
      }
    }
  }

  Function& function_;
  const ShapeAssumptions& assumptions_;
  const RegionFlow flow_;
  std::vector<std::optional<Constants>> begins_;
  std::vector<size_t> pending_;
  std::unordered_map<uint32_t, uint64_t> read_;  // constants that a block has read, by value id
};

}  // namespace

std::vector<std::vector<SgprConstant>> FoldRegionConstants(Function& function,
                                                           const ShapeAssumptions& assumptions) {
  if (assumptions.blocks_apart) {
    return std::vector<std::vector<SgprConstant>>(function.blocks.size());
  }
  return ConstantFolding(function, assumptions).Run();
}

}  // namespace gcnjit::ir
