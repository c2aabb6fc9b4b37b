// Streams that launches read which are larger than the caches. A first-level cache has room for so
// many lines that are on their way; loads of more make it ask again and again, and all of them
// later. So a stage that loads more of them, each line once, lets the loads behind so many wait for
// the data of those before.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

#include "backend_x64/emit/block.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Value;

// The cache lines of a load that is known to be a run; 0: it is none.
int BlockEmitter::StreamLinesOf(Value v) const {
  const Inst& inst = function_[v];
  if (inst.op != Op::kLoad || !inst.access().indexed || !IsKnownRun(v)) return 0;
  return parts_ * lanes_ * inst.access().bytes / kCacheLine;
}

void BlockEmitter::FindPace(const Stage& stage) {
  is_paced_ = false;
  if (shared_.tuning.lines_in_flight == 0 || plan_.loop) return;
  int lines = 0;
  // Of each array, the first of its loads, and how many bytes all of them are behind that.
  std::map<uint32_t, std::pair<Value, std::vector<int64_t>>> streams;
  for (const Value v : stage.lane_ops) {
    if (StreamLinesOf(v) == 0) continue;
    lines += StreamLinesOf(v);
    auto& [first, behind] =
        streams.try_emplace(function_[v].args[1].id, v, std::vector<int64_t>()).first->second;
    if (KeyOf(v) != KeyOf(first)) return;
    const int64_t bytes = BytesBehind(v, first);
    const int run = parts_ * lanes_ * function_[v].access().bytes;
    const auto meets = [&](int64_t other) { return std::abs(bytes - other) < run; };
    if (std::any_of(behind.begin(), behind.end(), meets)) return;
    behind.push_back(bytes);
  }
  is_paced_ = lines >= shared_.tuning.lines_in_flight;
  loaded_lines_ = 0;
}

// Lets the load wait whose address, or what others count theirs from, is in the register. Changes
// rcx.
void BlockEmitter::EmitWait(Value v, const x86::Gp& address) {
  if (!is_paced_ || StreamLinesOf(v) == 0) return;
  if (RunGroup* const group = RunGroupOf(v)) {
    if (std::exchange(group->has_waited_for, captures_) == captures_) return;
  }
  const asmjit::Label done = a.newLabel();
  a.cmp(x86::byte_ptr(x86::r12, offsetof(RegionContext, exceeds_caches)), 0);
  a.je(done);
  a.mov(x86::ecx, DataMemory());
  a.and_(x86::ecx, 0);
  a.add(address, x86::rcx);
  a.bind(done);
}

// `reg` has what the load's last lanes have loaded.
void BlockEmitter::NoteLoaded(Value v, int reg) {
  if (!is_paced_) return;
  loaded_lines_ += StreamLinesOf(v);
  if (reg < 0 || loaded_lines_ < shared_.tuning.lines_in_flight) return;
  loaded_lines_ = 0;
  ++captures_;
  a.vmovd(DataMemory(), x86::xmm(static_cast<uint32_t>(reg)));
}

x86::Mem BlockEmitter::DataMemory() {
  if (shared_.data_slot < 0) shared_.data_slot = shared_.slots.Take();
  x86::Mem memory = SlotMemory(shared_.data_slot);
  memory.setSize(4);
  return memory;
}

}  // namespace gcnjit::backend
