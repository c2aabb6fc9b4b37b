#include "backend_x64/emit/index_range.h"

#include "backend_x64/emit/fault_table.h"

namespace gcnjit::backend {

namespace {

x86::Mem Of(size_t offset, uint32_t size) {
  return x86::ptr(x86::rdx, static_cast<int32_t>(offset), size);
}

// rdx: the window; rax: the base. Changes rax, rdx.
void EmitRoutine(x86::Assembler& a, int shift, bool is_signed) {
  const asmjit::Label none = a.newLabel();
  const asmjit::Label done = a.newLabel();
  const x86::Gp first = x86::rcx;
  const uint32_t rest = (uint32_t{1} << shift) - 1;  // shift: 0..31
  a.push(first);
  a.push(x86::rsi);
  a.mov(Of(offsetof(MemoryWindow, index_base), 8), x86::rax);
  // The first element that begins in the window, or after an index's least.
  a.mov(first, Of(offsetof(MemoryWindow, base), 8));
  a.sub(first, x86::rax);
  if (shift != 0) {
    a.add(first, rest);
    a.sar(first, shift);
  }
  if (is_signed) {
    a.mov(x86::rsi, int64_t{INT32_MIN});
  } else {
    a.xor_(x86::esi, x86::esi);
  }
  a.cmp(first, x86::rsi);
  a.cmovl(first, x86::rsi);
  if (is_signed) {
    a.movsxd(x86::rsi, first.r32());
  } else {
    a.mov(x86::esi, first.r32());
  }
  a.cmp(x86::rsi, first);
  a.jne(none);
  a.shl(x86::rsi, shift);
  a.add(x86::rax, x86::rsi);
  a.mov(Of(offsetof(MemoryWindow, index_begin), 8), x86::rax);
  // How many elements begin there, of which no index wraps around.
  a.sub(x86::rax, Of(offsetof(MemoryWindow, base), 8));
  a.mov(x86::esi, Of(offsetof(MemoryWindow, lane_end), 4));
  a.sub(x86::rsi, x86::rax);
  a.jbe(none);
  a.add(x86::rsi, rest);
  a.shr(x86::rsi, shift);
  a.mov(x86::rax, int64_t{is_signed ? INT32_MAX : UINT32_MAX});
  a.sub(x86::rax, first);
  a.add(x86::rax, 1);
  a.cmp(x86::rsi, x86::rax);
  a.cmova(x86::rsi, x86::rax);
  a.xor_(first.r32(), INT32_MIN);
  a.mov(Of(offsetof(MemoryWindow, index_first), 4), first.r32());
  a.xor_(x86::esi, INT32_MIN);
  a.mov(Of(offsetof(MemoryWindow, index_end), 4), x86::esi);
  a.jmp(done);
  a.bind(none);
  a.mov(Of(offsetof(MemoryWindow, index_end), 4), INT32_MIN);
  a.bind(done);
  a.pop(x86::rsi);
  a.pop(first);
  a.ret();
}

// Of RegionAssembler::routines.
uint64_t KeyOf(int shift, bool is_signed) {
  return uint64_t{0xFF} | static_cast<uint64_t>(shift) << 8 | uint64_t{is_signed} << 16;
}

}  // namespace

void PrepareIndexRange(RegionAssembler& region, const ir::MemoryAccess& access) {
  const int shift = access.index_shift;
  const bool is_signed = access.index_signed;
  const auto [it, is_new] = region.routines.try_emplace(KeyOf(shift, is_signed));
  if (!is_new) return;
  it->second = region.a.newLabel();
  region.cold.push_back([&a = region.a, shift, is_signed, routine = it->second] {
    a.bind(routine);
    EmitRoutine(a, shift, is_signed);
  });
}

void EmitIndexRange(RegionAssembler& region, SiteId site, const ir::MemoryAccess& access,
                    const x86::Mem& base, int32_t imm) {
  x86::Assembler& a = region.a;
  const asmjit::Label known = a.newLabel();
  const x86::Mem windows = Context(offsetof(RegionContext, region.windows));
  a.mov(x86::rdx, windows);
  a.mov(x86::rax, base);
  if (imm != 0) a.add(x86::rax, imm);
  a.cmp(x86::rax, RegionAssembler::WindowField(site, offsetof(MemoryWindow, index_base)));
  a.je(known);
  a.lea(x86::rdx, RegionAssembler::WindowField(site, 0));
  a.call(region.routines.at(KeyOf(access.index_shift, access.index_signed)));
  a.mov(x86::rdx, windows);
  a.bind(known);
}

}  // namespace gcnjit::backend
