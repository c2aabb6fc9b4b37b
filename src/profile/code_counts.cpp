#include "profile/code_counts.h"

namespace gcnjit::profile {
namespace {

template <size_t kCount>
void AddAll(std::array<uint64_t, kCount>& sum, const std::array<uint64_t, kCount>& more) {
  for (size_t n = 0; n < kCount; ++n) sum[n] += more[n];
}

}  // namespace

LineCounts& LineCounts::operator+=(const LineCounts& other) {
  accesses += other.accesses;
  bytes += other.bytes;
  lines += other.lines;
  least_lines += other.least_lines;
  AddAll(by_lines, other.by_lines);
  return *this;
}

BankCounts& BankCounts::operator+=(const BankCounts& other) {
  accesses += other.accesses;
  passes += other.passes;
  least_passes += other.least_passes;
  return *this;
}

std::vector<BlockCounts> BlocksOf(const CountsByPc& counts) {
  std::vector<BlockCounts> blocks;
  uint64_t next = 0;
  bool ended = true;
  for (const auto& [pc, code] : counts) {
    if (ended || code.is_target || pc != next) blocks.push_back({pc, code.executed, 0, 0, 0});
    BlockCounts& block = blocks.back();
    ++block.instructions;
    if (IsVector(code.kind)) {
      block.vector_instructions += code.executed;
      block.active_lanes += code.active_lanes;
    }
    next = pc + code.bytes;
    ended = code.ends_block;
  }
  return blocks;
}

CountTotals TotalsOf(const CountsByPc& counts) {
  CountTotals totals;
  for (const auto& [pc, code] : counts) {
    totals.by_class[static_cast<size_t>(code.kind)] += code.executed;
    totals.instructions += code.executed;
    totals.flops += code.flops * code.Times();
    totals.bytes_read += code.bytes_read * code.Times();
    totals.bytes_written += code.bytes_written * code.Times();
    totals.lines += code.lines;
    totals.banks += code.banks;
    if (!IsVector(code.kind)) continue;
    totals.vector_instructions += code.executed;
    totals.active_lanes += code.active_lanes;
    AddAll(totals.by_lanes, code.by_lanes);
  }
  return totals;
}

}  // namespace gcnjit::profile
