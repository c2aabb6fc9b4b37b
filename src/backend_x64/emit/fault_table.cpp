#include "backend_x64/emit/fault_table.h"

#include <algorithm>
#include <utility>

#include "backend_x64/emit/block.h"

namespace gcnjit::backend {

AccessGuard::AccessGuard(RegionShared& shared, const MemorySite* site)
    : shared_(shared),
      site_(shared.IndexOf(site)),
      begin_(shared.a.offset()),
      cold_begin_(shared.cold.size()) {}

AccessGuard::~AccessGuard() {
  // With what is noted next.
  const auto note = [&shared = shared_, label = resume_](const GuardedCode& code) {
    if (label.isValid()) shared.resumes.emplace_back(shared.guarded.size(), label);
    shared.guarded.push_back(code);
  };
  const auto resume = static_cast<uint32_t>(begin_);
  note({resume, static_cast<uint32_t>(shared_.a.offset()), resume, site_});
  for (size_t n = cold_begin_; n < shared_.cold.size(); ++n) {
    ColdCode& cold = shared_.cold[n];
    cold = [&shared = shared_, note, emit = std::move(cold), resume, site = site_] {
      const auto begin = static_cast<uint32_t>(shared.a.offset());
      emit();
      // A routine has noted itself.
      if (!shared.guarded.empty() && shared.guarded.back().begin == begin) return;
      note({begin, static_cast<uint32_t>(shared.a.offset()), resume, site});
    };
  }
}

void ResolveGuards(RegionShared& shared) {
  for (const auto& [number, label] : shared.resumes) {
    shared.guarded[number].resume = static_cast<uint32_t>(shared.a.code()->labelOffset(label));
  }
}

void NoteRoutine(RegionShared& shared, size_t begin) {
  shared.guarded.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(shared.a.offset()),
                            0, GuardedCode::kRoutine});
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
