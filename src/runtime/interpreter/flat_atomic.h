// Atomics of the flat address space, which the interpreter and what compiled code hands over share.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/interpreter/atomics.h"
#include "runtime/interpreter/ds_update.h"
#include "runtime/interpreter/memory_segments.h"

namespace gcnjit::runtime {

// `op` where it works on LDS: denormals of f32 and f64 are as MODE says there (CDNA3 ISA 9.2.2,
// whose table asks whether LDS or the cache executes them; AMD's rocjitsu). Of halves rocjitsu
// says that they are kept.
template <typename T, typename Op>
auto OfLds(const Wave& w, const Op& op) {
  if constexpr (requires { op.template InLds<T>(w); }) {
    return op.template InLds<T>(w);
  } else {
    return op;
  }
}

// One lane's atomic in the flat address space. False after a fault.
template <typename T, typename Op>
bool FlatAtomicAt(Wave& w, int lane, uint64_t address, const Op& op, T data, T data2, T* old) {
  if (IsShared(address)) {
    if (address % sizeof(T) != 0) {
      w.RaiseFault(FaultKind::kMisaligned, lane, address, sizeof(T),
                   "an atomic operation needs its natural alignment");
      return false;
    }
    std::byte* memory = FlatLds(w, lane, address, sizeof(T), /*is_write=*/true);
    if (memory == nullptr) return false;
    *old = UpdateShare({memory, sizeof(T), false}, 0, OfLds<T>(w, op), data, data2);
    return true;
  }
  if (IsPrivate(address)) {
    w.RaiseFault(FaultKind::kUnsupported, lane, address, sizeof(T),
                 "atomics do not work on scratch; use a plain load and store, since no other lane "
                 "can see it");
    return false;
  }
  return AtomicAt(w, lane, address, op, data, data2, old);
}

}  // namespace gcnjit::runtime
