// Values that move between lanes.
#include <algorithm>

#include "backend_x64/isa/avx512/access_code.h"
#include "backend_x64/isa/avx512/isa.h"

namespace gcnjit::backend::avx512 {

namespace {
constexpr int kBytes = kLanes * 4;
}  // namespace

void Isa::PermutePart(int to, const PartShuffle& part, const std::array<int, 2>& from) {
  if (part.source_count == 0) {
    a.vpxord(Z(to), Z(to), Z(to));
    return;
  }
  const std::optional<int> distance = part.HasZeros() ? std::nullopt : part.Distance();
  if (distance == 0) return MoveVector(to, from[0]);
  if (const auto within = part.WithinFours()) {
    a.vpshufd(Z(to), Z(from[0]), *within);
    return;
  }
  if (distance) {
    const int behind = part.source_count == 2 ? from[1] : from[0];
    a.valignd(Z(to), Z(behind), Z(from[0]), *distance);
    return;
  }
  int mask = -1;
  if (part.HasZeros()) {
    a.mov(x86::eax, part.LanesFrom(0) | part.LanesFrom(1));
    a.kmovw(K(kM0), x86::eax);
    mask = kM0;
  }
  ConstantPool::Vector indices = {};
  for (int lane = 0; lane < kLanes; ++lane) {
    indices[lane] = static_cast<uint32_t>(std::max<int>(part.index[lane], 0));
  }
  AccessCode code(region_);
  a.vmovdqa32(Z(to), region_.constants.Whole(indices));
  if (part.source_count == 1) {
    OrZero(a, mask).vpermd(Z(to), Z(to), Z(from[0]));
  } else {
    OrZero(a, mask).vpermi2d(Z(to), Z(from[0]), Z(from[1]));
  }
}

bool Isa::BpermuteLanes(const x86::Mem& to, const x86::Mem& from, const x86::Mem& indices,
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
    a.vptestmd(K(kM0), Z(kT0), region_.constants.Broadcast32(32)._1to16());
    a.vmovdqa32(Z(kT1), Z(kT0));
    a.vpermi2d(Z(kT1), Z(0), Z(1));
    a.vpermi2d(Z(kT0), Z(2), Z(3));
    a.k(K(kM0)).vmovdqa32(Z(kT1), Z(kT0));
    a.vmovdqu32(to.cloneAdjusted(part * kBytes), Z(kT1));
  }
  return true;
}

}  // namespace gcnjit::backend::avx512
