#include "backend_x64/isa/avx512/streams.h"

#include "backend_x64/emit/stream_buffers.h"
#include "backend_x64/emit/stream_fill.h"
#include "backend_x64/isa/avx512/access_code.h"

namespace gcnjit::backend::avx512 {

void EmitStreamFill(RegionAssembler& region, const PartAccess& s, int offsets) {
  x86::Assembler& a = region.a;
  const asmjit::Label by_itself = a.newLabel();
  EmitStreamLimit(region, s, by_itself);
  const int limit = offsets == kT1 ? kT0 : kT1;
  a.vpbroadcastd(Z(limit), x86::ecx);
  Under(a, s.mask).vpcmpud(K(kM0), Z(offsets), Z(limit), 5);
  a.kortestw(K(kM0), K(kM0));
  a.jnz(by_itself);
  if (s.stream->index >= 0) {
    const x86::Mem most = region.constants.Broadcast32(s.stream->most_index)._1to16();
    if (s.access.index_signed) {
      Under(a, s.mask).vpcmpd(K(kM0), Z(s.stream->index), most, 6);
    } else {
      Under(a, s.mask).vpcmpud(K(kM0), Z(s.stream->index), most, 6);
    }
    a.kortestw(K(kM0), K(kM0));
    a.jnz(by_itself);
  }
  // Lanes that are not active are where the first active one is.
  const x86::Mem low = Access(offsetof(AccessBlock, low));
  if (s.mask >= 0) {
    OrZero(a, s.mask).vmovdqa32(Z(limit), Z(offsets));
    a.vmovdqa32(low, Z(limit));
    a.kmovw(x86::ecx, K(s.mask));
    a.tzcnt(x86::ecx, x86::ecx);
    a.and_(x86::ecx, kLanes - 1);
    x86::Mem first = low;
    first.setIndex(x86::rcx, 2);
    a.vpbroadcastd(Z(limit), first);
    a.k(K(s.mask)).vpblendmd(Z(offsets), Z(limit), Z(offsets));
  } else {
    a.vpbroadcastd(Z(limit), X(offsets));
  }
  a.vmovdqa32(low, Z(offsets));
  a.vpcmpd(K(kM0), Z(limit), Z(offsets), 4);
  a.kortestw(K(kM0), K(kM0));
  EmitStreamFillCall(region, s);
  a.bind(by_itself);
}

// The elements that are there, if these are still those of the lanes' addresses. Those that are
// counted are: the buffer was filled within a window, which 32 bits of an address suffice for.
void EmitStreamRead(RegionAssembler& region, const PartAccess& s, const asmjit::Label& other) {
  x86::Assembler& a = region.a;
  EmitStreamCheck(region, *s.stream, other);
  if (s.address.high >= 0 && !s.address.counted) {
    Under(a, s.mask).vpcmpd(K(kM0), Z(s.address.high), s.stream->high._1to16(), 4);
    a.kortestw(K(kM0), K(kM0));
    a.jnz(other);
  }
  if (s.result[0] < 0) return;
  x86::Mem from = s.stream->elements;
  from.setIndex(x86::rax);
  OrZero(a, s.mask).vmovdqu32(Z(s.result[0]), from);
}

}  // namespace gcnjit::backend::avx512
