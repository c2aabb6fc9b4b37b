// What 64-bit lanes are the sum of, as an address in `a[z][y][x]` or `a[y * n + x]` with indices of
// 64 bits.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/function.h"

namespace gcnjit::backend {

// ext(lanes) * ext(scalar) * factor.
struct AddressTerm {
  ir::Value lanes;         // v32
  ir::Value scalar = {};   // u32; none: 1
  bool is_signed = false;  // how both are extended
  uint64_t factor = 1;
};

// scalar * by << shift.
struct AddressBase {
  ir::Value scalar;   // u64, or u32 where only its lower bits count
  ir::Value by = {};  // u32; none: 1
  uint32_t shift = 0;
};

// The sum of all of these modulo 2^64.
struct AddressTerms {
  std::vector<AddressTerm> lanes;
  std::vector<AddressBase> bases;
  uint64_t constant = 0;
  bool has_halves = false;  // computed by halves, of 64 by 64 bits: no sum of 64 bits as it stands
  // As long as these scalars (u32) are 0, and these (u32, v32) are numbers without a sign.
  std::vector<ir::Value> zeros;
  std::vector<ir::Value> without_sign;
};

// None: it is something else.
std::optional<AddressTerms> AddressTermsOf(const ir::Function& function, ir::Value v64);

}  // namespace gcnjit::backend
