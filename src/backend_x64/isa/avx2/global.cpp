// Loads and stores of guest memory. Each first tries what costs least (one address for all lanes:
// broadcasts; consecutive addresses: whole registers), then lane by lane, all of them within the
// window that this instruction used last, and otherwise calls the runtime, which checks every lane
// and finds the next window. What is known of the addresses when code is compiled need not be
// tried.
#include "backend_x64/isa/avx2/global.h"

#include <algorithm>

#include "backend_x64/emit/scattered_lanes.h"
#include "backend_x64/emit/stream_buffers.h"
#include "backend_x64/emit/stream_fill.h"
#include "backend_x64/emit/window_check.h"
#include "backend_x64/isa/avx2/access_code.h"
#include "backend_x64/isa/avx2/overlapping.h"
#include "backend_x64/isa/avx2/streams.h"

namespace gcnjit::backend::avx2 {

using ir::Inst;
using ir::Op;

namespace {

x86::Mem Field(const PartAccess& s, size_t offset, uint32_t size) {
  return x86::ptr(x86::rdx, static_cast<int32_t>(s.site.index * sizeof(MemoryWindow) + offset),
                  size);
}

// rax: the address from its low dword, eax, and its high one, ecx.
void EmitAddress(x86::Assembler& a, const PartAccess& s) {
  a.shl(x86::rcx, 32);
  if (s.address.imm != 0) {
    a.lea(x86::rax, x86::ptr(x86::rax, x86::rcx, 0, s.address.imm));
  } else {
    a.or_(x86::rax, x86::rcx);
  }
}

// One element for all lanes, at rax if one lane may access there. Changes rcx and rdx.
void EmitBroadcast(RegionAssembler& region, const PartAccess& s) {
  x86::Assembler& a = region.a;
  a.mov(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, region.windows)));
  a.mov(x86::rcx, x86::rax);
  a.sub(x86::rcx, Field(s, offsetof(MemoryWindow, base), 8));
  a.mov(x86::edx, Field(s, offsetof(MemoryWindow, lane_end), 4));
  a.cmp(x86::rcx, x86::rdx);
  a.jae(s.exits.slow);
  AccessCode(region, s.access).Broadcast(s.mask, s.result);
}

// All active lanes may have one address.
void EmitUniform(RegionAssembler& region, const PartAccess& s) {
  x86::Assembler& a = region.a;
  const asmjit::Label different = a.newLabel();
  EmitMaskBits(a, x86::edx, s.mask);
  a.test(x86::edx, x86::edx);
  a.jz(different);
  // As a rule it is lane 0 that others differ from.
  const asmjit::Label maybe = a.newLabel();
  a.vpbroadcastd(Y(kT0), X(s.address.low));
  a.vpcmpeqd(Y(kT0), Y(kT0), Y(s.address.low));
  if (s.mask < 0) {
    EmitAllCheck(a, kT0, s.mask, x86::eax, different);
  } else {
    a.vtestps(Y(kT0), Y(s.mask));
    a.jc(maybe);
    a.test(x86::edx, 1);
    a.jnz(different);
    a.bind(maybe);
  }
  // The first active lane's.
  a.tzcnt(x86::edx, x86::edx);
  a.vmovd(X(kT2), x86::edx);
  a.vpbroadcastd(Y(kT2), X(kT2));
  a.vpermd(Y(kT0), Y(kT2), Y(s.address.low));
  a.vpermd(Y(kT1), Y(kT2), Y(s.address.high));
  a.vmovd(x86::eax, X(kT0));
  a.vmovd(x86::ecx, X(kT1));
  a.vpcmpeqd(Y(kT0), Y(kT0), Y(s.address.low));
  a.vpcmpeqd(Y(kT1), Y(kT1), Y(s.address.high));
  a.vpand(Y(kT0), Y(kT0), Y(kT1));
  EmitAllCheck(a, kT0, s.mask, x86::edx, different);
  EmitAddress(a, s);
  EmitBroadcast(region, s);
  a.jmp(s.exits.done);
  a.bind(different);
}

// The active lanes' accesses at rax and the offsets in scratch 0, and that is all.
void EmitLanes(RegionAssembler& region, const PartAccess& s) {
  x86::Assembler& a = region.a;
  AccessCode code(region, s.access);
  if (s.is_store) {
    const bool all_lanes = s.mask < 0;
    if (!all_lanes) EmitMaskBits(a, x86::edx, s.mask);
    code.Scatter(s.data, all_lanes);
  } else {
    code.Gather(s.mask, s.result);
  }
  a.jmp(s.exits.done);
}

// Addresses that are not consecutive: the active lanes must be within the window. (The window keeps
// away from the ends of its 4 GiB, so that low + imm cannot wrap into it.)
void EmitScattered(RegionAssembler& region, const PartAccess& s) {
  x86::Assembler& a = region.a;
  a.mov(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, region.windows)));
  AddressesToScratch(region, s);
  a.vpbroadcastd(Y(kT1), Field(s, offsetof(MemoryWindow, low), 4));
  a.vpsubd(Y(kT0), Y(kT0), Y(kT1));
  a.vpbroadcastd(Y(kT1), Field(s, offsetof(MemoryWindow, lane_end), 4));
  a.vpmaxud(Y(kT1), Y(kT1), Y(kT0));
  a.vpcmpeqd(Y(kT1), Y(kT1), Y(kT0));  // beyond its end
  a.vpbroadcastd(Y(kT2), Field(s, offsetof(MemoryWindow, high), 4));
  a.vpcmpeqd(Y(kT2), Y(kT2), Y(s.address.high));
  a.vpandn(Y(kT1), Y(kT1), Y(kT2));
  EmitAllCheck(a, kT1, s.mask, x86::eax, s.exits.slow);
  a.mov(x86::rax, Field(s, offsetof(MemoryWindow, base), 8));
  if (s.stream) EmitStreamFill(region, s, kT0);
  EmitLanes(region, s);
}

// A load or store by flat addresses that are in no window: of lanes in LDS, so far from its end
// that whole dwords, and 16 bytes of 12, can be read. Otherwise on to `slow`, a new label.
void EmitFlatLds(RegionAssembler& region, PartAccess& s) {
  const uint32_t aperture = region.options.lds_aperture;
  if (s.access.space != ir::Space::kFlat || aperture == 0 || s.address.high < 0) return;
  x86::Assembler& a = region.a;
  a.bind(s.exits.slow);
  s.exits.slow = a.newLabel();
  a.vpcmpeqd(Y(kT1), Y(s.address.high), region.constants.Whole(aperture));
  AddressesToScratch(region, s);
  if (s.address.imm > 0) {  // otherwise an offset that has wrapped around is large
    a.vpmaxud(Y(kT2), Y(kT0), Y(s.address.low));
    a.vpcmpeqd(Y(kT2), Y(kT2), Y(kT0));
    a.vpand(Y(kT1), Y(kT1), Y(kT2));
  }
  a.mov(x86::eax, x86::dword_ptr(x86::r12, offsetof(RegionContext, lds.bytes)));
  a.sub(x86::eax, s.access.bytes == 12 ? 16 : std::max<int>(s.access.bytes, 4));
  a.jb(s.exits.slow);
  a.vmovd(X(kT2), x86::eax);
  a.vpbroadcastd(Y(kT2), X(kT2));
  a.vpminud(Y(kT2), Y(kT2), Y(kT0));
  a.vpcmpeqd(Y(kT2), Y(kT2), Y(kT0));
  a.vpand(Y(kT1), Y(kT1), Y(kT2));
  EmitAllCheck(a, kT1, s.mask, x86::edx, s.exits.slow);
  a.mov(x86::rax, x86::qword_ptr(x86::r12, offsetof(RegionContext, lds.begin)));
  EmitLanes(region, s);
}

}  // namespace

void GlobalCode::Emit(ir::Value v, const Inst& inst, int part) {
  if (inst.IsIndexed()) return EmitIndexed(v, inst, part);
  if (ir::IsSwizzled(inst.op)) return EmitSwizzled(v, inst, part);
  // No more than two parts by themselves, since all have their registers at once.
  if (b_.accesses.pointers.MemoryOf(inst, part) ||
      (inst.access().Dwords() == 1 && b_.at.IsUniformLoad(inst) && b_.at.StandInsOf(v) <= 2)) {
    if (part == 0) EmitUniformLoad(v, inst);
    return;
  }
  PartAccess s = GuestPart(v, inst, part);
  const AccessGuard guard(b_.region, s.site);
  if (inst.op == Op::kAtomic) return atomics_.EmitGuest(inst, s);
  s.stream = StreamOf(v, inst, part);
  if (s.stream) {
    const asmjit::Label other = a.newLabel();
    EmitStreamRead(b_.region, s, other);
    a.jmp(s.exits.done);
    a.bind(other);
  }
  LoadAddress(s.address);
  EmitMove(inst, s);
  FreeAddress(inst, s);
  if (!s.stream) return;
  EmitStreamStep(b_.region, *s.stream);
  PrepareStreamFill(b_.region, s.access, kLanes, kT0);
}

// Lanes of which each byte has an address of its own are the runtime's.
void GlobalCode::EmitSwizzled(ir::Value v, const Inst& inst, int part) {
  const PartAccess s = GuestPart(v, inst, part);
  const AccessGuard guard(b_.region, s.site);
  int place = s.data[AccessBlock::kPlaceData];
  if (s.access.bytes > 1) {
    if (s.mask >= 0) {
      a.vpand(Y(kT0), Y(place), Y(s.mask));
      place = kT0;
    }
    a.vptest(Y(place), b_.region.constants.Whole(s.access.bytes - 1u));
    a.jnz(s.exits.slow);
  }
  EmitMove(inst, s);
}

// All parts of such a load, which look at the window in registers.
void GlobalCode::EmitUniformLoad(ir::Value v, const Inst& inst) {
  std::vector<PartAccess> all;
  for (int p = 0; p < parts(); ++p) {
    if (p == 0 || b_.block.IsStandIn(v, p)) all.push_back(GuestPart(v, inst, p));
  }
  const AccessGuard guard(b_.region, all[0].site);
  a.mov(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, region.windows)));
  a.mov(x86::rcx, Field(all[0], offsetof(MemoryWindow, base), 8));
  a.mov(x86::edx, Field(all[0], offsetof(MemoryWindow, lane_end), 4));
  for (const PartAccess& s : all) {
    if (s.address.pointer) {
      a.mov(x86::rax, *s.address.pointer);
    } else {
      a.vpunpckldq(X(kT0), X(s.address.low), X(s.address.high));
      a.vmovq(x86::rax, X(kT0));
    }
    if (s.address.imm != 0) a.add(x86::rax, s.address.imm);
    a.sub(x86::rax, x86::rcx);
    a.cmp(x86::rax, x86::rdx);
    a.jae(s.exits.slow);
    a.add(x86::rax, x86::rcx);
    AccessCode(b_.region, s.access).Broadcast(s.mask, s.result);
    a.bind(s.exits.done);
    b_.region.cold.push_back([&region = b_.region, s] { EmitSlow(region, s); });
  }
}

void GlobalCode::EmitMove(const Inst& inst, PartAccess s) {
  s.exits.scattered = a.newLabel();
  s.exits.partial = a.newLabel();
  AccessCode code(b_.region, s.access);
  const AddressShape low = b_.at.ShapeOfAddress(inst.args[0]);
  const bool one_high =
      !IsLaneValue(inst.args[1]) || b_.at.ShapeOfAddress(inst.args[1]).IsUniform(s.part);
  const bool is_run = low.HasStep(s.part, s.access.bytes);
  const bool is_uniform = !s.is_store && one_high && low.IsUniform(s.part);
  const bool may_be_scattered = !s.is_store && !is_uniform && !is_run && !s.stream;
  const asmjit::Label known = a.newLabel();
  if (may_be_scattered) EmitIfScattered(b_.region, s.site, known);
  a.vmovd(x86::eax, X(s.address.low));
  a.vmovd(x86::ecx, X(s.address.high));
  if (is_uniform) {
    EmitAddress(a, s);
    EmitBroadcast(b_.region, s);
    a.bind(s.exits.done);
    b_.region.cold.push_back([&region = b_.region, s] { EmitSlow(region, s); });
    return;
  }
  const int spaced = s.is_store ? 0 : SpacedStep(s.access, low, s.part);
  EmitRunCheck(s, is_run, spaced, one_high);
  if (s.is_store) {
    if (s.mask >= 0) {
      a.vmovmskps(x86::edx, Y(s.mask));
      a.cmp(x86::edx, kAllLanes);
      a.jne(s.exits.partial);
    }
    code.StoreRun(s.data);
  } else if (spaced != 0) {
    LoadOverlapping(b_.region, s.access, spaced, s.mask, s.result, x86::ptr(x86::rax));
  } else {
    code.LoadRun(s.mask, s.result);
  }
  a.bind(s.exits.done);
  b_.region.cold.push_back([&region = b_.region, s, is_run, may_be_scattered, known] {
    if (s.is_store) EmitPartial(region, s);
    region.a.bind(s.exits.scattered);
    if (!s.is_store && !is_run && !s.stream) EmitUniform(region, s);
    if (may_be_scattered) NoteScattered(region, s.site, known);
    EmitScattered(region, s);
    PartAccess others = s;
    EmitFlatLds(region, others);
    EmitSlow(region, others);
  });
}

// Goes on if the addresses are consecutive, or `spaced` bytes apart if that is not 0, and a run is
// within the window at rax, the first one, whose dwords are in eax and ecx. `is_run`: the low
// dwords are known to be; `one_high`: the high dwords are all alike.
void GlobalCode::EmitRunCheck(const PartAccess& s, bool is_run, int spaced, bool one_high) {
  is_run |= spaced != 0;
  if (!is_run) {
    a.vpbroadcastd(Y(kT0), X(s.address.low));
    a.vpsubd(Y(kT0), Y(s.address.low), Y(kT0));
    a.vpcmpeqd(Y(kT0), Y(kT0), b_.region.constants.Whole(ConstantPool::Multiples(s.access.bytes)));
  }
  if (!one_high) {
    a.vpbroadcastd(Y(kT1), X(s.address.high));
    a.vpcmpeqd(Y(kT1), Y(s.address.high), Y(kT1));
    if (!is_run) a.vpand(Y(kT0), Y(kT0), Y(kT1));
  }
  if (!is_run || !one_high) {
    a.vmovmskps(x86::edx, Y(is_run ? kT1 : kT0));
    a.cmp(x86::edx, kAllLanes);
    a.jne(s.exits.scattered);
  }
  EmitAddress(a, s);
  if (spaced != 0) {
    return EmitElementsCheck(a, s.site.index, SpacedBytes(s.access, spaced), s.exits.slow);
  }
  a.mov(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, region.windows)));
  a.mov(x86::rcx, x86::rax);
  a.sub(x86::rcx, Field(s, offsetof(MemoryWindow, base), 8));
  a.cmp(x86::rcx, Field(s, offsetof(MemoryWindow, run_end), 8));
  a.jae(s.exits.slow);
}

}  // namespace gcnjit::backend::avx2
