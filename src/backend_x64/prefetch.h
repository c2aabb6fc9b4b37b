// Asking for memory that later waves will probably access.
#pragma once

#include <asmjit/x86.h>

#include <vector>

#include "ir/function.h"

namespace gcnjit::backend {

// The accesses of a block that are worth asking for more, by their order in it.
class Streams {
 public:
  Streams(const ir::Function& function, const ir::Block& block)
      : function_(function), block_(block) {}

  // Is this access of the indexed form the first one there?
  bool Begins(const ir::Inst& access);

 private:
  const ir::Function& function_;
  const ir::Block& block_;
  std::vector<ir::Inst> begun_;
};

// The cache lines some way behind the `bytes` at [rax]: a wave that streams through memory is too
// short for the processor to look ahead by itself.
void EmitPrefetch(asmjit::x86::Assembler& a, int bytes, bool is_store);

}  // namespace gcnjit::backend
