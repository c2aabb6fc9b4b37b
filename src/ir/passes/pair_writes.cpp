// SGPR pairs are written and read as one. The host forwards a store to a load of the same width at
// once, while a load of what two stores wrote has to wait for both to reach the cache. So the two
// halves of one 64-bit value become one write; such a pair is mostly read as one, as the address
// that a loop counts up. And a pair whose halves are put together where they are read (an address
// from a scalar load) is put together where they are written, if that is always both of them.
#include <algorithm>
#include <array>

#include "ir/append.h"
#include "ir/passes.h"

namespace gcnjit::ir {
namespace {

void PairWritesOf(Function& function, Block& block) {
  std::array<Value, 128> low_halves = {};  // set_sgpr of a low half, by SGPR
  std::array<Value, 128> high_halves = {};
  for (const Value v : block.insts) {
    const Inst& inst = function[v];
    if (inst.op != Op::kSetSgpr) continue;
    const Op half = function[inst.args[0]].op;
    const auto sgpr = static_cast<size_t>(inst.imm);
    // Of several writes of a register the last one counts, and none of them may move.
    const bool again = low_halves[sgpr] || high_halves[sgpr];
    if (again) return;
    if (half == Op::kLow) low_halves[sgpr] = v;
    if (half == Op::kHigh) high_halves[sgpr] = v;
  }
  std::vector<Value> gone;
  for (size_t sgpr = 0; sgpr + 1 < low_halves.size(); ++sgpr) {
    const Value low = low_halves[sgpr];
    const Value high = high_halves[sgpr + 1];
    if (!low || !high) continue;
    const Value whole = function[function[low].args[0]].args[0];
    if (whole != function[function[high].args[0]].args[0]) continue;
    if (function[whole].type != Type::kU64) continue;
    Inst& set = function[low];
    set.op = Op::kSetSgpr64;
    set.args[0] = whole;
    gone.push_back(high);
  }
  std::erase_if(block.insts,
                [&](Value v) { return std::find(gone.begin(), gone.end(), v) != gone.end(); });
}

// The even SGPR of the pair that a pack of two reads is; -1: it is none.
int PairReadBy(const Function& function, const Inst& inst) {
  if (inst.op != Op::kPack) return -1;
  const Inst& low = function[inst.args[0]];
  const Inst& high = function[inst.args[1]];
  const bool is_pair = low.op == Op::kGetSgpr && high.op == Op::kGetSgpr && low.imm % 2 == 0 &&
                       high.imm == low.imm + 1;
  return is_pair ? static_cast<int>(low.imm) : -1;
}

// What a block writes of an SGPR pair.
struct PairWrite {
  Value low;
  Value high;
  bool is_odd = false;  // twice, or together with a register outside of the pair
};
using PairWriteList = std::array<PairWrite, 64>;

PairWriteList WritesOf(const Function& function, const Block& block) {
  PairWriteList writes;
  for (const Value v : block.insts) {
    const Inst& inst = function[v];
    const auto sgpr = static_cast<size_t>(inst.imm);
    if (inst.op == Op::kSetSgpr64 && sgpr % 2 != 0) {
      writes[sgpr / 2].is_odd = true;
      if (sgpr / 2 + 1 < writes.size()) writes[sgpr / 2 + 1].is_odd = true;
    }
    if (inst.op != Op::kSetSgpr || sgpr / 2 >= writes.size()) continue;
    PairWrite& write = writes[sgpr / 2];
    Value& half = sgpr % 2 == 0 ? write.low : write.high;
    write.is_odd |= static_cast<bool>(half);
    half = v;
  }
  return writes;
}

void PairReads(Function& function) {
  std::array<bool, 64> is_read = {};
  for (const Block& block : function.blocks) {
    for (const Value v : block.insts) {
      const int pair = PairReadBy(function, function[v]);
      if (pair >= 0) is_read[static_cast<size_t>(pair) / 2] = true;
    }
  }
  if (std::find(is_read.begin(), is_read.end(), true) == is_read.end()) return;
  std::vector<PairWriteList> writes;
  for (const Block& block : function.blocks) {
    writes.push_back(WritesOf(function, block));
    for (size_t n = 0; n < is_read.size(); ++n) {
      const PairWrite& write = writes.back()[n];
      if (write.is_odd || static_cast<bool>(write.low) != static_cast<bool>(write.high)) {
        is_read[n] = false;
      }
    }
  }
  for (size_t b = 0; b < function.blocks.size(); ++b) {
    std::vector<Value> insts;
    for (const Value v : function.blocks[b].insts) {
      const Inst inst = function[v];
      const int pair = PairReadBy(function, inst);
      if (pair >= 0 && is_read[static_cast<size_t>(pair) / 2]) {
        function[v] = {Op::kGetSgpr64, Type::kU64, 0, inst.guest, 0, pair, {}};
      }
      if (inst.op == Op::kSetSgpr && is_read[static_cast<size_t>(inst.imm) / 2]) {
        const PairWrite& write = writes[b][static_cast<size_t>(inst.imm) / 2];
        const Value other = v == write.low ? write.high : write.low;
        // Where the second one was.
        if (std::find(insts.begin(), insts.end(), other) == insts.end()) {
          insts.push_back(v);
          continue;
        }
        std::erase(insts, other);
        const Value low = function[write.low].args[0];
        const Value high = function[write.high].args[0];
        const Value whole =
            Append(function, {Op::kPack, Type::kU64, 2, inst.guest, 0, 0, {low, high}});
        insts.push_back(whole);
        function[v] = {Op::kSetSgpr64,         Type::kVoid, 1, inst.guest, 0,
                       inst.imm & ~int64_t{1}, {whole}};
      }
      insts.push_back(v);
    }
    function.blocks[b].insts = std::move(insts);
  }
}

}  // namespace

void PairWrites(Function& function) {
  for (Block& block : function.blocks) PairWritesOf(function, block);
  PairReads(function);
}

}  // namespace gcnjit::ir
