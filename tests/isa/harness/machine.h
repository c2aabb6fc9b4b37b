// A wave with known contents, its memory, and running it through a few instructions.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness/case_file.h"
#include "runtime/interpreter/code_map.h"
#include "runtime/interpreter/interpreter.h"
#include "runtime/memory/guest_memory.h"
#include "runtime/state/global_wave_sync.h"
#include "runtime/state/wave_state.h"

namespace gcnjit::isa_tests {

// A planted error: instructions of row `from` are executed by the function of row `to`.
struct Substitution {
  frontend::Opcode from = frontend::Opcode::kCount;
  frontend::Opcode to = frontend::Opcode::kCount;
};

// Executes one instruction; the interpreter's way is runtime::StepWave.
using StepFunction = std::function<void(runtime::Wave&, const runtime::CodeSlot&)>;

// Memory of the guest that belongs to a group: buffers, LDS, GDS, the code.
class Machine : public Symbols {
 public:
  Machine(const frontend::Processor& processor, std::span<const uint32_t> code,
          Substitution substitution = {}, StepFunction step = runtime::StepWave);
  ~Machine() override;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // Allocates and fills what the group declares. `Reset` fills it again.
  Result<void> Declare(const Group& group);
  void Reset(const Group& group);

  // Executes: one instruction if `single`, else until PC leaves the code, an event, or 256 steps.
  // Returns false if the steps did not suffice.
  bool Run(runtime::Wave& wave, bool single);

  uint64_t AddressOf(const std::string& symbol) const override;
  bool Knows(const std::string& symbol) const;
  // Contents of a buffer, of "lds" or "gds" as dwords.
  std::vector<uint32_t> Read(const std::string& name) const;
  std::vector<std::string> MemoryNames() const;

  runtime::DispatchState dispatch;
  runtime::WorkgroupState group;

 private:
  struct Region {
    uint64_t address = 0;  // guest address of a buffer, else 0
    std::byte* bytes = nullptr;
    uint32_t size = 0;
  };
  void Fill(const Region& region, const std::vector<Value>& values);

  runtime::CodeSlot SlotAt(uint64_t offset) const;

  const std::span<const uint32_t> code_;
  const Substitution substitution_;
  const StepFunction step_;
  uint64_t code_address_ = 0;
  std::map<std::string, Region> regions_;
  std::vector<std::byte> lds_;
  runtime::GlobalWaveSync wave_sync_;
  std::vector<std::byte> gds_;
  std::atomic<bool> stop_{false};
};

// The state that README.md, "Initial state" describes.
void SeedState(runtime::WaveState& state, uint64_t seed);

// The operand code of a scalar register, with names that depend on the generation; -1: none there.
int ScalarCode(const Place& place, frontend::Generation generation);

uint64_t NextRandom(uint64_t& state);

}  // namespace gcnjit::isa_tests
