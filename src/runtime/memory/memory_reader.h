// A host thread that accesses memory for the guest has a Reader while it does. Between asking
// whether an access is allowed and the access itself another thread may free that memory; and
// compiled code asks once and remembers the answer for long. What a Reader's thread has been told
// stays harmless to rely on until its next Refresh.
#pragma once

#include <cstdint>

#include "runtime/memory/guest_memory.h"

namespace gcnjit::runtime {

class GuestMemory::Reader {
 public:
  explicit Reader(GuestMemory& memory);
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // Promises that nothing learnt before is relied on any more, if `epoch` has changed since. To
  // be called often, since freed memory waits for it; nearly always it is one comparison.
  void Refresh() {
    if (memory_.epoch() != seen_) [[unlikely]]
      CatchUp();
  }

 private:
  friend class GuestMemory;
  void CatchUp();

  GuestMemory& memory_;
  uint64_t seen_ = 0;  // the epoch of the last Refresh; other threads read it under mutex_
};

}  // namespace gcnjit::runtime
