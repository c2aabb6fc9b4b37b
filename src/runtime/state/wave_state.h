// The architectural state of a wave, of its work-group and of the dispatch: plain memory that the
// interpreter and compiled code share.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "isa/aperture.h"
#include "isa/instruction.h"
#include "isa/mode_register.h"
#include "isa/processor.h"
#include "isa/vector_registers.h"
#include "runtime/state/group_shape.h"

namespace gcnjit::runtime {

class GlobalWaveSync;
class GuestMemory;

using frontend::kFirstAccVgpr;
using frontend::kMaxVgprs;
using frontend::kVectorRegisters;

using enum frontend::Mode;

struct WaveState {
  // By operand code 0..127: SGPRs, FLAT_SCRATCH, XNACK_MASK, VCC (106), TTMPs, M0 (124), EXEC
  // (126).
  alignas(64) uint32_t sgpr[128];
  uint32_t scc;  // 0 or 1
  uint32_t wave_in_group;
  // Side by side, because they are read together.
  uint32_t mode;        // enum Mode
  uint32_t vgpr_count;  // allocated by the kernel descriptor; higher numbers fault
  uint64_t pc;          // guest address of the next instruction
  // What compiled code may rely on without looking: the VGPRs are as WaveStarter left them; the
  // wave waits in the region of compiled code of this number, which has left them as it expects
  // them.
  bool is_new;
  uint32_t trapsts;  // TRAPSTS: the exception flags that the program has set (hardware_registers.h)
  uint32_t acc_vgpr_count;  // likewise: a0 and so on are vgpr[kFirstAccVgpr] and so on
  uint64_t waits_in;
  // Of the barrier of global wave sync that the wave waits at (global_wave_sync.h); 0: of none.
  uint64_t wave_sync_phase;
  alignas(64) uint32_t vgpr[kVectorRegisters][kLanes];

  frontend::VgprCounts vgpr_counts() const {
    return {static_cast<uint16_t>(vgpr_count), static_cast<uint16_t>(acc_vgpr_count)};
  }
  uint64_t Pair(int code) const { return sgpr[code] | static_cast<uint64_t>(sgpr[code + 1]) << 32; }
  void SetPair(int code, uint64_t value) {
    sgpr[code] = static_cast<uint32_t>(value);
    sgpr[code + 1] = static_cast<uint32_t>(value >> 32);
  }
  uint64_t exec() const { return Pair(frontend::kCodeExecLo); }
  uint64_t vcc() const { return Pair(frontend::kCodeVccLo); }
  uint32_t m0() const { return sgpr[frontend::kCodeM0]; }
};

struct WorkgroupState {
  std::byte* lds = nullptr;  // lds_bytes, zeroed at the start of each group for determinism
  uint32_t lds_bytes = 0;    // whole blocks: lds_size.h
  std::array<uint32_t, 3> id = {0, 0, 0};
  std::array<uint32_t, 3> size = {1, 1, 1};  // of this group (partial groups are smaller)
  uint32_t wave_count = 0;
  GroupShape shape;  // of all groups but partial ones; of those nothing is known
};

// What all waves of a launch share; constant while it runs, except where atomic.
struct DispatchState {
  GuestMemory* memory = nullptr;
  frontend::Processor processor;
  uint64_t scratch_base = 0;                 // gfx7-8: what FLAT_SCRATCH_HI's offset is relative to
  uint64_t entry = 0;                        // guest address of the kernel's first instruction
  std::byte* gds = nullptr;                  // 64 KiB, one a launch
  std::atomic<bool>* gds_is_used = nullptr;  // set by waves that access it
  GlobalWaveSync* wave_sync = nullptr;       // null: there is none
  uint64_t dispatch_packet = 0;              // guest address
  uint64_t queue = 0;                        // guest address of the amd_queue_t
  std::atomic<bool>* stop = nullptr;         // set by the watchdog or by a fault in another wave
};

}  // namespace gcnjit::runtime
