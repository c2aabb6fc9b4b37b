#include "runtime/check/allocation_map.h"

#include <fmt/format.h>

#include <utility>

namespace gcnjit::runtime::check {

void AllocationMap::Name(uint64_t address, std::string name) {
  const GuestMemory::Allocation allocation = memory_.Nearest(address);
  if (allocation.bytes == 0 || address < allocation.address ||
      address - allocation.address >= allocation.bytes) {
    return;
  }
  // Of several arguments that point to one buffer, the first.
  names_.emplace(allocation.address, std::move(name));
}

void AllocationMap::NameBuffers(const KernelInfo& kernel, const Arguments& arguments) {
  size_t number = 0;
  for (const Arguments::Entry& entry : arguments.entries()) {
    if (entry.kind == ArgumentKind::kGlobalBuffer) {
      std::string name = fmt::format("arg {}", number);
      if (number < kernel.arguments.size() && !kernel.arguments[number].name.empty()) {
        name += fmt::format(" {}", kernel.arguments[number].name);
      }
      Name(entry.address, std::move(name));
    }
    ++number;
  }
}

GuestMemory::Span AllocationMap::Around(uint64_t address) {
  if (epoch_ != memory_.epoch()) {
    epoch_ = memory_.epoch();
    recent_ = {};
  }
  for (const GuestMemory::Span& span : recent_) {
    if (address - span.begin < span.end - span.begin) return span;
  }
  if (!memory_.Readable(address, 1)) return {};
  const GuestMemory::Allocation allocation = memory_.Nearest(address);
  const GuestMemory::Span span = {allocation.address, allocation.address + allocation.bytes};
  if (address < span.begin || address >= span.end) return {};
  recent_[next_++ % recent_.size()] = span;
  return span;
}

AllocationMap::Named AllocationMap::NameAt(uint64_t address) const {
  const GuestMemory::Allocation nearest = memory_.Nearest(address);
  const auto name = names_.find(nearest.address);
  return {name == names_.end() ? nearest.label : name->second, nearest.address};
}

std::string AllocationMap::Describe(uint64_t address) const {
  std::string text = memory_.Describe(address);
  const GuestMemory::Allocation nearest = memory_.Nearest(address);
  const auto name = names_.find(nearest.address);
  if (name == names_.end()) return text;
  const std::string label = "'" + nearest.label + "'";
  if (const size_t at = text.find(label); at != std::string::npos) {
    text.replace(at, label.size(), "'" + name->second + "'");
  }
  return text;
}

}  // namespace gcnjit::runtime::check
