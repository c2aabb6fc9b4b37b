// A load or store of the indexed form, with what this instruction set wants to know of it.
#pragma once

#include "backend_x64/emit/indexed_access.h"
#include "backend_x64/isa/avx512/slow_path.h"

namespace gcnjit::backend::avx512 {

struct IndexedAccess : IndexedOperands {
  static constexpr int kPartLanes = kLanes;

  int halves_overlap = 0;    // of two runs
  AddressShape halves = {};  // of the index, where a part is two halves
  // Where each part needs them: the base with `imm`, counted from the window's begin; that begin;
  // and the end for runs, 0 if the base is far from the window. -1: in memory.
  int base_gpr = -1;
  int window_gpr = -1;
  int end_gpr = -1;
  x86::Mem first_lane[4] = {};  // of the index, if it is in the wave's state
  // Where the whole wave is one run, these registers have what is so many lanes away from what a
  // part loads. 0: there are none.
  int shift = 0;
  int shift_from[4] = {};
};

}  // namespace gcnjit::backend::avx512
