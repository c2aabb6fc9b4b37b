#include "backend_x64/emit/indexed_access.h"

namespace gcnjit::backend {

void EmitLookahead(const IndexedOperands& x, const x86::Mem& begin, int bytes) {
  if (!x.ahead) return;
  EmitPrefetch(x.region.a, *x.region.options.tuning, x.ahead->lookahead, x.ahead->memory, begin,
               x.access.index_shift, bytes, x.is_store);
}

}  // namespace gcnjit::backend
