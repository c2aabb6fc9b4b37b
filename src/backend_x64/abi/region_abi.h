// What compiled code and the runtime agree on: where the wave's state lies, the context that
// compiled code works with, and the calls it makes when an access is not a simple one.
//
// Compiled code is entered through RegionEntry and leaves through its return value. While it runs,
// MXCSR is the guest's; helpers are called with it and must not do float arithmetic of their own
// without setting it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend_x64/abi/access_block.h"
#include "backend_x64/abi/linear_access.h"
#include "backend_x64/abi/memory_site.h"
#include "backend_x64/abi/memory_window.h"
#include "backend_x64/abi/permutation_cache.h"
#include "backend_x64/abi/wave_relay.h"

namespace gcnjit::backend {

// Byte offsets into the wave's state, which the runtime owns.
struct StateLayout {
  int32_t sgpr;  // uint32_t[128]
  int32_t scc;   // uint32_t
  int32_t mode;  // uint32_t
  int32_t pc;    // uint64_t
  int32_t vgpr;  // uint32_t[ir::kVgprs][64], 64-byte aligned
};

struct FaultRecord {
  bool raised = false;
  // The code has gone back to where the loop began that had the fault: WaveState::pc. Another lane
  // may have one before it.
  bool is_undone = false;
  uint64_t loop_left = 0;  // RegionContext's, then
  uint32_t order = ~0u;    // the site's
  const MemorySite* site = nullptr;
};

// The last access that a signal has interrupted. It is begun anew with its window closed, which the
// runtime leaves closed, so that no access is interrupted twice.
struct Interruption {
  const MemorySite* site = nullptr;  // nullptr: none
  uint64_t address = 0;              // what was not accessible
  bool is_new = false;               // the runtime does not know of it yet
};

struct RegionContext;
// Performs the access of a site, by its index; false: the code gives up this slice (a fault was
// recorded, or an earlier instruction's is already known).
using AccessHelper = uint32_t (*)(RegionContext*, uint32_t site);
// A scalar load of `dwords` from `address` to its place in context->transfer.scalar_data; false
// after a fault.
using ScalarLoadHelper = uint32_t (*)(RegionContext*, uint32_t site, uint64_t address,
                                      uint32_t dwords);

// Of a loop of the wave that stores to one place in each lane, whatever the iteration: may the
// store be done once, when the loop is over? It may if all of its lanes can be written, and are
// beyond the windows of the loop's loads. `vgprs`: those of its addresses, the low one's number
// and, from bit 16 on, the high one's. The loads' sites are from `first` to `end`.
using LoopStoreHelper = uint32_t (*)(RegionContext*, uint32_t vgprs, int32_t imm, uint32_t bytes,
                                     uint32_t first, uint32_t end) noexcept;

// Of a loop of which these, in its order, are all accesses to global memory
// (compile/linear_accesses.h): sets LoopCount::most to how many iterations may run slice by slice,
// at most what it is. In so many all accesses are within memory that is accessible, and no lane
// accesses what another one stores. False: too few to be worth it.
using DisjointLanesHelper = uint32_t (*)(RegionContext*, const LinearAccess* accesses,
                                         uint32_t count) noexcept;

struct LdsRange {
  std::byte* begin = nullptr;
  uint32_t bytes = 0;
};

struct TurnCount {
  uint64_t executed = 0;  // guest instructions, by the region's blocks
  uint64_t budget = 0;    // leave at a block's end once `executed` has reached it
};

// Of a loop that each slice runs to its end.
struct LoopCount {
  uint64_t left = 0;  // iterations that the slice may still make, the one that runs included
  // The least that a slice had left at its end. Negative: the wave's only lane made more by itself.
  int64_t least_left = 0;
  // A lane that was done by itself did not come to its end: until the loop has, lanes are not.
  uint32_t stays_together = 0;
  uint32_t paused = 0;  // one of the slices would have gone on
  // What the store of a loop will write that is done when the loop is over (LoopStoreHelper): a
  // load of the loop that comes near it, or finds a window with it, takes the loop back.
  uint64_t store_begin = 0;
  uint64_t store_end = 0;
  // Of a loop that stores (DisjointLanesHelper): its iterations at most; and, a bit each, its
  // accesses that load what the lane may have stored itself, which must not be read ahead.
  uint64_t most = 0;
  uint32_t loads_of_stored = 0;
};

// Of the region. Its code has no address in it but through these: neither the host's, so that it
// may be kept for other processes, nor the guest's, whose code may lie elsewhere then.
struct RegionTables {
  const MemorySite* sites = nullptr;
  MemoryWindow* windows = nullptr;
  PermutationSlot* pattern_slots = nullptr;  // by site, as windows
  PermutationCache* patterns = nullptr;      // where those of pattern_slots are
  uint64_t code_base = 0;                    // CompileOptions::code_base
  std::byte* temps = nullptr;                // CompiledRegion::temp_bytes, 64-byte aligned
  uint64_t* slots = nullptr;                 // CompiledRegion::slot_count
};

struct RuntimeHelpers {
  AccessHelper access = nullptr;
  ScalarLoadHelper scalar_load = nullptr;
  const void* access_thunk = nullptr;  // saves every register, calls `access`
  const void* scalar_thunk = nullptr;  // likewise `scalar_load`
  void* runtime = nullptr;             // their own
  LoopStoreHelper loop_store = nullptr;
  DisjointLanesHelper disjoint_lanes = nullptr;
};

struct RegionContext {
  AccessTransfer transfer;
  LdsRange lds;
  TurnCount turn;
  LoopCount loop;
  RelayState relay;
  RegionTables region;
  RuntimeHelpers helpers;
  FaultRecord fault;
  Interruption interruption;
  // The launch most likely writes more than the caches hold: stores may go past them.
  bool exceeds_caches = false;
  // By the iterations that a slice has left: a bit for each ir::Op::kSkipped of the loop that has
  // had lanes there. Zero between loops.
  uint8_t loop_lanes[(1 << 14) + 1] = {};
};

// Runs from the block at `block` until the code leaves; WaveState::pc is then set.
using RegionEntry = uint32_t (*)(void* wave_state, RegionContext*, const void* block);

}  // namespace gcnjit::backend
