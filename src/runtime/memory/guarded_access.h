// Accesses to memory that may cease to be there at any moment, because the host program may unmap
// it: they fail where others would crash. The signal guard (signal_guard.h) must be installed; it
// recognises them by the host PC, so nothing has to be noted down before an access, and a crash
// anywhere else is never taken for one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gcnjit::runtime {

// Copies; of both areas either may turn out to be inaccessible: false, and part of it may have been
// copied. Naturally aligned pieces of up to 16 bytes are copied as one.
bool GuardedCopy(void* to, const void* from, size_t bytes);

enum class GuardedExchange { kInaccessible = 0, kDone = 1, kDiffers = 2 };
// If *at == *expected: *at = desired. Otherwise *expected = *at. Sequentially consistent; `at` is
// naturally aligned.
GuardedExchange GuardedCompareExchange(uint32_t* at, uint32_t* expected, uint32_t desired);
GuardedExchange GuardedCompareExchange(uint64_t* at, uint64_t* expected, uint64_t desired);

// Where to go on after a fault at host address `pc` if that is one of these accesses; 0: it is not.
// Async-signal-safe.
uint64_t ResumeAfterGuardedAccess(uint64_t pc);

}  // namespace gcnjit::runtime
