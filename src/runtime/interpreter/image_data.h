// The data registers of image instructions: the values that DMASK names, or halves of registers.
//
// Sources: LLVM AMDGPU operand syntax gfx8/gfx9 (D16: one value a register on gfx8.0, packed from
// gfx8.1 on); Mesa ACO get_subdword_definition_info (D16 loads of gfx9 keep the half that they have
// no value for, unless there is SRAM-ECC); CLRX GcnInstrsMimg (TFE).
#pragma once

#include "isa/vgpr_limit.h"
#include "runtime/image/texel.h"
#include "runtime/interpreter/lane_access.h"

namespace gcnjit::runtime {

inline bool PacksHalves(const Wave& w, const Instruction& i) {
  return i.d16 && !frontend::Has(w.generation(), frontend::kUnpackedD16);
}

// Value n of those that the instruction loads.
inline void PutImageValue(Wave& w, const Instruction& i, const ElementFormat& format, int n,
                          int lane, uint32_t value) {
  if (!i.d16) {
    w.state.vgpr[i.dst.index + n][lane] = value;
    return;
  }
  const uint32_t half = NarrowComponent(format, value);
  if (!PacksHalves(w, i)) {
    w.state.vgpr[i.dst.index + n][lane] = half;
    return;
  }
  uint32_t& reg = w.state.vgpr[i.dst.index + n / 2][lane];
  if (n % 2 == 1) {
    reg = (reg & 0xFFFF) | half << 16;
  } else {
    reg = (i.zeroes_half ? 0 : reg & 0xFFFF0000) | half;
  }
}

inline uint32_t TakeImageValue(const Wave& w, const Instruction& i, const ElementFormat& format,
                               int n, int lane) {
  if (!i.d16) return w.state.vgpr[i.src[1].index + n][lane];
  if (!PacksHalves(w, i)) {
    return WidenComponent(format, static_cast<uint16_t>(w.state.vgpr[i.src[1].index + n][lane]));
  }
  const uint32_t reg = w.state.vgpr[i.src[1].index + n / 2][lane];
  return WidenComponent(format, static_cast<uint16_t>(n % 2 == 1 ? reg >> 16 : reg));
}

// Where value n of an instruction is, whose first data register this is. What D16 puts beside it is
// not part of it.
inline ValueBits BitsOfImageValue(const Wave& w, const Instruction& i, int first, int n) {
  if (!i.d16) return {first + n, ~0u};
  if (!PacksHalves(w, i)) return {first + n, 0xFFFF};
  return {first + n / 2, n % 2 == 1 ? 0xFFFF0000 : 0xFFFF};
}

// The texel that a store makes of its values.
inline void MakeTexel(const Wave& w, const Instruction& i, const ElementFormat& format,
                      const StoredComponents& stored, int lane, uint32_t (&element)[4]) {
  for (int n = 0; n < format.components; ++n) {
    if (!stored.is_given[n]) continue;
    PackComponent(format, n, TakeImageValue(w, i, format, stored.source[n], lane), element);
  }
}

// Components that DMASK names, in consecutive values.
inline void PutImageComponents(Wave& w, const Instruction& i, const ElementFormat& format, int lane,
                               const uint32_t (&components)[4]) {
  int n = 0;
  for (int component = 0; component < 4; ++component) {
    if ((i.imm >> component & 1) != 0)
      PutImageValue(w, i, format, n++, lane, components[component]);
  }
}

// 0: no page is ever missing, and no level.
inline void PutImageStatus(Wave& w, const Instruction& i, int lane) {
  if (frontend::LoadsStatus(i)) w.state.vgpr[i.dst.index + i.loaded_vgprs][lane] = 0;
}

}  // namespace gcnjit::runtime
