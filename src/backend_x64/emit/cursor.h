// Where emission stands in a block's plan, and what that says of its values.
#pragma once

#include <asmjit/x86.h>

#include <cstdint>
#include <optional>

#include "backend_x64/emit/register_file.h"
#include "backend_x64/plan/block_context.h"

namespace gcnjit::backend {

class Cursor {
 public:
  explicit Cursor(const BlockContext& the_block) : block(the_block) {}

  // Positions of operations that are emitted part by part: of the first, and after the last.
  struct Run {
    int32_t begin = -1;  // -1: there is none
    int32_t end = -1;
  };

  const BlockContext& block;
  int stage = 0;
  int parts = 1;   // of the slice; for operations with shared results, those up to the last one's
  int slices = 1;  // of the stage
  bool in_only_slice = false;  // a slice is all of the stage: r13 is not set
  bool in_lane_loop = false;
  int32_t position = -1;  // of the operation
  Run run = {};
  const ir::Inst* inst = nullptr;  // the operation whose lanes are emitted
  int part = 0;                    // of it
  uint8_t op_bits = kAllPartBits;  // part bits of what is emitted: these parts are
  asmjit::Label next_slice = {};

  // ---- Uses
  bool IsRead(ir::Value v) const { return block.uses.IsUsedAfter(v, position); }
  bool IsUsedInLaterStage(ir::Value v) const {
    return block.uses.IsUsedAfter(v, block.uses.EndOfStage(stage) - 1);
  }
  bool IsUsedInStage(ir::Value v) const {
    return block.uses.NextAfter(v, position) < block.uses.EndOfStage(stage);
  }
  // Position of the next use; UseLists::kNever: there is none.
  int32_t NextUseOf(Unit unit) const;
  // Is it an argument of the operation, or of the compare that the operation takes in?
  bool IsArgument(ir::Value v) const;
  // Do the operation's parts, from `first` on, need this one of the value?
  bool IsForPartsFrom(ir::Value v, int stand_in, int first) const;
  bool IsLastPart(int of) const;

  // ---- Parts of the slice
  int StandInsOf(ir::Value v) const { return CountStandIns(block.part_bits[v.id], parts); }
  // Are all parts of the operation emitted?
  bool HasNoGaps(ir::Value v) const { return StandInsOf(v) == parts; }
  bool IsWholeWave() const { return parts * block.lanes == ir::kLanes; }
  AddressShape ShapeOfAddress(ir::Value v) const { return block.ShapeOfAddress(v, parts); }
  // Has each of several parts of a load one address?
  bool IsUniformLoad(const ir::Inst& load) const;
  // The bits of a part, of a mask that is constant. None: it is not, or slices differ.
  std::optional<uint32_t> ConstantLanes(ir::Value mask, int of) const;
  bool IsAllLanes(ir::Value mask, int of) const {
    return ConstantLanes(mask, of) == (uint64_t{1} << block.lanes) - 1;
  }
  // The last of the part's lanes that a mask has, if it is known to have some; else -1.
  int LastLaneOf(ir::Value mask, int of) const;

 private:
  int32_t NextUseInRun(Unit unit) const;
  int32_t EndOfLanes() const;
};

}  // namespace gcnjit::backend
