// Ends of runs, compared and in words.
#pragma once

#include <string>

#include "runtime/interpreter/wave.h"

namespace gcnjit::differential {

const char* Name(runtime::WaveEvent event);
std::string FaultText(const runtime::PendingFault& fault);
// In all but the words of its detail.
bool SameFault(const runtime::PendingFault& a, const runtime::PendingFault& b);

}  // namespace gcnjit::differential
