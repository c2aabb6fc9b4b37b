#include "ir/analysis/region_constants.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <optional>
#include <unordered_map>

#include "ir/analysis/region_flow.h"
#include "ir/matrix.h"

namespace gcnjit::ir {
namespace {

using Registers = std::bitset<kRegisters>;

bool IsOfExec(size_t number) { return number >= kExec && number < kSgprs; }

// What is known at a point; nothing of EXEC, which has facts of its own.
struct Constants {
  Registers known;
  std::array<uint32_t, kRegisters> values = {};

  std::optional<uint32_t> Of(size_t number) const {
    if (!known[number]) return std::nullopt;
    return values[number];
  }
  void Set(size_t number, std::optional<uint32_t> value) {
    known[number] = value.has_value() && !IsOfExec(number);
    values[number] = value.value_or(0);
  }
  // What both have. Has that changed this?
  bool Meet(const Constants& other) {
    const Registers before = known;
    known &= other.known;
    for (size_t n = 0; n < kRegisters; ++n) {
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

  std::vector<std::vector<RegisterConstant>> Run() {
    FindBegins();
    std::vector<Registers> relied(function_.blocks.size());
    std::vector<Registers> written(function_.blocks.size());
    for (size_t n = 0; n < function_.blocks.size(); ++n) Fold(n, relied[n], written[n]);
    AddSuccessors(written, relied);
    std::vector<std::vector<RegisterConstant>> result(function_.blocks.size());
    for (size_t n = 0; n < result.size(); ++n) {
      for (size_t number = 0; number < kRegisters; ++number) {
        if (!relied[n][number]) continue;
        result[n].push_back({static_cast<uint16_t>(number), begins_[n]->values[number]});
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
        for (size_t sgpr = 0; sgpr < kSgprs; ++sgpr) {
          if (way.written_sgprs[sgpr]) there.known.reset(sgpr);
        }
        for (size_t vgpr = 0; vgpr < kVgprs; ++vgpr) {
          if (way.written[vgpr]) there.known.reset(kSgprs + vgpr);
        }
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
      case Op::kGetVgpr:
        if (const std::optional<uint64_t> value = RegisterOf(inst, at)) read_[v.id] = *value;
        return;
      case Op::kSetVgpr: return at.Set(kSgprs + n, Low(ConstantOf(inst.args[0])));
      case Op::kSetVgprAt:
      case Op::kMatrix: at.known &= ~WrittenVgprs(inst); return;
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

  // What kGetSgpr, kGetSgpr64 or kGetVgpr reads.
  static std::optional<uint64_t> RegisterOf(const Inst& inst, const Constants& at) {
    const auto n = static_cast<size_t>(inst.imm);
    if (inst.op == Op::kGetSgpr64) return Pair(at.Of(n), at.Of(n + 1));
    return at.Of(inst.op == Op::kGetVgpr ? kSgprs + n : n);
  }

  // Constants, copies and their halves.
  std::optional<uint64_t> ConstantOf(Value v) const {
    const Inst& inst = function_[v];
    switch (inst.op) {
      case Op::kConst: return static_cast<uint64_t>(inst.imm);
      case Op::kGetSgpr:
      case Op::kGetSgpr64:
      case Op::kGetVgpr: {
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

  // A VGPR that the block writes, as a rule in some lanes, stays: where slices have none of these
  // lanes, the write leaves it as it is.
  void Fold(size_t block, Registers& relied, Registers& written) {
    const Constants& begin = *begins_[block];
    const std::vector<Value>& insts = function_.blocks[block].insts;
    Registers written_before;
    for (const Value v : insts) written |= WrittenBy(function_[v]);
    for (const Value v : insts) {
      Inst& inst = function_[v];
      written_before |= WrittenBy(inst);
      const Registers read = ReadBy(inst);
      const Registers& changed = inst.op == Op::kGetVgpr ? written : written_before;
      if (read.none() || (read & changed).any()) continue;
      const std::optional<uint64_t> value = RegisterOf(inst, begin);
      if (!value) continue;
      relied |= read;
      if (inst.op == Op::kGetVgpr) inst.type = Type::kU32;
      inst.op = Op::kConst;
      inst.imm = static_cast<int64_t>(*value);
    }
  }

  // By an operation that RegisterOf knows.
  static Registers ReadBy(const Inst& inst) {
    const auto n = static_cast<size_t>(inst.imm);
    switch (inst.op) {
      case Op::kGetSgpr: return Registers().set(n);
      case Op::kGetSgpr64: return Registers().set(n).set(n + 1);
      case Op::kGetVgpr: return Registers().set(kSgprs + n);
      default: return {};
    }
  }

  static Registers WrittenBy(const Inst& inst) {
    const auto n = static_cast<size_t>(inst.imm);
    switch (inst.op) {
      case Op::kSetSgpr: return Registers().set(n);
      case Op::kSetSgpr64: return Registers().set(n).set(n + 1);
      case Op::kSetVgpr: return Registers().set(kSgprs + n);
      default: return WrittenVgprs(inst);
    }
  }

  // By one that may write several.
  static Registers WrittenVgprs(const Inst& inst) {
    Registers written;
    if (inst.op == Op::kSetVgprAt) {
      for (auto n = inst.imm; n < kVgprs; ++n) written.set(static_cast<size_t>(kSgprs + n));
    } else if (inst.op == Op::kMatrix) {
      const MatrixProduct product = MatrixProduct::Of(inst);
      for (int n = 0; n < product.shape.ResultRegisters(); ++n)
        written.set(static_cast<size_t>(kSgprs + product.d + n));
    }
    return written;
  }

  // A successor's constants that a block does not write were there at its own begin.
  void AddSuccessors(const std::vector<Registers>& written, std::vector<Registers>& relied) const {
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t n = function_.blocks.size(); n-- > 0;) {
        const Registers before = relied[n];
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

std::vector<std::vector<RegisterConstant>> FoldRegionConstants(
    Function& function, const ShapeAssumptions& assumptions) {
  if (assumptions.blocks_apart) {
    return std::vector<std::vector<RegisterConstant>>(function.blocks.size());
  }
  return ConstantFolding(function, assumptions).Run();
}

}  // namespace gcnjit::ir
