// Loads and stores of guest memory. Each first tries what costs least (one address for all lanes:
// broadcasts; consecutive addresses: whole registers), then a gather or scatter, all of them within
// the window that this instruction used last, and otherwise calls the runtime, which checks lane by
// lane and finds the next window. What is known of the addresses when code is compiled need not be
// tried.
#include <algorithm>

#include "backend_x64/isa/avx512/access_code.h"
#include "backend_x64/isa/avx512/slow_path.h"

namespace gcnjit::backend::avx512 {

using ir::Inst;
using ir::Op;

namespace {

x86::Mem Field(const SlowAccess& slow, size_t offset) {
  return x86::dword_ptr(x86::rdx,
                        static_cast<int32_t>(slow.window * sizeof(MemoryWindow) + offset));
}

// All active lanes may have one address. Scratch 0: differences of the low dwords from lane 0's.
void EmitUniform(RegionShared& shared, const SlowAccess& slow, const ir::MemoryAccess& access,
                 int32_t imm) {
  x86::Assembler& c = shared.a;
  const asmjit::Label different = c.newLabel();
  const asmjit::Label maybe = c.newLabel();
  // As a rule it is lane 0 that others differ from.
  Under(c, slow.mask).vptestmd(K(kM0), Z(kT0), Z(kT0));
  if (slow.mask >= 0) c.kmovw(x86::ecx, K(slow.mask));
  c.kortestw(K(kM0), K(kM0));
  if (slow.mask >= 0) {
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
    if (slow.mask >= 0) {
      c.k(K(slow.mask)).z().vpcompressd(Z(kT0), Z(from));
      from = kT0;
    }
    c.vmovd(to, X(from));
    c.vpbroadcastd(Z(kT1), X(from));
  };
  first(x86::eax, slow.low);
  Under(c, slow.mask).vpcmpd(K(kM0), Z(kT1), Z(slow.low), 4);
  first(x86::ecx, slow.high);
  Under(c, slow.mask).vpcmpd(K(kM1), Z(kT1), Z(slow.high), 4);
  c.kortestw(K(kM0), K(kM1));
  c.jnz(different);
  c.shl(x86::rcx, 32);
  c.lea(x86::rax, x86::ptr(x86::rax, x86::rcx, 0, imm));
  EmitLaneCheck(c, slow);
  AccessCode(shared).Broadcast(access, slow.mask, slow.result);
  c.jmp(slow.done);
  c.bind(different);
}

}  // namespace

void EmitLaneCheck(x86::Assembler& c, const SlowAccess& slow) {
  c.mov(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, windows)));
  x86::Mem base = Field(slow, offsetof(MemoryWindow, base));
  base.setSize(8);
  c.mov(x86::rcx, x86::rax);
  c.sub(x86::rcx, base);
  c.mov(x86::edx, Field(slow, offsetof(MemoryWindow, lane_end)));
  c.cmp(x86::rcx, x86::rdx);
  c.jae(slow.entry);
}

void EmitLastLane(RegionShared& shared, const SlowAccess& slow, const ir::MemoryAccess& access) {
  x86::Assembler& c = shared.a;
  EmitLaneCheck(c, slow);
  int from = slow.data[0];
  const int lane = slow.last_lane;
  if (lane < 0) {
    c.kmovw(x86::ecx, K(slow.mask));
    c.bsr(x86::ecx, x86::ecx);
    c.jz(slow.done);
    c.vpbroadcastd(Z(kT0), x86::ecx);
    c.vpermd(Z(kT0), Z(kT0), Z(from));
    from = kT0;
  } else if (lane >= 4) {
    c.vextracti32x4(X(kT0), Z(from), lane / 4);
    from = kT0;
  }
  const int dword = std::max(lane, 0) % 4;
  switch (access.bytes) {
    case 1: c.vpextrb(x86::byte_ptr(x86::rax), X(from), dword * 4); break;
    case 2: c.vpextrw(x86::word_ptr(x86::rax), X(from), dword * 2); break;
    default:
      dword == 0 ? c.vmovd(x86::dword_ptr(x86::rax), X(from))
                 : c.vpextrd(x86::dword_ptr(x86::rax), X(from), dword);
  }
}

void EmitScattered(RegionShared& shared, const SlowAccess& slow, const ir::MemoryAccess& access,
                   bool is_store, int32_t imm, int offsets) {
  x86::Assembler& c = shared.a;
  if (is_store && access.bytes < 4) {
    c.jmp(slow.entry);
    return;
  }
  // Offsets into the window; all active lanes must be within it. (The window keeps away from the
  // ends of its 4 GiB, so that low + imm cannot wrap into it.)
  c.mov(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, windows)));
  const x86::Mem low = Field(slow, offsetof(MemoryWindow, low));
  if (imm != 0) {
    c.vpbroadcastd(Z(offsets), shared.constants.Broadcast32(static_cast<uint32_t>(imm)));
    c.vpaddd(Z(offsets), Z(offsets), Z(slow.low));
    c.vpsubd(Z(offsets), Z(offsets), low._1to16());
  } else {
    c.vpsubd(Z(offsets), Z(slow.low), low._1to16());
  }
  c.vpcmpud(K(kM0), Z(offsets), Field(slow, offsetof(MemoryWindow, lane_end))._1to16(), 1);
  c.k(K(kM0)).vpcmpd(K(kM0), Z(slow.high), Field(slow, offsetof(MemoryWindow, high))._1to16(), 0);
  if (slow.mask >= 0) {
    c.kandnw(K(kM1), K(kM0), K(slow.mask));
    c.kortestw(K(kM1), K(kM1));
    c.jnz(slow.entry);
  } else {
    c.kortestw(K(kM0), K(kM0));
    c.jnc(slow.entry);
  }
  if (is_store && access.bytes > 4 && access.bytes != 16) {
    // Piece by piece is lane by lane only if no two lanes overlap in part.
    const uint32_t misaligned = access.bytes == 12 ? ~0u : access.bytes - 1u;
    Under(c, slow.mask)
        .vptestmd(K(kM0), Z(offsets), shared.constants.Broadcast32(misaligned)._1to16());
    c.kortestw(K(kM0), K(kM0));
    c.jnz(slow.entry);
  }
  x86::Mem base = Field(slow, offsetof(MemoryWindow, base));
  base.setSize(8);
  c.mov(x86::rax, base);
  if (is_store) {
    AccessCode(shared).Scatter(access, slow.mask, slow.data, offsets);
  } else {
    AccessCode(shared).Gather(access, slow.mask, slow.result, offsets);
  }
  c.jmp(slow.done);
}

// All parts of such a load, which look at the window in registers.
void LaneEmitter::EmitUniformLoad(ir::Value v, const Inst& inst) {
  const ir::MemoryAccess access = inst.access();
  const auto imm = static_cast<int32_t>(inst.imm);
  const MemorySite* const site = AddSite(v, inst);
  std::vector<SlowAccess> slow;
  for (int p = 0; p < parts(); ++p) {
    if (!IsStandIn(v, p)) continue;
    SlowAccess& s = slow.emplace_back();
    s.site = site;
    s.window = SiteOf(site).index;
    s.part = p;
    s.pointer = PointerMemoryOf(inst, p);
    if (!s.pointer) {
      s.low = Use(inst.args[0], p);
      s.high = Use(inst.args[1], p);
    }
    s.mask = AccessMask(inst.args[2], p);
    DefResults(v, inst, p, s.result);
    s.environment = current_mxcsr() != shared_.base_mxcsr;
    s.entry = a.newLabel();
    s.done = a.newLabel();
    s.abort = NextSlice();
  }
  const AccessGuard guard(shared_, site);
  a.mov(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, windows)));
  a.mov(x86::rcx, WindowField(site, offsetof(MemoryWindow, base)));
  a.mov(x86::edx, Field(slow[0], offsetof(MemoryWindow, lane_end)));
  for (const SlowAccess& s : slow) {
    if (s.pointer) {
      a.mov(x86::rax, *s.pointer);
    } else {
      a.vpunpckldq(X(kT0), X(s.low), X(s.high));
      a.vmovq(x86::rax, X(kT0));
    }
    if (imm != 0) a.add(x86::rax, imm);
    a.sub(x86::rax, x86::rcx);
    a.cmp(x86::rax, x86::rdx);
    a.jae(s.entry);
    a.add(x86::rax, x86::rcx);
    AccessCode(shared_).Broadcast(access, s.mask, s.result);
    a.bind(s.done);
    shared_.cold.push_back([&shared = shared_, s] { EmitSlow(shared, s); });
  }
}

void LaneEmitter::EmitGlobalMove(const Inst& inst, const SlowAccess& slow) {
  const ir::MemoryAccess access = inst.access();
  const bool is_store = inst.op == Op::kStore;
  const auto imm = static_cast<int32_t>(inst.imm);
  const AddressShape low = ShapeOfAddress(inst.args[0]);
  const bool one_high =
      !IsLaneValue(inst.args[1]) || ShapeOfAddress(inst.args[1]).IsUniform(slow.part);
  const bool is_run = low.HasStep(slow.part, access.bytes);
  const bool is_uniform = one_high && low.IsUniform(slow.part);
  a.vmovd(x86::eax, X(slow.low));
  a.vmovd(x86::ecx, X(slow.high));
  a.shl(x86::rcx, 32);
  a.lea(x86::rax, x86::ptr(x86::rax, x86::rcx, 0, imm));
  if (is_uniform && is_store && access.Dwords() == 1) {
    EmitLastLane(shared_, slow, access);
    a.bind(slow.done);
    shared_.cold.push_back([&shared = shared_, slow] { EmitSlow(shared, slow); });
    return;
  }
  if (is_uniform && !is_store) {
    EmitLaneCheck(a, slow);
    AccessCode(shared_).Broadcast(access, slow.mask, slow.result);
    a.bind(slow.done);
    shared_.cold.push_back([&shared = shared_, slow] { EmitSlow(shared, slow); });
    return;
  }
  const asmjit::Label scattered = a.newLabel();
  EmitRunCheck(access, slow, is_run, one_high, scattered);
  if (is_store) {
    AccessCode(shared_).StoreRun(access, slow.mask, slow.data, x86::ptr(x86::rax));
  } else {
    AccessCode(shared_).LoadRun(access, slow.mask, slow.result, x86::ptr(x86::rax));
  }
  a.bind(slow.done);
  shared_.cold.push_back([&shared = shared_, slow, scattered, access, is_store, is_run, imm] {
    shared.a.bind(scattered);
    if (!is_store && !is_run) EmitUniform(shared, slow, access, imm);
    EmitScattered(shared, slow, access, is_store, imm, kT0);
    EmitSlow(shared, slow);
  });
}

// Goes on if the addresses are consecutive and a run at rax, the first one, is within the window.
// `is_run`: the low dwords are known to be; `one_high`: the high dwords are all alike.
void LaneEmitter::EmitRunCheck(const ir::MemoryAccess& access, const SlowAccess& slow, bool is_run,
                               bool one_high, const asmjit::Label& scattered) {
  if (!is_run) {
    a.vpbroadcastd(Z(kT0), X(slow.low));
    a.vpsubd(Z(kT0), Z(slow.low), Z(kT0));
    a.vpcmpeqd(K(kM0), Z(kT0), shared_.constants.Whole(ConstantPool::Multiples(access.bytes)));
  }
  if (!one_high) {
    a.vpbroadcastd(Z(kT1), X(slow.high));
    if (is_run) {
      a.vpcmpeqd(K(kM0), Z(slow.high), Z(kT1));
    } else {
      a.k(K(kM0)).vpcmpeqd(K(kM0), Z(slow.high), Z(kT1));
    }
  }
  if (!is_run || !one_high) {
    a.kortestw(K(kM0), K(kM0));
    a.jnc(scattered);
  }
  a.mov(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, windows)));
  a.mov(x86::rcx, x86::rax);
  a.sub(x86::rcx, WindowField(slow.site, offsetof(MemoryWindow, base)));
  a.cmp(x86::rcx, WindowField(slow.site, offsetof(MemoryWindow, run_end)));
  a.jae(slow.entry);
}

}  // namespace gcnjit::backend::avx512
