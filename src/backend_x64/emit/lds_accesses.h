// LDS accesses of a block whose lanes' addresses are at known distances, or that have their address
// in common: one look at the bounds serves several of them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "backend_x64/emit/block_version.h"
#include "backend_x64/emit/lds_limit.h"
#include "backend_x64/emit/scalar_registers.h"

namespace gcnjit::backend {

class LdsAccesses {
 public:
  // Loads in one stage whose address, mask and limit are the same values: of dwords, or of anything
  // if the address's shape is known.
  struct Group {
    ir::Value leader;  // the first of them
    AddressShape shape;
    uint32_t last_offset = 0;
    uint32_t end = 0;  // of the last one's data, from the lane's address on
    int count = 0;
    int temp = -1;
    int slots[4] = {-1, -1, -1, -1};  // by part
    std::optional<int> gpr = {};      // instead of slots[0], where one base serves all parts
  };
  // Accesses with the same address and limit, all of which are within bounds: the block's begin
  // made sure. They access the bytes [begin, end) from the first lane's address on.
  struct Guard {
    ir::Value address;
    ir::Value limit;
    std::optional<uint32_t> first_lane;  // the address, if it is known when code is compiled
    int32_t begin = INT32_MAX;
    int32_t end = INT32_MIN;
    int loads = 0;
    // In the stage being emitted: what accesses count from in host memory, and whether it is there.
    std::optional<int> gpr = {};
    bool is_there = false;

    // From there to the first lane's data.
    int32_t Offset(const ir::Inst& access) const {
      return static_cast<int32_t>(access.imm) + static_cast<int32_t>(first_lane.value_or(0));
    }
  };

  LdsAccesses(RegionAssembler& region, BlockVersion& version, Cursor& at, ValueMemory& memory,
              ScalarRegisters& scalars);

  // At the block's begin: goes on in the block's general version unless what is guarded is within
  // bounds.
  void EmitGuards();
  // Before and after the lane operations of a stage.
  void FindGroups(const Stage& stage);
  void FreeGroups();

  // nullptr: the load is alone.
  const Group* GroupOf(ir::Value load) const;
  // nullptr: the access is not guarded.
  Guard* GuardOf(ir::Value access) {
    return guard_of_.empty() || guard_of_[access.id] < 0
               ? nullptr
               : &guards_[static_cast<size_t>(guard_of_[access.id])];
  }
  // What a guarded access counts from: the first lane's address in host memory, or where LDS
  // begins.
  x86::Gp EmitGuardedBase(Guard& guard);

  LdsLimit LimitOf(ir::Value limit);
  LdsLimit LimitOf(const ir::Inst& access) { return LimitOf(access.args[2]); }
  // Bytes from the lowest lane's address in the parts [first, end) on that loads of the group read.
  int32_t SpanOf(const Group& group, int first, int end) const;
  // Can a store be done for all parts at once, as runs at known distances from each other?
  bool IsShapedStore(const ir::Inst& store, const AddressShape& shape) const;

 private:
  void CollectGroups(const Stage& stage);
  bool IsUnlimited(ir::Value limit) const;
  bool CanGuard(const ir::Inst& access, const AddressShape& shape) const;
  void FindGuards();
  int16_t FindGuard(ir::Value address, ir::Value limit);
  bool IsWithinLds(const Guard& guard) const;

  x86::Assembler& a;
  RegionAssembler& region_;
  BlockVersion& version_;
  Cursor& at_;
  const BlockContext& block_;
  ValueMemory& memory_;
  ScalarRegisters& scalars_;
  std::vector<Group> groups_;      // of the stage being emitted
  std::vector<Guard> guards_;      // of the block
  std::vector<int16_t> guard_of_;  // by value id; -1: none
};

}  // namespace gcnjit::backend
