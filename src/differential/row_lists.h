// The rows of a generation that random programs choose from, by kind. Rows that need a setting of
// their own (branches, register indexing, MODE) are in none: the pieces of programs place them.
#pragma once

#include <vector>

#include "isa/opcode_table.h"

namespace gcnjit::differential {

struct RowLists {
  using Rows = std::vector<frontend::Opcode>;
  Rows scalar;
  Rows vop1;
  Rows vop2;
  Rows vopc;
  Rows vop3;  // VOP3 only
  Rows vop3p;
  Rows acc_moves;  // v_accvgpr_*
  Rows matrix;
  Rows dpp;  // all that have a DPP form
  Rows cross_lane;
  Rows scalar_memory;
  Rows lds;
  Rows flat;  // FLAT, GLOBAL and SCRATCH
  Rows buffer;
  Rows image;
  Rows relative_scalar;  // s_movrel*
  Rows relative_vector;  // v_movrel*
};
const RowLists& RowsOf(frontend::Generation generation);

}  // namespace gcnjit::differential
