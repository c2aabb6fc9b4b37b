#include "backend_x64/isa/avx2/slow_path.h"

#include <algorithm>

#include "backend_x64/isa/avx2/access_code.h"
#include "backend_x64/isa/avx2/quadwords.h"

namespace gcnjit::backend::avx2 {

namespace {

HandOver HandOverOf(const PartAccess& s) {
  return {s.site, s.part * kLanes, s.environment, s.exits.done, s.exits.abort};
}

// RunBlock::mask. Are there any masks?
bool EmitRunMask(x86::Assembler& a, const PartAccess* parts, int count) {
  const auto of = [](int part, uint32_t size) {
    return Run(offsetof(RunBlock, mask) + static_cast<size_t>(part), size);
  };
  const bool has_masks =
      std::any_of(parts, parts + count, [](const PartAccess& s) { return s.mask >= 0; });
  a.mov(of(0, 8), has_masks ? 0 : -1);
  if (!has_masks) return false;
  for (int p = 0; p < count; ++p) {
    if (parts[p].mask >= 0) {
      a.vmovmskps(x86::ecx, Y(parts[p].mask));
      a.mov(of(p, 1), x86::cl);
    } else {
      a.mov(of(p, 1), kAllLanes);
    }
  }
  return true;
}

}  // namespace

void EmitSlow(RegionAssembler& region, const PartAccess& s) {
  x86::Assembler& a = region.a;
  const auto data = [](int n) {
    return Access(offsetof(AccessBlock, data) + n * sizeof(AccessBlock::data[0]));
  };
  a.bind(s.exits.slow);
  EmitMaskBits(a, x86::eax, s.mask);
  if (s.mask >= 0) {
    const asmjit::Label lanes = a.newLabel();
    a.test(x86::eax, x86::eax);
    a.jnz(lanes);
    for (const int reg : s.result) {
      if (reg >= 0) a.vpxor(Y(reg), Y(reg), Y(reg));
    }
    a.jmp(s.exits.done);
    a.bind(lanes);
  }
  if (s.address.pointer) {
    a.vpbroadcastd(Y(kT0), *s.address.pointer);
    a.vmovups(Access(offsetof(AccessBlock, low)), Y(kT0));
    a.vpbroadcastd(Y(kT0), s.address.pointer->cloneAdjusted(4));
    a.vmovups(Access(offsetof(AccessBlock, high)), Y(kT0));
  }
  if (s.address.low >= 0) a.vmovups(Access(offsetof(AccessBlock, low)), Y(s.address.low));
  if (s.address.high >= 0) a.vmovups(Access(offsetof(AccessBlock, high)), Y(s.address.high));
  for (int n = 0; n < 4; ++n) {
    if (s.data[n] >= 0) a.vmovups(data(n), Y(s.data[n]));
  }
  a.mov(Access(offsetof(AccessBlock, mask)), x86::eax);
  EmitHandOver(region, HandOverOf(s), AccessRequest::k8Lanes, [&] {
    for (int n = 0; n < 4; ++n) {
      if (s.result[n] >= 0) a.vmovups(Y(s.result[n]), data(n));
    }
    if (s.access.quadwords) JoinDwords(a, s.result);
  });
}

void EmitSlowRun(RegionAssembler& region, const PartAccess* parts, int count, const x86::Mem& base,
                 bool is_joined) {
  x86::Assembler& a = region.a;
  const auto data = [](int part, int dword) {
    constexpr int kPerBlock = kMaxPartLanes / kLanes;
    return Run(offsetof(RunBlock, data) +
               sizeof(RunBlock::data[0]) * static_cast<size_t>(part / kPerBlock) +
               sizeof(RunBlock::data[0][0]) * static_cast<size_t>(dword) +
               sizeof(uint32_t) * static_cast<size_t>(part % kPerBlock * kLanes));
  };
  if (EmitRunMask(a, parts, count)) {
    const asmjit::Label lanes = a.newLabel();
    a.cmp(Run(offsetof(RunBlock, mask), 8), 0);
    a.jne(lanes);
    for (int p = 0; p < count; ++p) {
      for (const int reg : parts[p].result) {
        if (reg >= 0) a.vpxor(Y(reg), Y(reg), Y(reg));
      }
    }
    a.jmp(parts[0].exits.done);
    a.bind(lanes);
  }
  EmitRunFields(a, parts[0].access, base, count * kLanes, is_joined ? kLanes : 0);
  for (int p = 0; p < count; ++p) {
    for (int n = 0; n < 4; ++n) {
      if (parts[p].data[n] >= 0) a.vmovups(data(p, n), Y(parts[p].data[n]));
    }
  }
  EmitHandOver(region, HandOverOf(parts[0]), AccessRequest::kRun, [&] {
    for (int p = 0; p < count; ++p) {
      for (int n = 0; n < 4; ++n) {
        if (parts[p].result[n] >= 0) a.vmovups(Y(parts[p].result[n]), data(p, n));
      }
      if (parts[p].access.quadwords) JoinDwords(a, parts[p].result);
    }
  });
}

void EmitMaskBits(x86::Assembler& a, const x86::Gp& to, int mask) {
  if (mask < 0) {
    a.mov(to, kAllLanes);
  } else {
    a.vmovmskps(to, Y(mask));
  }
}

void EmitAllCheck(x86::Assembler& a, int lanes, int mask, const x86::Gp& scratch,
                  const asmjit::Label& missing) {
  if (mask < 0) {
    a.vmovmskps(scratch, Y(lanes));
    a.cmp(scratch, kAllLanes);
    a.jne(missing);
  } else {
    a.vtestps(Y(lanes), Y(mask));  // carry: there is none that `lanes` lacks
    a.jnc(missing);
  }
}

void AddressesToScratch(RegionAssembler& region, const PartAccess& s) {
  if (s.address.imm != 0) {
    region.a.vpaddd(Y(kT0), Y(s.address.low),
                    region.constants.Whole(static_cast<uint32_t>(s.address.imm)));
  } else {
    region.a.vmovaps(Y(kT0), Y(s.address.low));
  }
}

void EmitPartial(RegionAssembler& region, const PartAccess& s) {
  if (s.mask < 0) return;
  region.a.bind(s.exits.partial);
  AccessCode(region, s.access).StorePartOfRun(s.mask, s.data);
  region.a.jmp(s.exits.done);
}

}  // namespace gcnjit::backend::avx2
