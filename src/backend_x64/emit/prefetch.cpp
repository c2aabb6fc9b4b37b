#include "backend_x64/emit/prefetch.h"

#include "backend_x64/abi/region_abi.h"

namespace gcnjit::backend {

namespace x86 = asmjit::x86;

namespace {

// Bytes between two loads, below which the first one's lines are in the caches for the second one.
constexpr int32_t kNear = 128 << 10;

}  // namespace

void EmitLineRequest(x86::Assembler& a, const x86::Mem& line, bool is_second_level, bool is_store) {
  if (is_second_level) {
    a.prefetcht1(line);
  } else if (is_store) {
    a.prefetchw(line);
  } else {
    a.prefetcht0(line);
  }
}

void EmitPrefetch(x86::Assembler& a, const Tuning& tuning, const Lookahead& lookahead,
                  const LookaheadMemory& memory, const x86::Mem& from, int index_shift, int bytes,
                  bool is_store) {
  const asmjit::Label end = a.newLabel();
  if (lookahead.lead_from) {
    a.mov(x86::rcx, memory.lead);
    a.sub(x86::rcx, memory.lead_from);
    a.cmp(x86::rcx, kNear);
    a.jb(end);
  } else if (lookahead.lead) {
    a.cmp(memory.lead, kNear >> index_shift);
    a.jb(end);
  }
  x86::Mem at = from.cloneAdjusted(lookahead.bytes);
  if (lookahead.step) {
    a.movsxd(x86::rcx, memory.step);
    at = from;
    at.setIndex(x86::rcx, static_cast<uint32_t>(index_shift));
  }
  const bool is_second_level = lookahead.is_loop || tuning.is_second_level;
  for (int offset = 0; offset < bytes; offset += kCacheLine) {
    EmitLineRequest(a, at.cloneAdjusted(offset), is_second_level, is_store);
  }
  if (lookahead.lead) a.bind(end);
}

void EmitPastCachesCheck(x86::Assembler& a, const asmjit::Label& in_caches) {
  a.cmp(x86::byte_ptr(x86::r12, offsetof(RegionContext, exceeds_caches)), 0);
  a.je(in_caches);
  a.test(x86::eax, kCacheLine - 1);
  a.jnz(in_caches);
}

}  // namespace gcnjit::backend
