// Accesses of the indexed form that differ in what they move and in a constant offset, if at all:
// where the lanes of one are a run of consecutive elements, so are those of the others. So it is
// with the waves of a work-group, where one block is the code of all.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "backend_x64/emit/lane_registers.h"
#include "backend_x64/emit/prefetcher.h"
#include "backend_x64/emit/scalar_registers.h"
#include "backend_x64/plan/row_index.h"

namespace gcnjit::backend {

// Index of a contiguous access of the whole wave, or of each of its rows, kept as a scalar: lane
// 0's is (*scalar + first_lane) << shift. No lane vector is made of it.
struct LateIndex {
  x86::Mem scalar = {};
  uint32_t first_lane = 0;
  int shift = 0;
  int32_t part_step = 0;  // from one part's first index to the next one's
  int row_lanes = ir::kLanes;
  x86::Mem row_step = {};  // from one row's to the next one's, if there are several
  int slice_lanes = ir::kLanes;

  bool IsOfRows() const { return row_lanes != ir::kLanes; }
  // eax: the index of the slice's first lane. Changes edx.
  void EmitFirst(x86::Assembler& a) const;
  // Likewise of a lane of the slice, by its number, where there are rows.
  void EmitInRow(x86::Assembler& a, int lane) const;
};

class ContiguousAccesses {
 public:
  // An index that is a scalar and what is known of each lane, added and then shifted left.
  struct Root {
    ir::Value scalar;
    ir::Value lanes;
    uint32_t shift = 0;
  };
  // Of a stage: accesses that share an address.
  struct Group {
    int left = 0;                 // accesses that have not been emitted
    std::optional<int> gpr = {};  // that has the owner's address
    ir::Value owner;
    // In bytes from its address on: where loads and stores are; and how far indices are above its.
    int64_t lowest[2] = {};
    int64_t highest[2] = {};
    uint32_t last_index = 0;
    bool is_checked[2] = {};
    bool has_load = false;
  };

  ContiguousAccesses(Cursor& at, ValueMemory& memory, LaneRegisters& lanes,
                     ScalarRegisters& scalars, Prefetcher& prefetcher);

  // ---- Of the block, before its stages.
  void CountPlaces();
  void FindLateIndices();
  // ---- Of a stage, before and after its lane operations.
  void FindGroups(const Stage& stage);
  void FreeGroups();

  std::optional<Root> RootOf(ir::Value index) const;
  // Are the lanes of the whole wave, not those of a slice alone, known to be consecutive elements?
  bool IsRunOfWave(ir::Value access) const;
  Group* GroupOf(ir::Value access);
  // To be asked for each access of the indexed form once, in the order of emission.
  RunAddress AddressOf(ir::Value access);
  // A load of dwords of the indexed form, most of which are in registers: an earlier load of all
  // lanes, which has left its address for this one (RunAddress), has them, so many lanes further
  // on. Where both are runs, that is; the registers are pinned. To be asked before AddressOf.
  // `is_looked_at`: the owner's window has been looked at for this load, too.
  struct ShiftedLoad {
    int lanes = 0;
    int from[4] = {-1, -1, -1, -1};  // by part
  };
  std::optional<ShiftedLoad> ShiftedLoadOf(ir::Value load, bool is_looked_at);
  bool IsLate(ir::Value v) const { return is_late_[v.id] != 0; }
  std::optional<LateIndex> LateIndexOf(ir::Value index);  // none: it is in registers
  // Rows of a wave's lanes that are consecutive elements each: lane 0's index is first + constant.
  struct Rows {
    ir::Value first;
    uint32_t constant = 0;
    ir::Value step = {};  // from one row's to the next one's; none: there is one row
    int lanes = ir::kLanes;
  };
  // Of an access with a late index. None: it has none, or its slices are something else.
  std::optional<Rows> RowsOf(ir::Value access) const;

 private:
  using Key = std::array<uint32_t, 8>;
  bool IsKnownRun(ir::Value access) const;
  bool IsOfRows(ir::Value access) const;
  bool TakesLateIndex(ir::Value access) const;
  Key KeyOf(ir::Value access) const;
  uint32_t IndexAbove(ir::Value access, ir::Value owner) const;
  int64_t BytesFrom(ir::Value access, ir::Value owner) const;
  bool ReadsTheSame(ir::Value first, ir::Value second) const;

  Cursor& at_;
  const BlockContext& block_;
  ValueMemory& memory_;
  LaneRegisters& lanes_;
  ScalarRegisters& scalars_;
  Prefetcher& prefetcher_;
  std::vector<Group> groups_;            // of the stage being emitted
  std::map<uint32_t, size_t> group_of_;  // which one, by value id
  std::vector<uint8_t> is_late_;         // by value id
};

}  // namespace gcnjit::backend
