#include "backend_x64/emit/window_check.h"

#include <cstddef>

#include "backend_x64/abi/region_abi.h"

namespace gcnjit::backend {

namespace x86 = asmjit::x86;

void EmitIndexAddress(x86::Assembler& a, const ir::MemoryAccess& access, const x86::Mem& base,
                      int32_t imm, int32_t last, const asmjit::Label& fail) {
  if (access.index_signed) {
    a.cmp(x86::eax, INT32_MAX - last);
    a.jg(fail);
    a.movsxd(x86::rax, x86::eax);
  } else {
    a.cmp(x86::eax, -1 - last);
    a.ja(fail);
  }
  if (access.index_shift != 0) a.shl(x86::rax, access.index_shift);
  a.add(x86::rax, base);
  if (imm != 0) a.add(x86::rax, imm);
}

void EmitWindowCheck(x86::Assembler& a, uint32_t window, bool is_wide, int32_t lowest,
                     int32_t highest, const asmjit::Label& fail) {
  const auto field = [window](size_t offset) {
    return x86::qword_ptr(x86::rdx, static_cast<int32_t>(window * sizeof(MemoryWindow) + offset));
  };
  const x86::Mem end =
      field(is_wide ? offsetof(MemoryWindow, wide_end) : offsetof(MemoryWindow, run_end));
  a.mov(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, region.windows)));
  if (lowest == 0) {
    a.mov(x86::rcx, x86::rax);
  } else {
    a.lea(x86::rcx, x86::ptr(x86::rax, lowest));
  }
  a.sub(x86::rcx, field(offsetof(MemoryWindow, base)));
  a.cmp(x86::rcx, end);
  a.jae(fail);
  // What lies between two accesses that are within a window is, too.
  if (highest == lowest) return;
  a.add(x86::rcx, highest - lowest);
  a.cmp(x86::rcx, end);
  a.jae(fail);
}

void EmitElementsCheck(x86::Assembler& a, uint32_t window, int32_t last,
                       const asmjit::Label& fail) {
  const auto field = [window](size_t offset, uint32_t size) {
    return x86::ptr(x86::rdx, static_cast<int32_t>(window * sizeof(MemoryWindow) + offset), size);
  };
  a.mov(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, region.windows)));
  a.mov(x86::rcx, x86::rax);
  a.sub(x86::rcx, field(offsetof(MemoryWindow, base), 8));
  a.mov(x86::edx, field(offsetof(MemoryWindow, lane_end), 4));
  a.sub(x86::rdx, last);
  a.jbe(fail);
  a.cmp(x86::rcx, x86::rdx);
  a.jae(fail);
}

}  // namespace gcnjit::backend
