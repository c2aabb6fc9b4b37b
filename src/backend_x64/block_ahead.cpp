// Requests for memory that the wave will load soon.
#include <algorithm>

#include "backend_x64/block_emitter.h"

namespace gcnjit::backend {

using ir::Value;

std::optional<Lookahead> BlockEmitter::LookaheadOf(const ir::Inst& inst) {
  std::optional<Lookahead> lookahead = streams_.Ask(inst);
  if (IsLoop()) return IterationsAhead(lookahead, HostPrefetching().iterations_ahead);
  if (lookahead && lookahead->is_loop && shared_.is_asked_for) return {};
  // Scalars of which nobody has use any more are gone.
  const auto is_gone = [this](Value v) {
    return v && !IsInPlace(v) && (homes_[v.id].slot < 0 || (homes_[v.id].stored & 1) == 0);
  };
  if (lookahead && (is_gone(lookahead->lead) || is_gone(lookahead->lead_from))) {
    lookahead->lead = lookahead->lead_from = {};
  }
  return lookahead;
}

LookaheadMemory BlockEmitter::MemoryOf(const Lookahead& lookahead) {
  const auto memory = [this](Value v, uint32_t bytes) {
    if (!v) return x86::Mem();
    x86::Mem of = ScalarMemory(v);
    of.setSize(bytes);
    return of;
  };
  return {memory(lookahead.step, 4), memory(lookahead.lead, lookahead.lead_from ? 8 : 4),
          memory(lookahead.lead_from, 8)};
}

// Those that a slice of the stage makes, in the order of their loads.
std::vector<BlockEmitter::AheadRequest> BlockEmitter::PrepareAhead(const Stage& stage) {
  const auto is_shorter = [](const Stage& a, const Stage& b) {
    return a.lane_ops.size() < b.lane_ops.size();
  };
  if (shared_.ahead == nullptr ||
      &stage != &*std::max_element(plan_.stages.begin(), plan_.stages.end(), is_shorter)) {
    return {};
  }
  std::vector<AheadRequest> requests;
  for (const AheadLoad& load : *shared_.ahead) {
    const int gpr = TakeScratchGpr();
    if (gpr >= 0) EmitAheadBase(load, x86::gpq(static_cast<uint32_t>(gpr)));
    for (int lane = 0; lane < parts_ * lanes_; lane += AheadLoad::kLanes) {
      for (int line = 0; line < load.Lines(); ++line) requests.push_back({&load, gpr, lane, line});
    }
  }
  return requests;
}

void BlockEmitter::FreeAhead(const std::vector<AheadRequest>& requests) {
  for (const AheadRequest& request : requests) {
    if (request.lane == 0 && request.line == 0) FreeScratchGpr(request.gpr);
  }
}

// What the lanes' own parts of the index are added to. It is a hint: that indices wrap at 32 bits
// does not matter.
void BlockEmitter::EmitAheadBase(const AheadLoad& load, const x86::Gp& base) {
  const auto sgpr = [&](int n) { return x86::ptr(x86::rbx, shared_.layout.sgpr + n * 4); };
  a.mov(base, sgpr(load.base));
  for (const int n : load.sgprs) {
    a.movsxd(x86::rax, sgpr(n));
    a.lea(base, x86::ptr(base, x86::rax, load.access.index_shift));
  }
}

// Into the second-level cache, as in EmitPrefetch. Between operations nothing is in rax and rcx.
void BlockEmitter::EmitAheadRequest(const AheadRequest& request) {
  NoteHeading("for the next iteration");
  const AheadLoad& load = *request.load;
  const auto lane_of = [&](int vgpr) {
    x86::Mem lane = VgprMemory(vgpr, 0);
    lane.addOffset(request.lane * 4);
    lane.setSize(4);
    return lane;
  };
  const x86::Gp base = request.gpr >= 0 ? x86::gpq(static_cast<uint32_t>(request.gpr)) : x86::rcx;
  if (request.gpr < 0) EmitAheadBase(load, base);
  if (load.vgprs.size() == 1 && load.access.index_signed) {
    a.movsxd(x86::rax, lane_of(load.vgprs[0]));
  } else {
    a.mov(x86::eax, lane_of(load.vgprs[0]));
    for (size_t n = 1; n < load.vgprs.size(); ++n) a.add(x86::eax, lane_of(load.vgprs[n]));
    if (load.access.index_signed) a.movsxd(x86::rax, x86::eax);
  }
  const auto offset = static_cast<uint32_t>(load.offset) +
                      static_cast<uint32_t>(request.line) * static_cast<uint32_t>(kCacheLine);
  a.prefetcht1(x86::ptr(base, x86::rax, load.access.index_shift, static_cast<int32_t>(offset)));
}

}  // namespace gcnjit::backend
