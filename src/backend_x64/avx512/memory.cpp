// Memory accesses of a part: 16 lanes. Each first tries what costs least (consecutive addresses in
// the window that this instruction used last: one move), then a gather or scatter within the
// window, and otherwise calls the runtime, which checks lane by lane and finds the next window.
#include <cassert>

#include "backend_x64/avx512/lanes.h"

namespace gcnjit::backend::avx512 {

using ir::Inst;
using ir::Op;
using ir::Value;

namespace {

ConstantPool::Vector Multiples(uint32_t step) {
  ConstantPool::Vector v;
  for (uint32_t n = 0; n < 16; ++n) v[n] = n * step;
  return v;
}

x86::Mem Access(size_t offset) {
  return x86::ptr(x86::r12, static_cast<int32_t>(offsetof(RegionContext, access) + offset));
}

// ecx: bytes that may be accessed; also left for the runtime.
void EmitLimit(x86::Assembler& a, const LdsLimit& limit) {
  a.mov(x86::ecx, x86::dword_ptr(x86::r12, offsetof(RegionContext, lds_bytes)));
  if (!limit.unlimited) {
    x86::Mem memory = limit.memory;
    memory.setSize(4);
    a.mov(x86::eax, memory);
    a.cmp(x86::ecx, x86::eax);
    a.cmova(x86::ecx, x86::eax);
  }
  a.mov(Access(offsetof(AccessBlock, limit)), x86::ecx);
}

// What a call of the runtime needs; emitted out of line.
struct SlowAccess {
  const MemorySite* site = nullptr;
  int low = -1;  // registers
  int high = -1;
  int mask = -1;
  int data[4] = {-1, -1, -1, -1};
  int result[4] = {-1, -1, -1, -1};
  uint32_t window = 0;
  int part = 0;
  bool environment = false;  // MXCSR is not the block's
  asmjit::Label entry, done, abort;
};

void EmitSlow(RegionShared& shared, const SlowAccess& s) {
  x86::Assembler& a = shared.a;
  a.bind(s.entry);
  a.vmovdqa32(Access(offsetof(AccessBlock, low)), Z(s.low));
  if (s.high >= 0) a.vmovdqa32(Access(offsetof(AccessBlock, high)), Z(s.high));
  for (int n = 0; n < 4; ++n) {
    if (s.data[n] >= 0) {
      a.vmovdqa32(Access(offsetof(AccessBlock, data) + n * sizeof(AccessBlock::data[0])),
                  Z(s.data[n]));
    }
  }
  a.kmovw(x86::eax, K(s.mask));
  a.mov(Access(offsetof(AccessBlock, mask)), x86::eax);
  a.mov(x86::dword_ptr(x86::r12, offsetof(RegionContext, access) + offsetof(AccessBlock, lanes)),
        16);
  a.lea(x86::eax, x86::ptr(x86::r15, x86::r15));  // lanes / 8 * 8
  a.shl(x86::eax, 2);
  if (s.part != 0) a.add(x86::eax, s.part * 16);
  a.mov(Access(offsetof(AccessBlock, first_lane)), x86::eax);
  a.mov(x86::rax, reinterpret_cast<uint64_t>(s.site));
  a.call(x86::qword_ptr(x86::r12, offsetof(RegionContext, access_thunk)));
  a.test(x86::eax, x86::eax);
  const asmjit::Label give_up = a.newLabel();
  a.jz(give_up);
  for (int n = 0; n < 4; ++n) {
    if (s.result[n] >= 0) {
      a.vmovdqa32(Z(s.result[n]),
                  Access(offsetof(AccessBlock, data) + n * sizeof(AccessBlock::data[0])));
    }
  }
  a.jmp(s.done);
  a.bind(give_up);
  if (s.environment) a.ldmxcsr(shared.constants.Broadcast32(shared.base_mxcsr));
  a.jmp(s.abort);
}

}  // namespace

void LaneEmitter::EmitMemoryPart(Value v, const Inst& inst, int part) {
  switch (inst.op) {
    case Op::kLoad:
    case Op::kStore:
      if (inst.access().indexed) return EmitIndexed(v, inst, part);
      [[fallthrough]];
    case Op::kAtomic: EmitGlobal(v, inst, part); return;
    default: EmitLds(v, inst, part); return;
  }
}

// The registers that a load's dwords go to; -1 where nobody reads a dword.
void LaneEmitter::DefResults(Value v, const Inst& inst, int part, int (&result)[4]) {
  for (int n = 0; n < 4; ++n) result[n] = -1;
  if (inst.type == ir::Type::kVoid) return;
  if (IsRead(v)) result[0] = Def(v, part);
  for (Value p{v.id + 1};
       p.id < function_.insts.size() && InstOf(p).op == Op::kPart && InstOf(p).args[0] == v;
       ++p.id) {
    if (IsRead(p)) result[InstOf(p).imm] = Def(p, part);
  }
}

void LaneEmitter::EmitGlobal(Value v, const Inst& inst, int part) {
  const ir::MemoryAccess access = inst.access();
  const bool is_store = inst.op == Op::kStore;
  const bool is_atomic = inst.op == Op::kAtomic;
  const MemorySite* site = part == 0 ? AddSite(v, inst) : last_site_;
  last_site_ = site;
  SlowAccess slow;
  slow.site = site;
  slow.window = SiteOf(site).index;
  slow.part = part;
  slow.low = Use(inst.args[0], part);
  slow.high = Use(inst.args[1], part);
  slow.mask = UseMask(inst.args[2], part);
  for (int n = 3; n < inst.argument_count; ++n) slow.data[n - 3] = Use(inst.args[n], part);
  DefResults(v, inst, part, slow.result);
  slow.environment = current_mxcsr() != shared_.base_mxcsr;
  slow.entry = a.newLabel();
  slow.done = a.newLabel();
  slow.abort = NextSlice();
  if (is_atomic) {
    if (!EmitGuestAtomic(inst, slow.low, slow.high, slow.mask, slow.data, slow.result,
                         slow.entry)) {
      a.jmp(slow.entry);
    }
    a.bind(slow.done);
    shared_.cold.push_back([&shared = shared_, slow] { EmitSlow(shared, slow); });
    return;
  }
  const auto imm = static_cast<int32_t>(inst.imm);
  const asmjit::Label scattered = a.newLabel();
  const uint32_t step = access.bytes;
  // Are the addresses consecutive?
  a.vmovd(x86::eax, X(slow.low));
  a.vmovd(x86::ecx, X(slow.high));
  a.vpbroadcastd(Z(kT0), X(slow.low));
  a.vpsubd(Z(kT0), Z(slow.low), Z(kT0));
  a.vpbroadcastd(Z(kT1), X(slow.high));
  a.vpcmpeqd(K(kM0), Z(kT0), shared_.constants.Whole(Multiples(step)));
  a.k(K(kM0)).vpcmpeqd(K(kM0), Z(slow.high), Z(kT1));
  a.shl(x86::rcx, 32);
  a.lea(x86::rax, x86::ptr(x86::rax, x86::rcx, 0, imm));
  a.kortestw(K(kM0), K(kM0));
  a.jnc(scattered);
  a.mov(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, windows)));
  a.mov(x86::rcx, x86::rax);
  a.sub(x86::rcx, WindowField(site, offsetof(MemoryWindow, base)));
  a.cmp(x86::rcx, WindowField(site, offsetof(MemoryWindow, run_end)));
  a.jae(slow.entry);
  if (is_store) {
    StoreRun(access, slow.mask, slow.data);
  } else {
    LoadRun(access, slow.mask, slow.result);
  }
  a.bind(slow.done);
  shared_.cold.push_back([this_shared = &shared_, slow, scattered, access, is_store, imm] {
    RegionShared& shared = *this_shared;
    x86::Assembler& c = shared.a;
    c.bind(scattered);
    const bool narrow_store = is_store && access.bytes < 4;
    if (!narrow_store) {
      // Offsets into the window; all active lanes must be within it. (The window keeps away from
      // the ends of its 4 GiB, so that low + imm cannot wrap into it.)
      const int32_t window = static_cast<int32_t>(slow.window * sizeof(MemoryWindow));
      const auto field = [&](size_t offset) {
        return x86::dword_ptr(x86::rdx, window + static_cast<int32_t>(offset));
      };
      c.mov(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, windows)));
      if (imm != 0) {
        c.vpbroadcastd(Z(kT0), shared.constants.Broadcast32(static_cast<uint32_t>(imm)));
        c.vpaddd(Z(kT0), Z(kT0), Z(slow.low));
        c.vpsubd(Z(kT0), Z(kT0), field(offsetof(MemoryWindow, low))._1to16());
      } else {
        c.vpsubd(Z(kT0), Z(slow.low), field(offsetof(MemoryWindow, low))._1to16());
      }
      c.vpcmpud(K(kM0), Z(kT0), field(offsetof(MemoryWindow, lane_end))._1to16(), 1);
      c.k(K(kM0)).vpcmpd(K(kM0), Z(slow.high), field(offsetof(MemoryWindow, high))._1to16(), 0);
      c.kandnw(K(kM1), K(kM0), K(slow.mask));
      c.kortestw(K(kM1), K(kM1));
      c.jnz(slow.entry);
      if (is_store && access.bytes > 4) {
        // Dword by dword is lane by lane only if no two lanes overlap in part.
        c.k(K(slow.mask))
            .vptestmd(K(kM0), Z(kT0),
                      shared.constants.Broadcast32(access.bytes == 12 ? ~0u : access.bytes - 1u)
                          ._1to16());
        c.kortestw(K(kM0), K(kM0));
        c.jnz(slow.entry);
      }
      c.mov(x86::rax,
            x86::qword_ptr(x86::rdx, window + static_cast<int32_t>(offsetof(MemoryWindow, base))));
      for (int n = 0; n < access.Dwords(); ++n) {
        const x86::Mem memory = x86::ptr(x86::rax, Z(kT0), 0, n * 4);
        c.kmovw(K(kM0), K(slow.mask));
        if (is_store) {
          c.k(K(kM0)).vpscatterdd(memory, Z(slow.data[n]));
        } else if (slow.result[n] >= 0) {
          c.vpxord(Z(kT1), Z(kT1), Z(kT1));
          c.k(K(kM0)).vpgatherdd(Z(kT1), memory);
          NarrowTo(c, access, kT1);
          c.vmovdqa32(Z(slow.result[n]), Z(kT1));
        }
      }
      c.jmp(slow.done);
    } else {
      c.jmp(slow.entry);
    }
    EmitSlow(shared, slow);
  });
}

// Loads 16 consecutive elements at [rax].
void LaneEmitter::LoadRun(const ir::MemoryAccess& access, int mask, const int (&result)[4]) {
  const x86::Mem at = x86::ptr(x86::rax);
  switch (access.bytes) {
    case 1:
      if (result[0] < 0) return;
      if (access.sign_extend) {
        a.k(K(mask)).z().vpmovsxbd(Z(result[0]), at);
      } else {
        a.k(K(mask)).z().vpmovzxbd(Z(result[0]), at);
      }
      return;
    case 2:
      if (result[0] < 0) return;
      if (access.sign_extend) {
        a.k(K(mask)).z().vpmovsxwd(Z(result[0]), at);
      } else {
        a.k(K(mask)).z().vpmovzxwd(Z(result[0]), at);
      }
      return;
    case 4:
      if (result[0] >= 0) a.k(K(mask)).z().vmovdqu32(Z(result[0]), at);
      return;
    case 8: {
      // Even and odd dwords of two registers.
      a.vmovdqu32(Z(kT0), at);
      for (int n = 0; n < 2; ++n) {
        if (result[n] < 0) continue;
        ConstantPool::Vector indices;
        for (uint32_t l = 0; l < 16; ++l) indices[l] = l * 2 + static_cast<uint32_t>(n);
        a.vmovdqa32(Z(kT1), shared_.constants.Whole(indices));
        a.vpermi2d(Z(kT1), Z(kT0), x86::ptr(x86::rax, 64));
        a.k(K(mask)).z().vmovdqa32(Z(result[n]), Z(kT1));
      }
      return;
    }
    default: {
      // Lane n's dwords are at n * bytes: gather with constant offsets.
      for (int n = 0; n < access.Dwords(); ++n) {
        if (result[n] < 0) continue;
        a.vmovdqa32(Z(kT0), shared_.constants.Whole(Multiples(access.bytes)));
        a.kmovw(K(kM0), K(mask));
        a.vpxord(Z(result[n]), Z(result[n]), Z(result[n]));
        a.k(K(kM0)).vpgatherdd(Z(result[n]), x86::ptr(x86::rax, Z(kT0), 0, n * 4));
      }
      return;
    }
  }
}

void LaneEmitter::StoreRun(const ir::MemoryAccess& access, int mask, const int (&data)[4]) {
  const x86::Mem at = x86::ptr(x86::rax);
  switch (access.bytes) {
    case 1: a.k(K(mask)).vpmovdb(at, Z(data[0])); return;
    case 2: a.k(K(mask)).vpmovdw(at, Z(data[0])); return;
    case 4: a.k(K(mask)).vmovdqu32(at, Z(data[0])); return;
    default:
      for (int n = 0; n < access.Dwords(); ++n) {
        a.vmovdqa32(Z(kT0), shared_.constants.Whole(Multiples(access.bytes)));
        a.kmovw(K(kM0), K(mask));
        a.k(K(kM0)).vpscatterdd(x86::ptr(x86::rax, Z(kT0), 0, n * 4), Z(data[n]));
      }
      return;
  }
}

void LaneEmitter::NarrowTo(x86::Assembler& c, const ir::MemoryAccess& access, int reg) {
  if (access.bytes >= 4) return;
  const int bits = 32 - access.bytes * 8;
  c.vpslld(Z(reg), Z(reg), bits);
  if (access.sign_extend) {
    c.vpsrad(Z(reg), Z(reg), bits);
  } else {
    c.vpsrld(Z(reg), Z(reg), bits);
  }
}

// Loads that have their address in common, each with an offset of its own. Where the lanes' dwords
// lie within 16 of the first lane's, each load is a permutation of 64 bytes; that is found out
// once.
void LaneEmitter::EmitLdsGroup(const LdsGroup& group, const LdsLimit& limit, int low, int part) {
  const asmjit::Label no_run = a.newLabel();
  const asmjit::Label done = a.newLabel();
  EmitLimit(a, limit);
  a.vmovd(x86::eax, X(low));
  a.vpbroadcastd(Z(kT0), X(low));
  a.vpsubd(Z(kT0), Z(low), Z(kT0));
  a.vpcmpud(K(kM0), Z(kT0), Constant32(60)._1to16(), 2);
  a.k(K(kM0)).vptestnmd(K(kM0), Z(kT0), Constant32(3)._1to16());
  a.kortestw(K(kM0), K(kM0));
  a.jnc(no_run);
  a.sub(x86::rcx, static_cast<int32_t>(group.last_offset) + 64);
  a.jl(no_run);
  a.cmp(x86::rax, x86::rcx);
  a.ja(no_run);
  a.vpsrld(Z(kT0), Z(kT0), 2);
  a.vmovdqa32(TempMemory(group.temp, part), Z(kT0));
  a.add(x86::rax, x86::ptr(x86::r12, offsetof(RegionContext, lds)));
  a.mov(SlotMemory(group.slots[part]), x86::rax);
  a.bind(done);
  shared_.cold.push_back([&shared = shared_, no_run, done, slot = SlotMemory(group.slots[part])] {
    shared.a.bind(no_run);
    shared.a.xor_(x86::eax, x86::eax);
    shared.a.mov(slot, x86::rax);
    shared.a.jmp(done);
  });
}

// LDS: (address, mask, limit, dwords...).
void LaneEmitter::EmitLds(Value v, const Inst& inst, int part) {
  const ir::MemoryAccess access = inst.access();
  const bool is_store = inst.op == Op::kStoreLds;
  const bool is_atomic = inst.op == Op::kAtomicLds;
  const MemorySite* site = part == 0 ? AddSite(v, inst) : last_site_;
  last_site_ = site;
  SlowAccess slow;
  slow.site = site;
  slow.window = SiteOf(site).index;
  slow.part = part;
  slow.low = Use(inst.args[0], part);
  slow.mask = UseMask(inst.args[1], part);
  for (int n = 3; n < inst.argument_count; ++n) slow.data[n - 3] = Use(inst.args[n], part);
  DefResults(v, inst, part, slow.result);
  slow.environment = current_mxcsr() != shared_.base_mxcsr;
  slow.entry = a.newLabel();
  slow.done = a.newLabel();
  slow.abort = NextSlice();
  const auto imm = static_cast<int32_t>(inst.imm);
  const uint32_t step = access.bytes;
  uint64_t constant = 0;
  LdsLimit limit;
  limit.unlimited = IsConst(inst.args[2], &constant) && constant >= 64 * 1024;
  if (!limit.unlimited) limit.memory = ScalarMemory(inst.args[2]);
  if (is_atomic) {
    EmitLimit(a, limit);
    if (!EmitLdsAtomic(inst, slow.low, slow.mask, slow.data, slow.result, slow.entry)) {
      a.jmp(slow.entry);
    }
    a.bind(slow.done);
    shared_.cold.push_back([&shared = shared_, slow] { EmitSlow(shared, slow); });
    return;
  }
  const asmjit::Label scattered = a.newLabel();
  const LdsGroup* group = inst.op == Op::kLoadLds ? LdsGroupOf(v) : nullptr;
  if (group != nullptr) {
    if (group->leader == v) EmitLdsGroup(*group, limit, slow.low, part);
    if (slow.result[0] < 0) return;
    // The run's start; 0 where the lanes' addresses are too far apart.
    a.mov(x86::rax, SlotMemory(group->slots[part]));
    a.test(x86::rax, x86::rax);
    a.jz(scattered);
    a.vmovdqa32(Z(kT0), TempMemory(group->temp, part));
    a.k(K(slow.mask)).z().vpermd(Z(slow.result[0]), Z(kT0), x86::ptr(x86::rax, imm));
  } else {
    EmitLimit(a, limit);
    a.vmovd(x86::eax, X(slow.low));
    a.vpbroadcastd(Z(kT0), X(slow.low));
    a.vpsubd(Z(kT0), Z(slow.low), Z(kT0));
    a.vpcmpeqd(K(kM0), Z(kT0), shared_.constants.Whole(Multiples(step)));
    if (imm != 0) a.add(x86::eax, imm);
    a.kortestw(K(kM0), K(kM0));
    a.jnc(scattered);
    a.sub(x86::rcx, step * 16);
    a.jl(slow.entry);
    a.cmp(x86::rax, x86::rcx);
    a.ja(slow.entry);
    a.add(x86::rax, x86::ptr(x86::r12, offsetof(RegionContext, lds)));
    if (is_store) {
      StoreRun(access, slow.mask, slow.data);
    } else {
      LoadRun(access, slow.mask, slow.result);
    }
  }
  a.bind(slow.done);
  const bool grouped = group != nullptr;
  shared_.cold.push_back(
      [this_shared = &shared_, slow, scattered, access, is_store, imm, step, limit, grouped] {
        RegionShared& shared = *this_shared;
        x86::Assembler& c = shared.a;
        c.bind(scattered);
        if (grouped) {
          EmitLimit(c, limit);
          c.vmovd(x86::eax, X(slow.low));
          c.vpbroadcastd(Z(kT0), X(slow.low));
          c.vpsubd(Z(kT0), Z(slow.low), Z(kT0));
          if (imm != 0) c.add(x86::eax, imm);
        }
        if (is_store && access.bytes != 4) {
          c.jmp(slow.entry);
          EmitSlow(shared, slow);
          return;
        }
        if (!is_store) {
          // One address for all lanes: one load.
          const asmjit::Label different = c.newLabel();
          c.vptestnmd(K(kM0), Z(kT0), Z(kT0));
          c.kortestw(K(kM0), K(kM0));
          c.jnc(different);
          c.sub(x86::rcx, step < 4 ? 4 : step);
          c.jl(slow.entry);
          c.cmp(x86::rax, x86::rcx);
          c.ja(slow.entry);
          c.add(x86::rax, x86::ptr(x86::r12, offsetof(RegionContext, lds)));
          for (int n = 0; n < access.Dwords(); ++n) {
            if (slow.result[n] < 0) continue;
            c.k(K(slow.mask)).z().vpbroadcastd(Z(slow.result[n]), x86::dword_ptr(x86::rax, n * 4));
            NarrowTo(c, access, slow.result[n]);
          }
          c.jmp(slow.done);
          c.bind(different);
        }
        // Lanes within the limit; the others read 0 and write nothing.
        c.sub(x86::rcx, step < 4 ? 4 : step);
        c.jl(slow.entry);
        c.vpbroadcastd(Z(kT1), x86::ecx);
        if (imm != 0) {
          c.vpbroadcastd(Z(kT0), shared.constants.Broadcast32(static_cast<uint32_t>(imm)));
          c.vpaddd(Z(kT0), Z(kT0), Z(slow.low));
        } else {
          c.vmovdqa32(Z(kT0), Z(slow.low));
        }
        if (step < 4) {
          // The last bytes of LDS cannot be read as a dword.
          c.k(K(slow.mask)).vpcmpud(K(kM0), Z(kT0), Z(kT1), 6);
          c.kortestw(K(kM0), K(kM0));
          c.jnz(slow.entry);
          c.kmovw(K(kM1), K(slow.mask));
        } else {
          c.k(K(slow.mask)).vpcmpud(K(kM1), Z(kT0), Z(kT1), 2);
        }
        c.mov(x86::rax, x86::ptr(x86::r12, offsetof(RegionContext, lds)));
        for (int n = 0; n < access.Dwords(); ++n) {
          const x86::Mem memory = x86::ptr(x86::rax, Z(kT0), 0, n * 4);
          c.kmovw(K(kM0), K(kM1));
          if (is_store) {
            c.k(K(kM0)).vpscatterdd(memory, Z(slow.data[n]));
          } else if (slow.result[n] >= 0) {
            c.vpxord(Z(kT1), Z(kT1), Z(kT1));
            c.k(K(kM0)).vpgatherdd(Z(kT1), memory);
            NarrowTo(c, access, kT1);
            c.vmovdqa32(Z(slow.result[n]), Z(kT1));
          }
        }
        c.jmp(slow.done);
        EmitSlow(shared, slow);
      });
}

}  // namespace gcnjit::backend::avx512
