// The interpreter and the JIT, side by side on the registers of one wave.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "backend_x64/host/features.h"
#include "isa/generation.h"
#include "runtime/interpreter/code_map.h"
#include "runtime/jit/region_cache.h"
#include "runtime/memory/guest_memory.h"
#include "runtime/state/wave_state.h"

namespace gcnjit::exhaustive {

class EnginePair {
 public:
  EnginePair(frontend::Generation generation, backend::HostIsa isa,
             std::span<const uint32_t> program, uint32_t mode);

  // Both waves get these registers before a run.
  runtime::WaveState& initial() { return *initial_; }
  // Runs the program in both. False if one of them does not come to its end.
  bool Run();
  const runtime::WaveState& expected() const { return *expected_; }
  const runtime::WaveState& got() const { return *got_; }

  // Instructions that the JIT left to the interpreter: what compares nothing.
  uint64_t Interpreted() const;

 private:
  bool RunOne(runtime::WaveState& state, bool in_jit);

  std::shared_ptr<runtime::GuestMemory> memory_;
  uint64_t code_ = 0;
  std::optional<runtime::CodeMap> map_;
  std::unique_ptr<runtime::RegionCache> jit_;
  std::unique_ptr<runtime::WaveState> initial_;
  std::unique_ptr<runtime::WaveState> expected_;
  std::unique_ptr<runtime::WaveState> got_;
  runtime::WorkgroupState group_;
  runtime::DispatchState dispatch_;
  std::atomic<bool> stop_ = false;
};

}  // namespace gcnjit::exhaustive
