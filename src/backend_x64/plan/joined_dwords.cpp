#include "backend_x64/plan/joined_dwords.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "ir/analysis/uses.h"
#include "ir/compute.h"

namespace gcnjit::backend {
namespace {

using ir::Effect;
using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

constexpr int kMostDwords = 4;

// The values of an element's dwords, in their order.
struct Element {
  std::array<Value, kMostDwords> dwords = {};
  int count = 0;

  std::span<const Value> All() const { return {dwords.data(), static_cast<size_t>(count)}; }
};

class JoinedFinder {
 public:
  explicit JoinedFinder(const BlockContext& block)
      : block_(block),
        function_(block.function),
        uses_(ir::CountUses(function_, block.source)),
        element_of_(function_.insts.size(), kNone),
        joined_(function_.insts.size()) {}

  std::vector<uint8_t> Find() {
    if (block_.IsLoop()) return std::move(joined_);
    for (const Value v : block_.source.insts) {
      if (function_[v].op == Op::kStore && IsCandidate(v)) TakeStore(v);
    }
    // Dwords that anything else uses spoil all that they are computed of and into.
    for (size_t n = 0; n < elements_.size(); ++n) {
      for (const Value v : elements_[n].element.All()) {
        if (uses_[v.id] != 0) elements_[Root(n)].is_spoilt = true;
      }
    }
    for (size_t n = 0; n < elements_.size(); ++n) {
      if (elements_[Root(n)].is_spoilt) continue;
      for (const Value access : elements_[n].accesses) joined_[access.id] = 1;
    }
    return std::move(joined_);
  }

 private:
  static constexpr size_t kNone = ~size_t{0};
  static constexpr size_t kNever = kNone - 1;  // has been looked at, and is none
  static constexpr int kDeepest = 256;         // of operations that are followed

  struct Node {
    Element element;
    size_t root;  // of those that are joined or not together
    bool is_spoilt = false;
    std::vector<Value> accesses = {};
  };

  bool IsCandidate(Value v) const {
    const Inst& inst = function_[v];
    const ir::MemoryAccess access = inst.access();
    const auto step = static_cast<int32_t>(access.IndexStep());
    if (!inst.IsIndexed() || access.bytes < 8 || access.quadwords || step == 0) return false;
    if (!block_.IsAllLanes(inst.args[2]) || block_.IsShared(v)) return false;
    const int parts = ir::kLanes / block_.lanes;
    return block_.ShapeOfAddress(inst.args[0], parts).IsRun(0, parts, step);
  }

  void TakeStore(Value store) {
    const Inst& inst = function_[store];
    Element data;
    data.count = inst.access().Dwords();
    for (int n = 0; n < data.count; ++n) data.dwords[Index(n)] = inst.args[3 + n];
    const std::optional<size_t> node = NodeOf(data);
    if (!node) return;
    elements_[*node].accesses.push_back(store);
    CountDown(data);
  }

  static size_t Index(int n) { return static_cast<size_t>(n); }
  void CountDown(const Element& element) {
    for (const Value v : element.All()) --uses_[v.id];
  }

  size_t Root(size_t n) {
    while (elements_[n].root != n) n = elements_[n].root = elements_[elements_[n].root].root;
    return n;
  }
  void Unite(size_t x, size_t y) { elements_[Root(x)].root = Root(y); }

  // None: they are no element's dwords.
  std::optional<size_t> NodeOf(const Element& element, int depth = 0) {
    const size_t known = element_of_[element.dwords[0].id];
    if (known == kNever) return std::nullopt;
    if (known != kNone) {
      const bool is_same = std::ranges::equal(elements_[known].element.All(), element.All());
      return is_same ? std::optional(known) : std::nullopt;
    }
    const std::optional<size_t> node = NewNodeOf(element, depth);
    if (!node) element_of_[element.dwords[0].id] = kNever;
    return node;
  }

  std::optional<size_t> NewNodeOf(const Element& element, int depth) {
    for (const Value v : element.All()) {
      if (element_of_[v.id] != kNone || std::ranges::count(element.All(), v) != 1) {
        return std::nullopt;
      }
    }
    if (function_[element.dwords[0]].op == Op::kLoad) return LoadedNode(element);
    if (depth == kDeepest || !IsOfEachDword(element)) return std::nullopt;
    return ComputedNode(element, depth);
  }

  size_t Add(const Element& element) {
    const size_t node = elements_.size();
    elements_.push_back({element, node});
    for (const Value v : element.All()) element_of_[v.id] = node;
    return node;
  }

  std::optional<size_t> LoadedNode(const Element& element) {
    const Value load = element.dwords[0];
    if (!IsCandidate(load) || function_[load].access().Dwords() != element.count) {
      return std::nullopt;
    }
    for (int n = 1; n < element.count; ++n) {
      const Inst& part = function_[element.dwords[Index(n)]];
      if (part.op != Op::kPart || part.args[0] != load || part.imm != n) return std::nullopt;
    }
    const size_t node = Add(element);
    elements_[node].accesses.push_back(load);
    uses_[load.id] -= static_cast<uint32_t>(element.count - 1);
    return node;
  }

  // Is it one operation, whose lanes do not depend on each other?
  bool IsOfEachDword(const Element& element) const {
    const Inst& first = function_[element.dwords[0]];
    if (ir::InfoOf(first.op).effect != Effect::kPure || first.argument_count == 0) return false;
    if (first.op == Op::kPart || (first.type != Type::kV32 && !IsLaneMask(first))) return false;
    for (const Value v : element.All()) {
      const Inst& inst = function_[v];
      if (inst.op != first.op || inst.type != first.type || inst.imm != first.imm ||
          inst.aux != first.aux || inst.argument_count != first.argument_count) {
        return false;
      }
    }
    return true;
  }
  static bool IsLaneMask(const Inst& inst) {
    return inst.type == Type::kU64 && (ir::IsAnyCompare(inst.op) || ir::TakesMask(inst, 0));
  }

  std::optional<size_t> ComputedNode(const Element& element, int depth) {
    const Inst& first = function_[element.dwords[0]];
    std::array<std::optional<size_t>, ir::kMaxArguments> arguments;
    bool has_lanes = false;
    for (int n = 0; n < first.argument_count; ++n) {
      Element argument;
      argument.count = element.count;
      for (int d = 0; d < element.count; ++d) {
        argument.dwords[Index(d)] = function_[element.dwords[Index(d)]].args[n];
      }
      const Inst& of_first = function_[argument.dwords[0]];
      if (ir::IsScalar(of_first.type) && !ir::TakesMask(first, n)) {
        if (!IsOneScalar(argument)) return std::nullopt;
        continue;
      }
      arguments[Index(n)] = NodeOf(argument, depth + 1);
      if (!arguments[Index(n)]) return std::nullopt;
      has_lanes = true;
    }
    if (!has_lanes) return std::nullopt;
    const size_t node = Add(element);
    for (int n = 0; n < first.argument_count; ++n) {
      if (!arguments[Index(n)]) continue;
      CountDown(elements_[*arguments[Index(n)]].element);
      Unite(node, *arguments[Index(n)]);
    }
    return node;
  }

  bool IsOneScalar(const Element& argument) const {
    const Inst& first = function_[argument.dwords[0]];
    return std::ranges::all_of(argument.All(), [&](Value v) {
      const Inst& inst = function_[v];
      return v == argument.dwords[0] || (inst.op == Op::kConst && first.op == Op::kConst &&
                                         inst.type == first.type && inst.imm == first.imm);
    });
  }

  const BlockContext& block_;
  const ir::Function& function_;
  std::vector<uint32_t> uses_;      // by value id: those that are not of an element
  std::vector<size_t> element_of_;  // by value id: of which node
  std::vector<Node> elements_;
  std::vector<uint8_t> joined_;
};

}  // namespace

std::vector<uint8_t> FindJoinedDwords(const BlockContext& block) {
  return JoinedFinder(block).Find();
}

}  // namespace gcnjit::backend
