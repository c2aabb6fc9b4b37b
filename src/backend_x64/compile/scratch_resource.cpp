#include "backend_x64/compile/scratch_resource.h"

#include <algorithm>

#include "ir/passes.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Value;

namespace {

constexpr int64_t kSwizzleEnable = 31, kAddTidEnable = 23;  // bits of words 1 and 3
constexpr int64_t kHighBits = 16;

bool IsSwizzledAccess(Op op) { return op == Op::kLoadSwizzled || op == Op::kStoreSwizzled; }

bool IsConst(const ir::Function& alone, Value v, int64_t number) {
  return alone[v].op == Op::kConst && alone[v].imm == number;
}

bool IsShift(const ir::Function& alone, const Inst& inst, Value of, int64_t by) {
  return inst.op == Op::kLshr && inst.args[0] == of && IsConst(alone, inst.args[1], by);
}

// 0 or 1.
bool IsCarry(const ir::Function& alone, Value v) {
  const Inst& inst = alone[v];
  return inst.op == Op::kSelect && IsConst(alone, inst.args[1], 1) &&
         IsConst(alone, inst.args[2], 0);
}

// Of the sum of word 1 and what is carried to it from the base's low dword: word 1.
Value WithoutCarry(const ir::Function& alone, Value v) {
  const Inst& inst = alone[v];
  if (inst.op != Op::kAdd) return v;
  for (int n = 0; n < 2; ++n) {
    if (IsCarry(alone, inst.args[1 - n])) return inst.args[n];
  }
  return v;
}

// The SGPR that the value is at the block's begin; -1: it is none.
int SgprOf(const ir::Function& alone, Value v) {
  return alone[v].op == Op::kGetSgpr ? static_cast<int>(alone[v].imm) : -1;
}

bool Writes(const Inst& inst, int first, int end) {
  if (inst.op != Op::kSetSgpr && inst.op != Op::kSetSgpr64) return false;
  return inst.imm < end && inst.imm + (inst.op == Op::kSetSgpr64 ? 2 : 1) > first;
}

}  // namespace

std::vector<int> FindScratchResources(const ir::Function& alone) {
  const ir::Block& block = alone.blocks[0];
  std::vector<int> with_word1, with_word3;
  bool is_swizzled = false;
  for (const Value v : block.insts) {
    const Inst& inst = alone[v];
    is_swizzled |= IsSwizzledAccess(inst.op);
    if (inst.op != Op::kLshr) continue;
    const Value of = inst.args[0];
    if (IsShift(alone, inst, of, kSwizzleEnable)) {
      with_word1.push_back(SgprOf(alone, WithoutCarry(alone, of)) - 1);
    }
    if (IsShift(alone, inst, of, kAddTidEnable)) with_word3.push_back(SgprOf(alone, of) - 3);
  }
  std::vector<int> found;
  if (!is_swizzled) return found;
  for (const int first : with_word1) {
    const bool is_known = first >= 0 && std::ranges::find(with_word3, first) != with_word3.end();
    const bool is_new = std::ranges::find(found, first) == found.end();
    const bool is_kept = !block.IsLoop() || std::ranges::none_of(block.insts, [&](Value v) {
      return Writes(alone[v], first, first + 4);
    });
    if (is_known && is_new && is_kept) found.push_back(first);
  }
  return found;
}

void AssumeScratchWords(ir::Function& alone, const std::vector<int>& resources,
                        const ScratchWords& words) {
  const auto is_word = [&](Value v, int word) {
    const int sgpr = SgprOf(alone, v);
    return sgpr >= 0 && std::ranges::find(resources, sgpr - word) != resources.end();
  };
  const auto become = [](Inst& inst, uint32_t number) {
    inst.op = Op::kConst;
    inst.imm = number;
    inst.argument_count = 0;
  };
  for (const Value v : alone.blocks[0].insts) {
    Inst& inst = alone[v];
    if (inst.op != Op::kLshr || alone[inst.args[1]].op != Op::kConst) continue;
    const int64_t by = alone[inst.args[1]].imm;
    if (by < kHighBits || !is_word(WithoutCarry(alone, inst.args[0]), 1)) continue;
    become(inst, words.high1 >> (by - kHighBits));
  }
  for (const Value v : alone.blocks[0].insts) {
    if (is_word(v, 3)) become(alone[v], words.word3);
  }
  ir::OptimiseAgain(alone);
}

}  // namespace gcnjit::backend
