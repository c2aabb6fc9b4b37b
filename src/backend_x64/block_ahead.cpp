// Requests for memory that the wave will load soon.
#include <algorithm>

#include "backend_x64/block_emitter.h"

namespace gcnjit::backend {

std::optional<Lookahead> BlockEmitter::LookaheadOf(const ir::Inst& inst) {
  if (IsLoop()) return {};
  const std::optional<Lookahead> lookahead = streams_.Ask(inst);
  if (lookahead && lookahead->is_loop && shared_.is_asked_for) return {};
  return lookahead;
}

// Those that a slice of the stage makes.
std::vector<BlockEmitter::AheadRequest> BlockEmitter::AheadRequests(const Stage& stage) const {
  const auto is_shorter = [](const Stage& a, const Stage& b) {
    return a.lane_ops.size() < b.lane_ops.size();
  };
  if (shared_.ahead == nullptr ||
      &stage != &*std::max_element(plan_.stages.begin(), plan_.stages.end(), is_shorter)) {
    return {};
  }
  std::vector<AheadRequest> requests;
  for (const AheadLoad& load : *shared_.ahead) {
    for (int lane = 0; lane < parts_ * lanes_; lane += 16) {
      for (int line = 0; line < load.Lines(); ++line) requests.push_back({load, lane, line});
    }
  }
  return requests;
}

// Into the second-level cache, as in EmitPrefetch. Between operations nothing is in rax and rcx.
void BlockEmitter::EmitAheadRequest(const AheadRequest& request) {
  NoteHeading("for the next iteration");
  const AheadLoad& load = request.load;
  const auto lane_of = [&](int vgpr) {
    x86::Mem lane = VgprMemory(vgpr, 0);
    lane.setSize(4);
    lane.addOffset(request.lane * 4);
    return lane;
  };
  const auto sgpr = [&](int n) { return x86::ptr(x86::rbx, shared_.layout.sgpr + n * 4); };
  a.mov(x86::eax, lane_of(load.vgprs[0]));
  for (size_t n = 1; n < load.vgprs.size(); ++n) a.add(x86::eax, lane_of(load.vgprs[n]));
  for (const int n : load.sgprs) a.add(x86::eax, sgpr(n));
  if (load.constant != 0) a.add(x86::eax, load.constant);
  if (load.access.index_signed) a.movsxd(x86::rax, x86::eax);
  a.mov(x86::rcx, sgpr(load.base));
  a.prefetcht1(x86::ptr(x86::rcx, x86::rax, load.access.index_shift,
                        load.offset + request.line * kCacheLine));
}

}  // namespace gcnjit::backend
