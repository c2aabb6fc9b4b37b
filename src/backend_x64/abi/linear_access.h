// Accesses of a loop whose addresses grow by the same number with each iteration, as compiled code
// hands them to the runtime: what the first iteration accesses is in the wave's registers.
#pragma once

#include <cstdint>
#include <type_traits>

namespace gcnjit::backend {

// A number that all iterations find the same.
struct LoopScalar {
  uint32_t is_sgpr = 0;
  uint32_t value = 0;  // or the SGPR's number
};

// What is added to an index.
struct LoopIndex {
  LoopScalar step = {};  // in each iteration
  LoopScalar offset = {};
};

// In the memory of the compiled code.
struct LinearAccess {
  int32_t imm = 0;  // added to the address
  uint8_t bytes = 0;
  bool is_store = false;
  // Whether the address is a base in an SGPR pair and a lane's index; else it is in two VGPRs.
  bool is_indexed = false;
  bool is_index_signed = false;
  bool is_after_step = false;    // the address is what the registers have in the next iteration
  bool steps_low_alone = false;  // by the first dword, with its sign; the high dword stays
  uint16_t index_shift = 0;
  uint32_t low = 0;   // VGPR: of the address, or of the index
  uint32_t high = 0;  // VGPR; of the indexed form: the base's first SGPR
  // 64 bits, as two dwords: of the address; of the indexed form: of the base.
  LoopScalar step[2] = {};
  LoopIndex index = {};
};
// The same accesses are the same bytes.
static_assert(std::has_unique_object_representations_v<LinearAccess>);

}  // namespace gcnjit::backend
