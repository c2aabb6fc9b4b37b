#include "backend_x64/compile/region.h"

#include <asmjit/x86.h>

#include "backend_x64/compile/region_emitter.h"
#include "backend_x64/host/code_memory.h"
#include "backend_x64/host/listing.h"
#include "backend_x64/host/new_code.h"
#include "backend_x64/plan/block_invariants.h"
#include "ir/passes.h"

namespace gcnjit::backend {

CompiledRegion::~CompiledRegion() {
  if (code != nullptr) CodeMemory::Instance().Release(code);
}

void Lower(ir::Function& function, HostIsa isa) {
  if (isa == HostIsa::kAvx512) ir::FuseBitwise(function);
}

bool CompiledRegion::Place(std::span<const std::byte> bytes, std::string* error) {
  code = CodeMemory::Instance().Add(bytes, error);
  code_bytes = bytes.size();
  return code != nullptr;
}

std::unique_ptr<CompiledRegion> Compile(const ir::Function& function, const CompileOptions& options,
                                        std::string* error) {
  *error = BrokenInvariant(function);
  if (!error->empty()) return nullptr;
  auto region = std::make_unique<CompiledRegion>();
  NewCode made;
  asmjit::CodeHolder& code = made.holder();
  ListingText listing;
  if (options.notes.listing) code.setLogger(&listing);
  RegionEmitter emitter(function, options, *region, code);
  emitter.Emit();
  *error = made.refusal().empty() ? emitter.Error() : made.refusal();
  if (!error->empty()) return nullptr;
  // Code without addresses in it may be moved and kept (region_image.h).
  if (!code.relocEntries().empty()) {
    *error = "the code depends on where it lies";
    return nullptr;
  }
  region->code_bytes = code.codeSize();
  region->code_base = options.code_base;
  region->code = CodeMemory::Instance().Add(code, error);
  if (region->code == nullptr) return nullptr;
  for (const auto& [pc, label] : emitter.Labels()) {
    const std::byte* const at = region->code + code.labelOffset(label);
    if (pc == emitter.GroupBegin()) region->group.begin = at;
    if (ir::WaveOf(pc) < 0) region->entries.emplace(pc, at);
  }
  if (code.isLabelBound(emitter.Follow())) {
    region->follow = region->code + code.labelOffset(emitter.Follow());
  }
  if (options.notes.listing) region->notes.listing = listing.Take();
  return region;
}

}  // namespace gcnjit::backend
