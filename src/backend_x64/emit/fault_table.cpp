#include "backend_x64/emit/fault_table.h"

#include <algorithm>
#include <utility>

#include "backend_x64/emit/region_assembler.h"

namespace gcnjit::backend {

AccessGuard::AccessGuard(RegionAssembler& region, SiteId site)
    : region_(region),
      site_(site.index),
      begin_(region.a.offset()),
      cold_begin_(region.cold.size()) {}

AccessGuard::~AccessGuard() noexcept(false) {
  if (std::uncaught_exceptions() != exceptions_) return;
  // With what is noted next.
  const auto note = [&region = region_, label = resume_](const GuardedCode& code) {
    if (label.isValid()) region.faults.resumes.emplace_back(region.faults.guarded.size(), label);
    region.faults.guarded.push_back(code);
  };
  const auto resume = static_cast<uint32_t>(begin_);
  note({resume, static_cast<uint32_t>(region_.a.offset()), resume, site_});
  for (size_t n = cold_begin_; n < region_.cold.size(); ++n) {
    ColdCode& cold = region_.cold[n];
    cold = [&region = region_, note, emit = std::move(cold), resume, site = site_] {
      const auto begin = static_cast<uint32_t>(region.a.offset());
      emit();
      // A routine has noted itself.
      if (!region.faults.guarded.empty() && region.faults.guarded.back().begin == begin) return;
      note({begin, static_cast<uint32_t>(region.a.offset()), resume, site});
    };
  }
}

void ResolveGuards(RegionAssembler& region) {
  for (const auto& [number, label] : region.faults.resumes) {
    region.faults.guarded[number].resume =
        static_cast<uint32_t>(region.a.code()->labelOffset(label));
  }
}

void NoteRoutine(RegionAssembler& region, size_t begin) {
  region.faults.guarded.push_back({static_cast<uint32_t>(begin),
                                   static_cast<uint32_t>(region.a.offset()), 0,
                                   GuardedCode::kRoutine});
}

const GuardedCode* FindGuardedCode(const std::vector<GuardedCode>& guarded, uint64_t at) {
  const auto above = std::upper_bound(
      guarded.begin(), guarded.end(), at,
      [](uint64_t offset, const GuardedCode& code) { return offset < code.begin; });
  if (above == guarded.begin()) return nullptr;
  const GuardedCode& code = *std::prev(above);
  return at < code.end ? &code : nullptr;
}

}  // namespace gcnjit::backend
