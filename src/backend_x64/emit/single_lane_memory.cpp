// Loads of one lane, from guest memory within their windows, and from LDS.
#include "backend_x64/emit/single_lane.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Value;

x86::Gp SingleLane::AddressOf(const Inst& inst) {
  const x86::Gp address = New(true);
  const ir::MemoryAccess access = inst.access();
  if (inst.IsIndexed()) {
    const x86::Gp index = Whole(inst.args[0]).r32();
    access.index_signed ? cc_.movsxd(address, index) : cc_.mov(address.r32(), index);
    const x86::Gp base = Whole(inst.args[1]);
    if (access.index_shift > 3) cc_.shl(address, access.index_shift);
    cc_.lea(address, x86::ptr(base, address, access.index_shift > 3 ? 0 : access.index_shift,
                              static_cast<int32_t>(inst.imm)));
    return address;
  }
  const std::optional<x86::Gp>& low_of = values_[inst.args[0].id].of_low;
  const std::optional<x86::Gp>& high_of = values_[inst.args[1].id].of_high;
  if (low_of && high_of && low_of->id() == high_of->id()) {
    if (inst.imm == 0) return *low_of;
    cc_.lea(address, x86::ptr(*low_of, static_cast<int32_t>(inst.imm)));
    return address;
  }
  const x86::Gp low = New(true);
  cc_.mov(low.r32(), Whole(inst.args[0]).r32());
  cc_.mov(address.r32(), Whole(inst.args[1]).r32());
  cc_.shl(address, 32);
  cc_.or_(address, low);
  if (inst.imm != 0) cc_.add(address, static_cast<int32_t>(inst.imm));
  return address;
}

// What has no lane's mask gets 0.
void SingleLane::EmitLoad(Value v, const Inst& inst, uint32_t site) {
  const Bit mask = BitOf(inst.args[2]);
  const ir::MemoryAccess access = inst.access();
  std::optional<asmjit::Label> skip;
  for (int n = 0; n < access.Dwords(); ++n)
    values_[v.id].dwords[static_cast<size_t>(n)] = New(false);
  const auto field = [&](size_t offset, uint32_t size) {
    return x86::ptr(places_.windows, static_cast<int32_t>(site * sizeof(MemoryWindow) + offset),
                    size);
  };
  const bool is_float = IsFloat(v) && access.bytes == 4;
  const x86::Xmm xmm = is_float ? cc_.newXmm() : x86::Xmm();
  if (mask.known != true) {
    if (is_float) cc_.vxorps(xmm, xmm, xmm);
    for (int n = 0; n < access.Dwords() && !is_float; ++n) {
      const x86::Gp& dword = *values_[v.id].dwords[static_cast<size_t>(n)];
      cc_.xor_(dword, dword);
    }
    if (mask.known == false) return is_float ? Set(v, xmm) : Set(v, *values_[v.id].dwords[0]);
    skip = cc_.newLabel();
  }
  // What only one way of the code has computed is no value's register.
  const x86::Gp address = AddressOf(inst);
  if (skip) {
    cc_.test(mask.gp.r32(), mask.gp.r32());
    cc_.jz(*skip);
  }
  const x86::Gp offset = New(true), end = New(true);
  cc_.mov(offset, address);
  cc_.sub(offset, field(offsetof(MemoryWindow, base), 8));
  cc_.mov(end.r32(), field(offsetof(MemoryWindow, lane_end), 4));
  cc_.cmp(offset, end);
  cc_.jae(places_.miss);
  const Load load = {cc_.newLabel(), cc_.newLabel(), site};
  cc_.bind(load.begin);
  if (is_float) {
    cc_.vmovss(xmm, x86::dword_ptr(address));
  } else {
    EmitMove(v, access, address);
  }
  cc_.bind(load.end);
  loads_.push_back(load);
  if (skip) cc_.bind(*skip);
  is_float ? Set(v, xmm) : Set(v, *values_[v.id].dwords[0]);
}

// To the registers of the load's dwords. A lane's 8 or 16 bytes are moved at once.
void SingleLane::EmitMove(Value v, const ir::MemoryAccess& access, const x86::Gp& address) {
  const auto dword = [&](size_t n) { return *values_[v.id].dwords[n]; };
  switch (access.bytes) {
    case 1:
      access.sign_extend ? cc_.movsx(dword(0), x86::byte_ptr(address))
                         : cc_.movzx(dword(0), x86::byte_ptr(address));
      return;
    case 2:
      access.sign_extend ? cc_.movsx(dword(0), x86::word_ptr(address))
                         : cc_.movzx(dword(0), x86::word_ptr(address));
      return;
    case 4: cc_.mov(dword(0), x86::dword_ptr(address)); return;
    case 16: {
      const x86::Xmm all = cc_.newXmm();
      cc_.vmovups(all, x86::ptr(address));
      for (int n = 0; n < 4; ++n) cc_.vpextrd(dword(static_cast<size_t>(n)), all, n);
      return;
    }
    default: {
      const x86::Gp both = New(true);
      cc_.mov(both, x86::qword_ptr(address));
      if (access.bytes == 12) cc_.mov(dword(2), x86::dword_ptr(address, 8));
      cc_.mov(dword(0), both.r32());
      cc_.shr(both, 32);
      cc_.mov(dword(1), both.r32());
      return;
    }
  }
}

// Within the allocation and its limit; else the slice's code does it.
void SingleLane::EmitLoadLds(Value v, const Inst& inst) {
  const Bit mask = BitOf(inst.args[1]);
  const ir::MemoryAccess access = inst.access();
  for (int n = 0; n < access.Dwords(); ++n) {
    const x86::Gp dword = New(false);
    values_[v.id].dwords[static_cast<size_t>(n)] = dword;
    if (mask.known != true) cc_.xor_(dword, dword);
  }
  if (mask.known == false) return Set(v, *values_[v.id].dwords[0]);
  const x86::Gp offset = New(true), limit = Whole(inst.args[2]);
  const x86::Gp bytes = New(true), last = New(true), address = New(true);
  cc_.mov(offset.r32(), Whole(inst.args[0]).r32());
  if (inst.imm != 0) cc_.add(offset.r32(), static_cast<int32_t>(inst.imm));
  const asmjit::Label skip = cc_.newLabel();
  if (!mask.known) {
    cc_.test(mask.gp.r32(), mask.gp.r32());
    cc_.jz(skip);
  }
  cc_.mov(bytes.r32(), x86::ptr(places_.context, offsetof(RegionContext, lds.bytes), 4));
  cc_.cmp(bytes.r32(), limit.r32());
  cc_.cmova(bytes.r32(), limit.r32());
  cc_.lea(last, x86::ptr(offset, access.bytes));
  cc_.cmp(last, bytes);
  cc_.ja(places_.miss);
  cc_.mov(address, x86::ptr(places_.context, offsetof(RegionContext, lds.begin), 8));
  cc_.add(address, offset);
  EmitMove(v, access, address);
  cc_.bind(skip);
  Set(v, *values_[v.id].dwords[0]);
}

}  // namespace gcnjit::backend
