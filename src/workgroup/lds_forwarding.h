// What a block has stored to LDS at addresses that are known when it is compiled: a load from there
// is a permutation of the stored lanes, which does not wait until a store has gone through memory.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "ir/builder.h"
#include "workgroup/constant_lanes.h"

namespace gcnjit::workgroup {

class LdsForwarding {
 public:
  // `lds_bytes`: the work-group has at least so many.
  LdsForwarding(ir::Builder& builder, uint32_t lds_bytes) : builder_(builder), bytes_(lds_bytes) {}

  // Are the addresses of all lanes that access LDS known, and within its bounds?
  bool IsInside(const ir::Inst& access, const ConstantLanes& values) const;

  // A memory operation, in the order of execution, of which `values` are known: `dwords` are what a
  // store of dwords stores, in the block.
  void Follow(const ir::Inst& inst, const ConstantLanes& values, const ir::Value* dwords);
  // What such a load gets. None: some of it was not stored in the block, or comes from too many
  // stores.
  ir::Value Load(const ir::Inst& load, const ConstantLanes& values);

 private:
  struct Dword {
    ir::Value stored;
    uint8_t lane = 0;
  };

  ir::Builder& builder_;
  const uint32_t bytes_;
  std::unordered_map<uint32_t, Dword> dwords_;  // by address
};

}  // namespace gcnjit::workgroup
