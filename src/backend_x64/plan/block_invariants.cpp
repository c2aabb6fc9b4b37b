#include "backend_x64/plan/block_invariants.h"

#include <fmt/format.h>

#include <bitset>

namespace gcnjit::backend {
namespace {

using ir::Inst;
using ir::Op;

struct Seen {
  std::bitset<ir::kVgprs> read_vgprs;
  std::bitset<ir::kVgprs> written_vgprs;
  std::bitset<129> written_sgprs;
  bool written_scc = false;
  bool written_by_number = false;  // a VGPR
  bool matrices = false;
};

// What is wrong with the operation, after those that have been seen.
std::string WhatIsWrong(const Inst& inst, Seen& seen) {
  const auto number = static_cast<size_t>(inst.imm);
  const bool accesses_vgpr =
      inst.op == Op::kGetVgpr || inst.op == Op::kSetVgpr || inst.op == Op::kGetVgprAt;
  if (accesses_vgpr && seen.written_by_number) {
    return fmt::format("v{} is accessed after a write by number", number);
  }
  if ((accesses_vgpr || inst.op == Op::kSetVgprAt) && seen.matrices) {
    return fmt::format("v{} is accessed after a product of matrices", number);
  }
  switch (inst.op) {
    case Op::kMatrix: seen.matrices = true; return {};
    case Op::kGetVgpr:
      if (seen.written_vgprs[number]) return fmt::format("v{} is read after its write", number);
      if (seen.read_vgprs[number]) return fmt::format("v{} is read twice", number);
      seen.read_vgprs.set(number);
      return {};
    case Op::kGetVgprAt:
      for (size_t vgpr = number; vgpr < seen.written_vgprs.size(); ++vgpr) {
        if (seen.written_vgprs[vgpr]) return fmt::format("v{} may be read after its write", vgpr);
      }
      return {};
    case Op::kSetVgprAt: seen.written_by_number = true; return {};
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
