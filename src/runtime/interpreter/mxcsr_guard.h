// Guest code runs with the rounding and the denormals that it asks for; the host thread has its
// own.
#pragma once

#include <xmmintrin.h>

#include <cstdint>

namespace gcnjit::runtime {

// At the end of its scope MXCSR is again what it was at the begin, also when an exception ends it:
// most of what the interpreter does may need memory that the host does not have.
class MxcsrGuard {
 public:
  MxcsrGuard() : host_(_mm_getcsr()) {}
  ~MxcsrGuard() { _mm_setcsr(host_); }
  MxcsrGuard(const MxcsrGuard&) = delete;
  MxcsrGuard& operator=(const MxcsrGuard&) = delete;

 private:
  const uint32_t host_;
};

}  // namespace gcnjit::runtime
