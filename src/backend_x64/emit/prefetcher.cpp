#include "backend_x64/emit/prefetcher.h"

#include <algorithm>

namespace gcnjit::backend {

using ir::Value;

Prefetcher::Prefetcher(RegionAssembler& region, const BlockVersion& version, const Cursor& at,
                       ValueMemory& memory, ScalarRegisters& scalars)
    : a(region.a),
      region_(region),
      version_(version),
      at_(at),
      block_(at.block),
      memory_(memory),
      scalars_(scalars),
      streams_(block_.function, block_.source) {
  for (const Value v : block_.source.insts) {
    const ir::Inst& inst = block_.function[v];
    if (inst.op != ir::Op::kStore) continue;
    last_stores_[ir::WaveOf(block_.source.guest_pcs[inst.guest])] = v;
  }
}

std::optional<Lookahead> Prefetcher::LookaheadOf(const ir::Inst& inst) {
  // A loop that slices run by themselves is too short for requests for its next iteration.
  if (block_.IsLoop()) return {};
  const Tuning& host = *region_.options.tuning;
  const bool is_next = inst.op == ir::Op::kLoad && AsksAfterLoads();
  const int32_t times = at_.parts * block_.lanes == ir::kLanes ? 1 : host.times_for_parts;
  std::optional<Lookahead> lookahead =
      streams_.Ask(inst, (is_next ? host.bytes_ahead_of_few : host.bytes_ahead) * times);
  const bool asks = host.asks_in_loops && !version_.is_asked_for;
  if (lookahead && lookahead->is_loop && !asks) return {};
  // The slots of scalars without a further use are gone.
  const auto is_gone = [this](Value v) {
    return v && !memory_.IsInPlace(v) && (memory_[v].slot < 0 || (memory_[v].stored & 1) == 0);
  };
  if (lookahead && (is_gone(lookahead->lead) || is_gone(lookahead->lead_from))) {
    lookahead->lead = lookahead->lead_from = {};
  }
  return lookahead;
}

LookaheadMemory Prefetcher::MemoryOf(const Lookahead& lookahead) {
  const auto memory = [this](Value v, uint32_t bytes) {
    if (!v) return x86::Mem();
    x86::Mem of = memory_.Scalar(v);
    of.setSize(bytes);
    return of;
  };
  return {memory(lookahead.step, 4), memory(lookahead.lead, lookahead.lead_from ? 8 : 4),
          memory(lookahead.lead_from, 8)};
}

std::vector<Prefetcher::Request> Prefetcher::Prepare(const Stage& stage) {
  const auto is_shorter = [](const Stage& a, const Stage& b) {
    return a.lane_ops.size() < b.lane_ops.size();
  };
  if (version_.ahead == nullptr ||
      &stage !=
          &*std::max_element(block_.plan.stages.begin(), block_.plan.stages.end(), is_shorter)) {
    return {};
  }
  std::vector<Request> requests;
  for (const AheadLoad& load : *version_.ahead) {
    const std::optional<int> gpr = scalars_.Borrow();
    if (gpr) EmitBase(load, Gp(*gpr, true));
    for (int lane = 0; lane < at_.parts * block_.lanes; lane += AheadLoad::kLanes) {
      for (int line = 0; line < load.Lines(); ++line) requests.push_back({&load, gpr, lane, line});
    }
  }
  return requests;
}

void Prefetcher::Free(const std::vector<Request>& requests) {
  for (const Request& request : requests) {
    if (request.gpr && request.lane == 0 && request.line == 0) scalars_.GiveBack(*request.gpr);
  }
}

// What the lanes' own parts of the index are added to. It is a hint: that indices wrap at 32 bits
// does not matter.
void Prefetcher::EmitBase(const AheadLoad& load, const x86::Gp& base) {
  const auto sgpr = [&](int n) { return x86::ptr(x86::rbx, region_.options.layout.sgpr + n * 4); };
  a.mov(base, sgpr(load.base));
  for (const int n : load.sgprs) {
    a.movsxd(x86::rax, sgpr(n));
    a.lea(base, x86::ptr(base, x86::rax, load.access.index_shift));
  }
}

// Into the second-level cache, as in EmitPrefetch. Between operations nothing is in rax and rcx.
void Prefetcher::Emit(const Request& request) {
  region_.NoteHeading("for the next iteration");
  const AheadLoad& load = *request.load;
  const auto lane_of = [&](int vgpr) {
    x86::Mem lane = memory_.Vgpr(vgpr, 0);
    lane.addOffset(request.lane * 4);
    lane.setSize(4);
    return lane;
  };
  const x86::Gp base = request.gpr ? Gp(*request.gpr, true) : x86::Gp(x86::rcx);
  if (!request.gpr) EmitBase(load, base);
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

bool Prefetcher::AsksAfterLoads() const {
  return places_ <= 2 && region_.options.tuning->bytes_ahead_of_few != 0;
}

// Lines of several streams come faster by turns than stream by stream.
bool Prefetcher::PutOff(const Lookahead& lookahead, const RunAddress& run, int bytes) {
  if (lookahead.step || lookahead.lead || lookahead.is_loop ||
      region_.options.tuning->is_second_level) {
    return false;
  }
  if (loaded_runs_ < 2 && !AsksAfterLoads()) return false;
  StreamRequest request{0, false, lookahead.bytes, bytes};
  if (const std::optional<int> held = run.to ? run.to : run.from) {
    request.gpr = *held;
    request.owns_gpr = scalars_.Borrow(*held);
    if (run.from) request.offset += run.distance;
  } else {
    const std::optional<int> gpr = scalars_.Borrow();
    if (!gpr) return false;
    request.gpr = *gpr;
    request.owns_gpr = true;
    // If it is no such run, the register has anything: a request for that does no harm.
    a.mov(Gp(*gpr, true), x86::rax);
  }
  put_off_.push_back(request);
  return true;
}

bool Prefetcher::IsLastStore(Value v) const {
  const auto last =
      last_stores_.find(ir::WaveOf(block_.source.guest_pcs[block_.function[v].guest]));
  return last != last_stores_.end() && last->second == v;
}

bool Prefetcher::MayGoPastCaches(Value v) const {
  const ir::Inst& inst = block_.function[v];
  return version_.is_in_no_order && IsLastStore(v) && inst.access().bytes == 4 &&
         block_.IsAllLanes(inst.args[2]) && !streams_.IsLoaded(inst.args[0], inst.args[1]);
}

void Prefetcher::AskByTurns() {
  if (put_off_.empty()) return;
  region_.NoteHeading("for later waves");
  bool has_more = true;
  for (int offset = 0; has_more; offset += kCacheLine) {
    has_more = false;
    for (const StreamRequest& request : put_off_) {
      if (offset >= request.bytes) continue;
      has_more = true;
      EmitLineRequest(a, x86::ptr(Gp(request.gpr, true), request.offset + offset), false,
                      /*is_store=*/false);
    }
  }
  for (const StreamRequest& request : put_off_) {
    if (request.owns_gpr) scalars_.GiveBack(request.gpr);
  }
  put_off_.clear();
}

void Prefetcher::FreeRunRegister(int gpr) {
  for (StreamRequest& request : put_off_) {
    if (request.gpr == gpr) {
      request.owns_gpr = true;
      return;
    }
  }
  scalars_.GiveBack(gpr);
}

}  // namespace gcnjit::backend
