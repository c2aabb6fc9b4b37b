// Entry points that do nothing but say so: host programs find every name that ROCm's library has.
// The HSA headers are left out here, because all of them get one and the same signature.
#include <cstdint>

#define UNSUPPORTED(name) \
  extern "C" uint32_t name() { return 0x1000; /* HSA_STATUS_ERROR */ }
#include "runtime/hsa/unsupported.def"
#undef UNSUPPORTED
