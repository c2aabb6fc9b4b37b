// Runs waves in compiled code, and in the interpreter where there is none.
#pragma once

#include <xmmintrin.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "backend_x64/abi/region_abi.h"
#include "frontend/flow/register_access.h"
#include "runtime/image_lanes/image_lanes.h"
#include "runtime/interpreter/code_map.h"
#include "runtime/interpreter/wave.h"
#include "runtime/jit/region_cache.h"
#include "runtime/state/group_series.h"

namespace gcnjit::runtime {

// Has the wave's turn, of so many instructions, ended because it waits for another wave? Such turns
// are not counted as work that may be worth compiling: their number depends on the other wave.
inline bool IsWaiting(const Wave& w, uint64_t executed) {
  constexpr uint64_t kLeastWork = 64;
  return w.event == WaveEvent::kYield && executed < kLeastWork;
}

// A host thread's use of the compiled code of one program, for the waves of one launch. Starting a
// wave and coming back to it must cost little, so what can be done once is done by the constructor,
// and what the thread learns about code and memory is kept for its next JitRunner. Code that the
// thread may be in is not freed while it has one.
class JitRunner {
 public:
  // `work_items`: of the launch, 0 if there is none. `stop`: see RegionCache::Find.
  JitRunner(CodeMap& code, RegionCache& jit, const GuestMemory& memory, uint64_t work_items = 0,
            const std::atomic<bool>* stop = nullptr);
  ~JitRunner();
  JitRunner(const JitRunner&) = delete;
  JitRunner& operator=(const JitRunner&) = delete;

  // As RunWave (interpreter/interpreter.h): runs until an event or until about `budget`
  // instructions have been executed; returns how many were. Compiled code looks at the budget at
  // loops only. MXCSR may still be the guest's afterwards: the next wave most likely wants the
  // same.
  uint64_t Run(Wave& w, uint64_t budget);

  // For RunNew: where waves start in the groups to come, and with what key.
  void SetStart(uint64_t kernel, const JitKey& key);
  // After SetStart, before the first RunNew of each group.
  void BeginGroup(const WorkgroupState& group);
  // Is there code for all of the group's waves together?
  bool StartsTogether(size_t waves) const {
    return start_.to.group != nullptr && waves == start_.key.shape.waves;
  }
  // Runs the waves of a group, one after the other, each to the barrier or to its end; those that
  // get there leave their event at kBarrier or kEnd. Stops at the first for which it is something
  // else, and returns its index; it has come back as from Run. If `all`, these are all the waves of
  // the group that have not ended: then a barrier at which all of them wait lets them go on, and
  // waves after the one returned do not wait for it. `budget` is for all together.
  struct Relayed {
    size_t last = 0;         // the wave that came back
    uint64_t executed = 0;   // by all of them
    bool all_ended = false;  // no more is to know, and the waves' events may say something else
    // Of RunNew: the waves have passed a barrier, and take their turns from the last one down.
    bool goes_down = false;
  };
  Relayed RunRelay(std::span<Wave* const> waves, bool all, uint64_t budget);
  // Has more groups like the one that runs.
  class GroupSource {
   public:
    // The group's waves have all ended, after `executed` instructions. Starts those of the next
    // group in their place; false: there is none, or not now. May set `series` for later groups.
    virtual bool StartNextGroup(uint64_t executed) noexcept = 0;

    // Groups that compiled code starts without StartNextGroup. When RunNew returns, or
    // StartNextGroup is called, it says how many of the groups after the one that it was set for
    // have run.
    GroupSeries series;

   protected:
    ~GroupSource() = default;
  };
  // As RunRelay, for waves of the group of BeginGroup that have just been started. After a barrier
  // their order is the reverse (GroupRunner). Afterwards those whose turn has not come may still be
  // as they were (WaveState::is_new). Those that have ended are new still if they have never left
  // the code that they started in. `more` (may be null) is asked for another group, again and
  // again; the result is that of the last group. `alike`: the waves'
  // SGPRs are the same, EXEC apart, and so in each of these groups.
  Relayed RunNew(std::span<Wave* const> waves, bool all, bool alike, uint64_t budget,
                 GroupSource* more);

  // Gives the thread its own MXCSR back. To be called before any float arithmetic of the host's.
  void RestoreMxcsr() { UseMxcsr(host_mxcsr_); }

  // Of a wave that starts at `kernel`: registers that it may read before it writes them, and those
  // that the code it starts in writes (backend::WrittenRegisters).
  struct StartAccess {
    frontend::RegisterSet read_first;
    frontend::RegisterSet written;
  };
  // Nothing if it does not start in compiled code, or if that is not known. Compiles if need be.
  // `in_relay`: waves are started by RunNew, all of a group's at once where there is code for that.
  std::optional<StartAccess> StartAccessOf(uint64_t kernel, const JitKey& key, bool in_relay);

 private:
  class Thread;
  // How the relay's waves go on when all of them wait at a barrier: not in compiled code, in the
  // order that they have had, or in the reverse of it.
  enum class Again { kNo, kSameOrder, kReversed };
  // Where compiled code is entered, as the thread has looked it up.
  struct Entry {
    uint64_t pc = ~uint64_t{0};
    JitKey key;
    uint32_t mxcsr = 0;  // for key.mode
    JitEntry to;
  };

  const Entry& Find(uint64_t pc, uint64_t kernel, const JitKey& key);
  void LookUp(uint64_t pc, uint64_t kernel, const JitKey& key, Entry& entry);
  const Entry& EntryOf(const Wave& w);
  Relayed Enter(const Entry& entry, std::span<backend::RelayWave> relay, Again again,
                uint64_t budget);
  ir::ExitReason Execute(const Entry& entry, std::span<backend::RelayWave> relay, Again again,
                         uint64_t budget, GroupSource* more);
  void PrepareRelay(std::span<backend::RelayWave> relay, Again again);
  static backend::RelayWave* NextWaves(backend::RegionContext* context) noexcept;
  static backend::RelayWave* NextWavesOtherwise(backend::RegionContext* context) noexcept;
  static backend::RelayWave* AskForNextWaves(backend::RegionContext* context) noexcept;
  bool HaveAllEnded(ir::ExitReason reason) const;
  std::span<const backend::RelayWave> StatesRead() const;
  void SetRelayCode();
  void BeginRow();
  void EndRow();
  size_t LastOf(std::span<const backend::RelayWave> relay) const;
  Relayed TakeBack(const Entry& entry, std::span<const backend::RelayWave> relay,
                   ir::ExitReason reason);
  Relayed GoOn(Relayed relayed, std::span<Wave* const> waves, uint64_t budget);
  uint64_t ComeBack(Wave& w, ir::ExitReason reason);
  uint64_t Interpret(Wave& w);
  uint64_t FindFault(Wave& w);
  void UseMxcsr(uint32_t mxcsr) {
    if (mxcsr != mxcsr_) _mm_setcsr(mxcsr_ = mxcsr);
  }

  CodeReader code_;
  ImageLanes images_;
  RegionCache& jit_;
  const std::atomic<bool>* const stop_;
  const GuestMemory& memory_;
  Thread& thread_;
  const bool exceeds_caches_;
  const uint32_t host_mxcsr_;
  uint32_t mxcsr_;  // what the register holds
  std::vector<backend::RelayWave> relay_;
  // Where its first wave begins, and where the later ones do.
  const std::byte* first_ = nullptr;
  const std::byte* follow_ = nullptr;
  // Its waves end in their order, which leaves RelayWave::code as it was.
  bool ends_in_order_ = false;
  bool reads_first_only_ = false;  // CompiledRegion::group_is_one_block
  bool wants_zeroed_lds_ = true;   // when another group starts in its place
  // Instructions of each group where code starts groups by itself, 0 where it does not; and how
  // many it may have begun since BeginRow, the one that ran then included.
  uint32_t row_instructions_ = 0;
  uint64_t row_ = 1;
  GroupSource* more_ = nullptr;  // of the waves in relay_
  // What SetStart has said; where the group's waves start, without a region if not in compiled
  // code, and the generation that it belongs to: 0 if it has yet to be looked up.
  uint64_t start_kernel_ = 0;
  JitKey start_key_;
  Entry start_;
  uint64_t start_generation_ = 0;
};

}  // namespace gcnjit::runtime
