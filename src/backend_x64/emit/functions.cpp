#include "backend_x64/emit/functions.h"

#include <algorithm>
#include <utility>

#include "backend_x64/emit/region_assembler.h"
#include "backend_x64/host/new_code.h"

namespace gcnjit::backend {

asmjit::x86::Compiler& Functions::Compiler(RegionAssembler& region) {
  if (compiler_ == nullptr) {
    auto compiler = std::make_unique<asmjit::x86::Compiler>();
    Attach(*compiler, *region.a.code());
    compiler_ = std::move(compiler);
  }
  return *compiler_;
}

void Functions::Emit(RegionAssembler& region) {
  if (compiler_ == nullptr) return;
  compiler_->finalize();
  const auto at = [&](const asmjit::Label& label) {
    return static_cast<uint32_t>(region.a.code()->labelOffset(label));
  };
  const auto by_begin = [&](const auto& it) { return at(it.begin); };
  std::ranges::sort(places_, {}, by_begin);
  for (const Place& place : places_) {
    if (region.listing != nullptr) region.listing->Function(at(place.begin), place.block, place.pc);
  }
  std::ranges::sort(loads_, {}, by_begin);
  for (const Load& load : loads_) {
    region.faults.guarded.push_back({at(load.begin), at(load.end), at(load.resume), load.site});
  }
}

}  // namespace gcnjit::backend
