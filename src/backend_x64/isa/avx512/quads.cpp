#include "backend_x64/isa/avx512/quads.h"

#include "backend_x64/emit/lane_stores.h"
#include "backend_x64/isa/avx512/access_code.h"

namespace gcnjit::backend::avx512 {

namespace {
constexpr int kQuadBytes = 16;
}  // namespace

bool QuadCode::IsWanted(const ir::MemoryAccess& access, const int (&result)[4]) {
  return access.bytes == 16 && (result[0] >= 0 || result[1] >= 0) &&
         (result[2] >= 0 || result[3] >= 0);
}

// A run's, of which three dwords or four are wanted.
void QuadCode::LoadRun(int mask, const int (&result)[4], const x86::Mem& at) {
  int wanted[4] = {};
  int count = 0;
  for (const int reg : result) {
    if (reg >= 0) wanted[count++] = reg;
  }
  const int memory = wanted[0];
  const int low = wanted[1];
  const int high = wanted[count - 1];  // a result of the upper pair
  const auto load = [&](int half, int to_low, int to_high) {
    a.vmovdqu32(Z(kT2), at.cloneAdjusted(half * 128));
    a.vmovdqu32(Z(memory), at.cloneAdjusted(half * 128 + 64));
    for (uint32_t pair = 0; pair < 2; ++pair) {
      // A dword of 8 lanes, then their next one.
      const auto dword = [pair](uint32_t l) { return l % 8 * 4 + pair * 2 + l / 8; };
      const int to = pair == 0 ? to_low : to_high;
      a.vmovdqa32(Z(to), constants_.Whole(Indices(dword)));
      a.vpermi2d(Z(to), Z(kT2), Z(memory));
    }
  };
  load(0, kT0, kT1);
  load(1, low, high);
  // In this order each register is written when it has been read.
  for (int n = 0; n < 4; ++n) {
    if (result[n] < 0) continue;
    OrZero(a, mask).vshufi32x4(Z(result[n]), Z(n < 2 ? kT0 : kT1), Z(n < 2 ? low : high),
                               n % 2 == 0 ? 0x44 : 0xEE);
  }
}

// The next 4 lanes to where the first ones are.
void QuadCode::NextLanes(int reg) { a.vshufi32x4(Z(reg), Z(reg), Z(reg), 0x39); }

// Lane by lane, which takes less time than gathers of pairs. Lanes n, n + 4, n + 8 and n + 12 are
// in the n-th register then; the last one is a result of the upper half.
void QuadCode::Gather(int mask, const int (&result)[4], int offsets) {
  const auto [q0, q1] = OthersThan(offsets);
  const int q2 = result[0] >= 0 ? result[0] : result[1];
  const int q3 = result[2] >= 0 ? result[2] : result[3];
  const int quads[] = {q0, q1, q2, q3};
  const asmjit::Label none = a.newLabel();
  if (mask >= 0) {
    // The other lanes load what the first one does.
    a.kortestw(K(mask), K(mask));
    a.jz(none);
    a.k(K(mask)).z().vpcompressd(Z(q0), Z(offsets));
    a.vpbroadcastd(Z(q0), X(q0));
    a.k(K(mask)).vpblendmd(Z(offsets), Z(q0), Z(offsets));
  }
  for (int quarter = 0; quarter < kQuarters; ++quarter) {
    if (quarter != 0) NextLanes(offsets);
    for (int n = 0; n < 4; ++n) {
      if (n % 2 == 0) {
        n == 0 ? a.vmovq(x86::rcx, X(offsets)) : a.vpextrq(x86::rcx, X(offsets), 1);
        a.mov(x86::edx, x86::ecx);
        a.shr(x86::rcx, 32);
      }
      const x86::Mem at = x86::ptr(x86::rax, n % 2 == 0 ? x86::rdx : x86::rcx);
      quarter == 0 ? a.vmovdqu32(X(quads[n]), at)
                   : a.vinserti32x4(Z(quads[n]), Z(quads[n]), at, quarter);
    }
  }
  a.bind(none);
  a.vunpcklpd(Z(offsets), Z(q0), Z(q1));
  a.vunpckhpd(Z(q0), Z(q0), Z(q1));
  a.vunpcklpd(Z(q1), Z(q2), Z(q3));
  a.vunpckhpd(Z(q3), Z(q2), Z(q3));
  const auto take = [&](int n, int low, int high) {
    if (result[n] >= 0) {
      OrZero(a, mask).vshufps(Z(result[n]), Z(low), Z(high), n % 2 == 0 ? 0x88 : 0xDD);
    }
  };
  take(0, offsets, q1);
  take(1, offsets, q1);
  take(3, q0, q3);
  take(2, q0, q3);
}

void QuadCode::Broadcast(int mask, const int (&result)[4]) {
  constexpr int kEachDword = 0x55;  // times its number
  a.vbroadcasti32x4(Z(kT1), x86::ptr(x86::rax));
  for (int n = 0; n < 4; ++n) {
    if (result[n] >= 0) OrZero(a, mask).vpshufd(Z(result[n]), Z(kT1), n * kEachDword);
  }
}

// What Join needs in mask 0. Changes edx.
void QuadCode::PrepareJoin() {
  a.mov(x86::edx, 0xCCCC);
  a.kmovw(K(kM0), x86::edx);
}

// The elements of 4 lanes.
void QuadCode::Join(int quarter, const int (&data)[4], int to, int other) {
  a.vmovdqa32(Z(to), constants_.Whole(Indices([quarter](uint32_t dword) {
    return static_cast<uint32_t>(quarter) * 4 + dword / 4 + (dword % 2 != 0 ? 16 : 0);
  })));
  a.vmovdqa32(Z(other), Z(to));
  a.vpermi2d(Z(to), Z(data[0]), Z(data[1]));
  a.vpermi2d(Z(other), Z(data[2]), Z(data[3]));
  a.k(K(kM0)).vmovdqa32(Z(to), Z(other));
}

// One of them.
void QuadCode::StoreOne(int n, int from, const x86::Mem& to) {
  n == 0 ? a.vmovdqu32(to, X(from)) : a.vextracti32x4(to, Z(from), n);
}

// No masked moves: nothing says that they do not take elements apart.
void QuadCode::StoreRun(int mask, const int (&data)[4], const x86::Mem& at) {
  const asmjit::Label some = a.newLabel();
  const asmjit::Label done = a.newLabel();
  PrepareJoin();
  if (mask >= 0) {
    a.kortestw(K(mask), K(mask));  // zero: none; carry: all
    a.jz(done);
    a.jnc(some);
  }
  for (int quarter = 0; quarter < kQuarters; ++quarter) {
    Join(quarter, data, kT0, kT1);
    a.vmovdqu32(at.cloneAdjusted(quarter * 64), Z(kT0));
  }
  if (mask >= 0) {
    a.jmp(done);
    a.bind(some);
    EmitNowhere(a);
    a.kmovw(x86::edx, K(mask));
    for (int quarter = 0; quarter < kQuarters; ++quarter) {
      Join(quarter, data, kT0, kT1);
      for (int n = 0; n < 4; ++n) {
        const int lane = quarter * 4 + n;
        StoreOne(n, kT0, StoredAt(a, lane, at.cloneAdjusted(lane * kQuadBytes)));
      }
    }
  }
  a.bind(done);
}

// In ascending order, so that lanes may overlap in any way.
void QuadCode::Scatter(int mask, const int (&data)[4], int offsets) {
  const auto [to, other] = OthersThan(offsets);
  const asmjit::Label done = a.newLabel();
  PrepareJoin();
  if (mask >= 0) {
    a.kmovw(x86::edx, K(mask));
    a.test(x86::edx, x86::edx);
    a.jz(done);
    EmitNowhere(a);
  }
  for (int quarter = 0; quarter < kQuarters; ++quarter) {
    if (quarter != 0) NextLanes(offsets);
    Join(quarter, data, to, other);
    for (int n = 0; n < 4; ++n) {
      if (mask >= 0) {
        n == 0 ? a.vmovd(x86::ecx, X(offsets)) : a.vpextrd(x86::ecx, X(offsets), n);
        StoreOne(n, to, StoredAt(a, quarter * 4 + n, x86::ptr(x86::rax, x86::rcx)));
        continue;
      }
      if (n % 2 == 0) {
        n == 0 ? a.vmovq(x86::rcx, X(offsets)) : a.vpextrq(x86::rcx, X(offsets), 1);
        a.mov(x86::edx, x86::ecx);
        a.shr(x86::rcx, 32);
      }
      StoreOne(n, to, x86::ptr(x86::rax, n % 2 == 0 ? x86::rdx : x86::rcx));
    }
  }
  a.bind(done);
}

}  // namespace gcnjit::backend::avx512
