#include "backend_x64/isa/avx512/slow_path.h"

#include <algorithm>

#include "backend_x64/isa/avx512/quadwords.h"

namespace gcnjit::backend::avx512 {

namespace {

HandOver HandOverOf(const PartAccess& s) {
  return {s.site, s.part * kLanes, s.environment, s.exits.done, s.exits.abort};
}

// RunBlock::mask. Are there any masks?
bool EmitRunMask(x86::Assembler& a, const PartAccess* parts, int count) {
  const auto of = [](int part, uint32_t size) {
    return Run(offsetof(RunBlock, mask) + sizeof(uint16_t) * static_cast<size_t>(part), size);
  };
  const bool has_masks =
      std::any_of(parts, parts + count, [](const PartAccess& s) { return s.mask >= 0; });
  a.mov(of(0, 8), has_masks ? 0 : -1);
  if (!has_masks) return false;
  for (int p = 0; p < count; ++p) {
    if (parts[p].mask >= 0) {
      a.kmovw(of(p, 2), K(parts[p].mask));
    } else {
      a.mov(of(p, 2), 0xFFFF);
    }
  }
  return true;
}

}  // namespace

void EmitSlow(RegionAssembler& region, const PartAccess& s) {
  x86::Assembler& a = region.a;
  a.bind(s.exits.slow);
  if (s.mask >= 0) {
    const asmjit::Label lanes = a.newLabel();
    a.kortestw(K(s.mask), K(s.mask));
    a.jnz(lanes);
    for (const int reg : s.result) {
      if (reg >= 0) a.vpxord(Z(reg), Z(reg), Z(reg));
    }
    a.jmp(s.exits.done);
    a.bind(lanes);
  }
  if (s.address.pointer) {
    a.vpbroadcastd(Z(kT0), *s.address.pointer);
    a.vmovdqa32(Access(offsetof(AccessBlock, low)), Z(kT0));
    a.vpbroadcastd(Z(kT0), s.address.pointer->cloneAdjusted(4));
    a.vmovdqa32(Access(offsetof(AccessBlock, high)), Z(kT0));
  } else {
    a.vmovdqa32(Access(offsetof(AccessBlock, low)), Z(s.address.low));
  }
  if (s.address.high >= 0) a.vmovdqa32(Access(offsetof(AccessBlock, high)), Z(s.address.high));
  for (int n = 0; n < 4; ++n) {
    if (s.data[n] >= 0) {
      a.vmovdqa32(Access(offsetof(AccessBlock, data) + n * sizeof(AccessBlock::data[0])),
                  Z(s.data[n]));
    }
  }
  if (s.mask >= 0) {
    a.kmovw(x86::eax, K(s.mask));
  } else {
    a.mov(x86::eax, 0xFFFF);
  }
  a.mov(Access(offsetof(AccessBlock, mask)), x86::eax);
  EmitHandOver(region, HandOverOf(s), AccessRequest::k16Lanes, [&] {
    for (int n = 0; n < 4; ++n) {
      if (s.result[n] >= 0) {
        a.vmovdqa32(Z(s.result[n]),
                    Access(offsetof(AccessBlock, data) + n * sizeof(AccessBlock::data[0])));
      }
    }
    if (s.access.quadwords) JoinDwords(region, s.result);
  });
}

void EmitSlowRun(RegionAssembler& region, const PartAccess* parts, int count, const x86::Mem& base,
                 bool is_joined) {
  x86::Assembler& a = region.a;
  const auto data = [](int part, int dword) {
    return Run(offsetof(RunBlock, data) + sizeof(RunBlock::data[0]) * static_cast<size_t>(part) +
               sizeof(RunBlock::data[0][0]) * static_cast<size_t>(dword));
  };
  const auto zero = [&](const PartAccess& s) {
    for (const int reg : s.result) {
      if (reg >= 0) a.vpxord(Z(reg), Z(reg), Z(reg));
    }
  };
  if (EmitRunMask(a, parts, count)) {
    const asmjit::Label lanes = a.newLabel();
    a.cmp(Run(offsetof(RunBlock, mask), 8), 0);
    a.jne(lanes);
    std::for_each(parts, parts + count, zero);
    a.jmp(parts[0].exits.done);
    a.bind(lanes);
  }
  EmitRunFields(a, parts[0].access, base, count * kLanes, is_joined ? kLanes : 0);
  for (int p = 0; p < count; ++p) {
    for (int n = 0; n < 4; ++n) {
      if (parts[p].data[n] >= 0) a.vmovdqa32(data(p, n), Z(parts[p].data[n]));
    }
  }
  EmitHandOver(region, HandOverOf(parts[0]), AccessRequest::kRun, [&] {
    for (int p = 0; p < count; ++p) {
      for (int n = 0; n < 4; ++n) {
        if (parts[p].result[n] >= 0) a.vmovdqa32(Z(parts[p].result[n]), data(p, n));
      }
      if (parts[p].access.quadwords) JoinDwords(region, parts[p].result);
    }
  });
}

}  // namespace gcnjit::backend::avx512
