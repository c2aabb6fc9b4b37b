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

// As WriteReportFile.
std::string WriteTrace(const std::string& path, const std::vector<TraceEvent>& events);

}  // namespace gcnjit::hsa
