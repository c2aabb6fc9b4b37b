// Requests for memory that the wave, or a later one, will load soon.
#include <algorithm>

#include "backend_x64/emit/block.h"

namespace gcnjit::backend {

using ir::Value;

std::optional<Lookahead> BlockEmitter::LookaheadOf(const ir::Inst& inst) {
  // A loop that slices run by themselves is too short for its next iteration to be asked for.
  if (IsLoop()) return {};
  const Tuning& host = shared_.tuning;
  const bool is_next = inst.op == ir::Op::kLoad && AsksBehindLoads();
  const int32_t times = parts_ * lanes_ == ir::kLanes ? 1 : host.times_for_parts;
  std::optional<Lookahead> lookahead =
      streams_.Ask(inst, (is_next ? host.bytes_ahead_of_few : host.bytes_ahead) * times);
  const bool asks = host.asks_in_loops && !shared_.is_asked_for;
  if (lookahead && lookahead->is_loop && !asks) return {};
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

bool BlockEmitter::AsksBehindLoads() const {
  return places_ <= 2 && shared_.tuning.bytes_ahead_of_few != 0;
}

// Lines of several streams come faster by turns than stream by stream.
bool BlockEmitter::PutOff(const Lookahead& lookahead, const RunAddress& run, int bytes) {
  if (lookahead.step || lookahead.lead || lookahead.is_loop || shared_.tuning.is_second_level) {
    return false;
  }
  if (loaded_runs_ < 2 && !AsksBehindLoads()) return false;
  StreamRequest request{std::max(run.to, run.from), false, lookahead.bytes, bytes};
  if (request.gpr >= 0) {
    request.owns_gpr = gprs_.Reserve(request.gpr);
    if (run.from >= 0) request.offset += run.distance;
  } else {
    request.gpr = TakeScratchGpr();
    if (request.gpr < 0) return false;
    request.owns_gpr = true;
    // If it is no such run, the register has anything: who asks for that does no harm.
    a.mov(x86::gpq(static_cast<uint32_t>(request.gpr)), x86::rax);
  }
  put_off_.push_back(request);
  return true;
}

void BlockEmitter::AskByTurns() {
  if (put_off_.empty()) return;
  NoteHeading("for later waves");
  bool has_more = true;
  for (int offset = 0; has_more; offset += kCacheLine) {
    has_more = false;
    for (const StreamRequest& request : put_off_) {
      if (offset >= request.bytes) continue;
      has_more = true;
      const x86::Gp gpr = x86::gpq(static_cast<uint32_t>(request.gpr));
      EmitLineRequest(a, x86::ptr(gpr, request.offset + offset), false, /*is_store=*/false);
    }
  }
  for (const StreamRequest& request : put_off_) {
    if (request.owns_gpr) gprs_.Free(request.gpr);
  }
  put_off_.clear();
}

// Of a run whose accesses have all been emitted.
void BlockEmitter::FreeRunRegister(int gpr) {
  for (StreamRequest& request : put_off_) {
    if (request.gpr == gpr) {
      request.owns_gpr = true;
      return;
    }
  }
  gprs_.Free(gpr);
}

}  // namespace gcnjit::backend
