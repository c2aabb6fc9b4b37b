// The file of GCNJIT_TRACE.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gcnjit::hsa {

struct TraceEvent {
  std::string name;
  bool is_copy = false;
  uint64_t track = 0;  // queue or copy engine
  uint64_t start = 0;
  uint64_t end = 0;   // 0: it has not ended
  uint64_t size = 0;  // work-items or bytes
};

// The file appears complete or not at all, however the process ends: it is written beside `path`,
// as PATH.part-PROCESS, and renamed. The text says what has failed.
std::string WriteTrace(const std::string& path, const std::vector<TraceEvent>& events);

}  // namespace gcnjit::hsa
