#include "ir/analysis/apart_masks.h"

#include <utility>
#include <vector>

namespace gcnjit::ir {
namespace {

constexpr int kDeepest = 8;  // operations that are looked through

class Follower {
 public:
  Follower(const Function& function, SgprPairs at_begin) : function_(function), apart_(at_begin) {}

  SgprPairs Run(const Block& block) {
    for (const Value v : block.insts) {
      const Inst& inst = function_[v];
      const auto n = static_cast<size_t>(inst.imm);
      if (inst.op == Op::kSetSgpr) {
        Forget(n);
      } else if (inst.op == Op::kSetSgpr64 && inst.imm == kExec) {
        SetExec(inst.args[0]);
      } else if (inst.op == Op::kSetSgpr64) {
        Forget(n);
        Forget(n + 1);
        SetPair(n, inst.args[0]);
      }
    }
    return apart_;
  }

 private:
  void Forget(size_t written) {
    ForgetApartMasks(written, apart_);
    is_exec_known_ &= written != kExec && written != kExec + 1;
    std::erase_if(
        sets_, [&](const auto& set) { return set.first == written || set.first + 1 == written; });
  }

  void SetExec(Value v) {
    // What EXEC had no lane of, fewer of its lanes have none of either.
    if (!is_exec_known_ || exec_ || !IsWithinExec(v, kDeepest)) apart_.reset();
    is_exec_known_ = true;
    exec_ = v;
    for (const auto& [pair, value] : sets_) {
      if (IsEmpty(value) || Excludes(v, value, kDeepest)) apart_.set(pair);
    }
  }

  void SetPair(size_t pair, Value v) {
    if (pair + 1 >= kExec) return;
    sets_.emplace_back(pair, v);
    apart_[pair] = IsEmpty(v) || (is_exec_known_ && exec_ && Excludes(exec_, v, kDeepest));
  }

  bool IsEmpty(Value v) const {
    const Inst& inst = function_[v];
    return inst.op == Op::kConst && inst.imm == 0;
  }

  // Has the mask lanes of EXEC as it was at the block's begin alone?
  bool IsWithinExec(Value v, int depth) const {
    const Inst& inst = function_[v];
    if (depth == 0) return false;
    switch (inst.op) {
      case Op::kGetSgpr64: return inst.imm == kExec;
      case Op::kAnd:
        return IsWithinExec(inst.args[0], depth - 1) || IsWithinExec(inst.args[1], depth - 1);
      case Op::kAndNot: return IsWithinExec(inst.args[0], depth - 1);
      default: return false;
    }
  }

  // Has the mask no lane of `other`?
  bool Excludes(Value v, Value other, int depth) const {
    const Inst& inst = function_[v];
    if (depth == 0) return false;
    switch (inst.op) {
      case Op::kAnd:
        return Excludes(inst.args[0], other, depth - 1) || Excludes(inst.args[1], other, depth - 1);
      case Op::kAndNot: return inst.args[1] == other || Excludes(inst.args[0], other, depth - 1);
      default: return false;
    }
  }

  const Function& function_;
  SgprPairs apart_;
  // What the block has set: EXEC, none if it has not; pairs.
  bool is_exec_known_ = true;
  Value exec_;
  std::vector<std::pair<size_t, Value>> sets_;
};

}  // namespace

SgprPairs ApartMasksAtEnd(const Function& function, const Block& block, SgprPairs at_begin) {
  return Follower(function, at_begin).Run(block);
}

void ForgetApartMasks(size_t written_sgpr, SgprPairs& apart) {
  if (written_sgpr == kExec || written_sgpr == kExec + 1) {
    apart.reset();
    return;
  }
  if (written_sgpr < apart.size()) apart.reset(written_sgpr);
  if (written_sgpr != 0) apart.reset(written_sgpr - 1);
}

}  // namespace gcnjit::ir
