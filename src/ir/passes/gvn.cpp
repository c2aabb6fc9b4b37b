// Value numbering within a block: of operations with the same arguments the first one serves all.
// Reads of registers count as such an operation as long as no register is written between them.
#include <bit>
#include <utility>

#include "ir/passes.h"

namespace gcnjit::ir {
namespace {

bool Same(const Inst& a, const Inst& b) {
  if (a.op != b.op || a.type != b.type || a.argument_count != b.argument_count || a.imm != b.imm ||
      a.aux != b.aux) {
    return false;
  }
  for (int n = 0; n < a.argument_count; ++n) {
    if (a.args[n] != b.args[n]) return false;
  }
  return true;
}

uint64_t HashOf(const Inst& inst, uint32_t epoch) {
  constexpr uint64_t kMultiplier = 0x9E3779B97F4A7C15;
  uint64_t hash = static_cast<uint64_t>(inst.op) | static_cast<uint64_t>(inst.type) << 8 |
                  uint64_t{inst.aux} << 16 | uint64_t{epoch} << 48;
  const auto mix = [&](uint64_t word) {
    hash = (hash ^ word) * kMultiplier;
    hash ^= hash >> 32;
  };
  mix(static_cast<uint64_t>(inst.imm));
  for (int n = 0; n < inst.argument_count; ++n) mix(inst.args[n].id);
  return hash;
}

class Numbering {
 public:
  explicit Numbering(Function& function) : function_(function), replaced_(function.insts.size()) {}

  void Run(Block& block) {
    slots_.assign(std::bit_ceil(block.insts.size() * 2 + 1), Slot{});
    epoch_ = 0;
    size_t kept = 0;
    for (const Value value : block.insts) {
      Inst& inst = function_[value];
      for (int n = 0; n < inst.argument_count; ++n) {
        const Value by = replaced_[inst.args[n].id];
        if (by) inst.args[n] = by;
      }
      const Value first = FirstLike(value);
      if (first) {
        replaced_[value.id] = first;
      } else {
        block.insts[kept++] = value;
      }
    }
    block.insts.resize(kept);
  }

 private:
  struct Slot {
    Value value;
    uint32_t epoch = 0;
  };

  // An earlier instruction that computes the same; else remembers this one.
  Value FirstLike(Value value) {
    Inst& inst = function_[value];
    const Effect effect = InfoOf(inst.op).effect;
    const bool reads_state = effect == Effect::kState && inst.type != Type::kVoid;
    const bool is_note = inst.op == Op::kNoteExec || inst.op == Op::kSkipped;
    if (effect == Effect::kState && !reads_state && !is_note) ++epoch_;
    if (effect != Effect::kPure && effect != Effect::kWhole && !reads_state) return {};
    if (InfoOf(inst.op).Has(Trait::kCommutes) && inst.args[0].id > inst.args[1].id &&
        function_[inst.args[1]].op != Op::kConst) {
      std::swap(inst.args[0], inst.args[1]);
    }
    const uint32_t epoch = reads_state ? epoch_ : 0;
    const size_t mask = slots_.size() - 1;
    for (size_t n = HashOf(inst, epoch) & mask;; n = (n + 1) & mask) {
      Slot& slot = slots_[n];
      if (!slot.value) {
        slot = {value, epoch};
        return {};
      }
      if (slot.epoch == epoch && Same(function_[slot.value], inst)) return slot.value;
    }
  }

  Function& function_;
  std::vector<Value> replaced_;
  std::vector<Slot> slots_;
  uint32_t epoch_ = 0;
};

}  // namespace

void NumberValues(Function& function) {
  Numbering numbering(function);
  for (Block& block : function.blocks) numbering.Run(block);
}

}  // namespace gcnjit::ir
