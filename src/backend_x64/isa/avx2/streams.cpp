#include "backend_x64/isa/avx2/streams.h"

#include "backend_x64/emit/stream_buffers.h"
#include "backend_x64/emit/stream_fill.h"
#include "backend_x64/isa/avx2/access_code.h"

namespace gcnjit::backend::avx2 {

void EmitStreamFill(RegionAssembler& region, const PartAccess& s, int offsets) {
  x86::Assembler& a = region.a;
  const asmjit::Label by_itself = a.newLabel();
  EmitStreamLimit(region, s, by_itself);
  const int beyond = offsets == kT1 ? kT2 : kT1;
  a.vmovd(X(beyond), x86::ecx);
  a.vpbroadcastd(Y(beyond), X(beyond));
  a.vpmaxud(Y(beyond), Y(beyond), Y(offsets));
  a.vpcmpeqd(Y(beyond), Y(beyond), Y(offsets));
  const int mask = s.mask < 0 ? beyond : s.mask;
  a.vtestps(Y(beyond), Y(mask));
  a.jnz(by_itself);
  if (s.stream->index >= 0) {
    // Above the most, or all that is not below the number after it.
    if (s.access.index_signed) {
      a.vpcmpgtd(Y(beyond), Y(s.stream->index), region.constants.Whole(s.stream->most_index));
    } else {
      a.vpmaxud(Y(beyond), Y(s.stream->index), region.constants.Whole(s.stream->most_index + 1));
      a.vpcmpeqd(Y(beyond), Y(beyond), Y(s.stream->index));
    }
    a.vtestps(Y(beyond), Y(mask));
    a.jnz(by_itself);
  }
  // Lanes that are not active are where the first active one is.
  const x86::Mem low = Access(offsetof(AccessBlock, low));
  if (s.mask >= 0) {
    a.vpand(Y(beyond), Y(offsets), Y(s.mask));
    a.vmovdqa(low, Y(beyond));
    a.vmovmskps(x86::ecx, Y(s.mask));
    a.tzcnt(x86::ecx, x86::ecx);
    a.and_(x86::ecx, kLanes - 1);
    x86::Mem first = low;
    first.setIndex(x86::rcx, 2);
    a.vpbroadcastd(Y(beyond), first);
    a.vpblendvb(Y(offsets), Y(beyond), Y(offsets), Y(s.mask));
  } else {
    a.vpbroadcastd(Y(beyond), X(offsets));
  }
  a.vmovdqa(low, Y(offsets));
  a.vpxor(Y(beyond), Y(beyond), Y(offsets));
  a.vptest(Y(beyond), Y(beyond));
  EmitStreamFillCall(region, s);
  a.bind(by_itself);
}

// The elements that are there, if these are still those of the lanes' addresses. Those that are
// counted are: the buffer was filled within a window, which 32 bits of an address suffice for.
void EmitStreamRead(RegionAssembler& region, const PartAccess& s, const asmjit::Label& other) {
  x86::Assembler& a = region.a;
  EmitStreamCheck(region, *s.stream, other);
  if (s.address.high >= 0 && !s.address.counted) {
    a.vpbroadcastd(Y(kT0), s.stream->high);
    a.vpcmpeqd(Y(kT0), Y(kT0), Y(s.address.high));
    EmitAllCheck(a, kT0, s.mask, x86::ecx, other);
  }
  if (s.result[0] < 0) return;
  x86::Mem from = s.stream->elements;
  from.setIndex(x86::rax);
  a.vmovups(Y(s.result[0]), from);
  if (s.mask >= 0) a.vandps(Y(s.result[0]), Y(s.result[0]), Y(s.mask));
}

}  // namespace gcnjit::backend::avx2
