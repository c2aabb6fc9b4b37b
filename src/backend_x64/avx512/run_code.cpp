#include "backend_x64/avx512/run_code.h"

namespace gcnjit::backend::avx512 {

namespace {

constexpr uint32_t kLanes = LaneEmitter::kLanesPerRegister;

// Indices for vpermt2d: 0..15 are the first register's dwords, 16..31 the second one's.
template <typename F>
ConstantPool::Vector Indices(const F& index) {
  ConstantPool::Vector v;
  for (uint32_t lane = 0; lane < kLanes; ++lane) v[lane] = index(lane);
  return v;
}

}  // namespace

x86::Assembler& RunCode::OrZero(int mask) { return mask < 0 ? a : a.k(K(mask)).z(); }

void RunCode::LoadRun(const ir::MemoryAccess& access, int mask, const int (&result)[4],
                      const x86::Mem& at) {
  switch (access.bytes) {
    case 1:
      if (result[0] < 0) return;
      if (access.sign_extend) {
        OrZero(mask).vpmovsxbd(Z(result[0]), at);
      } else {
        OrZero(mask).vpmovzxbd(Z(result[0]), at);
      }
      return;
    case 2:
      if (result[0] < 0) return;
      if (access.sign_extend) {
        OrZero(mask).vpmovsxwd(Z(result[0]), at);
      } else {
        OrZero(mask).vpmovzxwd(Z(result[0]), at);
      }
      return;
    case 4:
      if (result[0] >= 0) OrZero(mask).vmovdqu32(Z(result[0]), at);
      return;
    case 8:
      // Even and odd dwords of two registers.
      a.vmovdqu32(Z(kT0), at);
      for (uint32_t n = 0; n < 2; ++n) {
        if (result[n] < 0) continue;
        a.vmovdqa32(Z(kT1), constants_.Whole(Indices([n](uint32_t l) { return l * 2 + n; })));
        a.vpermi2d(Z(kT1), Z(kT0), at.cloneAdjusted(64));
        OrZero(mask).vmovdqa32(Z(result[n]), Z(kT1));
      }
      return;
    default: LoadLongRun(access, mask, result, at); return;
  }
}

// Elements of 3 or 4 dwords. Lanes 0 to 7 come from the first half of the memory and 8 to 15 from
// the second one. Two registers cover a half: one from its begin, one up to its end.
void RunCode::LoadLongRun(const ir::MemoryAccess& access, int mask, const int (&result)[4],
                          const x86::Mem& at) {
  const auto dwords = static_cast<uint32_t>(access.Dwords());
  const int half_bytes = access.bytes * 8;
  const uint32_t overlap = 32 - dwords * 8;  // dwords that both registers have
  for (uint32_t n = 0; n < dwords; ++n) {
    if (result[n] < 0) continue;
    const x86::Mem indices = constants_.Whole(Indices([&](uint32_t l) {
      const uint32_t dword = l % 8 * dwords + n;
      return dword < kLanes ? dword : dword + overlap;
    }));
    for (int half = 0; half < 2; ++half) {
      const int to = half == 0 ? kT0 : kT1;
      const x86::Mem begin = at.cloneAdjusted(half * half_bytes);
      a.vmovdqa32(Z(to), indices);
      a.vmovdqu32(Z(kT2), begin);
      a.vpermi2d(Z(to), Z(kT2), begin.cloneAdjusted(half_bytes - 64));
    }
    OrZero(mask).vshufi32x4(Z(result[n]), Z(kT0), Z(kT1), 0x44);
  }
}

void RunCode::StoreRun(const ir::MemoryAccess& access, int mask, const int (&data)[4],
                       const x86::Mem& at) {
  switch (access.bytes) {
    case 1: Under(a, mask).vpmovdb(at, Z(data[0])); return;
    case 2: Under(a, mask).vpmovdw(at, Z(data[0])); return;
    case 4: Under(a, mask).vmovdqu32(at, Z(data[0])); return;
    case 8: StorePairs(mask, data, at); return;
    case 16: StoreQuads(mask, data, at); return;
    default:
      for (int n = 0; n < access.Dwords(); ++n) {
        a.vmovdqa32(Z(kT0),
                    constants_.Whole(Indices([&](uint32_t l) { return l * access.bytes; })));
        CopyMask(a, kM0, mask);
        x86::Mem to = at.cloneAdjusted(n * 4);
        to.setIndex(Z(kT0));
        a.k(K(kM0)).vpscatterdd(to, Z(data[n]));
      }
      return;
  }
}

// A lane is a quadword: 8 lanes a register.
void RunCode::StorePairs(int mask, const int (&data)[4], const x86::Mem& at) {
  for (uint32_t half = 0; half < 2; ++half) {
    a.vmovdqa32(Z(kT0), constants_.Whole(Indices([&](uint32_t dword) {
      return half * 8 + dword / 2 + (dword % 2 != 0 ? kLanes : 0);
    })));
    a.vpermi2d(Z(kT0), Z(data[0]), Z(data[1]));
    const x86::Mem to = at.cloneAdjusted(static_cast<int64_t>(half) * 64);
    if (mask < 0) {
      a.vmovdqu64(to, Z(kT0));
      continue;
    }
    if (half == 0) {
      a.k(K(mask)).vmovdqu64(to, Z(kT0));
    } else {
      a.kshiftrw(K(kM0), K(mask), 8);
      a.k(K(kM0)).vmovdqu64(to, Z(kT0));
    }
  }
}

// 4 lanes a register. Changes rcx and rdx.
void RunCode::StoreQuads(int mask, const int (&data)[4], const x86::Mem& at) {
  a.mov(x86::edx, 0xCCCC);
  a.kmovw(K(kM0), x86::edx);
  if (mask >= 0) {
    // Each bit four times.
    a.kmovw(x86::edx, K(mask));
    a.mov(x86::rcx, 0x1111111111111111);
    a.pdep(x86::rdx, x86::rdx, x86::rcx);
    a.mov(x86::rcx, x86::rdx);
    a.shl(x86::rdx, 4);
    a.sub(x86::rdx, x86::rcx);
  }
  for (uint32_t quarter = 0; quarter < 4; ++quarter) {
    const x86::Mem indices = constants_.Whole(Indices(
        [&](uint32_t dword) { return quarter * 4 + dword / 4 + (dword % 2 != 0 ? kLanes : 0); }));
    a.vmovdqa32(Z(kT0), indices);
    a.vmovdqa32(Z(kT1), Z(kT0));
    a.vpermi2d(Z(kT0), Z(data[0]), Z(data[1]));
    a.vpermi2d(Z(kT1), Z(data[2]), Z(data[3]));
    a.k(K(kM0)).vmovdqa32(Z(kT0), Z(kT1));
    const x86::Mem to = at.cloneAdjusted(static_cast<int64_t>(quarter) * 64);
    if (mask < 0) {
      a.vmovdqu32(to, Z(kT0));
      continue;
    }
    a.kmovw(K(kM1), x86::edx);
    a.k(K(kM1)).vmovdqu32(to, Z(kT0));
    a.shr(x86::rdx, 16);
  }
}

void RunCode::NarrowTo(const ir::MemoryAccess& access, int reg) {
  if (access.bytes >= 4) return;
  const int bits = 32 - access.bytes * 8;
  a.vpslld(Z(reg), Z(reg), bits);
  if (access.sign_extend) {
    a.vpsrad(Z(reg), Z(reg), bits);
  } else {
    a.vpsrld(Z(reg), Z(reg), bits);
  }
}

}  // namespace gcnjit::backend::avx512
