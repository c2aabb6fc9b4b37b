#include "backend_x64/plan/block_invariants.h"

#include <fmt/format.h>

#include <bitset>

namespace gcnjit::backend {
namespace {

using ir::Inst;
using ir::Op;

struct Seen {
  std::bitset<256> read_vgprs;
  std::bitset<256> written_vgprs;
  std::bitset<129> written_sgprs;
  bool written_scc = false;
};

// What is wrong with the operation, after those that have been seen.
std::string WhatIsWrong(const Inst& inst, Seen& seen) {
  const auto number = static_cast<size_t>(inst.imm);
  switch (inst.op) {
    case Op::kGetVgpr:
      if (seen.written_vgprs[number]) return fmt::format("v{} is read after its write", number);
      if (seen.read_vgprs[number]) return fmt::format("v{} is read twice", number);
      seen.read_vgprs.set(number);
      return {};
    case Op::kSetVgpr:
      if (seen.written_vgprs[number]) return fmt::format("v{} is written twice", number);
      seen.written_vgprs.set(number);
      return {};
    case Op::kGetSgpr64:
    case Op::kGetSgpr: {
      const bool pair = inst.op == Op::kGetSgpr64;
      if (seen.written_sgprs[number] || (pair && seen.written_sgprs[number + 1])) {
        return fmt::format("s{} is read after its write", number);
      }
      return {};
    }
    case Op::kSetSgpr64: seen.written_sgprs.set(number + 1); [[fallthrough]];
    case Op::kSetSgpr: seen.written_sgprs.set(number); return {};
    case Op::kGetScc: return seen.written_scc ? "SCC is read after its write" : "";
    case Op::kSetScc: seen.written_scc = true; return {};
    default: return {};
  }
}

}  // namespace

std::string BrokenInvariant(const ir::Function& function) {
  for (const ir::Block& block : function.blocks) {
    Seen seen;
    for (const ir::Value v : block.insts) {
      const std::string wrong = WhatIsWrong(function[v], seen);
      if (!wrong.empty()) return fmt::format("block {:#x}: {}", block.begin, wrong);
    }
  }
  return {};
}

}  // namespace gcnjit::backend
