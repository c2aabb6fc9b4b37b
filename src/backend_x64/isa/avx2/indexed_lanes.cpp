// Accesses of the indexed form whose lanes are no run: loads of one element or of dwords near each
// other; or lane by lane.
#include "backend_x64/emit/index_range.h"
#include "backend_x64/emit/scattered_lanes.h"
#include "backend_x64/isa/avx2/access_code.h"
#include "backend_x64/isa/avx2/indexed_access.h"
#include "backend_x64/isa/avx2/streams.h"

namespace gcnjit::backend::avx2 {

// One part whose lanes are known to have one address. What a store leaves there is the last active
// lane's.
void IndexedAccess::EmitUniform(const Part& p, const asmjit::Label& fail,
                                const asmjit::Label& done) const {
  x86::Assembler& a = region.a;
  if (has_index) {
    a.vmovd(x86::eax, X(p.index));
    EmitAddressOf(0, fail);
  } else {
    a.mov(x86::rax, Base(0, 8));
    if (imm != 0) a.add(x86::rax, imm);
  }
  a.mov(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, region.windows)));
  a.mov(x86::rcx, x86::rax);
  a.sub(x86::rcx, Window(offsetof(MemoryWindow, base), 8));
  a.mov(x86::edx, Window(offsetof(MemoryWindow, lane_end), 4));
  a.cmp(x86::rcx, x86::rdx);
  a.jae(fail);
  AccessCode code(region, access);
  if (!is_store) return code.Broadcast(p.mask, p.result);
  if (p.last_lane >= 0) return code.StoreLane(p.last_lane, p.data[0]);
  EmitMaskBits(a, x86::ecx, p.mask);
  a.bsr(x86::ecx, x86::ecx);
  a.jz(done);
  a.vmovd(X(kT0), x86::ecx);
  a.vpermd(Y(kT0), Y(kT0), Y(p.data[0]));
  code.StoreLane(0, kT0);
}

// Can the lanes be among the dwords of two registers, a store's of eight, of which lane 0's is the
// first?
bool IndexedAccess::MayBeNear(int n) const {
  if (access.bytes != 4 || access.index_shift != 2) return false;
  if (is_store && part[n].mask >= 0) return false;
  if (!shape.is_known) return true;
  const int number = Number(n);
  const int32_t first = shape.Offset(number);
  return shape.Lowest(number, number + 1) == first &&
         shape.Highest(number, number + 1) - first <= LastNear();
}

// rax: where the dwords begin, all of which are in the window; scratch 0: which of them the lanes
// are.
void IndexedAccess::EmitNearOffsets(int n, const asmjit::Label& fail) const {
  x86::Assembler& a = region.a;
  const Part& p = part[n];
  a.vmovd(x86::eax, X(p.index));
  a.vpbroadcastd(Y(kT0), X(p.index));
  a.vpsubd(Y(kT0), Y(p.index), Y(kT0));
  if (!shape.is_known) {
    a.vpminud(Y(kT1), Y(kT0), region.constants.Whole(static_cast<uint32_t>(LastNear())));
    a.vpcmpeqd(Y(kT1), Y(kT1), Y(kT0));
    EmitAllCheck(a, kT1, p.mask, x86::ecx, fail);
  }
  EmitAddressOf(LastNear(), fail);
  EmitWindowCheck((LastNear() + 1) / kLanes, fail, 0, 0);
}

// Two permutations and a choice instead of a gather.
void IndexedAccess::EmitNearLoad(int n, const asmjit::Label& fail) const {
  x86::Assembler& a = region.a;
  const Part& p = part[n];
  EmitNearOffsets(n, fail);
  if (p.result[0] < 0) return;
  // The permutations look at the low three bits; the fourth one becomes the sign.
  a.vpermd(Y(kT1), Y(kT0), x86::ptr(x86::rax));
  a.vpermd(Y(kT2), Y(kT0), x86::ptr(x86::rax, kLanes * 4));
  a.vpslld(Y(kT0), Y(kT0), 28);
  a.vblendvps(Y(p.mask < 0 ? p.result[0] : kT1), Y(kT1), Y(kT2), Y(kT0));
  if (p.mask >= 0) a.vandps(Y(p.result[0]), Y(kT1), Y(p.mask));
}

// Pairs of lanes that belong together, or single ones.
void IndexedAccess::EmitNearStore(int n, const asmjit::Label& fail) const {
  x86::Assembler& a = region.a;
  AccessCode code(region, access);
  const int data = part[n].data[0];
  const asmjit::Label single = a.newLabel();
  const asmjit::Label done = a.newLabel();
  constexpr int kEvenLanes = 0x55;
  EmitNearOffsets(n, fail);
  a.vpsrlq(Y(kT1), Y(kT0), 32);
  a.vpsubd(Y(kT1), Y(kT1), Y(kT0));
  a.vpcmpeqd(Y(kT1), Y(kT1), region.constants.Whole(1));
  a.vmovmskps(x86::ecx, Y(kT1));
  a.and_(x86::ecx, kEvenLanes);
  a.cmp(x86::ecx, kEvenLanes);
  a.jne(single);
  code.ScatterPairs(data, access.index_shift);
  a.jmp(done);
  a.bind(single);
  code.ScatterDwords(data, access.index_shift);
  a.bind(done);
}

void IndexedAccess::EmitNear(int n, const asmjit::Label& fail) const {
  is_store ? EmitNearStore(n, fail) : EmitNearLoad(n, fail);
}

// A load that is tried in several ways.
bool IndexedAccess::MayBeScattered(int n) const {
  return !is_store && !shape.is_known && !part[n].stream;
}

// One part whose lanes are not what was expected.
void IndexedAccess::EmitOtherwise(int n, const asmjit::Label& entry, const asmjit::Label& scattered,
                                  const asmjit::Label& done) const {
  x86::Assembler& a = region.a;
  a.bind(entry);
  if (may_be_two_runs) {
    const asmjit::Label others = a.newLabel();
    EmitTwoRuns(n, others);
    a.jmp(done);
    a.bind(others);
  }
  if (!shape.is_known && MayBeNear(n)) {
    const asmjit::Label far = a.newLabel();
    EmitNear(n, far);
    a.jmp(done);
    a.bind(far);
  }
  if (MayBeScattered(n)) NoteScattered(region, site, scattered);
  EmitScattered(part[n], done);
}

// (kT1:kT0) = base + (ext(index) << shift); also left for the runtime.
void IndexedAccess::EmitAddresses(const Part& p) const {
  x86::Assembler& a = region.a;
  const int shift = access.index_shift;
  a.vpslld(Y(kT0), Y(p.index), shift);
  if (access.index_signed) {
    a.vpsrad(Y(kT1), Y(p.index), shift == 0 ? 31 : 32 - shift);
  } else if (shift != 0) {
    a.vpsrld(Y(kT1), Y(p.index), 32 - shift);
  } else {
    a.vpxor(Y(kT1), Y(kT1), Y(kT1));
  }
  a.vpbroadcastd(Y(kT2), Base(4, 4));
  a.vpaddd(Y(kT1), Y(kT1), Y(kT2));
  a.vpbroadcastd(Y(kT2), Base(0, 4));
  a.vpaddd(Y(kT0), Y(kT0), Y(kT2));
  // The sum is at least its term where there is no carry.
  a.vpmaxud(Y(kT2), Y(kT2), Y(kT0));
  a.vpcmpeqd(Y(kT2), Y(kT2), Y(kT0));
  a.vpaddd(Y(kT1), Y(kT1), Y(kT2));
  a.vpaddd(Y(kT1), Y(kT1), region.constants.Whole(1));
  a.vmovups(Access(offsetof(AccessBlock, low)), Y(kT0));
  a.vmovups(Access(offsetof(AccessBlock, high)), Y(kT1));
}

// Scratch 0: the active lanes' offsets from rax, all in the window.
void IndexedAccess::EmitOffsets(const Part& p, const asmjit::Label& fail) const {
  x86::Assembler& a = region.a;
  EmitIndexRange(region, site, access, WholeBase(), imm);
  a.vpbroadcastd(Y(kT0), Window(offsetof(MemoryWindow, index_first), 4));
  a.vpsubd(Y(kT0), Y(p.index), Y(kT0));
  a.vpbroadcastd(Y(kT1), Window(offsetof(MemoryWindow, index_end), 4));
  a.vpcmpgtd(Y(kT1), Y(kT1), Y(kT0));
  EmitAllCheck(a, kT1, p.mask, x86::eax, fail);
  if (access.index_shift != 0) {
    a.vpslld(Y(kT0), Y(kT0), access.index_shift);  // without the sign bit, which was turned round
  } else {
    a.vpxor(Y(kT0), Y(kT0), region.constants.Whole(1u << 31));
  }
  a.mov(x86::rax, Window(offsetof(MemoryWindow, index_begin), 8));
}

// Fills the part's stream. (The window keeps away from the ends of its 4 GiB, so that the low
// dwords and `imm` cannot wrap into it.)
void IndexedAccess::EmitStream(const Part& p, const asmjit::Label& done,
                               const asmjit::Label& fail) const {
  x86::Assembler& a = region.a;
  EmitAddresses(p);
  a.mov(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, region.windows)));
  a.vpbroadcastd(Y(kT2), Window(offsetof(MemoryWindow, high), 4));
  a.vpcmpeqd(Y(kT1), Y(kT1), Y(kT2));
  if (imm != 0) {
    a.vpaddd(Y(kT0), Y(kT0), region.constants.Whole(static_cast<uint32_t>(imm)));
  }
  a.vpbroadcastd(Y(kT2), Window(offsetof(MemoryWindow, low), 4));
  a.vpsubd(Y(kT0), Y(kT0), Y(kT2));
  a.vpbroadcastd(Y(kT2), Window(offsetof(MemoryWindow, lane_end), 4));
  a.vpmaxud(Y(kT2), Y(kT2), Y(kT0));
  a.vpcmpeqd(Y(kT2), Y(kT2), Y(kT0));  // beyond its end
  a.vpandn(Y(kT1), Y(kT2), Y(kT1));
  EmitAllCheck(a, kT1, p.mask, x86::eax, fail);
  a.mov(x86::rax, Window(offsetof(MemoryWindow, base), 8));
  EmitStreamFill(region, OperandsOf(p, done), kT0);
}

// Lane by lane, if all active lanes are in the window.
void IndexedAccess::EmitScattered(const Part& p, const asmjit::Label& done) const {
  x86::Assembler& a = region.a;
  AccessCode code(region, access);
  const asmjit::Label slow = a.newLabel();
  if (p.stream) {
    EmitStream(p, done, slow);
  } else {
    EmitOffsets(p, slow);
  }
  if (is_store) {
    const bool all_lanes = p.mask < 0;
    if (!all_lanes) EmitMaskBits(a, x86::edx, p.mask);
    code.Scatter(p.data, all_lanes);
  } else {
    code.Gather(p.mask, p.result);
  }
  a.jmp(done);
  a.bind(slow);
  EmitAddresses(p);
  PartAccess lanes = OperandsOf(p, done);
  lanes.slow = a.newLabel();
  EmitSlow(region, lanes);
}

// All parts, which are a run, but not one that code in line can access: its window has yet to be
// found, or the run is not all within memory, or an index wraps around within it.
void IndexedAccess::EmitRunByRuntime(const asmjit::Label& done) const {
  PartAccess run[4];
  for (int n = 0; n < parts; ++n) run[n] = OperandsOf(part[n], done);
  EmitFirstIndex(0);
  EmitSlowRun(region, run, parts, Base(0, 8));
}

PartAccess IndexedAccess::OperandsOf(const Part& p, const asmjit::Label& done) const {
  PartAccess operands;
  operands.site = site;
  operands.access = access;
  operands.mask = p.mask;
  std::copy(std::begin(p.data), std::end(p.data), operands.data);
  std::copy(std::begin(p.result), std::end(p.result), operands.result);
  operands.part = p.number;
  operands.environment = environment;
  operands.done = done;
  operands.abort = abort;
  operands.stream = p.stream;
  return operands;
}

}  // namespace gcnjit::backend::avx2
