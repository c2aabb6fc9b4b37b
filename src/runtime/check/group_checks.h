// What the checks know of a work-group, by its waves and in all.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/check/barrier_check.h"
#include "runtime/check/race_check.h"
#include "runtime/check/shadow_registers.h"
#include "runtime/check/wait_check.h"
#include "runtime/memory/guest_memory.h"

namespace gcnjit::runtime::check {

struct WaveChecks {
  GuestMemory::Span scratch;
  PendingOperations pending;
  std::unique_ptr<ShadowRegisters> shadow;  // with kCheckUninit
};

struct GroupChecks {
  std::vector<WaveChecks> waves;
  BarrierCheck::Group barriers;
  RaceCheck::Group races;
  std::vector<uint8_t> lds;  // UninitCheck's
};

}  // namespace gcnjit::runtime::check
