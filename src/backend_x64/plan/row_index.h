// An index of which each row of a wave's lanes has consecutive numbers, as compile/row_indices.h
// writes it.
#pragma once

#include <optional>

#include "ir/function.h"

namespace gcnjit::backend {

// first + (lane / lanes) * step + lane % lanes, modulo 2^32.
struct RowIndex {
  ir::Value first;
  ir::Value step;
  int lanes = 0;
};

// None: it is not written that way.
std::optional<RowIndex> RowIndexOf(const ir::Function& function, ir::Value index);

}  // namespace gcnjit::backend
