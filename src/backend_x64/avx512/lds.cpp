// LDS loads and stores of a part. The lanes' addresses are consecutive, or lie close to each other,
// or one: then plain moves do it, once the scalar check says that all of it is within bounds.
// Where the addresses' shape is known when code is compiled, nothing but that check is left; it is
// done once for all loads of a stage that have their address in common.
#include <algorithm>

#include "backend_x64/avx512/run_code.h"
#include "backend_x64/avx512/slow_access.h"

namespace gcnjit::backend::avx512 {

using ir::Inst;
using ir::Op;
using ir::Value;

namespace {

constexpr int kLanes = LaneEmitter::kLanesPerRegister;

// How far the lanes of a part are from `from`.
ConstantPool::Vector OffsetsOf(const AddressShape& shape, int part, int32_t from) {
  ConstantPool::Vector v;
  for (int n = 0; n < kLanes; ++n) v[n] = static_cast<uint32_t>(shape.Offset(part, n) - from);
  return v;
}

// Dwords that lie within 64 bytes, in whatever order.
bool IsNear(const AddressShape& shape, int part) {
  const int32_t lowest = shape.Lowest(part, part + 1);
  if (shape.Highest(part, part + 1) - lowest > 60) return false;
  for (int n = 0; n < kLanes; ++n) {
    if ((shape.Offset(part, n) - lowest) % 4 != 0) return false;
  }
  return true;
}

x86::Mem LdsBegin() { return x86::ptr(x86::r12, offsetof(RegionContext, lds)); }

// An LDS load or store that is not a simple one; the limit has yet to be looked up. Out of line.
void EmitScattered(RegionShared& shared, const SlowAccess& slow, const ir::MemoryAccess& access,
                   bool is_store, int32_t imm, const LdsLimit& limit) {
  x86::Assembler& c = shared.a;
  const uint32_t step = access.bytes;
  EmitLdsLimit(c, limit);
  if (is_store && access.bytes != 4) {
    c.jmp(slow.entry);
    EmitSlow(shared, slow);
    return;
  }
  c.sub(x86::rcx, step < 4 ? 4 : step);
  c.jl(slow.entry);
  if (!is_store) {
    // One address for all lanes: one load.
    const asmjit::Label different = c.newLabel();
    c.vpbroadcastd(Z(kT0), X(slow.low));
    c.vpcmpd(K(kM0), Z(kT0), Z(slow.low), 4);
    c.kortestw(K(kM0), K(kM0));
    c.jnz(different);
    c.vmovd(x86::eax, X(slow.low));
    if (imm != 0) c.add(x86::eax, imm);
    c.cmp(x86::rax, x86::rcx);
    c.ja(slow.entry);
    c.add(x86::rax, LdsBegin());
    for (int n = 0; n < access.Dwords(); ++n) {
      if (slow.result[n] < 0) continue;
      c.k(K(slow.mask)).z().vpbroadcastd(Z(slow.result[n]), x86::dword_ptr(x86::rax, n * 4));
      RunCode(shared).NarrowTo(access, slow.result[n]);
    }
    c.jmp(slow.done);
    c.bind(different);
  }
  // Lanes within the limit; the others read 0 and write nothing.
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
  c.mov(x86::rax, LdsBegin());
  for (int n = 0; n < access.Dwords(); ++n) {
    const x86::Mem memory = x86::ptr(x86::rax, Z(kT0), 0, n * 4);
    c.kmovw(K(kM0), K(kM1));
    if (is_store) {
      c.k(K(kM0)).vpscatterdd(memory, Z(slow.data[n]));
    } else if (slow.result[n] >= 0) {
      c.vpxord(Z(kT1), Z(kT1), Z(kT1));
      c.k(K(kM0)).vpgatherdd(Z(kT1), memory);
      RunCode(shared).NarrowTo(access, kT1);
      c.vmovdqa32(Z(slow.result[n]), Z(kT1));
    }
  }
  c.jmp(slow.done);
  EmitSlow(shared, slow);
}

}  // namespace

// ---- Loads of known shape

// To the group's slot: where the lowest lane's data without an offset is, in host memory; or, if
// not all that the group loads is within bounds, the first lane's address with bit 63 set.
void LaneEmitter::EmitLdsBase(const LdsGroup& group, const LdsLimit& limit, int part) {
  const AddressShape& shape = group.shape;
  const int end = shape.has_one_base ? parts() : part + 1;
  const int32_t lowest = shape.Lowest(part, end);
  int32_t span = shape.Highest(part, end) - lowest + static_cast<int32_t>(group.end);
  for (int p = part; p < end; ++p) {
    if (shape.IsUniform(p) || !IsNear(shape, p)) continue;
    const int32_t near_end = shape.Lowest(p, p + 1) - lowest + 64;
    span = std::max(span, near_end + static_cast<int32_t>(group.last_offset));
  }
  const x86::Mem slot = SlotMemory(group.slots[part]);
  const asmjit::Label beyond = a.newLabel();
  const asmjit::Label done = a.newLabel();
  const int low = Use(InstOf(group.leader).args[0], part);
  EmitLdsLimit(a, limit);
  a.vmovd(x86::eax, X(low));
  a.lea(x86::rdx, x86::ptr(x86::rax, lowest));
  a.sub(x86::rcx, span);
  a.jl(beyond);
  a.cmp(x86::rdx, x86::rcx);
  a.ja(beyond);
  a.add(x86::rdx, LdsBegin());
  a.mov(slot, x86::rdx);
  a.bind(done);
  shared_.cold.push_back([&shared = shared_, beyond, done, slot] {
    shared.a.bind(beyond);
    shared.a.bts(x86::rax, 63);
    shared.a.mov(slot, x86::rax);
    shared.a.jmp(done);
  });
}

void LaneEmitter::EmitShapedLoad(Value v, const Inst& inst, const LdsGroup& group, int part) {
  const ir::MemoryAccess access = inst.access();
  const AddressShape& shape = group.shape;
  const LdsLimit limit = LdsLimitOf(inst);
  if (group.leader == v && (part == 0 || !shape.has_one_base)) EmitLdsBase(group, limit, part);
  // All parts at once need one look at the base.
  const bool together = shape.has_one_base && parts() * access.Dwords() <= 8;
  if (part == 0) last_site_ = AddSite(v, inst);
  if (together && part != 0) return;
  const int end = together ? parts() : part + 1;
  SlowAccess slow[4];
  for (int p = part; p < end; ++p) {
    slow[p].site = last_site_;
    slow[p].part = p;
    slow[p].low = kT2;
    slow[p].mask = UseMask(inst.args[1], p);
    DefResults(v, inst, p, slow[p].result);
    slow[p].environment = current_mxcsr() != shared_.base_mxcsr;
    slow[p].entry = a.newLabel();
    slow[p].done = a.newLabel();
    slow[p].abort = NextSlice();
  }
  const x86::Mem slot = SlotMemory(group.slots[shape.has_one_base ? 0 : part]);
  const int32_t lowest =
      shape.Lowest(shape.has_one_base ? 0 : part, shape.has_one_base ? parts() : end);
  const auto imm = static_cast<int32_t>(inst.imm);
  const asmjit::Label beyond = a.newLabel();
  a.mov(x86::rax, slot);
  a.test(x86::rax, x86::rax);
  a.js(beyond);
  const bool all = IsAllLanes(inst.args[1]);
  for (int p = part; p < end; ++p) {
    LoadShaped(access, shape, p, all ? -1 : slow[p].mask, slow[p].result,
               x86::ptr(x86::rax, imm - lowest));
  }
  a.bind(slow[end - 1].done);
  std::vector<SlowAccess> all_slow(slow + part, slow + end);
  shared_.cold.push_back([&shared = shared_, all_slow, access, shape, limit, slot, beyond, imm] {
    x86::Assembler& c = shared.a;
    c.bind(beyond);
    for (const SlowAccess& s : all_slow) {
      c.mov(x86::rax, slot);
      const int32_t from = shape.has_one_base ? 0 : shape.Offset(s.part);
      c.vpbroadcastd(Z(kT2), x86::eax);
      c.vpaddd(Z(kT2), Z(kT2), shared.constants.Whole(OffsetsOf(shape, s.part, from)));
      EmitScattered(shared, s, access, /*is_store=*/false, imm, limit);
      if (&s != &all_slow.back()) c.bind(s.done);
    }
  });
}

// `base`: what offset 0 is relative to.
void LaneEmitter::LoadShaped(const ir::MemoryAccess& access, const AddressShape& shape, int part,
                             int mask, const int (&result)[4], const x86::Mem& base) {
  const x86::Mem first = base.cloneAdjusted(shape.Offset(part));
  if (shape.HasStep(part, access.bytes))
    return RunCode(shared_).LoadRun(access, mask, result, first);
  const int32_t lowest = shape.Lowest(part, part + 1);
  for (int n = 0; n < access.Dwords(); ++n) {
    if (result[n] < 0) continue;
    if (shape.IsUniform(part)) {
      RunCode(shared_).Under(mask).vbroadcastss(Z(result[n]), first.cloneAdjusted(n * 4));
    } else if (access.bytes == 4 && IsNear(shape, part)) {
      ConstantPool::Vector indices = OffsetsOf(shape, part, lowest);
      for (uint32_t& index : indices) index /= 4;
      a.vmovdqa32(Z(kT0), shared_.constants.Whole(indices));
      RunCode(shared_).Under(mask).vpermd(Z(result[n]), Z(kT0), base.cloneAdjusted(lowest));
    } else {
      a.vmovdqa32(Z(kT0), shared_.constants.Whole(OffsetsOf(shape, part, lowest)));
      if (mask < 0) {
        a.kxnorw(K(kM0), K(kM0), K(kM0));
      } else {
        a.kmovw(K(kM0), K(mask));
      }
      x86::Mem memory = base.cloneAdjusted(lowest + n * 4);
      memory.setIndex(Z(kT0));
      a.vpxord(Z(result[n]), Z(result[n]), Z(result[n]));
      a.k(K(kM0)).vpgatherdd(Z(result[n]), memory);
    }
    RunCode(shared_).NarrowTo(access, result[n]);
  }
}

// ---- Loads of unknown shape that have their address in common

// Where the lanes' dwords lie within 16 of the first lane's, each load is a permutation of 64
// bytes; that is found out once.
void LaneEmitter::EmitLdsGroup(const LdsGroup& group, const LdsLimit& limit, int low, int part) {
  const asmjit::Label no_run = a.newLabel();
  const asmjit::Label done = a.newLabel();
  EmitLdsLimit(a, limit);
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
  a.add(x86::rax, LdsBegin());
  a.mov(SlotMemory(group.slots[part]), x86::rax);
  a.bind(done);
  shared_.cold.push_back([&shared = shared_, no_run, done, slot = SlotMemory(group.slots[part])] {
    shared.a.bind(no_run);
    shared.a.xor_(x86::eax, x86::eax);
    shared.a.mov(slot, x86::rax);
    shared.a.jmp(done);
  });
}

// ---- One access

void LaneEmitter::EmitLdsLoad(Value v, const Inst& inst, const SlowAccess& slow,
                              const LdsLimit& limit) {
  const ir::MemoryAccess access = inst.access();
  const auto imm = static_cast<int32_t>(inst.imm);
  const asmjit::Label scattered = a.newLabel();
  if (const LdsGroup* group = LdsGroupOf(v)) {
    if (group->leader == v) EmitLdsGroup(*group, limit, slow.low, slow.part);
    if (slow.result[0] < 0) return;
    // The run's start; 0 where the lanes' addresses are too far apart.
    a.mov(x86::rax, SlotMemory(group->slots[slow.part]));
    a.test(x86::rax, x86::rax);
    a.jz(scattered);
    a.vmovdqa32(Z(kT0), TempMemory(group->temp, slow.part));
    a.k(K(slow.mask)).z().vpermd(Z(slow.result[0]), Z(kT0), x86::ptr(x86::rax, imm));
  } else {
    EmitLdsRunCheck(access, slow, imm, limit, /*is_run=*/false, scattered);
    RunCode(shared_).LoadRun(access, slow.mask, slow.result, x86::ptr(x86::rax));
  }
  a.bind(slow.done);
  shared_.cold.push_back([&shared = shared_, slow, scattered, access, imm, limit] {
    shared.a.bind(scattered);
    EmitScattered(shared, slow, access, /*is_store=*/false, imm, limit);
  });
}

void LaneEmitter::EmitLdsStore(const Inst& inst, const SlowAccess& slow, const LdsLimit& limit) {
  const ir::MemoryAccess access = inst.access();
  const auto imm = static_cast<int32_t>(inst.imm);
  const asmjit::Label scattered = a.newLabel();
  const AddressShape shape = ShapeOfAddress(inst.args[0]);
  const bool is_run = shape.is_known && shape.HasStep(slow.part, access.bytes);
  EmitLdsRunCheck(access, slow, imm, limit, is_run, scattered);
  RunCode(shared_).StoreRun(access, slow.mask, slow.data, x86::ptr(x86::rax));
  a.bind(slow.done);
  shared_.cold.push_back([&shared = shared_, slow, scattered, access, imm, limit] {
    shared.a.bind(scattered);
    EmitScattered(shared, slow, access, /*is_store=*/true, imm, limit);
  });
}

// rax: where the part's first lane is in host memory, if its lanes are consecutive (`is_run`: they
// are) and within bounds.
void LaneEmitter::EmitLdsRunCheck(const ir::MemoryAccess& access, const SlowAccess& slow,
                                  int32_t imm, const LdsLimit& limit, bool is_run,
                                  const asmjit::Label& scattered) {
  EmitLdsLimit(a, limit);
  a.vmovd(x86::eax, X(slow.low));
  if (!is_run) {
    a.vpbroadcastd(Z(kT0), X(slow.low));
    a.vpsubd(Z(kT0), Z(slow.low), Z(kT0));
    a.vpcmpeqd(K(kM0), Z(kT0), shared_.constants.Whole(ConstantPool::Multiples(access.bytes)));
    a.kortestw(K(kM0), K(kM0));
    a.jnc(scattered);
  }
  if (imm != 0) a.add(x86::eax, imm);
  a.sub(x86::rcx, access.bytes * kLanes);
  a.jl(scattered);
  a.cmp(x86::rax, x86::rcx);
  a.ja(scattered);
  a.add(x86::rax, LdsBegin());
}

}  // namespace gcnjit::backend::avx512
