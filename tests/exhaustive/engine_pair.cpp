#include "exhaustive/engine_pair.h"

#include <cstring>
#include <utility>
#include <vector>

#include "exhaustive/operation.h"
#include "runtime/interpreter/interpreter.h"
#include "runtime/jit/jit_runner.h"

namespace gcnjit::exhaustive {

using runtime::WaveState;

EnginePair::EnginePair(frontend::Generation generation, backend::HostIsa isa,
                       std::span<const uint32_t> program, uint32_t mode)
    : memory_(runtime::GuestMemory::Reserve().value()),
      code_(memory_->Allocate(program.size_bytes(), "code").value()),
      initial_(std::make_unique<WaveState>()),
      expected_(std::make_unique<WaveState>()),
      got_(std::make_unique<WaveState>()) {
  std::memcpy(reinterpret_cast<void*>(code_), program.data(), program.size_bytes());
  map_.emplace(generation,
               std::vector<std::pair<uint64_t, uint64_t>>{{code_, code_ + program.size_bytes()}});
  jit_ = std::make_unique<runtime::RegionCache>(*map_,
                                                runtime::JitOptions{isa, /*exact_state=*/true, {}});
  initial_->pc = code_;
  initial_->mode = mode;
  initial_->vgpr_count = kVgprs;
  initial_->SetPair(frontend::kCodeExecLo, ~uint64_t{0});
  for (uint32_t& one : initial_->vgpr[kOne]) one = 1;
  dispatch_.memory = memory_.get();
  dispatch_.processor = generation;
  dispatch_.entry = code_;
  dispatch_.stop = &stop_;
}

bool EnginePair::RunOne(WaveState& state, bool in_jit) {
  state = *initial_;
  runtime::Wave wave{state, group_, dispatch_};
  constexpr uint64_t kBudget = 10 * kInstructions;
  if (in_jit) {
    runtime::JitRunner runner(*map_, *jit_, *memory_);
    runner.Run(wave, kBudget);
    runner.RestoreMxcsr();
  } else {
    runtime::CodeReader code(*map_);
    runtime::RunWave(wave, code, kBudget);
  }
  return wave.event == runtime::WaveEvent::kEnd;
}

bool EnginePair::Run() { return RunOne(*expected_, false) && RunOne(*got_, true); }

uint64_t EnginePair::Interpreted() const {
  uint64_t count = 0;
  for (const auto& [opcode, fallback] : jit_->Statistics().fallbacks) count += fallback.count;
  return count;
}

}  // namespace gcnjit::exhaustive
