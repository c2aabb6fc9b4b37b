// Entry points that refuse: host programs find every name that ROCm's library has. The first call
// of each says so on stderr, because many programs only say that something failed. The HSA headers
// are left out here, because all of them get one and the same signature.
#include <atomic>
#include <cstdint>
#include <cstdio>

namespace {

uint32_t Refuse(std::atomic<bool>& is_said, const char* name, const char* what) {
  if (!is_said.exchange(true)) {
    std::fprintf(
        stderr,
        "gcnjit: %s is refused: emulated devices have no %s. The program is told "
        "HSA_STATUS_ERROR; run it without what needs them (docs/hsa.md lists what there is)\n",
        name, what);
  }
  return 0x1000;  // HSA_STATUS_ERROR
}

}  // namespace

#define UNSUPPORTED(name, what)               \
  extern "C" uint32_t name() {                \
    static std::atomic<bool> is_said = false; \
    return Refuse(is_said, #name, what);      \
  }
#include "runtime/hsa/unsupported.def"
#undef UNSUPPORTED
