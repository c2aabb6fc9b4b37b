// A block and what is known of it before any of its code is emitted: the plan, the uses, the lane
// shapes, and which parts of a slice are alike. Nothing here changes while the block is emitted.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "backend_x64/plan/address_shape.h"
#include "backend_x64/plan/repeated_parts.h"
#include "backend_x64/plan/stages.h"
#include "backend_x64/plan/uniform_prologue.h"
#include "backend_x64/plan/use_lists.h"
#include "ir/analysis/known_lanes.h"
#include "ir/analysis/lane_shape.h"
#include "ir/function.h"

namespace gcnjit::backend {

// Host registers of an instruction set that the values of a block may be in, a bit each.
struct HostRegisters {
  int lanes = 0;  // of 32 bits in a vector register
  uint32_t vectors = 0;
  uint32_t masks = 0;       // 0: masks are in vector registers
  uint32_t loop_masks = 0;  // instead of `masks`, if the block is a loop that slices run
};

// What the region knows of the block's lanes, by value id; by a kSetVgpr's, of what the VGPR has
// from then on.
struct KnownLanes {
  const ir::LanePatterns* patterns = nullptr;  // nullptr: nothing
  std::vector<ir::LaneShape> shapes = {};
};

// What begins in the block after the operations that all waves, or groups, have in common.
struct CommonBegin {
  enum class Kind : uint8_t { kNothing, kWaves, kGroupsOfRow };
  Kind kind = Kind::kNothing;
  RowStart row = {};
};

class BlockContext {
 public:
  // Instructions, and so iterations, that a loop may run before other waves get their turn.
  static constexpr uint32_t kMostLoopInstructions = 1 << 14;

  BlockContext(const ir::Function& the_function, const ir::Block& the_block,
               const KnownLanes& known_lanes, const HostRegisters& host_registers,
               const CommonBegin& common, LoopAccesses accesses = LoopAccesses::kAny);

  const ir::Function& function;
  const ir::Block& source;
  const KnownLanes& known;
  const HostRegisters registers;
  const int lanes;                       // registers.lanes
  const std::vector<uint8_t> repeating;  // FindRepeating
  const Wanted wanted;
  const StagePlan plan;
  const UseLists uses;
  const std::vector<uint8_t> part_bits;  // FindShared
  const std::vector<uint8_t> from_loaded_lanes;
  const std::vector<uint8_t> has_joined_dwords;  // FindJoinedDwords

  bool MasksAreVectors() const { return registers.masks == 0; }
  // The block is a loop that each slice runs to its end.
  bool IsLoop() const { return plan.loop.has_value(); }
  // Iterations that a slice makes before other waves get their turn.
  uint32_t LoopIterations() const;
  int SlicesOf(const Stage& stage) const { return backend::SlicesOf(stage, wanted, lanes); }

  bool IsLaneValue(ir::Value v) const { return ir::IsLanes(function[v].type); }
  bool IsConst(ir::Value v, uint64_t* value = nullptr) const {
    if (function[v].op != ir::Op::kConst) return false;
    if (value != nullptr) *value = static_cast<uint64_t>(function[v].imm);
    return true;
  }
  bool IsZero(ir::Value v) const {
    uint64_t number = 0;
    return IsConst(v, &number) && number == 0;
  }
  bool IsAllLanes(ir::Value mask) const {
    uint64_t bits = 0;
    return IsConst(mask, &bits) && ~bits == 0;
  }
  std::optional<uint32_t> KnownLane(ir::Value v, uint32_t lane) const {
    return ir::KnownLane(function, v, lane);
  }
  // The compare that the operation takes in (fuse_compares.h); no value: it takes none.
  ir::Value FusedCompare(const ir::Inst& inst) const {
    for (int n = 0; n < inst.argument_count; ++n) {
      if (plan.is_fused[inst.args[n].id] != 0) return inst.args[n];
    }
    return {};
  }
  // The part that stands for one of the value's (repeated_parts.h), and whether it is that itself.
  uint8_t StandInOf(ir::Value v, int part) const { return StandIn(part_bits[v.id], part); }
  bool IsStandIn(ir::Value v, int part) const { return StandInOf(v, part) == part; }
  bool IsShared(ir::Value v) const { return part_bits[v.id] != kAllPartBits; }
  // Of the `parts` first parts.
  AddressShape ShapeOfAddress(ir::Value v, int parts) const {
    return AddressShapeOf(known.patterns, known.shapes[v.id], lanes, parts);
  }
  AddressShape ShapeOfHalves(ir::Value v, int parts) const {
    return AddressShapeOf(known.patterns, known.shapes[v.id], lanes / 2, parts * 2);
  }
};

}  // namespace gcnjit::backend
