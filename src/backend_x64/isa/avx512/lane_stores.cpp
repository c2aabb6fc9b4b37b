// The routine has offsets in AccessBlock::low and lanes in edx; in scratch 1 dwords, or pairs of
// the first two lanes of each quarter; in scratch 2 pairs of the other two; in scratch 0 the third
// dwords of 12 bytes.
#include "backend_x64/isa/avx512/lane_stores.h"

#include "backend_x64/emit/lane_stores.h"
#include "backend_x64/emit/slow_path.h"
#include "backend_x64/isa/avx512/registers.h"

namespace gcnjit::backend::avx512 {

namespace {
constexpr int kLanesOfQuarter = kLanes / kQuarters;
}  // namespace

void LaneStores::Prepare() {
  if (!HasSize()) return;
  // LaneAtomic's keys are above.
  const auto [it, is_new] = region_.routines.try_emplace(bytes_);
  if (!is_new) return;
  it->second = a.newLabel();
  region_.cold.push_back([stores = *this, routine = it->second]() mutable {
    const size_t begin = stores.a.offset();
    stores.a.bind(routine);
    stores.EmitRoutine();
    NoteRoutine(stores.region_, begin);
  });
}

void LaneStores::Emit(int mask, const int (&data)[4], int offsets) {
  a.vmovdqa32(Access(offsetof(AccessBlock, low)), Z(offsets));
  if (bytes_ < 8) {
    a.vmovdqa32(Z(kT1), Z(data[0]));
  } else {
    a.vpunpckldq(Z(kT1), Z(data[0]), Z(data[1]));
    a.vpunpckhdq(Z(kT2), Z(data[0]), Z(data[1]));
    if (bytes_ == 12) a.vmovdqa32(Z(kT0), Z(data[2]));
  }
  if (mask < 0) {
    a.mov(x86::edx, kAllLanes);
  } else {
    a.kmovw(x86::edx, K(mask));
  }
  a.call(region_.routines.at(bytes_));
}

void LaneStores::EmitRoutine() {
  const asmjit::Label some = a.newLabel();
  const asmjit::Label none = a.newLabel();
  a.cmp(x86::edx, kAllLanes);
  a.jne(some);
  ForEachLane([](int, const x86::Mem& to) { return to; });
  a.bind(none);
  a.ret();
  a.bind(some);
  a.test(x86::edx, x86::edx);
  a.jz(none);
  EmitNowhere(a);
  ForEachLane([this](int lane, const x86::Mem& to) { return StoredAt(a, lane, to); });
  a.ret();
}

// `address`: where a lane's element goes, from where it would go if all were stored.
template <typename F>
void LaneStores::ForEachLane(const F& address) {
  for (int quarter = 0; quarter < kQuarters; ++quarter) {
    if (quarter != 0) NextQuarter();
    for (int n = 0; n < kLanesOfQuarter; ++n) {
      const int lane = quarter * kLanesOfQuarter + n;
      a.mov(x86::ecx, Access(offsetof(AccessBlock, low) + static_cast<size_t>(lane) * 4));
      StoreLane(lane, address(lane, x86::ptr(x86::rax, x86::rcx)));
    }
  }
}

void LaneStores::NextQuarter() {
  for (const int reg : {kT0, kT1, kT2}) {
    const bool is_used = reg == kT1 || (reg == kT2 && bytes_ >= 8) || (reg == kT0 && bytes_ == 12);
    if (is_used) a.vshufi32x4(Z(reg), Z(reg), Z(reg), 0x39);
  }
}

// Of the quarter that is first now.
void LaneStores::StoreLane(int lane, const x86::Mem& to) {
  const int dword = lane % kLanesOfQuarter;
  if (bytes_ == 1) {
    a.vpextrb(to, X(kT1), dword * 4);
    return;
  }
  if (bytes_ == 2) {
    a.vpextrw(to, X(kT1), dword * 2);
    return;
  }
  const int pairs = dword < 2 ? kT1 : kT2;
  x86::Mem pair = to;
  pair.setSize(8);
  dword % 2 == 0 ? a.vmovq(pair, X(pairs)) : a.vmovhps(pair, X(pairs));
  if (bytes_ == 12) a.vpextrd(to.cloneAdjusted(8), X(kT0), dword);
}

}  // namespace gcnjit::backend::avx512
