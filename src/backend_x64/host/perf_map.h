// Tells Linux perf where compiled code lies, in /tmp/perf-PID.map: 'perf report' then names the
// guest's blocks. On if GCNJIT_PERF_MAP is set to anything but 0 when code is first compiled.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>

namespace Xbyak::util {
class Profiler;
}

namespace gcnjit::backend {

class PerfMap {
 public:
  // One for the process; nullptr if it is off.
  static PerfMap* Instance();
  ~PerfMap();

  void Add(const std::string& name, const std::byte* begin, size_t bytes);

 private:
  PerfMap();
  static std::unique_ptr<PerfMap> Make();

  std::mutex mutex_;
  std::unique_ptr<Xbyak::util::Profiler> profiler_;  // guarded by mutex_
};

}  // namespace gcnjit::backend
