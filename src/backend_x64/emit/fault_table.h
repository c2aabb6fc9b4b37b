// Code that accesses guest memory may be interrupted there, because the host program has unmapped
// the memory since it was found accessible. Such an access is begun anew with its window closed,
// and goes to the runtime then.
#pragma once

#include <asmjit/core.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <utility>
#include <vector>

#include "backend_x64/abi/region_abi.h"

namespace gcnjit::backend {

struct RegionAssembler;

// A piece of compiled code, by byte offsets from CompiledRegion::code.
struct GuardedCode {
  uint32_t begin = 0;
  uint32_t end = 0;
  uint32_t resume = 0;  // where the access begins anew
  // The number of its site; kRoutine: the code is called from accesses, and has nothing on the
  // stack but where it returns to.
  uint32_t site = 0;
  static constexpr uint32_t kRoutine = ~0u;
};

// The pieces of a region in the order in which they are emitted, so ascending.
struct FaultTable {
  std::vector<GuardedCode> guarded = {};
  std::vector<std::pair<size_t, asmjit::Label>> resumes = {};  // of these, where that is a label
};

// Notes all code that is emitted in its lifetime, and the out-of-line code that is left for later,
// as that of one access. From here on the registers of the access's operands keep their values
// until it is done.
class AccessGuard {
 public:
  AccessGuard(RegionAssembler& region, SiteId site);
  // May throw std::bad_alloc. Where an exception ends the lifetime it notes nothing: the code is
  // thrown away.
  ~AccessGuard() noexcept(false);
  AccessGuard(const AccessGuard&) = delete;
  AccessGuard& operator=(const AccessGuard&) = delete;

  // The access does not look at its window where it begins: it is to begin anew at this place in
  // its out-of-line code, where it does.
  void ResumeAt(const asmjit::Label& label) { resume_ = label; }

 private:
  RegionAssembler& region_;
  const uint32_t site_;
  const size_t begin_;
  const size_t cold_begin_;
  const int exceptions_ = std::uncaught_exceptions();
  asmjit::Label resume_;
};

// All code has been emitted: labels have places.
void ResolveGuards(RegionAssembler& region);

// Notes code from `begin` to here as a routine.
void NoteRoutine(RegionAssembler& region, size_t begin);

// What to do about an interruption at byte offset `at` of the code; nullptr: it is no access.
// `guarded` is ascending. Async-signal-safe.
const GuardedCode* FindGuardedCode(const std::vector<GuardedCode>& guarded, uint64_t at);

}  // namespace gcnjit::backend
