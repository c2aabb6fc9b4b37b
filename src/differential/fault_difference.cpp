#include "differential/fault_difference.h"

#include <fmt/format.h>

#include "gcnjit/launch.h"

namespace gcnjit::differential {

using runtime::WaveEvent;

const char* Name(WaveEvent event) {
  switch (event) {
    case WaveEvent::kNone: return "none";
    case WaveEvent::kEnd: return "end";
    case WaveEvent::kBarrier: return "barrier";
    case WaveEvent::kYield: return "yield";
    case WaveEvent::kFault: return "fault";
    case WaveEvent::kStopped: return "stopped";
  }
  return "?";
}

std::string FaultText(const runtime::PendingFault& fault) {
  return fmt::format("{}, lane {}, address {:#x}, {} bytes ({})", ToString(fault.kind), fault.lane,
                     fault.address, fault.bytes, fault.detail);
}

bool SameFault(const runtime::PendingFault& a, const runtime::PendingFault& b) {
  return a.kind == b.kind && a.lane == b.lane && a.address == b.address && a.bytes == b.bytes;
}

}  // namespace gcnjit::differential
