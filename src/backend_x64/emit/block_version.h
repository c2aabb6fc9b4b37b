// The version of a block whose code is emitted: what it may take for granted, where other code
// enters it, and what it leaves for the region.
#pragma once

#include <asmjit/x86.h>

#include <cstdint>
#include <vector>

#include "backend_x64/emit/uniform_prologue.h"
#include "backend_x64/plan/block_context.h"
#include "backend_x64/plan/loop_prefetch.h"

namespace gcnjit::backend {

struct BlockVersion {
  // The version that takes any wave, for those that this one does not fit.
  struct General {
    asmjit::Label label = {};  // not valid: this is that version
    bool is_wanted = false;    // code goes there
  };
  // Where later waves of the group begin (uniform_prologue.h).
  struct Follow {
    asmjit::Label label = {};  // not valid: at the block's begin
    bool is_bound = false;     // `label` will be
  };
  // Where the next group of the row begins.
  struct Row {
    asmjit::Label label = {};  // not valid: it cannot
    bool ends = false;         // it is to begin with another version
    RowStart start = {};
    UniformPrologue common = {};  // of the block, once it is emitted
  };

  KnownLanes lanes = {};
  General general = {};
  Follow follow = {};
  Row row = {};
  bool is_in_no_order = false;                    // IsInNoOrder
  const std::vector<AheadLoad>* ahead = nullptr;  // requested on behalf of another block
  // Another block requests what this one will load in the next iteration.
  bool is_asked_for = false;

  // What of the block is common to waves or groups.
  CommonBegin Common() const {
    if (row.label.isValid()) return {CommonBegin::Kind::kGroupsOfRow, row.start};
    if (follow.label.isValid()) return {CommonBegin::Kind::kWaves};
    return {};
  }
};

}  // namespace gcnjit::backend
