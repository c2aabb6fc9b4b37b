#include "backend_x64/prefetch.h"

namespace gcnjit::backend {

namespace x86 = asmjit::x86;

void EmitPrefetch(x86::Assembler& a, int bytes, bool is_store) {
  constexpr int kAhead = 4096;
  constexpr int kCacheLine = 64;
  for (int at = 0; at < bytes; at += kCacheLine) {
    const x86::Mem line = x86::ptr(x86::rax, kAhead + at);
    if (is_store) {
      a.prefetchw(line);
    } else {
      a.prefetcht0(line);
    }
  }
}

}  // namespace gcnjit::backend
