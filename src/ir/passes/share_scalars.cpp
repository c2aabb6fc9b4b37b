// Scalars that all waves of a work-group compute alike when they start: the first wave leaves them
// for the others (set_common, get_common).
#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "ir/append.h"
#include "ir/builder.h"
#include "ir/compute.h"
#include "ir/passes.h"

namespace gcnjit::ir {
namespace {

class Sharing {
 public:
  explicit Sharing(Function& function) : function_(function) {}

  void Run() {
    std::optional<uint64_t> entry;
    Block* leader = nullptr;
    for (Block& block : function_.blocks) {
      if (WaveOf(block.begin) < 0) continue;
      if (!entry) {
        entry = WithoutWave(block.begin);
        leader = &block;
        Number(block, /*is_leader=*/true);
      } else if (WithoutWave(block.begin) == *entry) {
        Follow(block);
      } else {
        // Stores of the blocks in between may change what has been read before.
        for (const Value v : block.insts) CountStore(function_[v]);
      }
    }
    if (leader != nullptr && !common_.empty()) Leave(*leader);
  }

 private:
  // What an operation computes: with the numbers of its arguments, and when it read memory.
  using Key = std::tuple<Op, Type, int64_t, uint32_t, std::array<int, kMaxArguments>, int>;

  void CountStore(const Inst& inst) {
    switch (inst.op) {
      case Op::kStore:
      case Op::kAtomic:
      case Op::kFence: ++stores_; return;
      default: return;
    }
  }

  // Does it depend on nothing but its arguments, and on what the waves have in common?
  bool MayBeCommon(const Inst& inst) const {
    if (inst.type == Type::kVoid || IsLanes(inst.type)) return false;
    switch (inst.op) {
      case Op::kGetSgpr:
      case Op::kGetSgpr64:
      case Op::kLoadScalar: break;
      default:
        if (InfoOf(inst.op).effect != Effect::kPure) return false;
        if (IsAnyCompare(inst.op) && inst.type == Type::kU64) return false;  // a mask of lanes
    }
    for (int n = 0; n < inst.argument_count; ++n) {
      if (!number_of_.contains(inst.args[n].id)) return false;
    }
    return true;
  }

  // Numbers of the block's values that the waves have in common: as the first one's, or new ones.
  void Number(const Block& block, bool is_leader) {
    number_of_.clear();
    for (const Value v : block.insts) {
      const Inst& inst = function_[v];
      CountStore(inst);
      if (!MayBeCommon(inst)) continue;
      Key key{inst.op, inst.type, inst.imm, inst.aux, {}, inst.op == Op::kLoadScalar ? stores_ : 0};
      for (int n = 0; n < inst.argument_count; ++n) {
        std::get<4>(key)[static_cast<size_t>(n)] = number_of_.at(inst.args[n].id);
      }
      if (is_leader) {
        const auto number = static_cast<int>(first_.size());
        const auto [at, is_new] = numbers_.try_emplace(key, number);
        if (is_new) first_.push_back(v);
        number_of_[v.id] = at->second;
      } else if (const auto found = numbers_.find(key); found != numbers_.end()) {
        number_of_[v.id] = found->second;
      }
    }
  }

  // A later wave's block: operations that are not shared read what the first wave has left.
  void Follow(Block& block) {
    Number(block, /*is_leader=*/false);
    std::vector<Value> kept;
    std::unordered_map<uint32_t, Value> taken;  // by the value's id
    for (const Value v : block.insts) {
      if (IsTaken(v)) continue;
      for (int n = 0; n < function_[v].argument_count; ++n) {
        const Value argument = function_[v].args[n];
        if (!IsTaken(argument)) continue;
        Value& common = taken[argument.id];
        if (!common) {
          common = Append(function_, {Op::kGetCommon,
                                      function_[argument].type,
                                      0,
                                      function_[v].guest,
                                      0,
                                      PlaceOf(number_of_.at(argument.id)),
                                      {}});
          kept.push_back(common);
        }
        function_[v].args[n] = common;
      }
      kept.push_back(v);
    }
    block.insts = std::move(kept);
  }

  // Not if it costs no more than reading what has been left.
  bool IsTaken(Value v) const {
    const Op op = function_[v].op;
    const bool is_near = op == Op::kConst || op == Op::kGetSgpr || op == Op::kGetSgpr64;
    return !is_near && number_of_.contains(v.id);
  }

  // Where the value of that number is left.
  int64_t PlaceOf(int number) {
    return common_.try_emplace(number, static_cast<int64_t>(common_.size())).first->second;
  }

  // The first wave's block leaves what the others read; a part stays right after its load.
  void Leave(Block& block) {
    std::unordered_map<uint32_t, int64_t> place_of;
    for (const auto& [number, place] : common_) {
      place_of.emplace(first_[static_cast<size_t>(number)].id, place);
    }
    std::vector<Value> kept;
    std::vector<Value> waiting;
    for (const Value v : block.insts) {
      if (function_[v].op != Op::kPart) {
        kept.insert(kept.end(), waiting.begin(), waiting.end());
        waiting.clear();
      }
      kept.push_back(v);
      const auto place = place_of.find(v.id);
      if (place == place_of.end()) continue;
      Inst leave{Op::kSetCommon, Type::kVoid, 1, function_[v].guest, 0, place->second, {}};
      leave.args[0] = v;
      waiting.push_back(Append(function_, leave));
    }
    block.insts = std::move(kept);
  }

  Function& function_;
  int stores_ = 0;  // so far, to memory that scalar loads read
  std::map<Key, int> numbers_;
  std::vector<Value> first_;                     // by number
  std::unordered_map<uint32_t, int> number_of_;  // of the block's values, by id
  std::map<int, int64_t> common_;                // places by number
};

}  // namespace

void ShareScalars(Function& function) {
  Sharing(function).Run();
  RemoveDead(function);
}

}  // namespace gcnjit::ir
