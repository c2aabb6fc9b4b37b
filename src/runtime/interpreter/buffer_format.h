// What format loads and stores of buffers convert, and where it is in registers.
#pragma once

#include <cstdint>

#include "runtime/image/texel.h"
#include "runtime/interpreter/buffer_resource.h"

namespace gcnjit::runtime {

// How components lie in registers.
enum class Packing : uint8_t {
  kDwords,
  kD16,    // packed on gfx9, one a register on gfx8
  kD16Hi,  // one component, in the high half
};

struct FormatPlan {
  ElementFormat format;
  uint8_t select[4] = {};  // component or constant of each loaded register
  StoredComponents stored;
};

// MTBUF says the format itself and loads what it has (X000, XY00, XYZ0, XYZW); MUBUF takes both
// from the resource. `count`: components of the instruction. nullptr, or why it can't be executed.
const char* MakeFormatPlan(const Instruction& i, const BufferResource& resource, int count,
                           bool is_store, FormatPlan* plan);

// Where value n of those that a store takes is.
inline ValueBits BitsOfFormatValue(const Wave& w, const Instruction& i, Packing packing, int n) {
  const int src = i.src[1].index;
  if (packing == Packing::kDwords) return {src + n, ~0u};
  if (packing == Packing::kD16Hi) return {src, 0xFFFF0000};
  if (!frontend::IsGfx9(w.generation())) return {src + n, 0xFFFF};
  return {src + n / 2, n % 2 == 1 ? 0xFFFF0000 : 0xFFFF};
}

// The element that a store makes of its values.
inline void MakeElement(const Wave& w, const Instruction& i, const FormatPlan& plan,
                        Packing packing, int lane, uint32_t (&element)[4]) {
  for (int n = 0; n < plan.format.components; ++n) {
    if (!plan.stored.is_given[n]) continue;
    const ValueBits from = BitsOfFormatValue(w, i, packing, plan.stored.source[n]);
    uint32_t value = w.state.vgpr[from.reg][lane];
    if (packing != Packing::kDwords) {
      const bool high = from.bits == 0xFFFF0000;
      value = WidenComponent(plan.format, static_cast<uint16_t>(high ? value >> 16 : value));
    }
    PackComponent(plan.format, n, value, element);
  }
}

}  // namespace gcnjit::runtime
