// Loads and stores of guest memory. Each first tries what costs least (one address for all lanes:
// broadcasts; consecutive addresses: whole registers), then a gather or scatter, all of them within
// the window that this instruction used last, and otherwise calls the runtime, which checks lane by
// lane and finds the next window. What is known of the addresses when code is compiled need not be
// tried.
#include "backend_x64/isa/avx512/global.h"

#include <algorithm>

#include "backend_x64/emit/scattered_lanes.h"
#include "backend_x64/emit/stream_buffers.h"
#include "backend_x64/emit/stream_fill.h"
#include "backend_x64/emit/window_check.h"
#include "backend_x64/isa/avx512/access_code.h"
#include "backend_x64/isa/avx512/lane_stores.h"
#include "backend_x64/isa/avx512/overlapping.h"
#include "backend_x64/isa/avx512/streams.h"

namespace gcnjit::backend::avx512 {

using ir::Inst;
using ir::Op;

namespace {

x86::Mem Field(const PartAccess& s, size_t offset) {
  return x86::dword_ptr(x86::rdx,
                        static_cast<int32_t>(s.site.index * sizeof(MemoryWindow) + offset));
}

// All active lanes may have one address. Scratch 0: differences of the low dwords from lane 0's.
void EmitUniform(RegionAssembler& region, const PartAccess& s) {
  x86::Assembler& c = region.a;
  const asmjit::Label different = c.newLabel();
  const asmjit::Label maybe = c.newLabel();
  // As a rule it is lane 0 that others differ from.
  Under(c, s.mask).vptestmd(K(kM0), Z(kT0), Z(kT0));
  if (s.mask >= 0) c.kmovw(x86::ecx, K(s.mask));
  c.kortestw(K(kM0), K(kM0));
  if (s.mask >= 0) {
    c.jz(maybe);
    c.test(x86::ecx, 1);
    c.jnz(different);
    c.bind(maybe);
    c.test(x86::ecx, x86::ecx);
    c.jz(different);
  } else {
    c.jnz(different);
  }
  // The first active lane's.
  const auto first = [&](const x86::Gp& to, int from) {
    if (s.mask >= 0) {
      c.k(K(s.mask)).z().vpcompressd(Z(kT0), Z(from));
      from = kT0;
    }
    c.vmovd(to, X(from));
    c.vpbroadcastd(Z(kT1), X(from));
  };
  first(x86::eax, s.address.low);
  Under(c, s.mask).vpcmpd(K(kM0), Z(kT1), Z(s.address.low), 4);
  first(x86::ecx, s.address.high);
  Under(c, s.mask).vpcmpd(K(kM1), Z(kT1), Z(s.address.high), 4);
  c.kortestw(K(kM0), K(kM1));
  c.jnz(different);
  c.shl(x86::rcx, 32);
  c.lea(x86::rax, x86::ptr(x86::rax, x86::rcx, 0, s.address.imm));
  EmitLaneCheck(c, s);
  AccessCode(region).Broadcast(s.access, s.mask, s.result);
  c.jmp(s.exits.done);
  c.bind(different);
}

// A load or store by flat addresses that are in no window: of lanes in LDS, so far from its end
// that whole dwords, and 16 bytes of 12, can be read. Otherwise on to `slow`, a new label.
void EmitFlatLds(RegionAssembler& region, PartAccess& s) {
  const uint32_t aperture = region.options.lds_aperture;
  if (s.access.space != ir::Space::kFlat || aperture == 0 || s.address.high < 0) return;
  x86::Assembler& c = region.a;
  c.bind(s.exits.slow);
  s.exits.slow = c.newLabel();
  const auto expect_none = [&] {
    c.kortestw(K(kM0), K(kM0));
    c.jnz(s.exits.slow);
  };
  Under(c, s.mask).vpcmpd(K(kM0), Z(s.address.high),
                          region.constants.Broadcast32(aperture)._1to16(), 4);
  expect_none();
  const int offsets = kT2;
  if (s.address.imm != 0) {
    c.vpaddd(Z(offsets), Z(s.address.low),
             region.constants.Broadcast32(static_cast<uint32_t>(s.address.imm))._1to16());
  } else {
    c.vmovdqa32(Z(offsets), Z(s.address.low));
  }
  if (s.address.imm > 0) {  // otherwise an offset that has wrapped around is large
    Under(c, s.mask).vpcmpud(K(kM0), Z(offsets), Z(s.address.low), 1);
    expect_none();
  }
  const x86::Mem last = x86::dword_ptr(x86::r12, offsetof(RegionContext, transfer.scratch));
  c.mov(x86::eax, x86::dword_ptr(x86::r12, offsetof(RegionContext, lds.bytes)));
  c.sub(x86::eax, s.access.bytes == 12 ? 16 : std::max<int>(s.access.bytes, 4));
  c.jb(s.exits.slow);
  c.mov(last, x86::eax);
  Under(c, s.mask).vpcmpud(K(kM0), Z(offsets), last._1to16(), 6);
  expect_none();
  c.mov(x86::rax, x86::qword_ptr(x86::r12, offsetof(RegionContext, lds.begin)));
  if (s.is_store) {
    AccessCode(region).Scatter(s.access, s.mask, s.data, offsets);
  } else {
    AccessCode(region).Gather(s.access, s.mask, s.result, offsets);
  }
  c.jmp(s.exits.done);
}

}  // namespace

void EmitLaneCheck(x86::Assembler& c, const PartAccess& s) {
  c.mov(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, region.windows)));
  x86::Mem base = Field(s, offsetof(MemoryWindow, base));
  base.setSize(8);
  c.mov(x86::rcx, x86::rax);
  c.sub(x86::rcx, base);
  c.mov(x86::edx, Field(s, offsetof(MemoryWindow, lane_end)));
  c.cmp(x86::rcx, x86::rdx);
  c.jae(s.exits.slow);
}

void EmitLastLane(RegionAssembler& region, const PartAccess& s) {
  x86::Assembler& c = region.a;
  EmitLaneCheck(c, s);
  int from = s.data[0];
  const int lane = s.last_lane;
  if (lane < 0) {
    c.kmovw(x86::ecx, K(s.mask));
    c.bsr(x86::ecx, x86::ecx);
    c.jz(s.exits.done);
    c.vpbroadcastd(Z(kT0), x86::ecx);
    c.vpermd(Z(kT0), Z(kT0), Z(from));
    from = kT0;
  } else if (lane >= 4) {
    c.vextracti32x4(X(kT0), Z(from), lane / 4);
    from = kT0;
  }
  const int dword = std::max(lane, 0) % 4;
  switch (s.access.bytes) {
    case 1: c.vpextrb(x86::byte_ptr(x86::rax), X(from), dword * 4); break;
    case 2: c.vpextrw(x86::word_ptr(x86::rax), X(from), dword * 2); break;
    default:
      dword == 0 ? c.vmovd(x86::dword_ptr(x86::rax), X(from))
                 : c.vpextrd(x86::dword_ptr(x86::rax), X(from), dword);
  }
}

void EmitScattered(RegionAssembler& region, const PartAccess& s, int offsets) {
  x86::Assembler& c = region.a;
  // A gather takes as long for no lane as for all of them. (A stream is filled even so, for later.)
  const asmjit::Label none = c.newLabel();
  const bool may_be_none = s.mask >= 0 && !s.stream;
  if (may_be_none) {
    c.kortestw(K(s.mask), K(s.mask));
    c.jz(s.is_store ? s.exits.done : none);
  }
  // Offsets into the window; all active lanes must be within it. (The window keeps away from the
  // ends of its 4 GiB, so that low + imm cannot wrap into it.)
  c.mov(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, region.windows)));
  const x86::Mem low = Field(s, offsetof(MemoryWindow, low));
  if (s.address.imm != 0) {
    c.vpbroadcastd(Z(offsets), region.constants.Broadcast32(static_cast<uint32_t>(s.address.imm)));
    c.vpaddd(Z(offsets), Z(offsets), Z(s.address.low));
    c.vpsubd(Z(offsets), Z(offsets), low._1to16());
  } else {
    c.vpsubd(Z(offsets), Z(s.address.low), low._1to16());
  }
  c.vpcmpud(K(kM0), Z(offsets), Field(s, offsetof(MemoryWindow, lane_end))._1to16(), 1);
  c.k(K(kM0)).vpcmpd(K(kM0), Z(s.address.high), Field(s, offsetof(MemoryWindow, high))._1to16(), 0);
  if (s.mask >= 0) {
    c.kandnw(K(kM1), K(kM0), K(s.mask));
    c.kortestw(K(kM1), K(kM1));
    c.jnz(s.exits.slow);
  } else {
    c.kortestw(K(kM0), K(kM0));
    c.jnc(s.exits.slow);
  }
  x86::Mem base = Field(s, offsetof(MemoryWindow, base));
  base.setSize(8);
  c.mov(x86::rax, base);
  if (s.stream) EmitStreamFill(region, s, offsets);
  if (s.is_store) {
    AccessCode(region).Scatter(s.access, s.mask, s.data, offsets);
  } else {
    AccessCode(region).Gather(s.access, s.mask, s.result, offsets);
  }
  c.jmp(s.exits.done);
  if (!may_be_none || s.is_store) return;
  c.bind(none);
  for (const int reg : s.result) {
    if (reg >= 0) c.vpxord(Z(reg), Z(reg), Z(reg));
  }
  c.jmp(s.exits.done);
}

void GlobalCode::Emit(ir::Value v, const Inst& inst, int part) {
  if (inst.IsIndexed()) return EmitIndexed(v, inst, part);
  if (ir::IsSwizzled(inst.op)) return EmitSwizzled(v, inst, part);
  if (b_.at.IsUniformLoad(inst) || b_.accesses.pointers.MemoryOf(inst, part)) {
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
  const int place = s.data[AccessBlock::kPlaceData];
  if (s.access.bytes > 1) {
    Under(a, s.mask).vptestmd(K(kM0), Z(place),
                              b_.region.constants.Broadcast32(s.access.bytes - 1u)._1to16());
    a.kortestw(K(kM0), K(kM0));
    a.jnz(s.exits.slow);
  }
  EmitMove(inst, s);
}

// All parts of such a load, which look at the window in registers.
void GlobalCode::EmitUniformLoad(ir::Value v, const Inst& inst) {
  std::vector<PartAccess> all;
  for (int p = 0; p < parts(); ++p) {
    if (b_.block.IsStandIn(v, p)) all.push_back(GuestPart(v, inst, p));
  }
  const AccessGuard guard(b_.region, all[0].site);
  a.mov(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, region.windows)));
  a.mov(x86::rcx, RegionAssembler::WindowField(all[0].site, offsetof(MemoryWindow, base)));
  a.mov(x86::edx, Field(all[0], offsetof(MemoryWindow, lane_end)));
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
    AccessCode(b_.region).Broadcast(s.access, s.mask, s.result);
    a.bind(s.exits.done);
    b_.region.cold.push_back([&region = b_.region, s] { EmitSlow(region, s); });
  }
}

void GlobalCode::EmitMove(const Inst& inst, PartAccess s) {
  const AddressShape low = b_.at.ShapeOfAddress(inst.args[0]);
  const bool one_high =
      !IsLaneValue(inst.args[1]) || b_.at.ShapeOfAddress(inst.args[1]).IsUniform(s.part);
  const bool is_run = low.HasStep(s.part, s.access.bytes);
  const bool is_uniform = one_high && low.IsUniform(s.part);
  const bool may_be_scattered = !s.is_store && !is_uniform && !is_run && !s.stream;
  a.vmovd(x86::eax, X(s.address.low));
  a.vmovd(x86::ecx, X(s.address.high));
  a.shl(x86::rcx, 32);
  a.lea(x86::rax, x86::ptr(x86::rax, x86::rcx, 0, s.address.imm));
  if (is_uniform && (!s.is_store || s.access.Dwords() == 1)) {
    if (s.is_store) {
      EmitLastLane(b_.region, s);
    } else {
      EmitLaneCheck(a, s);
      AccessCode(b_.region).Broadcast(s.access, s.mask, s.result);
    }
    a.bind(s.exits.done);
    b_.region.cold.push_back([&region = b_.region, s] { EmitSlow(region, s); });
    return;
  }
  s.exits.scattered = a.newLabel();
  const int spaced = s.is_store ? 0 : SpacedStep(s.access, low, s.part);
  EmitRunCheck(s, is_run, spaced, one_high);
  if (s.is_store) {
    AccessCode(b_.region).StoreRun(s.access, s.mask, s.data, x86::ptr(x86::rax));
  } else if (spaced != 0) {
    LoadOverlapping(b_.region, s.access, spaced, s.mask, s.result, x86::ptr(x86::rax));
  } else {
    AccessCode(b_.region).LoadRun(s.access, s.mask, s.result, x86::ptr(x86::rax));
  }
  a.bind(s.exits.done);
  if (s.is_store) LaneStores(b_.region, s.access).Prepare();
  b_.region.cold.push_back([&region = b_.region, s, is_run, may_be_scattered] {
    const asmjit::Label known = region.a.newLabel();
    region.a.bind(s.exits.scattered);
    if (may_be_scattered) EmitIfScattered(region, s.site, known);
    if (!s.is_store && !is_run && !s.stream) EmitUniform(region, s);
    if (may_be_scattered) NoteScattered(region, s.site, known);
    EmitScattered(region, s, kT0);
    PartAccess others = s;
    EmitFlatLds(region, others);
    EmitSlow(region, others);
  });
}

// Goes on if the addresses are consecutive, or `spaced` bytes apart if that is not 0, and a run at
// rax, the first one, is within the window. `is_run`: the low dwords are known to be; `one_high`:
// the high dwords are all alike.
void GlobalCode::EmitRunCheck(const PartAccess& s, bool is_run, int spaced, bool one_high) {
  is_run |= spaced != 0;
  if (!is_run) {
    a.vpbroadcastd(Z(kT0), X(s.address.low));
    a.vpsubd(Z(kT0), Z(s.address.low), Z(kT0));
    a.vpcmpeqd(K(kM0), Z(kT0), b_.region.constants.Whole(ConstantPool::Multiples(s.access.bytes)));
  }
  if (!one_high) {
    a.vpbroadcastd(Z(kT1), X(s.address.high));
    if (is_run) {
      a.vpcmpeqd(K(kM0), Z(s.address.high), Z(kT1));
    } else {
      a.k(K(kM0)).vpcmpeqd(K(kM0), Z(s.address.high), Z(kT1));
    }
  }
  if (!is_run || !one_high) {
    a.kortestw(K(kM0), K(kM0));
    a.jnc(s.exits.scattered);
  }
  if (spaced != 0) {
    return EmitElementsCheck(a, s.site.index, SpacedBytes(s.access, spaced), s.exits.slow);
  }
  a.mov(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, region.windows)));
  a.mov(x86::rcx, x86::rax);
  a.sub(x86::rcx, RegionAssembler::WindowField(s.site, offsetof(MemoryWindow, base)));
  a.cmp(x86::rcx, RegionAssembler::WindowField(s.site, offsetof(MemoryWindow, run_end)));
  a.jae(s.exits.slow);
}

}  // namespace gcnjit::backend::avx512
