// Sums of lanes are exact modulo 2^32 in any order. The order of the guest's additions is one in
// which a GPU, with other waves to run meanwhile, loses nothing by waiting for each of them; a host
// does: what is known early had better be added early, and what comes last, last.
//
//   ((late + a) + b) + c   ->   late + ((a + b) + c)
#include <algorithm>
#include <array>
#include <vector>

#include "ir/passes.h"

namespace gcnjit::ir {
namespace {

// Of one sum: work grows with the square, and guests may have sums of any length.
constexpr size_t kMostSums = 32;

// About how long the host takes, in steps of an addition.
int LatencyOf(const Inst& inst) {
  switch (inst.op) {
    case Op::kConst:
    case Op::kGetSgpr:
    case Op::kGetSgpr64:
    case Op::kGetVgpr:
    case Op::kPart:
    case Op::kLaneId: return 0;
    case Op::kMul:
    case Op::kMulHiU:
    case Op::kMulHiS:
    case Op::kMulWideU:
    case Op::kMulWideS:
    case Op::kFAdd:
    case Op::kFSub:
    case Op::kFMul:
    case Op::kFFma:
    case Op::kLoad:
    case Op::kLoadSwizzled:
    case Op::kLoadLds:
    case Op::kBpermute: return 4;
    default: return 1;
  }
}

class Balancer {
 public:
  Balancer(Function& function, Block& block)
      : function_(function),
        block_(block),
        uses_(function.insts.size()),
        summed_(function.insts.size()),
        depth_(function.insts.size()),
        place_(function.insts.size()),
        sums_after_(block.insts.size()),
        moved_(function.insts.size()) {}

  void Run() {
    for (size_t n = 0; n < block_.insts.size(); ++n) {
      const Value value = block_.insts[n];
      place_[value.id] = n;
      const Inst& inst = Def(value);
      for (int a = 0; a < inst.argument_count; ++a) {
        ++uses_[inst.args[a].id];
        summed_[inst.args[a].id] = IsSum(value);
      }
    }
    bool changed = false;
    for (const Value value : block_.insts) {
      SetDepth(value);
      if (IsSum(value) && !IsInner(value)) changed |= Balance(value);
    }
    if (changed) Rearrange();
  }

 private:
  const Inst& Def(Value value) const { return function_[value]; }
  bool IsSum(Value value) const {
    return Def(value).op == Op::kAdd && Def(value).type == Type::kV32;
  }
  // Of a sum: is it part of another one, and of nothing else?
  bool IsInner(Value value) const {
    return IsSum(value) && uses_[value.id] == 1 && summed_[value.id];
  }

  void SetDepth(Value value) {
    const Inst& inst = Def(value);
    int depth = 0;
    for (int n = 0; n < inst.argument_count; ++n) {
      depth = std::max(depth, depth_[inst.args[n].id]);
    }
    depth_[value.id] = depth + LatencyOf(inst);
  }

  bool IsScalar(Value value) const { return Def(value).type == Type::kU32; }

  void Gather(Value sum) {
    for (const Value term : {Def(sum).args[0], Def(sum).args[1]}) {
      if (!IsInner(term) || ++gathered_ >= kMostSums) {
        terms_.push_back(term);
        continue;
      }
      Gather(term);
      sums_.push_back(term);
    }
  }

  // Of the terms that are left, the one that is known first; `lanes`: that is no scalar.
  size_t Earliest(bool lanes) const {
    size_t earliest = terms_.size();
    for (size_t n = 0; n < terms_.size(); ++n) {
      if (lanes && IsScalar(terms_[n])) continue;
      if (earliest == terms_.size() || depth_[terms_[n].id] < depth_[terms_[earliest].id]) {
        earliest = n;
      }
    }
    return earliest;
  }
  Value TakeEarliest(bool lanes) {
    const auto at = terms_.begin() + static_cast<ptrdiff_t>(Earliest(lanes));
    const Value term = *at;
    terms_.erase(at);
    return term;
  }

  bool Balance(Value root) {
    terms_.clear();
    sums_.clear();
    gathered_ = 0;
    Gather(root);
    if (sums_.empty() || DepthOfBest() >= depth_[root.id]) return false;
    sums_.push_back(root);
    for (const Value sum : sums_) {
      // Two scalars are not added up: that would be another kind of operation.
      const Value a = TakeEarliest(/*lanes=*/true);
      const Value b = TakeEarliest(/*lanes=*/false);
      Inst& inst = function_[sum];
      inst.args[0] = a;
      inst.args[1] = b;
      depth_[sum.id] = std::max(depth_[a.id], depth_[b.id]) + 1;
      if (sum == root) break;
      place_[sum.id] = LastPartAt(std::max(place_[a.id], place_[b.id]));
      sums_after_[place_[sum.id]].push_back(sum);
      moved_[sum.id] = true;
      terms_.push_back(sum);
    }
    return true;
  }
  // A load's parts stay together.
  size_t LastPartAt(size_t place) const {
    while (place + 1 < block_.insts.size() && Def(block_.insts[place + 1]).op == Op::kPart) ++place;
    return place;
  }
  int DepthOfBest() const {
    std::vector<std::pair<int, bool>> depths;  // and whether it is a scalar's
    for (const Value term : terms_) depths.emplace_back(depth_[term.id], IsScalar(term));
    while (depths.size() > 1) {
      std::sort(depths.begin(), depths.end());
      const auto lanes =
          std::find_if(depths.begin(), depths.end(), [](const auto& term) { return !term.second; });
      const int first = lanes->first;
      depths.erase(lanes);
      const int second = depths.front().first;
      depths.front() = {std::max(first, second) + 1, false};
    }
    return depths.front().first;
  }

  // Sums move to after the later one of their terms.
  void Rearrange() {
    std::vector<Value> order;
    order.reserve(block_.insts.size());
    for (size_t n = 0; n < block_.insts.size(); ++n) {
      if (!moved_[block_.insts[n].id]) order.push_back(block_.insts[n]);
      order.insert(order.end(), sums_after_[n].begin(), sums_after_[n].end());
    }
    block_.insts.swap(order);
  }

  Function& function_;
  Block& block_;
  // By value id.
  std::vector<uint32_t> uses_;
  std::vector<bool> summed_;  // the last use is a term of a sum
  std::vector<int> depth_;
  std::vector<size_t> place_;                   // in the block as it was
  std::vector<std::vector<Value>> sums_after_;  // by place: the sums that move there
  std::vector<bool> moved_;
  // Of the sum at hand.
  std::vector<Value> terms_;
  std::vector<Value> sums_;
  size_t gathered_ = 0;
};

}  // namespace

void BalanceAdds(Function& function) {
  for (Block& block : function.blocks) Balancer(function, block).Run();
}

}  // namespace gcnjit::ir
