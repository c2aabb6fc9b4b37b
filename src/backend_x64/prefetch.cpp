#include "backend_x64/prefetch.h"

#include <algorithm>
#include <cstdlib>

namespace gcnjit::backend {

namespace x86 = asmjit::x86;
using ir::Inst;
using ir::Op;
using ir::Value;

namespace {

constexpr int kCacheLine = 64;

// What the block leaves in the register that `read` reads; none: it leaves it alone.
Value WrittenBack(const ir::Function& function, const ir::Block& block, const Inst& read) {
  const Op set = read.op == Op::kGetVgpr ? Op::kSetVgpr : Op::kSetSgpr;
  for (const Value v : block.insts) {
    const Inst& inst = function[v];
    if (inst.op == set && inst.imm == read.imm) return inst.args[0];
  }
  return {};
}

// Will an access at this address be elsewhere when its block runs the next time, further by what
// the block adds to a register? Then the processor sees by itself where the loop goes; asking for
// more costs a twentieth of sgemm with tiles in LDS.
bool Advances(const ir::Function& function, const ir::Block& block, Value address) {
  // A sum of registers, of which one is.
  constexpr int kMostTerms = 8;
  Value terms[kMostTerms] = {address};
  for (int done = 0, count = 1; done < count; ++done) {
    const Inst& inst = function[terms[done]];
    if (inst.op == Op::kAdd && count + 2 <= kMostTerms) {
      terms[count++] = inst.args[0];
      terms[count++] = inst.args[1];
    }
    if (inst.op != Op::kGetVgpr && inst.op != Op::kGetSgpr) continue;
    const Value next = WrittenBack(function, block, inst);
    if (!next || next == terms[done]) continue;
    const Inst& step = function[next];
    if (step.op == Op::kAdd && (step.args[0] == terms[done] || step.args[1] == terms[done])) {
      return true;
    }
  }
  return false;
}

// Of one kind, at addresses that differ by less than a cache line.
bool AreNeighbours(const Inst& a, const Inst& b) {
  return a.op == b.op && a.args[0] == b.args[0] && a.args[1] == b.args[1] &&
         std::abs(a.imm - b.imm) < kCacheLine;
}

}  // namespace

bool Streams::Begins(const Inst& access) {
  if (Advances(function_, block_, access.args[0])) return false;
  const auto is_neighbour = [&](const Inst& begun) { return AreNeighbours(access, begun); };
  if (std::any_of(begun_.begin(), begun_.end(), is_neighbour)) return false;
  begun_.push_back(access);
  return true;
}

void EmitPrefetch(x86::Assembler& a, int bytes, bool is_store) {
  constexpr int kAhead = 4096;
  for (int at = 0; at < bytes; at += kCacheLine) {
    const x86::Mem line = x86::ptr(x86::rax, kAhead + at);
    if (is_store) {
      a.prefetchw(line);
    } else {
      a.prefetcht0(line);
    }
  }
}

}  // namespace gcnjit::backend
