// Waves of a work-group that relieve each other without leaving compiled code: at barriers, at
// their ends, and where one block is the code of the whole group (RelayState::wave).
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "backend_x64/emit/block_version.h"
#include "backend_x64/emit/region_assembler.h"

namespace gcnjit::backend {

using BlockLabels = std::unordered_map<uint64_t, asmjit::Label>;  // by guest address

class Relay {
 public:
  Relay(RegionAssembler& region, const ir::Function& function, const BlockLabels& labels);

  // The address of the first block of group code; 0: there is none.
  uint64_t GroupBegin() const { return group_begin_; }
  // Can the block go on with the next group of its row?
  bool MayRepeat() const { return function_.blocks.size() == 1 && group_begin_ != 0; }

  // At a barrier: the wave will go on at `target`, and it is the next one's turn.
  void EmitBarrier(const asmjit::Label& target);
  // In group code, at a barrier or at the end of a wave: the next block has its own wave.
  void EmitInGroup(const BlockVersion& version, const ir::Block& block, uint64_t next);
  // At the end of a wave whose PC is then `pc`: the next one's turn, or the end. Followed: waves
  // end in their order, which says all that is to know.
  void EmitEnd();
  void EmitFollowedEnd(uint64_t pc);
  // The last wave has ended: others may have their turn. To be emitted once.
  void EmitAllEnded();

 private:
  void EmitNextOrEnd();
  void EmitNextGroup(const BlockVersion& version);
  void EmitCountRowId(const BlockVersion& version);
  void EmitRelay();

  x86::Assembler& a;
  RegionAssembler& region_;
  const ir::Function& function_;
  const BlockLabels& labels_;
  const asmjit::Label all_ended_;
  uint64_t group_begin_ = 0;
  std::unordered_map<uint64_t, uint64_t> next_in_group_;  // the block after each, 0 for none
  // The last wave's PC, where the others' is not set.
  std::optional<uint64_t> end_pc_;
};

}  // namespace gcnjit::backend
