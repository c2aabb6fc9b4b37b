// Runs a function of one block compiled and in the evaluator, on like states.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend_x64/abi/region_abi.h"
#include "backend_x64/compile/region.h"
#include "ir/evaluator.h"
#include "ir/function.h"

namespace gcnjit::backend {

// Guest memory at a fixed address: compiled code uses guest addresses as they are. What lies around
// it is not mapped.
class GuestPages {
 public:
  static constexpr uint64_t kBase = 0x7000'0000'0000;
  static constexpr uint64_t kBytes = 0x20000;
  // Accessible to the guest.
  static constexpr uint64_t kBegin = kBase + 0x4000;
  static constexpr uint64_t kSize = 0x4000;
  static constexpr uint64_t kLdsEnd = kBase + 0x11000;

  static std::byte* Accessible();
  // LDS of so many bytes, up to a page, that ends where nothing may be read.
  static std::byte* Lds(size_t bytes);
};

// The state of a wave, as tests lay it out.
struct Machine {
  static constexpr int kVgprs = 32;

  alignas(64) std::array<std::array<uint32_t, ir::kLanes>, kVgprs> vgpr{};
  std::array<uint32_t, 128> sgpr{};
  uint32_t scc = 0;
  uint32_t mode = 0;
  uint64_t pc = 0;
  std::vector<std::byte> lds = std::vector<std::byte>(1024);
  std::vector<std::byte> memory = std::vector<std::byte>(GuestPages::kSize);

  static StateLayout Layout();
};

// s[n:n+1]
inline void SetPair(Machine& machine, size_t n, uint64_t value) {
  machine.sgpr[n] = static_cast<uint32_t>(value);
  machine.sgpr[n + 1] = static_cast<uint32_t>(value >> 32);
}

struct Outcome {
  Machine machine;
  ir::ExitReason reason = ir::ExitReason::kNext;
  std::optional<ir::EvaluatorFault> fault;
  uint64_t executed = 0;  // guest instructions; not of the evaluator, where a fault ended it
};

// What differs, empty if nothing does. After faults, only these are compared.
std::string Difference(const Outcome& actual, const Outcome& expected);

Outcome RunEvaluator(const ir::Function& function, const Machine& machine);
// The same again and again as long as the block goes to itself.
Outcome RunEvaluatorLoop(const ir::Function& function, const Machine& machine);

class CompiledBlock {
 public:
  // `base_env`: MXCSR that the code is entered with. `known`: of the VGPRs of all machines that
  // the block will be run on.
  CompiledBlock(const ir::Function& function, HostIsa isa, ir::FloatEnv base_env = {},
                bool listing = false, const std::vector<ir::VgprShape>& known = {},
                bool has_full_exec = false, CompileOptions options = {});

  // Keeps the windows that runs find: a second run goes the fast ways. `budget`: guest instructions
  // after which the code leaves at a block's end.
  Outcome Run(const Machine& machine, uint64_t budget = 1);
  // Waves that relieve each other at their ends, each in the memory that the one before has left;
  // the first one's LDS and fault are for all. Those after the first one begin where waves may
  // that have its SGPRs, if there is such a place.
  struct Group {
    std::vector<Machine> machines;
    uint64_t executed = 0;
    uint64_t ended = 0;  // waves
    std::optional<ir::EvaluatorFault> fault;
  };
  Group RunGroup(const std::vector<Machine>& machines);
  // Is there one?
  bool HasFollow() const { return region_->follow != nullptr; }
  // Windows of stores are these bytes of the guest's pages from now on; all others are the
  // runtime's.
  void NarrowStores(uint64_t begin, uint64_t end) { store_begin_ = begin, store_end_ = end; }
  // As for launches that write more than the caches hold, from now on.
  void ExceedCaches() { exceeds_caches_ = true; }
  // Of a group's code: so many groups of a row, in the memory that the one before has left.
  Outcome RunRow(const Machine& machine, uint64_t groups);
  // Until the code leaves to another address than the block's.
  Outcome RunLoop(const Machine& machine, uint64_t budget);
  // Calls `step` after each host instruction of the code from now on, see single_step.h.
  void StepThrough(void (*step)()) { step_ = step; }
  uint64_t helper_calls() const { return helper_calls_; }
  const std::string& listing() const { return region_->notes.listing; }
  // What has been learnt of an access, by its number among the block's.
  const PermutationSlot& pattern_slot(size_t site) { return patterns_.slots()[site]; }

 private:
  static bool IsAfterFault(const RegionContext& context, const MemorySite& site);
  static uint32_t Access(RegionContext* context, uint32_t index);
  static uint32_t AccessPart(RegionContext* context, uint32_t index);
  static uint32_t LoadScalar(RegionContext* context, uint32_t index, uint64_t address,
                             uint32_t dwords);
  bool RecordFault(RegionContext* context, const MemorySite& site,
                   const std::optional<ir::EvaluatorFault>& fault);
  Outcome FindFault(const Machine& machine, const Outcome& undone) const;
  struct Stay;  // in compiled code
  void Enter(Machine& first, RelayWave* relay, size_t waves, uint64_t budget, Stay& stay);
  // A run is of 16 lanes.
  void SetWindow(const MemorySite& site, uint64_t run_bytes, uint64_t lane_bytes);

  const ir::Function& function_;
  const HostIsa isa_;
  const ir::FloatEnv base_env_;
  std::unique_ptr<CompiledRegion> region_;
  std::vector<MemoryWindow> windows_;
  PermutationCache patterns_;
  ir::EvaluatorState state_;  // of the run
  std::optional<ir::EvaluatorFault> fault_;
  void (*step_)() = nullptr;
  uint64_t helper_calls_ = 0;
  // What slots hold that have not been stored to: a number far from all others, or a small one.
  uint64_t unset_ = 0xCDCDCDCDCDCDCDCD;
  bool exceeds_caches_ = false;
  uint64_t row_left_ = 1;
  uint64_t store_begin_ = 0;
  uint64_t store_end_ = GuestPages::kSize;
};

// How many random blocks a test makes: `usual`, or, for the long dose, GCNJIT_BACKEND_BLOCKS.
uint64_t RandomBlocks(uint64_t usual);

// The instruction sets to test.
std::vector<HostIsa> HostIsas();

}  // namespace gcnjit::backend
