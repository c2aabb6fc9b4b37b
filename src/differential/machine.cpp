#include "differential/machine.h"

#include <cstring>
#include <stdexcept>

namespace gcnjit::differential {

using runtime::GuestMemory;

Machine::Machine() : memory_(GuestMemory::Reserve().value()), lds_(kLdsBytes), gds_(kGdsBytes) {
  using enum GuestMemory::Access;
  // An aligned data() makes addresses by `offset | base`; the rest of the allocation is taken back.
  const uint64_t bytes = 3 * kAlignment;
  const uint64_t first = memory_->Allocate(bytes, "data").value();
  data_ = (first + 2 * kAlignment - 1) / kAlignment * kAlignment;
  code_ = memory_->Allocate(kCodeBytes, "code", kReadOnly).value();
  const bool ok = memory_->Protect(first, bytes, kNone).ok() &&
                  memory_->Protect(data_, kDataBytes, kReadWrite).ok() &&
                  memory_->Protect(data_ + kDataBytes, kReadOnlyBytes, kReadOnly).ok() &&
                  memory_->Protect(scratch(), kScratchBytes, kReadWrite).ok();
  if (!ok) throw std::runtime_error("cannot set up guest memory");
  group.lds = lds_.data();
  group.lds_bytes = kLdsBytes;
  SetGroup({runtime::kLanes, 1, 1}, /*id_vgprs=*/1);
  dispatch.entry = code();
  dispatch.memory = memory_.get();
  dispatch.gds = gds_.data();
  dispatch.scratch_base = scratch();
  dispatch.stop = &stop_;
}

void Machine::SetGroup(const std::array<uint32_t, 3>& size, uint32_t id_vgprs) {
  group.size = size;
  group.wave_count = (size[0] * size[1] * size[2] + runtime::kLanes - 1) / runtime::kLanes;
  group.shape = id_vgprs == 0 ? runtime::GroupShape{} : runtime::GroupShapeOf(size, id_vgprs);
}

void Machine::LoadCode(std::span<const uint32_t> words) {
  if (words.size_bytes() > kCodeBytes) throw std::length_error("the program is too long");
  std::memcpy(reinterpret_cast<void*>(code_), words.data(), words.size_bytes());
}

}  // namespace gcnjit::differential
