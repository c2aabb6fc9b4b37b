#include "backend_x64/emit/lane_loads.h"

#include "backend_x64/host/new_code.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Value;

// Registers for the load's dwords, of which the operations right after it name the later ones.
LaneLoads::Dwords LaneLoads::NewDwords(Value load, const ir::MemoryAccess& access) {
  Dwords dwords;
  for (int n = 0; n < access.Dwords(); ++n) dwords[static_cast<size_t>(n)] = values_.New(false);
  const std::vector<Inst>& insts = block_.function.insts;
  for (Value part{load.id + 1}; part.id < insts.size(); ++part.id) {
    const Inst& inst = insts[part.id];
    if (inst.op != Op::kPart || inst.args[0] != load) break;
    values_.Set(part, dwords[static_cast<size_t>(inst.imm)]);
  }
  return dwords;
}

void LaneLoads::Clear(const Dwords& dwords, const ir::MemoryAccess& access) {
  for (int n = 0; n < access.Dwords(); ++n) {
    cc_.xor_(dwords[static_cast<size_t>(n)], dwords[static_cast<size_t>(n)]);
  }
}

x86::Gp LaneLoads::AddressOf(const Inst& inst) {
  const x86::Gp address = values_.New(true);
  const ir::MemoryAccess access = inst.access();
  if (inst.IsIndexed()) {
    const x86::Gp index = values_.Whole(inst.args[0]).r32();
    access.index_signed ? cc_.movsxd(address, index) : cc_.mov(address.r32(), index);
    const x86::Gp base = values_.Whole(inst.args[1]);
    if (access.index_shift > 3) cc_.shl(address, access.index_shift);
    cc_.lea(address, x86::ptr(base, address, access.index_shift > 3 ? 0 : access.index_shift,
                              static_cast<int32_t>(inst.imm)));
    return address;
  }
  if (const auto pointer = values_.PointerOf(inst.args[0], inst.args[1])) {
    if (inst.imm == 0) return *pointer;
    cc_.lea(address, x86::ptr(*pointer, static_cast<int32_t>(inst.imm)));
    return address;
  }
  const x86::Gp low = values_.New(true);
  cc_.mov(low.r32(), values_.Whole(inst.args[0]).r32());
  cc_.mov(address.r32(), values_.Whole(inst.args[1]).r32());
  cc_.shl(address, 32);
  cc_.or_(address, low);
  if (inst.imm != 0) cc_.add(address, static_cast<int32_t>(inst.imm));
  return address;
}

// What has no lane's mask gets 0.
void LaneLoads::Emit(Value v, SiteId site) {
  const Inst& inst = block_.function[v];
  const LaneValues::Bit mask = values_.BitOf(inst.args[2]);
  const ir::MemoryAccess access = inst.access();
  std::optional<asmjit::Label> skip;
  const Dwords dwords = NewDwords(v, access);
  const auto field = [&](size_t offset, uint32_t size) {
    return x86::ptr(places_.windows,
                    static_cast<int32_t>(site.index * sizeof(MemoryWindow) + offset), size);
  };
  const bool is_float = values_.IsFloat(v) && access.bytes == 4;
  const x86::Xmm xmm = is_float ? cc_.newXmm() : x86::Xmm();
  if (mask.known != true) {
    if (is_float) cc_.vxorps(xmm, xmm, xmm);
    if (!is_float) Clear(dwords, access);
    if (mask.known == false) return is_float ? values_.Set(v, xmm) : values_.Set(v, dwords[0]);
    skip = NewLabel(cc_);
  }
  // What only one way of the code has computed is no value's register.
  const x86::Gp address = AddressOf(inst);
  if (skip) {
    cc_.test(mask.gp.r32(), mask.gp.r32());
    cc_.jz(*skip);
  }
  const x86::Gp offset = values_.New(true), end = values_.New(true);
  cc_.mov(offset, address);
  cc_.sub(offset, field(offsetof(MemoryWindow, base), 8));
  cc_.mov(end.r32(), field(offsetof(MemoryWindow, lane_end), 4));
  cc_.cmp(offset, end);
  cc_.jae(places_.miss);
  const Guarded load = {NewLabel(cc_), NewLabel(cc_), site};
  cc_.bind(load.begin);
  if (is_float) {
    cc_.vmovss(xmm, x86::dword_ptr(address));
  } else {
    EmitMove(dwords, access, address);
  }
  cc_.bind(load.end);
  guarded_.push_back(load);
  if (skip) cc_.bind(*skip);
  is_float ? values_.Set(v, xmm) : values_.Set(v, dwords[0]);
}

// To the registers of the load's dwords. A lane's 8 or 16 bytes are moved at once.
void LaneLoads::EmitMove(const Dwords& to, const ir::MemoryAccess& access, const x86::Gp& address) {
  switch (access.bytes) {
    case 1:
      access.sign_extend ? cc_.movsx(to[0], x86::byte_ptr(address))
                         : cc_.movzx(to[0], x86::byte_ptr(address));
      return;
    case 2:
      access.sign_extend ? cc_.movsx(to[0], x86::word_ptr(address))
                         : cc_.movzx(to[0], x86::word_ptr(address));
      return;
    case 4: cc_.mov(to[0], x86::dword_ptr(address)); return;
    case 16: {
      const x86::Xmm all = cc_.newXmm();
      cc_.vmovups(all, x86::ptr(address));
      for (int n = 0; n < 4; ++n) cc_.vpextrd(to[static_cast<size_t>(n)], all, n);
      return;
    }
    default: {
      const x86::Gp both = values_.New(true);
      cc_.mov(both, x86::qword_ptr(address));
      if (access.bytes == 12) cc_.mov(to[2], x86::dword_ptr(address, 8));
      cc_.mov(to[0], both.r32());
      cc_.shr(both, 32);
      cc_.mov(to[1], both.r32());
      return;
    }
  }
}

// Within the allocation and its limit; else the slice's code does it.
void LaneLoads::EmitLds(Value v) {
  const Inst& inst = block_.function[v];
  const LaneValues::Bit mask = values_.BitOf(inst.args[1]);
  const ir::MemoryAccess access = inst.access();
  const Dwords dwords = NewDwords(v, access);
  values_.Set(v, dwords[0]);
  if (mask.known != true) Clear(dwords, access);
  if (mask.known == false) return;
  const x86::Gp offset = values_.New(true), limit = values_.Whole(inst.args[2]);
  const x86::Gp bytes = values_.New(true), last = values_.New(true), address = values_.New(true);
  cc_.mov(offset.r32(), values_.Whole(inst.args[0]).r32());
  if (inst.imm != 0) cc_.add(offset.r32(), static_cast<int32_t>(inst.imm));
  const asmjit::Label skip = NewLabel(cc_);
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
  EmitMove(dwords, access, address);
  cc_.bind(skip);
}

}  // namespace gcnjit::backend
