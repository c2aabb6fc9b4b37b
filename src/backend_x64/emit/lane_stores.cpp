#include "backend_x64/emit/lane_stores.h"

#include <cstddef>

#include "backend_x64/abi/region_abi.h"

namespace gcnjit::backend {

namespace x86 = asmjit::x86;

namespace {

constexpr int32_t kPlace = offsetof(RegionContext, transfer.scratch) + kNowhere * 8;
constexpr int32_t kAddress = kPlace + 16;  // of it
static_assert(kAddress + 8 <=
              offsetof(RegionContext, transfer.scratch) + sizeof(AccessTransfer::scratch));

}  // namespace

void EmitNowhere(x86::Assembler& a) {
  a.lea(x86::rcx, x86::ptr(x86::r12, kPlace));
  a.mov(x86::qword_ptr(x86::r12, kAddress), x86::rcx);
}

x86::Mem StoredAt(x86::Assembler& a, int lane, const x86::Mem& to) {
  a.lea(x86::rcx, to);
  a.test(x86::edx, 1 << lane);
  a.cmovz(x86::rcx, x86::qword_ptr(x86::r12, kAddress));
  return x86::ptr(x86::rcx);
}

}  // namespace gcnjit::backend
