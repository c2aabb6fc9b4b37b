#include "backend_x64/plan/tuning.h"

#include <xbyak/xbyak_util.h>

#include <algorithm>

namespace gcnjit::backend {
namespace {

constexpr Tuning kTunings[] = {
#define TUNING(name, ...) {#name, __VA_ARGS__},
#include "backend_x64/plan/tuning.def"
#undef TUNING
};

const Tuning& FindHostTuning() {
  const Xbyak::util::Cpu host;
  if (!host.has(Xbyak::util::Cpu::tAMD)) return kTunings[0];
  const auto is_of_host = [&](const Tuning& row) {
    return row.first_family <= host.displayFamily && host.displayFamily <= row.last_family;
  };
  const Tuning* found = std::ranges::find_if(kTunings, is_of_host);
  return found != std::end(kTunings) ? *found : kTunings[0];
}

}  // namespace

std::span<const Tuning> Tunings() { return kTunings; }

const Tuning& HostTuning() {
  static const Tuning& tuning = FindHostTuning();
  return tuning;
}

const Tuning* FindTuning(std::string_view name) {
  const Tuning* found = std::ranges::find(kTunings, name, &Tuning::name);
  return found != std::end(kTunings) ? found : nullptr;
}

}  // namespace gcnjit::backend
