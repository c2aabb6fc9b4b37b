#include "backend_x64/plan/streams.h"

#include <algorithm>
#include <optional>

namespace gcnjit::backend {
namespace {

using ir::Effect;
using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

class StreamFinder {
 public:
  StreamFinder(const ir::Function& function, const ir::Block& block) : function_(function) {
    for (const Value v : block.insts) {
      if (ir::InfoOf(Of(v).op).effect == Effect::kState && Of(v).type == Type::kVoid) {
        sets_.push_back(v);
      }
    }
  }

  bool IsStream(const Inst& load) const {
    return load.op == Op::kLoad && load.access().bytes <= 4 && GoesElementByElement(load);
  }
  bool StoresRow(const Inst& store) const {
    return store.op == Op::kStore && GoesElementByElement(store);
  }

 private:
  const Inst& Of(Value v) const { return function_[v]; }

  bool GoesElementByElement(const Inst& inst) const {
    const ir::MemoryAccess access = inst.access();
    if (!IsExec(inst.args[2])) return false;
    const std::optional<uint32_t> step = StepOf(inst.args[0], 0);
    if (!step) return false;
    if (!inst.IsIndexed()) return *step == access.bytes;
    return uint64_t{*step} << access.index_shift == access.bytes && StepOf(inst.args[1], 0) == 0u &&
           StepOfHigh(inst.args[1]) == 0u;
  }

  // All lanes, or those that EXEC has when an iteration begins: it does not grow within the loop.
  bool IsExec(Value mask) const {
    const Inst& inst = Of(mask);
    return (inst.op == Op::kGetSgpr64 && inst.imm == ir::kExec) ||
           (inst.op == Op::kConst && inst.imm == -1);
  }

  // What is added to the low dword with each iteration. None: that is not known.
  std::optional<uint32_t> StepOf(Value v, int depth) const {
    constexpr int kMostDepth = 12;
    if (depth > kMostDepth) return std::nullopt;
    const Inst& inst = Of(v);
    const auto of = [&](int n) { return StepOf(inst.args[n], depth + 1); };
    switch (inst.op) {
      case Op::kConst: return 0;
      case Op::kGetVgpr:
      case Op::kGetSgpr:
      case Op::kGetSgpr64: return StepOfRegister(v);
      case Op::kLow:
      case Op::kPack:
      case Op::kZext:
      case Op::kSext: return of(0);
      case Op::kAdd:
      case Op::kSub: {
        const std::optional<uint32_t> x = of(0);
        const std::optional<uint32_t> y = of(1);
        if (!x || !y) return std::nullopt;
        return inst.op == Op::kAdd ? *x + *y : *x - *y;
      }
      case Op::kShl: {
        const std::optional<uint32_t> count = Constant(inst.args[1]);
        const std::optional<uint32_t> x = of(0);
        if (!count || *count > 31 || !x) return std::nullopt;
        return *x << *count;
      }
      case Op::kMul: {
        const std::optional<uint32_t> factor = Constant(inst.args[1]);
        const std::optional<uint32_t> x = of(0);
        if (x == 0u && of(1) == 0u) return 0;
        if (!factor || !x) return std::nullopt;
        return *x * *factor;
      }
      default: return std::nullopt;
    }
  }

  // 0, of what does not change. None: that is not known.
  std::optional<uint32_t> StepOfHigh(Value v) const {
    const Inst& inst = Of(v);
    if (inst.op == Op::kConst) return 0;
    if (inst.op != Op::kGetSgpr64) return std::nullopt;
    return StepOfRegister(v);
  }

  std::optional<uint32_t> StepOfRegister(Value get) const {
    const Inst& read = Of(get);
    for (const Value set : sets_) {
      if (!Writes(Of(set), read)) continue;
      if (Of(set).imm != read.imm || Of(set).op == Op::kSetSgpr64) return std::nullopt;
      Value next = Of(set).args[0];
      // Lanes that EXEC does not have are never read again.
      const bool is_kept = Of(next).op == Op::kSelect && IsExec(Of(next).args[0]);
      if (is_kept) next = Of(next).args[1];
      return next == get ? 0 : Difference(next, get);
    }
    return 0;
  }

  // next - v
  std::optional<uint32_t> Difference(Value next, Value v) const {
    const Inst& sum = Of(next);
    if (sum.op != Op::kAdd) return std::nullopt;
    if (sum.args[0] == v) return Constant(sum.args[1]);
    return sum.args[1] == v ? Constant(sum.args[0]) : std::nullopt;
  }

  std::optional<uint32_t> Constant(Value v) const {
    if (Of(v).op != Op::kConst) return std::nullopt;
    return static_cast<uint32_t>(Of(v).imm);
  }

  // Does the one change what the other reads?
  static bool Writes(const Inst& set, const Inst& get) {
    const bool is_vgpr = set.op == Op::kSetVgpr;
    if (is_vgpr != (get.op == Op::kGetVgpr)) return false;
    if (!is_vgpr && set.op != Op::kSetSgpr && set.op != Op::kSetSgpr64) return false;
    const int64_t after_set = set.imm + (set.op == Op::kSetSgpr64 ? 2 : 1);
    const int64_t after_get = get.imm + (get.op == Op::kGetSgpr64 ? 2 : 1);
    return set.imm < after_get && get.imm < after_set;
  }

  const ir::Function& function_;
  std::vector<Value> sets_;
};

}  // namespace

std::vector<Value> FindStreams(const ir::Function& function, const ir::Block& block) {
  constexpr size_t kMost = 8;  // each takes memory
  const StreamFinder finder(function, block);
  std::vector<Value> streams;
  for (const Value v : block.insts) {
    if (streams.size() < kMost && finder.IsStream(function[v])) streams.push_back(v);
  }
  return streams;
}

bool StoresRows(const ir::Function& function, const ir::Block& block) {
  const StreamFinder finder(function, block);
  return std::any_of(block.insts.begin(), block.insts.end(),
                     [&](Value v) { return finder.StoresRow(function[v]); });
}

}  // namespace gcnjit::backend
