#include "backend_x64/prefetch.h"

namespace gcnjit::backend {

namespace x86 = asmjit::x86;
using ir::Inst;
using ir::Op;
using ir::Value;

namespace {

// What the block leaves in the register that `read` reads; none: it leaves it alone.
Value WrittenBack(const ir::Function& function, const ir::Block& block, const Inst& read) {
  const Op set = read.op == Op::kGetVgpr ? Op::kSetVgpr : Op::kSetSgpr;
  for (const Value v : block.insts) {
    const Inst& inst = function[v];
    if (inst.op == set && inst.imm == read.imm) return inst.args[0];
  }
  return {};
}

// One addition of an SGPR at most.
bool Add(const ir::Function& function, const ir::Block& block, Value v, int depth, Advance& sum) {
  const Inst& inst = function[v];
  switch (inst.op) {
    case Op::kConst: return true;
    case Op::kAdd:
      return depth < 4 && Add(function, block, inst.args[0], depth + 1, sum) &&
             Add(function, block, inst.args[1], depth + 1, sum);
    case Op::kGetVgpr:
    case Op::kGetSgpr: break;
    default: return false;
  }
  const Value next = WrittenBack(function, block, inst);
  if (!next || next == v) return true;
  const Inst& step = function[next];
  if (step.op != Op::kAdd || (step.args[0] != v && step.args[1] != v)) return false;
  const Value by = step.args[0] == v ? step.args[1] : step.args[0];
  if (function[by].op == Op::kConst) {
    sum.constant += static_cast<int32_t>(function[by].imm);
    return true;
  }
  if (function[by].op != Op::kGetSgpr || sum.scalar) return false;
  sum.scalar = by;
  return true;
}

}  // namespace

std::optional<Advance> AdvanceOf(const ir::Function& function, const ir::Block& block, Value v) {
  Advance sum;
  if (!Add(function, block, v, 0, sum) || (!sum.scalar && sum.constant == 0)) return std::nullopt;
  return sum;
}

void EmitPrefetch(x86::Assembler& a, const PrefetchPlan& plan, int bytes, bool is_store) {
  constexpr int kAhead = 4096;
  constexpr int kCacheLine = 64;
  x86::Mem first = x86::ptr(x86::rax, plan.is_known ? plan.constant : kAhead);
  if (plan.has_scalar) {
    a.movsxd(x86::rcx, plan.by);
    first.setIndex(x86::rcx, static_cast<uint32_t>(plan.shift));
  }
  for (int at = 0; at < bytes; at += kCacheLine) {
    const x86::Mem line = first.cloneAdjusted(at);
    if (is_store) {
      a.prefetchw(line);
    } else {
      a.prefetcht0(line);
    }
  }
}

}  // namespace gcnjit::backend
