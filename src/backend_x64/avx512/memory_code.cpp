#include "backend_x64/avx512/memory_code.h"

namespace gcnjit::backend::avx512 {

namespace {

ConstantPool::Vector Multiples(uint32_t step) {
  ConstantPool::Vector v;
  for (uint32_t n = 0; n < 16; ++n) v[n] = n * step;
  return v;
}

x86::Mem Access(size_t offset) {
  return x86::ptr(x86::r12, static_cast<int32_t>(offsetof(RegionContext, access) + offset));
}

}  // namespace

void EmitSlowAccess(RegionShared& shared, const PartAccess& s) {
  x86::Assembler& a = shared.a;
  a.bind(s.entry);
  const asmjit::Label lanes = a.newLabel();
  a.kortestw(K(s.mask), K(s.mask));
  a.jnz(lanes);
  for (const int reg : s.result) {
    if (reg >= 0) a.vpxord(Z(reg), Z(reg), Z(reg));
  }
  a.jmp(s.done);
  a.bind(lanes);
  a.vmovdqa32(Access(offsetof(AccessBlock, low)), Z(s.low));
  if (s.high >= 0) a.vmovdqa32(Access(offsetof(AccessBlock, high)), Z(s.high));
  for (int n = 0; n < 4; ++n) {
    if (s.data[n] >= 0) {
      a.vmovdqa32(Access(offsetof(AccessBlock, data) + n * sizeof(AccessBlock::data[0])),
                  Z(s.data[n]));
    }
  }
  a.kmovw(x86::eax, K(s.mask));
  a.mov(Access(offsetof(AccessBlock, mask)), x86::eax);
  a.mov(x86::dword_ptr(x86::r12, offsetof(RegionContext, access) + offsetof(AccessBlock, lanes)),
        16);
  a.lea(x86::eax, x86::ptr(x86::r15, x86::r15));  // lanes / 8 * 8
  a.shl(x86::eax, 2);
  if (s.part != 0) a.add(x86::eax, s.part * 16);
  a.mov(Access(offsetof(AccessBlock, first_lane)), x86::eax);
  a.mov(x86::rax, reinterpret_cast<uint64_t>(s.site));
  a.call(x86::qword_ptr(x86::r12, offsetof(RegionContext, access_thunk)));
  a.test(x86::eax, x86::eax);
  const asmjit::Label give_up = a.newLabel();
  a.jz(give_up);
  for (int n = 0; n < 4; ++n) {
    if (s.result[n] >= 0) {
      a.vmovdqa32(Z(s.result[n]),
                  Access(offsetof(AccessBlock, data) + n * sizeof(AccessBlock::data[0])));
    }
  }
  a.jmp(s.done);
  a.bind(give_up);
  if (s.environment) a.ldmxcsr(shared.constants.Broadcast32(shared.base_mxcsr));
  a.jmp(s.abort);
}

void EmitGatherOrScatter(RegionShared& shared, const PartAccess& s, const ir::MemoryAccess& access,
                         int32_t imm, bool is_store, int offsets) {
  x86::Assembler& a = shared.a;
  if (is_store && access.bytes < 4) {  // there is no scatter of bytes
    a.jmp(s.entry);
    return;
  }
  // Offsets into the window; all active lanes must be within it. (The window keeps away from the
  // ends of its 4 GiB, so that low + imm cannot wrap into it.)
  const auto window = static_cast<int32_t>(s.window * sizeof(MemoryWindow));
  const auto field = [&](size_t offset) {
    return x86::dword_ptr(x86::rdx, window + static_cast<int32_t>(offset));
  };
  a.mov(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, windows)));
  a.vpsubd(Z(offsets), Z(s.low), field(offsetof(MemoryWindow, low))._1to16());
  if (imm != 0) {
    a.vpaddd(Z(offsets), Z(offsets),
             shared.constants.Broadcast32(static_cast<uint32_t>(imm))._1to16());
  }
  a.vpcmpud(K(kM0), Z(offsets), field(offsetof(MemoryWindow, lane_end))._1to16(), 1);
  a.k(K(kM0)).vpcmpd(K(kM0), Z(s.high), field(offsetof(MemoryWindow, high))._1to16(), 0);
  a.kandnw(K(kM1), K(kM0), K(s.mask));
  a.kortestw(K(kM1), K(kM1));
  a.jnz(s.entry);
  if (is_store && access.bytes > 4) {
    // Dword by dword is lane by lane only if no two lanes overlap in part.
    a.k(K(s.mask)).vptestmd(
        K(kM0), Z(offsets),
        shared.constants.Broadcast32(access.bytes == 12 ? ~0u : access.bytes - 1u)._1to16());
    a.kortestw(K(kM0), K(kM0));
    a.jnz(s.entry);
  }
  a.mov(x86::rax,
        x86::qword_ptr(x86::rdx, window + static_cast<int32_t>(offsetof(MemoryWindow, base))));
  for (int n = 0; n < access.Dwords(); ++n) {
    const x86::Mem memory = x86::ptr(x86::rax, Z(offsets), 0, n * 4);
    if (is_store) {
      a.kmovw(K(kM0), K(s.mask));
      a.k(K(kM0)).vpscatterdd(memory, Z(s.data[n]));
    } else if (s.result[n] >= 0) {
      a.kmovw(K(kM0), K(s.mask));
      a.vpxord(Z(s.result[n]), Z(s.result[n]), Z(s.result[n]));
      a.k(K(kM0)).vpgatherdd(Z(s.result[n]), memory);
      EmitNarrow(a, access, s.result[n]);
    }
  }
  a.jmp(s.done);
}

void EmitLoadRun(RegionShared& shared, const ir::MemoryAccess& access, int mask,
                 const int (&result)[4]) {
  x86::Assembler& a = shared.a;
  const x86::Mem at = x86::ptr(x86::rax);
  switch (access.bytes) {
    case 1:
      if (result[0] < 0) return;
      if (access.sign_extend) {
        a.k(K(mask)).z().vpmovsxbd(Z(result[0]), at);
      } else {
        a.k(K(mask)).z().vpmovzxbd(Z(result[0]), at);
      }
      return;
    case 2:
      if (result[0] < 0) return;
      if (access.sign_extend) {
        a.k(K(mask)).z().vpmovsxwd(Z(result[0]), at);
      } else {
        a.k(K(mask)).z().vpmovzxwd(Z(result[0]), at);
      }
      return;
    case 4:
      if (result[0] >= 0) a.k(K(mask)).z().vmovdqu32(Z(result[0]), at);
      return;
    case 8: {
      // Even and odd dwords of two registers.
      a.vmovdqu32(Z(kT0), at);
      for (int n = 0; n < 2; ++n) {
        if (result[n] < 0) continue;
        ConstantPool::Vector indices;
        for (uint32_t l = 0; l < 16; ++l) indices[l] = l * 2 + static_cast<uint32_t>(n);
        a.vmovdqa32(Z(kT1), shared.constants.Whole(indices));
        a.vpermi2d(Z(kT1), Z(kT0), x86::ptr(x86::rax, 64));
        a.k(K(mask)).z().vmovdqa32(Z(result[n]), Z(kT1));
      }
      return;
    }
    default: {
      // Lane n's dwords are at n * bytes: gather with constant offsets.
      for (int n = 0; n < access.Dwords(); ++n) {
        if (result[n] < 0) continue;
        a.vmovdqa32(Z(kT0), shared.constants.Whole(Multiples(access.bytes)));
        a.kmovw(K(kM0), K(mask));
        a.vpxord(Z(result[n]), Z(result[n]), Z(result[n]));
        a.k(K(kM0)).vpgatherdd(Z(result[n]), x86::ptr(x86::rax, Z(kT0), 0, n * 4));
      }
      return;
    }
  }
}

void EmitStoreRun(RegionShared& shared, const ir::MemoryAccess& access, int mask,
                  const int (&data)[4]) {
  x86::Assembler& a = shared.a;
  const x86::Mem at = x86::ptr(x86::rax);
  switch (access.bytes) {
    case 1: a.k(K(mask)).vpmovdb(at, Z(data[0])); return;
    case 2: a.k(K(mask)).vpmovdw(at, Z(data[0])); return;
    case 4: a.k(K(mask)).vmovdqu32(at, Z(data[0])); return;
    default:
      for (int n = 0; n < access.Dwords(); ++n) {
        a.vmovdqa32(Z(kT0), shared.constants.Whole(Multiples(access.bytes)));
        a.kmovw(K(kM0), K(mask));
        a.k(K(kM0)).vpscatterdd(x86::ptr(x86::rax, Z(kT0), 0, n * 4), Z(data[n]));
      }
      return;
  }
}

void EmitPrefetch(x86::Assembler& a, int bytes, bool is_store) {
  constexpr int kAhead = 4096;
  constexpr int kCacheLine = 64;
  for (int at = 0; at < bytes; at += kCacheLine) {
    const x86::Mem line = x86::ptr(x86::rax, kAhead + at);
    if (is_store) {
      a.prefetchw(line);
    } else {
      a.prefetcht0(line);
    }
  }
}

void EmitNarrow(x86::Assembler& a, const ir::MemoryAccess& access, int reg) {
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
