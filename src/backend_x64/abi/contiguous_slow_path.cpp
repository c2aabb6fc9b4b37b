#include "backend_x64/abi/contiguous_slow_path.h"

#include <algorithm>
#include <cstring>

namespace gcnjit::backend {

namespace {

using Rows = uint32_t[4][kMaxPartLanes];

// To a row for each dword of an element, from where RunBlock::joined_lanes says; or back.
void Sort(const RunBlock& run, int dwords, bool to_rows, Rows& data) {
  if (run.joined_lanes == 0) return;
  Rows before;
  std::memcpy(before, data, sizeof before);
  const int lanes = static_cast<int>(run.joined_lanes);
  for (int lane = 0; lane < kMaxPartLanes; ++lane) {
    for (int dword = 0; dword < dwords; ++dword) {
      const int place = lane % lanes * dwords + dword;
      const int first = lane / lanes * lanes;
      const int row = place / lanes, column = first + place % lanes;
      to_rows ? data[dword][lane] = before[row][column] : data[row][column] = before[dword][lane];
    }
  }
}

}  // namespace

bool AccessByParts(RegionContext& context, const std::function<bool()>& access_part) {
  AccessBlock& block = context.transfer.access;
  RunBlock& run = context.transfer.run;
  const ir::MemoryAccess access = ir::MemoryAccess::Unpack(run.access);
  const uint32_t first_lane = block.first_lane;
  const uint32_t step = access.IndexStep();
  for (uint32_t first = 0; first < run.lanes; first += kMaxPartLanes) {
    auto& data = run.data[first / kMaxPartLanes];
    static_assert(sizeof data == sizeof block.data);
    const uint32_t lanes = std::min<uint32_t>(run.lanes - first, kMaxPartLanes);
    block.request = lanes == 8 ? AccessRequest::k8Lanes : AccessRequest::k16Lanes;
    block.first_lane = first_lane + first;
    block.mask = static_cast<uint32_t>(run.mask >> first) & ((1u << lanes) - 1);
    if (block.mask == 0) {
      std::memset(data, 0, sizeof data);
      continue;
    }
    for (uint32_t n = 0; n < lanes; ++n) {
      const uint32_t index = run.first_index + (first + n) * step;
      const uint64_t extended =
          access.index_signed ? static_cast<uint64_t>(int64_t{static_cast<int32_t>(index)}) : index;
      const uint64_t address = run.base + (extended << access.index_shift);
      block.low[n] = static_cast<uint32_t>(address);
      block.high[n] = static_cast<uint32_t>(address >> 32);
    }
    Sort(run, access.Dwords(), /*to_rows=*/true, data);
    std::memcpy(block.data, data, sizeof data);
    if (!access_part()) return false;
    std::memcpy(data, block.data, sizeof data);
    Sort(run, access.Dwords(), /*to_rows=*/false, data);
  }
  return true;
}

}  // namespace gcnjit::backend
