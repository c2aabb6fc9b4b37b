#include "backend_x64/host/perf_map.h"

#include <unistd.h>
#include <xbyak/xbyak_util.h>

#include <cstdlib>
#include <string_view>

namespace gcnjit::backend {

PerfMap::PerfMap() : profiler_(std::make_unique<Xbyak::util::Profiler>()) {
  profiler_->init(Xbyak::util::Profiler::Perf);
}
PerfMap::~PerfMap() = default;

std::unique_ptr<PerfMap> PerfMap::Make() {
  const char* wanted = std::getenv("GCNJIT_PERF_MAP");
  if (wanted == nullptr || std::string_view(wanted).empty() || std::string_view(wanted) == "0") {
    return nullptr;
  }
  // The profiler would complain on stderr, where a library has no business.
  if (::access("/tmp", W_OK) != 0) return nullptr;
  return std::unique_ptr<PerfMap>(new PerfMap);
}

PerfMap* PerfMap::Instance() {
  static const std::unique_ptr<PerfMap> map = Make();
  return map.get();
}

void PerfMap::Add(const std::string& name, const std::byte* begin, size_t bytes) {
  const std::scoped_lock lock(mutex_);
  profiler_->set(name.c_str(), begin, bytes);
}

}  // namespace gcnjit::backend
