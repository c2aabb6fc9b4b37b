#include "backend_x64/plan/from_memory.h"

#include <algorithm>
#include <bitset>

namespace gcnjit::backend {
namespace {

using ir::Inst;
using ir::Op;
using ir::Value;

struct Registers {
  std::bitset<129> sgprs;
  std::bitset<ir::kVgprs> vgprs;
  bool scc = false;
  bool operator==(const Registers&) const = default;
};

bool Reads(const Inst& get, const Registers& registers) {
  const auto at = static_cast<size_t>(get.imm);
  switch (get.op) {
    case Op::kGetSgpr: return registers.sgprs.test(at);
    case Op::kGetSgpr64:
      return at != ir::kExec && (registers.sgprs.test(at) || registers.sgprs.test(at + 1));
    case Op::kGetVgpr: return registers.vgprs.test(at);
    case Op::kGetScc: return registers.scc;
    default: return false;
  }
}

void Write(const Inst& set, Registers& registers) {
  const auto at = static_cast<size_t>(set.imm);
  switch (set.op) {
    case Op::kSetSgpr64: registers.sgprs.set(at + 1); [[fallthrough]];
    case Op::kSetSgpr: registers.sgprs.set(at); break;
    case Op::kSetVgpr: registers.vgprs.set(at); break;
    case Op::kSetScc: registers.scc = true; break;
    default: break;
  }
}

}  // namespace

std::vector<uint8_t> FindFromMemory(const ir::Function& function, const ir::Block& block,
                                    bool lanes_alone) {
  std::vector<uint8_t> from_memory(function.insts.size(), 0);
  Registers before, registers;
  do {
    before = registers;
    for (const Value v : block.insts) {
      const Inst& inst = function[v];
      const bool counts = !lanes_alone || inst.op != Op::kLoadScalar;
      bool is_loaded =
          (counts && ir::InfoOf(inst.op).effect == ir::Effect::kRead) || Reads(inst, registers);
      for (int n = 0; n < inst.argument_count; ++n) is_loaded |= from_memory[inst.args[n].id] != 0;
      from_memory[v.id] = is_loaded ? 1 : 0;
      if (is_loaded) Write(inst, registers);
    }
  } while (!(before == registers));
  return from_memory;
}

bool LoadsFromLoaded(const ir::Function& function, const ir::Block& block) {
  const std::vector<uint8_t> from_memory = FindFromMemory(function, block);
  return std::any_of(block.insts.begin(), block.insts.end(), [&](Value v) {
    const Inst& inst = function[v];
    const int parts = inst.op == Op::kLoad || inst.op == Op::kLoadSwizzled ? 2
                      : inst.op == Op::kLoadLds                            ? 1
                                                                           : 0;
    for (int n = 0; n < parts; ++n) {
      if (from_memory[inst.args[n].id] != 0) return true;
    }
    return false;
  });
}

}  // namespace gcnjit::backend
