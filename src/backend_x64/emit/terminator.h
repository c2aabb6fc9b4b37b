// Where the code of a block goes on.
#pragma once

#include "backend_x64/emit/block.h"
#include "backend_x64/emit/relay.h"

namespace gcnjit::backend {

class Terminator {
 public:
  Terminator(RegionAssembler& region, const BlockLabels& labels, Relay& relay)
      : a(region.a), region_(region), labels_(labels), relay_(relay) {}

  // After a block's body. `next`: the block whose code follows; 0: none.
  void Emit(BlockEmitter& emitter, const BlockVersion& version, const BlockContext& block,
            uint64_t next);

 private:
  void EmitExit(const BlockVersion& version, const ir::Block& block, ir::ExitReason reason,
                uint64_t next);
  void EmitPause(const ir::Block& loop);
  void EmitGo(const ir::Block& block, uint64_t target, uint64_t next);

  x86::Assembler& a;
  RegionAssembler& region_;
  const BlockLabels& labels_;
  Relay& relay_;
};

}  // namespace gcnjit::backend
