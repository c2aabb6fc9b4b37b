// Values that move between lanes.
#include "backend_x64/isa/avx2/isa.h"

namespace gcnjit::backend::avx2 {

void Isa::PermutePart(int to, const PartShuffle& part, const std::array<int, 2>& from) {
  if (part.source_count == 0) {
    a.vpxor(Y(to), Y(to), Y(to));
    return;
  }
  if (part.Distance() == 0) return MoveVector(to, from[0]);
  if (const auto within = part.WithinFours()) {
    a.vpshufd(Y(to), Y(from[0]), *within);
    return;
  }
  const bool has_zeros = part.HasZeros();
  if (has_zeros) a.vpxor(Y(to), Y(to), Y(to));
  for (int n = 0; n < part.source_count; ++n) {
    const uint32_t lanes = part.LanesFrom(n);
    ConstantPool::Vector indices{};
    for (int lane = 0; lane < kLanes; ++lane) {
      if ((lanes >> lane & 1) != 0)
        indices[lane] = static_cast<uint32_t>(part.index[lane] % kLanes);
    }
    // The first one may leave anything where the second one is.
    const bool is_alone = n == 0 && !has_zeros;
    const x86::Ymm moved = Y(is_alone ? to : kT1);
    a.vmovdqu(moved, region_.constants.Whole(indices));
    a.vpermd(moved, moved, Y(from[n]));
    if (!is_alone) a.vpblendd(Y(to), Y(to), moved, lanes);
  }
}

}  // namespace gcnjit::backend::avx2
