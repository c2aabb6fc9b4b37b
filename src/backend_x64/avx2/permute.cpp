// Values that move between lanes: whole lane values in memory, of which no register holds anything.
#include <algorithm>
#include <vector>

#include "backend_x64/avx2/lanes.h"

namespace gcnjit::backend::avx2 {

namespace {
constexpr int kLanes = LaneEmitter::kLanesPerRegister;
constexpr int kBytes = kLanes * 4;
}  // namespace

bool LaneEmitter::PermutePart(const x86::Mem& to, const x86::Mem& from, const uint8_t* pattern) {
  std::vector<int> sources;
  for (int lane = 0; lane < kLanes; ++lane) {
    if (pattern[lane] == ir::kNoLane) continue;
    const int source = pattern[lane] / kLanes;
    if (std::find(sources.begin(), sources.end(), source) == sources.end())
      sources.push_back(source);
  }
  if (sources.size() > 2) return false;
  a.vpxor(Y(kT0), Y(kT0), Y(kT0));
  for (const int source : sources) {
    ConstantPool::Vector indices{};
    uint32_t lanes = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      if (pattern[lane] == ir::kNoLane || pattern[lane] / kLanes != source) continue;
      indices[lane] = pattern[lane] % kLanes;
      lanes |= 1u << lane;
    }
    a.vmovdqu(Y(kT1), shared_.constants.Whole(indices));
    a.vpermd(Y(kT1), Y(kT1), from.cloneAdjusted(source * kBytes));
    a.vpblendd(Y(kT0), Y(kT0), Y(kT1), lanes);
  }
  a.vmovdqu(to, Y(kT0));
  return true;
}

}  // namespace gcnjit::backend::avx2
