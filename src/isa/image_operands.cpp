#include "isa/image_operands.h"

#include <algorithm>
#include <bit>

namespace gcnjit::frontend {
namespace {

bool Contains(const OpcodeRow& row, std::string_view part) {
  return row.names.find(part) != row.names.npos;
}

bool Gathers(const OpcodeRow& row) { return Contains(row, "gather4"); }

}  // namespace

bool ImageSamples(const OpcodeRow& row) {
  return Contains(row, "sample") || Gathers(row) || Contains(row, "get_lod");
}

bool ImageHasD16(const OpcodeRow& row) {
  return !Contains(row, "_pck") && !Contains(row, "atomic") && !Contains(row, "_get_");
}

int LeastImageAddressRegisters(const OpcodeRow& row) {
  const auto ends_with = [&](std::string_view s) { return row.names.ends_with(s); };
  // One coordinate, gradients (two) and a LOD or clamp as halves, two a register; offset, bias and
  // compare value take a register each.
  int halves = 1;
  if (Contains(row, "_mip") || Contains(row, "_cl") || ends_with("_l") || ends_with("_l_o")) {
    ++halves;
  }
  if (Contains(row, "_d_") || ends_with("_d") || Contains(row, "_cd")) halves += 2;
  int registers = (halves + 1) / 2;
  if (ends_with("_o")) ++registers;
  if (Contains(row, "_c_") || ends_with("_c")) ++registers;
  if (Contains(row, "_b_") || ends_with("_b")) ++registers;
  return registers;
}

int ImageDataRegisters(const Instruction& in, Generation generation) {
  const OpcodeRow& row = in.row();
  const bool gathers = Gathers(row);
  int registers = gathers ? 4 : std::max(1, std::popcount(static_cast<uint32_t>(in.imm)));
  // gfx803 keeps each half in a register of its own.
  if (in.d16 && IsGfx9(generation)) registers = (registers + 1) / 2;
  if (in.tfe) ++registers;
  // What follows is how LLVM falls back where it has no form of that size.
  if (gathers && in.tfe && in.d16 && IsGfx9(generation)) registers = 4;
  const bool pair = Contains(row, "cmpswap");
  if (Contains(row, "atomic") && registers != (pair ? 4 : 2)) registers = pair ? 2 : 1;
  if (in.dst.index + registers > 256) registers = gathers ? 4 : pair ? 2 : 1;
  return registers;
}

}  // namespace gcnjit::frontend
