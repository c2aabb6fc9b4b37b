#include "backend_x64/isa/avx512/permutation_cache.h"

#include <algorithm>

#include "backend_x64/abi/permutation_cache.h"

namespace gcnjit::backend::avx512 {

namespace {

// rax: the lowest lane's address; rcx: the pattern.
void EmitLearnedMoves(const IndexedAccess& x) {
  x86::Assembler& a = x.region.a;
  for (int n = 0; n < x.parts.count; ++n) {
    const auto p = static_cast<size_t>(n);
    const auto field = [](size_t offset) {
      return x86::ptr(x86::rcx, static_cast<int32_t>(offset));
    };
    const auto dwords = [](int half) { return x86::ptr(x86::rax, x86::rdx, 0, half * 64); };
    x86::Mem begin = field(offsetof(CachedPermutation, begin) + p * 4);
    begin.setSize(4);
    a.movsxd(x86::rdx, begin);
    if (!x.is_store) {
      const int result = x.parts[n].result[0];
      if (result < 0) continue;
      a.vmovdqa32(Z(result), field(offsetof(CachedPermutation, dword_of) + p * 64));
      a.vmovdqu32(Z(kT0), dwords(0));
      a.vpermi2d(Z(result), Z(kT0), dwords(1));
      continue;
    }
    for (int half = 0; half < 2; ++half) {
      const size_t at = p * 2 + static_cast<size_t>(half);
      a.kmovw(K(kM0), field(offsetof(CachedPermutation, is_written) + at * 2));
      a.vmovdqa32(Z(kT0), field(offsetof(CachedPermutation, lane_of) + at * 64));
      a.vpermd(Z(kT0), Z(kT0), Z(x.parts[n].data[0]));
      a.k(K(kM0)).vmovdqu32(dwords(half), Z(kT0));
    }
  }
}

}  // namespace

bool MayLearn(const IndexedAccess& x) {
  if (x.index.shape.is_known || x.access.bytes != 4 || x.parts.count != CachedPermutation::kParts)
    return false;
  const bool has_all_lanes = std::all_of(x.parts.of, x.parts.of + x.parts.count,
                                         [](const PartAccess& of) { return of.mask < 0; });
  return has_all_lanes && x.access.index_shift <= CachedPermutation::kMostShift;
}

void EmitLearned(const IndexedAccess& x, const asmjit::Label& done) {
  x86::Assembler& a = x.region.a;
  const asmjit::Label unknown = a.newLabel();
  const asmjit::Label otherwise = a.newLabel();
  const auto slot = [&](size_t offset, uint32_t size) {
    return x86::ptr(x86::rcx, static_cast<int32_t>(x.site.index * sizeof(PermutationSlot) + offset),
                    size);
  };
  const auto field = [](size_t offset, uint32_t size) {
    return x86::ptr(x86::rcx, static_cast<int32_t>(offset), size);
  };
  const x86::Mem slots = x86::ptr(x86::r12, offsetof(RegionContext, region.pattern_slots));
  const x86::Mem windows = x86::ptr(x86::r12, offsetof(RegionContext, region.windows));
  a.mov(x86::rcx, slots);
  a.mov(x86::rcx, slot(offsetof(PermutationSlot, pattern), 8));
  a.test(x86::rcx, x86::rcx);
  a.jz(unknown);
  a.vpbroadcastd(Z(kT0), X(x.index.reg[0]));
  for (int n = 0; n < x.parts.count; ++n) {
    const size_t offsets = offsetof(CachedPermutation, offsets) + static_cast<size_t>(n) * 64;
    a.vpsubd(Z(kT1), Z(x.index.reg[n]), Z(kT0));
    if (n != 0) a.k(K(kM0));
    a.vpcmpeqd(K(kM0), Z(kT1), field(offsets, 64));
  }
  a.kortestw(K(kM0), K(kM0));
  a.jnc(unknown);
  a.vmovd(x86::eax, X(x.index.reg[0]));
  a.add(x86::eax, field(offsetof(CachedPermutation, lowest), 4));
  if (x.access.index_signed) {
    a.cmp(x86::eax, field(offsetof(CachedPermutation, most_signed), 4));
    a.jg(unknown);
    a.movsxd(x86::rax, x86::eax);
  } else {
    a.cmp(x86::eax, field(offsetof(CachedPermutation, most_unsigned), 4));
    a.ja(unknown);
  }
  if (x.access.index_shift != 0) a.shl(x86::rax, x.access.index_shift);
  a.add(x86::rax, x.base.Whole());
  if (x.base.imm != 0) a.add(x86::rax, x.base.imm);
  // All of it is within the window.
  a.mov(x86::rdx, windows);
  a.sub(x86::rax, x.Window(offsetof(MemoryWindow, base), 8));
  a.mov(x86::edx, x.Window(offsetof(MemoryWindow, lane_end), 4));
  a.sub(x86::edx, field(offsetof(CachedPermutation, reach), 4));
  a.jbe(unknown);
  a.cmp(x86::rax, x86::rdx);
  a.jae(unknown);
  a.mov(x86::rdx, windows);
  a.add(x86::rax, x.Window(offsetof(MemoryWindow, base), 8));
  a.add(field(offsetof(CachedPermutation, hits), 4), 1);
  EmitLearnedMoves(x);
  a.jmp(done);

  a.bind(unknown);
  a.mov(x86::rcx, slots);
  a.sub(slot(offsetof(PermutationSlot, misses_left), 4), 1);
  a.jnz(otherwise);
  for (int n = 0; n < x.parts.count; ++n) {
    const size_t data = offsetof(AccessBlock, data) + static_cast<size_t>(n) * 64;
    a.vmovdqa32(Access(data), Z(x.index.reg[n]));
  }
  const auto set = [&](size_t offset, uint32_t value) {
    x86::Mem memory = Access(offset);
    memory.setSize(4);
    a.mov(memory, value);
  };
  set(offsetof(AccessBlock, request), static_cast<uint32_t>(AccessRequest::kIndicesOfWave));
  set(offsetof(AccessBlock, index_shift), x.access.index_shift);
  a.mov(x86::eax, x.site.index);
  a.call(x86::qword_ptr(x86::r12, offsetof(RegionContext, helpers.access_thunk)));
  a.bind(otherwise);
}

}  // namespace gcnjit::backend::avx512
