// Scalar loads of a block. Kernels read their arguments with several, from one address on: what is
// known of one's memory is known of the others' then.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "backend_x64/emit/block_sites.h"
#include "backend_x64/emit/scalar_registers.h"
#include "backend_x64/emit/uniform_prologue.h"

namespace gcnjit::backend {

class ScalarLoads {
 public:
  ScalarLoads(RegionAssembler& region, const Cursor& at, ValueMemory& memory,
              ScalarRegisters& scalars, BlockSites& sites);

  // The load and those after it in the stage that are to be done with it: off the same address, all
  // of them together no longer than the context's scalar_data. In program order. Stores and fences
  // are in other stages.
  std::vector<ir::Value> LoadsWith(ir::Value v) const;
  void EmitTogether(const std::vector<ir::Value>& loads);
  // What is loaded from here on is noted there; nullptr: nowhere.
  void NoteIn(UniformPrologue* common) { common_ = common; }

 private:
  struct Load {
    SiteId site;
    int32_t offset = 0;  // from the address
    uint32_t dwords = 0;
  };
  // Off one address, all done at once.
  struct Group {
    int address = 0;                       // the register that has it
    std::vector<Load> loads;               // in program order
    int32_t begin = 0;                     // the lowest of their offsets
    SiteId checked;                        // whose load that is; its window is for all of them
    std::optional<int> address_slot = {};  // that keeps where the first of the bytes is
  };
  // What of a load is read.
  struct Piece {
    ir::Value value;              // a dword of the load, or the pack of two
    int32_t offset = 0;           // bytes
    std::optional<int> reg = {};  // none: it goes to its slot
  };

  ir::Value PackOf(ir::Value low, ir::Value high, int32_t load_end) const;
  std::vector<Piece> TakePieces(ir::Value v);
  int32_t EndOf(const Piece& piece) const;
  void EmitCheck(const Group& group);
  void EmitPieces(const Group& group, const Load& load, const std::vector<Piece>& pieces);

  x86::Assembler& a;
  RegionAssembler& region_;
  const Cursor& at_;
  const BlockContext& block_;
  ValueMemory& memory_;
  ScalarRegisters& scalars_;
  BlockSites& sites_;
  UniformPrologue* common_ = nullptr;
};

}  // namespace gcnjit::backend
