// A second address for memory of the host program.
//
// HIP wants registered memory to have another address for kernels than for the host. So the pages
// are made shared ones, with the same contents at the same place, and mapped a second time. They
// stay shared when the alias is gone: the host program does not notice, unless it forks.
#pragma once

#include <cstdint>

#include "gcnjit/error.h"

namespace gcnjit::hsa {

class HostAlias {
 public:
  // Of the pages that hold these bytes.
  static Result<HostAlias> Create(uint64_t address, uint64_t bytes);
  HostAlias() = default;
  HostAlias(HostAlias&& other) noexcept;
  HostAlias& operator=(HostAlias&& other) noexcept;
  ~HostAlias();

  // The second address of what Create was given; 0: this is no alias.
  uint64_t address() const { return begin_ == 0 ? 0 : begin_ + offset_; }

 private:
  HostAlias(uint64_t begin, uint64_t pages, uint64_t offset)
      : begin_(begin), pages_(pages), offset_(offset) {}

  uint64_t begin_ = 0;
  uint64_t pages_ = 0;   // bytes
  uint64_t offset_ = 0;  // of the first byte in its page
};

}  // namespace gcnjit::hsa
