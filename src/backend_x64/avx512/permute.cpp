// Values that move between lanes: whole lane values in memory, of which no register holds anything.
#include <algorithm>
#include <vector>

#include "backend_x64/avx512/run_code.h"

namespace gcnjit::backend::avx512 {

namespace {
constexpr int kLanes = LaneEmitter::kLanesPerRegister;
constexpr int kBytes = kLanes * 4;
}  // namespace

bool LaneEmitter::PermutePart(const x86::Mem& to, const x86::Mem& from, const uint8_t* pattern) {
  std::vector<int> sources;
  uint32_t lanes = 0;
  ConstantPool::Vector indices = {};
  bool is_copy = true;
  for (int lane = 0; lane < kLanes; ++lane) {
    if (pattern[lane] == ir::kNoLane) continue;
    lanes |= 1u << lane;
    const int source = pattern[lane] / kLanes;
    auto at = std::find(sources.begin(), sources.end(), source);
    if (at == sources.end()) at = sources.insert(at, source);
    indices[lane] = pattern[lane] % kLanes + (at == sources.begin() ? 0u : kLanes);
    is_copy &= indices[lane] == static_cast<uint32_t>(lane);
  }
  if (sources.size() > 2) return false;
  int mask = -1;
  if (lanes != 0xFFFF) {
    a.mov(x86::eax, lanes);
    a.kmovw(K(kM0), x86::eax);
    mask = kM0;
  }
  RunCode code(shared_);
  const auto source = [&](size_t n) { return from.cloneAdjusted(sources[n] * kBytes); };
  if (sources.empty()) {
    a.vpxord(Z(kT0), Z(kT0), Z(kT0));
  } else if (is_copy) {
    code.OrZero(mask).vmovdqu32(Z(kT0), source(0));
  } else {
    a.vmovdqa32(Z(kT0), shared_.constants.Whole(indices));
    if (sources.size() == 1) {
      code.OrZero(mask).vpermd(Z(kT0), Z(kT0), source(0));
    } else {
      a.vmovdqu32(Z(kT1), source(0));
      code.OrZero(mask).vpermi2d(Z(kT0), Z(kT1), source(1));
    }
  }
  a.vmovdqu32(to, Z(kT0));
  return true;
}

bool LaneEmitter::BpermuteLanes(const x86::Mem& to, const x86::Mem& from, const x86::Mem& indices,
                                const x86::Gp& mask) {
  // The source's lanes, 0 where the mask excludes them.
  a.kmovq(K(kM0), mask);
  for (int part = 0; part < 4; ++part) {
    a.k(K(kM0)).z().vmovdqu32(Z(part), from.cloneAdjusted(part * kBytes));
    if (part != 3) a.kshiftrq(K(kM0), K(kM0), kLanes);
  }
  for (int part = 0; part < 4; ++part) {
    a.vmovdqu32(Z(kT0), indices.cloneAdjusted(part * kBytes));
    a.vpsrld(Z(kT0), Z(kT0), 2);
    a.vptestmd(K(kM0), Z(kT0), shared_.constants.Broadcast32(32)._1to16());
    a.vmovdqa32(Z(kT1), Z(kT0));
    a.vpermi2d(Z(kT1), Z(0), Z(1));
    a.vpermi2d(Z(kT0), Z(2), Z(3));
    a.k(K(kM0)).vmovdqa32(Z(kT1), Z(kT0));
    a.vmovdqu32(to.cloneAdjusted(part * kBytes), Z(kT1));
  }
  return true;
}

}  // namespace gcnjit::backend::avx512
