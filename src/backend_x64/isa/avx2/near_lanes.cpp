#include "backend_x64/isa/avx2/near_lanes.h"

#include "backend_x64/isa/avx2/access_code.h"
#include "backend_x64/isa/avx2/runs.h"
#include "backend_x64/isa/avx2/slow_path.h"

namespace gcnjit::backend::avx2 {

namespace {

// The last of the dwords that near lanes may be.
int LastNear(const IndexedAccess& x) { return (x.is_store ? 8 : 2) * kLanes - 1; }

// rax: where the dwords begin, all of which are in the window; scratch 0: which of them the lanes
// are.
void EmitNearOffsets(const IndexedAccess& x, int n, const asmjit::Label& fail) {
  x86::Assembler& a = x.region.a;
  const PartAccess& p = x.parts[n];
  a.vmovd(x86::eax, X(x.index.reg[n]));
  a.vpbroadcastd(Y(kT0), X(x.index.reg[n]));
  a.vpsubd(Y(kT0), Y(x.index.reg[n]), Y(kT0));
  if (!x.index.shape.is_known) {
    a.vpminud(Y(kT1), Y(kT0), x.region.constants.Whole(static_cast<uint32_t>(LastNear(x))));
    a.vpcmpeqd(Y(kT1), Y(kT1), Y(kT0));
    EmitAllCheck(a, kT1, p.mask, x86::ecx, fail);
  }
  EmitAddressOf(x, LastNear(x), fail);
  EmitRunWindowCheck(x, (LastNear(x) + 1) / kLanes, fail);
}

// Two permutations and a choice instead of a gather.
void EmitNearLoad(const IndexedAccess& x, int n, const asmjit::Label& fail) {
  x86::Assembler& a = x.region.a;
  const PartAccess& p = x.parts[n];
  EmitNearOffsets(x, n, fail);
  if (p.result[0] < 0) return;
  // The permutations look at the low three bits; the fourth one becomes the sign.
  a.vpermd(Y(kT1), Y(kT0), x86::ptr(x86::rax));
  a.vpermd(Y(kT2), Y(kT0), x86::ptr(x86::rax, kLanes * 4));
  a.vpslld(Y(kT0), Y(kT0), 28);
  a.vblendvps(Y(p.mask < 0 ? p.result[0] : kT1), Y(kT1), Y(kT2), Y(kT0));
  if (p.mask >= 0) a.vandps(Y(p.result[0]), Y(kT1), Y(p.mask));
}

// Pairs of lanes that belong together, or single ones.
void EmitNearStore(const IndexedAccess& x, int n, const asmjit::Label& fail) {
  x86::Assembler& a = x.region.a;
  AccessCode code(x.region, x.access);
  const int data = x.parts[n].data[0];
  const asmjit::Label single = a.newLabel();
  const asmjit::Label done = a.newLabel();
  constexpr int kEvenLanes = 0x55;
  EmitNearOffsets(x, n, fail);
  a.vpsrlq(Y(kT1), Y(kT0), 32);
  a.vpsubd(Y(kT1), Y(kT1), Y(kT0));
  a.vpcmpeqd(Y(kT1), Y(kT1), x.region.constants.Whole(1));
  a.vmovmskps(x86::ecx, Y(kT1));
  a.and_(x86::ecx, kEvenLanes);
  a.cmp(x86::ecx, kEvenLanes);
  a.jne(single);
  code.ScatterPairs(data, x.access.index_shift);
  a.jmp(done);
  a.bind(single);
  code.ScatterDwords(data, x.access.index_shift);
  a.bind(done);
}

}  // namespace

bool MayBeNear(const IndexedAccess& x, int n) {
  if (x.access.bytes != 4 || x.access.index_shift != 2) return false;
  if (x.is_store && x.parts[n].mask >= 0) return false;
  if (!x.index.shape.is_known) return true;
  const int number = x.parts.Number(n);
  const int32_t first = x.index.shape.Offset(number);
  return x.index.shape.Lowest(number, number + 1) == first &&
         x.index.shape.Highest(number, number + 1) - first <= LastNear(x);
}

void EmitNear(const IndexedAccess& x, int n, const asmjit::Label& fail) {
  x.is_store ? EmitNearStore(x, n, fail) : EmitNearLoad(x, n, fail);
}

}  // namespace gcnjit::backend::avx2
